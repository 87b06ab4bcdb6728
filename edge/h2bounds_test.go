package edge_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"example.com/livery/edge"
	"example.com/livery/internal/test/floods"
	"example.com/livery/internal/test/race"
	"golang.org/x/net/http2/hpack"
)

// memoryNow is what lives on the heap, and the stacks of goroutines.
func memoryNow() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// What a flood from one address may take, the flood's own side included: requests and refusals under way, connections, and
// buffers. Connections that no loop carries have goroutines and buffers of their own.
const (
	mostOfAFlood           = 16 << 20
	mostWithoutTheFastPath = 32 << 20
)

// Whatever one address sends in HTTP/2, the edge takes a bounded amount of memory for it and goes on
// answering others.
func TestFloodsAreBounded(t *testing.T) {
	f := newFeed(t)
	f.publish(thm, bigTheme())
	s := runSecured(t, f)
	latest := path("-", "latest", "tokens.css")
	want(t, s.h2.get(latest), 200, "")
	address := strings.TrimPrefix(s.h2.url, "https://")
	slow := slowPrefaces(t, address)
	most := int64(mostOfAFlood)
	if !fastPath(t) {
		most = mostWithoutTheFastPath
	}
	for _, attack := range floods.All {
		t.Run(attack.Name, func(t *testing.T) {
			if race.Enabled {
				attack.Conns = min(attack.Conns, 10)
			}
			before := memoryNow()
			end := attack.Open(address, latest)
			defer end()
			wrong, _ := witness(address, latest, 6)
			if len(wrong) > 0 {
				t.Errorf("others are not answered: %q", wrong)
			}
			if took := memoryNow() - before; took > most && !race.Enabled {
				t.Errorf("the flood takes %d KiB, want at most %d", took>>10, most>>10)
			} else {
				t.Logf("%d KiB, %v connections, %v refused so far", took>>10, s.counted("livery_edge_connections"), s.counted("livery_edge_shed_total"))
			}
		})
		eventually(t, "an end of the flood", func() bool { return s.counted("livery_edge_connections") < 10 })
	}
	for begun, c := range slow {
		if _, err := io.Copy(io.Discard, c); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("a client that has sent %d bytes of the preface keeps its connection", begun)
		}
	}
}

// slowPrefaces opens connections whose clients send a part of the preface, by how much of it, and then nothing.
func slowPrefaces(t *testing.T, address string) map[int]net.Conn {
	conns := map[int]net.Conn{}
	for _, begun := range []int{0, 1, len(floods.Preface) - 1} {
		c, err := floods.Dial("127.0.0.1", address, "h2")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		_ = c.SetDeadline(time.Now().Add(time.Minute))
		if _, err := io.WriteString(c, floods.Preface[:begun]); err != nil {
			t.Fatal(err)
		}
		conns[begun] = c
	}
	return conns
}

// answersTo sends requests on a connection whose windows are as settings say, and returns the statuses and resets
// that come for them.
func answersTo(t *testing.T, c net.Conn, settings string, requests ...string) map[string]int {
	t.Helper()
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	if _, err := io.WriteString(c, floods.Preface+settings+strings.Join(requests, "")); err != nil {
		t.Fatal(err)
	}
	got, r := map[string]int{}, bufio.NewReader(c)
	decoder := hpack.NewDecoder(4096, nil)
	for n := 0; n < len(requests); {
		f, err := floods.ReadFrame(r)
		if err != nil {
			t.Fatalf("after %v: %v", got, err)
		}
		switch {
		case f.Kind == frameHeaders:
			fields, err := decoder.DecodeFull(f.Payload)
			if err != nil {
				t.Fatal(err)
			}
			got[fields[0].Value]++ // ":status" comes first
			n++
		case f.Kind == frameReset:
			got["reset"]++
			n++
		}
	}
	return got
}

