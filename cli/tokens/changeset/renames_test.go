package changeset

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "example.com/livery/internal/test/sameseed" // make suite NAME=fuzz draws others
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

func read(t testing.TB, text string) *dtcg.Document {
	t.Helper()
	n, err := jsontree.Parse(text)
	if err != nil {
		t.Fatalf("Parse(%s): %v", text, err)
	}
	return dtcg.Read(n)
}

// spell lists renames as "a>b", ordered.
func spell(r map[string]string) string {
	var list []string
	for _, from := range slices.Sorted(maps.Keys(r)) {
		list = append(list, from+">"+r[from])
	}
	return strings.Join(list, " ")
}

func TestRenames(t *testing.T) {
	cases := []struct{ rule, before, after, want, moves string }{
		{
			"one of its value with one of its value, in one group",
			`{"g":{"a":{"$value":1},"k":{"$value":2}}}`, `{"g":{"b":{"$value":1},"k":{"$value":2}}}`, "g.a>g.b", "/g/a>/g/b",
		},
		{"one of its value with one of its last name", `{"a":{"$value":1}}`, `{"g":{"a":{"$value":1}}}`, "a>g.a", "/a>/g/a"},
		{
			"a value in common is not enough",
			`{"radius":{"card":{"$type":"dimension","$value":"12px"}}}`, `{"space":{"button":{"$type":"dimension","$value":"12px"}}}`, "", "",
		},
		{"tokens without a group have none in common", `{"a":{"$value":1}}`, `{"b":{"$value":1}}`, "", ""},
		{"another value is another token", `{"a":{"$value":1}}`, `{"b":{"$value":2}}`, "", ""},
		{"another type is another token", `{"a":{"$type":"number","$value":1}}`, `{"b":{"$type":"opacity","$value":1}}`, "", ""},
		{"what kept its path is not renamed", `{"a":{"$value":1}}`, `{"a":{"$value":2},"b":{"$value":1}}`, "", ""},
		{
			"two of one value are told apart by their last names",
			`{"x":{"sm":{"$value":1},"md":{"$value":1}}}`, `{"y":{"md":{"$value":1},"sm":{"$value":1}}}`, "x.md>y.md x.sm>y.sm", "/x/sm>/y/sm /x/md>/y/md",
		},
		{"two of one value that nothing tells apart stay", `{"a":{"$value":1},"b":{"$value":1}}`, `{"c":{"$value":1},"d":{"$value":1}}`, "", ""},
		{
			"an alias of what was renamed is the same alias",
			`{"x":{"a":{"$value":1}},"s":{"l":{"$value":"{x.a}"}}}`, `{"y":{"a":{"$value":1}},"s":{"m":{"$value":"{y.a}"}}}`, "s.l>s.m x.a>y.a", "/x/a>/y/a /s/l>/s/m",
		},
		{
			"a group that keeps some tokens moves the others one by one",
			`{"x":{"a":{"$value":1},"b":{"$value":2}}}`, `{"x":{"b":{"$value":2}},"y":{"a":{"$value":1}}}`, "x.a>y.a", "/x/a>/y/a",
		},
		{
			"the identity of a design tool is stronger than a value",
			`{"a":{"$value":1,"$extensions":{"com.figma":{"variableId":"V:1"}}}}`, `{"b":{"$value":2,"$extensions":{"com.figma":{"variableId":"V:1"}}}}`, "a>b", "/a>/b",
		},
		{"names are escaped as pointers are", `{"g":{"a/b":{"$value":1}}}`, `{"g":{"c~d":{"$value":1}}}`, "g.a/b>g.c~d", "/g/a~1b>/g/c~0d"},
	}
	for _, c := range cases {
		before, after := read(t, c.before), read(t, c.after)
		got := Renames(before, after)
		if text := spell(got.Tokens); text != c.want {
			t.Errorf("%s: Renames(%s, %s) = %s, want %s", c.rule, c.before, c.after, text, c.want)
		}
		var moves []string
		for _, m := range got.Moves(before, after) {
			moves = append(moves, m.From+">"+m.To)
		}
		if text := strings.Join(moves, " "); text != c.moves {
			t.Errorf("%s: moves = %s, want %s", c.rule, text, c.moves)
		}
	}
}

