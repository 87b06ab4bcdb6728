package plan_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "example.com/livery/internal/test/sameseed" // make suite NAME=fuzz draws others
	"example.com/livery/renderer/plan"
)

const (
	themeFile   = "a: red;\nb: blue;\nc: red;\n"
	variantFile = "a: lime;\nc: lime;\nd: 1;\n"
)

// sample returns a plan of themeFile and the overlay that makes variantFile of it.
func sample(t testing.TB) (planBlob, overlayBlob []byte) {
	t.Helper()
	planBlob = plan.Append(nil, 3, []byte(themeFile))
	p, err := plan.Open(planBlob)
	if err != nil {
		t.Fatal(err)
	}
	var c plan.Changes
	c.Replace(0, []byte("a: red;\n"), []byte("a: lime;\n"))
	c.Replace(8, []byte("b: blue;\n"), nil)
	c.Replace(17, []byte("c: red;\n"), []byte("c: lime;\n"))
	c.Replace(25, nil, []byte("d: 1;\n"))
	return planBlob, c.Append(nil, p)
}

// The layouts, byte by byte, as the package comment draws them.
func TestLayout(t *testing.T) {
	p, o := sample(t)
	sum := string(p[8:16])
	if want := "LVYP\x01\x00\x03\x00" + sum + "\x19\x00\x00\x00\x00\x00\x00\x00" + themeFile; string(p) != want {
		t.Errorf("plan = %q, want %q", p, want)
	}
	want := "LVYO\x01\x00\x03\x00" + sum + "\x04\x00\x00\x00\x0a\x00\x00\x00" +
		"\x03\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x04\x00\x00\x00" +
		"\x08\x00\x00\x00\x09\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00" +
		"\x14\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x04\x00\x00\x00" +
		"\x19\x00\x00\x00\x00\x00\x00\x00\x04\x00\x00\x00\x06\x00\x00\x00" + "limed: 1;\n"
	if string(o) != want {
		t.Errorf("overlay = %q, want %q", o, want)
	}
}

func TestOverlayRenders(t *testing.T) {
	planBlob, overlayBlob := sample(t)
	o := open(t, planBlob, overlayBlob)
	if got := string(o.Append([]byte("before,"))); got != "before,"+variantFile {
		t.Errorf("Append = %q, want %q", got, variantFile)
	}
	if o.Size() != len(variantFile) {
		t.Errorf("Size = %d, want %d", o.Size(), len(variantFile))
	}
	pieces := o.Pieces(nil)
	if got := string(bytes.Join(pieces, nil)); got != variantFile || len(pieces) > o.MaxPieces() {
		t.Errorf("%d Pieces = %q, want at most %d of %q", len(pieces), got, o.MaxPieces(), variantFile)
	}
}

