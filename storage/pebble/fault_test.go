package pebble_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
	"example.com/livery/storage/record"
)

func isDiverged(err error) bool { return errors.Is(err, storage.ErrDiverged) }
func isTrimmed(err error) bool  { return errors.Is(err, storage.ErrTrimmed) }

// walSync tells the sync of a write-ahead log.
func walSync(op errorfs.Op) bool {
	return strings.HasSuffix(op.Path, ".log") &&
		(op.Kind == errorfs.OpFileSync || op.Kind == errorfs.OpFileSyncData || op.Kind == errorfs.OpFileSyncTo)
}

func TestAFailedSyncEndsTheStore(t *testing.T) {
	t.Parallel()
	mem := vfs.NewCrashableMem()
	var broken atomic.Bool
	inject := errorfs.InjectorFunc(func(op errorfs.Op) error {
		if broken.Load() && walSync(op) {
			return errorfs.ErrInjected
		}
		return nil
	})
	var fatal atomic.Int64
	s := open(t, crashDir, pebble.Options{FS: newFaulty(mem, inject), Fatal: func(error) { fatal.Add(1) }})
	kept, err := s.Update(context.Background(), "e", set("K", "1"))
	if err != nil {
		t.Fatalf("Update() = %v", err)
	}
	waiting := make(chan error, 1)
	go func() { waiting <- s.Wait(context.Background(), kept) }()
	broken.Store(true)
	if _, err := s.Update(context.Background(), "e", set("K", "2")); !errors.Is(err, errorfs.ErrInjected) {
		t.Errorf("Update() whose sync failed = %v, want %v", err, errorfs.ErrInjected)
	}
	if err := result(t, waiting); !errors.Is(err, storage.ErrUnavailable) {
		t.Errorf("Wait() = %v, want ErrUnavailable", err)
	}
	broken.Store(false)
	refused := map[string]error{
		"View": s.View(context.Background(), func(storage.Reader) error { return nil }),
	}
	_, refused["Update"] = s.Update(context.Background(), "e", set("K", "3"))
	_, refused["Changes"] = s.Changes(context.Background(), kept, 1)
	_, refused["PutBlob"] = s.PutBlob(context.Background(), []byte("blob"))
	for name, err := range refused {
		if !errors.Is(err, storage.ErrUnavailable) {
			t.Errorf("%s() after a failed sync = %v, want ErrUnavailable", name, err)
		}
	}
	if fatal.Load() != 1 {
		t.Errorf("Fatal was called %d times, want once", fatal.Load())
	}
	again := open(t, crashDir, pebble.Options{FS: mem.CrashClone(vfs.CrashCloneCfg{})})
	if got, err := again.Changes(context.Background(), storage.Cursor{}, 10); err != nil || len(got) != 1 || got[0].Cursor != kept {
		t.Errorf("Changes() after the restart = %v, %v, want %s", got, err, kept)
	}
}

func TestAFullDiskIsRefusedBeforeAnythingIsWritten(t *testing.T) {
	t.Parallel()
	mem := vfs.NewMem()
	free := func(bytes uint64) { mem.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: bytes, TotalBytes: 1 << 40}) }
	free(1 << 30)
	s := open(t, "data", pebble.Options{FS: mem, MinFreeBytes: 1 << 20})
	if _, err := s.Update(context.Background(), "e", set("K", "1")); err != nil {
		t.Fatalf("Update() = %v", err)
	}
	blob := bytes.Repeat([]byte{1, 2, 3}, 100)
	for _, left := range []uint64{0, 1<<20 - 1, 1 << 20} {
		free(left)
		if _, err := s.Update(context.Background(), "e", set("K", "2")); !errors.Is(err, storage.ErrNoSpace) {
			t.Errorf("Update() with %d bytes free = %v, want ErrNoSpace", left, err)
		}
		if _, err := s.PutBlob(context.Background(), blob); !errors.Is(err, storage.ErrNoSpace) {
			t.Errorf("PutBlob() with %d bytes free = %v, want ErrNoSpace", left, err)
		}
	}
	if got, err := s.Changes(context.Background(), storage.Cursor{}, 10); err != nil || len(got) != 1 {
		t.Errorf("Changes() on a full disk = %v, %v, want one", got, err)
	}
	if _, err := s.Blob(context.Background(), record.HashOf(blob)); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("Blob() = %v, want ErrNotFound", err)
	}
	free(1 << 30)
	if at, err := s.Update(context.Background(), "e", set("K", "2")); err != nil || at.Seq != 2 {
		t.Errorf("Update() with space again = %s, %v, want number 2", at, err)
	}
}
