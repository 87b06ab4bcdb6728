package derive_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"example.com/livery/origin/derive"
	"example.com/livery/origin/modes"
	"example.com/livery/renderer"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/renderer/modesheet"
	"example.com/livery/renderer/plan"
	"example.com/livery/storage/record"
	"example.com/livery/wasm"
)

// laid returns a file that a plan and an overlay make.
func (b *bench) laid(overlay record.Hash, f renderer.File) string {
	b.t.Helper()
	opened, err := plan.Open(b.part(b.version.Plan, f))
	if err != nil {
		b.t.Fatal(err)
	}
	laid, err := plan.OpenOverlay(opened, b.part(overlay, f))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(laid.Append(nil))
}

func rendered(t testing.TB, overrides string, f renderer.File) string {
	t.Helper()
	set, err := renderer.Load(document, overrides, "lv")
	if err != nil {
		t.Fatal(err)
	}
	return string(set.Append(nil, f))
}

// schemes is a combination of two dimensions, of whose products both change one token.
func schemes(b *bench, own derive.Pair) derive.Combination {
	return derive.Combination{
		Pairs: []derive.Pair{own},
		Dimensions: []modesheet.Dimension{
			{Name: "scheme", Modes: []modesheet.Mode{{Name: "light"}, {Name: "dark", When: "(prefers-color-scheme: dark)", Variant: "dark"}}},
			{Name: "contrast", Modes: []modesheet.Mode{{Name: "more", When: "(prefers-contrast: more)", Variant: "more"}}},
		},
		Modes: map[string]derive.Pair{
			"dark": b.variant("dark", `{"color.brand":"#00bb00"}`), "more": b.variant("more", `{"color.line":"{color.brand}","gap":"1rem"}`),
		},
	}
}

