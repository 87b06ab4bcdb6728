package live

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"example.com/livery/httpd"
	"example.com/livery/httpd/guard"
)

var client = netip.MustParseAddr("192.0.2.1")

// begin begins a stream of t, which counts how often it is woken.
func begin(tb testing.TB, h *Hub, t *Topic, r Request) (s httpd.Stream, woken *int) {
	tb.Helper()
	woken = new(int)
	r.Client = client
	if s = h.Begin(t, r, func() { *woken++ }); s == nil {
		tb.Fatal("a stream was refused")
	}
	return s, woken
}

func eventOf(b byte) *Event { return NewEvent([]byte(strings.Repeat(string(rune(b)), 32)), uint32(b)) }

// A stream says when the browser is to come back, what there is now, each change once, and something at each heartbeat. A
// change that comes while the one before was not sent takes its place.
func TestStreamSendsEachChangeOnce(t *testing.T) {
	h, topic, now := New(10, nil), &Topic{}, time.Unix(1000, 0)
	e := eventOf('1')
	topic.Update(func() *Event { return e })
	s, woken := begin(t, h, topic, Request{})
	next := func(want string) {
		t.Helper()
		got := string(s.Append(nil, now))
		if want == "" && got != "" || !strings.HasSuffix(got, want) {
			t.Errorf("%q was sent, want %q", got, want)
		}
	}
	first := string(s.Append(nil, now))
	const text = "event: change\nid: 313131313131313131313131\ndata: {\"version\":49}\n\n"
	if retry, rest, _ := strings.Cut(first, "\n\n"); !strings.HasPrefix(retry, "retry: ") || rest != text {
		t.Errorf("the stream begins with %q", first)
	}
	next("")
	topic.Update(func() *Event { return e }) // the same
	e = eventOf('2')
	topic.Update(func() *Event { return e })
	e = eventOf('3')
	topic.Update(func() *Event { return e })
	if *woken != 2 {
		t.Errorf("the stream was woken %d times, want 2", *woken)
	}
	next("id: 333333333333333333333333\ndata: {\"version\":51}\n\n")
	next("")
	if at := s.Deadline(); !at.Equal(now.Add(Heartbeat)) {
		t.Errorf("the heartbeat is due at %v", at)
	}
	now = now.Add(Heartbeat)
	next(":\n\n")
	next("")
	if h.Events() != 2 || s.Ended() {
		t.Errorf("%d events were counted, ended %v", h.Events(), s.Ended())
	}
	topic.Update(func() *Event { return nil })
	if !s.Ended() || *woken != 3 {
		t.Errorf("the stream of what is gone goes on (woken %d times)", *woken)
	}
	s.Close()
	if topic.Waits() || h.Open() != 0 {
		t.Error("a closed stream is counted")
	}
}

// A client that names the newest event gets none, and one whose time is up no more.
func TestStreamBeginsAndEndsWithItsRequest(t *testing.T) {
	h, topic, now := New(10, nil), &Topic{}, time.Unix(1000, 0)
	topic.Update(func() *Event { return eventOf('1') })
	s, _ := begin(t, h, topic, Request{LastID: eventOf('1').ID, Expires: now.Add(time.Second)})
	if got := string(s.Append(nil, now)); strings.Contains(got, "event") || !strings.HasPrefix(got, "retry: ") {
		t.Errorf("%q was sent", got)
	}
	if at := s.Deadline(); !at.Equal(now.Add(time.Second)) {
		t.Errorf("the stream is looked at at %v", at)
	}
	if s.Append(nil, now.Add(time.Second)); !s.Ended() {
		t.Error("the stream outlasts what it was allowed for")
	}
}

// Streams are bounded in all and for each client, and end with the hub; a closed topic has none.
func TestHubBoundsStreams(t *testing.T) {
	h, topic := New(3, guard.NewLimiter(2, nil)), &Topic{}
	topic.Update(func() *Event { return eventOf('1') })
	first, _ := begin(t, h, topic, Request{})
	begin(t, h, topic, Request{})
	if h.HasRoom(client) || h.Begin(topic, Request{Client: client}, func() {}) != nil {
		t.Error("one client has a third stream")
	}
	other := Request{Client: netip.MustParseAddr("192.0.2.2")}
	if !h.HasRoom(other.Client) || h.Begin(topic, other, func() {}) == nil {
		t.Error("another client has no stream")
	}
	other.Client = netip.MustParseAddr("192.0.2.3")
	if h.HasRoom(other.Client) || h.Begin(topic, other, func() {}) != nil {
		t.Error("there are more streams than there may be")
	}
	first.Close()
	if !h.HasRoom(client) {
		t.Error("the end of a stream makes no room")
	}
	s, woken := begin(t, h, topic, Request{})
	h.Close()
	if !s.Ended() || *woken != 1 || h.HasRoom(client) || h.Begin(topic, Request{Client: client}, func() {}) != nil {
		t.Error("the hub goes on")
	}
	closed := &Topic{}
	closed.Close()
	if s, _ := begin(t, New(1, nil), closed, Request{}); !s.Ended() {
		t.Error("a stream of a closed topic begins")
	}
	var off *Hub
	if off.Close(); off.Open() != 0 || off.Events() != 0 {
		t.Error("a hub that is not there counts")
	}
}

// A wakeup of a stream allocates nothing, and a stream little.
func TestStreamsAreSmall(t *testing.T) {
	const room = 128 // that HTTP/2 has
	h, topic, now := New(1<<20, nil), &Topic{}, time.Unix(1000, 0)
	topic.Update(func() *Event { return eventOf('1') })
	s, _ := begin(t, h, topic, Request{})
	part := make([]byte, 0, room)
	if n := testing.AllocsPerRun(100, func() {
		now = now.Add(Heartbeat)
		part = s.Append(part[:0], now)
	}); n > 0 {
		t.Errorf("%v allocations a heartbeat", n)
	}
	if longest := len("retry: 9999\n\n") + len(NewEvent(make([]byte, 32), 1<<32-1).text); longest > room {
		t.Errorf("%d bytes may be sent at once, and there is room for %d", longest, room)
	}
}
