package guard

import (
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
)

// A client has so many connections at a time and no more; a network of IPv6 is one client, and a proxy
// that is named is not counted.
func TestCrowdBoundsEachClient(t *testing.T) {
	address := netip.MustParseAddr
	c := NewLimiter(2, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")})
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

// What is in use is never more than one client, or all together, may have, while connections ask for more than that at a
// time; and each connection that ends gives back what it had.
func TestMemoryIsNeverMoreThanItsBounds(t *testing.T) {
	const most, room, each = 64 << 10, 4 << 10, 3 << 10
	for name, c := range map[string]struct {
		clients int
		bound   int64
	}{"one client": {1, most / clientPart}, "eight clients": {8, most}} {
		t.Run(name, func(t *testing.T) {
			m := NewMemory(most, nil)
			client := func(i int) netip.Addr { return netip.AddrFrom4([4]byte{192, 0, 2, byte(i % c.clients)}) }
			stay := make([]Usage, c.clients) // and leave little room
			for i := range stay {
				if !stay[i].Set(m, client(i), int(c.bound-room)/c.clients) {
					t.Fatal("what is within the bounds is refused")
				}
			}
			var ended atomic.Bool
			var asking, watching sync.WaitGroup
			watching.Go(func() {
				for !ended.Load() {
					if used := m.Bytes(); used > c.bound {
						t.Errorf("%d bytes are in use, want %d at most", used, c.bound)
						return
					}
				}
			})
			var refused atomic.Int64
			for i := range 32 {
				asking.Go(func() {
					var u Usage
					for n := range 2_000 {
						if !u.Set(m, client(i), each*(1+n%3)) {
							refused.Add(1)
						}
						if n%8 == 7 && !u.Set(m, client(i), 0) {
							t.Error("less is refused")
						}
					}
					u.Set(m, client(i), 0)
				})
			}
			asking.Wait()
			ended.Store(true)
			watching.Wait()
			for i := range stay {
				stay[i].Set(m, client(i), 0)
			}
			if m.Bytes() != 0 || len(m.clients.open) != 0 {
				t.Errorf("%d bytes of %d clients are in use when every connection has ended", m.Bytes(), len(m.clients.open))
			}
			if refused.Load() == 0 {
				t.Error("nothing was refused: the bounds were not reached")
			}
		})
	}
}
