package pebble_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
)

// endVariable makes the test binary a child process that opens a store and comes to an end by
// itself; its value is how and in which directory.
const endVariable = "LIVERY_TEST_END"

// runEnd is that child. It returns if it did not end as it should.
func runEnd(spec string) int {
	how, dir, _ := strings.Cut(spec, ":")
	var bad atomic.Bool
	opts := pebble.Options{Logger: quiet, MinFreeBytes: -1, HangAfter: 5 * time.Second}
	switch how {
	case "sync":
		opts.FS = newFaulty(vfs.Default, errorfs.InjectorFunc(func(op errorfs.Op) error {
			if bad.Load() && walSync(op) {
				return errorfs.ErrInjected
			}
			return nil
		}))
	case "hang":
		opts.FS = &disk{FS: vfs.Default, before: func() {
			for bad.Load() {
				time.Sleep(time.Hour)
			}
		}}
	}
	s, err := pebble.Open(dir, opts)
	if err != nil {
		fmt.Println(err)
		return 3
	}
	at, err := s.Update(context.Background(), "e", set("K", "1"))
	fmt.Println("acknowledged", at, err)
	bad.Store(true)
	if how == "stop" {
		var begun atomic.Bool
		go func() {
			begun.Store(true)
			for odd := uint64(1); odd != 0; odd += 2 { // without a call nothing can interrupt it: the program stops with the next collection
			}
		}()
		for !begun.Load() {
			runtime.Gosched()
		}
		runtime.GC()
	}
	at, err = s.Update(context.Background(), "e", set("K", "2"))
	fmt.Println("acknowledged", at, err)
	return 4
}

// A process whose store cannot make a commit durable ends by itself: with its own words if a sync
// fails or hangs, and by the kernel's alarm if the whole program stands still. What was
// acknowledged before is there afterwards, and nothing else is acknowledged.
func TestAProcessThatCannotCommitEnds(t *testing.T) {
	t.Parallel()
	for how, status := range map[string]string{"sync": "exit status 1", "hang": "exit status 1", "stop": "signal: killed"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			if how == "stop" && (runtime.GOOS != "linux" || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64") {
				t.Skip("SKIPPED: this system's kernel gives no alarm")
			}
			dir := t.TempDir()
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			cmd := exec.CommandContext(ctx, os.Args[0])
			cmd.Env = append(os.Environ(), endVariable+"="+how+":"+dir, "GODEBUG=asyncpreemptoff=1")
			out, err := cmd.Output()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.String() != status || ctx.Err() != nil {
				t.Errorf("the child ended with %v, want %s\n%s", err, status, out)
			}
			if got := strings.Count(string(out), "acknowledged"); got != 1 || !strings.Contains(string(out), "<nil>") {
				t.Errorf("the child said %q, want one acknowledged commit", out)
			}
			s := open(t, dir, pebble.Options{MinFreeBytes: -1})
			if got, err := s.Changes(context.Background(), storage.Cursor{}, 10); err != nil || len(got) < 1 {
				t.Errorf("Changes() afterwards = %v, %v, want what was acknowledged", got, err)
			}
		})
	}
}

// A store that is idle is watched by a commit of its own, which is not a change.
func TestAnIdleStoreIsWatched(t *testing.T) {
	t.Parallel()
	d := &disk{FS: vfs.NewMem()}
	s := open(t, "data", pebble.Options{FS: d, HangAfter: patience}.Watched(time.Millisecond))
	before := d.syncs.Load()
	for end := time.Now().Add(patience); d.syncs.Load() < before+3; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("no canary was synced")
		}
	}
	if got, err := s.Changes(context.Background(), storage.Cursor{}, 10); err != nil || len(got) != 0 {
		t.Errorf("Changes() = %v, %v, want none", got, err)
	}
}

func TestAHungCommitEndsTheStore(t *testing.T) {
	t.Parallel()
	var shut atomic.Bool
	gate := make(chan struct{})
	d := &disk{FS: vfs.NewMem(), before: func() {
		if shut.Load() {
			<-gate
		}
	}}
	fatal := make(chan error, 1)
	s := open(t, "data", pebble.Options{FS: d, HangAfter: 500 * time.Millisecond, Fatal: func(err error) { fatal <- err }}.Watched(time.Millisecond))
	shut.Store(true)
	done := make(chan error, 1)
	go func() {
		_, err := s.Update(context.Background(), "e", set("K", "1"))
		done <- err
	}()
	if err := result(t, fatal); !errors.Is(err, storage.ErrUnavailable) || !strings.Contains(err.Error(), "hangs") {
		t.Errorf("Fatal(%v), want ErrUnavailable and the hang", err)
	}
	if err := s.View(context.Background(), func(storage.Reader) error { return nil }); !errors.Is(err, storage.ErrUnavailable) {
		t.Errorf("View() = %v, want ErrUnavailable", err)
	}
	close(gate)
	_ = result(t, done)
}