func open(t testing.TB, planBlob, overlayBlob []byte) plan.Overlay {
	t.Helper()
	p, err := plan.Open(planBlob)
	if err != nil {
		t.Fatal(err)
	}
	o, err := plan.OpenOverlay(p, overlayBlob)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestZeroValuesRenderNothing(t *testing.T) {
	var (
		p plan.Plan
		o plan.Overlay
	)
	if len(p.File()) != 0 || len(o.Append(nil)) != 0 || len(o.Pieces(nil)) != 0 || o.Size() != 0 {
		t.Error("a zero value renders something")
	}
}

// Every number of both layouts, wrong in every way that could be read past.
func TestDamageIsRefused(t *testing.T) {
	planBlob, overlayBlob := sample(t)
	put := func(at int, v uint32) func([]byte) []byte {
		return func(b []byte) []byte { binary.LittleEndian.PutUint32(b[at:], v); return b }
	}
	plans := map[string]func([]byte) []byte{
		"nothing":               func([]byte) []byte { return nil },
		"a head cut short":      func(b []byte) []byte { return b[:23] },
		"a file cut short":      func(b []byte) []byte { return b[:len(b)-1] },
		"a byte too many":       func(b []byte) []byte { return append(b, 0) },
		"an overlay":            func([]byte) []byte { return bytes.Clone(overlayBlob) },
		"another magic":         put(0, 0),
		"another version":       func(b []byte) []byte { b[4] = 2; return b },
		"a high version":        func(b []byte) []byte { b[5] = 1; return b },
		"a byte that is zero":   func(b []byte) []byte { b[7] = 1; return b },
		"a number that is zero": put(20, 1),
		"the longest length":    put(16, 1<<32-1),
		"a wrong length":        put(16, 24),
	}
	for name, damage := range plans {
		if _, err := plan.Open(damage(bytes.Clone(planBlob))); !errors.Is(err, plan.ErrPlan) {
			t.Errorf("a plan with %s opens: %v", name, err)
		}
	}
	p, err := plan.Open(planBlob)
	if err != nil {
		t.Fatal(err)
	}
	overlays := map[string]func([]byte) []byte{
		"nothing":                  func([]byte) []byte { return nil },
		"a head cut short":         func(b []byte) []byte { return b[:23] },
		"a text cut short":         func(b []byte) []byte { return b[:len(b)-1] },
		"a byte too many":          func(b []byte) []byte { return append(b, 0) },
		"a plan":                   func([]byte) []byte { return bytes.Clone(planBlob) },
		"another version":          func(b []byte) []byte { b[4] = 2; return b },
		"the most edits":           put(16, 1<<32-1),
		"text as edits":            func(b []byte) []byte { return put(20, 0)(put(16, 5)(append(b, 1, 2, 3, 4, 5, 6))) },
		"an edit before another":   put(24+16, 5),
		"an edit past the end":     put(24+48, 26),
		"a cut past the end":       put(24+48+4, 1),
		"a cut that overflows":     put(24+48+4, 1<<32-1),
		"a text past the end":      put(24+12, 11),
		"a text that overflows":    put(24+8, 1<<32-1),
		"an edit inside a cut one": put(24+32, 16),
	}
	for name, damage := range overlays {
		if _, err := plan.OpenOverlay(p, damage(bytes.Clone(overlayBlob))); !errors.Is(err, plan.ErrOverlay) {
			t.Errorf("an overlay with %s opens: %v", name, err)
		}
	}
}

func TestOverlayOfAnotherPlanIsRefused(t *testing.T) {
	_, overlayBlob := sample(t)
	others := map[string][]byte{
		"another file of the same text": plan.Append(nil, 2, []byte(themeFile)),
		"one byte that differs":         plan.Append(nil, 3, []byte(strings.Replace(themeFile, "blue", "blua", 1))),
		"a last byte that differs":      plan.Append(nil, 3, []byte(themeFile[:24]+" ")),
		"a byte more, which is zero":    plan.Append(nil, 3, []byte(themeFile+"\x00")),
	}
	for name, blob := range others {
		p, err := plan.Open(blob)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := plan.OpenOverlay(p, overlayBlob); !errors.Is(err, plan.ErrOtherPlan) {
			t.Errorf("an overlay opens for a plan of %s: %v", name, err)
		}
	}
	planBlob, _ := sample(t)
	p, err := plan.Open(planBlob)
	if err != nil {
		t.Fatal(err)
	}
	overlayBlob[6]++
	if _, err := plan.OpenOverlay(p, overlayBlob); !errors.Is(err, plan.ErrOtherPlan) {
		t.Errorf("an overlay of another file's number opens: %v", err)
	}
}

// A38: edits that all name one large text ask for no more than the bound.
func TestGrowingOverlaysAreRefused(t *testing.T) {
	planBlob, overlayBlob := sample(t)
	p, _ := plan.Open(planBlob)
	const edits, text = 1 << 10, 1 << 20
	blob := bytes.Clone(overlayBlob[:24])
	binary.LittleEndian.PutUint32(blob[16:], edits)
	binary.LittleEndian.PutUint32(blob[20:], text)
	for range edits {
		blob = append(blob, "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x10\x00"...)
	}
	if _, err := plan.OpenOverlay(p, append(blob, make([]byte, text)...)); !errors.Is(err, plan.ErrOverlay) {
		t.Errorf("an overlay that renders 1 GiB opens: %v", err)
	}
}

// TestFilesPastTheBoundHaveNoPlan uses memory that is never touched.
func TestFilesPastTheBoundHaveNoPlan(t *testing.T) {
	if got := plan.Append(nil, 0, make([]byte, plan.MaxFileBytes+1)); got != nil {
		t.Errorf("a file of more than MaxFileBytes has a plan of %d bytes", len(got))
	}
}

func TestFilesPastTheBoundHaveNoOverlay(t *testing.T) {
	p, err := plan.Open(plan.Append(nil, 0, []byte(themeFile)))
	if err != nil {
		t.Fatal(err)
	}
	var c plan.Changes
	text := make([]byte, 1<<20)
	for range plan.MaxFileBytes / len(text) {
		c.Replace(0, nil, text)
	}
	if got := c.Append(nil, p); got != nil {
		t.Errorf("a file of more than MaxFileBytes has an overlay of %d bytes", len(got))
	}
}

// Equal texts are kept once, however many there are and whether room was made for them or not.
func TestTextsAreKeptOnce(t *testing.T) {
	before := make([]byte, 30_000)
	p, err := plan.Open(plan.Append(nil, 0, before))
	if err != nil {
		t.Fatal(err)
	}
	for _, room := range []int{0, 100, 15_000} {
		var c plan.Changes
		if room > 0 {
			c.Grow(room)
		}
		want := 0
		for i := range 15_000 {
			text := fmt.Appendf(nil, "text %d", i%5000)
			c.Replace(2*i, before[2*i:][:1], text)
			if i < 5000 {
				want += len(text)
			}
		}
		blob := c.Append(nil, p)
		if got := len(blob) - 24 - 16*15_000; got != want {
			t.Errorf("with room for %d: %d bytes of text, want %d", room, got, want)
		}
		o, err := plan.OpenOverlay(p, blob)
		if err != nil {
			t.Fatal(err)
		}
		if out := string(o.Append(nil)); !strings.HasPrefix(out, "text 0\x00text 1\x00") || !strings.HasSuffix(out, "text 4999\x00") {
			t.Errorf("with room for %d: the file ends %q", room, out[len(out)-30:])
		}
	}
}

// Whatever changes are collected, the overlay gives the text after them.
func TestChangesAreExact(t *testing.T) {
	piece := rapid.StringOfN(rapid.RuneFrom([]rune("ab")), 0, 6, -1)
	rapid.Check(t, func(r *rapid.T) {
		before := rapid.SliceOfN(piece, 0, 12).Draw(r, "before")
		after := rapid.SliceOfN(piece, len(before), len(before)).Draw(r, "after")
		blob := plan.Append(nil, 1, []byte(strings.Join(before, "")))
		p, err := plan.Open(blob)
		if err != nil {
			r.Fatal(err)
		}
		var c plan.Changes
		at, differing := 0, 0
		for i := range before {
			c.Replace(at, []byte(before[i]), []byte(after[i]))
			at += len(before[i])
			if before[i] != after[i] {
				differing++
			}
		}
		o, err := plan.OpenOverlay(p, c.Append(nil, p))
		if err != nil {
			r.Fatal(err)
		}
		if got, want := string(o.Append(nil)), strings.Join(after, ""); got != want {
			r.Errorf("Append = %q, want %q", got, want)
		}
		if o.MaxPieces() != 2*differing+1 {
			r.Errorf("%d pieces at most for %d changes", o.MaxPieces(), differing)
		}
	})
}

func TestRenderingAllocatesNothing(t *testing.T) {
	planBlob, overlayBlob := sample(t)
	dst := make([]byte, 0, len(variantFile))
	pieces := make([][]byte, 0, 16)
	allocs := testing.AllocsPerRun(100, func() {
		p, err := plan.Open(planBlob)
		if err != nil {
			t.Fatal(err)
		}
		o, err := plan.OpenOverlay(p, overlayBlob)
		if err != nil {
			t.Fatal(err)
		}
		dst = o.Append(dst[:0])
		pieces = o.Pieces(pieces[:0])
	})
	if allocs != 0 {
		t.Errorf("opening and rendering allocates %v times", allocs)
	}
}

// FuzzOpen: whatever the bytes, opening is an error or what renders is what the layout says.
func FuzzOpen(f *testing.F) {
	planBlob, overlayBlob := sample(f)
	f.Add(planBlob, overlayBlob)
	f.Add(planBlob, planBlob)
	f.Add(planBlob, append(overlayBlob[:24:24], make([]byte, 90)...))
	f.Add(plan.Append(nil, 0, nil), []byte{})
	f.Add([]byte{}, overlayBlob)
	for _, at := range []int{16, 20, 24, 28, 32, 36, 40} {
		damaged := bytes.Clone(overlayBlob)
		damaged[at+3] = 0xff
		f.Add(planBlob, damaged)
	}
	f.Fuzz(func(t *testing.T, planBlob, overlayBlob []byte) {
		p, err := plan.Open(planBlob)
		if err != nil {
			return
		}
		if !bytes.Equal(p.File(), planBlob[24:]) {
			t.Fatal("File is not what follows the head")
		}
		o, err := plan.OpenOverlay(p, overlayBlob)
		if err != nil || o.Size() > 1<<20 {
			return
		}
		want := render(planBlob[24:], overlayBlob)
		if got := o.Append(nil); !bytes.Equal(got, want) || len(got) != o.Size() {
			t.Fatalf("Append = %q, want %q, Size %d", got, want, o.Size())
		}
		if got := bytes.Join(o.Pieces(nil), nil); !bytes.Equal(got, want) {
			t.Fatalf("Pieces = %q, want %q", got, want)
		}
	})
}

// FuzzChanges cuts two texts into pieces of lengths that the fuzzer chooses: the overlay makes the one of
// the other, and opens for no other plan.
func FuzzChanges(f *testing.F) {
	f.Add([]byte(themeFile), []byte(variantFile), []byte{8, 8, 9, 0, 8, 9, 8, 8})
	f.Add([]byte("aaaa"), []byte("aa"), []byte{1, 1, 3, 1})
	f.Add([]byte{}, []byte("new"), []byte{})
	f.Fuzz(func(t *testing.T, before, after, cuts []byte) {
		p, err := plan.Open(plan.Append(nil, 4, before))
		if err != nil {
			t.Fatal(err)
		}
		var c plan.Changes
		from, to := 0, 0
		for ; len(cuts) >= 2; cuts = cuts[2:] {
			end, until := min(len(before), from+int(cuts[0])), min(len(after), to+int(cuts[1]))
			c.Replace(from, before[from:end], after[to:until])
			from, to = end, until
		}
		c.Replace(from, before[from:], after[to:])
		blob := c.Append(nil, p)
		o, err := plan.OpenOverlay(p, blob)
		if err != nil {
			t.Fatal(err)
		}
		if got := o.Append(nil); !bytes.Equal(got, after) {
			t.Fatalf("Append = %q, want %q", got, after)
		}
		other, err := plan.Open(plan.Append(nil, 4, append(before, 'x')))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := plan.OpenOverlay(other, blob); !errors.Is(err, plan.ErrOtherPlan) {
			t.Fatalf("an overlay opens for another plan: %v", err)
		}
	})
}

// render reads the layout in the plainest way.
func render(file, overlay []byte) (out []byte) {
	number := func(at int) int { return int(binary.LittleEndian.Uint32(overlay[at:])) }
	n, next := number(16), 0
	text := overlay[24+16*n:]
	for i := range n {
		at, cut, from, length := number(24+16*i), number(28+16*i), number(32+16*i), number(36+16*i)
		out = append(append(out, file[next:at]...), text[from:from+length]...)
		next = at + cut
	}
	return append(out, file[next:]...)
}

// What only opens and renders must stay small, so the package imports nothing of ours, and of the
// library only what has no tables.
func TestPlanImportsNearlyNothing(t *testing.T) {
	names, err := filepath.Glob("*.go")
	if err != nil || len(names) < 4 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			switch spec.Path.Value {
			case `"bytes"`, `"errors"`, `"math/bits"`, `"slices"`:
			default:
				t.Errorf("%s imports %s", name, spec.Path.Value)
			}
		}
	}
}
