package localfile

import "os"

// IsOwn reports whether path is a regular file, not a link to one.
func IsOwn(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}