// The requests of one client count over its connections: beyond the bound they are refused, and reset if it does not take
// the refusals, until some are done. Other clients have room of their own.
func TestRequestsOfOneClientAreBounded(t *testing.T) {
	f := publishedFeed(t)
	s := runSecured(t, f, func(c *edge.Config) { c.StreamsOfOneClient = 40 })
	s.settle()
	latest := path("-", "latest", "tokens.css")
	want(t, s.get(latest), 200, "") // in HTTP/1.1: the connections of HTTP/2 are the attack's alone
	address := strings.TrimPrefix(s.h2.url, "https://")
	attack := floods.Flood{Conns: 2, Streams: 100, Head: floods.IndexedOnce("accept", "a", 1)}
	end := attack.Open(address, latest)
	eventually(t, "a quarter of what one client has under way is refused", func() bool { return s.counted("livery_edge_shed_total") == 10 })
	eventually(t, "a third connection that is offered HTTP/1.1 alone", func() bool {
		third, err := floods.Dial("127.0.0.1", address, "h2", "http/1.1")
		if err != nil {
			t.Fatal(err)
		}
		defer third.Close()
		return third.ConnectionState().NegotiatedProtocol == "http/1.1"
	})
	if wrong, _ := witness(address, latest, 4); len(wrong) > 0 {
		t.Errorf("others are not answered: %q", wrong)
	}
	end()
	eventually(t, "room again", func() bool {
		c, err := floods.Dial("127.0.0.1", address, "h2")
		if err != nil {
			return false
		}
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(time.Minute))
		return answersTo(t, c, "\x00\x00\x00\x04\x00\x00\x00\x00\x00", headersOf(1, latest))["200"] == 1
	})
}

const openWindows = "\x00\x00\x00\x04\x00\x00\x00\x00\x00" // empty SETTINGS

// A head is bounded by its fields, the crumbs of a cookie counted, and by its bytes, and may not name trailers. What is
// refused is one request: the compression of those behind it is still understood.
func TestHeadsOfHTTP2AreBounded(t *testing.T) {
	s := runSecured(t, publishedFeed(t))
	latest := path("-", "latest", "tokens.css")
	want(t, s.h2.get(latest), 200, "")
	address := strings.TrimPrefix(s.h2.url, "https://")
	const own = 4 // fields that floods.HeadFrames writes
	long := func(n int) string { return "\x00" + floods.Text("x-long") + floods.Text(strings.Repeat("a", n)) }
	for _, tt := range []struct {
		name   string
		blocks []string
		status string
	}{
		{"a plain request", []string{""}, "200"},
		{"in four frames", []string{"", "\x00\x01x", "\x01a", ""}, "200"},
		{"256 fields", floods.IndexedOnce("cookie", "a", 256-own)(0), "200"},
		{"257 fields", floods.IndexedOnce("cookie", "a", 257-own)(0), "431"},
		{"1,500 fields", floods.IndexedOnce("cookie", "a", 1500)(0), "431"},
		{"15,000 bytes", []string{long(15_000)}, "200"},
		{"20,000 bytes", []string{long(10_000), long(10_000)}, "431"},
		{"30,000 bytes in one field", []string{long(30_000)[:16_000], long(30_000)[16_000:]}, "431"},
		{"a trailer", floods.IndexedOnce("trailer", "a", 1)(0), "400"},
		{"700 trailers", floods.IndexedOnce("trailer", floods.TrailerNames(700), 1)(0), "400"},
		{"a fault of our own", []string{"\x00" + floods.Text("livery-fault") + floods.Text("too long")}, "200"},
	} {
		c, err := floods.Dial("127.0.0.1", address, "h2")
		if err != nil {
			t.Fatal(err)
		}
		requests := []string{strings.Join(floods.HeadFrames(1, tt.blocks, latest), ""), strings.Join(floods.HeadFrames(3, []string{"\x40\x03x-b\x01c"}, latest), ""), strings.Join(floods.HeadFrames(5, []string{"\xbe"}, latest), "")}
		got := answersTo(t, c, openWindows, requests...)
		if wanted := map[string]int{"200": 2}; got[tt.status] == 0 || tt.status != "200" && got["200"] != wanted["200"] || tt.status == "200" && got["200"] != 3 {
			t.Errorf("%s: %v, want %s and two of 200", tt.name, got, tt.status)
		}
		_ = c.Close()
	}
}

