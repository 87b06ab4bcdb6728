package client_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"example.com/livery/client"
)

// seenRequest is what a server received of one request.
type seenRequest struct{ method, key, body string }

// failingServer is a server that fails a number of times before it answers: with a status, or by closing
// the connection if the status is 0. The real origin does not fail on request.
type failingServer struct {
	failures int
	status   int
	after    string // Retry-After of the failures
	answer   string

	mu   sync.Mutex // guards seen
	seen []seenRequest
}

func (f *failingServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen = append(f.seen, seenRequest{r.Method, r.Header.Get("Idempotency-Key"), string(body)})
	if len(f.seen) > f.failures {
		_, _ = io.WriteString(w, f.answer)
		return
	}
	if f.status == 0 {
		panic(http.ErrAbortHandler)
	}
	if f.after != "" {
		w.Header().Set("Retry-After", f.after)
	}
	w.WriteHeader(f.status)
}

func (f *failingServer) start(t *testing.T) *client.Client {
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	c := client.New(server.URL+"/public/v1/", "token")
	c.FirstPause = time.Millisecond
	return c
}

func TestWhatIsRepeated(t *testing.T) {
	read := func(ctx context.Context, c *client.Client) error { return second(c.Theme(ctx, "e", "t")) }
	create := func(ctx context.Context, c *client.Client) error {
		return second(c.CreateTheme(ctx, "e", client.NewTheme{Slug: "a", DisplayName: "A"}))
	}
	update := func(ctx context.Context, c *client.Client) error {
		return second(c.UpdateTheme(ctx, "e", "t", client.Details{}))
	}
	cases := []struct {
		name   string
		call   func(context.Context, *client.Client) error
		status int
		tries  int
		fails  bool
	}{
		{"a GET after 503", read, 503, 3, false},
		{"a GET after 429", read, 429, 3, false},
		{"a GET after a lost connection", read, 0, 3, false},
		{"a POST after 500, because it carries a key", create, 500, 3, false},
		{"a POST after a lost connection", create, 0, 3, false},
		{"no GET after 404", read, 404, 1, true},
		{"no POST after 409", create, 409, 1, true},
		{"no PUT, whose first may have worked", update, 503, 1, true},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			f := &failingServer{failures: 2, status: tc.status, answer: `{}`}
			err := tc.call(t.Context(), f.start(t))
			if len(f.seen) != tc.tries || (err != nil) != tc.fails {
				t.Errorf("%d tries, %v; want %d tries and failure %t", len(f.seen), err, tc.tries, tc.fails)
			}
			for _, s := range f.seen {
				if s != f.seen[0] {
					t.Errorf("a repetition is %v, the first was %v", s, f.seen[0])
				}
			}
			if (f.seen[0].method == "POST") != (f.seen[0].key != "") {
				t.Errorf("%s carries the key %q", f.seen[0].method, f.seen[0].key)
			}
		})
	}
}

func TestRepeatingEnds(t *testing.T) {
	f := &failingServer{failures: 100, status: 503}
	c := f.start(t)
	var e *client.Error
	if err := second(c.Theme(t.Context(), "e", "t")); !errors.As(err, &e) || e.Status != 503 || !errors.Is(err, client.ErrInternal) {
		t.Errorf("Theme() = %v, want the last 503", err)
	}
	if len(f.seen) != c.Tries {
		t.Errorf("%d tries, want %d", len(f.seen), c.Tries)
	}
}

func TestRetryAfterIsWaitedFor(t *testing.T) {
	f := &failingServer{failures: 100, status: 503, after: "3600"}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := second(f.start(t).Theme(ctx, "e", "t")); err == nil || len(f.seen) > 1 {
		t.Errorf("Theme() = %v after %d tries, want one try at most within the context", err, len(f.seen))
	}
}

func TestGivenIdempotencyKeyIsSent(t *testing.T) {
	f := &failingServer{answer: `{}`}
	ctx := client.WithIdempotencyKey(t.Context(), "deploy-7")
	if err := second(f.start(t).PublishTheme(ctx, "e", "t", client.PublishOptions{})); err != nil {
		t.Fatal(err)
	}
	if want := []seenRequest{{"POST", "deploy-7", ""}}; !slices.Equal(f.seen, want) {
		t.Errorf("sent %v, want %v", f.seen, want)
	}
}

func TestNoServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	c := client.New("http://"+l.Addr().String(), "token")
	c.FirstPause = time.Millisecond
	var e *net.OpError
	if err := second(c.Theme(t.Context(), "e", "t")); !errors.As(err, &e) {
		t.Errorf("Theme() = %v, want a *net.OpError inside", err)
	}
}
