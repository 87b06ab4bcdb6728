package pebble

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"example.com/livery/storage"
)

// resolvePaths settles which file system and directory are meant. The directory is spelled in one way,
// because the engine tells two Stores of one process apart by its name.
func (s *Store) resolvePaths() error {
	if s.fs == nil && s.dir == "" {
		s.fs = vfs.NewMem()
		s.opts.FS = s.fs
	}
	if s.dir == "" {
		s.dir = "livery"
	}
	onDisk := s.fs == nil
	if onDisk {
		s.fs = vfs.Default
		if s.opts.HangAfter == 0 {
			s.opts.HangAfter = defaultHangAfter
		}
	}
	for _, dir := range []*string{&s.dir, &s.opts.FailoverDir} {
		if *dir == "" {
			continue
		}
		if err := makeDir(s.fs, *dir); err != nil {
			return fmt.Errorf("pebble: make %s: %w", *dir, err)
		}
		if !onDisk {
			continue
		}
		if err := resolve(dir); err != nil {
			return err
		}
	}
	return nil
}

// resolve spells a directory in the one way that follows from no link and no working directory.
func resolve(dir *string) error {
	at, err := filepath.Abs(*dir)
	if err == nil {
		at, err = filepath.EvalSymlinks(at)
	}
	if err != nil {
		return fmt.Errorf("pebble: find %s: %w", *dir, err)
	}
	*dir = at
	return nil
}

// makeDir makes a directory that only its owner may read, and syncs the parent of each directory it
// made, so that none of them is lost with the power.
func makeDir(fs vfs.FS, dir string) error {
	var made []string
	for at := dir; ; at = fs.PathDir(at) {
		if _, err := fs.Stat(at); err == nil || at == fs.PathDir(at) {
			break
		}
		made = append(made, at)
	}
	if err := fs.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for _, at := range made {
		if err := syncDir(fs, fs.PathDir(at)); err != nil {
			return err
		}
	}
	return nil
}

func syncDir(fs vfs.FS, dir string) error {
	f, err := fs.OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// lockDirectory takes the directory for this Store.
func lockDirectory(fs vfs.FS, dir string) (*pebble.Lock, error) {
	lock, err := pebble.LockDirectory(dir, fs)
	if err == nil {
		return lock, nil
	}
	var opening *os.PathError // the lock file could not even be opened
	locked := errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES) && !errors.As(err, &opening) ||
		strings.Contains(err.Error(), "lock held by current process")
	if locked {
		return nil, fmt.Errorf("pebble: %w: stop the one that has %s open, or choose another directory", storage.ErrLocked, dir)
	}
	return nil, fmt.Errorf("pebble: lock %s: %w", dir, err)
}
