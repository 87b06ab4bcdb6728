package cli

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.com/livery/client"
	"example.com/livery/origin/patch"
	"example.com/livery/origin/theming"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
)

func TestSkippedAreListedInAlignedLines(t *testing.T) {
	cases := []struct {
		rule string
		list []skipped
		want string
	}{
		{"nothing says nothing", nil, ""},
		{"one token", []skipped{{Path: "a", Reason: "r", Tokens: 1}}, "a  r\n1 token is left out.\n"},
		{"tokens and metadata", []skipped{
			{Path: "g.$type", Reason: "unknown"},
			{Path: "g.länge", Reason: "has it from g.$type", Tokens: 1},
			{Path: "x.y", Reason: "bad", Tokens: 3},
		}, "g.$type  unknown\ng.länge  has it from g.$type\nx.y      bad\n4 tokens are left out, and 1 member that is none.\n"},
		{"control characters stay out of the terminal", []skipped{{Path: "a\n\x1b[31mb", Reason: "r\tr"}, {Path: "c", Reason: "r"}}, "a\\n\\x1b[31mb  r r\nc             r\nNo token is left out, and 2 members that are none.\n"},
	}
	for _, c := range cases {
		var said strings.Builder
		(&app{err: &said}).printSkipped(c.list, false)
		if said.String() != c.want {
			t.Errorf("%s: printSkipped(%+v) says\n%s, want\n%s", c.rule, c.list, said.String(), c.want)
		}
	}
}

// TestPathFaultsAreTheOriginsOwn: the paths that --skip-refused leaves out are those that a `set` is
// refused for (5.1), no more and no fewer.
func TestPathFaultsAreTheOriginsOwn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.StringOfN(rapid.SampledFrom([]rune("ab.$/{}~ ")), 0, 8, -1).Draw(t, "path")
		if rapid.Bool().Draw(t, "root") {
			path = strings.Replace(path, "$", "$root", 1)
		}
		edit := theming.VariantEdit{Operations: []theming.VariantOperation{{Op: "set", Path: path, Value: &jsontree.Node{}}}, NewETag: "e", Now: time.Unix(1, 0), Limits: patch.Limits{MaxDepth: 64, MaxName: 256}}
		_, err := theming.EditVariant(record.Theme{}, jsontree.NewObject(), theming.VariantState{}, edit)
		if fault := pathFault(path); (fault != "") != (err != nil) {
			t.Errorf("pathFault(%q) = %q, and the origin says %v", path, fault, err)
		}
	})
}

func TestAdmissibleOverridesKeepEveryValue(t *testing.T) {
	got, out := admissibleOverrides(parse(t, `{"a.b":null,"/a":1,"a..b":2,"c.$root":{"x":[]},"c.$type":"color"}`))
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

func TestFaultsOfARefusalHaveLinesOfTheirOwn(t *testing.T) {
	many := func(n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprint("fault ", i))
		}
		return list
	}
	cases := []struct {
		rule     string
		messages []string
		want     string
	}{
		{"one stays in the sentence", many(1), "livery: the origin refuses this: fault 0.\n        Mend it, or push the rest with --skip-refused.\n"},
		{
			"two have a line each",
			[]string{"x", "y\nz"},
			"livery: the origin refuses this:\n          x\n          y z\n        Mend them, or push the rest with --skip-refused.\n",
		},
		{"after 20 they are counted", many(23), "          fault 19\n          and 3 more\n        Mend them"},
		{"and those the origin counted too", append(many(1000), "and 500 more faults"), "          fault 19\n          and 1480 more\n        Mend them"},
	}
	for _, c := range cases {
		var said strings.Builder
		a := &app{err: &said}
		code := a.report(explainPush(&client.Error{Status: 400, Cause: "validation", Messages: c.messages}, pushFlags{}, true))
		if code != exitFailed || !strings.Contains(said.String(), c.want) {
			t.Errorf("%s: report says %d\n%s, want\n%s", c.rule, code, said.String(), c.want)
		}
	}
}

func TestARefusedPushNamesTheFlagThatHelps(t *testing.T) {
	refusal := &client.Error{Status: 400, Cause: "validation", Messages: []string{"x"}}
	cases := []struct {
		rule      string
		flags     pushFlags
		skippable bool
		want      string
	}{
		{"what can be left out", pushFlags{strict: true}, true, "Mend it, or push the rest with --skip-refused."},
		{"a diagnostic", pushFlags{strict: true}, false, "Mend it, or push without --strict."},
		{"neither", pushFlags{}, false, "Mend it and push again."},
		{"what was left out already", pushFlags{skipRefused: true}, true, "Mend it and push again."},
	}
	for _, c := range cases {
		if got := explain(explainPush(refusal, c.flags, c.skippable)).next; got != c.want {
			t.Errorf("%s: the next step is %q, want %q", c.rule, got, c.want)
		}
	}
	conflict := &client.Error{Status: 409, Cause: "conflict"}
	if got := explainPush(conflict, pushFlags{}, true); got != error(conflict) {
		t.Errorf("explainPush(a conflict) = %v, want it as it is", got)
	}
}
