package guard

import (
	"errors"
	"flag"
	"os"
	"reflect"
	"testing"

	"example.com/livery/wasm"
)

// TestMain lets the test's own binary be the child whose instructions are counted.
func TestMain(m *testing.M) {
	if isCountChild() {
		if err := runCountChild(); err != nil {
			panic(err)
		}
		return
	}
	os.Exit(m.Run())
}

var (
	update = flag.Bool("update", false, "write the baseline anew")
	count  = flag.Bool("instructions", false, "count instructions too, which takes some minutes; -update does")
)

// TestNothingCostsMore holds every hot path to the committed baseline.
func TestNothingCostsMore(t *testing.T) {
	before, err := readBaseline(baselinePath)
	if err != nil {
		t.Fatal(err)
	}
	now, err := measureAll(*count || *update)
	if errors.Is(err, wasm.ErrNoGuest) {
		t.Skip("NOT GUARDED: the renderer module is not built (make wasm)")
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range now.compareHeaders(paths) {
		t.Error(fault)
	}
	if *update {
		if err := now.write(baselinePath); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !before.sameToolchain(now) {
		t.Skipf("NOT GUARDED: the baseline is of %s %s, this is %s %s", before.Go, before.Platform, now.Go, now.Platform)
	}
	for _, fault := range before.compare(now) {
		t.Error(fault)
	}
	if !now.counted() {
		t.Log("instructions are left out: -instructions is not given, or there is no valgrind on the PATH")
	}
}

func TestCompareHeaders(t *testing.T) {
	pair := []path{{name: "plain"}, {name: "headers", plain: "plain"}}
	for _, tt := range []struct {
		name    string
		headers cost
		fault   bool
	}{
		{"at the tolerance", cost{"headers", 0, bytesSlack, 1150}, false},
		{"instructions beyond", cost{"headers", 0, 0, 1151}, true},
		{"an allocation", cost{"headers", 1, 0, 1000}, true},
		{"bytes", cost{"headers", 0, bytesSlack + 1, 1000}, true},
	} {
		b := baseline{Paths: []cost{{"plain", 0, 0, 1000}, tt.headers}}
		if faults := b.compareHeaders(pair); len(faults) > 0 != tt.fault {
			t.Errorf("%s: compareHeaders = %q, want a fault: %t", tt.name, faults, tt.fault)
		}
	}
}

func TestCompareTellsWhatDiffers(t *testing.T) {
	was := baseline{ModuleBytes: 1000, Paths: []cost{{"a", 2, 10_000, 1000}, {"b", 0, 0, 0}}}
	for _, tt := range []struct {
		name   string
		change func(*baseline)
		want   []string
	}{
		{"the same", func(*baseline) {}, nil},
		{"one allocation more", func(b *baseline) { b.Paths[0].Allocations++ }, []string{"a is dearer: 3 allocations, the baseline has 2 (make suite NAME=guard writes it anew)"}},
		{"one allocation fewer", func(b *baseline) { b.Paths[0].Allocations-- }, []string{"a is cheaper: 1 allocations, the baseline has 2 (make suite NAME=guard writes it anew)"}},
		{"bytes at the tolerance", func(b *baseline) { b.Paths[0].Bytes = 10_500 }, nil},
		{"bytes beyond", func(b *baseline) { b.Paths[0].Bytes = 10_501 }, []string{"a is dearer: 10501 bytes, the baseline has 10000 (make suite NAME=guard writes it anew)"}},
		{"a few bytes of none", func(b *baseline) { b.Paths[1].Bytes = 64 }, nil},
		{"more of none", func(b *baseline) { b.Paths[1].Bytes = 65 }, []string{"b is dearer: 65 bytes, the baseline has 0 (make suite NAME=guard writes it anew)"}},
		{"the module at the tolerance", func(b *baseline) { b.ModuleBytes = 980 }, nil},
		{"the module beyond", func(b *baseline) { b.ModuleBytes = 979 }, []string{"the renderer module is cheaper: 979 bytes, the baseline has 1000 (make suite NAME=guard writes it anew)"}},
		{"instructions beyond", func(b *baseline) { b.Paths[0].Instructions = 1051 }, []string{"a is dearer: 1051 instructions, the baseline has 1000 (make suite NAME=guard writes it anew)"}},
		{"instructions not counted here", func(b *baseline) { b.Paths[0].Instructions = 0 }, nil},
		{"a path more", func(b *baseline) { b.Paths = append(b.Paths, cost{Name: "c"}) }, []string{"c is not in the baseline (make suite NAME=guard writes it anew)"}},
		{"a path fewer", func(b *baseline) { b.Paths = b.Paths[:1] }, []string{"b is in the baseline and is not measured"}},
	} {
		now := baseline{ModuleBytes: was.ModuleBytes, Paths: append([]cost(nil), was.Paths...)}
		tt.change(&now)
		if got := was.compare(now); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: compare = %q, want %q", tt.name, got, tt.want)
		}
	}
}
