//go:build linux

// Package load sends requests at a constant rate and counts how long each answer took from the moment
// its request was due, not from the moment it could be sent: a server that stands still for a second
// makes every request of that second late, and all of them count (the correction of what is called
// coordinated omission). It speaks HTTP/1.1 over open connections from one thread.
package load

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// Rate is traffic at a constant rate.
type Rate struct {
	Address     string                                // host:port, IPv4
	Connections int                                   // as many requests are on their way at most
	PerSecond   float64                               // requests that are due each second
	For         time.Duration                         // how long requests become due
	Patience    time.Duration                         // for answers after that; 0: as long as For, at least 2 s
	Next        func(n int) []byte                    // the whole request number n; it is sent before the next call
	Each        func(took time.Duration, head []byte) // told of every answer, in the order of their coming; nil: none is. head is valid during the call
}

// Result is what came of a Rate.
type Result struct {
	Due        int           // requests that became due
	Unanswered int           // of them were not answered in the end
	Waits      Waits         // of every request; of an unanswered one, until the end
	Took       time.Duration // until the last answer
}

// Rate returns how many requests were answered a second.
func (r Result) Rate() float64 {
	if r.Took <= 0 {
		return 0
	}
	return float64(r.Due-r.Unanswered) / r.Took.Seconds()
}

// Waits are times, sorted.
type Waits []time.Duration

// At returns the time that a part of the waits does not exceed, 0 if there are none.
func (w Waits) At(part float64) time.Duration {
	if len(w) == 0 {
		return 0
	}
	return w[min(len(w)-1, int(part*float64(len(w))))]
}

// Run sends the traffic. It returns an error if a connection breaks or an answer cannot be read.
func (r Rate) Run() (Result, error) {
	if r.Connections <= 0 || r.PerSecond <= 0 || r.For <= 0 || r.Next == nil {
		return Result{}, errors.New("load: connections, a rate, a time and requests are needed")
	}
	if r.Patience == 0 {
		r.Patience = max(r.For, 2*time.Second)
	}
	t, err := r.connect()
	if err != nil {
		return Result{}, err
	}
	defer t.close()
	if err := t.run(); err != nil {
		return Result{}, err
	}
	return t.result(), nil
}

// traffic is a Rate under way.
type traffic struct {
	Rate
	target  *unix.SockaddrInet4
	epoll   int
	all     map[int]*connection
	free    []*connection
	started time.Time
	sent    int
	due     int // how many become due in all
	waits   Waits
	last    time.Time // of the last answer
	scratch []byte
}

func (r Rate) connect() (*traffic, error) {
	at, err := net.ResolveTCPAddr("tcp4", r.Address)
	if err != nil {
		return nil, fmt.Errorf("load: %w", err)
	}
	due := max(1, int(r.PerSecond*r.For.Seconds()))
	t := &traffic{
		Rate: r, target: &unix.SockaddrInet4{Port: at.Port, Addr: [4]byte(at.IP.To4())}, all: map[int]*connection{},
		due: due, waits: make(Waits, 0, due), scratch: make([]byte, 256<<10),
	}
	if t.epoll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return nil, fmt.Errorf("load: %w", err)
	}
	for range r.Connections {
		if err := t.open(); err != nil {
			t.close()
			return nil, fmt.Errorf("load: connect to %s: %w", r.Address, err)
		}
	}
	return t, nil
}

// open makes one connection more, which is free.
func (t *traffic) open() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	c := &connection{fd: fd}
	t.all[fd] = c
	t.free = append(t.free, c)
	return errors.Join(
		unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1), unix.Connect(fd, t.target), unix.SetNonblock(fd, true),
		unix.EpollCtl(t.epoll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLRDHUP | unix.EPOLLET, Fd: int32(fd)}))
}

func (t *traffic) close() {
	for fd := range t.all {
		_ = unix.Close(fd)
	}
	_ = unix.Close(t.epoll)
}

