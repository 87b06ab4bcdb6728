package references

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/livery/intake/model"
	_ "example.com/livery/internal/test/sameseed" // make suite NAME=fuzz draws others
	"example.com/livery/internal/test/tokentreetest"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

func noFile(string) bool { return false }

// faultsOf returns the problems of a document but for the values that are copied.
func faultsOf(p model.Pass) []model.Problem {
	return slices.DeleteFunc(slices.Clone(p.Problems), func(one model.Problem) bool { return one.Kind == "values copied from another token" })
}

func TestReferencesAreApplied(t *testing.T) {
	t.Parallel()
	cases := []struct{ rule, text, want, faults string }{
		{"nothing to apply", `{"a":{"$value":1,"$extensions":{"x":{"$ref":"#/no"}}}}`, `{"a":{"$value":1,"$extensions":{"x":{"$ref":"#/no"}}}}`, ""},
		{"a token is an alias", `{"a":{"$value":1},"b":{"$ref":"#/a","$description":"d"}}`, `{"a":{"$value":1},"b":{"$value":"{a}","$description":"d"}}`, ""},
		{"a whole value is an alias", `{"a":{"$value":1},"b":{"$value":{"$ref":"#/a/$value"}},"c":{"$ref":"#/b/$value"},"d":{"$value":[{"$ref":"#/a"}]}}`, `{"a":{"$value":1},"b":{"$value":"{a}"},"c":{"$value":"{b}"},"d":{"$value":["{a}"]}}`, ""},
		{"a part of a value", `{"a":{"$value":{"c":[7,8]}},"b":{"$value":[{"$ref":"#/a/$value/c/1"}]}}`, `{"a":{"$value":{"c":[7,8]}},"b":{"$value":[8]}}`, ""},
		{"a part that is an alias stays one", `{"x":{"$value":1},"a":{"$value":{"c":"{x}"}},"b":{"$value":{"$ref":"#/a/$value/c"}}}`, `{"x":{"$value":1},"a":{"$value":{"c":"{x}"}},"b":{"$value":"{x}"}}`, ""},
		{"through an alias, a $ref and a part that is a $ref", `{"a":{"$value":{"c":[7]}},"b":{"$value":"{a}"},"d":{"$ref":"#/b"},"e":{"$value":{"p":{"$ref":"#/a/$value/c"}}},"f":{"$value":[{"$ref":"#/d/$value/c/0"},{"$ref":"#/e/$value/p/0"}]}}`, `{"a":{"$value":{"c":[7]}},"b":{"$value":"{a}"},"d":{"$value":"{b}"},"e":{"$value":{"p":[7]}},"f":{"$value":[7,7]}}`, ""},
		{"members beside a $ref in a value", `{"a":{"$value":{"x":1,"y":2}},"b":{"$value":"{a}"},"c":{"$value":{"y":3,"$ref":"#/b/$value","z":4}}}`, `{"a":{"$value":{"x":1,"y":2}},"b":{"$value":"{a}"},"c":{"$value":{"x":1,"y":3,"z":4}}}`, ""},
		{"a group in a chain of groups", `{"a":{"g":{"r":{"$value":1},"x":{"$value":2}}},"b":{"$extends":"{a}","g":{"r":{"$value":3}}},"c":{"$extends":"{b}","g":{"z":{"$value":9}}},"d":{"$extends":"{c}","g":{"$extends":"{e}"}},"e":{"y":{"$value":4}}}`, `{"a":{"g":{"r":{"$value":1},"x":{"$value":2}}},"b":{"g":{"r":{"$value":3},"x":{"$value":2}}},"c":{"g":{"r":{"$value":3},"x":{"$value":2},"z":{"$value":9}}},"d":{"g":{"r":{"$value":3},"x":{"$value":2},"z":{"$value":9},"y":{"$value":4}}},"e":{"y":{"$value":4}}}`, ""},
		{"a token as metadata", `{"a":{"$value":"d"},"b":{"$value":"{a}"},"c":{"$value":2,"$description":{"$ref":"#/b"}}}`, `{"a":{"$value":"d"},"b":{"$value":"{a}"},"c":{"$value":2,"$description":"d"}}`, ""},
		{"metadata", `{"a":{"$value":1,"$description":"d"},"b":{"$value":2,"$description":{"$ref":"#/a/$description"}}}`, `{"a":{"$value":1,"$description":"d"},"b":{"$value":2,"$description":"d"}}`, ""},
		{"a value beside a $ref has its type", `{"g":{"$type":"number","a":{"$value":1}},"b":{"$ref":"#/g/a","$value":2}}`, `{"g":{"$type":"number","a":{"$value":1}},"b":{"$type":"number","$value":2}}`, ""},
		{"a name with a dot, which is mended later in the alias too", `{"g":{"0.5":{"$value":1}},"b":{"$ref":"#/g/0.5"}}`, `{"g":{"0.5":{"$value":1}},"b":{"$value":"{g.0.5}"}}`, ""},
		{"a name that no alias can say", `{"g":{"$type":"number","0.5":{"$value":1},"0":{"5":{"$value":2}}},"b":{"$ref":"#/g/0.5"}}`, `{"g":{"$type":"number","0.5":{"$value":1},"0":{"5":{"$value":2}}},"b":{"$type":"number","$value":1}}`, ""},
		{"escapes", `{"a/b":{"~":{"$value":1}},"x y":{"$value":2},"c":{"$ref":"#/a~1b/~0"},"d":{"$ref":"#/x%20y"},"e":{"$ref":"#/x y"}}`, `{"a/b":{"~":{"$value":1}},"x y":{"$value":2},"c":{"$value":"{a/b.~}"},"d":{"$value":"{x y}"},"e":{"$value":"{x y}"}}`, ""},
		{"definitions are copied", `{"$defs":{"n":{"$value":1}},"a":{"$ref":"#/$defs/n"}}`, `{"$defs":{"n":{"$value":1}},"a":{"$value":1}}`, ""},
		{"a definition is a value", `{"$defs":{"n":4,"m":{"$ref":"#/$defs/n"},"v":{"value":3,"unit":"px"}},"a":{"$value":{"value":{"$ref":"#/$defs/m"},"unit":"px"}},"b":{"$value":{"$ref":"#/$defs/v"}},"c":{"$value":{"$ref":"#/$defs/v/value"}},"d":{"$ref":"#/$defs/n"}}`, `{"$defs":{"n":4,"m":{"$ref":"#/$defs/n"},"v":{"value":3,"unit":"px"}},"a":{"$value":{"value":4,"unit":"px"}},"b":{"$value":{"value":3,"unit":"px"}},"c":{"$value":3},"d":{"$value":4}}`, ""},
		{"a group", `{"a":{"$type":"number","$description":"d","x":{"$value":1},"g":{"y":{"$value":2},"z":{"$value":3}}},"b":{"$extends":"{a}","$description":"e","g":{"z":{"$value":4}},"n":{"$value":5}}}`, `{"a":{"$type":"number","$description":"d","x":{"$value":1},"g":{"y":{"$value":2},"z":{"$value":3}}},"b":{"$type":"number","$description":"e","x":{"$value":1},"g":{"y":{"$value":2},"z":{"$value":4}},"n":{"$value":5}}}`, ""},
		{"a group by $ref, an $extends as a pointer", `{"a":{"x":{"$value":1}},"b":{"$ref":"#/a"},"c":{"$ref":"#/a","y":{"$value":2}},"d":{"$extends":"#/a"},"e":{"$extends":{"$ref":"#/a"}}}`, `{"a":{"x":{"$value":1}},"b":{"x":{"$value":1}},"c":{"x":{"$value":1},"y":{"$value":2}},"d":{"x":{"$value":1}},"e":{"x":{"$value":1}}}`, ""},
		{"a group in one that inherits from it", `{"a":{"$extends":"{a.base}","reset":{"x":{"$value":1}},"base":{"$extends":"{a.reset}","y":{"$value":2}}}}`, `{"a":{"x":{"$value":1},"y":{"$value":2},"reset":{"x":{"$value":1}},"base":{"x":{"$value":1},"y":{"$value":2}}}}`, ""},
		{"a token is replaced whole", `{"a":{"x":{"$type":"number","$value":1}},"b":{"$extends":"{a}","x":{"$value":"2px"}}}`, `{"a":{"x":{"$type":"number","$value":1}},"b":{"x":{"$value":"2px"}}}`, ""},
		{"a chain, and a group inside one that inherits", `{"a":{"x":{"$value":1}},"b":{"$extends":"{a}","g":{"y":{"$value":2}}},"c":{"$extends":"{b}"},"d":{"$extends":"{c.g}"},"e":{"$ref":"#/c/x"}}`, `{"a":{"x":{"$value":1}},"b":{"x":{"$value":1},"g":{"y":{"$value":2}}},"c":{"x":{"$value":1},"g":{"y":{"$value":2}}},"d":{"y":{"$value":2}},"e":{"$value":"{c.x}"}}`, ""},
		{"both groups inherit", `{"p":{"x":{"$value":1},"y":{"$value":1}},"q":{"y":{"$value":2}},"a":{"g":{"$extends":"{p}","z":{"$value":3}}},"b":{"$extends":"{a}","g":{"$extends":"{q}"}}}`, `{"p":{"x":{"$value":1},"y":{"$value":1}},"q":{"y":{"$value":2}},"a":{"g":{"x":{"$value":1},"y":{"$value":1},"z":{"$value":3}}},"b":{"g":{"x":{"$value":1},"y":{"$value":2},"z":{"$value":3}}}}`, ""},
		{"one group twice on the way down", `{"a":{"g":{},"x":{"$value":1}},"b":{"$extends":"{a}","g":{"$extends":"{a}"}}}`, `{"a":{"g":{},"x":{"$value":1}},"b":{"g":{"g":{},"x":{"$value":1}},"x":{"$value":1}}}`, ""},
		{"a reference inside leads to what the group inherits", `{"y":{"h":{"k":{"$value":1}},"g":{}},"x":{"$extends":"{y}","g":{"$extends":"{x.h}"}}}`, `{"y":{"h":{"k":{"$value":1}},"g":{}},"x":{"h":{"k":{"$value":1}},"g":{"k":{"$value":1}}}}`, ""},
		{"the type goes along if nothing else gives one", `{"c":{"$type":"color","b":{"x":{"$value":"red"}}},"d":{"$extends":"{c.b}"},"e":{"$type":"string","f":{"$extends":"{c.b}"}}}`, `{"c":{"$type":"color","b":{"x":{"$value":"red"}}},"d":{"$type":"color","x":{"$value":"red"}},"e":{"$type":"string","f":{"x":{"$value":"red"}}}}`, ""},
		{"a token of the group above", `{"a":{"x":{"$value":1},"g":{"y":{"$ref":"#/a/x"}}},"b":{"$extends":"{a}"}}`, `{"a":{"x":{"$value":1},"g":{"y":{"$value":"{a.x}"}}},"b":{"x":{"$value":1},"g":{"y":{"$value":"{a.x}"}}}}`, ""},

		{"no texts", `{"a":{"$extends":{}},"b":{"$ref":{"x":1}},"c":{"$value":{"$ref":{}}},"d":{"$extends":{"$ref":5},"x":{"$value":1}}}`, `{"a":{"$extends":{}},"d":{"$extends":{"$ref":5},"x":{"$value":1}}}`, "/a/$extends a reference is a text; /b a reference is a text; /c a reference is a text; /d/$extends a reference is a text"},
		{"nothing there", `{"a":{"$ref":"#/no/where","$description":"d"},"b":{"$extends":"{no}","x":{"$value":1}},"c":{"$value":{"u":{"$ref":"#/a/$value/9"}}}}`, `{"b":{"$extends":"{no}","x":{"$value":1}}}`, "/a the document has no no.where; /b/$extends the document has no no; /c"},
		{"a group of definitions for a value", `{"$defs":{"g":{"x":{"$value":1}}},"b":{"$value":{"$ref":"#/$defs/g"}}}`, `{"$defs":{"g":{"x":{"$value":1}}}}`, "/b leads to a group"},
		{"a circle of three", `{"a":{"$extends":"{b}","x":{"$value":1}},"b":{"$extends":"{c}"},"c":{"$extends":"{a}"}}`, `{"a":{"$extends":"{b}","x":{"$value":1}},"b":{"$extends":"{c}"},"c":{"$extends":"{a}"}}`, "/a/$extends circular; /b/$extends circular; /c/$extends circular"},
		{"a circle through an $extends that is an object", `{"a":{"$extends":{"$ref":"#/b"}},"b":{"$extends":"{a}"}}`, `{"a":{"$extends":{"$ref":"#/b"}},"b":{"$extends":"{a}"}}`, "/a/$extends #/b leads to {a} leads to #/b; /b/$extends #/b leads to {a} leads to #/b"},
		{"the group above", `{"a":{"x":{"$value":1},"b":{"$extends":"{a}"}}}`, `{"a":{"x":{"$value":1},"b":{"$extends":"{a}"}}}`, "/a/b/$extends circular"},
		{"the group that brings it", `{"a":{"$extends":"{b}","x":{"$value":1}},"b":{"c":{"$extends":"{a}"}}}`, `{"a":{"c":{"$extends":"{a}"},"x":{"$value":1}},"b":{"c":{"$extends":"{a}"}}}`, "/b/c/$extends circular"},
		{"tokens in a circle", `{"a":{"$ref":"#/b"},"b":{"$ref":"#/a"},"c":{"$value":{"$ref":"#/c/$value/x"}},"d":{"$value":[{"$ref":"#/d/$value"}]}}`, `{"d":{"$value":["{d}"]}}`, "/a circular; /b circular; /c circular"},
		{"a token for a group, and the other way round", `{"t":{"$value":1},"g":{"x":{"$value":1}},"a":{"$extends":"{t}"},"b":{"$value":{"$ref":"#/g"}},"c":{"$value":1,"$extends":"{g}"}}`, `{"t":{"$value":1},"g":{"x":{"$value":1}},"a":{"$extends":"{t}"},"c":{"$value":1,"$extends":"{g}"}}`, "/a/$extends leads to a token; /b leads to a group; /c/$extends only groups"},
		{"a chain that ends in a circle or nowhere", `{"a":{"$ref":"#/b"},"b":{"$ref":"#/c"},"c":{"$ref":"#/d"},"d":{"$ref":"#/c"},"e":{"$ref":"#/f"},"f":{"$ref":"#/no"},"g":{"$extends":"{e}","x":{"$value":1}}}`, `{"g":{"$extends":"{e}","x":{"$value":1}}}`, "/a leads to a reference; /b leads to a reference; /c circular; /d circular; /e leads to a reference; /f the document has no no; /g/$extends leads to a reference"},
		{"a group in place of a token that it would have", `{"a":{"x":{"$value":1},"y":{"$value":2}},"b":{"$extends":"{a}","x":{"$description":"d"},"y":{"z":{"$value":3}}}}`, `{"a":{"x":{"$value":1},"y":{"$value":2}},"b":{"x":{"$description":"d"},"y":{"z":{"$value":3}}}}`, "/b/x the place of the token at a.x; /b/y the place of the token at a.y"},
		{"a name near that of the reference itself", `{"color":{"gone":{"$ref":"#/color/none"},"x":{"$value":1}}}`, `{"color":{"x":{"$value":1}}}`, "/color/gone has no color.none. Name a token or group that exists."},
		{"a slip of a name, an item too far", `{"color":{"blue":{"$value":[0,1]}},"a":{"$ref":"#/color/blu"},"b":{"$ref":"#/colour/blue"},"c":{"$value":{"$ref":"#/color/blue/$value/2"}}}`, `{"color":{"blue":{"$value":[0,1]}}}`, "/a has no color.blu. Did you mean color.blue?; /b has no colour.blue. Did you mean color.blue?; /c has 2 items, the first of them 0"},
		{"no reference at all", `{"a":{"$ref":"b.c"},"b":{"$extends":"{a"},"c":{"$ref":""},"d":{"$ref":"https://a.example/b.json#/c"}}`, `{"b":{"$extends":"{a"}}`, "/a the file b.c; /b/$extends {a is not a reference. Write #/a, or {a}; /c empty; /d is on a server"},
		{"another file, a wrong pointer, no text", `{"a":{"$ref":"b.json#/x"},"b":{"$ref":"#x"},"c":{"$ref":7}}`, `{}`, "/a the file b.json; /b not a JSON Pointer; /c a reference is a text"},
	}
	for _, c := range cases {
		root := tokentreetest.Parse(t, c.text)
		got := Apply(root, noFile)
		if text := string(jsontree.Append(nil, got.Tree)); text != c.want {
			t.Errorf("%s: Apply(%s) =\n%s, want\n%s", c.rule, c.text, text, c.want)
		}
		var want []string
		if c.faults != "" {
			want = strings.Split(c.faults, "; ")
		}
		faults := faultsOf(got)
		if len(want) != len(faults) {
			t.Errorf("%s: Apply(%s) has the faults %+v, want %v", c.rule, c.text, faults, want)
			continue
		}
		for i, f := range faults {
			pointer, message, _ := strings.Cut(want[i], " ")
			if f.Pointer != pointer || !strings.Contains(f.Message, message) {
				t.Errorf("%s: Apply(%s) fault %d = %+v, want %s", c.rule, c.text, i, f, want[i])
			}
		}
		if string(jsontree.Append(nil, root)) != c.text {
			t.Errorf("%s: Apply changed the document that it was given", c.rule)
		}
		leavesAreThereOrNamed(t, root, got)
	}
}

