package dtcg_test

import (
	"slices"
	"strings"
	"testing"

	"example.com/livery/renderer/css"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// failer is what helpers need of a test, a benchmark or a rapid check.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

func parse(t failer, text string) *jsontree.Node {
	t.Helper()
	n, err := jsontree.Parse(text)
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return n
}

func read(t failer, text string) *dtcg.Document {
	t.Helper()
	return dtcg.Read(parse(t, text))
}

func spell(n *jsontree.Node) string {
	if n == nil {
		return "nothing"
	}
	return string(jsontree.Append(nil, n))
}

func paths(d *dtcg.Document) (list []string) {
	for i := range d.Tokens {
		list = append(list, d.Tokens[i].Path)
	}
	return list
}

// S141, S143: depth first, in document order, dotted.
func TestTokensAreListedDepthFirstInDocumentOrder(t *testing.T) {
	cases := []struct {
		name, doc string
		want      []string
	}{
		{"an empty document", `{}`, nil},
		{"order is the document's, not sorted", `{"z":{"$value":1},"a":{"y":{"$value":1},"b":{"$value":1}},"m":{"$value":1}}`, []string{"z", "a.y", "a.b", "m"}},
		{"names like numbers keep their place", `{"s":{"10":{"$value":1},"2":{"$value":1},"0":{"$value":1}}}`, []string{"s.10", "s.2", "s.0"}},
		{"names of JavaScript's own", `{"__proto__":{"$value":1},"constructor":{"toString":{"$value":2}}}`, []string{"__proto__", "constructor.toString"}},
		{"$root is a token name", `{"a":{"$root":{"$value":1},"b":{"$value":2}}}`, []string{"a.$root", "a.b"}},
		{"an object with $value is a token, what is inside it is not", `{"a":{"$value":1,"b":{"$value":2}}}`, []string{"a"}},
		{"S22: an object with $ref and no $value is not a token", `{"a":{"$ref":"#/b"},"b":{"$value":1}}`, []string{"b"}},
		{"S22: a group with $extends has only its own tokens", `{"a":{"x":{"$value":1}},"b":{"$extends":"{a}","y":{"$value":2}}}`, []string{"a.x", "b.y"}},
		{"metadata is never read for tokens", `{"$extensions":{"x":{"$value":1}},"a":{"$value":1}}`, []string{"a"}},
		{"a $value of the root is not a token", `{"$value":1,"a":{"$value":1}}`, []string{"a"}},
		{"what is not an object is passed over", `{"a":5,"b":"x","c":[{"$value":1}],"d":null,"e":{"$value":null}}`, []string{"e"}},
		{"other formats have no tokens", `{"color":{"base":{"value":"#fff"}}}`, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d := read(t, c.doc)
			if got := paths(d); !slices.Equal(got, c.want) {
				t.Fatalf("paths = %q, want %q", got, c.want)
			}
			for i := range d.Tokens {
				tok := &d.Tokens[i]
				if d.Token(tok.Path) != tok || strings.Join(tok.Segments(), ".") != tok.Path {
					t.Errorf("Token(%q) or its segments %q are wrong", tok.Path, tok.Segments())
				}
			}
			if d.Token("no.such") != nil || d.Token("") != nil {
				t.Error("Token finds a path that is not there")
			}
		})
	}
}

// The names on the way to a token are those of the document, whatever full stops stand in them; a path alone cannot tell.
func TestSegmentsAreTheNames(t *testing.T) {
	t.Parallel()
	d := read(t, `{"a":{"b":{"$value":1},"b.c":{"$value":2},"b c":{"$value":3}},"d.e":{"f":{"g":{"$value":4}}},"h":{"$value":5},"":{"":{"$value":6}},"i":{"$root":{"$value":7}}}`)
	want := [][]string{{"a", "b"}, {"a", "b.c"}, {"a", "b c"}, {"d.e", "f", "g"}, {"h"}, {"", ""}, {"i", "$root"}}
	if len(d.Tokens) != len(want) {
		t.Fatalf("%d tokens, want %d", len(d.Tokens), len(want))
	}
	for i, names := range want {
		tok := &d.Tokens[i]
		if got := tok.Segments(); !slices.Equal(got, names) || tok.Path != strings.Join(names, ".") {
			t.Errorf("the segments of %q are %q, want %q", tok.Path, got, names)
		}
		dotted := strings.Contains(strings.Join(names, ""), ".")
		if tok.HasDottedName() != dotted {
			t.Errorf("HasDottedName of %q = %t, want %t", tok.Path, tok.HasDottedName(), dotted)
		}
	}
}

