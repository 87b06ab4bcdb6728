package h2_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/livery/httpd/h2"
	"example.com/livery/httpd/loop"
	"github.com/valyala/fasthttp"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// client writes the frames of one client of a session.
type client struct {
	bytes.Buffer
	*http2.Framer
	block   bytes.Buffer
	encoder *hpack.Encoder
}

// newClient returns a client that has sent its preface and settings.
func newClient(settings ...http2.Setting) *client {
	c := new(client)
	c.WriteString(http2.ClientPreface)
	c.Framer = http2.NewFramer(&c.Buffer, nil)
	c.encoder = hpack.NewEncoder(&c.block)
	_ = c.WriteSettings(settings...)
	return c
}

// get asks for a path, without a body.
func (c *client) get(stream uint32, path string, more ...string) {
	c.block.Reset()
	fields := append([]string{":method", "GET", ":scheme", "https", ":authority", "example.com", ":path", path}, more...)
	for i := 0; i < len(fields); i += 2 {
		_ = c.encoder.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	_ = c.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: c.block.Bytes(), EndStream: true, EndHeaders: true})
}

// sent returns what was written since the last call.
func (c *client) sent() []byte {
	b := bytes.Clone(c.Bytes())
	c.Reset()
	return b
}

// newServer returns a server whose requests may take so many bytes. Its handler is handle.
func newServer(handle handler) *h2.Server {
	return h2.New(h2.Config{
		Handler: handle, Requests: h2.NewLimiter(32<<20, 2000, nil), Shed: func() {}, Logger: slog.New(slog.DiscardHandler),
		Limits: loop.Limits{Head: 16 << 10, Body: 16 << 10, Read: 10 * time.Second, Write: 10 * time.Second, Idle: time.Minute},
	})
}

// handler is a Handler without finished answers.
type handler func(ctx *fasthttp.RequestCtx)

func (handler) Ready(*loop.Request) (loop.Answer, bool) { return loop.Answer{}, false }

func (h handler) Serve(ctx *fasthttp.RequestCtx) { h(ctx) }

// notModified answers every plain request with a head alone.
type notModified struct{}

func (notModified) Ready(*loop.Request) (loop.Answer, bool) {
	return loop.Answer{Head: []byte("HTTP/1.1 304 Not Modified\r\nETag: \"0123456789abcdef\"\r\nCache-Control: public, max-age=60\r\n")}, true
}

var (
	here  = netip.MustParseAddrPort("192.0.2.1:1000")
	start = time.Unix(1_700_000_000, 0)
)

// frames appends everything that s has to send, and counts the frames of each kind.
func frames(t *testing.T, s loop.Session, now time.Time) (bytesSent int, kinds map[http2.FrameType]int) {
	t.Helper()
	var all []byte
	for room := make([]byte, 0, 64<<10); ; {
		b := s.Append(room[:0], now)
		if len(b) == 0 {
			break
		}
		all = append(all, b...)
	}
	kinds = map[http2.FrameType]int{}
	for f := http2.NewFramer(nil, bytes.NewReader(all)); ; {
		frame, err := f.ReadFrame()
		if err != nil {
			return len(all), kinds
		}
		kinds[frame.Header().Type]++
	}
}

// TestUnsentAnswersAreBounded has a client send as many requests as one read takes, each answered by a head
// alone, while its socket takes nothing.
func TestUnsentAnswersAreBounded(t *testing.T) {
	t.Parallel()
	for name, cancels := range map[string]bool{"answered": false, "reset": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(nil).Begin(here, notModified{}, func() {})
			defer s.Close()
			c := newClient()
			for i := uint32(1); c.Len() < 64<<10; i += 2 {
				c.get(i, "/a.css")
				if cancels {
					_ = c.WriteRSTStream(i, http2.ErrCodeCancel)
				}
			}
			s.Receive(c.sent(), start)
			n, kinds := frames(t, s, start)
			if n > 64<<10 || kinds[http2.FrameHeaders] > 100 {
				t.Fatalf("%d bytes in %v wait for a client that may have 100 streams", n, kinds)
			}
		})
	}
}