// TestCopiesAreNamed: what an override of another token does not reach is named once, and an alias is not.
func TestCopiesAreNamed(t *testing.T) {
	t.Parallel()
	cases := []struct{ rule, text, want string }{
		{"a part of a value", `{"a":{"$value":{"c":[7,8]}},"b":{"$value":{"c":{"$ref":"#/a/$value/c"}}}}`, "b: a part of a"},
		{"a part in a list and in place of a token", `{"g":{"a":{"$value":{"c":[7]}}},"b":{"$value":[{"$ref":"#/g/a/$value/c/0"}]},"d":{"$ref":"#/g/a/$value/c"}}`, "b: a part of g.a; d: a part of g.a"},
		{"a part through an alias and through another copy", `{"a":{"$value":{"c":7}},"d":{"$value":{"$ref":"#/b/$value/c"}},"b":{"$value":{"c":{"$ref":"#/e/$value/c"}}},"e":{"$value":"{a}"}}`, "d: a part of b; b: a part of e"},
		{"a part that is an alias", `{"x":{"$value":1},"a":{"$value":{"c":"{x}"}},"b":{"$value":{"$ref":"#/a/$value/c"}}}`, "b: a part of a"},
		{"members beside a $ref", `{"a":{"$value":{"x":1}},"b":{"$value":{"$ref":"#/a","y":3}}}`, "b: a"},
		{"a name that no alias can say", `{"g":{"0.5":{"$value":1},"0":{"5":{"$value":2}}},"b":{"$ref":"#/g/0.5"}}`, "b: g.0.5"},
		{"a token that a group inherits", `{"a":{"$value":{"c":7}},"g":{"x":{"$value":{"$ref":"#/a/$value/c"}}},"h":{"$extends":"{g}"}}`, "g.x: a part of a"},
		{"a whole value", `{"a":{"$value":1},"b":{"$ref":"#/a"},"c":{"$value":{"$ref":"#/a/$value"}},"d":{"$value":[{"$ref":"#/a"},{"$ref":"#/a/$value"}]}}`, ""},
		{"a definition", `{"$defs":{"n":{"$value":{"c":1}}},"a":{"$ref":"#/$defs/n"},"b":{"$value":[{"$ref":"#/$defs/n/$value/c"}]}}`, ""},
		{"its own value", `{"a":{"$value":{"x":1,"y":{"$ref":"#/a/$value/x"}}}}`, ""},
		{"metadata", `{"a":{"$value":{"c":"d"}},"b":{"$value":1,"$description":{"$ref":"#/a/$value/c"}}}`, ""},
	}
	for _, c := range cases {
		var named []string
		for _, one := range Apply(tokentreetest.Parse(t, c.text), nil).Problems {
			what, _, _ := strings.Cut(strings.TrimPrefix(one.Message, "its $ref copies "), ":")
			named = append(named, one.Path+": "+what)
		}
		if got := strings.Join(named, "; "); got != c.want {
			t.Errorf("%s: of %s named are %q, want %q", c.rule, c.text, got, c.want)
		}
	}
}

