package write

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/livery/cli/tokenfile"
	"example.com/livery/cli/tokenfile/repair"
	"example.com/livery/cli/tokenfile/syntax"
	_ "example.com/livery/internal/test/sameseed" // make fuzz draws others
	"example.com/livery/renderer/jsontree"
)

// pushed returns the document that a push makes of a file, and the kinds of concessions it makes.
func pushed(t require, text string) (*jsontree.Node, []tokenfile.Concession) {
	f, err := syntax.Parse("f.json", text)
	if err != nil {
		t.Fatalf("Parse(%s): %v", text, err)
	}
	k, why := tokenfile.Recognise(f, tokenfile.Options{})
	if why == "" {
		t.Fatalf("Recognise(%s) finds nothing", text)
	}
	parts, err := tokenfile.Convert(k, f.Root, tokenfile.Options{})
	// A token inside a token is named, and stays in a document of DTCG.
	isFault := func(f tokenfile.Fault) bool {
		return k != tokenfile.DTCG || !strings.Contains(f.Message, "stands inside the token")
	}
	if err != nil || len(parts) != 1 || slices.ContainsFunc(parts[0].Faults, isFault) {
		t.Fatalf("Convert(%s) = %v, %v", text, parts, err)
	}
	done := repair.Document(parts[0].Tree)
	return done.Tree, append(parts[0].Concessions, done.Concessions...)
}

type require interface {
	Fatalf(format string, args ...any)
}

// roundTrip wants each form that a document is pulled in to give it back: DTCG as it is, and the others.
func roundTrip(t require, document *jsontree.Node) {
	for _, form := range append(Forms(), "dtcg") {
		file := document
		if form != "dtcg" {
			file = Document(form, document)
		}
		text := string(jsontree.Append(nil, file))
		got, said := pushed(t, text)
		if !jsontree.Equal(got, document) || len(said) > 0 && form != "dtcg" { // DTCG has groups in which a value is missing as they are
			t.Fatalf("%s: a push of\n%s\nmakes\n%s\nof\n%s, and says %v", form, text, jsontree.Append(nil, got), jsontree.Append(nil, document), said)
		}
	}
}

// TestWhatIsPulledIsPushedUnchanged: whatever the document, each form gives it back.
func TestWhatIsPulledIsPushedUnchanged(t *testing.T) {
	names := rapid.SampledFrom([]string{"a", "b", "value", "value_", "type", "a/b", "é", "comment", " x ", "sets", "light", "/", " ", "x", "a /", " $a"})
	values := rapid.SampledFrom([]string{
		`"#fff"`, `"4px"`, `1.50`, `"x"`, `{"q":1}`, `"{a}"`, `"{b.value}"`, `["Inter","sans-serif"]`, `{"colorSpace":"srgb","components":[0,0.5,1],"alpha":0.5}`,
		`{"value":4,"unit":"rem"}`, `[{"offsetX":"0","offsetY":{"value":1,"unit":"px"},"blur":"2px","color":"{a}","inset":true}]`, `true`,
		`{"fontFamily":["Inter"],"fontSize":"{b}","fontWeight":700}`, `"{missing}"`, `[0,0,1,1]`,
	})
	members := rapid.SampledFrom([]string{"", `,"$description":"d"`, `,"$extensions":{"com.figma":{"variableId":"V:1"}}`, `,"$deprecated":true`, `,"b":{"$value":1}`})
	types := rapid.SampledFrom([]string{"", "color", "dimension", "number", "shadow", "spacing", "fontFamily", "typography", "duration", "string"})
	rapid.Check(t, func(t *rapid.T) {
		typ := func() string {
			if kind := types.Draw(t, "type"); kind != "" {
				return `"$type":"` + kind + `",`
			}
			return ""
		}
		var group func(depth int) string
		group = func(depth int) string {
			var list []string
			if meta := typ(); meta != "" {
				list = append(list, strings.TrimSuffix(meta, ","))
			}
			for _, name := range rapid.SliceOfNDistinct(names, 0, 4, rapid.ID[string]).Draw(t, "names") {
				inside := `{` + typ() + `"$value":` + values.Draw(t, "value") + members.Draw(t, "members") + `}`
				if depth > 0 && rapid.Bool().Draw(t, "group") {
					inside = group(depth - 1)
				}
				list = append(list, `"`+name+`":`+inside)
			}
			if rapid.IntRange(0, 5).Draw(t, "root") == 0 {
				list = append(list, `"$root":{"$value":1}`)
			}
			return `{` + strings.Join(list, ",") + `}`
		}
		text := group(2)
		if !strings.Contains(text, "$value") {
			t.Skip("a document without tokens is nothing to push")
		}
		root, err := jsontree.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		roundTrip(t, repair.Document(root).Tree)
	})
}

