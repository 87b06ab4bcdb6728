package postgres

import (
	"net"
	"syscall"
	"time"
)

// userTimeout is TCP_USER_TIMEOUT: how long what was sent may stay unacknowledged.
const userTimeout = 0x12

// newDialer returns a Dialer whose connections end if the other machine has gone without a word: the
// system alone would wait for a quarter of an hour.
func newDialer() *net.Dialer {
	d := &net.Dialer{KeepAliveConfig: silence}
	d.Control = func(_, _ string, c syscall.RawConn) error {
		var failed error
		err := c.Control(func(fd uintptr) {
			failed = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, userTimeout, int(silentFor/time.Millisecond))
		})
		if err != nil {
			return err
		}
		if failed == syscall.EOPNOTSUPP || failed == syscall.ENOPROTOOPT { // a Unix socket
			return nil
		}
		return failed
	}
	return d
}