// A caller may append to the names of a token, and to them once more.
func TestSegmentsAreTheCallersToAppendTo(t *testing.T) {
	for _, name := range []string{"a", "a.b"} {
		d := read(t, strings.Repeat(`{"`+name+`":`, 17)+`{"$value":1}`+strings.Repeat(`}`, 17))
		tok := &d.Tokens[0]
		first, second := append(tok.Segments(), "x"), append(tok.Segments(), "y")
		if first[17] != "x" || second[17] != "y" {
			t.Errorf("two paths below %q share memory: %q, %q", tok.Path, first, second)
		}
	}
}

// A group passes its $type on if that has 256 bytes at most. A longer one hides that of the group above, and stays with a
// token that has it as its own.
func TestLongTypesAreNotPassedOn(t *testing.T) {
	longest, tooLong := strings.Repeat("t", 256), strings.Repeat("t", 257)
	d := read(t, `{"$type":"duration","a":{"$type":"`+longest+`","x":{"$value":1}},"b":{"$type":"`+tooLong+`","x":{"$value":1},"c":{"y":{"$value":1}}},
		"own":{"$type":"`+tooLong+`","$value":1},"alias":{"$value":"{own}"},"above":{"$value":1}}`)
	for path, want := range map[string]string{"a.x": longest, "b.x": "number", "b.c.y": "number", "own": tooLong, "alias": "duration", "above": "duration"} {
		if got := d.Token(path).Resolved; got != want {
			t.Errorf("%s has the type %.20q of %d bytes, want %.20q of %d", path, got, len(got), want, len(want))
		}
	}
}

func TestReadIsTotal(t *testing.T) {
	for _, n := range []*jsontree.Node{nil, {Kind: jsontree.Array}, jsontree.NewString("x"), jsontree.NewObject()} {
		if d := dtcg.Read(n); len(d.Tokens) != 0 || len(d.Groups) != 0 {
			t.Errorf("Read(%s) lists tokens", spell(n))
		}
	}
}

// S144 to S147 and decision 4.6, in the order of that decision.
func TestTypesResolve(t *testing.T) {
	cases := []struct {
		name, doc, path string
		own, resolved   string
		inferred        bool
	}{
		{"own wins", `{"g":{"$type":"color","a":{"$type":"number","$value":1}}}`, "g.a", "number", "number", false},
		{"own wins over the alias", `{"a":{"$type":"dimension","$value":"{b}"},"b":{"$type":"number","$value":1}}`, "a", "dimension", "dimension", false},
		{"an alias has its target's", `{"a":{"$value":"{b}"},"b":{"$type":"number","$value":1}}`, "a", "", "number", false},
		{"an alias wins over the group", `{"$type":"color","a":{"$value":"{b}"},"b":{"$type":"number","$value":1}}`, "a", "", "number", false},
		{"an alias of an alias", `{"a":{"$value":"{b}"},"b":{"$value":"{c}"},"g":{"$type":"duration","x":{"$value":"1ms"}},"c":{"$value":"{g.x}"}}`, "a", "", "duration", false},
		{"an alias of an untyped token falls back to the group", `{"g":{"$type":"string","a":{"$value":"{b}"}},"b":{"$value":"plain words"}}`, "g.a", "", "string", false},
		{"a missing alias falls back to the group", `{"g":{"$type":"color","a":{"$value":"{no}"}}}`, "g.a", "", "color", false},
		{"a cycle falls back to the group", `{"g":{"$type":"color","a":{"$value":"{g.a}"}}}`, "g.a", "", "color", false},
		{"a string with an alias inside is not an alias", `{"g":{"$type":"dimension","a":{"$value":"{n} * 2"}},"n":{"$type":"number","$value":1}}`, "g.a", "", "dimension", false},
		{"the nearest group", `{"$type":"color","g":{"$type":"number","h":{"a":{"$value":1}}}}`, "g.h.a", "", "number", false},
		{"the root is a group", `{"$type":"number","g":{"a":{"$value":1}}}`, "g.a", "", "number", false},
		{"$root has its group's", `{"g":{"$type":"number","$root":{"$value":1}}}`, "g.$root", "", "number", false},
		{"a guess comes last", `{"a":{"$value":"#ff0000"}}`, "a", "", "color", true},
		{"an alias of a guess is a guess", `{"a":{"$value":"{b}"},"b":{"$value":1}}`, "a", "", "number", true},
		{"no guess", `{"a":{"$value":"plain words"}}`, "a", "", "", false},
		{"a $type that is not a string says nothing", `{"a":{"$type":5,"$value":1}}`, "a", "", "number", true},
		{"an extension type stays as written", `{"a":{"$type":"spacing","$value":"1px"}}`, "a", "spacing", "spacing", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			tok := read(t, c.doc).Token(c.path)
			if tok.OwnType() != c.own || tok.Resolved != c.resolved || tok.Inferred != c.inferred {
				t.Errorf("Type, Resolved, Inferred = %q, %q, %v, want %q, %q, %v",
					tok.OwnType(), tok.Resolved, tok.Inferred, c.own, c.resolved, c.inferred)
			}
		})
	}
}

