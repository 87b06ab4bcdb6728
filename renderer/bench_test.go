package renderer_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/livery/renderer"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/renderer/plan"
)

// benchDocument returns a document of the corpus, which lives outside the project.
func benchDocument(b *testing.B, name string) string {
	b.Helper()
	return readCorpus(b, name+".tokens.json")
}

func readCorpus(b *testing.B, name string) string {
	b.Helper()
	data, err := os.ReadFile(filepath.Join(corpusDir, name))
	if err != nil {
		b.Skipf("the corpus is not beside this checkout: %v", err)
	}
	return string(data)
}

var benchDocuments = []string{
	"shopify-polaris", "github-primer", "nl-design-system-ma-merged", "livery-synthetic-large-1000", "livery-synthetic-large-10000",
}

// BenchmarkAllFiles reads a text, resolves it and renders all five files.
func BenchmarkAllFiles(b *testing.B) {
	for _, name := range benchDocuments {
		b.Run(name, func(b *testing.B) {
			text := benchDocument(b, name)
			var out []byte
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				s, err := renderer.Load(text, "", "")
				if err != nil {
					b.Fatal(err)
				}
				for f := range renderer.File(renderer.FileCount) {
					out = s.Append(out[:0], f)
				}
			}
		})
	}
}

// BenchmarkStages is what each part of BenchmarkAllFiles costs.
func BenchmarkStages(b *testing.B) {
	text := benchDocument(b, "livery-synthetic-large-10000")
	root, err := jsontree.Parse(text)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("parse", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := jsontree.Parse(text); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			dtcg.Read(root)
		}
	})
	doc := dtcg.Read(root)
	b.Run("declare", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			renderer.LoadDocument(doc, "")
		}
	})
	s := renderer.LoadDocument(doc, "")
	var out []byte
	for f := range renderer.File(renderer.FileCount) {
		b.Run(strings.TrimPrefix(f.Name(), "tokens."), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				out = s.Append(out[:0], f)
			}
		})
	}
}

// BenchmarkOverlay is one more brand on a Theme that is read already: 50 overrides, one file.
func BenchmarkOverlay(b *testing.B) {
	for _, name := range benchDocuments {
		b.Run(name, func(b *testing.B) {
			root, err := jsontree.Parse(benchDocument(b, name))
			if err != nil {
				b.Fatal(err)
			}
			theme := dtcg.Read(root)
			var overrides []dtcg.Override
			for i := 0; i < len(theme.Tokens) && len(overrides) < 50; i += max(1, len(theme.Tokens)/50) {
				overrides = append(overrides, dtcg.Override{Path: theme.Tokens[i].Path, Value: theme.Tokens[i].Served})
			}
			var out []byte
			b.ReportAllocs()
			for b.Loop() {
				out = renderer.LoadDocument(dtcg.Overlay(theme, overrides), "").Append(out[:0], renderer.TokensCSS)
			}
		})
	}
}

// BenchmarkParse reads Themes of known sizes.
func BenchmarkParse(b *testing.B) {
	for _, n := range benchTokens {
		text := family(n)
		b.Run(fmt.Sprintf("tokens=%d", n), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := jsontree.Parse(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRenderFiles renders each of the five files: the plan is open, the overlay of 50 overrides is
// opened each time.
func BenchmarkRenderFiles(b *testing.B) {
	for _, n := range benchTokens {
		c := renderer.Compile(parse(b, family(n)), "")
		s := c.Load(brand(n, 50))
		for f := range renderer.File(renderer.FileCount) {
			p, err := plan.Open(c.Plan(f))
			if err != nil {
				b.Fatal(err)
			}
			blob, out := c.Overlay(s, f), make([]byte, 0, 2*len(p.File()))
			b.Run(fmt.Sprintf("tokens=%d/%s", n, strings.TrimPrefix(f.Name(), "tokens.")), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					o, err := plan.OpenOverlay(p, blob)
					if err != nil {
						b.Fatal(err)
					}
					out = o.Append(out[:0])
				}
			})
		}
	}
}
