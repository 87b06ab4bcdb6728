//go:build unix && !linux

package process

import "syscall"

// keepMemoryPrivate lets no crash write this process's memory to a file: it holds secrets.
func keepMemoryPrivate() { _ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}) }
