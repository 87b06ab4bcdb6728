//go:build unix

package diskcache

import "syscall"

// freeBytes returns how many bytes the file system of a directory has left.
func freeBytes(dir string) int64 {
	var stat syscall.Statfs_t
	if syscall.Statfs(dir, &stat) != nil {
		return 1 << 40
	}
	return int64(stat.Bavail) * int64(stat.Bsize)
}
