package edge_test

import (
	"crypto/tls"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/livery/internal/test/floods"
	"example.com/livery/internal/test/heaptest"
	"example.com/livery/internal/test/race"
	"example.com/livery/storage/record"
)

// waits is a way in which a client has an edge keep something for it.
type waits struct {
	name   string
	secure string // protocol under TLS; empty: none
	text   string // that every connection sends
	least  int    // bytes that a connection counts with, as far as the test waits for it
	small  bool   // the client's socket has little room
}

// waysToWait are such ways; long is a file that is longer than what sockets take.
func waysToWait(latest, long string) []waits {
	get, post := "GET "+latest+" HTTP/1.1\r\nHost: a\r\n", "POST "+latest+" HTTP/1.1\r\nHost: a\r\nContent-Length: 16000\r\n"
	field := "X-Long: " + strings.Repeat("a", 15_000)
	head := floods.FrameOf(frameHeaders, endStream, 1, "\x82\x87\x04"+floods.Text(latest)+"\x01\x01a"+strings.Repeat("\x00\x01x\x01a", 3000))
	return []waits{
		{"half a head", "", get + field, 15_000, false},
		{"half a head under TLS", "http/1.1", get + field, 15_000, false},
		{"half a body", "", post + "\r\n" + field, 15_000, false},
		{"half a body behind a long head", "", post + field + "\r\n\r\n" + field, 30_000, false},
		{"half a body under TLS", "http/1.1", post + "\r\n" + field, 15_000, false},
		{"half a head of HTTP/2", "h2", preface + head + floods.FrameOf(9, 0, 1, strings.Repeat("\x00\x01x\x01a", 3000))[:14_000], 40_000, false},
		{"answers that are not taken", "", strings.Repeat(get+"\r\n", 10_000), 12_000, true},
		{"answers that are not taken under TLS", "http/1.1", strings.Repeat(get+"\r\n", 10_000), 12_000, true},
		{"a long answer that is not taken under TLS", "http/1.1", strings.Repeat("GET "+long+" HTTP/1.1\r\nHost: a\r\n\r\n", 60), 16_000, true},
	}
}

// open connects from a client's address, and shakes hands.
func (w *waits) open(s *secured, client string) (net.Conn, error) {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(client)}, Timeout: time.Minute}
	address := s.address()
	if w.secure != "" {
		address = strings.TrimPrefix(s.h1.url, "https://")
	}
	c, err := d.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	if w.small {
		_ = c.(*net.TCPConn).SetReadBuffer(4 << 10)
	}
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	if w.secure == "" {
		return c, nil
	}
	secure := tls.Client(c, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{w.secure}})
	return secure, secure.Handshake()
}

// drop ends a connection at once.
func drop(c net.Conn) {
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn()
	}
	_ = c.Close()
}

// runWaiting starts an edge with a short file and a long one.
func runWaiting(t *testing.T) (s *secured, all []waits) {
	f := publishedFeed(t)
	const other = "thm_00000000000000000000000002"
	f.publish(other, largeTheme())
	f.serving(other, record.Serving{Mode: "public"})
	s = runSecured(t, f, fastly(true)) // what serves without the fast path is not counted
	latest := path("-", "1", "tokens.css")
	long := strings.Replace(latest, thm, other, 1)
	for _, address := range []string{latest, long} {
		want(t, s.get(address), 200, "")
		want(t, s.h2.get(address), 200, "")
	}
	s.client.CloseIdleConnections()
	s.h2.client.CloseIdleConnections()
	return s, waysToWait(latest, long)
}

// What connections keep while they wait for their clients is counted as what it takes of the heap.
func TestWhatWaitsIsCounted(t *testing.T) {
	if race.Enabled {
		t.Skip("the detector takes memory of its own")
	}
	const conns = 20
	s, all := runWaiting(t)
	for _, w := range all {
		t.Run(w.name, func(t *testing.T) {
			heaptest.Agree(t, 0.7, 2, func() (counted, taken int64) {
				var open []net.Conn
				for range conns {
					c, err := w.open(s, "127.0.0.1")
					if err != nil {
						t.Fatal(err)
					}
					open = append(open, c)
				}
				taken = heaptest.Taken(func() {
					for _, c := range open {
						go func() { _, _ = io.WriteString(c, w.text) }()
					}
					same := 0
					eventually(t, "it is counted, and grows no more", func() bool {
						before := counted
						if counted = int64(s.counted("livery_edge_waiting_bytes")); counted != before || counted < int64(conns*w.least) {
							same = 0
						}
						same++
						return same > 20
					})
				})
				for _, c := range open {
					drop(c)
				}
				eventually(t, "none of it is left", func() bool { return s.counted("livery_edge_waiting_bytes") == 0 })
				return counted, taken
			})
		})
	}
}

// One client that has the edge wait, in whatever way and with however many connections, takes half of the memory for that
// at most. Beyond it, it is told to come again, or loses connections. Others are answered meanwhile, and may wait too.
func TestPressureOfOneClientThatWaits(t *testing.T) {
	const most = 16 << 20
	s, all := runWaiting(t)
	pinned := path("-", "1", "tokens.css")
	for _, w := range all {
		if pressed(0, 1) == 0 && (w.secure == "http/1.1" || w.small) {
			continue // these take seconds
		}
		t.Run(w.name, func(t *testing.T) {
			conns := most/w.least + most/w.least/4
			raiseFiles(t, 2*conns+500)
			var open []net.Conn
			var sending sync.WaitGroup
			defer func() {
				for _, c := range open {
					drop(c)
				}
				sending.Wait()
				eventually(t, "none of it is left", func() bool { return s.counted("livery_edge_waiting_bytes") == 0 })
			}()
			wait := func(client string) (net.Conn, bool) {
				c, err := w.open(s, client)
				if err != nil {
					return nil, false // turned away
				}
				open = append(open, c)
				sending.Go(func() { _, _ = io.WriteString(c, w.text) })
				return c, true
			}
			for range conns {
				wait("127.0.0.1")
			}
			if w.secure != "h2" { // whose connections have a bound of their own
				eventually(t, "the client has all that it may have", func() bool { return s.counted("livery_edge_waiting_bytes") > most-100<<10 })
			}
			n := s.counted("livery_edge_waiting_bytes")
			if n > most {
				t.Errorf("%v bytes wait for one client, want %d at most", n, most)
			}
			if c, ok := wait("127.0.0.1"); ok && !w.small && w.secure == "" {
				told, _ := io.ReadAll(c)
				if text := string(told); !strings.HasPrefix(text, "HTTP/1.1 503 ") || !strings.Contains(text, "\r\nRetry-After: ") {
					t.Errorf("beyond it a client is told %.100q, want 503 with Retry-After", text)
				}
			}
			if _, ok := wait("127.0.0.2"); !ok {
				t.Error("another client may not wait")
			}
			if wrong, _ := witness(strings.TrimPrefix(s.h2.url, "https://"), pinned, 4); len(wrong) > 0 {
				t.Errorf("others are not answered: %q", wrong)
			}
			t.Logf("%d connections, %.0f bytes", conns, n)
		})
	}
}
