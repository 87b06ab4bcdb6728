//go:build unix

package process

import "syscall"

// descriptorLimit returns how many file descriptors the process may have open.
func descriptorLimit() int {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return mostDescriptors
	}
	return int(min(uint64(l.Cur), mostDescriptors))
}
