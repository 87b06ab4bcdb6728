package h2_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// atOnce returns what a session does with the frames of c without its handler: "GOAWAY" or "RST_STREAM" with the error,
// the status that is answered, or "".
func atOnce(t *testing.T, c *client) string {
	t.Helper()
	s := newServer(func(ctx *fasthttp.RequestCtx) { ctx.SetStatusCode(fasthttp.StatusTeapot) }).Begin(here, notModified{}, func() {})
	defer s.Close()
	s.Receive(c.sent(), start)
	f := http2.NewFramer(nil, bytes.NewReader(s.Append(make([]byte, 0, 64<<10), start)))
	f.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return ""
		}
		switch frame := frame.(type) {
		case *http2.MetaHeadersFrame:
			if status := frame.PseudoValue("status"); status != "418" {
				return status
			}
		case *http2.RSTStreamFrame:
			return "RST_STREAM " + frame.ErrCode.String()
		case *http2.GoAwayFrame:
			return "GOAWAY " + frame.ErrCode.String()
		}
	}
}

// fieldsOf reads "name: value" lines; a name may begin with a colon.
func fieldsOf(lines string) (fields []hpack.HeaderField) {
	for line := range strings.SplitSeq(lines, "\n") {
		name, value, _ := strings.Cut(line[1:], ": ")
		fields = append(fields, hpack.HeaderField{Name: line[:1] + name, Value: value})
	}
	return fields
}

const (
	requestLine = ":method: GET\n:scheme: https\n:authority: a.example\n:path: /a.css"
	malformed   = "RST_STREAM PROTOCOL_ERROR"
	plain       = "304"
)

