package localfile

import (
	"errors"
	"io/fs"
	"os"
)

// IsMissing reports whether nothing is there.
func IsMissing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}
