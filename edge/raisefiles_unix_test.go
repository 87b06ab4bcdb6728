//go:build unix

package edge_test

import (
	"syscall"
	"testing"
)

// raiseFiles lets this process and its children have so many files open, or skips.
func raiseFiles(t *testing.T, wanted int) {
	t.Helper()
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if limit.Cur >= uint64(wanted) {
		return
	}
	raised := limit
	raised.Cur, raised.Max = uint64(wanted), max(limit.Max, uint64(wanted))
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &raised); err != nil {
		t.Skipf("%d open files are needed, %d are allowed, and this user may not raise that (%v)", wanted, limit.Max, err)
	}
}