// TestMalformedRequests goes through what RFC 9113 sections 8.1 to 8.5 demand of a request.
func TestMalformedRequests(t *testing.T) {
	without := func(line string) string {
		return strings.TrimPrefix(strings.ReplaceAll("\n"+requestLine, "\n"+line, ""), "\n")
	}
	with := func(was, is string) string {
		if !strings.Contains(requestLine, was) {
			t.Fatalf("the request has no %q", was)
		}
		return strings.Replace(requestLine, was, is, 1)
	}
	type request struct{ name, fields, want string }
	tests := []request{
		{"a request", requestLine, plain},

		// Section 8.3.1.
		{"no method", without(":method: GET"), malformed},
		{"no scheme", without(":scheme: https"), malformed},
		{"no path", without(":path: /a.css"), malformed},
		{"no authority and no host", without(":authority: a.example"), malformed},
		{"a host for the authority", without(":authority: a.example") + "\nhost: a.example", plain},
		{"a host beside the authority", requestLine + "\nhost: a.example", plain},
		{"another host beside the authority", requestLine + "\nhost: b.example", "400"},
		{"two hosts", requestLine + "\nhost: a.example\nhost: a.example", malformed},
		{"two methods", requestLine + "\n:method: GET", malformed},
		{"two schemes", requestLine + "\n:scheme: https", malformed},
		{"two authorities", requestLine + "\n:authority: a.example", malformed},
		{"two paths", requestLine + "\n:path: /a.css", malformed},
		{"an empty method", with("GET", ""), malformed},
		{"an empty scheme", with("https", ""), malformed},
		{"an empty authority", with("a.example", ""), malformed},
		{"an empty host", without(":authority: a.example") + "\nhost: ", malformed},
		{"an empty path", with("/a.css", ""), malformed},
		{"a path without a slash", with("/a.css", "a.css"), malformed},
		{"an absolute URI as path", with("/a.css", "https://a.example/a.css"), malformed},
		{"an asterisk", with("/a.css", "*"), malformed},
		{"OPTIONS *", ":method: OPTIONS\n:scheme: https\n:authority: a.example\n:path: *", ""},
		{"a space in the path", with("/a.css", "/a b"), malformed},
		{"a tab in the path", with("/a.css", "/a\tb"), malformed},
		{"a method of another kind", with("GET", "BREW"), ""},
		{"a method that is no token", with("GET", "GE T"), malformed},
		{"a method in brackets", with("GET", "(GET)"), malformed},
		{"a scheme with a colon", with("https", "https:"), malformed},
		{"an authority with a port", with("a.example", "a.example:8443"), plain},
		{"an authority in brackets", with("a.example", "[::1]:8443"), ""},
		{"an authority with user information", with("a.example", "user@a.example"), malformed},
		{"an authority with a password", with("a.example", "user:pass@a.example"), malformed},
		{"a host with user information", without(":authority: a.example") + "\nhost: user@a.example", malformed},
		{"an authority with a path", with("a.example", "a.example/b"), malformed},
		{"an authority with a space", with("a.example", "a b"), malformed},

		// Section 8.3.
		{"a pseudo-header field of an answer", requestLine + "\n:status: 200", malformed},
		{"a pseudo-header field that is not defined", requestLine + "\n:other: a", malformed},
		{"a pseudo-header field of an extension", requestLine + "\n:protocol: websocket", malformed},
		{"a pseudo-header field behind another field", "accept: a\n" + requestLine, malformed},

		// Section 8.2.2.
		{"Connection", requestLine + "\nconnection: close", malformed},
		{"Keep-Alive", requestLine + "\nkeep-alive: timeout=5", malformed},
		{"Proxy-Connection", requestLine + "\nproxy-connection: close", malformed},
		{"Transfer-Encoding", requestLine + "\ntransfer-encoding: chunked", malformed},
		{"Upgrade", requestLine + "\nupgrade: h2c", malformed},
		{"TE", requestLine + "\nte: trailers", plain},
		{"TE of another value", requestLine + "\nte: gzip", malformed},
		{"TE of a list", requestLine + "\nte: trailers, gzip", malformed},

		// Section 8.1.1.
		{"no body", requestLine + "\ncontent-length: 0", plain},
		{"a body that does not come", requestLine + "\ncontent-length: 1", malformed},
		{"two lengths", requestLine + "\ncontent-length: 0\ncontent-length: 1", malformed},
		{"a list of lengths", requestLine + "\ncontent-length: 0, 0", malformed},
		{"a negative length", requestLine + "\ncontent-length: -0", malformed},
		{"an empty length", requestLine + "\ncontent-length: ", malformed},

		// Section 8.5.
		{"CONNECT", ":method: CONNECT\n:authority: a.example:443", ""},
		{"CONNECT with a scheme", ":method: CONNECT\n:authority: a.example:443\n:scheme: https", malformed},
		{"CONNECT with a path", ":method: CONNECT\n:authority: a.example:443\n:path: /", malformed},
		{"CONNECT to nowhere", ":method: CONNECT", malformed},
	}
	// Section 8.2.1.
	for _, name := range []string{":method", ":scheme", ":authority", ":path", "host", "accept", "accept-encoding", "cookie", "x-unknown", "te", "content-length", "expect"} {
		value := map[string]string{":method": "GET", ":scheme": "https", ":authority": "a.example", ":path": "/a.css", "host": "a.example", "te": "trailers", "content-length": "0"}[name]
		for _, odd := range []string{" " + value, value + " ", "\t" + value, value + "\t", value + "\x00", "\n" + value, value + "\r\n", value + "\x7f", "\x01" + value} {
			fields := requestLine + "\n" + name + ": \x80"
			if name[0] == ':' {
				fields = with(name+": "+value, name+": \x80")
			}
			tests = append(tests, request{fmt.Sprintf("%s: %q", name, odd), strings.Replace(fields, "\x80", strings.ReplaceAll(odd, "\n", "\x81"), 1), malformed})
		}
	}
	for c := range 256 {
		if name := "x" + string([]byte{byte(c)}); c != '\n' && strings.IndexByte("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz", byte(c)) < 0 && c != ':' {
			tests = append(tests, request{fmt.Sprintf("a field named %q", name), requestLine + "\n" + name + ": a", malformed})
		}
	}
	for _, tt := range tests {
		for _, indexed := range []bool{false, true} {
			c := newClient()
			c.block.Reset()
			for _, f := range fieldsOf(tt.fields) {
				f.Value, f.Sensitive = strings.ReplaceAll(f.Value, "\x81", "\n"), !indexed
				if err := c.encoder.WriteField(f); err != nil {
					t.Fatal(err)
				}
			}
			if err := c.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: c.block.Bytes(), EndStream: true, EndHeaders: true}); err != nil {
				t.Fatal(err)
			}
			if got := atOnce(t, c); got != tt.want {
				t.Errorf("%s (indexed: %t): %q, want %q", tt.name, indexed, got, tt.want)
			}
		}
	}
}