// The conditional stylesheet is the brand's own with the blocks of its modes after it, each value as the combination of
// the maps has it; the other files are those of the plan.
func TestAConditionalStylesheetHoldsEveryCombination(t *testing.T) {
	t.Parallel()
	b := newBench(t, native())
	dark, more := `{"color.brand":"#00bb00"}`, `{"color.line":"{color.brand}","gap":"1rem"}`
	for _, own := range []string{"{}", overrides, `{"gap":"no length"}`} { // the last leaves a property out
		c := schemes(b, b.variant("brand", own))
		base := rendered(t, own, renderer.TokensCSS)
		want, err := modesheet.Append(nil, []byte(base), c.Dimensions, func(choice []int) ([]byte, error) {
			all := own
			if choice[0] == 1 {
				all = sum(t, all, dark)
			}
			if choice[1] == 0 {
				all = sum(t, all, more)
			}
			return []byte(rendered(t, all, renderer.TokensCSS)), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		sheet := b.sheet(b.derive, c)
		if got := b.laid(sheet, renderer.TokensCSS); got != string(want) || len(want) == len(base) {
			t.Errorf("the stylesheet of %s is\n%s\nwant\n%s", own, got, want)
		}
		if got, want := b.laid(sheet, renderer.TokensJSON), rendered(t, "", renderer.TokensJSON); got != want {
			t.Errorf("tokens.json is %s, want that of the plan: %s", got, want)
		}
	}
}

func (b *bench) sheet(d *derive.Deriver, c derive.Combination) record.Hash {
	b.t.Helper()
	name, err := d.Combined(context.Background(), c)
	if err != nil {
		b.t.Fatal(err)
	}
	return name
}

// sum lays one flat map over another.
func sum(t testing.TB, maps ...string) string {
	t.Helper()
	var nodes []*jsontree.Node
	for _, text := range maps {
		n, err := jsontree.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		nodes = append(nodes, n)
	}
	return string(jsontree.Append(nil, modes.Merge(nodes...)))
}

// Decision 6.5: a version's own module makes the overlays of its combinations, and the very bytes of the native compiler.
func TestTheModuleMakesTheSameCombinations(t *testing.T) {
	t.Parallel()
	guest, err := wasm.Guest()
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, record.HashOf(guest))
	if _, err := derive.Register(context.Background(), b.store, guest, time.Now()); err != nil {
		t.Fatal(err)
	}
	later := derive.New(derive.Config{Store: b.store, Native: native(), CacheDir: cacheDir(t), Logger: slog.New(slog.DiscardHandler)})
	defer func() {
		if err := later.Close(context.Background()); err != nil {
			t.Errorf("Close() = %v", err)
		}
	}()
	brand := b.variant("brand", overrides)
	sheet := schemes(b, brand)
	for name, c := range map[string]derive.Combination{
		"files": {Pairs: []derive.Pair{brand, sheet.Modes["dark"], sheet.Modes["more"]}}, "stylesheet": sheet,
	} {
		if got, want := b.sheet(later, c), b.sheet(b.derive, c); got != want {
			t.Errorf("%s by the module = %s, want %s", name, got, want)
		}
	}
}

// Only what has the same inputs has the same name: another condition, mode or brand is another stylesheet.
func TestStylesheetsAreNamedByTheirInputs(t *testing.T) {
	t.Parallel()
	b := newBench(t, native())
	own := derive.Pair{VariantID: "-", Version: b.version}
	seen := map[record.Hash]string{}
	for name, change := range map[string]func(*derive.Combination){
		"both":              func(*derive.Combination) {},
		"one":               func(c *derive.Combination) { c.Dimensions = c.Dimensions[:1] },
		"another condition": func(c *derive.Combination) { c.Dimensions[1].Modes[0].When = "print" },
		"another name":      func(c *derive.Combination) { c.Dimensions[1].Modes[0].Name = "most" },
		"another dimension": func(c *derive.Combination) { c.Dimensions[1].Name = "look" },
		"other overrides":   func(c *derive.Combination) { c.Modes["more"] = b.variant("x", `{"gap":"9px"}`) },
		"light-dark()":      func(c *derive.Combination) { c.Dimensions[0].LightDark = true },
		"another brand":     func(c *derive.Combination) { c.Pairs = []derive.Pair{b.variant("y", `{"gap":"7px"}`)} },
	} {
		c := schemes(b, own)
		change(&c)
		if _, ok := b.derive.Compiled(c); ok {
			t.Errorf("%s is compiled before it is asked for", name)
		}
		sheet, err := b.derive.Combined(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		if other, known := seen[sheet]; known {
			t.Errorf("%s and %s have one stylesheet", name, other)
		}
		seen[sheet] = name
		if again, ok := b.derive.Compiled(c); again != sheet || !ok {
			t.Errorf("Compiled() of %s = %s, %v, want %s", name, again, ok, sheet)
		}
	}
}

// A stylesheet whose modes have too much to say is refused, and compiled once to find out.
func TestStylesheetsAreBounded(t *testing.T) {
	compilations := 0
	b := newBench(t, native(), func(c *derive.Config) {
		c.Acquire = func(context.Context, string) (func(), error) { compilations++; return func() {}, nil }
	})
	b.version.Document = b.put(strings.TrimSuffix(document, "}") + `,"long":{"$type":"string","$value":"x"}}`)
	dimension, pairs := modesheet.Dimension{Name: "d"}, map[string]derive.Pair{}
	for i := range 10 {
		p := b.variant(fmt.Sprint("v", i), fmt.Sprintf(`{"long":%q}`, strings.Repeat(fmt.Sprint(i), 1<<20)))
		p.Version = b.version
		pairs[p.VariantID] = p
		dimension.Modes = append(dimension.Modes, modesheet.Mode{Name: fmt.Sprint("m", i), Variant: p.VariantID})
	}
	c := derive.Combination{Pairs: []derive.Pair{{VariantID: "-", Version: b.version}}, Dimensions: []modesheet.Dimension{dimension}, Modes: pairs}
	for range 3 {
		if _, err := b.derive.Combined(context.Background(), c); !errors.Is(err, derive.ErrTooLarge) {
			t.Errorf("Combined() = %v, want ErrTooLarge", err)
		}
		if name, ok := b.derive.Compiled(c); ok {
			t.Errorf("Compiled() = %q", name)
		}
	}
	if compilations != 1 {
		t.Errorf("it is compiled %d times, want once", compilations)
	}
}
