package h2

import (
	"bytes"
	"encoding/binary"
	"log/slog"
	"net/netip"
	"slices"
	"testing"
	"time"

	"example.com/livery/httpd/loop"
	"github.com/valyala/fasthttp"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// ready answers every plain request with the same file.
type ready struct{}

func (ready) Ready(*loop.Request) (loop.Answer, bool) {
	return loop.Answer{Head: []byte("HTTP/1.1 200 OK\r\nContent-Type: text/css\r\nContent-Length: 40000\r\n"), Body: file}, true
}

var file = bytes.Repeat([]byte("a"), 40_000)

// testHandler is ready for plain requests, and serves the others.
type testHandler struct {
	ready
	serve fasthttp.RequestHandler
}

func (h testHandler) Serve(ctx *fasthttp.RequestCtx) { h.serve(ctx) }

func newTestServer(handler fasthttp.RequestHandler) *Server {
	return New(Config{
		Handler: testHandler{serve: handler}, Requests: NewLimiter(32<<20, 1000, nil), Shed: func() {}, Logger: slog.New(slog.DiscardHandler),
		Limits: loop.Limits{Head: 16 << 10, Body: 16 << 10, Read: time.Minute, Write: time.Minute, Idle: time.Minute},
	})
}

// frames collects what a framer writes.
func frames(t testing.TB, write func(f *http2.Framer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(http2.NewFramer(&b, nil)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// headOf returns the block of a request for path.
func headOf(path string, more ...string) []byte {
	var b bytes.Buffer
	e := hpack.NewEncoder(&b)
	fields := append([]string{":method", "GET", ":scheme", "https", ":authority", "a.example", ":path", path}, more...)
	for i := 0; i < len(fields); i += 2 {
		_ = e.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	return b.Bytes()
}

// FuzzFrames: whatever a client sends, in whatever pieces, a session does not fail, sends well-formed frames alone, no
// more DATA than the client's window takes, and keeps little.
func FuzzFrames(f *testing.F) {
	request := http2.HeadersFrameParam{StreamID: 1, BlockFragment: headOf("/a"), EndStream: true, EndHeaders: true}
	for _, write := range []func(*http2.Framer) error{
		func(f *http2.Framer) error { return f.WriteHeaders(request) },
		func(f *http2.Framer) error { return f.WritePing(false, [8]byte{1}) },
		func(f *http2.Framer) error { return f.WriteRSTStream(1, http2.ErrCodeCancel) },
		func(f *http2.Framer) error { return f.WriteWindowUpdate(0, 1<<20) },
		func(f *http2.Framer) error { return f.WriteGoAway(0, http2.ErrCodeNo, nil) },
		func(f *http2.Framer) error {
			return f.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 7})
		},
		func(f *http2.Framer) error {
			return f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: headOf("/a", "content-length", "3"), EndHeaders: true})
		},
		func(f *http2.Framer) error { return f.WriteDataPadded(1, true, []byte("abc"), []byte("padding")[:0]) },
		func(f *http2.Framer) error { return f.WriteContinuation(1, true, []byte{0x82}) },
		func(f *http2.Framer) error { return f.WriteRawFrame(0x10, 0, 0, []byte("\x00\x00\x00\x01u=1")) },
	} {
		f.Add(frames(f, write), uint8(7))
		f.Add(append(frames(f, func(f *http2.Framer) error { return f.WriteHeaders(request) }), frames(f, write)...), uint8(255))
	}
	f.Fuzz(func(t *testing.T, sent []byte, piece uint8) {
		now := time.Unix(1_800_000_000, 0)
		woken := make(chan struct{}, 1000)
		s := newTestServer(func(ctx *fasthttp.RequestCtx) { ctx.SetBodyString("handled") })
		c := s.Begin(netip.MustParseAddrPort("192.0.2.1:1"), ready{}, func() { woken <- struct{}{} }).(*conn)
		received := append([]byte(preface), frames(t, func(f *http2.Framer) error { return f.WriteSettings() })...)
		window := int64(connWindow)
		var out []byte
		dst := make([]byte, 0, 20_000)
		drainOut := func() {
			for {
				if dst = c.Append(dst[:0], now); len(dst) == 0 {
					return
				}
				out = append(out, dst...)
			}
		}
		received = append(received, sent...)
		for len(received) > 0 && c.ending < failed {
			n := min(len(received), 1+int(piece)*8)
			c.Receive(received[:n], now)
			received = received[n:]
			drainOut()
			if len(c.in.part) > headerBytes+maxFrame || len(c.block) > headRoom*16<<10 || c.table.size > tableBytes || len(c.streams) > maxStreams {
				t.Fatalf("kept: %d of a frame, %d of a head, %d of the table, %d streams", len(c.in.part), len(c.block), c.table.size, len(c.streams))
			}
		}
		for at := 0; at+headerBytes <= len(sent); at++ { // what may have opened the window
			if h := headerOf(sent[at:]); h.kind == frameWindowUpdate && h.length == 4 && at+13 <= len(sent) {
				window += int64(binary.BigEndian.Uint32(sent[at+9:]) & mostWindow)
			}
		}
		c.Drain(now)
		c.Expire(now.Add(2 * time.Minute))
		drainOut()
		c.Close()
		r := http2.NewFramer(nil, bytes.NewReader(out))
		r.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
		for total := int64(0); ; {
			frame, err := r.ReadFrame()
			if err != nil {
				if len(out) > 0 && err.Error() != "EOF" {
					t.Fatalf("the session sends what is not well formed: %v", err)
				}
				return
			}
			if d, ok := frame.(*http2.DataFrame); ok {
				if total += int64(d.Length); total > window {
					t.Fatalf("%d bytes of DATA, the window has %d", total, window)
				}
			}
		}
	})
}

// FuzzHeads: heads are read as package hpack reads them, over several heads of one connection.
func FuzzHeads(f *testing.F) {
	f.Add(headOf("/a"), headOf("/b", "x-a", "b"))
	f.Add([]byte("\x82\x40\x01a\x01b\xbe"), []byte("\xbe\x20\xbe"))
	f.Add(append([]byte{0x3f, 0xe1, 0x1f}, headOf("/", "cookie", "a=b")...), []byte("\x40\x82\x1d\x7f\x01b"))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		if len(first) > 4096 || len(second) > 4096 {
			return // one long text, or more than a head may have
		}
		ours := table{most: tableBytes}
		theirs := hpack.NewDecoder(tableBytes, nil)
		for _, block := range [][]byte{first, second} {
			h := newHead(1 << 20)
			failed := ours.decode(block, h)
			fields, err := theirs.DecodeFull(block)
			if (err != nil) != (failed != nil) {
				t.Fatalf("%q: %v, hpack says %v", block, failed, err)
			}
			if err != nil {
				return
			}
			all, size := len(fields), len(" HTTP/1.1\r\n\r\n")
			for _, f := range fields {
				size += len(f.Name) + len(f.Value) + len(": \r\n")
			}
			if h.count != all || h.size != size && !h.long {
				t.Fatalf("%q: %d fields of %d bytes, hpack has %d of %d", block, h.count, h.size, all, size)
			}
			fields = slices.DeleteFunc(fields, func(f hpack.HeaderField) bool {
				ours := field{name: []byte(f.Name)}
				ours.classify()
				return ours.class == nameUnread
			})
			if !h.long && len(fields) != len(h.fields) {
				t.Fatalf("%q: %d fields that are read, hpack has %d", block, len(h.fields), len(fields))
			}
			for i := range h.fields {
				if ours := &h.fields[i]; string(ours.name) != fields[i].Name || string(ours.value) != fields[i].Value {
					t.Fatalf("%q: field %d is %q: %q, hpack has %q", block, i, ours.name, ours.value, fields[i])
				}
			}
			heads.Put(h)
		}
	})
}