// leavesAreThereOrNamed checks that each leaf of a document, a $value or a $ref in place of a token or group, is a token or
// group of the result, or is named.
func leavesAreThereOrNamed(t testing.TB, root *jsontree.Node, r model.Pass) {
	t.Helper()
	named := map[string]bool{}
	for _, f := range r.Problems {
		named[f.Path] = true
	}
	visit(root, nil, func(at jsontree.Pointer, n *jsontree.Node) {
		if len(at) == 0 || !dtcg.IsToken(n) && n.Find("$ref") == nil {
			return
		}
		path, got := strings.Join(at, "."), r.Tree.Lookup(at)
		if (got == nil || len(got.Members) == 0 && isPlainReference(n) && endsInFault(root, n, named)) && !named[path] {
			t.Errorf("%s of %s is neither in the result nor named", path, jsontree.Append(nil, root))
		}
	})
	visit(r.Tree, nil, func(at jsontree.Pointer, n *jsontree.Node) {
		path := strings.Join(at, ".")
		if (n.Find("$ref") != nil || n.Find("$extends") != nil) && !named[path] && !named[writtenAt(r, at)] {
			t.Errorf("a reference of %s of %s is neither applied nor named", path, jsontree.Append(nil, root))
		}
	})
}

// endsInFault reports whether a reference leads to one that is named, at once or through others.
func endsInFault(root, n *jsontree.Node, named map[string]bool) bool {
	for range 10 {
		p, _ := jsontree.ParsePointer(strings.TrimPrefix(textOf(n.Find("$ref")), "#"))
		if n = root.Lookup(p); n == nil || !isPlainReference(n) {
			return false
		}
		if named[strings.Join(p, ".")] {
			return true
		}
	}
	return false
}

