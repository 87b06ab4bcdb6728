//go:build linux && (amd64 || arm64)

package loop

import (
	"bufio"
	"runtime"
	"testing"
)

// TestProcessorsAreGivenBack: the process has more of them while Loops run, as many as the largest has threads and not as
// all have together. A Loop without a number of threads does not count what other Loops added.
func TestProcessorsAreGivenBack(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	serve := func(threads int) *testServer {
		h := openServer(t, ways[0].wrap, func(c *Config) { c.Threads = threads })
		c := h.dial(t)
		ask(t, c, bufio.NewReader(c), get("/2k.css"))
		return h
	}
	want := func(when string, n int) {
		t.Helper()
		if got := runtime.GOMAXPROCS(0); got != n {
			t.Errorf("%s GOMAXPROCS = %d, want %d", when, got, n)
		}
	}
	first, second := serve(2), serve(1)
	want("with two Loops", before+2)
	byDefault := serve(0)
	want("with one that chose its threads", before+max(2, before-1))
	largest := serve(before + 3)
	want("with one that has more threads", before+before+3)
	for _, h := range []*testServer{first, largest, byDefault} {
		h.close(t)
	}
	want("while a Loop runs", before+before+3)
	second.close(t)
	want("after all", before)
}
