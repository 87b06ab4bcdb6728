package source

import (
	"strings"
	"testing"

	"example.com/livery/cli/term"
	"example.com/livery/internal/test/tokentreetest"
	"example.com/livery/renderer/jsontree"
)

func TestSkippedAreListedInAlignedLines(t *testing.T) {
	cases := []struct {
		rule string
		list []Dropped
		want string
	}{
		{"nothing says nothing", nil, ""},
		{"one token", []Dropped{{Path: "a", Reason: "r", Tokens: 1}}, "a  r\n1 token is left out.\n"},
		{"tokens and metadata", []Dropped{
			{Path: "g.$type", Reason: "unknown"},
			{Path: "g.länge", Reason: "has it from g.$type", Tokens: 1},
			{Path: "x.y", Reason: "bad", Tokens: 3},
		}, "g.$type  unknown\ng.länge  has it from g.$type\nx.y      bad\n4 tokens are left out, and 1 other member.\n"},
		{"control characters stay out of the terminal", []Dropped{{Path: "a\n\x1b[31mb", Reason: "r\tr"}, {Path: "c", Reason: "r"}}, "a\\n\\x1b[31mb  r r\nc             r\n0 tokens are left out, and 2 other members.\n"},
	}
	for _, c := range cases {
		var said strings.Builder
		PrintDropped(&term.App{Err: &said}, c.list)
		if said.String() != c.want {
			t.Errorf("%s: PrintDropped(%+v) says\n%s, want\n%s", c.rule, c.list, said.String(), c.want)
		}
	}
}

func TestAdmissibleOverridesKeepEveryValue(t *testing.T) {
	got, out := DropInvalidOverrides(tokentreetest.Parse(t, `{"a.b":null,"/a":1,"a..b":2,"c.$root":{"x":[]},"c.$type":"color"}`))
	if text := string(jsontree.Append(nil, got)); text != `{"a.b":null,"c.$root":{"x":[]}}` {
		t.Errorf("DropInvalidOverrides() = %s", text)
	}
	var paths []string
	for _, s := range out {
		paths = append(paths, s.Path)
	}
	if want := "/a a..b c.$type"; strings.Join(paths, " ") != want {
		t.Errorf("DropInvalidOverrides() leaves out %v, want %s", paths, want)
	}
}
