package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/livery/cli/tokenfile"
	"example.com/livery/client"
	"example.com/livery/origin/patch"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

func parse(t *testing.T, text string) *jsontree.Node {
	t.Helper()
	n, err := jsontree.Parse(text)
	if err != nil {
		t.Fatalf("Parse(%s): %v", text, err)
	}
	return n
}

func TestOverlayOfDocuments(t *testing.T) {
	cases := []struct{ rule, under, over, want string }{
		{"groups are joined", `{"a":{"x":{"$value":1}}}`, `{"a":{"y":{"$value":2}}}`, `{"a":{"x":{"$value":1},"y":{"$value":2}}}`},
		{"a token takes the place as a whole", `{"a":{"$value":1,"$description":"old"}}`, `{"a":{"$value":2}}`, `{"a":{"$value":2}}`},
		{"a token takes the place of a group", `{"a":{"x":{"$value":1}}}`, `{"a":{"$value":2}}`, `{"a":{"$value":2}}`},
		{"a group takes the place of a token", `{"a":{"$value":1}}`, `{"a":{"x":{"$value":2}}}`, `{"a":{"x":{"$value":2}}}`},
		{"the place of a member is kept", `{"a":{"$value":1},"b":{"$value":2}}`, `{"a":{"$value":3}}`, `{"a":{"$value":3},"b":{"$value":2}}`},
		{"metadata of a group is replaced, not joined", `{"$extensions":{"x":1},"$type":"number"}`, `{"$extensions":{"y":2}}`, `{"$extensions":{"y":2},"$type":"number"}`},
		{"a root token is a token", `{"a":{"$root":{"$value":1,"$type":"number"}}}`, `{"a":{"$root":{"$value":2}}}`, `{"a":{"$root":{"$value":2}}}`},
	}
	for _, c := range cases {
		under := parse(t, c.under)
		if got := string(jsontree.Append(nil, overlay(under, parse(t, c.over)))); got != c.want {
			t.Errorf("%s: overlay(%s, %s) = %s, want %s", c.rule, c.under, c.over, got, c.want)
		}
		if after := string(jsontree.Append(nil, under)); after != c.under {
			t.Errorf("%s: overlay changed its argument to %s", c.rule, after)
		}
	}
}

func TestFaultsOfAFileHaveLineAndColumn(t *testing.T) {
	cases := []struct{ rule, text, want string }{
		{"a missing comma", "{\n  \"a\": 1\n  \"b\": 2\n}", "f:3:3: "},
		{"columns count characters", "{\"äöü\": 1,}", "f:1:11: "},
		{"an end that is missing", "{\"a\": {\n", "f:2:1: the file ends too early"},
		{"an empty file", "", "f is empty"},
		{"white space alone", "\ufeff \r\n", "f is empty"},
		{"a web page", "\n<!DOCTYPE html>", "f is a web page or XML, and no JSON"},
		{"UTF-16", "\xff\xfe{\x00}\x00", "f is text in UTF-16"},
		{"a packed file", "\x1f\x8b\x08", "f is compressed"},
		{"an archive", "PK\x03\x04", "f is compressed"},
		{"a program", "\x7fELF\x02\x01\x00", "f is no text"},
		{"an encoding of old", "{\"a\": \"\xfcber\" 1}", "f is no text"},
		{"a character at the bound of what is looked at", strings.Repeat(" ", 511) + "ä", "f:1:512: the file is not valid JSON"},
		{"a byte order mark is no fault and no column", "\ufeff{\"a\"}", "f:1:5: "},
		{"an array is no token file", "[]", "f:1:1: the file holds no JSON object but one value of kind array"},
		{"nesting without end", strings.Repeat("[", 100), "f:1:73: the file is not valid JSON: it nests too deep"},
	}
	for _, c := range cases {
		_, err := parseFile("f", c.text)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: parseFile(%q) = %v, want %s…", c.rule, c.text, err, c.want)
		}
	}
}

