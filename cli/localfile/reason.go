package localfile

import (
	"errors"
	"os"
)

// Reason is what an error of the file system says without the operation and the path.
func Reason(err error) string {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}
