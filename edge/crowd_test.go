package edge_test

import (
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"

	"example.com/livery/edge"
)

// One client does not take every place; a trusted proxy, which many come through, may.
func TestConnectionsOfOneClientAreBounded(t *testing.T) {
	loopback := trusting(netip.MustParsePrefix("127.0.0.0/8"))
	few := func(c *edge.Config) { c.MaxConnsPerClient = 3 }
	for _, row := range []struct {
		name    string
		options []option
		want    string
	}{
		{"a client", []option{few}, "HTTP/1.1 503 "},
		{"a trusted proxy", []option{few, loopback}, "HTTP/1.1 200 "},
		{"without a bound", []option{func(c *edge.Config) { c.MaxConnsPerClient = -1 }}, "HTTP/1.1 200 "},
	} {
		f := publishedFeed(t)
		r := run(t, f, row.options...)
		r.settle()
		open := func() net.Conn {
			c, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		var first []net.Conn
		for range 3 {
			c := open()
			if _, err := c.Write([]byte("GET ")); err != nil { // the kernel keeps back who says nothing
				t.Fatal(err)
			}
			first = append(first, c)
		}
		eventually(t, "three connections", func() bool { return r.counted("livery_edge_connections") == 3 })
		c := open()
		if _, err := c.Write([]byte(plainGet(path("-", "1", "tokens.css"), "Connection: close"))); err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(c); !strings.HasPrefix(string(got), row.want) {
			t.Errorf("the fourth connection of %s is answered %.60q (%v), want %q", row.name, got, err, row.want)
		}
		for _, c := range append(first, c) {
			c.Close()
		}
		r.stop()
	}
}

// Connections that have not said anything, as browsers open them ahead, do not hold the end of an edge up:
// run's stop fails if Shutdown takes ten seconds.
func TestSilentConnectionsDoNotHoldTheEnd(t *testing.T) {
	t.Parallel()
	r := run(t, publishedFeed(t))
	for range 3 {
		c, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	if !fastPath(t) { // which the kernel gives no connection before it says something
		eventually(t, "three connections", func() bool { return r.counted("livery_edge_connections") == 3 })
	}
	r.stop()
}
