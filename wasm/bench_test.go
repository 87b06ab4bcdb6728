package wasm_test

import (
	"testing"

	"example.com/livery/wasm"
	"example.com/livery/wasm/abi"
)

// BenchmarkRender renders as an edge does after a publish: every round brings another prefix, so
// that the parsed Theme is held and the rest is made anew.
func BenchmarkRender(b *testing.B) {
	r := newRuntime(b, wasm.Config{Instances: 1})
	digest := load(b, r, guest(b))
	for _, in := range corpus(b) {
		b.Run(in.name+"/css", func(b *testing.B) {
			b.ReportAllocs()
			prefixes := [2]string{"a", "b"}
			for i := 0; b.Loop(); i++ {
				req := wasm.Request{Theme: in.theme, Overrides: in.overrides, Prefix: prefixes[i%2], File: abi.TokensCSS}
				if _, err := r.Render(b.Context(), digest, req); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