// corpus holds real design systems. It is not part of this repository.
const corpus = "../../../../shared/corpus"

// An empty group comes back from a form in which another token's name leads through it, also if it is called value.
func TestAnEmptyGroupIsPulledAndPushed(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"a":{},"a/b":{"$value":"#fff"},"c":{"d":{}},"c/d/e":{"$value":1}}`,
		`{"a":{"value":{}},"b":{"value":{"$type":"color","value":{}}},"c":{"$value":1}}`,
	} {
		document, err := jsontree.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		roundTrip(t, document)
	}
}

// Figma keeps no blanks around the parts of a name, and no empty part.
func TestNamesThatFigmaDoesNotKeepArePulledAndPushed(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"/":{"$value":1},"//":{"$value":2}," ":{"$value":3},"\t":{"$value":4},"_":{"$value":5}}`,
		`{"a":{"$value":1},"a ":{"$value":2}," a":{"$value":3},"a/":{"$value":4}}`,
		`{"g":{"/":{"$value":1}," ":{" ":{"$value":2}},"$root":{"$value":3}},"g ":{" $x":{"$value":4},"  $ x":{"$value":5}}}`,
		`{"/":{"$type":"color","$value":"#fff"},"b":{"$type":"color","$value":"{/}"},"$root":{"$value":1}}`,
	} {
		document, err := jsontree.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		roundTrip(t, document)
	}
}

func TestRealDocumentsArePulledAndPushedUnchanged(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(corpus, "*.tokens.json"))
	others, _ := filepath.Glob(filepath.Join(corpus, "*.nondtcg.json"))
	files = append(files, others...)
	if len(files) == 0 {
		t.Skip("SKIPPED: the corpus of real design systems is not beside this repository: " + corpus)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			document, _ := pushed(t, string(text))
			roundTrip(t, document)
		})
	}
}

// TestAChangeInAnotherFormCounts: the note gives way to what the file says now.
func TestAChangeInAnotherFormCounts(t *testing.T) {
	const text = `{"color":{"$type":"color","$description":"Ours","brand":{"$value":{"colorSpace":"srgb","components":[0,0,1]}},"ink":{"$value":"#111111"}},"gap":{"$type":"spacing","$value":"4px"}}`
	cases := []struct{ form, before, after, want string }{
		{
			"style-dictionary", `"value":"#0000ff"`, `"value":"#ff0000"`,
			`{"color":{"$type":"color","$description":"Ours","brand":{"$type":"color","$value":"#ff0000"},"ink":{"$value":"#111111"}},"gap":{"$type":"spacing","$value":"4px"}}`,
		},
		{
			"tokens-studio", `"value":"#0000ff"`, `"value":"#ff0000"`,
			`{"color":{"$type":"color","$description":"Ours","brand":{"$type":"color","$value":"#ff0000"},"ink":{"$value":"#111111"}},"gap":{"$type":"spacing","$value":"4px"}}`,
		},
		{
			"figma", `"1:0":4`, `"1:0":6`,
			`{"color":{"$type":"color","$description":"Ours","brand":{"$value":{"colorSpace":"srgb","components":[0,0,1]}},"ink":{"$value":"#111111"}},` +
				`"gap":{"$type":"dimension","$value":{"value":6,"unit":"px"},"$extensions":{"com.figma":{"variableId":"VariableID:1:3"}}}}`,
		},
		{
			"style-dictionary", `"ink":{"value":"#111111","type":"color"}`, `"new":{"value":"#222222","type":"color"}`,
			`{"color":{"$type":"color","$description":"Ours","brand":{"$value":{"colorSpace":"srgb","components":[0,0,1]}},"new":{"$type":"color","$value":"#222222"}},"gap":{"$type":"spacing","$value":"4px"}}`,
		},
	}
	for _, c := range cases {
		root, err := jsontree.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		file := string(jsontree.Append(nil, Document(c.form, root)))
		if !strings.Contains(file, c.before) {
			t.Fatalf("%s: Document() = %s, want %s in it", c.form, file, c.before)
		}
		got, _ := pushed(t, strings.Replace(file, c.before, c.after, 1))
		if text := string(jsontree.Append(nil, got)); text != c.want {
			t.Errorf("%s: with %s a push of\n%s\nmakes\n%s, want\n%s", c.form, c.after, file, text, c.want)
		}
	}
}

