//go:build linux

package live

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// pages are the connections of all streams. One thread reads them, and Go's poller knows none: it would be woken at each
// event, by the thread of the edge that sends it.
//
// Pages are on many machines, and what they do takes nothing from the edge. So they wait until all events have come, and
// read then when the kernel received each for its socket (SO_TIMESTAMPNS). At times they read at once instead, and the edge
// shares its processors with them.
type pages struct {
	epoll  int
	all    []page // by the number that epoll returns
	atOnce atomic.Bool
}

// page is the client of one stream.
type page struct {
	socket  int
	version int    // of its newest event; 0: none yet
	part    []byte // of an answer or event that has not come whole
}

// ofOneAddress is how many streams come from one address: one client may not have so many connections.
const ofOneAddress = 2000

// follow opens the streams, and begins to read when all are open.
func (b *bench) follow(ctx context.Context, host, address string) (p *pages, err error) {
	p = &pages{}
	if p.epoll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return p, err
	}
	to, err := netip.ParseAddrPort(host)
	if err != nil {
		return p, err
	}
	request := []byte("GET " + address + " HTTP/1.1\r\nHost: " + host + "\r\nAccept: text/event-stream\r\n\r\n")
	for i := range b.streams {
		if err := p.open([4]byte{127, 0, 1, byte(1 + i/ofOneAddress)}, to, request); err != nil {
			return p, err
		}
	}
	broken := make(chan error, 1)
	go func() { broken <- p.read(b.heard) }()
	_, err = b.await(ctx, broken)
	return p, err
}

// open opens one stream.
func (p *pages) open(from [4]byte, to netip.AddrPort, request []byte) error {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	number := int32(len(p.all))
	p.all = append(p.all, page{socket: socket})
	if err := unix.SetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1); err != nil {
		return err
	}
	if err := unix.Bind(socket, &unix.SockaddrInet4{Addr: from}); err != nil {
		return err
	}
	if err := unix.Connect(socket, &unix.SockaddrInet4{Addr: to.Addr().As4(), Port: int(to.Port())}); err != nil {
		return err
	}
	if _, err := unix.Write(socket, request); err != nil {
		return err
	}
	return unix.EpollCtl(p.epoll, unix.EPOLL_CTL_ADD, socket, &unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLET, Fd: number})
}

// The time from the first event that has come to the reading: until all have come, or as long as one that reads at once may
// be late, which counts.
const (
	untilAll = 250 * time.Millisecond
	pause    = 2 * time.Millisecond
)

// read notes when each event has come, until a stream ends.
func (p *pages) read(heard chan<- []time.Time) error {
	runtime.LockOSThread()
	events, buffer, full := make([]unix.EpollEvent, 1<<10), make([]byte, 4<<10), false
	for {
		atOnce, wait := p.atOnce.Load(), untilAll
		if atOnce {
			wait = pause
		}
		if !full {
			if err := p.await(wait); err != nil {
				return err
			}
		}
		n, err := unix.EpollWait(p.epoll, events, 0)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("wait for events: %w", err)
		}
		full = n == len(events)
		var times []time.Time
		for _, e := range events[:max(n, 0)] {
			came, err := p.all[e.Fd].read(buffer, atOnce)
			if err != nil {
				return err
			}
			if !came.IsZero() {
				times = append(times, came)
			}
		}
		heard <- times
	}
}

// await returns some time after an event has come.
func (p *pages) await(wait time.Duration) error {
	polled := []unix.PollFd{{Fd: int32(p.epoll), Events: unix.POLLIN}}
	if _, err := unix.Poll(polled, -1); err != nil && !errors.Is(err, unix.EINTR) {
		return fmt.Errorf("wait for events: %w", err)
	}
	short := unix.NsecToTimespec(int64(wait))
	_ = unix.Nanosleep(&short, nil)
	return nil
}

// receive receives without waiting. The scheduler does not see the call.
func receive(socket int, b []byte) (int, error) {
	n, _, err := unix.RawSyscall6(unix.SYS_RECVFROM, uintptr(socket), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), unix.MSG_DONTWAIT, 0, 0)
	if err != 0 {
		return 0, err
	}
	return int(n), nil
}

// receiveStamped is receive, and returns when the kernel had received the last byte; not of what came before the kernel
// began to stamp, which it does soon after it was asked to.
func receiveStamped(socket int, b []byte) (int, time.Time, error) {
	control := make([]byte, unix.CmsgSpace(int(unsafe.Sizeof(unix.Timespec{}))))
	n, length, _, _, err := unix.Recvmsg(socket, b, control, unix.MSG_DONTWAIT)
	if err != nil || n == 0 {
		return n, time.Time{}, err
	}
	messages, err := unix.ParseSocketControlMessage(control[:length])
	if err != nil || len(messages) != 1 || messages[0].Header.Type != unix.SCM_TIMESTAMPNS {
		return n, time.Time{}, err
	}
	stamp := (*unix.Timespec)(unsafe.Pointer(&messages[0].Data[0]))
	return n, time.Unix(stamp.Unix()), nil
}

// read reads what has come, and returns when if that ends an event.
func (g *page) read(buffer []byte, atOnce bool) (came time.Time, err error) {
	n := 0
	if atOnce {
		n, err = receive(g.socket, buffer)
		came = time.Now()
	} else {
		n, came, err = receiveStamped(g.socket, buffer)
	}
	switch {
	case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EINTR):
		return time.Time{}, nil
	case n <= 0 || err != nil:
		return time.Time{}, fmt.Errorf("a stream has ended: %w", err)
	}
	text := buffer[:n]
	if len(g.part) > 0 {
		text = append(g.part, text...)
	}
	if g.version == 0 && !bytes.HasPrefix(text, []byte("HTTP/1.1 200 OK\r\n")) {
		return time.Time{}, fmt.Errorf("a stream is answered %q", text)
	}
	if !bytes.HasSuffix(text, []byte("}\n\n")) {
		g.part = bytes.Clone(text)
		return time.Time{}, nil
	}
	g.part = nil
	switch {
	case came.IsZero() && g.version > 0:
		return came, errors.New("the kernel does not tell when it received an event")
	case came.IsZero():
		came = time.Now() // the first event, which no publish waits for
	}
	return came, g.take(text)
}

// take reads an event, which is newer than the one before.
func (g *page) take(text []byte) error {
	_, data, _ := bytes.Cut(text, []byte("\ndata: {\"version\":"))
	digits, _, _ := bytes.Cut(data, []byte("}"))
	version, err := strconv.Atoi(string(digits))
	switch {
	case err != nil:
		return fmt.Errorf("an event is %q: %w", text, err)
	case version <= g.version:
		return fmt.Errorf("an event names version %d after version %d", version, g.version)
	}
	g.version = version
	return nil
}

// close ends the streams.
func (p *pages) close() {
	for _, g := range p.all {
		_ = unix.Close(g.socket)
	}
	_ = unix.Close(p.epoll)
}
