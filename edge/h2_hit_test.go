package edge

import (
	"bytes"
	"net/netip"
	"testing"
	"time"

	"example.com/livery/httpd/h2"
	"example.com/livery/httpd/loop"
	"example.com/livery/internal/test/race"
	"example.com/livery/storage/record"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// h2Client writes a browser's requests as the session of a connection receives them.
type h2Client struct {
	loop.Session
	frames  bytes.Buffer
	framer  *http2.Framer
	block   bytes.Buffer
	encoder *hpack.Encoder
	stream  uint32
	dst     []byte
}

func newH2Client(t testing.TB, e *Edge) *h2Client {
	t.Helper()
	server := h2.New(h2.Config{
		Handler: front{e}, Requests: h2.NewLimiter(32<<20, 2000, nil), Shed: func() {}, Logger: e.log,
		Limits: loop.Limits{Head: 16 << 10, Body: 16 << 10, Read: time.Minute, Write: time.Minute, Idle: time.Minute},
	})
	c := &h2Client{dst: make([]byte, 0, 64<<10), stream: 1}
	c.framer, c.encoder = http2.NewFramer(&c.frames, nil), hpack.NewEncoder(&c.block)
	c.Session = server.Begin(netip.MustParseAddrPort("192.0.2.1:4000"), front{e}.ForThread(), func() {})
	c.frames.WriteString(http2.ClientPreface)
	for _, err := range []error{
		c.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1<<31 - 1}), c.framer.WriteWindowUpdate(0, 1<<31-1-65535),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(c.Close)
	return c
}

// ask writes requests of Chrome, which names most fields by their places in the table of the connection.
func (c *h2Client) ask(t testing.TB, path string, streams int) {
	t.Helper()
	for range streams {
		c.block.Reset()
		for _, f := range [][2]string{
			{":method", "GET"},
			{":authority", "cdn.example.com"},
			{":scheme", "https"},
			{":path", path},
			{"sec-ch-ua", `"Chromium";v="140", "Not=A?Brand";v="24", "Google Chrome";v="140"`},
			{"sec-ch-ua-mobile", "?0"},
			{"sec-ch-ua-platform", `"Linux"`},
			{"user-agent", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"},
			{"accept", "text/css,*/*;q=0.1"},
			{"sec-fetch-site", "cross-site"},
			{"sec-fetch-mode", "no-cors"},
			{"sec-fetch-dest", "style"},
			{"referer", "https://shop.example/"},
			{"accept-encoding", "gzip, deflate, br, zstd"},
			{"accept-language", "en-GB,en;q=0.9"},
			{"priority", "u=0"},
		} {
			if err := c.encoder.WriteField(hpack.HeaderField{Name: f[0], Value: f[1]}); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: c.stream, BlockFragment: c.block.Bytes(), EndStream: true, EndHeaders: true}); err != nil {
			t.Fatal(err)
		}
		c.stream += 2
	}
}

// exchange gives the session what was written, and returns what it sends.
func (c *h2Client) exchange(now time.Time) (bytes int) {
	c.Receive(c.frames.Bytes(), now)
	c.frames.Reset()
	for {
		c.dst = c.Append(c.dst[:0], now)
		if len(c.dst) == 0 {
			return bytes
		}
		bytes += len(c.dst)
	}
}

// A hit in HTTP/2 allocates nothing.
func TestHTTP2HitsAllocateNothing(t *testing.T) {
	c := newH2Client(t, warmed(t, record.Serving{Mode: "public"}))
	path, now := "/"+testEnv+"/"+testTheme+"/-/1/tokens.css", time.Now()
	const streams = 10
	for range 3 {
		c.ask(t, path, streams)
		if c.exchange(now) < streams*300 {
			t.Fatal("no answers")
		}
	}
	if race.Enabled {
		t.Skip("allocations are not counted under the race detector: pools drop what they hold then")
	}
	asking := testing.AllocsPerRun(200, func() {
		c.ask(t, path, streams)
		c.frames.Reset()
	})
	c.stream -= 2 * streams * 201 // which nothing was sent of
	if all := testing.AllocsPerRun(200, func() {
		c.ask(t, path, streams)
		c.exchange(now)
	}); all > asking {
		t.Errorf("%d hits allocate %v times, the client's own %v times included", streams, all, asking)
	}
}

// BenchmarkHTTP2Hit is ten requests of one connection at once, with the client that writes them.
func BenchmarkHTTP2Hit(b *testing.B) {
	c := newH2Client(b, warmed(b, record.Serving{Mode: "public"}))
	path, now := "/"+testEnv+"/"+testTheme+"/-/1/tokens.css", time.Now()
	c.ask(b, path, 1)
	c.exchange(now)
	b.Run("client", func(b *testing.B) {
		for b.Loop() {
			c.ask(b, path, 10)
			c.frames.Reset()
		}
	})
	c = newH2Client(b, warmed(b, record.Serving{Mode: "public"}))
	b.Run("both", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if c.stream > 1<<30 {
				b.Skip("streams ran out")
			}
			c.ask(b, path, 10)
			c.exchange(now)
		}
	})
}
