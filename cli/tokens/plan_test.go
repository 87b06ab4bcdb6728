package tokens

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"example.com/livery/cli/account"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokens/source"
	"example.com/livery/client"
	"example.com/livery/intake"
	"example.com/livery/internal/test/tokentreetest"
	"example.com/livery/renderer/jsontree"
)

// planned returns the plan of a push of a document, or of the overrides of a Variant if theme is not empty. lost are the paths of
// declarations that cannot be used.
func planned(t *testing.T, p pushFlags, files, stored, theme string, lost ...string) (*run, *part) {
	t.Helper()
	from := source.Part{Tree: tokentreetest.Parse(t, files), Locate: func(string) string { return "" }}
	for _, path := range lost {
		from.Lost = append(from.Lost, source.Dropped{Path: path, Tokens: 1})
	}
	r := &run{app: &app{account.New(&term.App{Err: &strings.Builder{}})}, p: p, source: &source.Source{Plan: &intake.Plan{}}, theme: client.Theme{Slug: "acme"}}
	if theme != "" {
		from.Variant = &intake.Variant{Slug: "dark"}
	}
	to := r.newPart(from)
	to.base = tokentreetest.Parse(t, stored)
	if theme != "" {
		to.theme = tokentreetest.Parse(t, theme)
	}
	to.plan(p.replace, false)
	r.parts = []*part{to}
	return r, to
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
		{rule: "a token that refers to it is not one of the files", files: `{"a":"{x}"}`, stored: `{}`, theme: `{"a":{"$value":1},"b":{"$value":"{a}"}}`, lost: 1, of: 1},
	} {
		_, p := planned(t, pushFlags{replace: c.replace}, c.files, c.stored, c.theme, c.unusable...)
		if p.remains.lost() != c.lost || p.remains.Of != c.of {
			t.Errorf("%s: %s over %s loses %d of %d, want %d of %d", c.rule, c.files, c.stored, p.remains.lost(), p.remains.Of, c.lost, c.of)
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
		_, p := planned(t, pushFlags{replace: true}, files, c.stored, c.theme, "b")
		if got := string(jsontree.Append(nil, p.wanted)); got != c.want {
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
		{`{"b":{"$value":"{nowhere}"}}`, theme, "", []string{"b: {nowhere} names no token"}},
		{`{"color":{"brand":{"$value":1}},"b":{"$value":"{color.brnd}"}}`, theme, "", []string{"b: {color.brnd} names no token; did you mean color.brand?"}},
		{`{"b":{"$value":"{c}"}}`, `{"b":{"$value":"{c}"}}`, "", nil},
		{`{"` + strings.Repeat("n", 257) + `":{"$value":1}}`, theme, "", []string{strings.Repeat("n", 257) + ": a name has at most 256 characters, and this has 257: 1"}},
		{`{"a":"#000"}`, `{}`, theme, nil},
		{`{"a":"4px","b{":"4px"}`, `{}`, theme, []string{"b{: the path holds a brace; write it as in color.brand.primary", "a: the override is ignored, the Theme's own value stands: color: not a colour: \"4px\""}},
	} {
		failure, _ := errors.AsType[*term.Failure](refused(t, c.files, c.stored, c.theme))
		var got []string
		if failure != nil {
			got = failure.Faults
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s over %s is refused with %q, want %q", c.files, c.stored, got, c.want)
		}
	}
}

func refused(t *testing.T, files, stored, theme string) error {
	r, _ := planned(t, pushFlags{strict: true, loss: dropLoss}, files, stored, theme)
	return r.refuseLoss(t.Context())
}
