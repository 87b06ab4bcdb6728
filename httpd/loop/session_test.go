package loop

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// echo is a session of lines: "say TEXT" comes back, "twice N" brings N bytes, "later" is answered by another goroutine, "end"
// ends. What is not a line yet is waited for until the limit.
type echo struct {
	log      *echoes
	wake     func()
	line     []byte
	answer   []byte
	ended    bool
	deadline time.Time
	limit    time.Duration

	mu    sync.Mutex // guards later
	later []byte
}

// echoes makes sessions and counts what became of them.
type echoes struct {
	limit                         atomic.Int64 // of a session, as a time.Duration
	most                          int64        // sessions; 0: any number
	begun, drained, closed, spent atomic.Int64
	remote                        atomic.Value
}

func newEchoes(limit time.Duration) *echoes {
	e := new(echoes)
	e.limit.Store(int64(limit))
	return e
}

func (e *echoes) begin(remote netip.AddrPort, source Source, wake func()) Session {
	if n := e.begun.Add(1); e.most > 0 && n > e.most {
		return nil
	}
	e.remote.Store(remote)
	return &echo{log: e, wake: wake, limit: time.Duration(e.limit.Load())}
}

// Receive implements Session.
func (e *echo) Receive(p []byte, now time.Time) {
	e.deadline = now.Add(e.limit)
	for line := range strings.Lines(string(p)) {
		e.line = append(e.line, line...)
		text, whole := strings.CutSuffix(string(e.line), "\n")
		if !whole {
			return
		}
		e.line = e.line[:0]
		verb, rest, _ := strings.Cut(text, " ")
		switch verb {
		case "say":
			e.answer = append(e.answer, rest+"\n"...)
		case "much":
			e.answer = append(e.answer, strings.Repeat("x", 4<<20)+"\n"...)
		case "later":
			go e.say(rest)
		case "end":
			e.ended = true
		}
	}
}

func (e *echo) say(text string) {
	e.mu.Lock()
	e.later = append(e.later, text+"\n"...)
	e.mu.Unlock()
	e.wake()
}

// Append implements Session.
func (e *echo) Append(dst []byte, _ time.Time) []byte {
	e.mu.Lock()
	e.answer, e.later = append(e.answer, e.later...), nil
	e.mu.Unlock()
	n := min(len(e.answer), cap(dst)-len(dst))
	dst = append(dst, e.answer[:n]...)
	e.answer = e.answer[n:]
	return dst
}

// Bytes implements Session.
func (e *echo) Bytes() int { return cap(e.line) }

// Ended implements Session.
func (e *echo) Ended() bool { return e.ended && len(e.answer) == 0 }

// Deadline implements Session.
func (e *echo) Deadline() time.Time { return e.deadline }

// Expire implements Session.
func (e *echo) Expire(time.Time) {
	e.log.spent.Add(1)
	e.answer = append(e.answer, "too late\n"...)
	e.ended = true
}

// Drain implements Session.
func (e *echo) Drain(time.Time) {
	e.log.drained.Add(1)
	e.answer = append(e.answer, "drained\n"...)
	e.ended = true
}

// Close implements Session.
func (e *echo) Close() { e.log.closed.Add(1) }

// openEchoes opens a server whose clients may speak echo, and returns how to dial it.
func openEchoes(t *testing.T, wrap func(net.Listener) net.Listener, e *echoes, change ...func(*Config)) (h *testServer, dial func() (net.Conn, *bufio.Reader)) {
	h = openSecureServer(t, wrap, map[string]SessionFunc{"echo": e.begin}, change...)
	h.trusted.NextProtos = []string{"echo"}
	return h, func() (net.Conn, *bufio.Reader) {
		c := h.dial(t)
		return c, bufio.NewReader(c)
	}
}

// line sends a request and returns the next line that comes back.
func line(t *testing.T, c net.Conn, r *bufio.Reader, request string) string {
	t.Helper()
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	text, err := r.ReadString('\n')
	if err != nil {
		t.Fatalf("no answer to %.40q: %v", request, err)
	}
	return strings.TrimSuffix(text, "\n")
}

// TestSessionsSpeakTheProtocolThatWasAgreedOn: a session gets what comes and sends what it has, more than a socket
// takes at once too, and by itself; who chose HTTP/1.1 is served beside it.
func TestSessionsSpeakTheProtocolThatWasAgreedOn(t *testing.T) {
	for _, way := range ways[:2] {
		t.Run(way.name, func(t *testing.T) { speak(t, way.wrap) })
	}
}

