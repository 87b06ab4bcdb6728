package guard

import (
	"net/netip"
	"testing"
)

func TestClientIsTheRightmostUntrusted(t *testing.T) { // A83, decisions 7.6
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8::/32")}
	for _, tt := range []struct {
		name, peer string
		headers    []string
		want       string
	}{
		{"no proxy", "192.0.2.1", nil, "192.0.2.1"},
		{"an untrusted peer is not believed", "192.0.2.1", []string{"10.9.9.9"}, "192.0.2.1"},
		{"one proxy", "10.0.0.1", []string{"192.0.2.7"}, "192.0.2.7"},
		{"what a client claims stands to the left", "10.0.0.1", []string{"10.9.9.9, 192.0.2.7"}, "192.0.2.7"},
		{"two proxies", "10.0.0.1", []string{"198.51.100.1, 192.0.2.7, 10.0.0.2"}, "192.0.2.7"},
		{"two headers", "10.0.0.1", []string{"198.51.100.1", "192.0.2.7 , 10.0.0.2"}, "192.0.2.7"},
		{"every proxy is trusted", "10.0.0.1", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.3"},
		{"no header", "10.0.0.1", nil, "10.0.0.1"},
		{"mapped peer", "::ffff:10.0.0.1", []string{"192.0.2.7"}, "192.0.2.7"},
		{"mapped entry", "10.0.0.1", []string{"::ffff:192.0.2.7"}, "192.0.2.7"},
		{"with a port", "10.0.0.1", []string{"192.0.2.7:4711"}, "192.0.2.7"},
		{"IPv6 with a port", "2001:db8::1", []string{"[2001:db9::7]:4711"}, "2001:db9::7"},
		{"IPv6 in brackets", "2001:db8::1", []string{"[2001:db9::7]"}, "2001:db9::7"},
		{"nonsense ends the walk", "10.0.0.1", []string{"192.0.2.7, unknown"}, "invalid IP"},
		{"an empty entry ends the walk", "10.0.0.1", []string{"192.0.2.7, "}, "invalid IP"},
	} {
		var headers [][]byte
		for _, h := range tt.headers {
			headers = append(headers, []byte(h))
		}
		if got := ClientAddr(netip.MustParseAddr(tt.peer), headers, trusted).String(); got != tt.want {
			t.Errorf("%s: client = %s, want %s", tt.name, got, tt.want)
		}
	}
}