// TestTimeOfAFrameBeginsWithIt has each read end within a frame, for longer than a frame may take.
func TestTimeOfAFrameBeginsWithIt(t *testing.T) {
	t.Parallel()
	s := newServer(nil).Begin(here, notModified{}, func() {})
	defer s.Close()
	c, now := newClient(), time.Now()
	s.Receive(c.sent(), now)
	var rest []byte
	for i := range uint32(10) {
		c.get(2*i+1, "/a.css")
		b := append(rest, c.sent()...)
		s.Receive(b[:len(b)-3], now)
		rest = bytes.Clone(b[len(b)-3:])
		if _, kinds := frames(t, s, now); kinds[http2.FrameGoAway] > 0 {
			t.Fatal("the connection ends while its requests come in time")
		}
		now = now.Add(4 * time.Second)
		if at := s.Deadline(); !at.IsZero() && !now.Before(at) {
			s.Expire(now)
		}
	}
}

// TestCloseWhileTheHandlerAnswers closes connections at the moment in which their answers come. Under the race detector
// it finds a stream that both the connection and the handler's goroutine give up.
func TestCloseWhileTheHandlerAnswers(t *testing.T) {
	t.Parallel()
	const atOnce = 50
	server := h2.New(h2.Config{
		Handler:  handler(func(ctx *fasthttp.RequestCtx) { ctx.SetBodyString(string(ctx.Path())) }),
		Requests: h2.NewLimiter(32<<20, atOnce, nil), Shed: func() {}, Logger: slog.New(slog.DiscardHandler),
		Limits: loop.Limits{Head: 16 << 10, Body: 16 << 10, Read: time.Second, Write: time.Second, Idle: time.Second},
	})
	for range 200 {
		s := server.Begin(here, handler(nil), func() {})
		c := newClient()
		for i := range uint32(atOnce) {
			c.get(2*i+1, fmt.Sprint("/", i))
		}
		s.Receive(c.sent(), start)
		s.Close()
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) { // until all are counted out
		s, c := server.Begin(here, handler(nil), func() {}), newClient()
		for i := range uint32(atOnce) {
			c.get(2*i+1, "/last")
		}
		s.Receive(c.sent(), start)
		_, kinds := frames(t, s, start)
		s.Close()
		if kinds[http2.FrameRSTStream] == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%v: requests of closed connections count still", kinds)
		}
	}
}