// FuzzAppendHead: what is sent of a head is read by package hpack as it was.
func FuzzAppendHead(f *testing.F) {
	f.Add("200", "Content-Type", "text/css; charset=utf-8", "X-Request-Id", "0")
	f.Add("418", "etag", `"a"`, "Long-"+string(bytes.Repeat([]byte("n"), 200)), string(bytes.Repeat([]byte("v"), 300)))
	f.Fuzz(func(t *testing.T, status, name, value, name2, value2 string) {
		if len(status) != 3 {
			return
		}
		for _, part := range []string{status, name, value, name2, value2} {
			if bytes.ContainsAny([]byte(part), "\r\n:") || len(part) > 0 && (part[0] == ' ' || part[0] == ':') {
				return
			}
		}
		text := "HTTP/1.1 " + status + " OK\r\n" + name + ": " + value + "\r\n" + name2 + ": " + value2 + "\r\n"
		cache := newHeadCache()
		var blocks [3][]byte
		for i := range blocks { // made, kept, taken from what is kept
			blocks[i] = cache.append(nil, []byte(text))
		}
		fields, err := hpack.NewDecoder(4096, nil).DecodeFull(blocks[0])
		if err != nil || len(fields) != 3 || !bytes.Equal(blocks[0], blocks[2]) {
			t.Fatalf("%q: %v, %v, %q", text, fields, err, blocks)
		}
		for i, want := range [][2]string{{":status", status}, {lower(name), value}, {lower(name2), value2}} {
			if fields[i].Name != want[0] || fields[i].Value != want[1] {
				t.Errorf("field %d is %v, want %q", i, fields[i], want)
			}
		}
	})
}

func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return string(b)
}
