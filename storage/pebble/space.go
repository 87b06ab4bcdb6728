package pebble

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"

	"example.com/livery/storage"
)

// ballastName is the file that keeps room on the disk for the worst case.
const ballastName = "livery-ballast"

// space refuses writes while the disk can still take what the engine has accepted: its flushes and
// compactions block or fail on a full one. Where somebody else fills the disk between the check and
// the flush, the ballast is given up, which lets the engine finish; writes are refused from then on
// until there is room for the ballast again. Its methods may be called concurrently.
type space struct {
	fs    vfs.FS // beneath the engine's, so that giving up the ballast does not wait for itself
	dir   string
	floor int64 // bytes kept back; negative means no check
	size  int64 // bytes of the ballast; 0 means none
	log   *slog.Logger

	mu    sync.Mutex // guards below
	spent bool       // the ballast is not there
}

// newSpace makes the ballast where there is room for it. A file system that cannot say how full it
// is has no check.
func newSpace(fs vfs.FS, dir string, o Options) (*space, error) {
	s := &space{fs: fs, dir: dir, floor: o.MinFreeBytes, size: o.BallastBytes, log: o.Logger}
	_, err := fs.GetDiskUsage(dir)
	if errors.Is(err, vfs.ErrUnsupported) {
		s.floor = -1
	}
	if s.floor < 0 || s.size < 0 {
		s.size = 0
	}
	if s.size == 0 {
		return s, nil
	}
	if info, err := fs.Stat(s.path()); err == nil && info.Size() == s.size {
		return s, nil
	}
	s.spent = true
	if err := s.check(0); err != nil && !errors.Is(err, storage.ErrNoSpace) {
		return nil, err
	}
	return s, nil
}

func (s *space) path() string { return s.fs.PathJoin(s.dir, ballastName) }

// check returns storage.ErrNoSpace where writing need bytes could take the disk below the floor, or
// where the ballast was given up and there is no room to make it again.
func (s *space) check(need int) error {
	if s.floor < 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	usage, err := s.fs.GetDiskUsage(s.dir)
	if err != nil {
		return fmt.Errorf("pebble: free space of %s: %w: %w", s.dir, storage.ErrUnavailable, err)
	}
	keep := uint64(s.floor)
	if s.spent {
		keep += uint64(s.size)
	}
	if usage.AvailBytes < keep+uint64(need) {
		return fmt.Errorf("pebble: %d bytes are free in %s and %d are kept back: %w: free some space, writing then resumes by itself",
			usage.AvailBytes, s.dir, keep, storage.ErrNoSpace)
	}
	if s.spent {
		s.restore()
	}
	return nil
}

// restore makes the ballast again. Where that fails it stays spent, and the next check tries again:
// the room for it is there, so that writing is safe meanwhile.
func (s *space) restore() {
	if err := makeBallast(s.fs, s.path(), s.size); err != nil {
		_ = s.fs.Remove(s.path()) // half a ballast only takes room
		s.log.Warn("storage: no ballast file", "file", s.path(), "error", err)
		return
	}
	s.spent = false
}

// giveUp removes the ballast. The engine calls it when a write found the disk full, holds its other
// writes back meanwhile, and tries the write once more afterwards.
func (s *space) giveUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.size == 0 || s.spent {
		return
	}
	s.spent = true
	err := s.fs.Remove(s.path())
	s.log.Error("storage: the disk is full; the ballast file is given up and writes are refused until there is space", "file", s.path(), "error", err)
}

// makeBallast makes a file of size bytes that really has them: a length alone keeps nothing free.
func makeBallast(fs vfs.FS, path string, size int64) error {
	f, err := fs.OpenReadWrite(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	if runtime.GOOS == "linux" && f.Preallocate(0, size) == nil {
		_, err = f.WriteAt([]byte{0}, size-1)
	} else {
		err = writeZeros(f, size)
	}
	return errors.Join(err, f.Close())
}

func writeZeros(w io.Writer, size int64) error {
	const step = 1 << 20
	for zeros := make([]byte, step); size > 0; size -= step {
		if _, err := w.Write(zeros[:min(step, size)]); err != nil {
			return err
		}
	}
	return nil
}
