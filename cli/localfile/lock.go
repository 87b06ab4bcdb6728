package localfile

import (
	"errors"
	"io"
	"os"

	"github.com/gofrs/flock"
)

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
