//go:build linux && (amd64 || arm64)

package loop

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// sender is what sending for a thread's connections takes. It is for one goroutine at a time.
type sender struct {
	thread  *thread
	out     []byte        // what a connection has to send
	sealed  []byte        // the same, encrypted
	pieces  [2]unix.Iovec // of what is sent
	message unix.Msghdr
}

// begin makes w ready for connections of t.
func (w *sender) begin(t *thread) {
	w.thread, w.out = t, make([]byte, 0, outBytes)
	w.message.Iov = &w.pieces[0]
}

// flush sends what is collected, and body behind it, in one call. What the socket does not take is
// kept until it does.
func (w *sender) flush(c *conn, body []byte) {
	out := w.out
	w.out = w.out[:0]
	if c.failed || len(out) == 0 {
		return
	}
	if c.tls != nil {
		c.tls.flush(out, body)
		return
	}
	flags := unix.MSG_NOSIGNAL
	if c.closing {
		flags |= unix.MSG_MORE // the end follows at once, and goes out with the last of it
	}
	n, err := w.send(c.fd, out, body, flags)
	switch {
	case err != 0 && !passing(err):
		c.failed = true
	case n < len(out):
		c.block(out[n:], body)
	case n < len(out)+len(body):
		c.block(nil, body[n-len(out):])
	}
}

// block keeps what is to be sent when the socket takes more.
func (c *conn) block(out, body []byte) {
	c.blocked = true
	c.unsent, c.sent, c.body = append(c.unsent[:0], out...), 0, body
}

// resume sends more of what c keeps, and goes on with its requests after the last of it.
func (t *thread) resume(c *conn) {
	body := c.body
	if c.tls != nil {
		body = nil // to be encrypted
	}
	n, err := t.send(c.fd, c.unsent[c.sent:], body, unix.MSG_NOSIGNAL)
	if passing(err) {
		return
	}
	if err != 0 {
		t.end(c)
		return
	}
	whole := min(n, len(c.unsent)-c.sent)
	c.sent += whole
	c.body = c.body[n-whole:]
	if c.sent < len(c.unsent) || len(body) > n-whole {
		return
	}
	body = c.body
	c.blocked, c.unsent, c.sent, c.body = false, nil, 0, nil
	if len(body) > 0 {
		c.tls.flush(nil, body)
	}
	t.goOn(c)
}

// send sends first and second, of which either may be empty, and returns how much the socket took.
func (w *sender) send(fd int, first, second []byte, flags int) (int, syscall.Errno) {
	switch {
	case len(second) == 0:
		return transmit(fd, first, flags)
	case len(first) == 0:
		return transmit(fd, second, flags)
	}
	w.pieces = [2]unix.Iovec{{Base: &first[0], Len: uint64(len(first))}, {Base: &second[0], Len: uint64(len(second))}}
	w.message.Iovlen = 2
	n, _, err := unix.RawSyscall(unix.SYS_SENDMSG, uintptr(fd), uintptr(unsafe.Pointer(&w.message)), uintptr(flags))
	w.pieces = [2]unix.Iovec{}
	return length(n, err), err
}

// transmit sends b, which is not empty, without waiting.
func transmit(fd int, b []byte, flags int) (int, syscall.Errno) {
	n, _, err := unix.RawSyscall6(unix.SYS_SENDTO, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), uintptr(flags), 0, 0)
	return length(n, err), err
}

// receive receives into b, which is not empty, without waiting. Nothing without an error is the end.
func receive(fd int, b []byte) (int, syscall.Errno) {
	n, _, err := unix.RawSyscall6(unix.SYS_RECVFROM, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), 0, 0, 0)
	return length(n, err), err
}

func length(n uintptr, err syscall.Errno) int {
	if err != 0 {
		return 0
	}
	return int(n)
}
