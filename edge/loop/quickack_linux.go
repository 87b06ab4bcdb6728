package loop

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// AckNow has the kernel acknowledge at once what has come on a TCP connection, beneath what wraps it. A client
// that collects small segments (RFC 9293 section 3.7.4) waits for that before it sends the next one, and the kernel
// leaves it waiting for 40 ms if the server has nothing to send, as between a TLS handshake and the first request.
func AckNow(c net.Conn) {
	for above, ok := c.(interface{ NetConn() net.Conn }); ok; above, ok = c.(interface{ NetConn() net.Conn }) {
		c = above.NetConn()
	}
	socket, ok := c.(syscall.Conn)
	if !ok {
		return
	}
	if raw, err := socket.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_QUICKACK, 1) })
	}
}