// writtenAt is the path at which a token or group of the result was written.
func writtenAt(r model.Pass, at jsontree.Pointer) string {
	if origin, ok := r.Moved[at.String()]; ok {
		return pathOf(origin)
	}
	return strings.Join(at, ".")
}

// TestReferencesOfAnyDocumentAreAppliedOrNamed: whatever refers to whatever, Apply ends, changes nothing that it was given,
// and loses nothing in silence.
func TestReferencesOfAnyDocumentAreAppliedOrNamed(t *testing.T) {
	t.Parallel()
	place := rapid.SampledFrom([]string{"a", "b", "c", "a.x", "a.g", "b.x", "b.g", "c.g", "c.g.x", "a.g.g", "no"})
	rapid.Check(t, func(rt *rapid.T) {
		var group func(depth int) string
		token := func() string {
			pointer := "#/" + strings.ReplaceAll(place.Draw(rt, "to"), ".", "/")
			return rapid.SampledFrom([]string{
				`{"$value":1}`, `{"$ref":"` + pointer + `"}`, `{"$value":{"$ref":"` + pointer + `/$value"}}`, `{"$value":{"p":[1,2]}}`,
				`{"$value":[{"$ref":"` + pointer + `/$value/p/0"}]}`, `{"$value":{"q":1,"$ref":"` + pointer + `/$value"}}`,
			}).Draw(rt, "token")
		}
		group = func(depth int) string {
			members := []string{`"x":` + token()}
			if rapid.Bool().Draw(rt, "inherits") {
				members = append(members, `"$extends":"{`+place.Draw(rt, "from")+`}"`)
			}
			if depth > 0 && rapid.Bool().Draw(rt, "nested") {
				members = append(members, `"g":`+group(depth-1))
			}
			return `{` + strings.Join(members, ",") + `}`
		}
		text := `{"a":` + group(2) + `,"b":` + group(2) + `,"c":` + group(2) + `}`
		root := tokentreetest.Parse(t, text)
		got := Apply(root, noFile)
		leavesAreThereOrNamed(t, root, got)
		if string(jsontree.Append(nil, root)) != text {
			t.Fatalf("Apply(%s) changed it", text)
		}
		if len(faultsOf(got)) == 0 && holdsReference(got.Tree) {
			t.Fatalf("Apply(%s) = %s, with a reference that is not named", text, jsontree.Append(nil, got.Tree))
		}
		if t.Failed() {
			rt.FailNow()
		}
	})
}

