//go:build linux || darwin || freebsd || netbsd || openbsd

package wasm

import "syscall"

// reserve returns address space that may not be touched yet, or nil.
func reserve(size uint64) []byte {
	space, err := syscall.Mmap(-1, 0, int(size), syscall.PROT_NONE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		return nil
	}
	return space
}

// allow makes part of reserved space, whole pages, usable; the system gives memory as it is touched.
func allow(part []byte) bool {
	return syscall.Mprotect(part, syscall.PROT_READ|syscall.PROT_WRITE) == nil
}

// release gives reserved space back.
func release(space []byte) {
	_ = syscall.Munmap(space) // fails only for space that was not reserved
}
