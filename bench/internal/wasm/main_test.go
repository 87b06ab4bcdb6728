package wasm

import (
	"testing"
	"time"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/bench/internal/frame"
)

// A short run measures everything and reaches its end.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the module and measures for seconds")
	}
	b := bench{size: size{
		starts: 1, instances: 4, rounds: 2, slice: time.Millisecond, loads: 1, load: 10 * time.Millisecond, tokens: []int{100}, overrides: []int{50, 60},
	}}
	r := frame.Run{Dir: t.TempDir(), Figures: &figures.Set{}}
	if err := b.run(t.Context(), &r); err != nil {
		t.Fatal(err)
	}
	for _, f := range []figures.Figure{
		{Name: "start from the cache", Unit: "ms"},
		{Name: "an instance with a plan of 2,000 tokens, resident", Unit: "bytes"},
		{Name: "one render, 50 overrides", Subject: "WASM", Unit: "times native", At: 100},
		{Name: "renders on several instances", Unit: "renders/s", At: 2},
		{Name: "module in gzip", Unit: "bytes"},
	} {
		if got, ok := r.Figures.Find(f.Name, f.Subject, f.Unit, f.At); !ok || got.Value <= 0 {
			t.Errorf("%s = %+v, %v", f.Name, got, ok)
		}
	}
	if len(b.cases()) != 1 {
		t.Errorf("cases = %v: more overrides than there are colours are measured", b.cases())
	}
}