// TestReferencesThatMultiplyEachOtherAreBounded: a few lines never make a document that does not fit in memory.
func TestReferencesThatMultiplyEachOtherAreBounded(t *testing.T) {
	t.Parallel()
	var groups, values strings.Builder
	groups.WriteString(`{"g0":{"x":{"$value":1}}`)
	values.WriteString(`{"v0":{"$value":{"p":[1,2]}}`)
	for i := 1; i < 60; i++ {
		before, n := strconv.Itoa(i-1), strconv.Itoa(i)
		groups.WriteString(`,"g` + n + `":{"l":{"$extends":"{g` + before + `}"},"r":{"$extends":"{g` + before + `}"}}`)
		values.WriteString(`,"v` + n + `":{"$value":{"p":[{"$ref":"#/v` + before + `/$value/p"},{"$ref":"#/v` + before + `/$value/p"}]}}`)
	}
	for _, text := range []string{groups.String() + `}`, values.String() + `}`} {
		root := tokentreetest.Parse(t, text)
		got := Apply(root, noFile)
		if got.Tree != root || len(faultsOf(got)) != 59*2 || !strings.Contains(faultsOf(got)[0].Message, "too many") {
			t.Errorf("Apply(%.60s…) = %d bytes, %d faults, want the document and 118 faults", text, jsontree.Length(got.Tree), len(faultsOf(got)))
		}
	}
}

