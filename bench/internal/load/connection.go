//go:build linux

package load

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// connection is one open connection, which has one exchange under way at most.
type connection struct {
	fd   int
	busy bool
	due  time.Time // of the request under way
	head []byte    // of its answer, as far as it has come; whole once left is known
	left int       // bytes of the body still to come; -1: the head is not whole
	last bool      // the answer says that the connection ends with it
}

var (
	errEnded     = errors.New("the server ended a connection")
	errUnasked   = errors.New("the server sent what was not asked for")
	endOfHead    = []byte("\r\n\r\n")
	lengthHeader = []byte("content-length:")
	closeHeader  = []byte("connection: close")
)

// maxHead bounds what is read in search of the end of a head.
const maxHead = 32 << 10

// read takes what has come, and reports whether the answer is whole with it. unix.EAGAIN says that no
// more has come. The body is not read: the kernel throws it away.
func (c *connection) read(scratch []byte) (done bool, err error) {
	if c.busy && c.left > 0 {
		n, _, err := unix.Recvfrom(c.fd, scratch[:min(len(scratch), c.left)], unix.MSG_TRUNC)
		if err == nil && n == 0 {
			err = errEnded
		}
		c.left -= max(0, n)
		return err == nil && c.left == 0, err
	}
	n, err := unix.Read(c.fd, scratch)
	switch {
	case err != nil:
		return false, err
	case n == 0:
		return false, errEnded
	case !c.busy:
		return false, errUnasked
	}
	return c.take(scratch[:n])
}

// take adds what was read to the head; what follows the head's end is of the body.
func (c *connection) take(b []byte) (done bool, err error) {
	before := len(c.head)
	c.head = append(c.head, b...)
	end := bytes.Index(c.head[max(0, before-len(endOfHead)):], endOfHead)
	if end < 0 {
		if len(c.head) > maxHead {
			err = fmt.Errorf("the head of an answer has no end in %d bytes", maxHead)
		}
		return false, err
	}
	end += max(0, before-len(endOfHead)) + len(endOfHead)
	length, last, err := readHead(c.head[:end])
	if err != nil {
		return false, err
	}
	c.last = last
	c.left = length - (len(c.head) - end)
	c.head = c.head[:end]
	if c.left < 0 {
		return false, errUnasked
	}
	return c.left == 0, nil
}

// readHead returns the length of the body that follows a head, and whether the connection ends after it.
func readHead(head []byte) (length int, last bool, err error) {
	length = -1
	if status := Status(head); status == 304 || status == 204 {
		length = 0
	}
	for lines := head; len(lines) > 0; {
		line, rest, _ := bytes.Cut(lines, endOfHead[:2])
		lines = rest
		switch {
		case bytes.EqualFold(line, closeHeader):
			last = true
		case length < 0 && len(line) > len(lengthHeader) && bytes.EqualFold(line[:len(lengthHeader)], lengthHeader):
			length, err = strconv.Atoi(string(bytes.TrimSpace(line[len(lengthHeader):])))
			if err != nil || length < 0 {
				return 0, false, fmt.Errorf("an answer has the length %q", line)
			}
		}
	}
	if length < 0 {
		return 0, false, fmt.Errorf("an answer does not tell its length: %.60q", head)
	}
	return length, last, nil
}

// Status returns the status in the head of an answer, 0 if it has none.
func Status(head []byte) int {
	const at = len("HTTP/1.1 ")
	if len(head) < at+3 {
		return 0
	}
	n, err := strconv.Atoi(string(head[at : at+3]))
	if err != nil {
		return 0
	}
	return n
}
