package localfile

import (
	"errors"
	"io"

	"github.com/gofrs/flock"
)

// ErrInUse says that another process holds a lock.
var ErrInUse = errors.New("in use by another process")

// IsLocked reports whether a process has a file locked.
func IsLocked(path string) bool {
	lock, err := Lock(path)
	if err == nil {
		_ = lock.Close()
	}
	return errors.Is(err, ErrInUse)
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