func speak(t *testing.T, wrap func(net.Listener) net.Listener) {
	e := newEchoes(time.Minute)
	h, dial := openEchoes(t, wrap, e)
	c, r := dial()
	if got := line(t, c, r, "say a\nsay b\n"); got != "a" {
		t.Errorf("first %q", got)
	}
	if got := line(t, c, r, "sa"); got != "b" {
		t.Errorf("then %q", got)
	}
	if got := line(t, c, r, "y c\n"); got != "c" {
		t.Errorf("a line in two pieces: %q", got)
	}
	if got := line(t, c, r, "later d\n"); got != "d" {
		t.Errorf("from another goroutine: %q", got)
	}
	if got := line(t, c, r, strings.Repeat("much\n", 3)); len(got) != 4<<20 {
		t.Errorf("much: %d bytes", len(got))
	}
	plain := h.trusted.Clone()
	plain.NextProtos = nil
	other, err := tls.Dial("tcp", h.address, plain)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if resp, _ := ask(t, other, bufio.NewReader(other), get("/2k.css")); resp.StatusCode != 200 {
		t.Errorf("beside it: status %d", resp.StatusCode)
	}
	for range 2 {
		if got, err := r.ReadString('\n'); len(got) != 4<<20+1 || err != nil {
			t.Errorf("much: %d bytes, %v", len(got), err)
		}
	}
	if got := e.remote.Load().(netip.AddrPort); got.String() != c.LocalAddr().String() {
		t.Errorf("the client is %v, want %v", got, c.LocalAddr())
	}
	if got := line(t, c, r, "say e\nend\n"); got != "e" {
		t.Errorf("last %q", got)
	}
	ended(t, r)
	eventually(t, "the session is closed", func() bool { return e.closed.Load() == 1 })
	if c, r := dial(); line(t, c, r, "say f\n") != "f" {
		t.Error("a second session")
	} else {
		_ = socket(c).SetLinger(0)
		_ = socket(c).Close()
	}
	eventually(t, "the second session is closed", func() bool { return e.closed.Load() == 2 })
}

// TestSessionsEndInTime: by their deadlines, in a shutdown, by their clients' ends and if there are too many.
func TestSessionsEndInTime(t *testing.T) {
	e := newEchoes(soon)
	h, dial := openEchoes(t, ways[0].wrap, e)
	c, r := dial()
	if got := line(t, c, r, "say a\n") + line(t, c, r, ""); got != "atoo late" {
		t.Errorf("a silent session: %q", got)
	}
	ended(t, r)
	if e.spent.Load() != 1 {
		t.Errorf("%d sessions are told, want 1", e.spent.Load())
	}
	eventually(t, "the session is counted", func() bool { return h.loop.Stats().Expired == 1 })
	e.limit.Store(int64(time.Minute))
	c, r = dial()
	line(t, c, r, "say b\n")
	gone, _ := dial()
	closeWrite(gone)
	eventually(t, "the session of a client that ended is closed", func() bool { return e.closed.Load() == 2 })
	var closing sync.WaitGroup
	closing.Go(func() { _ = h.loop.Shutdown(t.Context()) })
	if got := line(t, c, r, ""); got != "drained" {
		t.Errorf("in a shutdown: %q", got)
	}
	ended(t, r)
	closing.Wait()
	if e.drained.Load() != 1 {
		t.Errorf("%d sessions drained, want 1", e.drained.Load())
	}
}

// TestShutdownDoesNotWaitForAClient: one that takes nothing of what its session sends is cut when the time is over.
func TestShutdownDoesNotWaitForAClient(t *testing.T) {
	for _, way := range ways[:2] {
		t.Run(way.name, func(t *testing.T) {
			h, dial := openEchoes(t, way.wrap, newEchoes(time.Minute))
			c, _ := dial()
			if _, err := io.WriteString(c, strings.Repeat("much\n", 8)); err != nil {
				t.Fatal(err)
			}
			over, cancel := context.WithCancel(t.Context())
			cancel()
			if err := h.loop.Shutdown(over); !errors.Is(err, context.Canceled) {
				t.Errorf("Shutdown returned %v", err)
			}
		})
	}
}

// TestSessionsMayBeRefused: a protocol that makes no session ends the connection.
func TestSessionsMayBeRefused(t *testing.T) {
	e := newEchoes(time.Minute)
	e.most = 4
	h, dial := openEchoes(t, ways[0].wrap, e)
	for range 4 {
		c, r := dial()
		line(t, c, r, "say a\n")
	}
	_, r := dial()
	ended(t, r)
	eventually(t, "four are left", func() bool { return h.loop.Stats().Connections == 4 })
}

// trickling is a socket that sends one byte at a time.
type trickling struct{ net.Conn }

// Write implements net.Conn.
func (c trickling) Write(p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		_, err = c.Conn.Write(p[n : n+1])
		n++
	}
	return n, err
}

// TestRecordsComeInPieces: whatever part of a record has come, of the handshake's or a request's, the rest is waited for.
func TestRecordsComeInPieces(t *testing.T) {
	h := openSecureServer(t, ways[0].wrap, nil)
	inner, err := net.Dial("tcp", h.address)
	if err != nil {
		t.Fatal(err)
	}
	defer inner.Close()
	c := tls.Client(trickling{inner}, h.trusted)
	r := bufio.NewReader(c)
	for _, path := range []string{"/2k.css", "/nothing", "/20k.css"} {
		if resp, body := ask(t, c, r, get(path)); path == "/nothing" && resp.StatusCode != 404 || path != "/nothing" && body != string(h.files[path].body) {
			t.Errorf("%s: status %d, %d bytes", path, resp.StatusCode, len(body))
		}
	}
}