// A text of digits is a text, and no number.
func TestFigmaKeepsTextsOfDigits(t *testing.T) {
	for _, text := range []string{"010", "00", "007", "-01", "00123", "10", "1.50"} {
		document, err := jsontree.Parse(`{"zip":{"$type":"string","$value":"` + text + `"}}`)
		if err != nil {
			t.Fatal(err)
		}
		want := `"resolvedType":"STRING","valuesByMode":{"1:0":"` + text + `"}`
		if got := string(jsontree.Append(nil, Document("figma", document))); !strings.Contains(got, want) {
			t.Errorf("Document(figma) of %s = %s, want %s in it", text, got, want)
		}
		roundTrip(t, document)
	}
}

// TestFormsAreAsTheirToolsReadThem: without the note, each file holds what its tool expects.
func TestFormsAreAsTheirToolsReadThem(t *testing.T) {
	const text = `{"color":{"$type":"color","brand":{"$value":{"colorSpace":"srgb","components":[0,0.2,1]},"$description":"Ours"},"link":{"$value":"{color.brand}"}},` +
		`"card":{"$type":"shadow","$value":{"offsetX":{"value":0,"unit":"px"},"offsetY":"1px","blur":"2px","spread":"0px","color":"{color.link}"}}}`
	cases := []struct{ form, want string }{
		{
			"style-dictionary",
			`{"color":{"brand":{"value":"#0033ff","type":"color","comment":"Ours"},"link":{"value":"{color.brand}","type":"color"}},` +
				`"card":{"value":{"offsetX":{"value":0,"unit":"px"},"offsetY":"1px","blur":"2px","spread":"0px","color":"{color.link}"},"type":"shadow"},`,
		},
		{
			"tokens-studio",
			`{"global":{"color":{"brand":{"value":"#0033ff","type":"color","description":"Ours"},"link":{"value":"{color.brand}","type":"color"}},` +
				`"card":{"value":{"x":"0px","y":"1px","blur":"2px","spread":"0px","color":"{color.link}","type":"dropShadow"},"type":"boxShadow"}},"$themes":[],"$metadata":{"tokenSetOrder":["global"],`,
		},
		{"figma", `"resolvedType":"COLOR","valuesByMode":{"1:0":{"type":"VARIABLE_ALIAS","id":"VariableID:1:1"}}`},
		{"figma", `"valuesByMode":{"1:0":{"r":0,"g":0.2,"b":1,"a":1}},"remote":false,"description":"Ours"`},
		{"figma", `"name":"card","key":"VariableID:1:3","variableCollectionId":"VariableCollectionId:1:0","resolvedType":"STRING","valuesByMode":{"1:0":"0px 1px 2px 0px #0033ff"}`},
	}
	for _, c := range cases {
		root, err := jsontree.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(jsontree.Append(nil, Document(c.form, root))); !strings.Contains(got, c.want) {
			t.Errorf("Document(%s) = %s, want %s in it", c.form, got, c.want)
		}
	}
	if Document("docx", jsontree.NewObject()) != nil {
		t.Error("Document(docx) = a document, want none")
	}
}