// dueAt returns when request number n is due.
func (t *traffic) dueAt(n int) time.Time {
	return t.started.Add(time.Duration(float64(n) / t.PerSecond * float64(time.Second)))
}

// run sends what is due and hears what comes, until everything is answered or the time for answers is over.
func (t *traffic) run() error {
	var events [256]unix.EpollEvent
	t.started = time.Now()
	t.last = t.started
	end := t.started.Add(t.For + t.Patience)
	for {
		now := time.Now()
		if err := t.sendDue(now); err != nil {
			return err
		}
		if t.sent == t.due && len(t.free) == len(t.all) || now.After(end) {
			return nil
		}
		n, err := unix.EpollWait(t.epoll, events[:], t.wait(now))
		if err != nil && err != unix.EINTR {
			return fmt.Errorf("load: %w", err)
		}
		for i := range max(0, n) {
			if err := t.hear(t.all[int(events[i].Fd)]); err != nil {
				return err
			}
		}
	}
}

// wait returns for how many milliseconds there is nothing to send. It is 0 in the last one before a
// request is due: it is the rate that has to be exact, and this thread has a core of its own.
func (t *traffic) wait(now time.Time) int {
	const longest = 100
	if len(t.free) == 0 || t.sent == t.due {
		return longest
	}
	return int(min(longest, max(0, t.dueAt(t.sent).Sub(now)/time.Millisecond)))
}

// sendDue sends the requests that are due, the oldest first, over the connections that are free.
func (t *traffic) sendDue(now time.Time) error {
	for t.sent < t.due && len(t.free) > 0 {
		at := t.dueAt(t.sent)
		if at.After(now) {
			return nil
		}
		c := t.free[0] // the one that has rested longest: all of them stay in use
		t.free = t.free[1:]
		c.due, c.busy, c.head, c.left = at, true, c.head[:0], -1
		request := t.Next(t.sent)
		t.sent++
		if n, err := unix.Write(c.fd, request); err != nil || n < len(request) {
			return fmt.Errorf("load: %d of %d bytes of a request were sent: %w", n, len(request), err)
		}
	}
	return nil
}

// hear reads what has come on a connection.
func (t *traffic) hear(c *connection) error {
	if c == nil {
		return nil
	}
	for {
		done, err := c.read(t.scratch)
		switch {
		case errors.Is(err, unix.EAGAIN):
			return nil
		case errors.Is(err, errEnded) && !c.busy:
			return t.replace(c)
		case err != nil:
			return fmt.Errorf("load: %w", err)
		case done && c.last:
			t.answered(c)
			return t.replace(c)
		case done:
			t.answered(c)
		}
	}
}

// answered counts an answer.
func (t *traffic) answered(c *connection) {
	t.last = time.Now()
	took := t.last.Sub(c.due)
	t.waits = append(t.waits, took)
	if t.Each != nil {
		t.Each(took, c.head)
	}
	c.busy = false
	t.free = append(t.free, c)
}

// replace makes a new connection for a free one that the server has ended.
func (t *traffic) replace(c *connection) error {
	delete(t.all, c.fd)
	t.free = slices.DeleteFunc(t.free, func(f *connection) bool { return f == c })
	if err := unix.Close(c.fd); err != nil {
		return fmt.Errorf("load: %w", err)
	}
	return t.open()
}

// result counts what has not been answered as waited for until now: to leave it out would be to call
// the worst answers good.
func (t *traffic) result() Result {
	r := Result{Due: t.due, Took: t.last.Sub(t.started), Unanswered: t.due - len(t.waits)}
	now := time.Now()
	for _, c := range t.all {
		if c.busy {
			t.waits = append(t.waits, now.Sub(c.due))
		}
	}
	for n := t.sent; n < t.due; n++ {
		t.waits = append(t.waits, now.Sub(t.dueAt(n)))
	}
	slices.Sort(t.waits)
	r.Waits = t.waits
	return r
}
