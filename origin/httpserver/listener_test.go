package httpserver_test

import (
	"net"
	"testing"

	"example.com/livery/origin/httpserver"
)

// Decision 1.7: an IPv4 address counts by itself, and of IPv6 the network of 64 bits that one client has.
func TestAddressesAreCountedAsClients(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"192.0.2.1:1", "192.0.2.1:2", true},
		{"192.0.2.1:1", "192.0.2.2:1", false},
		{"192.0.2.1:1", "[::ffff:192.0.2.1]:1", true},
		{"[2001:db8::1]:1", "[2001:db8::2]:1", true},
		{"[2001:db8::1]:1", "[2001:db8:0:1::1]:1", false},
	} {
		address := func(text string) net.Addr {
			a, err := net.ResolveTCPAddr("tcp", text)
			if err != nil {
				t.Fatal(err)
			}
			return a
		}
		if same := httpserver.AddressOf(address(c.a)) == httpserver.AddressOf(address(c.b)); same != c.same {
			t.Errorf("%s and %s are one client: %t, want %t", c.a, c.b, same, c.same)
		}
	}
}
