package process

import "syscall"

// prSetDumpable is PR_SET_DUMPABLE of prctl(2).
const prSetDumpable = 4

// keepMemoryPrivate lets no crash write this process's memory anywhere, and lets only root look into
// it: it holds secrets. A core limit of zero does not stop a core that is piped to a program, which
// the second call does.
func keepMemoryPrivate() {
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, prSetDumpable, 0, 0)
}