// FuzzReceive gives a session any bytes, in any pieces: it ends, and holds and sends little.
func FuzzReceive(f *testing.F) {
	c := newClient(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
	c.get(1, "/a.css")
	_ = c.WritePing(false, [8]byte{})
	_ = c.WriteWindowUpdate(1, 1000)
	_ = c.WriteData(1, true, []byte("body"))
	f.Add(c.sent(), uint16(7))
	f.Fuzz(func(t *testing.T, in []byte, piece uint16) {
		s := newServer(func(ctx *fasthttp.RequestCtx) { ctx.SetBodyString("answer") }).Begin(here, notModified{}, func() {})
		defer s.Close()
		for rest := append([]byte(http2.ClientPreface), in...); len(rest) > 0; {
			n := min(len(rest), int(piece)+1)
			s.Receive(rest[:n], start)
			rest = rest[n:]
			if sent, kinds := frames(t, s, start); sent > 128<<10 {
				t.Fatalf("%d bytes for %d: %v", sent, n, kinds)
			}
		}
		s.Expire(start.Add(time.Hour))
	})
}

// TestHeadThatIsTooLongIsRefusedAsSuch: fields behind the longest head change nothing of those before.
func TestHeadThatIsTooLongIsRefusedAsSuch(t *testing.T) {
	s := newServer(func(*fasthttp.RequestCtx) { t.Error("the handler is asked") })
	session := s.Begin(here, handler(nil), func() { t.Error("another goroutine answers") })
	defer session.Close()
	c := newClient()
	more := []string{"content-length", "00000000"}
	for range 300 {
		more = append(more, "x-crumb", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")
	}
	c.get(1, "/a.css", append(more, "x-last", strings.Repeat("a", 200))...)
	session.Receive(c.sent(), start)
	framer := http2.NewFramer(nil, bytes.NewReader(session.Append(make([]byte, 0, 64<<10), start)))
	framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	for {
		frame, err := framer.ReadFrame()
		if err != nil {
			t.Fatal("no answer")
		}
		if head, ok := frame.(*http2.MetaHeadersFrame); ok {
			if status := head.PseudoValue("status"); status != "431" {
				t.Errorf("status %s, want 431", status)
			}
			return
		}
	}
}

// TestHeadsThatAreTooLongEndTheConnection: some are refused one by one, which costs the time of reading them; who goes on is
// told to calm down.
func TestHeadsThatAreTooLongEndTheConnection(t *testing.T) {
	session := newServer(func(*fasthttp.RequestCtx) {}).Begin(here, handler(nil), func() {})
	defer session.Close()
	c := newClient()
	block := append([]byte{0x82, 0x84, 0x87}, bytes.Repeat([]byte{0x90}, 300)...) // of the static table
	for i := range uint32(1100) {
		_ = c.WriteHeaders(http2.HeadersFrameParam{StreamID: 2*i + 1, BlockFragment: block, EndStream: true, EndHeaders: true})
		session.Receive(c.sent(), start)
		if _, kinds := frames(t, session, start); kinds[http2.FrameGoAway] > 0 {
			return
		}
		_ = c.WriteRSTStream(2*i+1, http2.ErrCodeCancel)
		session.Receive(c.sent(), start.Add(time.Duration(i)*10*time.Millisecond)) // resets alone are within what a client may send
	}
	t.Error("1,100 heads that are too long are all refused one by one")
}

// TestGoAwayOfAClientIsNotAnsweredByAReset: what the client sends behind it is read for a moment, and answered.
func TestGoAwayOfAClientIsNotAnsweredByAReset(t *testing.T) {
	s := newServer(func(*fasthttp.RequestCtx) {}).Begin(here, handler(nil), func() {})
	defer s.Close()
	c := newClient()
	_ = c.WriteGoAway(0, http2.ErrCodeNo, nil)
	s.Receive(c.sent(), start)
	if frames(t, s, start); s.Ended() {
		t.Fatal("the connection ends at once")
	}
	_ = c.WritePing(false, [8]byte{})
	s.Receive(c.sent(), start)
	if _, kinds := frames(t, s, start); kinds[http2.FramePing] != 1 {
		t.Errorf("a PING behind GOAWAY is answered by %v", kinds)
	}
	at := s.Deadline()
	s.Expire(at)
	if frames(t, s, at); !s.Ended() {
		t.Error("the connection goes on for good")
	}
}

// TestUnreadHeadersStayWithTheSource: a request goes to the handler for no header that no answer depends on.
func TestUnreadHeadersStayWithTheSource(t *testing.T) {
	for _, fields := range [][]string{
		{"authorization", "Bearer " + strings.Repeat("a", 800), "content-type", "application/json", "tenant", "a", "content-language", "en"},
		{"te", "trailers", "test", "a", "content", "a", "content-md5", "", "content-length", "0", "host", "example.com"},
		{"x_unknown", "a", "x.unknown", "a\tb", "http2-settings", "a", "if-modified-since", "a", "proxy-authorization", "a", "last", "\xff"},
		{"sec-ch-prefers-reduced-transparency", "no-preference", strings.Repeat("a", 1000), "a"},
		slices.Repeat([]string{"cookie", "a=b"}, 200),
	} {
		c := newClient()
		c.get(1, "/a.css", fields...)
		if got := atOnce(t, c); got != plain {
			t.Errorf("a request with %.100q: %q, want the source's answer", fields, got)
		}
	}
}
