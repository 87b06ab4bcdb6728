package renderer_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/livery/renderer"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// A38: documents that the API would store and that ask for far more than they are. Each is rendered
// alone and with overrides, if it has some.
var amplifiers = []struct {
	name, prefix     string
	theme, overrides func() string
	left             int // how many tokens are left out of at least one file
}{
	{
		name: "100,000 aliases of a string of 4 MB, which is past the bound of one value",
		theme: func() string {
			return fan(100_000, `{"$type":"string","$value":"`+strings.Repeat("x", 4<<20)+`"}`)
		},
		left: 100_000,
	},
	{
		name: "20,000 aliases of a string of 900 kB",
		theme: func() string {
			return fan(20_000, `{"$type":"string","$value":"`+strings.Repeat("x", 900_000)+`"}`)
		},
		left: 20_000 - 18,
	},
	{
		name: "aliases of characters that JSON writes with six bytes each",
		theme: func() string {
			return fan(1000, `{"$type":"string","$value":"`+strings.Repeat("<", 100_000)+`"}`)
		},
		left: 1000 - 27,
	},
	{
		name: "20,000 aliases of a composite of 1,000 layers",
		theme: func() string {
			layer := `{"offsetX":"1px","offsetY":"1px","color":"red"},`
			return fan(20_000, `{"$type":"shadow","$value":[`+strings.TrimSuffix(strings.Repeat(layer, 1000), ",")+`]}`)
		},
		left: 20_000 - 349,
	},
	{
		name: "composites that hold the one before twice, 30 deep",
		theme: func() string {
			return many(31, func(i int) string {
				if i == 0 {
					return `{"$type":"color","$value":"red"}`
				}
				return fmt.Sprintf(`{"$type":"border","$value":{"color":"{t%05[1]d}","width":"{t%05[1]d}"}}`, i-1)
			})
		},
		overrides: func() string { return `{"t00000":"blue"}` },
		left:      30,
	},
	{
		name: "arrays that hold the one before twice, 30 deep",
		theme: func() string {
			return many(31, func(i int) string {
				if i == 0 {
					return `{"$type":"shadow","$value":{"offsetX":"1px","offsetY":"1px","color":"red"}}`
				}
				return fmt.Sprintf(`{"$type":"shadow","$value":["{t%05[1]d}","{t%05[1]d}"]}`, i-1)
			})
		},
		overrides: func() string { return `{"t00000":{"offsetX":"2px","offsetY":"1px","color":"red"}}` },
		left:      31 - 15,
	},
	{
		name: "strings that hold the one before twice, 30 deep",
		theme: func() string {
			return many(31, func(i int) string {
				if i == 0 {
					return `{"$type":"string","$value":"ha"}`
				}
				return fmt.Sprintf(`{"$type":"string","$value":"{t%05[1]d} {t%05[1]d}"}`, i-1)
			})
		},
		overrides: func() string { return `{"t00000":"ho ho"}` },
		left:      31 - 18,
	},
	{
		name:      "an override that makes a value of 1 MB of what 20,000 tokens name",
		theme:     func() string { return fan(20_000, `{"$type":"string","$value":"x"}`) },
		overrides: func() string { return `{"t00000":"` + strings.Repeat("y", 1<<20-8) + `"}` },
		left:      20_000 - 16,
	},
	{
		name:      "an override that makes a long name of what 20,000 strings hold",
		theme:     func() string { return inside(20_000, `{"$type":"string","$value":"x"}`) },
		overrides: func() string { return `{"t00000":"` + strings.Repeat("y", 10_000) + `"}` },
		left:      20_000 - 1676,
	},
	{
		name:      "overrides that are longer than all that tokens.dtcg.json has room for",
		theme:     func() string { return many(30, func(int) string { return `{"$type":"string","$value":"x"}` }) },
		overrides: func() string { return values30(strings.Repeat("<", 100_000)) },
		left:      30 - 20,
	},
	{
		name: "a $type of 1 MB that 20,000 tokens inherit or take over from an alias",
		theme: func() string {
			return `{"g":{"$type":"` + strings.Repeat("t", 1<<20) + `",` + strings.ReplaceAll(fan(20_000, `{"$value":1}`)[1:], "{t00000}", "{g.t00000}") + `}`
		},
	},
	{
		name:   "a prefix of 100 kB before 20,000 names",
		prefix: strings.Repeat("p", 100_000),
		theme:  func() string { return fan(20_000, `{"$type":"number","$value":1}`) },
		left:   20_001 - 670,
	},
	{
		name: "a long name above 1,500 typographies, each of which declares it five times",
		theme: func() string {
			return `{"` + strings.Repeat("n", 10_000) + `":` + many(1500, func(i int) string {
				return `{"$type":"typography","$value":{"fontFamily":"A","fontSize":"1px","fontWeight":400,"lineHeight":1}}`
			}) + `}`
		},
		left: 1500 - 1338,
	},
	{
		name: "numbers of five characters that CSS writes with 300, and 60,000 aliases of a composite of them",
		theme: func() string {
			return fan(60_000, `{"$type":"shadow","$value":{"x":"1e300px","y":"1e300px","blur":"1e300px","spread":"1e300px","color":"red"}}`)
		},
		left: 60_001 - 51_582,
	},
	{
		name: "a list of such numbers, which is past the bound of one list",
		theme: func() string {
			layer := `{"offsetX":"1e300px","offsetY":"1e300px","blur":"1e300px","spread":"1e300px","color":"red"},`
			return `{"s":{"$type":"shadow","$value":[` + strings.TrimSuffix(strings.Repeat(layer, 50_000), ",") + `]}}`
		},
		left: 1,
	},
}

