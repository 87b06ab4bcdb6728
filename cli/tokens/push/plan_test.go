package push

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"example.com/livery/cli/account"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokens/batch"
	"example.com/livery/cli/tokens/source"
	"example.com/livery/client"
	"example.com/livery/intake"
	"example.com/livery/intake/model"
	"example.com/livery/internal/test/tokentreetest"
	"example.com/livery/renderer/jsontree"
)

// planned returns the plan of a push of a document, or of the overrides of a Variant if theme is not empty. lost are the paths of
// declarations that cannot be used.
func planned(t *testing.T, p pushFlags, wantedText, stored, theme string, lost ...string) *pushTarget {
	t.Helper()
	read := &intake.Plan{Problems: []intake.Problems{{}}}
	for _, path := range lost {
		read.Problems[0].List = append(read.Problems[0].List, model.Problem{Path: path, Lost: true})
	}
	r := &run{app: &app{account.New(&term.App{Err: &strings.Builder{}})}, p: p, source: &source.Source{Plan: read}, theme: &client.Theme{Slug: "acme"}}
	slug := ""
	if theme != "" {
		slug, r.present = "dark", map[string]*client.Variant{"dark": {Slug: "dark"}}
	}
	to := newTarget(r, r.resolved(slug), wanted{tree: tokentreetest.Parse(t, wantedText), locate: func(string) string { return "" }, lost: r.source.Lost()})
	to.base = tokentreetest.Parse(t, stored)
	if theme != "" {
		to.theme = tokentreetest.Parse(t, theme)
	}
	to.plan()
	return to
}

func TestPlan_LossIsCountedOnce(t *testing.T) {
	for _, c := range []struct {
		rule, files, stored, theme string
		replace                    bool
		unusable                   []string
		lost, of                   int
	}{
		{rule: "a declaration that cannot be used is lost", files: `{"c":{"$value":3}}`, stored: `{}`, unusable: []string{"a.b"}, lost: 1, of: 2},
		{rule: "a value that the origin refuses is lost", files: `{"c":{"$type":"color","$value":null},"d":{"$value":1}}`, stored: `{}`, lost: 1, of: 2},
		{rule: "an alias of nothing is lost", files: `{"a":{"$value":"{x}"}}`, stored: `{"a":{"$value":"{y}"}}`, lost: 1, of: 1},
		{rule: "unless the Theme has it already", files: `{"a":{"$value":"{x}"}}`, stored: `{"a":{"$value":"{x}"}}`, of: 1},
		{rule: "but not if the push removes its target", files: `{"a":{"$value":"{x}"}}`, stored: `{"a":{"$value":"{x}"},"x":{"$value":1}}`, replace: true, lost: 1, of: 1},
		{rule: "an override with an alias of nothing is lost", files: `{"a":"{x}"}`, stored: `{}`, theme: `{"a":{"$value":1}}`, lost: 1, of: 1},
		{rule: "unless the Variant has it already", files: `{"a":"{x}"}`, stored: `{"a":"{x}"}`, theme: `{"a":{"$value":1}}`, of: 1},
		{rule: "so is a token that refers to it", files: `{"a":"{x}"}`, stored: `{}`, theme: `{"a":{"$value":1},"b":{"$value":"{a}"}}`, lost: 2, of: 2},
		{rule: "unless it did before", files: `{"a":"{x}"}`, stored: `{"a":"{x}"}`, theme: `{"a":{"$value":1},"b":{"$value":"{a}"}}`, of: 2},
	} {
		r := planned(t, pushFlags{replace: c.replace}, c.files, c.stored, c.theme, c.unusable...).planned.remains
		if r.lost() != c.lost || r.Of != c.of {
			t.Errorf("%s: %s over %s loses %d of %d, want %d of %d", c.rule, c.files, c.stored, r.lost(), r.Of, c.lost, c.of)
		}
	}
}

// A declaration that cannot be used leaves the stored value alone, in a Theme and in a Variant.
func TestPlan_ReplaceKeepsWhatCannotBeUsed(t *testing.T) {
	for _, c := range []struct{ stored, theme, want string }{
		{`{"a":{"$value":1},"b":{"$value":2},"c":{"$value":3}}`, "", `{"b":{"$value":2},"c":{"$value":4}}`},
		{`{"a":1,"b":2,"c":3}`, `{"a":{"$value":0},"b":{"$value":0},"c":{"$value":0}}`, `{"b":2,"c":4}`},
	} {
		files := `{"c":{"$value":4}}`
		if c.theme != "" {
			files = `{"c":4}`
		}
		got := string(jsontree.Append(nil, planned(t, pushFlags{replace: true}, files, c.stored, c.theme, "b").planned.wanted))
		if got != c.want {
			t.Errorf("over %s = %s, want %s", c.stored, got, c.want)
		}
	}
}

// --strict refuses before anything is sent what the origin would refuse or no served file would have.
func TestPush_StrictRefusesLoss(t *testing.T) {
	const theme = `{"a":{"$type":"color","$value":"#fff"}}`
	for _, c := range []struct {
		files, stored, theme string
		want                 []string
	}{
		{`{"b":{"$type":"color","$value":null}}`, theme, "", []string{"b: a value of type color cannot be null"}},
		{`{"x-b":{"$value":1},"x":{"b":{"$value":2}}}`, theme, "", []string{"x-b: --x-b of x-b is also declared by x.b, which comes later and wins"}},
		{`{"b":{"$value":"{nowhere}"}}`, theme, "", []string{"b: {nowhere} names no token"}},
		{`{"color":{"brand":{"$value":1}},"b":{"$value":"{color.brnd}"}}`, theme, "", []string{"b: {color.brnd} names no token; did you mean color.brand?"}},
		{`{"b":{"$value":1,"n":"x","m":{}}}`, theme, "", []string{"b: a token has no members but the $… ones; the others are never read: n, m"}},
		{`{"b":{"$value":"{c}"}}`, `{"b":{"$value":"{c}"}}`, "", nil},
		{`{"` + strings.Repeat("n", 257) + `":{"$value":1}}`, theme, "", []string{strings.Repeat("n", 257) + ": a name has at most 256 characters, and this has 257: 1"}},
		{`{"a":"#000"}`, `{}`, theme, nil},
		{`{"a":"4px","b{":"4px"}`, `{}`, theme, []string{"b{: a name holds none of { }", "a: the override is ignored, the Theme's own value stands: color: not a colour"}},
	} {
		failure, _ := errors.AsType[*term.Failure](planned(t, pushFlags{strict: true}, c.files, c.stored, c.theme).refuseStrict())
		var got []string
		if failure != nil {
			got = failure.Faults
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s over %s is refused with %q, want %q", c.files, c.stored, got, c.want)
		}
	}
}

// A document that is too large is refused before the first of its requests is sent.
func TestPush_RefusesLargeDocument(t *testing.T) {
	for size, refused := range map[int]bool{batch.MaxDocumentBytes - 40: false, batch.MaxDocumentBytes: true} {
		text := `{"a":{"$type":"string","$value":"` + strings.Repeat("x", size) + `"}}`
		if err := planned(t, pushFlags{}, text, `{}`, "").refuseSize(); (err != nil) != refused {
			t.Errorf("refuseSize(a value of %d bytes) = %v, want a failure: %v", size, err, refused)
		}
	}
}
