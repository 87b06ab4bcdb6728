//go:build linux && (amd64 || arm64)

package loop

import (
	"bufio"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"example.com/livery/httpd/guard"
)

// openBounded serves TLS with memory for two connections of a client that wait in a handshake.
func openBounded(t *testing.T, change ...func(*Config)) (h *testServer, m *guard.Memory, begin func() net.Conn) {
	m = guard.NewMemory(64<<10, nil)
	h = openSecureServer(t, ways[0].wrap, nil, append(change, func(c *Config) { c.Memory = m })...)
	return h, m, func() net.Conn {
		c, err := net.Dial("tcp", h.address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		_ = c.SetDeadline(time.Now().Add(9 * time.Second)) // less than the time of a handshake
		if _, err := c.Write([]byte{22}); err != nil {     // the first byte of a record
			t.Fatal(err)
		}
		return c
	}
}

// Handshakes that a client does not go on with count: beyond its share one ends at once, until others have.
func TestHandshakesThatWaitAreBounded(t *testing.T) {
	h, m, begin := openBounded(t)
	first, second := begin(), begin()
	eventually(t, "two handshakes count", func() bool { return m.Bytes() == 2*serverBytes })
	if _, err := begin().Read(make([]byte, 1)); err != io.EOF && !strings.Contains(err.Error(), "reset") {
		t.Errorf("a third handshake goes on: %v", err)
	}
	_, _ = first.Close(), second.Close()
	eventually(t, "none counts", func() bool { return m.Bytes() == 0 })
	c := h.dial(t)
	if resp, _ := ask(t, c, bufio.NewReader(c), get("/2k.css")); resp.StatusCode != 200 {
		t.Errorf("status %d, want 200", resp.StatusCode)
	}
}

// A connection beyond the most shakes hands to be told so, if there is memory for that.
func TestRefusalsUnderTLSAreBounded(t *testing.T) {
	_, m, begin := openBounded(t, func(c *Config) { c.MaxConns = 1 })
	first := begin()
	eventually(t, "one handshake counts", func() bool { return m.Bytes() == serverBytes })
	second := begin()
	eventually(t, "a refusal counts", func() bool { return m.Bytes() == 2*serverBytes })
	if _, err := begin().Read(make([]byte, 1)); err != io.EOF && !strings.Contains(err.Error(), "reset") {
		t.Errorf("a second refusal goes on: %v", err)
	}
	_, _ = first.Close(), second.Close()
	eventually(t, "none counts", func() bool { return m.Bytes() == 0 })
}
