//go:build linux && (amd64 || arm64)

package watchdog

import (
	"syscall"
	"time"
	"unsafe"
)

// killTimer is a timer of the kernel that kills this process when it runs out: unlike a goroutine it
// does not depend on the program it watches. It is for one goroutine. Nil does nothing.
type killTimer struct{ id int32 }

const clockMonotonic = 1

// sigevent is what timer_create(2) takes: value (8), signal (4), how to notify (4), padding.
type sigevent struct {
	value  uint64
	signal int32
	notify int32 // 0: by the signal
	_      [48]byte
}

// itimerspec is what timer_settime(2) takes.
type itimerspec struct{ interval, value syscall.Timespec }

func newKillTimer() (*killTimer, error) {
	t, how := &killTimer{}, sigevent{signal: int32(syscall.SIGKILL)}
	_, _, errno := syscall.RawSyscall(syscall.SYS_TIMER_CREATE, clockMonotonic, uintptr(unsafe.Pointer(&how)), uintptr(unsafe.Pointer(&t.id)))
	if errno != 0 {
		return nil, errno
	}
	return t, nil
}

// set makes the timer run out after d.
func (t *killTimer) set(d time.Duration) {
	if t == nil {
		return
	}
	to := itimerspec{value: syscall.NsecToTimespec(int64(d))}
	_, _, _ = syscall.RawSyscall6(syscall.SYS_TIMER_SETTIME, uintptr(t.id), 0, uintptr(unsafe.Pointer(&to)), 0, 0, 0)
}

func (t *killTimer) close() {
	if t != nil {
		_, _, _ = syscall.RawSyscall(syscall.SYS_TIMER_DELETE, uintptr(t.id), 0, 0)
	}
}
