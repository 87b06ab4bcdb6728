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

// BenchmarkWays compares files that the module puts together with those that the host gathers from pieces:
// what pays depends on how many bytes there are for each edit.
func BenchmarkWays(b *testing.B) {
	r := newRuntime(b, wasm.Config{Instances: 1})
	digest := load(b, r, guest(b))
	for _, size := range [][2]int{{500, 50}, {2000, 1}, {2000, 50}, {2000, 200}, {2000, 1000}, {10_000, 10}, {10_000, 200}, {10_000, 1000}} {
		in := synthetic(size[0], size[1])
		c := compileNatively(b, in)
		for name, whole := range map[string]bool{"whole": true, "pieces": false} {
			b.Run(in.name+"/"+name, func(b *testing.B) {
				for b.Loop() {
					if _, err := r.RenderOneWay(b.Context(), digest, wasm.Request{Plan: c.plan, Overlay: c.overlay}, whole); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
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
