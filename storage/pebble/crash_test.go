package pebble_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	engine "github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"example.com/livery/internal/test/race"
	"example.com/livery/internal/test/storagetest"
	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
)

// crashDir is deep, because a directory is lost with the power unless its parent was synced.
const crashDir = "/srv/livery/data"

// crashesVariable sets the number of seeds, each of two crashes.
const crashesVariable = "LIVERY_CRASH_SEEDS"

// acknowledgements are the steps whose commit was acknowledged.
type acknowledgements struct {
	also func(storagetest.Step, storage.Cursor) // is called for each one; nil means that none is

	mu sync.Mutex // guards at
	at map[storagetest.Step]storage.Cursor
}

func newAcknowledgements() *acknowledgements {
	return &acknowledgements{at: map[storagetest.Step]storage.Cursor{}}
}

func (a *acknowledgements) add(step storagetest.Step, at storage.Cursor) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.at[step] = at
	if a.also != nil {
		a.also(step, at)
	}
}

func (a *acknowledgements) copy() map[storagetest.Step]storage.Cursor {
	a.mu.Lock()
	defer a.mu.Unlock()
	return maps.Clone(a.at)
}

func (a *acknowledgements) set(at map[storagetest.Step]storage.Cursor) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.at = at
}

func (a *acknowledgements) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.at)
}

// work runs writers until ctx ends or a step fails, and notes what is acknowledged.
func work(ctx context.Context, store storage.Store, writers []int, acks *acknowledgements) *sync.WaitGroup {
	var wg sync.WaitGroup
	for _, w := range writers {
		wg.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				step := storagetest.Step{Writer: w, Number: n}
				at, err := step.Do(ctx, store)
				if err != nil {
					return
				}
				acks.add(step, at)
			}
		})
	}
	return &wg
}

// waitFor returns when enough steps are acknowledged.
func waitFor(t *testing.T, acks *acknowledgements, enough int) {
	t.Helper()
	for end := time.Now().Add(patience); acks.count() < enough; time.Sleep(100 * time.Microsecond) {
		if time.Now().After(end) {
			t.Fatalf("%d commits, want %d within %s", acks.count(), enough, patience)
		}
	}
}

// crash works on the store in fs until enough is acknowledged, and returns what a power failure in
// the midst of it leaves, with what had been acknowledged by then.
func crash(t *testing.T, fs *vfs.MemFS, second string, random *rand.Rand, acks *acknowledgements, writers ...int) *vfs.MemFS {
	t.Helper()
	s := open(t, crashDir, randomOptions(random, fs, second))
	ctx, cancel := context.WithCancel(context.Background())
	wg := work(ctx, s, writers, acks)
	waitFor(t, acks, acks.count()+random.IntN(150))
	before := acks.copy()
	clone := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: []int{0, 50, 100}[random.IntN(3)], RNG: random})
	cancel()
	wg.Wait()
	if err := s.Close(); err != nil {
		t.Errorf("Close() = %v", err)
	}
	acks.set(before)
	return clone
}

// randomOptions returns options under which the engine flushes, compacts and rotates its logs at other
// moments: what holds under one set of options by luck does not under another.
func randomOptions(random *rand.Rand, fs vfs.FS, second string) pebble.Options {
	o := pebble.Options{FS: fs, FailoverDir: second}
	if random.IntN(3) == 0 {
		return o
	}
	memTable, limit := 64<<10<<random.IntN(8), 2+random.IntN(4)
	l0, syncBytes, blockSize := 1+random.IntN(4), random.IntN(2)*(8<<10<<random.IntN(4)), 512<<random.IntN(7)
	target, cache, versioned := int64(32<<10<<random.IntN(6)), int64(random.IntN(2)*mega), random.IntN(2) == 0
	o.CacheBytes = cache
	return o.Tuned(func(e *engine.Options) {
		e.MemTableSize, e.MemTableStopWritesThreshold = uint64(memTable), limit
		e.L0CompactionThreshold, e.L0StopWritesThreshold = l0, 4*l0+8
		e.WALBytesPerSync, e.BytesPerSync = syncBytes, 4<<10+syncBytes
		e.Levels[0].BlockSize, e.TargetFileSizes[0] = blockSize, target
		if versioned {
			e.FormatMajorVersion = engine.FormatNewest
		}
		e.Experimental.EnableColumnarBlocks = func() bool { return !versioned }
	})
}

