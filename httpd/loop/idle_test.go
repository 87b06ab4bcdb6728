package loop

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"runtime"
	"testing"
	"time"
)

// idleBytes is the most that an idle connection may take of the heap, the client's socket in the same process included.
const idleBytes = 8 << 10

// TestIdleSecureConnectionsAreSmall: after a handshake as browsers make it (which offers a key of 1,216 bytes) and a
// request, over HTTP/1.1 and in a session.
func TestIdleSecureConnectionsAreSmall(t *testing.T) {
	e := newEchoes(time.Minute)
	h := openSecureServer(t, ways[0].wrap, map[string]SessionFunc{"echo": e.begin})
	for _, tt := range []struct {
		name, protocol, request string
		version                 uint16
	}{
		{"HTTP/1.1", "http/1.1", chrome, tls.VersionTLS13},
		{"HTTP/1.1 under TLS 1.2", "http/1.1", chrome, tls.VersionTLS12},
		{"a session", "echo", "say a\n", tls.VersionTLS13},
	} {
		t.Run(tt.name, func(t *testing.T) {
			const n = 200
			config := h.trusted.Clone()
			config.NextProtos, config.MaxVersion = []string{tt.protocol}, tt.version
			conns := make([]net.Conn, 0, n+1)
			defer func() {
				for _, c := range conns {
					_ = c.Close()
				}
			}()
			open := func() {
				c, err := net.Dial("tcp", h.address)
				if err != nil {
					t.Fatal(err)
				}
				conns = append(conns, c)
				secure := tls.Client(c, config)
				if _, err := io.WriteString(secure, tt.request); err != nil {
					t.Fatal(err)
				}
				if _, err := bufio.NewReader(secure).ReadByte(); err != nil {
					t.Fatal(err)
				}
			}
			open()
			before := heap()
			for range n {
				open()
			}
			if each := (heap() - before) / n; each > idleBytes {
				t.Errorf("%d bytes of heap for an idle connection, want %d at most", each, idleBytes)
			} else {
				t.Logf("%d bytes of heap for an idle connection", each)
			}
		})
	}
}

// heap returns the bytes that are in use.
func heap() int64 {
	runtime.GC()
	runtime.GC() // what pools held
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
