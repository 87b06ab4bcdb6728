package admission

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

// DiskSpace refuses writes while the disk can still take what the engine has accepted. A write takes its
// bytes twice, in the log and later in a table, and several are under way at once. If another program
// fills the disk between the look at it and the flush, the ballast is given up, which lets the engine
// finish; writes are refused from then on until there is room for the ballast again. Its methods may be
// called concurrently.
type DiskSpace struct {
	fs    vfs.FS // beneath the engine's, so that giving up the ballast does not wait for itself
	dir   string
	floor int64 // bytes that writes leave free; negative means no check
	size  int64 // bytes of the ballast; 0 means none
	log   *slog.Logger

	mu       sync.Mutex // guards below
	spent    bool       // the ballast is not there
	inFlight int        // bytes that writes let in may still take
}

// NewDiskSpace makes the ballast in dir if there is room for it. floor is the bytes that writes leave free, negative for no
// check; ballast is the size of the file, zero or less for none. A file system that cannot say how full it is has no check.
func NewDiskSpace(fs vfs.FS, dir string, floor, ballast int64, log *slog.Logger) (*DiskSpace, error) {
	s := &DiskSpace{fs: fs, dir: dir, floor: floor, size: ballast, log: log}
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
	if err := s.take(0, false); err != nil && !errors.Is(err, storage.ErrNoSpace) {
		return nil, err
	}
	return s, nil
}

func (s *DiskSpace) path() string { return s.fs.PathJoin(s.dir, ballastName) }

// take keeps room for a write of cost bytes, until release, and returns storage.ErrNoSpace if it
// could take the disk below the floor, or if the ballast was given up and too little room is left to make
// it again. A write that frees space may use half of the floor.
func (s *DiskSpace) take(cost int, frees bool) error {
	if s.floor < 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	usage, err := s.fs.GetDiskUsage(s.dir)
	if err != nil {
		return fmt.Errorf("pebble: free space of %s: %w: %w", s.dir, storage.ErrUnavailable, err)
	}
	keep := s.reserve(frees)
	if usage.AvailBytes < keep+uint64(s.inFlight)+2*uint64(cost) {
		return fmt.Errorf("pebble: %d bytes are free in %s and %d are reserved: %w: free some space, writing then resumes by itself",
			usage.AvailBytes, s.dir, keep, storage.ErrNoSpace)
	}
	if s.spent && !frees {
		s.restore()
	}
	s.inFlight += cost
	return nil
}

// reserve returns how much of the disk a write must leave; mu is locked.
func (s *DiskSpace) reserve(frees bool) uint64 {
	switch {
	case frees:
		return uint64(s.floor) / 2
	case s.spent:
		return uint64(s.floor + s.size)
	}
	return uint64(s.floor)
}

func (s *DiskSpace) release(cost int) {
	if s.floor < 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inFlight -= cost
}

// has reports whether so many bytes are free, as far as is known.
func (s *DiskSpace) has(bytes uint64) bool {
	usage, err := s.fs.GetDiskUsage(s.dir)
	return err != nil || usage.AvailBytes >= bytes
}

// restore makes the ballast again. If that fails it stays spent, and the next check tries again:
// the room for it is there, so that writing is safe meanwhile.
func (s *DiskSpace) restore() {
	if err := makeBallast(s.fs, s.path(), s.size); err != nil {
		_ = s.fs.Remove(s.path()) // half a ballast only takes room
		s.log.Warn("storage: no ballast file", "file", s.path(), "error", err)
		return
	}
	s.spent = false
}

// GiveUpBallast removes the ballast. The engine calls it when a write found the disk full, holds its other
// writes back meanwhile, and tries the write once more afterwards.
func (s *DiskSpace) GiveUpBallast() {
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
