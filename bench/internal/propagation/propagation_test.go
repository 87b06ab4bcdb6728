//go:build linux

package propagation

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/livery/bench/internal/figures"
)

// A valve lets everything through until it is shut, and again when it is opened.
func TestValve(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "fed") }))
	defer server.Close()
	v, err := newValve(strings.TrimPrefix(server.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := v.close(); err != nil {
			t.Error(err)
		}
	}()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	ask := func() string {
		response, err := client.Get(v.url())
		if err != nil {
			return ""
		}
		defer response.Body.Close()
		text, _ := io.ReadAll(response.Body)
		return string(text)
	}
	for _, tt := range []struct {
		shut bool
		want string
	}{{false, "fed"}, {true, ""}, {false, "fed"}} {
		v.turn(tt.shut)
		if got := ask(); got != tt.want {
			t.Errorf("shut %v: %q, want %q", tt.shut, got, tt.want)
		}
	}
}

// A valve without a server behind it ends connections.
func TestValveWithoutAServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	v, err := newValve(gone)
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", v.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Error("there is something to read without a server")
	}
	_ = c.Close()
	if err := v.close(); err != nil {
		t.Error(err)
	}
}

func TestWatchedEdgesTakeTurns(t *testing.T) {
	edges := make([]*liveEdge, 25)
	for i := range edges {
		edges[i] = &liveEdge{}
	}
	seen := map[*liveEdge]bool{}
	for n := range 3 {
		for _, e := range turn(edges, n) {
			seen[e] = true
		}
	}
	if len(seen) != len(edges) {
		t.Errorf("%d edges were watched in three turns, want all of %d", len(seen), len(edges))
	}
	if got := turn(edges[:4], 7); len(got) != 4 {
		t.Errorf("%d of 4 edges are watched", len(got))
	}
}

// What an edge more costs is measured between the fewest and the most, and an estimate says that it is one.
func TestManyEdgesAreEstimated(t *testing.T) {
	b := bench{estimate: 10_000, figures: &figures.Set{}, costs: []cost{{1, 5}, {10, 30}, {101, 105}}}
	b.estimateMany()
	if f, ok := b.figures.Find("origin, all of a publish (an estimate)", "", "ms of processor a publish", 10_000); !ok || f.Value != 5+9999 {
		t.Errorf("estimate = %+v, %v, want 10,004", f, ok)
	}
	if len(b.figures.Notes) != 1 || !strings.Contains(b.figures.Notes[0], "estimate") {
		t.Errorf("notes = %q", b.figures.Notes)
	}
	if got := slope([]cost{{1, 5}, {10, 4}}); got != 0 {
		t.Errorf("an edge more costs %v, want nothing where many cost less", got)
	}
	if got := slope(b.costs[:1]); got != 0 {
		t.Errorf("slope of one = %v", got)
	}
}