// TestMalformedBodies: a body has the length that its request declares, and what follows it ends the request (RFC 9113
// section 8.1).
func TestMalformedBodies(t *testing.T) {
	for _, tt := range []struct {
		name     string
		length   string
		body     string
		trailers string
		ended    bool // by the last frame
		want     string
	}{
		{"as declared", "3", "abc", "", true, ""},
		{"not declared", "", "abc", "", true, ""},
		{"shorter", "4", "abc", "", true, malformed},
		{"longer", "2", "abc", "", true, malformed},
		{"trailers", "3", "abc", "a: b", true, ""},
		{"trailers that are not the end", "3", "abc", "a: b", false, malformed},
		{"trailers with a pseudo-header field", "3", "abc", ":path: /", true, malformed},
		{"trailers with a field of the connection", "3", "abc", "connection: close", true, malformed},
		{"trailers with a space", "3", "abc", "a: b ", true, malformed},
		{"trailers behind a shorter body", "4", "abc", "a: b", true, malformed},
	} {
		c := newClient()
		write := func(fields string, end bool) {
			c.block.Reset()
			for _, f := range fieldsOf(fields) {
				_ = c.encoder.WriteField(f)
			}
			_ = c.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: c.block.Bytes(), EndStream: end, EndHeaders: true})
		}
		head := requestLine
		if tt.length != "" {
			head += "\ncontent-length: " + tt.length
		}
		write(head, false)
		_ = c.WriteData(1, tt.ended && tt.trailers == "", []byte(tt.body))
		if tt.trailers != "" {
			write(tt.trailers, tt.ended)
		}
		if got := atOnce(t, c); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestMalformedFrames goes through what RFC 9113 sections 4.2, 5.1 and 6 demand of each frame.
