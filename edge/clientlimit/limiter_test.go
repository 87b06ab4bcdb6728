package clientlimit

import (
	"net/netip"
	"testing"
)

// A client has so many connections at a time and no more; a network of IPv6 is one client, and a proxy
// that is named is not counted.
func TestCrowdBoundsEachClient(t *testing.T) {
	address := netip.MustParseAddr
	c := New(2, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")})
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
	if len(c.open) != 0 {
		t.Errorf("%v are counted when every connection has ended", c.open)
	}
	var unbounded *Limiter
	if !unbounded.Enter(address("192.0.2.1")) || !c.Enter(netip.Addr{}) {
		t.Error("without a bound, or an address, a connection is refused")
	}
}
