//go:build linux && (amd64 || arm64)

package loop

import (
	"encoding/binary"
	"net"
	"net/netip"
	"os"
	"time"
	"unsafe"

	"example.com/livery/httpd/guard"
	"golang.org/x/sys/unix"
)

// acceptPause is how long nothing is accepted after descriptors or memory ran out: clients that wait are
// served when other connections have ended.
const acceptPause = 100 * time.Millisecond

// accept accepts new connections, some at a time, and reports whether more may wait.
func (t *thread) accept() bool {
	for range acceptsATurn {
		if t.listener < 0 || !t.resumeAt.IsZero() {
			return false
		}
		t.address.Addr.Family = 0
		size := uint32(unsafe.Sizeof(t.address))
		fd, _, err := unix.RawSyscall6(unix.SYS_ACCEPT4, uintptr(t.listener), uintptr(unsafe.Pointer(&t.address)), uintptr(unsafe.Pointer(&size)), unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0, 0)
		switch err {
		case 0:
			t.admit(int(fd))
		case unix.EAGAIN:
			return false
		case unix.EMFILE, unix.ENFILE, unix.ENOBUFS, unix.ENOMEM:
			t.pauseAccepting(err)
			return false
		}
	}
	return true
}

// admit gives a new connection its first turn, or refuses it if there are too many. Its first
// bytes are there already, as a rule.
func (t *thread) admit(fd int) {
	l, remote := t.loop, remoteAddress(&t.address)
	if !l.enter(remote.Addr()) {
		t.refuse(fd)
		return
	}
	for fd >= len(t.conns) {
		t.conns = append(t.conns, nil)
	}
	c := t.newConn()
	*c = conn{fd: fd, remote: remote, loop: l, begun: true}
	t.conns[fd] = c
	t.open++
	if t.secure != nil {
		t.handshake(c)
		return
	}
	t.wheel.set(c, t.wheel.until(t.now, l.limits.Read))
	t.turn(c)
}

// refuse sends a connection away for which the server has no room.
func (t *thread) refuse(fd int) {
	l := t.loop
	if t.secure == nil {
		_, _ = transmit(fd, l.overload, unix.MSG_NOSIGNAL)
		_ = unix.Close(fd)
		return
	}
	client, u := remoteAddress(&t.address).Addr(), guard.Usage(0)
	if l.counts.refusing.Add(1) > max(1, int64(l.config.MaxConns/refusalsPart)) || !u.Set(l.config.Memory, client, serverBytes) {
		l.counts.refusing.Add(-1)
		_ = unix.Close(fd)
		return
	}
	go func() {
		f := os.NewFile(uintptr(fd), "")
		c, err := net.FileConn(f)
		_ = f.Close()
		if err == nil {
			l.refuse(c, t.secure)
		}
		u.Set(l.config.Memory, client, 0)
		l.counts.refusing.Add(-1)
	}()
}

// newConn takes a conn from the free list or allocates one.
func (t *thread) newConn() *conn {
	if n := len(t.unused); n > 0 {
		c := t.unused[n-1]
		t.unused = t.unused[:n-1]
		return c
	}
	return new(conn)
}

// pauseAccepting stops accepting for a while.
func (t *thread) pauseAccepting(reason error) {
	t.loop.log.Warn("connections wait", "error", reason)
	t.resumeAt = t.now.Add(acceptPause)
	_ = unix.EpollCtl(t.epoll, unix.EPOLL_CTL_DEL, t.listener, nil)
}

// resumeAccepting goes on after a pause.
func (t *thread) resumeAccepting() {
	if t.resumeAt.IsZero() || t.now.Before(t.resumeAt) {
		return
	}
	t.resumeAt = time.Time{}
	if err := t.watch(t.listener, unix.EPOLLIN|unix.EPOLLEXCLUSIVE); err != nil {
		t.pauseAccepting(err)
	}
}

// remoteAddress reads the address of a peer; IPv4 in IPv6 is IPv4.
func remoteAddress(a *unix.RawSockaddrAny) netip.AddrPort {
	switch a.Addr.Family {
	case unix.AF_INET:
		in := (*unix.RawSockaddrInet4)(unsafe.Pointer(a))
		return netip.AddrPortFrom(netip.AddrFrom4(in.Addr), networkOrder(&in.Port))
	case unix.AF_INET6:
		in := (*unix.RawSockaddrInet6)(unsafe.Pointer(a))
		return netip.AddrPortFrom(netip.AddrFrom16(in.Addr).Unmap(), networkOrder(&in.Port))
	}
	return netip.AddrPort{}
}

func networkOrder(port *uint16) uint16 {
	return binary.BigEndian.Uint16((*[2]byte)(unsafe.Pointer(port))[:])
}