// TestRenames_Guessed: all but an identity is a guess, and Identified has none.
func TestRenames_Guessed(t *testing.T) {
	before := read(t, `{"g":{"a":{"$value":1,"$extensions":{"com.figma":{"variableId":"V:1"}}},"b":{"$value":2}}}`)
	after := read(t, `{"g":{"x":{"$value":7,"$extensions":{"com.figma":{"variableId":"V:1"}}},"y":{"$value":2}}}`)
	all := Renames(before, after)
	identified := all.Identified()
	if spell(all.Tokens) != "g.a>g.x g.b>g.y" || !slices.Equal(all.Guessed, []string{"g.b"}) {
		t.Errorf("Renames() = %+v", all)
	}
	if spell(identified.Tokens) != "g.a>g.x" || len(identified.Moves(before, after)) != 1 || len(identified.Guessed) > 0 {
		t.Errorf("Identified() = %+v", identified)
	}
}

func TestAliasesFollowRenames(t *testing.T) {
	r := Renaming{Tokens: map[string]string{"a": "b"}}
	cases := []struct {
		before, after string
		want          bool
	}{
		{`"{a}"`, `"{b}"`, true},
		{`{"x":["{a}","{k}"]}`, `{"x":["{b}","{k}"]}`, true},
		{`"{a}"`, `"{a}"`, false},
		{`"{a}"`, `"{c}"`, false},
		{`1`, `1`, false},
	}
	for _, c := range cases {
		if got := r.Follows([]byte(c.before), []byte(c.after)); got != c.want {
			t.Errorf("Follows(%s, %s) = %t, want %t", c.before, c.after, got, c.want)
		}
	}
}

// A token that was moved onto the place of another leaves that other removed.
func TestDocuments_WhatCanBreakFirst(t *testing.T) {
	for _, c := range []struct {
		before, after string
		renamed       map[string]string
		want          []string
	}{
		{
			`{"g":{"a":{"$value":1},"b":{"$value":2},"c":{"$value":3},"d":{"$type":"number","$value":4},"e":{"$value":5}}}`,
			`{"g":{"n":{"$value":9},"e":{"$value":5},"d":{"$type":"opacity","$value":4},"c":{"$value":33},"z":{"$value":2}}}`,
			map[string]string{"g.b": "g.z"},
			[]string{"removed >g.a", "renamed g.b>g.z", "retyped >g.d", "changed >g.c", "added >g.n"},
		},
		{`{"a":{"$value":1},"b":{"$value":2}}`, `{"b":{"$value":1}}`, map[string]string{"a": "b"}, []string{"removed >b", "renamed a>b"}},
	} {
		var got []string
		for _, change := range Documents(read(t, c.before).Root, read(t, c.after).Root, Renaming{Tokens: c.renamed}) {
			got = append(got, change.Kind+" "+change.From+">"+change.Path)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("Documents(%s, %s) = %q, want %q", c.before, c.after, got, c.want)
		}
	}
}

// TestRenamesAreOneToOne: whatever the documents, a rename goes from a path that is gone to one that
// is new, and no two go to one.
func TestRenamesAreOneToOne(t *testing.T) {
	document := rapid.Custom(func(t *rapid.T) *dtcg.Document {
		root := jsontree.NewObject()
		for _, group := range []string{"g", "h"} {
			n := jsontree.NewObject()
			for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "d"}), 0, 4, rapid.ID[string]).Draw(t, group) {
				value := &jsontree.Node{Kind: jsontree.Number, Text: rapid.SampledFrom([]string{"1", "2", "3"}).Draw(t, "value")}
				n.Members = append(n.Members, jsontree.Member{Name: name, Value: jsontree.NewObject(jsontree.Member{Name: "$value", Value: value})})
			}
			root.Members = append(root.Members, jsontree.Member{Name: group, Value: n})
		}
		return dtcg.Read(root)
	})
	rapid.Check(t, func(t *rapid.T) {
		before, after := document.Draw(t, "before"), document.Draw(t, "after")
		taken := map[string]bool{}
		for from, to := range Renames(before, after).Tokens {
			if before.Token(from) == nil || after.Token(from) != nil || before.Token(to) != nil || after.Token(to) == nil || taken[to] {
				t.Errorf("Renames() has %s > %s", from, to)
			}
			taken[to] = true
		}
	})
}
