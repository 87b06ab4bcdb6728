package origin

import (
	"context"
	"net/url"
	"runtime"
	"testing"

	"example.com/livery/storage"
)

// countKeys counts the keys of one table in the sandbox.
func (h *testOrigin) countKeys(letter byte) int {
	h.t.Helper()
	n := 0
	err := h.store.View(context.Background(), func(r storage.Reader) error {
		return r.Scan(storage.Key(letter, h.sandbox), storage.Ascending, func(_, _ []byte) bool {
			n++
			return true
		})
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return n
}

// stacks is where every goroutine is.
func (h *testOrigin) stacks() string {
	buf := make([]byte, 1<<20)
	return string(buf[:runtime.Stack(buf, true)])
}

func mustURL(t testing.TB, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
