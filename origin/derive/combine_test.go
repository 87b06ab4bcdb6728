package derive_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"example.com/livery/origin/derive"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

func (b *bench) combined(pairs ...derive.Pair) string {
	b.t.Helper()
	name, err := b.derive.Combined(context.Background(), derive.Combination{Pairs: pairs})
	if err != nil {
		b.t.Fatal(err)
	}
	return string(name)
}

// A combination makes the files of its overrides laid over one another, and is neither stored nor compiled twice. What
// overrides nothing takes no part, and one Variant alone has the overlay that it has anyway.
func TestACombinationIsTheSumOfItsOverrides(t *testing.T) {
	t.Parallel()
	b := newBench(t, native())
	brand, dark, wide := b.variant("v1", overrides), b.variant("v2", `{"color.line":"#00bb00","color.brand":"{color.line}"}`), b.variant("v3", `{"gap":"2rem"}`)
	own, none := derive.Pair{VariantID: "-", Version: b.version}, b.variant("v4", `{}`)
	if name := b.combined(own, none); name != "" {
		t.Errorf("nothing has the overlay %q", name)
	}
	if name, want := b.combined(own, dark, none), string(b.overlay(dark)); name != want {
		t.Errorf("one Variant has the overlay %s, want its own %s", name, want)
	}
	all := derive.Combination{Pairs: []derive.Pair{brand, dark, own, wide}}
	if name, ok := b.derive.Compiled(all); ok {
		t.Errorf("Compiled() = %q before it is", name)
	}
	puts := len(b.store.puts)
	name, err := b.derive.Combined(context.Background(), all)
	if err != nil {
		t.Fatal(err)
	}
	b.check(b.version, name, `{"color.brand":"{color.line}","gap":"2rem","color.line":"#00bb00"}`)
	if now, ok := b.derive.Compiled(all); now != name || !ok {
		t.Errorf("Compiled() = %q, %v, want %q", now, ok, name)
	}
	if len(b.store.puts) != puts {
		t.Errorf("%d blobs were stored", len(b.store.puts)-puts)
	}
	b.check(b.version, record.Hash(b.combined(dark, brand)), `{"color.line":"#00bb00","color.brand":"#aa0000","gap":"8px"}`)
}

// Many that ask for a combination at one time have it compiled once, after the wait that every compilation has.
func TestACombinationIsCompiledOnce(t *testing.T) {
	t.Parallel()
	var compilations atomic.Int32
	b := newBench(t, native(), func(c *derive.Config) {
		c.Acquire = func(context.Context, string) (func(), error) { compilations.Add(1); return func() {}, nil }
	})
	c := derive.Combination{Pairs: []derive.Pair{b.variant("v1", overrides), b.variant("v2", `{"gap":"2rem"}`)}}
	var callers sync.WaitGroup
	for range 16 {
		callers.Go(func() {
			for range 8 {
				if _, err := b.derive.Combined(context.Background(), c); err != nil {
					t.Error(err)
				}
			}
		})
	}
	if callers.Wait(); compilations.Load() != 1 {
		t.Errorf("it is compiled %d times, want once", compilations.Load())
	}
}

// However many combinations are asked for, their overlays take the memory that they may: each is answered, and the oldest
// are gone.
func TestCombinationsStayWithinTheirMemory(t *testing.T) {
	b := newBench(t, native())
	const variants = 46 // of which there are 1,035 combinations of two
	var pairs []derive.Pair
	var tokens strings.Builder
	for i := range variants {
		pairs = append(pairs, b.variant(fmt.Sprintf("v%d", i), fmt.Sprintf(`{"t%d":%q}`, i, strings.Repeat(fmt.Sprint(i, " "), 1<<10))))
		fmt.Fprintf(&tokens, `,"t%d":{"$type":"string","$value":"x"}`, i)
	}
	b.version.Document = b.put(strings.TrimSuffix(document, "}") + tokens.String() + "}")
	var names []string
	for i := range pairs {
		pairs[i].Version = b.version
		for k := range i {
			names = append(names, b.combined(pairs[k], pairs[i]))
		}
	}
	kept := 0
	for _, name := range names {
		blob, err := b.derive.Blob(context.Background(), record.Hash(name))
		if err != nil && !errors.Is(err, storage.ErrNotFound) {
			t.Fatal(err)
		}
		kept += len(blob)
	}
	if kept > derive.CombinationBytes || kept < derive.CombinationBytes/2 {
		t.Errorf("the overlays in memory have %d bytes, want %d at most", kept, derive.CombinationBytes)
	}
	if _, err := b.derive.Blob(context.Background(), record.Hash(names[0])); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("the first of %d combinations is there, %v", len(names), err)
	}
	if again := b.combined(pairs[0], pairs[1]); again != names[0] {
		t.Errorf("the first combination is %s again, want %s", again, names[0])
	}
}
