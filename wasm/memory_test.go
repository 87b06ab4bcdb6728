package wasm_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/livery/wasm"
	"example.com/livery/wasm/abi"
)

// An instance that renders and compiles for ever does not grow for ever: the module collects its garbage
// itself, because its collector hardly gets a turn by itself.
func TestInstancesDoNotGrow(t *testing.T) {
	t.Parallel()
	r := newRuntime(t, wasm.Config{Instances: 1, PlanBytes: 700 << 10})
	digest := load(t, r, guest(t))
	var all []compiledInput
	for i := range 4 {
		in := synthetic(4000, 100)
		in.prefix = fmt.Sprint("p", i)
		all = append(all, compileNatively(t, in))
	}
	first := int64(0)
	for i := range 400 {
		c := all[i%len(all)]
		if _, err := r.Render(t.Context(), digest, wasm.Request{Plan: c.plan, Overlay: c.overlay, File: abi.File(i % abi.FileCount)}); err != nil {
			t.Fatal(err)
		}
		if i == 40 {
			first = ofOneInstance(r.Stats())
		}
	}
	s := r.Stats()
	if now := ofOneInstance(s); s.Recycled != 0 || now > first*3/2 {
		t.Errorf("after 400 renders an instance has %d bytes, after 40 it had %d; %d instances were recycled", now, first, s.Recycled)
	}
	if s.PlanMisses < 100 {
		t.Errorf("only %d plans were given to instances: nothing was dropped", s.PlanMisses)
	}
}

// ofOneInstance is the memory of each instance: a call that is overdue on a busy machine has a second one made.
func ofOneInstance(s wasm.Stats) int64 { return s.MemoryBytes / int64(max(1, s.Instances)) }

func TestCompilerDoesNotGrow(t *testing.T) {
	t.Parallel()
	r := newRuntime(t, wasm.Config{Instances: 1})
	digest := load(t, r, guest(t))
	in := synthetic(2000, 10)
	first := int64(0)
	for i := range 30 {
		if _, err := r.CompileOverlay(t.Context(), digest, wasm.Source{Theme: in.theme, Overrides: in.overrides, Prefix: fmt.Sprint("p", i)}); err != nil {
			t.Fatal(err)
		}
		if i == 5 {
			first = ofOneInstance(r.Stats())
		}
	}
	if s := r.Stats(); s.Recycled != 0 || ofOneInstance(s) > 2*first {
		t.Errorf("after 30 documents an instance has %d bytes, after 5 it had %d; %d instances were recycled", ofOneInstance(s), first, s.Recycled)
	}
}

// Every document that the API takes compiles and renders: the limit on memory has room for 8 MiB of the
// smallest tokens, which need the most.
func TestLargestDocumentRenders_Long(t *testing.T) {
	if testing.Short() {
		t.Skip("8 MiB of tokens: make check runs it")
	}
	r := newRuntime(t, wasm.Config{Overdue: time.Hour, ModuleIdle: time.Hour}) // however busy the machine is
	digest := load(t, r, guest(t))
	var theme strings.Builder
	theme.WriteString(`{"$type":"number"`)
	for i := 0; theme.Len() < 8<<20-32; i++ {
		fmt.Fprintf(&theme, `,"%x":{"$value":1}`, i)
	}
	theme.WriteString("}")
	plans, err := r.CompilePlan(t.Context(), digest, wasm.Source{Theme: []byte(theme.String())})
	if err != nil {
		t.Fatal(err)
	}
	for f := range abi.File(abi.FileCount) {
		got, err := r.Render(t.Context(), digest, wasm.Request{Plan: blob(plans), File: f})
		if err != nil || len(got) < theme.Len()/4 {
			t.Errorf("Render(%s) = %d bytes, %v, want the whole file", f.Name(), len(got), err)
		}
	}
	eventually(t, "the memory of compiling is given back", func() bool { return r.Stats().MemoryBytes < 300<<20 })
	t.Logf("%+v", r.Stats())
}

// While all instances together have more memory than they should, those with more than their share are
// not kept, and an unused module keeps none. Nothing is refused meanwhile.
func TestMemoryOfAllInstancesIsBounded(t *testing.T) {
	t.Parallel()
	r := newRuntime(t, wasm.Config{Instances: 1, MemoryBytes: 1, Overdue: 100 * time.Millisecond, ModuleIdle: 30 * time.Second})
	digest := load(t, r, canary(t))
	for range 5 {
		hear(t, r, digest, "alive1") // of a fresh one each time
	}
	if s := r.Stats(); s.Recycled != 5 {
		t.Errorf("%d instances were recycled, want all 5 that were used", s.Recycled)
	}
	eventually(t, "the module has no instances", func() bool { return r.Stats().MemoryBytes == 0 })
	hear(t, r, digest, "alive1")
}

func TestMemoryWithinTheBoundIsKept(t *testing.T) {
	t.Parallel()
	r := newRuntime(t, wasm.Config{Instances: 1, MemoryBytes: 64 << 20})
	digest := load(t, r, canary(t))
	eventually(t, "an instance stands by", func() bool { return r.Stats().Instances == 2 })
	if got, err := r.Render(t.Context(), digest, command("grow")); err != nil || string(got) != "alive1" {
		t.Fatalf("Render = %q, %v, want an answer", got, err)
	}
	for range 5 {
		hear(t, r, digest, "")
	}
	if s := r.Stats(); s.Recycled != 1 || s.MemoryBytes > 64<<20 {
		t.Errorf("%d instances were recycled and %d bytes are in use, want 1, that had grown", s.Recycled, s.MemoryBytes)
	}
}