func TestMalformedFrames(t *testing.T) {
	const protocol, size, flow, closed = "GOAWAY PROTOCOL_ERROR", "GOAWAY FRAME_SIZE_ERROR", "GOAWAY FLOW_CONTROL_ERROR", "RST_STREAM STREAM_CLOSED"
	const endStream, endHeaders, padded, priority = 0x1, 0x4, 0x8, 0x20
	n := func(bytes int) string { return strings.Repeat("\x00", bytes) }
	setting := func(id byte, value string) string { return string([]byte{0, id}) + value }
	var block bytes.Buffer
	e := hpack.NewEncoder(&block)
	for _, f := range fieldsOf(requestLine) {
		_ = e.WriteField(f)
	}
	head := block.String()
	for _, tt := range []struct {
		name    string
		kind    http2.FrameType
		flags   http2.Flags
		stream  uint32
		payload string
		want    string
	}{
		// Stream 1 is half closed, 3 is open; 5, 7 and all of even numbers are idle.
		{"DATA of the connection", http2.FrameData, 0, 0, "a", protocol},
		{"DATA of an idle stream", http2.FrameData, 0, 5, "a", protocol},
		{"DATA of a stream of the server's", http2.FrameData, 0, 2, "a", protocol},
		{"DATA behind the end", http2.FrameData, 0, 1, "a", closed},
		{"DATA with padding", http2.FrameData, padded, 3, "\x02a\x00\x00", ""},
		{"DATA with padding alone", http2.FrameData, padded, 3, "\x02\x00\x00", ""},
		{"DATA with more padding than payload", http2.FrameData, padded, 3, "\x03\x00\x00", protocol},
		{"DATA without the length of its padding", http2.FrameData, padded, 3, "", size},

		{"HEADERS of the connection", http2.FrameHeaders, endHeaders | endStream, 0, head, protocol},
		{"HEADERS of a stream of the server's", http2.FrameHeaders, endHeaders | endStream, 2, head, protocol},
		{"HEADERS with padding", http2.FrameHeaders, endHeaders | endStream | padded, 5, "\x02" + head + n(2), plain},
		{"HEADERS with more padding than payload", http2.FrameHeaders, endHeaders | endStream | padded, 5, "\xff" + head, protocol},
		{"HEADERS with more padding than block", http2.FrameHeaders, endHeaders | endStream | padded | priority, 5, "\x02" + n(5) + "\x00", protocol},
		{"HEADERS without the length of its padding", http2.FrameHeaders, endHeaders | endStream | padded, 5, "", size},
		{"HEADERS with a priority", http2.FrameHeaders, endHeaders | endStream | priority, 5, n(5) + head, plain},
		{"HEADERS without its whole priority", http2.FrameHeaders, endHeaders | endStream | priority, 5, n(4), size},

		{"PRIORITY of the connection", http2.FramePriority, 0, 0, n(5), protocol},
		{"PRIORITY of an idle stream", http2.FramePriority, 0, 5, n(5), ""},
		{"PRIORITY of 4 bytes", http2.FramePriority, 0, 3, n(4), "RST_STREAM FRAME_SIZE_ERROR"},
		{"PRIORITY of 6 bytes", http2.FramePriority, 0, 3, n(6), "RST_STREAM FRAME_SIZE_ERROR"},

		{"RST_STREAM of the connection", http2.FrameRSTStream, 0, 0, n(4), protocol},
		{"RST_STREAM of an idle stream", http2.FrameRSTStream, 0, 5, n(4), protocol},
		{"RST_STREAM of a stream of the server's", http2.FrameRSTStream, 0, 2, n(4), protocol},
		{"RST_STREAM of 3 bytes", http2.FrameRSTStream, 0, 3, n(3), size},
		{"RST_STREAM of 5 bytes", http2.FrameRSTStream, 0, 3, n(5), size},

		{"SETTINGS of a stream", http2.FrameSettings, 0, 1, "", protocol},
		{"SETTINGS of 5 bytes", http2.FrameSettings, 0, 0, n(5), size},
		{"SETTINGS of 7 bytes", http2.FrameSettings, 0, 0, n(7), size},
		{"SETTINGS acknowledged with a payload", http2.FrameSettings, 0x1, 0, n(6), size},
		{"ENABLE_PUSH 2", http2.FrameSettings, 0, 0, setting(2, "\x00\x00\x00\x02"), protocol},
		{"INITIAL_WINDOW_SIZE 2^31", http2.FrameSettings, 0, 0, setting(4, "\x80\x00\x00\x00"), flow},
		{"MAX_FRAME_SIZE 2^14-1", http2.FrameSettings, 0, 0, setting(5, "\x00\x00\x3f\xff"), protocol},
		{"MAX_FRAME_SIZE 2^24", http2.FrameSettings, 0, 0, setting(5, "\x01\x00\x00\x00"), protocol},
		{"a setting that is not known", http2.FrameSettings, 0, 0, setting(0x99, n(4)), ""},

		{"PUSH_PROMISE", http2.FramePushPromise, endHeaders, 3, n(4) + head, protocol},

		{"PING of a stream", http2.FramePing, 0, 1, n(8), protocol},
		{"PING of 7 bytes", http2.FramePing, 0, 0, n(7), size},
		{"PING of 9 bytes", http2.FramePing, 0, 0, n(9), size},

		{"GOAWAY of a stream", http2.FrameGoAway, 0, 1, n(8), protocol},
		{"GOAWAY of no byte", http2.FrameGoAway, 0, 0, "", size},
		{"GOAWAY of 3 bytes", http2.FrameGoAway, 0, 0, n(3), size},
		{"GOAWAY of 7 bytes", http2.FrameGoAway, 0, 0, n(7), size},
		{"GOAWAY", http2.FrameGoAway, 0, 0, n(8), ""},
		{"GOAWAY with more", http2.FrameGoAway, 0, 0, n(20), ""},

		{"WINDOW_UPDATE of 3 bytes", http2.FrameWindowUpdate, 0, 0, n(3), size},
		{"WINDOW_UPDATE of 5 bytes", http2.FrameWindowUpdate, 0, 3, n(5), size},
		{"WINDOW_UPDATE by 0 of the connection", http2.FrameWindowUpdate, 0, 0, n(4), protocol},
		{"WINDOW_UPDATE by 0 of a stream", http2.FrameWindowUpdate, 0, 3, n(4), "RST_STREAM PROTOCOL_ERROR"},
		{"WINDOW_UPDATE of an idle stream", http2.FrameWindowUpdate, 0, 5, "\x00\x00\x00\x01", protocol},
		{"WINDOW_UPDATE of a stream of the server's", http2.FrameWindowUpdate, 0, 2, "\x00\x00\x00\x01", protocol},
		{"WINDOW_UPDATE beyond 2^31-1 of the connection", http2.FrameWindowUpdate, 0, 0, "\x7f\xff\xff\xff", flow},
		{"WINDOW_UPDATE beyond 2^31-1 of a stream", http2.FrameWindowUpdate, 0, 3, "\x7f\xff\xff\xff", "RST_STREAM FLOW_CONTROL_ERROR"},

		{"CONTINUATION without HEADERS", http2.FrameContinuation, endHeaders, 3, head, protocol},
		{"CONTINUATION of the connection", http2.FrameContinuation, endHeaders, 0, head, protocol},

		{"a frame that is not known", 0x99, 0xff, 3, n(3), ""},
		{"a frame that is too long", http2.FrameData, 0, 3, n(16<<10 + 1), size},
	} {
		c := newClient()
		const post = "\x83\x87\x84\x01\x01a" // by the static table; the handler answers it
		_ = c.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte(post), EndStream: true, EndHeaders: true})
		_ = c.WriteHeaders(http2.HeadersFrameParam{StreamID: 3, BlockFragment: []byte(post), EndHeaders: true})
		_ = c.WriteRawFrame(tt.kind, tt.flags, tt.stream, []byte(tt.payload))
		if got := atOnce(t, c); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