// Padding and priority may stand around a head, and what is not well formed ends the stream or the connection with a reason.
func TestFramesOfHeadsAreReadAsTheyAre(t *testing.T) {
	s := runSecured(t, publishedFeed(t))
	latest := path("-", "latest", "tokens.css")
	want(t, s.h2.get(latest), 200, "")
	head := "\x82\x87\x04" + floods.Text(latest) + "\x01\x01a"
	const padded, withPriority = 0x8, 0x20
	for _, tt := range []struct {
		name, frames string
		code         uint32 // of GOAWAY or RST_STREAM; 0: the request is answered
	}{
		{"padding", floods.FrameOf(1, endStream|endHeaders|padded, 1, "\x03"+head+"\x00\x00\x00"), 0},
		{"priority", floods.FrameOf(1, endStream|endHeaders|withPriority, 1, "\x00\x00\x00\x00\x10"+head), 0},
		{"both, and a continuation", floods.FrameOf(1, endStream|padded|withPriority, 1, "\x01\x00\x00\x00\x00\x10"+head[:9]+"\x00") + floods.FrameOf(9, endHeaders, 1, head[9:]), 0},
		{"an index of nothing", floods.FrameOf(1, endStream|endHeaders, 1, head+"\xff\x00"), 0x9},
		{"half a field", floods.FrameOf(1, endStream|endHeaders, 1, head+"\x00\x05ab"), 0x9},
		{"more padding than there is", floods.FrameOf(1, endStream|endHeaders|padded, 1, "\xff"+head), 0x1},
		{"another frame within a head", floods.FrameOf(1, endStream, 1, head) + floods.FrameOf(6, 0, 0, "12345678"), 0x1},
		{"a continuation of another stream", floods.FrameOf(1, endStream, 1, head) + floods.FrameOf(9, endHeaders, 3, ""), 0x1},
		{"stream 0", floods.FrameOf(1, endStream|endHeaders, 0, head), 0x1},
		{"a frame that is too long", floods.FrameOf(1, endStream|endHeaders, 1, head+strings.Repeat("\x00", 20_000)), 0x6},
	} {
		c := s.dialH2(t)
		if _, err := io.WriteString(c, tt.frames); err != nil {
			t.Fatal(err)
		}
		for r := bufio.NewReader(c); ; {
			f, err := floods.ReadFrame(r)
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
				break
			}
			if f.Kind == frameGoAway || f.Kind == frameReset {
				if code(f) != tt.code || tt.code == 0 {
					t.Errorf("%s: it ends with %d, want %d", tt.name, code(f), tt.code)
				}
				break
			}
			if f.Kind == frameHeaders {
				if tt.code != 0 || f.Payload[0] != 0x88 {
					t.Errorf("%s: a head of %q, want an end with %d or 200", tt.name, f.Payload, tt.code)
				}
				break
			}
		}
		_ = c.Close()
	}
}

// A client that keeps its windows closed has its streams reset after the time for an answer, and does not count any more.
func TestClosedWindowsAreNotWaitedFor(t *testing.T) {
	t.Parallel()
	f := publishedFeed(t)
	s := runSecured(t, f, func(c *edge.Config) { c.WriteTimeout, c.StreamsOfOneClient = 300*time.Millisecond, 40 })
	latest := path("-", "latest", "tokens.css")
	want(t, s.get(latest), 200, "") // in HTTP/1.1, whose time for an answer begins with it
	address := strings.TrimPrefix(s.h2.url, "https://")
	const streams = 40
	for range 2 {
		c, err := floods.Dial("127.0.0.2", address, "h2")
		if err != nil {
			t.Fatal(err)
		}
		_ = c.SetDeadline(time.Now().Add(time.Minute))
		requests := ""
		for n := range uint32(streams) {
			requests += headersOf(2*n+1, latest)
		}
		if _, err := io.WriteString(c, floods.Preface+floods.ClosedWindow+requests); err != nil {
			t.Fatal(err)
		}
		resets, r := 0, bufio.NewReader(c)
		for resets < streams {
			f, err := floods.ReadFrame(r)
			if err != nil {
				t.Fatalf("after %d resets: %v", resets, err)
			}
			if f.Kind == frameReset {
				resets++
			}
		}
		_ = c.Close()
	}
	if shed := s.counted("livery_edge_shed_total"); shed != 0 {
		t.Errorf("%v requests were refused, want none: those that were reset do not count", shed)
	}
}
