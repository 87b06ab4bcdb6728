//go:build unix

package localfile

import (
	"os"
	"syscall"
)

// IsOwn reports whether path is a regular file, not a link to one, that belongs to this user and that nobody else may
// read or write.
func IsOwn(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0 {
		return false
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(owner.Uid) == os.Geteuid()
}
