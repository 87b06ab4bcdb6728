//go:build linux && (amd64 || arm64)

package loop

import (
	"bytes"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// tlsConn is the TLS of a connection of a thread. crypto/tls encrypts and decrypts; what it takes for the socket is a
// tlsConn. In a thread's turn that is the thread's memory: a read that finds no more there fails with errWouldBlock,
// which crypto/tls takes for passing, and a write always succeeds. During the handshake it is the socket.
type tlsConn struct {
	*tls.Conn
	sender  *sender // the thread's, or the one of its fanout
	conn    *conn
	place   recordPlace
	pending bool // crypto/tls may have more than one record that was received
	ended   bool // the client has said that it sends no more
	broken  bool // half a record was sent
}

// records is what a thread gives to crypto/tls.
type records struct {
	buffer []byte // what is received into
	in     []byte // of buffer, not yet read
}

// maxRecord is the most that one record decrypts to (RFC 8446 section 5.1).
const maxRecord = 16 << 10

// sealATurn is how much of a long body is encrypted before the socket has taken what was encrypted before.
const sealATurn = 4 * maxRecord

// wouldBlock is the error of errWouldBlock.
type wouldBlock struct{}

func (wouldBlock) Error() string   { return "nothing has come" }
func (wouldBlock) Timeout() bool   { return true }
func (wouldBlock) Temporary() bool { return true }

var errWouldBlock net.Error = wouldBlock{}

// recordPlace follows the records of a stream: crypto/tls is given one at a time, so that its buffer stays as small as
// the longest of them.
type recordPlace struct {
	header [5]byte // type, version, length of what follows (RFC 8446 section 5.1)
	begun  int     // of header
	left   int     // of what follows
	buffer int     // what crypto/tls keeps for it: as a bytes.Buffer grows, which never shrinks
}

// smallRecord is the longest record that a connection without anything in it counts with already.
const smallRecord = 2 << 10

// pass moves on by what p has of one record at most, and returns how much that is.
func (r *recordPlace) pass(p []byte) (n int) {
	if r.left == 0 {
		n = copy(r.header[r.begun:], p)
		if r.begun += n; r.begun < len(r.header) {
			return n
		}
		r.begun, r.left = 0, int(binary.BigEndian.Uint16(r.header[3:]))
		if need := len(r.header) + r.left + bytes.MinRead; need > max(r.buffer, smallRecord) {
			r.buffer = max(need, 2*r.buffer)
		}
	}
	rest := min(r.left, len(p)-n)
	r.left -= rest
	return n + rest
}

// tlsSocket is a tlsConn as crypto/tls sees it.
type tlsSocket tlsConn

// Read implements net.Conn.
func (s *tlsSocket) Read(p []byte) (n int, err error) {
	if h := s.conn.handshake; h != nil {
		n, err = h.read(p)
		for got := p[:n]; len(got) > 0; {
			got = got[s.place.pass(got):]
		}
		return n, err
	}
	in := &s.sender.thread.records.in
	if len(*in) == 0 {
		return 0, errWouldBlock
	}
	n = s.place.pass((*in)[:min(len(p), len(*in))])
	copy(p, (*in)[:n])
	*in = (*in)[n:]
	return n, nil
}

// Write implements net.Conn.
func (s *tlsSocket) Write(p []byte) (int, error) {
	if h := s.conn.handshake; h != nil {
		n, err := h.write(p)
		s.broken = s.broken || err != nil
		return n, err
	}
	s.sender.sealed = append(s.sender.sealed, p...)
	return len(p), nil
}

// Close implements net.Conn. The thread closes the socket.
func (s *tlsSocket) Close() error { return nil }

// LocalAddr implements net.Conn.
func (s *tlsSocket) LocalAddr() net.Addr { return &net.TCPAddr{} }

// RemoteAddr implements net.Conn.
func (s *tlsSocket) RemoteAddr() net.Addr { return net.TCPAddrFromAddrPort(s.conn.remote) }

// SetDeadline implements net.Conn. The limits are those of the thread and the handshake.
func (s *tlsSocket) SetDeadline(time.Time) error { return nil }

// SetReadDeadline implements net.Conn.
func (s *tlsSocket) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline implements net.Conn.
func (s *tlsSocket) SetWriteDeadline(time.Time) error { return nil }

// receive receives once, decrypts to p, which must have room for all, and returns how much that is.
func (s *tlsConn) receive(p []byte) (int, syscall.Errno) {
	r, c := &s.sender.thread.records, s.conn
	n, err := receive(c.fd, r.buffer)
	c.unread = err == unix.EINTR || err == 0 && (n == len(r.buffer) || c.halfOpen)
	switch {
	case s.ended || err == 0 && n == 0 && !s.pending:
		return 0, 0
	case err != 0 && !s.pending:
		return 0, err
	}
	r.in = r.buffer[:n]
	n, failed := s.decrypt(p)
	switch {
	case failed == nil && n == 0:
		return 0, unix.EAGAIN
	case errors.Is(failed, io.EOF):
		s.ended, c.unread = true, true
	case failed != nil:
		s.transmit()
		return 0, unix.EPROTO
	}
	return n, 0
}

// decrypt decrypts what was received, as far as it is whole.
func (s *tlsConn) decrypt(p []byte) (done int, err error) {
	for len(s.sender.thread.records.in) > 0 || s.pending {
		n, err := s.Read(p[done:])
		done += n
		switch {
		case err == errWouldBlock:
			s.pending = false
		case err != nil:
			return done, err
		case n == 0:
			return done, io.ErrShortBuffer // no client can have this
		}
	}
	return done, nil
}

// transmit sends an alert that crypto/tls has written, before the connection ends.
func (s *tlsConn) transmit() {
	if out := &s.sender.sealed; len(*out) > 0 {
		_, _ = transmit(s.conn.fd, *out, unix.MSG_NOSIGNAL|unix.MSG_MORE)
		*out = (*out)[:0]
	}
}

// seal encrypts out and a part of body behind it, and returns the rest of body. The last of a connection is followed by
// the alert that says so.
func (s *tlsConn) seal(out, body []byte) (rest []byte, err error) {
	_, err = s.Write(out)
	turn := sealATurn
	if s.conn.watchOut { // the socket was full before: what it does not take is kept
		turn = maxRecord
	}
	part := body[:min(len(body), turn)]
	if len(part) > 0 && err == nil {
		_, err = s.Write(part)
	}
	if rest = body[len(part):]; s.conn.closing && len(rest) == 0 && err == nil {
		err = s.CloseWrite()
	}
	return rest, err
}

// flush encrypts and sends out and body, a long body as the socket takes it.
func (s *tlsConn) flush(out, body []byte) {
	w, c := s.sender, s.conn
	for {
		rest, failed := s.seal(out, body)
		if c.failed = failed != nil; c.failed {
			w.sealed = w.sealed[:0]
			return
		}
		flags := unix.MSG_NOSIGNAL
		if c.closing && len(rest) == 0 {
			flags |= unix.MSG_MORE
		}
		n, err := transmit(c.fd, w.sealed, flags)
		unsent := w.sealed[n:]
		w.sealed = w.sealed[:0]
		switch {
		case err != 0 && !passing(err):
			c.failed = true
			return
		case len(unsent) > 0:
			c.block(unsent, rest)
			return
		case len(rest) == 0:
			return
		}
		out, body = nil, rest
	}
}

// end tells the client of the end, if it waits for more.
func (s *tlsConn) end() {
	if c := s.conn; c.blocked || c.failed || c.halfOpen || s.broken {
		return
	}
	if s.CloseWrite() == nil {
		s.transmit()
	}
}
