package operator

import (
	"net"
	"syscall"
)

// credentials returns the user and the process that made the connection (SO_PEERCRED, unix(7)).
func credentials(c net.Conn) (uid, pid int, ok bool) {
	unix, ok := c.(*net.UnixConn)
	if !ok {
		return 0, 0, false
	}
	raw, err := unix.SyscallConn()
	if err != nil {
		return 0, 0, false
	}
	var cred *syscall.Ucred
	if e := raw.Control(func(fd uintptr) {
		cred, err = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	}); e != nil || err != nil {
		return 0, 0, false
	}
	return int(cred.Uid), int(cred.Pid), true
}
