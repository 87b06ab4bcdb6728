package pebble_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	engine "github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"example.com/livery/internal/test/storagetest"
	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
)

// The engine opens cleanly if the newest write-ahead log is missing or torn. The tag of a cursor
// and the log end marker in the directory show that acknowledged changes are gone, also when new ones have
// taken their numbers.
func TestALostTailIsNoticed(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]func(t *testing.T, fs vfs.FS, wal string){
		"the newest log is missing": func(t *testing.T, fs vfs.FS, wal string) {
			if err := fs.Remove(wal); err != nil {
				t.Fatal(err)
			}
		},
		"the newest log is torn": func(t *testing.T, fs vfs.FS, wal string) { tear(t, fs, wal) },
	} {
		t.Run(name, func(t *testing.T) {
			fs := vfs.NewMem()
			s := open(t, "data", pebble.Options{FS: fs})
			var last storage.Cursor
			for n := range 10 {
				at, err := storagetest.Step{Writer: 1, Number: n}.Do(context.Background(), s)
				if err != nil {
					t.Fatal(err)
				}
				last = at
			}
			if at, lost := s.Lost(); lost {
				t.Errorf("Lost() of a new store = %s", at)
			}
			if err := s.Close(); err != nil {
				t.Fatalf("Close() = %v", err)
			}
			harm(t, fs, newestLog(t, fs))
			s = open(t, "data", pebble.Options{FS: fs})
			if at, lost := s.Lost(); !lost || at != last {
				t.Errorf("Lost() = %s, %t, want %s", at, lost, last)
			}
			if wrong := check(t, s); len(wrong) != 1 || !strings.Contains(wrong[0], last.String()) {
				t.Errorf("Check() = %q, want the lost tail", wrong)
			}
			for range 11 {
				if _, err := s.Changes(context.Background(), last, 10); !isDiverged(err) {
					t.Errorf("Changes(%s) = %v, want ErrDiverged", last, err)
				}
				if _, err := s.Update(context.Background(), "e", set("K", "later")); err != nil {
					t.Fatalf("Update() = %v", err)
				}
			}
		})
	}
}

func TestNoTailIsLostWithoutHarm(t *testing.T) {
	t.Parallel()
	fs := vfs.NewMem()
	for i := range 4 {
		s := open(t, "data", pebble.Options{FS: fs})
		if at, lost := s.Lost(); lost {
			t.Errorf("Lost() after start %d = %s", i, at)
		}
		if _, err := s.Update(context.Background(), "e", set("K", fmt.Sprint(i))); err != nil {
			t.Fatalf("Update() = %v", err)
		}
		if i == 2 {
			if err := s.Trim(context.Background(), 3); err != nil {
				t.Fatalf("Trim() = %v", err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatalf("Close() = %v", err)
		}
	}
}

// newestLog returns the newest write-ahead log that holds something.
func newestLog(t *testing.T, fs vfs.FS) string {
	t.Helper()
	names, err := fs.List("data")
	if err != nil {
		t.Fatal(err)
	}
	names = slices.DeleteFunc(names, func(n string) bool { return !strings.HasSuffix(n, ".log") })
	if len(names) == 0 {
		t.Fatal("the write-ahead log is missing")
	}
	return fs.PathJoin("data", slices.Max(names))
}

// tear cuts a third off the end of what a file holds.
func tear(t *testing.T, fs vfs.FS, name string) {
	t.Helper()
	info, err := fs.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	kept := make([]byte, info.Size()*2/3)
	f, err := fs.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.ReadAt(kept, 0); err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	f, err = fs.Create(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(kept); err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
}

// Faults must reach recycled write-ahead logs too, or no fault run would see one after the first.
func TestFaultsReachRecycledLogs(t *testing.T) {
	t.Parallel()
	const name = "data"
	var reused, reached []string
	inject := errorfs.InjectorFunc(func(op errorfs.Op) error {
		switch {
		case op.Kind == errorfs.OpReuseForWrite:
			reused = append(reused, op.Path)
		case walSync(op) && len(reused) > 0:
			reached = append(reached, op.Path)
		}
		return nil
	})
	s := open(t, name, pebble.Options{FS: newFaulty(vfs.NewMem(), inject)}.Tuned(func(o *engine.Options) { o.MemTableSize = 256 << 10 }))
	for n := range 400 {
		if _, err := (storagetest.Step{Writer: 1, Number: n}).Do(context.Background(), s); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatalf("Close() = %v", err)
	}
	if len(reused) == 0 || len(reached) == 0 {
		t.Errorf("%d logs were recycled, and faults reached %d of their syncs", len(reused), len(reached))
	}
}

// With a second directory a stall of the first disk does not hold commits up, and what went there is
// found again.
func TestAStalledDiskFailsOver(t *testing.T) {
	t.Parallel()
	mem := vfs.NewCrashableMem()
	gate, stalled := make(chan struct{}), make(chan struct{})
	d := &disk{FS: mem, below: "first"}
	d.before = func() {
		select {
		case <-stalled:
			<-gate
		default:
		}
	}
	opts := pebble.Options{FS: d, FailoverDir: "second"}.Tuned(func(o *engine.Options) {
		o.WALFailover.UnhealthySamplingInterval = time.Millisecond
		o.WALFailover.UnhealthyOperationLatencyThreshold = func() (time.Duration, bool) { return 5 * time.Millisecond, true }
	})
	s := open(t, "first", opts)
	acks := newAcknowledgements()
	for n := range 20 {
		if n == 10 {
			close(stalled)
		}
		done := make(chan error, 1)
		go func() {
			step := storagetest.Step{Writer: 1, Number: n}
			at, err := step.Do(context.Background(), s)
			acks.add(step, at)
			done <- err
		}()
		if err := result(t, done); err != nil {
			t.Fatalf("step %d: %v", n, err)
		}
	}
	left := mem.CrashClone(vfs.CrashCloneCfg{})
	close(gate)
	if err := s.Close(); err != nil {
		t.Errorf("Close() = %v", err)
	}
	if _, err := pebble.Open("first", pebble.Options{FS: left, Logger: quiet}); err == nil || !strings.Contains(err.Error(), "failover directory") {
		t.Errorf("Open() without the second directory = %v, want it to be asked for", err)
	}
	again := open(t, "first", pebble.Options{FS: left, FailoverDir: "second"})
	storagetest.Verify(t, again, acks.copy())
}
