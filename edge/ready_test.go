package edge_test

import (
	"context"
	"testing"

	"example.com/livery/edge"
	"example.com/livery/wasm"
)

// freshRuntime gives an edge a runtime without machine code of an earlier run, as the first edge of a machine has.
func freshRuntime(t *testing.T) (*wasm.Runtime, option) {
	t.Helper()
	own, err := wasm.NewRuntime(t.Context(), wasm.Config{CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := own.Close(context.Background()); err != nil {
			t.Errorf("Close = %v", err)
		}
	})
	return own, func(c *edge.Config) { c.Runtime = own }
}

// TestReadyWithTheRenderer: an edge is ready when no request has to wait for the renderer, with upstream and, after a
// restart, without.
func TestReadyWithTheRenderer(t *testing.T) {
	f := publishedFeed(t)
	own, fresh := freshRuntime(t)
	first := run(t, f, fresh)
	eventually(t, "being ready", func() bool { return first.edge.Ready() == nil })
	if !own.Loaded(string(f.module)) {
		t.Error("the edge is ready, and its renderer module is not loaded")
	}
	want(t, first.get(path("-", "latest", "tokens.css")), 200, "4px")
	first.stop()
	f.stop()

	own, fresh = freshRuntime(t)
	second := run(t, f, fresh, at(first.dir))
	eventually(t, "being ready without upstream", func() bool { return second.edge.Ready() == nil })
	if !own.Loaded(string(f.module)) {
		t.Error("the restarted edge is ready, and its renderer module is not loaded")
	}
}
