package loop

import (
	"net"
	"testing"

	"example.com/livery/httpd/guard"
)

// Connections beyond what one client may have are refused with 503; one that ends makes room.
func TestOneClientDoesNotTakeEveryPlace(t *testing.T) {
	eachWay(t, func(t *testing.T, open func(...func(*Config)) *testServer) {
		h := open(func(c *Config) {
			c.Clients = guard.NewLimiter(2, nil)
		})
		first, second := h.dial(t), h.dial(t)
		for _, c := range []net.Conn{first, second} {
			if _, err := c.Write([]byte("GET ")); err != nil { // the kernel keeps a connection back until its client sends something
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
