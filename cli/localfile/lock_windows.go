package localfile

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// errorSharingViolation is what Windows answers where another process has a file open for itself alone.
const errorSharingViolation syscall.Errno = 32

// Lock makes a file and opens it for this process alone, until it is closed or the process ends. It
// returns ErrInUse if another process has it open.
func Lock(path string) (io.Closer, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	const alone = 0
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, alone, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, errorSharingViolation) {
		return nil, ErrInUse
	}
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}
