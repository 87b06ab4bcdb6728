package dtcg_test

import (
	"slices"
	"strings"
	"testing"

	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// Decisions 4.3, 4.4 and the rule "a wrong kind is 400 on PATCH" of the rendering rules. Messages
// are given by a part of them.
func TestCheckListsEveryFault(t *testing.T) {
	cases := []struct {
		name, doc string
		want      []dtcg.Fault
	}{
		{"a well-formed tree", `{"$schema":"x","$type":"color","g":{"$description":"d","$extensions":{},"$deprecated":"since 3","a":{"$value":"red"}}}`, nil},
		{"an empty tree", `{}`, nil},
		{"an array", `[]`, []dtcg.Fault{{"", "object"}}},
		{"a $value at the root", `{"$value":1}`, []dtcg.Fault{{"/$value", "root"}}},
		{"an empty name", `{"":{"$value":1}}`, []dtcg.Fault{{"/", "empty"}}},
		{"names with braces and dots", `{"a.b":{},"{x}":{"c}":{"$value":1}}}`, []dtcg.Fault{{"/a.b", "{ } ."}, {"/{x}", "{ } ."}, {"/{x}/c}", "{ } ."}}},
		{"pointers are escaped", `{"a/b":{"c~d.":{}}}`, []dtcg.Fault{{"/a~1b/c~0d.", "{ } ."}}},
		{"names of JavaScript's own, numbers and spaces are fine", `{"__proto__":{"0":{"$value":1},"a b":{"$value":1},"é/~":{"$value":1}}}`, nil},
		{"a member that is not an object", `{"a":5,"g":{"b":"x","c":null,"d":[]}}`, []dtcg.Fault{
			{"/a", "number"}, {"/g/b", "string"}, {"/g/c", "null"}, {"/g/d", "array"},
		}},
		{"$root is a token", `{"g":{"$root":{"$value":1}}}`, nil},
		{"$root without a value", `{"g":{"$root":{}}}`, []dtcg.Fault{{"/g/$root", "$value"}}},
		{"$root that is not an object", `{"g":{"$root":1}}`, []dtcg.Fault{{"/g/$root", "object"}}},
		{"$root with $ref", `{"g":{"$root":{"$ref":"#/a"}}}`, nil},
		{"every other $ member is kept", `{"$foo":1,"g":{"$extends":"{x}","$ref":5,"$deprecated":[],"$":null}}`, nil},
		{"an unknown type", `{"$type":"colour","a":{"$type":"sizes","$value":1}}`, []dtcg.Fault{
			{"/$type", `"colour" is not a known $type; the standard ones are color, dimension, fontFamily,`}, {"/a/$type", "sizes"},
		}},
		{"an extension type", `{"a":{"$type":"borderRadius","$value":"2px"}}`, nil},
		{"a type that is not a string", `{"g":{"$type":null}}`, []dtcg.Fault{{"/g/$type", "null"}}},
		{"a description that is not a string", `{"g":{"$description":5,"a":{"$description":null,"$value":1}}}`, []dtcg.Fault{
			{"/g/$description", "number"}, {"/g/a/$description", "null"},
		}},
		{"extensions that are not an object", `{"$extensions":[],"a":{"$extensions":"x","$value":1}}`, []dtcg.Fault{
			{"/$extensions", "array"}, {"/a/$extensions", "string"},
		}},
		{"S22, S23: $ref and $extends are not faults", `{"a":{"$ref":"#/b"},"b":{"$extends":"{c}"}}`, nil},
		{"S23: nor is a $ref in the place of a value", `{"a":{"$type":"number","$value":{"$ref":"#/b"}}}`, nil},
		{"what stands inside a token is not looked at", `{"a":{"$value":1,"b.c":5,"$root":7,"":{"$type":"x"}}}`, nil},
		{"a value of the wrong kind", `{"a":{"$type":"color","$value":5},"g":{"$type":"dimension","b":{"$value":true}},"c":{"$type":"number","$value":{}}}`, []dtcg.Fault{
			{"/a/$value", "a value of type color cannot be a number"}, {"/g/b/$value", "dimension"}, {"/c/$value", "number"},
		}},
		{"null fits no type", `{"a":{"$type":"string","$value":null}}`, []dtcg.Fault{{"/a/$value", "null"}}},
		{"without a type any value is stored", `{"a":{"$value":null},"b":{"$value":{"x":[]}}}`, nil},
		{"wrong grammar is not a fault", `{"a":{"$type":"color","$value":"nonsense"},"b":{"$type":"dimension","$value":"3 apples"}}`, nil},
		{"an alias is not a fault, whatever it names", `{"a":{"$type":"gradient","$value":"{x}"},"x":{"$type":"number","$value":1},"b":{"$type":"number","$value":"{no} + 1"}}`, nil},
		{"a type through an alias is not held against the group", `{"$type":"color","a":{"$value":"{b}"},"b":{"$type":"number","$value":1}}`, nil},
		{"all faults at once, in document order", `{"a":1,"$type":"x","b":{"":{"$value":null,"$type":"color"}},"c.":{}}`, []dtcg.Fault{
			{"/$type", "x"}, {"/a", "number"}, {"/b/", "empty"}, {"/b//$value", "null"}, {"/c.", "{ } ."},
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := dtcg.Check(parse(t, c.doc))
			if !slices.EqualFunc(got, c.want, func(a, b dtcg.Fault) bool {
				return a.Pointer == b.Pointer && strings.Contains(a.Message, b.Message)
			}) {
				t.Errorf("Check(%s) =\n%q, want\n%q", c.doc, got, c.want)
			}
		})
	}
	if got := dtcg.Check(nil); len(got) != 1 {
		t.Errorf("Check(nil) = %v", got)
	}
}

// Read must be total on everything that Check refuses, and see the same tokens.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		brand, `{"a":{"$value":"{b} {c"},"b":{"$value":["{a}"]}}`, `{"a.b":{"$value":1},"a":{"b":{"$value":2}},"c":{"$value":"{a.b}"}}`,
		`{"$root":{"$value":"{$root}"}}`, `{"":{"$value":"{}"}}`, `{"a":{"$value":{"x":{"y":["{a}","{ a }"]}}}}`,
	} {
		f.Add(seed, `{"a":"{b}","brand":1}`)
	}
	f.Fuzz(func(t *testing.T, theme, variant string) {
		root, err := jsontree.Parse(theme)
		if err != nil {
			return
		}
		before := spell(root)
		d := dtcg.Read(root)
		dtcg.Check(root)
		if over, err := jsontree.Parse(variant); err == nil {
			list := make([]dtcg.Override, 0, len(over.Members))
			for _, m := range over.Members {
				list = append(list, dtcg.Override{Path: m.Name, Value: m.Value})
			}
			if again := dtcg.Overlay(d, list); len(again.Tokens) != len(d.Tokens) {
				t.Fatal("an overlay changes the number of tokens")
			}
		}
		if spell(root) != before {
			t.Fatal("reading changes the tree")
		}
	})
}
