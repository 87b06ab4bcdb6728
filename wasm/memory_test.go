package wasm

import (
	"fmt"
	"path/filepath"
	"testing"

	"example.com/livery/wasm/abi"
)

// An instance that renders for ever does not grow for ever: the module collects its garbage itself,
// because its collector hardly gets a turn by itself.
func TestInstanceDoesNotGrow(t *testing.T) {
	r, err := NewRuntime(t.Context(), Config{CacheDir: filepath.Join("..", ".cache", "wazero"), Instances: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close(t.Context())
	module, err := Guest()
	if err != nil {
		t.Fatal(err)
	}
	digest := Digest(module)
	if err := r.Load(t.Context(), digest, module); err != nil {
		t.Fatal(err)
	}
	theme := []byte(`{"$type":"dimension"`)
	for i := range 20_000 {
		theme = fmt.Appendf(theme, `,"t%d":{"$value":"%dpx"}`, i, i)
	}
	theme = append(theme, '}')
	first := 0
	for i := range 40 {
		if _, err := r.Render(t.Context(), digest, Request{Theme: theme, Prefix: fmt.Sprint("p", i), File: abi.TokensJSON}); err != nil {
			t.Fatal(err)
		}
		idle := r.modules[digest].pool.idle
		if len(idle) == 0 {
			t.Fatalf("after %d renders the instance had grown so large that it was dropped", i+1)
		}
		if first == 0 {
			first = idle[0].memoryBytes()
		}
		if grown := idle[0].memoryBytes(); grown > 2*first {
			t.Fatalf("after %d renders the instance has %d bytes, after the first %d", i+1, grown, first)
		}
	}
}