// fan spells a Theme of a token and n aliases of it.
func fan(n int, first string) string {
	return many(n+1, func(i int) string {
		if i == 0 {
			return first
		}
		return `{"$value":"{t00000}"}`
	})
}

// inside spells a Theme of a token and n strings that hold an alias of it.
func inside(n int, first string) string {
	return many(n+1, func(i int) string {
		if i == 0 {
			return first
		}
		return `{"$type":"string","$value":"-{t00000}"}`
	})
}

// values30 spells overrides of 30 tokens with one value.
func values30(value string) string {
	o := jsontree.NewObject()
	for i := range 30 {
		o.Members = append(o.Members, jsontree.Member{Name: fmt.Sprintf("t%05d", i), Value: jsontree.NewString(value)})
	}
	return spellNode(o)
}

// No file is longer than the bound, from its Theme and from its plan, and every token that is left out is named with the reason.
func TestAmplificationIsBounded_Long(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("files of 64 MiB: make check runs it")
	}
	for _, c := range amplifiers {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			theme := parse(t, c.theme())
			var overrides *jsontree.Node
			if c.overrides != nil {
				overrides = parse(t, c.overrides())
			}
			compiled := renderer.Compile(theme, c.prefix)
			s, whole := compiled.Load(overrides), renderer.LoadTree(theme, overrides, c.prefix)
			if !slices.Equal(s.Diagnostics(), whole.Diagnostics()) {
				t.Errorf("%d diagnostics, those of the whole document are %d others", len(s.Diagnostics()), len(whole.Diagnostics()))
			}
			reported := map[string]bool{}
			for _, x := range s.Diagnostics() {
				if len(x.Message) < 20 || len(x.Message) > 1000 {
					t.Fatalf("%s: %s: %.200s", x.Path, x.Kind, x.Message)
				}
				reported[x.Path] = true
			}
			if len(reported) != c.left {
				t.Errorf("%d tokens are reported, want %d", len(reported), c.left)
			}
			var files [renderer.FileCount][]byte
			var planned []byte
			for f := range renderer.File(renderer.FileCount) {
				files[f] = whole.Append(nil, f)
				planned = checkBounded(t, compiled, s, f, files[f], planned[:0])
			}
			checkNothingIsLost(t, files, reported)
		})
	}
}

// checkBounded compares a file with what its plan makes, which it appends to planned and returns.
func checkBounded(t *testing.T, c *renderer.CompiledTheme, s *renderer.Set, f renderer.File, out, planned []byte) []byte {
	t.Helper()
	if len(out) > renderer.MaxFileBytes {
		t.Errorf("%s has %d bytes", f.Name(), len(out))
	}
	if f == renderer.TokensCSS {
		if !bytes.HasSuffix(out, []byte("}\n")) {
			t.Errorf("%s is not closed", f.Name())
		}
	} else if !json.Valid(out) {
		t.Errorf("%s is not valid JSON", f.Name())
	}
	if planned = openOverlay(t, c.Plan(f), c.Overlay(s, f)).Append(planned); !bytes.Equal(planned, out) {
		t.Errorf("%s by its plan differs", f.Name())
	}
	return planned
}

