package wasm_test

import (
	"testing"

	"example.com/livery/wasm"
)

// BenchmarkRender renders tokens.css of real documents as an edge does: the plan is held, the bytes are new.
func BenchmarkRender(b *testing.B) {
	r := newRuntime(b, wasm.Config{Instances: 1})
	digest := load(b, r, guest(b))
	for _, in := range corpus(b) {
		c := compileNatively(b, in)
		b.Run(in.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := r.Render(b.Context(), digest, wasm.Request{Plan: c.plan, Overlay: c.overlay}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkCompile compiles plans of real documents in the module, none of them held.
func BenchmarkCompile(b *testing.B) {
	r := newRuntime(b, wasm.Config{Instances: 1})
	digest := load(b, r, guest(b))
	for _, in := range corpus(b) {
		b.Run(in.name, func(b *testing.B) {
			prefixes := [2]string{"a", "b"}
			for i := 0; b.Loop(); i++ {
				if _, err := r.CompilePlan(b.Context(), digest, wasm.Source{Theme: in.theme, Prefix: prefixes[i%2]}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
