package loop

import (
	"net"
	"net/netip"
	"testing"
)

// A client has so many connections at a time and no more; a network of IPv6 is one client, and a proxy
// that is named is not counted.
func TestCrowdBoundsEachClient(t *testing.T) {
	address := netip.MustParseAddr
	c := NewCrowd(2, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")})
	enter := func(text string, want bool) {
		t.Helper()
		if got := c.Enter(address(text)); got != want {
			t.Errorf("Enter(%s) = %t, want %t", text, got, want)
		}
	}
	enter("192.0.2.1", true)
	enter("::ffff:192.0.2.1", true)
	enter("192.0.2.1", false)
	enter("192.0.2.2", true)
	enter("2001:db8::1", true)
	enter("2001:db8::ffff:1", true)
	enter("2001:db8::2", false)
	enter("2001:db8:0:1::2", true)
	for range 5 {
		enter("10.1.2.3", true)
		enter("::ffff:10.1.2.3", true)
	}
	c.Leave(address("192.0.2.1"))
	enter("192.0.2.1", true)
	enter("192.0.2.1", false)
	for _, text := range []string{"192.0.2.1", "192.0.2.1", "192.0.2.2", "2001:db8::3", "2001:db8::4", "2001:db8:0:1::9", "10.1.2.3"} {
		c.Leave(address(text))
	}
	if len(c.held) != 0 {
		t.Errorf("%v are counted when everybody has left", c.held)
	}
	var nobody *Crowd
	if !nobody.Enter(address("192.0.2.1")) || !c.Enter(netip.Addr{}) {
		t.Error("without a bound, or an address, somebody is refused")
	}
}

// Connections beyond what one client may have are told to come again; who leaves makes room.
func TestOneClientDoesNotTakeEveryPlace(t *testing.T) {
	eachWay(t, func(t *testing.T, open func(...func(*Config)) *house) {
		h := open(func(c *Config) {
			c.Crowd, c.Overload = NewCrowd(2, nil), []byte("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		})
		first, second := h.dial(t), h.dial(t)
		for _, c := range []net.Conn{first, second} {
			if _, err := c.Write([]byte("GET ")); err != nil { // the kernel keeps back who says nothing
				t.Fatal(err)
			}
		}
		eventually(t, "two connections", func() bool { return h.loop.Stats().Connections == 2 })
		if got := exchange(t, h.dial(t), get("/2k.css")); len(got) < 12 || got[9:12] != "503" {
			t.Errorf("a third connection is answered %.80q, want 503", got)
		}
		if s := h.loop.Stats(); s.Refused != 1 || s.Connections != 2 {
			t.Errorf("%+v, want one refused and two open", s)
		}
		_ = first.Close()
		eventually(t, "room again", func() bool { return h.loop.Stats().Connections == 1 })
		if got := exchange(t, h.dial(t), get("/2k.css", "Connection: close")); len(got) < 12 || got[9:12] != "200" {
			t.Errorf("after one has left, a connection is answered %.80q, want 200", got)
		}
		_ = second.Close()
	})
}