func FuzzReferences(f *testing.F) {
	f.Add(`{"a":{"$value":{"p":[1]}},"b":{"$ref":"#/a"},"c":{"$extends":"{d}"},"d":{"x":{"$value":[{"$ref":"#/b/$value/p/0"}]}}}`)
	f.Add(`{"a":{"$extends":"{b}"},"b":{"$extends":"#/a/g","g":{"$ref":"#/b","x":{"$value":"{a.x}"}}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		root, err := jsontree.Parse(text)
		if err != nil || !root.IsObject() {
			return
		}
		before := string(jsontree.Append(nil, root))
		got := Apply(root, noFile)
		if again := Apply(got.Tree, noFile); len(faultsOf(got)) == 0 && again.Tree != got.Tree {
			t.Fatalf("Apply(%s) = %s leaves something to apply", text, jsontree.Append(nil, got.Tree))
		}
		if string(jsontree.Append(nil, root)) != before {
			t.Fatalf("Apply(%s) changed it", text)
		}
		leavesAreThereOrNamed(t, root, got)
	})
}

// TestManyReferences: many circles in one group, a long chain and many chains take nothing away from other references.
func TestManyReferences(t *testing.T) {
	var circles, chains strings.Builder
	for i := range 200 {
		fmt.Fprintf(&circles, `"a%d":{"$extends":"{g.b%d}"},"b%d":{"$extends":"{g.a%d}"},`, i, i, i, i)
	}
	for g := range 500 {
		fmt.Fprintf(&chains, `"g%d":{"t0":{"$value":1}`, g)
		for i := range 30 {
			fmt.Fprintf(&chains, `,"t%d":{"$ref":"#/g%d/t%d"}`, i+1, g, i)
		}
		chains.WriteString("},")
	}
	root := tokentreetest.Parse(t, `{"g":{`+circles.String()+`"t":{"$value":1},"ok":{"$ref":"#/g/t"}},`+chains.String()+`"last":{"$ref":"#/g499/t30"}}`)
	got := Apply(root, noFile)
	for path, want := range map[string]string{"/g/ok/$value": "{g.t}", "/g499/t30/$value": "{g499.t29}", "/last/$value": "{g499.t30}"} {
		p, _ := jsontree.ParsePointer(path)
		if n := got.Tree.Lookup(p); textOf(n) != want {
			t.Errorf("%s = %s, want %s", path, textOf(n), want)
		}
	}
	if len(faultsOf(got)) != 400 {
		t.Errorf("%d faults, want the 400 references of circles", len(faultsOf(got)))
	}
}
