package origin_test

import (
	"context"
	"net/url"
	"testing"

	"example.com/livery/storage"
	"github.com/prometheus/client_golang/prometheus"
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

// gauge returns a metric of the origin that has no labels.
func gauge(t testing.TB, registry *prometheus.Registry, name string) float64 {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if m := f.GetMetric(); f.GetName() == name && len(m) == 1 {
			return m[0].GetGauge().GetValue() + m[0].GetCounter().GetValue()
		}
	}
	t.Fatalf("there is no metric %s", name)
	return 0
}

func mustURL(t testing.TB, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