// S150, S151: groups that are only parts of paths are not listed.
func TestGroupsWithMetadataAreListed(t *testing.T) {
	d := read(t, `{"$schema":"x","a":{"$type":"color","$description":"A","b":{"c":{"$value":"red"}}},
		"d":{"$extensions":{"x":1},"e":{"$deprecated":true}},"f":{"$root":{"$value":1}},"g":{"$ref":"#/a"},"h":{"$extends":"{a}"},"i":{}}`)
	var got []string
	for _, g := range d.Groups {
		got = append(got, g.Path+"|"+g.Type+"|"+spell(g.Description))
	}
	want := []string{`a|color|"A"`, "d||nothing", "d.e||nothing", "h||nothing"}
	if !slices.Equal(got, want) {
		t.Errorf("groups = %q, want %q", got, want)
	}
	root := read(t, `{"$type":"color","a":{"$value":"red"}}`).Groups
	if len(root) != 1 || root[0].Path != "" || root[0].Type != "color" {
		t.Errorf("groups = %+v, want the root with its type", root)
	}
}

func TestTypeNamesAreTheStandardOnes(t *testing.T) {
	if got := dtcg.TypeNames(); len(got) != 13 || got[0] != "color" || got[12] != "typography" {
		t.Errorf("TypeNames() = %q", got)
	}
	for _, name := range dtcg.TypeNames() {
		if k, ok := dtcg.KindOf(name); !ok || k == css.Unknown {
			t.Errorf("KindOf(%q) = %v, %v", name, k, ok)
		}
	}
}

func TestKindOfExtensionTypes(t *testing.T) {
	kinds := map[css.Kind]string{
		css.String:            "string text other link asset content custom-string textCase textDecoration mediaQuery",
		css.Boolean:           "boolean",
		css.NumberOrDimension: "opacity percentage lineHeights lineHeight",
		css.Dimension: "spacing sizing size space borderRadius borderWidth fontSizes fontSize letterSpacing letterSpacings " +
			"paragraphSpacing paragraphIndent radius",
		css.FontFamily:  "fontFamilies fontFamily",
		css.FontWeight:  "fontWeights",
		css.Shadow:      "boxShadow",
		css.CubicBezier: "cubic-bezier",
		css.Duration:    "time",
	}
	for want, names := range kinds {
		for name := range strings.FieldsSeq(names) {
			if k, ok := dtcg.KindOf(name); !ok || k != want {
				t.Errorf("KindOf(%q) = %v, %v, want %v", name, k, ok, want)
			}
		}
	}
	for _, name := range []string{"", "colour", "Color", "shadows", "null"} {
		if k, ok := dtcg.KindOf(name); ok || k != css.Unknown {
			t.Errorf("KindOf(%q) = %v, %v, want an unknown type", name, k, ok)
		}
	}
}

// below spells a group of a long name with n members.
func below(nameBytes, n int, member string) string {
	return `{"` + strings.Repeat("n", nameBytes) + `":` + object(n, func(i int) string { return `"t` + numbers(i, i+1)[0] + `":` + member }) + "}"
}

// A long name high in the tree must not multiply with the tokens below it without a bound.
func TestPathsAreBounded(t *testing.T) {
	for member, listed := range map[string]func(d *dtcg.Document) []string{
		`{"$value":1}`: paths,
		`{"$description":"d"}`: func(d *dtcg.Document) (list []string) {
			for _, g := range d.Groups {
				list = append(list, g.Path)
			}
			return list
		},
	} {
		root := parse(t, below(1<<20, 100, member))
		d, total := dtcg.Read(root), 0
		for _, path := range listed(d) {
			total += len(path)
		}
		if n := len(listed(d)); n == 0 || n == 100 || total > dtcg.MaxPathBytes {
			t.Errorf("%s: %d are listed, with %d bytes of paths", member, n, total)
		}
		if faults := dtcg.Check(root); len(faults) != 1 || !strings.Contains(faults[0].Message, "16 MiB") {
			t.Errorf("%s: Check = %v, want one fault for the paths", member, faults)
		}
	}
}

func TestFaultsAreBounded(t *testing.T) {
	faults := dtcg.Check(parse(t, below(1<<18, 1000, "5")))
	if last := faults[len(faults)-1]; len(faults) > 10 || !strings.HasPrefix(last.Message, "and 99") {
		t.Errorf("%d faults are listed, the last is %.80q", len(faults), last.Message)
	}
}
