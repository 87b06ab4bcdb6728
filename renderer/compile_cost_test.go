package renderer_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"example.com/livery/internal/test/race"
	"example.com/livery/renderer"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/renderer/plan"
)

// many spells a Theme of n tokens.
func many(n int, token func(i int) string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"t%05d":%s`, i, token(i))
	}
	return "{" + b.String()[1:] + "}"
}

// reaches are Themes in which one override of the token t00000 reaches a known number of tokens.
var reaches = []struct {
	name    string
	token   func(i int) string
	reached func(n int) int
}{
	{"nothing but itself", func(i int) string { return `{"$type":"number","$value":1}` }, func(int) int { return 1 }},
	{"a chain", func(i int) string {
		if i == 0 {
			return `{"$type":"number","$value":1}`
		}
		return fmt.Sprintf(`{"$value":"{t%05d}"}`, i-1)
	}, func(n int) int { return n }},
	{"all tokens", func(i int) string {
		if i == 0 {
			return `{"$type":"number","$value":1}`
		}
		return `{"$value":"{t00000}"}`
	}, func(n int) int { return n }},
	{"every hundredth, inside a composite", func(i int) string {
		if i == 0 || i%100 != 0 {
			return `{"$type":"number","$value":1}`
		}
		return `{"$type":"shadow","$value":{"offsetX":"1px","offsetY":"1px","blur":"{t00000}","color":"red"}}`
	}, func(n int) int { return n / 100 }},
}

// A file of a minified Theme is written to one buffer, without a copy of what was written so far to a larger one. The
// JSON files that write a value again also remember where it stands.
func TestFilesTakeOneBuffer(t *testing.T) {
	if race.Enabled {
		t.Skip("NOT TESTED: code with the race detector allocates more")
	}
	s, err := renderer.Load(many(2_000, func(i int) string {
		switch i % 3 {
		case 0:
			return fmt.Sprintf(`{"$type":"color","$value":{"colorSpace":"srgb","components":[0.%d,0.5,1]},"$description":"color %d"}`, i, i)
		case 1:
			return fmt.Sprintf(`{"$value":"{t%05d}"}`, i-1)
		}
		return fmt.Sprintf(`{"$type":"dimension","$value":{"value":%d,"unit":"px"}}`, i)
	}), "", "acme")
	if err != nil {
		t.Fatal(err)
	}
	for f, want := range map[renderer.File]float64{
		renderer.TokensCSS: 1, renderer.TokensDTCGJSON: 1,
		renderer.TokensValuesJSON: 2, renderer.TokensJSON: 2, renderer.TokensFlatJSON: 2,
	} {
		if got := testing.AllocsPerRun(5, func() { s.Append(nil, f) }); got > want {
			t.Errorf("%s: %v allocations, want at most %v", f.Name(), got, want)
		}
	}
}

// An overlay has one edit for each token that an override reaches, and 16 bytes an edit: chains
// and fans of 20,000 tokens cost twice what 10,000 do, and what is not reached costs nothing.
// Equal texts are shared, so the text does not grow.
func TestOverlaysGrowWithWhatIsReached(t *testing.T) {
	t.Parallel()
	for _, c := range reaches {
		t.Run(c.name, func(t *testing.T) {
			for _, n := range []int{10_000, 20_000} {
				compiled := renderer.Compile(parse(t, many(n, c.token)), "")
				s := compiled.Load(parse(t, `{"t00000":7}`))
				for f := range renderer.File(renderer.FileCount) {
					want := c.reached(n)
					if f == renderer.TokensDTCGJSON {
						want = 1
					}
					blob := compiled.Overlay(s, f)
					o := openOverlay(t, compiled.Plan(f), blob)
					if edits := (o.MaxPieces() - 1) / 2; edits != want || len(blob) > 24+16*edits+16 {
						t.Errorf("%s of %d tokens: %d edits in %d bytes, want %d", f.Name(), n, edits, len(blob), want)
					}
				}
			}
		})
	}
}

// A name that two tokens share drops declarations, and moves none of the other tokens' places.
func TestOverlaysStaySmallWhereNamesCollide(t *testing.T) {
	t.Parallel()
	theme := many(1000, func(i int) string {
		if i == 999 {
			return `{"$value":"{none}"}`
		}
		return fmt.Sprintf(`{"same a":{"$type":"number","$value":1},"same-a":{"$type":"number","$value":2},"b":{"$type":"number","$value":%d}}`, i)
	})
	c := renderer.Compile(parse(t, theme), "")
	s := c.Load(parse(t, `{"t00010.b":-1,"t00500.b":-2,"t00990.b":-3}`))
	for f := range renderer.File(renderer.FileCount) {
		if blob := c.Overlay(s, f); len(blob) > 24+3*16+3*4 {
			t.Errorf("%s: an overlay of %d bytes for three numbers", f.Name(), len(blob))
		}
	}
}

// A38: composites nested 30 deep, each twice in the next, give plans and overlays no larger than the
// bounded files.
func TestPlansOfNestedCompositesAreBounded(t *testing.T) {
	t.Parallel()
	theme := many(31, func(i int) string {
		if i == 0 {
			return `{"$type":"color","$value":"red"}`
		}
		if i == 1 {
			return `{"$type":"shadow","$value":{"offsetX":"1px","offsetY":"1px","color":"{t00000}"}}`
		}
		return fmt.Sprintf(`{"$type":"shadow","$value":["{t%05[1]d}","{t%05[1]d}"]}`, i-1)
	})
	c := renderer.Compile(parse(t, theme), "")
	s, whole := c.Load(parse(t, `{"t00000":"blue"}`)), c.LoadWhole(parse(t, `{"t00000":"blue"}`))
	for f := range renderer.File(renderer.FileCount) {
		o := openOverlay(t, c.Plan(f), c.Overlay(s, f))
		if len(c.Plan(f)) > 16<<20 || len(c.Overlay(s, f)) > o.Size()+24+31*16 {
			t.Errorf("%s of %d bytes: a plan of %d bytes, an overlay of %d", f.Name(), o.Size(), len(c.Plan(f)), len(c.Overlay(s, f)))
		}
		if got, want := string(o.Append(nil)), string(whole.Append(nil, f)); got != want {
			t.Errorf("%s differs", f.Name())
		}
	}
}

// knots are Themes whose work could grow faster than they do.
var knots = map[string]func(n int) string{
	"a chain of aliases":       func(n int) string { return many(n, reaches[1].token) },
	"all aliases of one token": func(n int) string { return many(n, reaches[2].token) },
	"strings that hold one token": func(n int) string {
		return many(n, func(i int) string {
			if i == 0 {
				return `{"$type":"string","$value":"x"}`
			}
			return `{"$type":"string","$value":"a {t00000} b"}`
		})
	},
	"composites nested 30 deep": func(n int) string {
		return many(n, func(i int) string {
			if i%30 == 0 {
				return `{"$type":"shadow","$value":{"offsetX":"1px","offsetY":"1px","color":"red"}}`
			}
			return fmt.Sprintf(`{"$type":"shadow","$value":["{t%05d}"]}`, i-1)
		})
	},
	"one name of all tokens": func(n int) string {
		return many(n, func(i int) string { return fmt.Sprintf(`{"a b":{"$value":%d},"a-b":{"$value":%[1]d}}`, i) })
	},
	"aliases of what is not there": func(n int) string {
		return many(n, func(i int) string { return fmt.Sprintf(`{"$value":"{no.%d} {x y}"}`, i) })
	},
	"a cycle of all": func(n int) string {
		return many(n, func(i int) string { return fmt.Sprintf(`{"$value":"{t%05d}"}`, (i+1)%n) })
	},
	"a design system": family,
}

// Twice the document takes twice the memory and twice the allocations, from the text to plans, and from
// overrides to overlays, with some room for tables that double.
func TestWorkGrowsWithTheDocument(t *testing.T) {
	for name, theme := range knots {
		t.Run(name, func(t *testing.T) {
			small, large := theme(10_000), theme(20_000)
			once, twice := workOf(t, small), workOf(t, large)
			longer := float64(len(large)) / float64(len(small))
			if twice.bytes > once.bytes*longer*1.3 || twice.allocs > once.allocs*longer*1.3+100 {
				t.Errorf("10,000 tokens take %.0f bytes in %.0f allocations, 20,000 %.0f in %.0f", once.bytes, once.allocs, twice.bytes, twice.allocs)
			}
		})
	}
}

// work is what is asked of the memory.
type work struct{ bytes, allocs float64 }

func workOf(t *testing.T, theme string) work {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c := renderer.Compile(parse(t, theme), "")
	s := c.Load(parse(t, `{"t00000":"7"}`))
	for f := range renderer.File(renderer.FileCount) {
		c.Overlay(s, f)
	}
	s.Diagnostics()
	runtime.ReadMemStats(&after)
	return work{float64(after.TotalAlloc - before.TotalAlloc), float64(after.Mallocs - before.Mallocs)}
}

// family spells a Theme as design systems are built: one in five tokens is a colour or a size of the
// palette, two are aliases of these, one an alias of an alias, one a composite.
func family(n int) string {
	return many(n, func(i int) string {
		base := i - i%5
		switch i % 5 {
		case 0:
			if i%10 == 0 {
				return fmt.Sprintf(`{"$type":"color","$value":"#%06x"}`, i*7919%(1<<24))
			}
			return fmt.Sprintf(`{"$type":"dimension","$value":{"value":%d,"unit":"px"}}`, i%64)
		case 1, 2:
			return fmt.Sprintf(`{"$value":"{t%05d}","$description":"role %d"}`, base, i)
		case 3:
			return fmt.Sprintf(`{"$value":"{t%05d}"}`, base+1)
		}
		color, size := base-base%10, (base-base%10+5)%n
		return fmt.Sprintf(`{"$type":"border","$value":{"color":"{t%05d}","width":"{t%05d}","style":"solid"}}`, color, size)
	})
}

// brand overrides count tokens, spread over all of the first n.
func brand(n, count int) *jsontree.Node {
	o := jsontree.NewObject()
	for i := range count {
		at := i * n / count
		name := fmt.Sprintf("t%05d", at)
		value := jsontree.NewString(fmt.Sprintf("#%06x", (i+1)*104729%(1<<24)))
		if kind := at - at%5; kind%10 != 0 {
			value = jsontree.NewString(fmt.Sprintf("%dpx", i%90+1))
		}
		if at%5 == 4 {
			value = jsontree.NewObject(jsontree.Member{Name: "color", Value: jsontree.NewString(fmt.Sprintf("#%06x", i))},
				jsontree.Member{Name: "width", Value: jsontree.NewString("3px")}, jsontree.Member{Name: "style", Value: jsontree.NewString("dashed")})
		}
		o.Members = append(o.Members, jsontree.Member{Name: name, Value: value})
	}
	return o
}

// The Theme and the Variants of the benchmarks are what they claim: everything is served, every override counts.
func TestBenchmarkDocumentsAreServedWhole(t *testing.T) {
	t.Parallel()
	for _, n := range []int{500, 2000} {
		c := renderer.Compile(parse(t, family(n)), "")
		for _, count := range []int{1, 200} {
			if found := c.Load(brand(n, count)).Diagnostics(); len(found) != 0 {
				t.Errorf("%d tokens, %d overrides: %v", n, count, found[0])
			}
		}
		checkCompiled(t, parse(t, family(n)), "", brand(n, 1), brand(n, 200))
	}
}

var benchTokens = []int{500, 2000, 10_000}

// BenchmarkCompilePlan compiles the plans of all five files from a parsed Theme.
func BenchmarkCompilePlan(b *testing.B) {
	for _, n := range benchTokens {
		b.Run(fmt.Sprintf("tokens=%d", n), func(b *testing.B) {
			theme := parse(b, family(n))
			var c *renderer.CompiledTheme
			b.ReportAllocs()
			for b.Loop() {
				c = renderer.Compile(theme, "")
			}
			total := 0
			for f := range renderer.File(renderer.FileCount) {
				total += len(c.Plan(f))
			}
			b.ReportMetric(float64(len(c.Plan(renderer.TokensCSS))), "css-plan-B")
			b.ReportMetric(float64(total), "all-plans-B")
		})
	}
}

// eachBrand runs a benchmark for every size of Theme and Variant.
func eachBrand(b *testing.B, run func(b *testing.B, c *renderer.CompiledTheme, overrides *jsontree.Node)) {
	for _, n := range benchTokens {
		c := renderer.Compile(parse(b, family(n)), "")
		for _, count := range []int{1, 10, 50, 200, 1000} {
			if count <= n {
				b.Run(fmt.Sprintf("tokens=%d/overrides=%d", n, count), func(b *testing.B) { run(b, c, brand(n, count)) })
			}
		}
	}
}

// BenchmarkCompileOverlay compiles the overlays of all five files from parsed overrides.
func BenchmarkCompileOverlay(b *testing.B) {
	eachBrand(b, func(b *testing.B, c *renderer.CompiledTheme, overrides *jsontree.Node) {
		total, sheet := 0, 0
		b.ReportAllocs()
		for b.Loop() {
			s := c.Load(overrides)
			total = 0
			for f := range renderer.File(renderer.FileCount) {
				blob := c.Overlay(s, f)
				total += len(blob)
				if f == renderer.TokensCSS {
					sheet = len(blob)
				}
			}
		}
		b.ReportMetric(float64(sheet), "css-overlay-B")
		b.ReportMetric(float64(total), "all-overlays-B")
	})
}

// BenchmarkOpen opens the plan of tokens.css and an overlay of 50 overrides.
func BenchmarkOpen(b *testing.B) {
	for _, n := range benchTokens {
		c := renderer.Compile(parse(b, family(n)), "")
		p, overlay := c.Plan(renderer.TokensCSS), c.Overlay(c.Load(brand(n, 50)), renderer.TokensCSS)
		b.Run(fmt.Sprintf("tokens=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				openOverlay(b, p, overlay)
			}
		})
	}
}

// BenchmarkRenderPlan renders tokens.css: the plan is open, the overlay is opened each time.
func BenchmarkRenderPlan(b *testing.B) {
	eachBrand(b, func(b *testing.B, c *renderer.CompiledTheme, overrides *jsontree.Node) {
		p, err := plan.Open(c.Plan(renderer.TokensCSS))
		if err != nil {
			b.Fatal(err)
		}
		blob := c.Overlay(c.Load(overrides), renderer.TokensCSS)
		edits, out := 0, make([]byte, 0, 2*len(p.File()))
		b.ReportAllocs()
		for b.Loop() {
			o, err := plan.OpenOverlay(p, blob)
			if err != nil {
				b.Fatal(err)
			}
			out = o.Append(out[:0])
			edits = o.MaxPieces() / 2
		}
		b.ReportMetric(float64(edits), "edits")
		b.ReportMetric(float64(len(out)), "file-B")
	})
}

// BenchmarkRenderRealVariants renders tokens.css of real Themes with their real Variants.
func BenchmarkRenderRealVariants(b *testing.B) {
	for theme, variants := range map[string][]string{
		"adobe-spectrum": {"dark", "mobile"}, "figma-sds": {"dark"}, "github-primer": {"dark", "dark-hc"},
	} {
		c := renderer.Compile(parse(b, benchDocument(b, theme)), "")
		p, err := plan.Open(c.Plan(renderer.TokensCSS))
		if err != nil {
			b.Fatal(err)
		}
		for _, variant := range variants {
			overrides := parse(b, readCorpus(b, theme+".variant-"+variant+".json"))
			blob := c.Overlay(c.Load(overrides), renderer.TokensCSS)
			b.Run(theme+"/"+variant, func(b *testing.B) {
				edits, out := 0, make([]byte, 0, 2*len(p.File()))
				b.ReportAllocs()
				for b.Loop() {
					o, err := plan.OpenOverlay(p, blob)
					if err != nil {
						b.Fatal(err)
					}
					out = o.Append(out[:0])
					edits = o.MaxPieces() / 2
				}
				b.ReportMetric(float64(len(overrides.Members)), "overrides")
				b.ReportMetric(float64(edits), "edits")
				b.ReportMetric(float64(len(blob)), "overlay-B")
				b.ReportMetric(float64(len(out)), "file-B")
			})
		}
	}
}
