package validate

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.com/livery/cli/term"
	"example.com/livery/internal/test/tokentreetest"
	"example.com/livery/origin/patch"
	"example.com/livery/origin/theming"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
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
		}, "g.$type  unknown\ng.länge  has it from g.$type\nx.y      bad\n4 tokens are left out, and 1 member that is not a token.\n"},
		{"control characters stay out of the terminal", []Dropped{{Path: "a\n\x1b[31mb", Reason: "r\tr"}, {Path: "c", Reason: "r"}}, "a\\n\\x1b[31mb  r r\nc             r\nNo token is left out, and 2 members that are not tokens.\n"},
	}
	for _, c := range cases {
		var said strings.Builder
		PrintDropped(&term.App{Err: &said}, c.list, false)
		if said.String() != c.want {
			t.Errorf("%s: printSkipped(%+v) says\n%s, want\n%s", c.rule, c.list, said.String(), c.want)
		}
	}
}

// TestPathFaultsAreTheOriginsOwn: the paths that a push leaves out are those that a `set` is
// refused for (5.1), no more and no fewer.
func TestPathFaultsAreTheOriginsOwn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.StringOfN(rapid.SampledFrom([]rune("ab.$/{}~ ")), 0, 8, -1).Draw(t, "path")
		if rapid.Bool().Draw(t, "root") {
			path = strings.Replace(path, "$", "$root", 1)
		}
		edit := theming.Edit{Operations: []patch.Operation{{Op: "set", Path: path, Value: &jsontree.Node{}}}, NewETag: "e", Now: time.Unix(1, 0), Limits: patch.Limits{MaxDepth: 64, MaxName: 256}}
		_, err := theming.EditVariant(record.Theme{}, jsontree.NewObject(), theming.VariantState{}, edit)
		if fault := PathFault(path); (fault != "") != (err != nil) {
			t.Errorf("pathFault(%q) = %q, and the origin says %v", path, fault, err)
		}
	})
}

func TestAdmissibleOverridesKeepEveryValue(t *testing.T) {
	got, out := DropInvalidOverrides(tokentreetest.Parse(t, `{"a.b":null,"/a":1,"a..b":2,"c.$root":{"x":[]},"c.$type":"color"}`))
	if text := string(jsontree.Append(nil, got)); text != `{"a.b":null,"c.$root":{"x":[]}}` {
		t.Errorf("admissibleOverrides() = %s", text)
	}
	var paths []string
	for _, s := range out {
		paths = append(paths, s.Path)
	}
	if want := "/a a..b c.$type"; strings.Join(paths, " ") != want {
		t.Errorf("admissibleOverrides() leaves out %v, want %s", paths, want)
	}
}

// TestAReasonMayBeginWithItsPlace: of a file that cannot be read with the column too.
func TestAReasonMayBeginWithItsPlace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ reason, location, where, want string }{
		{"a.json:7: it is null", "", "a.json:7", "it is null"},
		{"a.json:7:12: it ends", "", "a.json:7", "it ends"},
		{"it stands in b.json:3 too", "", "", "it stands in b.json:3 too"},
		{"a.json:7: it is null", "b.json:1", "b.json:1", "a.json:7: it is null"},
	} {
		if where, reason := (Dropped{Reason: c.reason, Location: c.location}).Place(); where != c.where || reason != c.want {
			t.Errorf("the place of %q is %q, and the reason %q, want %q and %q", c.reason, where, reason, c.where, c.want)
		}
	}
}
