//go:build linux

package load

import (
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

func always(int) []byte { return []byte(request) }

// serve runs a server on a free port until the test ends.
func serve(t *testing.T, handler http.HandlerFunc) (address string) {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: handler}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	t.Cleanup(func() {
		_ = s.Close()
		<-ended
	})
	return l.Addr().String()
}

func content(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Length", "2000")
	_, _ = io.WriteString(w, body)
}

var body = strings.Repeat("b", 2000)

// Every request that became due is answered once and counted once.
func TestEveryRequestIsCountedOnce(t *testing.T) {
	var asked atomic.Int64
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		content(w, body)
	})
	answers := 0
	got, err := Rate{Address: address, Connections: 4, PerSecond: 1000, For: 200 * time.Millisecond, Next: always, Each: func(took time.Duration, head []byte) {
		if answers++; took <= 0 || Status(head) != 200 || !strings.HasSuffix(string(head), "\r\n\r\n") {
			t.Errorf("told of %v, %q", took, head)
		}
	}}.Run()
	if err != nil {
		t.Fatal(err)
	}
	if got.Due != 200 || got.Unanswered != 0 || len(got.Waits) != 200 || answers != 200 || asked.Load() != 200 {
		t.Errorf("%d due, %d unanswered, %d waits, %d told, %d asked; want 200 of each and none unanswered", got.Due, got.Unanswered, len(got.Waits), answers, asked.Load())
	}
	if got.Took < 199*time.Millisecond || !slices.IsSorted(got.Waits) {
		t.Errorf("200 requests at 1,000 a second took %v", got.Took)
	}
}

// A server that stands still once makes every request late that was due meanwhile. Who counted from
// the moment of sending would see as many late answers as there are connections: 4 of 800.
func TestStallIsSeenInP99(t *testing.T) {
	const rest = time.Second
	var asked atomic.Int64
	var still sync.RWMutex
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) == 100 {
			still.Lock()
			time.Sleep(rest) // it is what the server does, not a wait of the test
			still.Unlock()
		}
		still.RLock()
		content(w, body)
		still.RUnlock()
	})
	got, err := Rate{Address: address, Connections: 4, PerSecond: 400, For: 2 * time.Second, Next: always}.Run()
	if err != nil {
		t.Fatal(err)
	}
	// The stall covers at least half of the time in which requests were due, so that half of them
	// waited, for evenly spread parts of it: 2% for longer than 96% of it.
	if p99, p75 := got.Waits.At(0.99), got.Waits.At(0.75); p99 < rest*9/10 || p75 < rest*4/10 {
		t.Errorf("a stall of %v shows as p75 %v and p99 %v", rest, p75, p99)
	}
	if late := len(got.Waits) - sortedBelow(got.Waits, rest/10); late < 100 {
		t.Errorf("%d requests were late, want far more than connections", late)
	}
}

func sortedBelow(w Waits, limit time.Duration) int {
	n, _ := slices.BinarySearch(w, limit)
	return n
}

// What is never answered counts as waited for until the end, and is counted.
func TestUnansweredRequestsCount(t *testing.T) {
	over := make(chan struct{})
	var asked atomic.Int64
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) > 10 {
			<-over
		}
		content(w, body)
	})
	got, err := Rate{Address: address, Connections: 2, PerSecond: 1000, For: 100 * time.Millisecond, Patience: 100 * time.Millisecond, Next: always}.Run()
	close(over)
	if err != nil {
		t.Fatal(err)
	}
	if got.Due != 100 || got.Unanswered != 90 || len(got.Waits) != 100 || got.Waits.At(0.5) < 100*time.Millisecond {
		t.Errorf("%d due, %d unanswered, %d waits, p50 %v", got.Due, got.Unanswered, len(got.Waits), got.Waits.At(0.5))
	}
}

// A connection that ends with its answer is replaced.
func TestEndedConnectionsAreReplaced(t *testing.T) {
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close")
		content(w, body)
	})
	got, err := Rate{Address: address, Connections: 8, PerSecond: 100, For: 300 * time.Millisecond, Next: always}.Run()
	if err != nil || got.Due != 30 || got.Unanswered != 0 {
		t.Errorf("%d due, %d unanswered, %v", got.Due, got.Unanswered, err)
	}
}

func TestAnswersThatCannotBeReadAreRefused(t *testing.T) {
	for name, tt := range map[string]struct{ answer, want string }{
		"no length":       {"HTTP/1.1 200 OK\r\nServer: a\r\n\r\nabc", "does not tell its length"},
		"a bad length":    {"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "has the length"},
		"more than asked": {"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab", "not asked for"},
		"no end":          {strings.Repeat("a", maxHead+1), "has no end"},
	} {
		c := connection{busy: true, left: -1}
		if _, err := c.take([]byte(tt.answer)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: take = %v, want an error with %q", name, err, tt.want)
		}
	}
}

// A head is found wherever it is cut.
func TestHeadsComeInPieces(t *testing.T) {
	const answer = "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nab"
	for cut := 1; cut < len(answer); cut++ {
		c := connection{busy: true, left: -1}
		if _, err := c.take([]byte(answer[:cut])); err != nil {
			t.Fatal(err)
		}
		if c.left >= 0 {
			continue // the body's rest is not for take
		}
		if done, err := c.take([]byte(answer[cut:])); done || err != nil || c.left != 1 {
			t.Errorf("cut at %d: done %v, %v, %d left, want 1", cut, done, err, c.left)
		}
	}
	c := connection{busy: true, left: -1}
	if done, err := c.take([]byte("HTTP/1.1 304 Not Modified\r\n\r\n")); !done || err != nil {
		t.Errorf("a 304 has no body: %v, %v", done, err)
	}
}