func TestVariantSourceReadsMapsAndDocuments(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	a := &app{in: strings.NewReader(`{"color.brand":"blue"}`)}
	got, err := a.variantSource([]string{
		write("a.json", `{"color.brand":"red","space":{"value":4,"unit":"px"}}`),
		write("b.json", `{"color":{"brand":{"$value":"green"},"$root":{"$value":"x"}}}`),
		"-",
	}, tokenfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"color.brand":"blue","space":{"value":4,"unit":"px"},"color.$root":"x"}`
	if text := string(jsontree.Append(nil, got.tree)); text != want {
		t.Errorf("variantSource() = %s, want %s", text, want)
	}
	if _, err := a.themeSource([]string{filepath.Join(dir, "none.json")}, tokenfile.Options{}); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("themeSource(a missing file) = %v", err)
	}
}

// setOf is what a token read answers for a document.
func setOf(root *jsontree.Node) client.TokenSet {
	var set client.TokenSet
	optional := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	described := func(n *jsontree.Node) *string {
		if n.IsString() {
			return &n.Text
		}
		return nil
	}
	document := dtcg.Read(root)
	for _, t := range document.Tokens {
		set.Tokens = append(set.Tokens, client.Token{
			Path: t.Path, Type: optional(t.Type), ResolvedType: optional(t.Resolved), Value: jsontree.Append(nil, t.Value),
			Description: described(t.Node.Find("$description")), Extensions: jsontree.Append(nil, t.Node.Find("$extensions")),
		})
	}
	for _, g := range document.Groups {
		set.Groups = append(set.Groups, client.Group{Path: g.Path, Type: optional(g.Type), Description: described(g.Description)})
	}
	return set
}

// documents draws documents of what a token read lists: no empty groups, and no members beyond.
func documents(depth int) *rapid.Generator[*jsontree.Node] {
	return rapid.Custom(func(t *rapid.T) *jsontree.Node {
		n := jsontree.NewObject()
		if rapid.Bool().Draw(t, "typed") {
			n.Members = append(n.Members, jsontree.Member{Name: "$type", Value: jsontree.NewString("number")})
		}
		if rapid.Bool().Draw(t, "described") {
			n.Members = append(n.Members, jsontree.Member{Name: "$description", Value: jsontree.NewString("d")})
		}
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c/d", "e~f", "$root"}), 1, 3, rapid.ID[string]).Draw(t, "names") {
			if depth > 0 && name != "$root" && rapid.Bool().Draw(t, "group") {
				n.Members = append(n.Members, jsontree.Member{Name: name, Value: documents(depth-1).Draw(t, name)})
				continue
			}
			token := jsontree.NewObject(jsontree.Member{Name: "$value", Value: &jsontree.Node{Kind: jsontree.Number, Text: rapid.SampledFrom([]string{"1", "0.10", "2e3"}).Draw(t, "value")}})
			if rapid.Bool().Draw(t, "extended") {
				token.Members = append(token.Members, jsontree.Member{Name: "$extensions", Value: jsontree.NewObject(jsontree.Member{Name: "x", Value: jsontree.NewString("y")})})
			}
			n.Members = append(n.Members, jsontree.Member{Name: name, Value: token})
		}
		return n
	})
}

// TestTreeIsWhatWasRead: a document that holds only what a token read lists comes back whole, with
// every number as it was spelled.
func TestTreeIsWhatWasRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		root := documents(3).Draw(t, "document")
		back, err := tree(setOf(root))
		if err != nil {
			t.Fatal(err)
		}
		if !jsontree.Equal(root, back) {
			t.Errorf("tree(read(%s)) = %s", jsontree.Append(nil, root), jsontree.Append(nil, back))
		}
		if got, want := jsontree.Append(nil, dtcg.Read(back).Root), jsontree.Append(nil, root); len(got) != len(want) {
			t.Errorf("tree(read(%s)) spells numbers anew: %s", want, got)
		}
	})
}

// TestPushMakesTheDocumentWanted: the operations of a push, applied in batches of any size, give the
// wanted document.
func TestPushMakesTheDocumentWanted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		current, wanted := documents(3).Draw(t, "current"), documents(3).Draw(t, "wanted")
		most := rapid.IntRange(80, 400).Draw(t, "most")
		operations := sendable(patch.Diff(current, wanted, nil), most)
		after := current
		for _, batch := range batches(operations, most, measureTheme) {
			var ops []patch.Operation
			for _, o := range batch {
				op := patch.Operation{Op: o.Operation, Path: o.Path, From: o.From}
				if o.Value != nil {
					op.Value, _ = jsontree.Parse(string(o.Value))
				}
				ops = append(ops, op)
			}
			var faults []patch.Fault
			if after, _, faults = patch.Apply(after, ops, patch.Limits{}); len(faults) > 0 {
				t.Fatalf("Apply(%s) = %v", patch.Append(nil, ops), faults)
			}
		}
		if !jsontree.Equal(after, wanted) {
			t.Errorf("%s pushed over %s gives %s", jsontree.Append(nil, wanted), jsontree.Append(nil, current), jsontree.Append(nil, after))
		}
	})
}

func TestExplanationsKeepTheirCause(t *testing.T) {
	cause := &client.Error{Status: 409, Cause: "conflict", Method: "POST", URL: "u"}
	f := explain(cause)
	if !errors.Is(f, client.ErrConflict) || f.next == "" || f.usage {
		t.Errorf("explain(a conflict) = %+v", f)
	}
}
