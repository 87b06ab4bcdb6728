package loop

import (
	"net"
	"net/netip"
	"sync"
)

// Crowd bounds how many connections one client has at a time, so that nobody takes the places of all
// others. A client is an IPv4 address, or the 64 bits of an IPv6 address that name a network. It may be
// used concurrently; nil lets everybody in.
type Crowd struct {
	most   int
	exempt []netip.Prefix

	mu   sync.Mutex // guards held
	held map[netip.Addr]int
}

// NewCrowd returns a Crowd of at most that many connections a client. Addresses within exempt, proxies
// that many come through, are not counted.
func NewCrowd(most int, exempt []netip.Prefix) *Crowd {
	return &Crowd{most: most, exempt: exempt, held: map[netip.Addr]int{}}
}

// Enter counts a connection in, unless its client has too many. Whoever got in must Leave once.
func (c *Crowd) Enter(a netip.Addr) bool {
	client, counted := c.client(a)
	if !counted {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.held[client]
	if n >= c.most {
		return false
	}
	c.held[client] = n + 1
	return true
}

// Leave counts a connection of that address out.
func (c *Crowd) Leave(a netip.Addr) {
	client, counted := c.client(a)
	if !counted {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := c.held[client]; n > 1 {
		c.held[client] = n - 1
	} else {
		delete(c.held, client)
	}
}

// client returns what connections of an address are counted under. An address that is none, of a socket
// that is no TCP, is not counted.
func (c *Crowd) client(a netip.Addr) (netip.Addr, bool) {
	if c == nil || !a.IsValid() {
		return a, false
	}
	a = a.Unmap().WithZone("")
	for _, p := range c.exempt {
		if p.Contains(a) {
			return a, false
		}
	}
	if a.Is6() {
		network, _ := a.Prefix(64) // which any IPv6 address has
		a = network.Addr()
	}
	return a, true
}

// AddressOf returns the address of a TCP peer; the zero Addr of any other.
func AddressOf(peer net.Addr) netip.Addr {
	if tcp, ok := peer.(*net.TCPAddr); ok {
		return tcp.AddrPort().Addr()
	}
	return netip.Addr{}
}
