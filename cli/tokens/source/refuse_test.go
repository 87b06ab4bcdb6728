package source

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/livery/cli/tokens/changeset"
	_ "example.com/livery/internal/test/sameseed" // make suite NAME=fuzz draws others
	"example.com/livery/internal/test/tokentreetest"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// TestAdmissibleLeavesOutTheLeast: stored is the document before the push, {} if none is given;
// skipped are "path: part of the reason (tokens)".
func TestAdmissibleLeavesOutTheLeast(t *testing.T) {
	cases := []struct {
		rule, files, stored, want string
		skipped                   []string
	}{
		{
			rule:  "a well-formed document is pushed as it is",
			files: `{"$type":"color","a":{"$value":"red"}}`, want: `{"$type":"color","a":{"$value":"red"}}`,
		},
		{
			rule:  "a token whose value has a wrong kind goes alone",
			files: `{"g":{"$type":"number","a":{"$value":null},"b":{"$value":1}}}`, want: `{"g":{"$type":"number","b":{"$value":1}}}`,
			skipped: []string{`g.a: number cannot be null (1)`},
		},
		{
			rule:  "booleans and numbers in quotes that are none are told so",
			files: `{"a":{"$type":"boolean","$value":"true"},"b":{"$type":"number","$value":"5."},"c":{"$type":"number","$value":"1e999"},"d":{"$type":"number","$value":"x"}}`, want: `{}`,
			skipped: []string{"a: cannot be a string: write true without quotes (1)", "b: cannot be a string: write a number as JSON has it (1)", "c: cannot be a string: the number is too large (1)", "d: cannot be a string (1)"},
		},
		{
			rule:  "an object that may have modes as members",
			files: `{"$type":"color","a":{"$value":{"light":"#fff","sepia":"#eec"}}}`, want: `{"$type":"color"}`,
			skipped: []string{"a: of this shape: if its members are modes, name them under values in livery.yaml (1)"},
		},
		{
			rule:  "a $value at the root goes alone",
			files: `{"$value":1,"a":{"$value":1}}`, want: `{"a":{"$value":1}}`,
			skipped: []string{`$value: the root (0)`},
		},
		{
			rule:  "a bad name takes along what is below it, told once",
			files: `{"a.b":{"c":{"$value":1},"d":{"$type":"color","$value":1}},"e":{"{f}":{"$value":1},"g":{"$value":1}}}`, want: `{"e":{"g":{"$value":1}}}`,
			skipped: []string{`a.b: a name holds none of (2)`, `e.{f}: a name holds none of (1)`},
		},
		{
			rule:  "a member that is neither token nor group goes, and a $root without a value",
			files: `{"a":5,"g":{"$root":{"x":{"$value":1}},"b":{"$value":1}}}`, want: `{"g":{"b":{"$value":1}}}`,
			skipped: []string{`a: not a number (0)`, `g.$root: needs a $value (1)`},
		},
		{
			rule:  "a token is pushed without the metadata that is wrong",
			files: `{"$extensions":[],"a":{"$value":1,"$description":5,"$extensions":{}}}`, want: `{"a":{"$value":1,"$extensions":{}}}`,
			skipped: []string{`$extensions: not an array (0)`, `a.$description: not a number (0)`},
		},
		{
			rule:  "what is left out stays as it is stored",
			files: `{"b":{"$value":null,"$type":"number"},"c":5}`, stored: `{"b":{"$value":8},"c":{"$value":9}}`,
			want:    `{"b":{"$value":8},"c":{"$value":9}}`,
			skipped: []string{`b: null (1)`, `c: not a number (0)`},
		},
		{
			rule:  "what stays keeps its type, told once",
			files: `{"g":{"$type":"color","a":{"$value":5},"b":{"$value":"red"}}}`, stored: `{"g":{"$type":"number","a":{"$value":5}}}`,
			want:    `{"g":{"$type":"color","a":{"$type":"number","$value":5},"b":{"$value":"red"}}}`,
			skipped: []string{`g.a: color cannot be a number (1)`},
		},
		{
			rule:  "so does a stored token that the files do not name",
			files: `{"g":{"$type":"color","b":{"$value":"red"},"own":{"$type":"color","$value":"red"}}}`, stored: `{"g":{"$type":"number","a":{"$value":5}}}`,
			want: `{"g":{"$type":"color","a":{"$type":"number","$value":5},"b":{"$value":"red"},"own":{"$type":"color","$value":"red"}}}`,
		},
	}
	for _, c := range cases {
		t.Run(c.rule, func(t *testing.T) {
			stored := tokentreetest.Parse(t, or(c.stored, "{}"))
			got, out := DropInvalid(changeset.Join(stored, tokentreetest.Parse(t, c.files)), stored)
			if text := string(jsontree.Append(nil, got)); text != c.want {
				t.Errorf("admissible(%s) = %s, want %s", c.files, text, c.want)
			}
			tells := func(s Dropped, want string) bool {
				path, rest, _ := strings.Cut(want, ": ")
				count := strings.LastIndexByte(rest, ' ')
				return s.Path == path && strings.Contains(s.Reason, rest[:count]) && rest[count+1:] == fmt.Sprintf("(%d)", s.Tokens)
			}
			if !slices.EqualFunc(out, c.skipped, tells) {
				t.Errorf("admissible(%s) leaves out\n%+v, want\n%q", c.files, out, c.skipped)
			}
		})
	}
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// wild draws documents with every fault that there is once the files are read: their unknown types are corrected.
func wild(depth int) *rapid.Generator[*jsontree.Node] {
	return rapid.Custom(func(t *rapid.T) *jsontree.Node {
		value := func(texts ...string) *jsontree.Node {
			n, err := jsontree.Parse(rapid.SampledFrom(texts).Draw(t, "value"))
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		n := jsontree.NewObject()
		add := func(name string, v *jsontree.Node) {
			n.Members = append(n.Members, jsontree.Member{Name: name, Value: v})
		}
		if rapid.Bool().Draw(t, "typed") {
			add("$type", value(`"color"`, `"number"`, `"string"`))
		}
		if rapid.IntRange(0, 3).Draw(t, "described") == 0 {
			add("$description", value(`"d"`, `5`))
		}
		if depth == 0 {
			add("$value", value(`1`, `"red"`, `null`, `[]`, `"{a}"`, `"{a.b} x"`))
			return n
		}
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c.d", "", "$root"}), 1, 4, rapid.ID[string]).Draw(t, "names") {
			if rapid.IntRange(0, 9).Draw(t, "scalar") == 0 {
				add(name, value(`1`, `null`))
				continue
			}
			add(name, wild(rapid.IntRange(0, depth-1).Draw(t, "depth")).Draw(t, name))
		}
		return n
	})
}

// TestAdmissibleIsAdmitted: what is left is well formed, whatever the files hold and whatever is
// stored; no token of the files that is not listed is lost or gets another type; nothing that is
// stored and not in the files is lost.
func TestAdmissibleIsAdmitted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stored, _ := DropInvalid(wild(3).Draw(t, "stored"), jsontree.NewObject())
		files := wild(3).Draw(t, "files")
		merged := changeset.Join(stored, files)
		before := string(jsontree.Append(nil, merged))
		got, out := DropInvalid(merged, stored)
		after := string(jsontree.Append(nil, got))
		if faults := dtcg.Check(got); len(faults) > 0 {
			t.Fatalf("admissible(%s) over %s = %s with %v", before, jsontree.Append(nil, stored), after, faults)
		}
		if whole, _ := DropInvalid(files, stored); len(dtcg.Check(whole)) > 0 {
			t.Fatalf("admissible(%s) in place of %s = %s with %v", jsontree.Append(nil, files), jsontree.Append(nil, stored), jsontree.Append(nil, whole), dtcg.Check(whole))
		}
		if text := string(jsontree.Append(nil, merged)); text != before {
			t.Fatalf("admissible changed its argument %s to %s", before, text)
		}
		listed := func(token []string) bool {
			p := jsontree.Pointer(token).String()
			return slices.ContainsFunc(out, func(s Dropped) bool { return p == s.Pointer || strings.HasPrefix(p, s.Pointer+"/") })
		}
		document := dtcg.Read(got)
		types, storedTypes := map[string]string{}, map[string]string{}
		for _, token := range dtcg.Read(stored).Tokens {
			storedTypes[token.Pointer().String()] = token.Resolved
		}
		for _, token := range document.Tokens {
			types[token.Pointer().String()] = token.Resolved
		}
		for _, token := range dtcg.Read(merged).Tokens {
			at := token.Pointer().String()
			resolved, valid := types[at]
			alias := token.Value.IsString() && strings.Contains(token.Value.Text, "{")
			if !listed(token.Segments()) && (!valid || !alias && resolved != token.Resolved && resolved != storedTypes[at]) {
				t.Errorf("admissible(%s) = %s: token %q of type %q is of type %q (kept: %t)", before, after, token.Segments(), token.Resolved, resolved, valid)
			}
		}
	})
}
