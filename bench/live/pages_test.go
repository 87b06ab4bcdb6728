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
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// pages are the connections of all streams. One thread reads them, and Go's poller knows none: it would be woken at each
// event, by the thread of the edge that sends it.
type pages struct {
	epoll int
	all   []page // by the number that epoll returns
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

// pause is how late an event may be noted. The delay counts: a page has its event when it has read it.
const pause = 2 * time.Millisecond

// read notes when each event has come, until a stream ends.
func (p *pages) read(heard chan<- []time.Time) error {
	runtime.LockOSThread()
	events, buffer, short := make([]unix.EpollEvent, 1<<10), make([]byte, 4<<10), unix.NsecToTimespec(int64(pause))
	for {
		n, err := unix.EpollWait(p.epoll, events, -1)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("wait for events: %w", err)
		}
		var times []time.Time
		for _, e := range events[:max(n, 0)] {
			came, err := p.all[e.Fd].read(buffer)
			if err != nil {
				return err
			}
			if came {
				times = append(times, time.Now())
			}
		}
		heard <- times
		if n < len(events) {
			_ = unix.Nanosleep(&short, nil) // pages are on many machines: none is woken by the one that sends
		}
	}
}

// receive receives without waiting. The scheduler does not see the call.
func receive(socket int, b []byte) (int, error) {
	n, _, err := unix.RawSyscall6(unix.SYS_RECVFROM, uintptr(socket), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), unix.MSG_DONTWAIT, 0, 0)
	if err != 0 {
		return 0, err
	}
	return int(n), nil
}

// read reads what has come, and reports whether that ends an event.
func (g *page) read(buffer []byte) (bool, error) {
	n, err := receive(g.socket, buffer)
	switch {
	case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EINTR):
		return false, nil
	case n <= 0:
		return false, fmt.Errorf("a stream has ended: %w", err)
	}
	text := buffer[:n]
	if len(g.part) > 0 {
		text = append(g.part, text...)
	}
	if g.version == 0 && !bytes.HasPrefix(text, []byte("HTTP/1.1 200 OK\r\n")) {
		return false, fmt.Errorf("a stream is answered %q", text)
	}
	if !bytes.HasSuffix(text, []byte("}\n\n")) {
		g.part = bytes.Clone(text)
		return false, nil
	}
	g.part = nil
	return true, g.take(text)
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
