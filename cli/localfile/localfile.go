// Package localfile writes files as a whole, locks them, and says why one cannot be used.
package localfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// Write writes a file so that a reader sees the old content or the whole new one.
func Write(path string, content []byte, mode os.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(content)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// IsMissing reports whether nothing is there.
func IsMissing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// Reason is what an error of the file system says without the operation and the path.
func Reason(err error) string {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}

// LockName is the file in a data directory that its server keeps locked.
const LockName = "lock"

// ErrInUse says that another process holds a lock.
var ErrInUse = errors.New("in use by another process")

// IsLocked reports whether a process has a file locked. It does not create the file.
func IsLocked(path string) bool {
	lock := flock.New(path, flock.SetFlag(os.O_RDONLY))
	locked, err := lock.TryRLock()
	_ = lock.Close()
	return err == nil && !locked
}

// Lock makes a file and locks it until it is closed or the process ends. It returns ErrInUse if another
// process has it locked.
func Lock(path string) (io.Closer, error) {
	lock := flock.New(path, flock.SetPermissions(0o600))
	locked, err := lock.TryLock()
	if err == nil && !locked {
		err = ErrInUse
	}
	if err != nil {
		return nil, err
	}
	return lock, nil
}
