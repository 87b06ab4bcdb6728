//go:build linux

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// measured is what one server did in one round.
type measured struct {
	requests int
	took     time.Duration
	busy     time.Duration   // of the server's processor
	waits    []time.Duration // of each exchange, sorted
}

func (m measured) at(p float64) time.Duration {
	if len(m.waits) == 0 {
		return 0
	}
	return m.waits[min(len(m.waits)-1, int(p*float64(len(m.waits))))]
}

// load has the server answer a scenario for some time. One thread on epoll asks: every connection has
// one exchange under way at any time, so that the server always has work.
func (s *subject) load(sc scenario, d time.Duration) (m measured, err error) {
	request, size, err := s.prepare(sc)
	if err != nil {
		return m, err
	}
	l, err := newLoad(s.address, sc, request, size*sc.depth)
	if err != nil {
		return m, err
	}
	defer l.close()
	before, err := s.busy()
	if err != nil {
		return m, err
	}
	started := time.Now()
	if err := l.run(started.Add(d)); err != nil {
		return m, err
	}
	m.took = time.Since(started)
	after, err := s.busy()
	m.busy, m.requests, m.waits = after-before, len(l.waits)*sc.depth, l.waits
	slices.Sort(m.waits)
	return m, err
}

// prepare asks once, checks the answer, and returns what to send and how long an answer is.
func (s *subject) prepare(sc scenario) (request []byte, size int, err error) {
	path := sc.path
	if s.paths != nil {
		path = s.paths[path]
	}
	head := "GET " + path + sc.query + " HTTP/1.1\r\nHost: files.example\r\n" + sc.headers
	status := http.StatusOK
	if sc.current {
		if s.etags[sc.path] == "" {
			_, etag, err := s.askOnce(head+"\r\n", http.StatusOK)
			if err != nil {
				return nil, 0, err
			}
			s.etags[sc.path] = etag
		}
		head += "If-None-Match: " + s.etags[sc.path] + "\r\n"
		status = http.StatusNotModified
	}
	head += "\r\n"
	size, _, err = s.askOnce(head, status)
	return []byte(strings.Repeat(head, sc.depth)), size, err
}

// askOnce returns the length of an answer and its validator.
func (s *subject) askOnce(request string, status int) (int, string, error) {
	c, err := net.Dial("tcp", s.address)
	if err != nil {
		return 0, "", err
	}
	defer c.Close()
	if _, err := io.WriteString(c, request); err != nil {
		return 0, "", err
	}
	counted := &counter{r: c}
	r := bufio.NewReader(counted)
	resp, err := http.ReadResponse(r, nil)
	if err != nil {
		return 0, "", err
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return 0, "", err
	}
	if resp.StatusCode != status {
		return 0, "", fmt.Errorf("status %d, want %d", resp.StatusCode, status)
	}
	return counted.n - r.Buffered(), resp.Header.Get("ETag"), nil
}

type counter struct {
	r io.Reader
	n int
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += n
	return n, err
}

// traffic is the asking side.
type traffic struct {
	scenario
	target  *unix.SockaddrInet4
	request []byte
	size    int // of what comes back for a request
	epoll   int
	asking  map[int]*asker
	waits   []time.Duration
	buffer  []byte
}

// asker is one connection.
type asker struct {
	fd   int
	left int // bytes still to come
	sent time.Time
}

func newLoad(address string, sc scenario, request []byte, size int) (*traffic, error) {
	at, err := net.ResolveTCPAddr("tcp4", address)
	if err != nil {
		return nil, err
	}
	l := &traffic{scenario: sc, target: &unix.SockaddrInet4{Port: at.Port, Addr: [4]byte(at.IP.To4())}, request: request, size: size}
	l.buffer = make([]byte, 256<<10)
	l.asking = map[int]*asker{}
	if l.epoll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return nil, err
	}
	for range sc.conns {
		if _, err := l.open(); err != nil {
			l.close()
			return nil, err
		}
	}
	return l, nil
}

func (l *traffic) close() {
	for fd := range l.asking {
		_ = unix.Close(fd)
	}
	_ = unix.Close(l.epoll)
}

// open makes a connection. It waits for it: on the loopback that is no wait.
func (l *traffic) open() (*asker, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	a := &asker{fd: fd, sent: time.Now()}
	l.asking[fd] = a
	if err := errors.Join(unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1), unix.Connect(fd, l.target), unix.SetNonblock(fd, true)); err != nil {
		return nil, err
	}
	return a, unix.EpollCtl(l.epoll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLRDHUP | unix.EPOLLET, Fd: int32(fd)})
}

// patience is how many milliseconds a server may leave every connection without an answer.
const patience = 10_000

func (l *traffic) run(end time.Time) error {
	for _, a := range l.asking {
		if err := l.ask(a); err != nil {
			return err
		}
	}
	var events [256]unix.EpollEvent
	for {
		n, err := unix.EpollWait(l.epoll, events[:], patience)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return err
		}
		if n == 0 {
			return fmt.Errorf("no answer for %d ms", patience)
		}
		now := time.Now()
		if now.After(end) {
			return nil
		}
		for i := range events[:n] {
			if err := l.hear(l.asking[int(events[i].Fd)], now); err != nil {
				return err
			}
		}
	}
}

func (l *traffic) ask(a *asker) error {
	a.left = l.size
	if !l.fresh {
		a.sent = time.Now()
	}
	_, err := unix.Write(a.fd, l.request)
	return err
}

// hear takes what has come, unread: the kernel throws it away.
func (l *traffic) hear(a *asker, now time.Time) error {
	for a.left > 0 {
		n, _, err := unix.Recvfrom(a.fd, l.buffer[:min(len(l.buffer), a.left)], unix.MSG_TRUNC)
		if err == unix.EAGAIN {
			return nil
		}
		if err != nil {
			return err
		}
		if n == 0 {
			return errors.New("the server ends a connection in the middle")
		}
		a.left -= n
	}
	l.waits = append(l.waits, now.Sub(a.sent))
	if !l.fresh {
		return l.ask(a)
	}
	delete(l.asking, a.fd)
	if err := unix.Close(a.fd); err != nil {
		return err
	}
	a, err := l.open()
	if err != nil {
		return err
	}
	return l.ask(a)
}