// What was acknowledged outlives any crash with its blobs, and what was in flight is there wholly
// or not at all; a second crash changes nothing about that.
func TestPowerFailureLosesNothingAcknowledged(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	seeds := 40
	if n, err := strconv.Atoi(os.Getenv(crashesVariable)); err == nil {
		seeds = n
	} else if testing.Short() {
		seeds = 10
	}
	for seed := range seeds {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(uint64(seed), 1))
			second := []string{"", "", "/srv/livery/second"}[seed%3] // for the write-ahead log
			acks := newAcknowledgements()
			fs := crash(t, vfs.NewCrashableMem(), second, random, acks, 1, 2, 3, 4, 5, 6)
			s := open(t, crashDir, pebble.Options{FS: fs, FailoverDir: second})
			storagetest.Verify(t, s, acks.copy())
			if err := s.Close(); err != nil {
				t.Fatalf("Close() = %v", err)
			}
			fs = crash(t, fs, second, random, acks, 11, 12, 13)
			storagetest.Verify(t, open(t, crashDir, pebble.Options{FS: fs, FailoverDir: second}), acks.copy())
		})
	}
}

// A cursor taken after a commit that a crash undid must not be continued with whatever commit
// gets its number next.
func TestACursorOfALostTailIsDiverged(t *testing.T) {
	t.Parallel()
	fs := vfs.NewCrashableMem()
	s := open(t, crashDir, pebble.Options{FS: fs})
	kept, err := s.Update(context.Background(), "e", set("K", "1"))
	if err != nil {
		t.Fatalf("Update() = %v", err)
	}
	restored := fs.CrashClone(vfs.CrashCloneCfg{})
	lost, err := s.Update(context.Background(), "e", set("K", "2"))
	if err != nil {
		t.Fatalf("Update() = %v", err)
	}
	again := open(t, crashDir, pebble.Options{FS: restored})
	if again.ID() != s.ID() {
		t.Errorf("ID() = %s after a restart, want %s", again.ID(), s.ID())
	}
	check := func() {
		t.Helper()
		if _, err := again.Changes(context.Background(), lost, 10); !isDiverged(err) {
			t.Errorf("Changes(%s) = %v, want ErrDiverged", lost, err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := again.Wait(ctx, lost); !isDiverged(err) {
			t.Errorf("Wait(%s) = %v, want ErrDiverged", lost, err)
		}
	}
	check()
	next, err := again.Update(context.Background(), "e", set("K", "3"))
	if err != nil || next.Seq != lost.Seq {
		t.Fatalf("Update() = %s, %v, want the number of %s", next, err, lost)
	}
	check()
	if got, err := again.Changes(context.Background(), kept, 10); err != nil || len(got) != 1 || got[0].Cursor != next {
		t.Errorf("Changes(%s) = %v, %v, want %s", kept, got, err, next)
	}
}

func TestTrimOutlivesARestart(t *testing.T) {
	t.Parallel()
	fs := vfs.NewCrashableMem()
	s := open(t, crashDir, pebble.Options{FS: fs})
	var last storage.Cursor
	for i := range 5 {
		at, err := s.Update(context.Background(), "e", set("K", fmt.Sprint(i)))
		if err != nil {
			t.Fatalf("Update() = %v", err)
		}
		last = at
	}
	if err := s.Trim(context.Background(), 5); err != nil {
		t.Fatalf("Trim() = %v", err)
	}
	again := open(t, crashDir, pebble.Options{FS: fs.CrashClone(vfs.CrashCloneCfg{})})
	if _, err := again.Changes(context.Background(), storage.Cursor{}, 1); !isTrimmed(err) {
		t.Errorf("Changes(0) = %v, want ErrTrimmed", err)
	}
	next, err := again.Update(context.Background(), "e", set("K", "next"))
	if err != nil || next.Seq != 6 {
		t.Errorf("Update() = %s, %v, want number 6", next, err)
	}
	if got, err := again.Changes(context.Background(), last, 10); err != nil || len(got) != 1 || got[0].Cursor != next {
		t.Errorf("Changes(%s) = %v, %v, want %s", last, got, err, next)
	}
}