// checkNothingIsLost wants each token in tokens.flat.json and in tokens.css, or in the diagnostics.
func checkNothingIsLost(t *testing.T, files [renderer.FileCount][]byte, reported map[string]bool) {
	t.Helper()
	flat := parse(t, string(files[renderer.TokensFlatJSON]))
	lines := bytes.Count(files[renderer.TokensCSS], []byte("\n")) - 3
	stored := dtcg.Read(parse(t, string(files[renderer.TokensDTCGJSON])))
	missing := 0
	for i := range stored.Tokens {
		if path := stored.Tokens[i].Path; flat.IndexOf(path) < 0 && !reported[path] {
			missing++
		}
	}
	if missing > 0 || lines+len(reported) < len(stored.Tokens) {
		t.Errorf("%d tokens are lost without a word, and %d lines and %d reports tell of %d tokens", missing, lines, len(reported), len(stored.Tokens))
	}
}

// Groups and what they say of themselves are left out last, if tokens do not make the length.
func TestDocumentsOfMetadataAreBounded(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("<", 3<<20)
	theme := jsontree.NewObject()
	for i := range 5 {
		group := jsontree.NewObject(jsontree.Member{Name: "$description", Value: jsontree.NewString(text)},
			jsontree.Member{Name: "t", Value: jsontree.NewObject(jsontree.Member{Name: "$value", Value: &jsontree.Node{Kind: jsontree.Number, Text: "1"}})})
		theme.Members = append(theme.Members, jsontree.Member{Name: fmt.Sprint("g", i), Value: group})
	}
	s := renderer.LoadTree(theme, nil, "")
	for f := range renderer.File(renderer.FileCount) {
		out := string(s.Append(nil, f))
		if len(out) > renderer.MaxFileBytes {
			t.Errorf("%s has %d bytes", f.Name(), len(out))
		}
		if !strings.Contains(out, "4") {
			t.Errorf("%s has no room for the last token, which is short", f.Name())
		}
	}
	want := "tokens.dtcg.json leaves out 2 groups and members of groups: it has no more than 64 MiB"
	if got := s.Diagnostics(); len(got) != 2 || got[0].Message != want {
		t.Errorf("diagnostics = %v, want %s", got, want)
	}
}

// Wherever the bound falls, the file is closed, is not longer, holds what it holds as the whole file
// does, and says how many tokens are missing.
func TestFilesAreCutAnywhere(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"metadata-is-kept", "extends-and-ref-are-never-applied", "acorn-design-system", "root-token", "names"} {
		s := load(t, readFile(t, "testdata/"+name+"/theme.json"), readFile(t, "testdata/"+name+"/variant.json"), "")
		for f := renderer.TokensValuesJSON; f < renderer.FileCount; f++ {
			whole := string(s.Append(nil, f))
			complete := parse(t, whole)
			values := valuesOf(complete)
			for limit := renderer.Closing; limit <= len(whole)+renderer.Closing; limit += 1 + len(whole)/500 {
				out, tokens, members := s.AppendWithin(f, limit)
				if len(out) > limit {
					t.Fatalf("%s: %s within %d bytes has %d", name, f.Name(), limit, len(out))
				}
				cut := parse(t, string(out))
				got := valuesOf(cut)
				for path, value := range got {
					if values[path] != value {
						t.Fatalf("%s: %s within %d bytes: %s is %s, want %s", name, f.Name(), limit, path, value, values[path])
					}
				}
				if missing := len(complete.Members) - len(cut.Members); (tokens+members == 0) != (string(out) == whole) || f == renderer.TokensFlatJSON && missing != tokens {
					t.Fatalf("%s: %s within %d bytes leaves out %d members of the root, %d tokens and %d members: %s", name, f.Name(), limit, missing, tokens, members, out)
				}
			}
			if out, _, _ := s.AppendWithin(f, len(whole)+renderer.Closing); string(out) != whole {
				t.Errorf("%s: %s is cut though there is room", name, f.Name())
			}
		}
	}
}

// valuesOf spells everything below n that is not an object, by path.
func valuesOf(n *jsontree.Node) map[string]string {
	found := map[string]string{}
	var walk func(n *jsontree.Node, path string)
	walk = func(n *jsontree.Node, path string) {
		for _, m := range n.Members {
			if at := path + "/" + m.Name; m.Value.IsObject() {
				walk(m.Value, at)
			} else {
				found[at] = spellNode(m.Value)
			}
		}
	}
	walk(n, "")
	return found
}
