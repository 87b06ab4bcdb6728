package source_test

import (
	"fmt"
	"strings"
	"testing"

	"example.com/livery/cli/tokens/source"
	"example.com/livery/internal/test/tokentreetest"
	"example.com/livery/origin/patch"
	"example.com/livery/origin/theming"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
)

// TestWhatGoesBeyondTheBoundsOfTheOriginIsLeftOut: as little as possible, and the origin takes the rest.
func TestWhatGoesBeyondTheBoundsOfTheOriginIsLeftOut(t *testing.T) {
	t.Parallel()
	long, most := strings.Repeat("é", 257), strings.Repeat("é", 256)
	groups := func(n int, inside string) string {
		return strings.Repeat(`{"g":`, n) + inside + strings.Repeat("}", n)
	}
	cases := []struct{ rule, text, want, said string }{
		{"a token with a long name", `{"a":{"$value":1},"` + long + `":{"$value":2},"` + most + `":{"$value":3}}`, `{"a":{"$value":1},"` + most + `":{"$value":3}}`, long + " 1 a name has at most 256 characters, and this has 257"},
		{"a group with a long name", `{"` + long + `":{"x":{"$value":2},"y":{"$value":2}},"a":{"$value":1}}`, `{"a":{"$value":1}}`, long + " 2 a name has"},
		{"a long name in a value takes the token along", `{"a":{"$value":{"` + long + `":1}},"b":{"$value":1}}`, `{"b":{"$value":1}}`, "a 1 a name has"},
		{"and one in extensions does not", `{"a":{"$value":1,"$extensions":{"x":{"` + long + `":1}}}}`, `{"a":{"$value":1}}`, "a.$extensions 0 a name has"},
		{"the deepest token", groups(63, `{"$value":1}`), groups(63, `{"$value":1}`), ""},
		{"a group below it", `{"a":{"$value":1},"b":` + groups(63, `{"$value":1}`) + `}`, `{"a":{"$value":1},"b":` + groups(62, `{}`) + `}`, "b" + strings.Repeat(".g", 63) + " 1 a document nests at most 64 levels deep"},
		{"a value below it", groups(62, `{"a":{"$value":[[1]]},"b":{"$value":1}}`), groups(62, `{"b":{"$value":1}}`), strings.Repeat("g.", 62) + "a 1 a document nests"},
	}
	for _, c := range cases {
		got, out := source.DropInvalid(tokentreetest.Parse(t, c.text), jsontree.NewObject())
		said := ""
		for _, d := range out {
			said += fmt.Sprintf("%s %d %s", d.Path, d.Tokens, d.Reason)
		}
		if text := string(jsontree.Append(nil, got)); text != c.want || !strings.HasPrefix(said, c.said) || c.said == "" && said != "" {
			t.Errorf("%s: DropInvalid() = %s, %q, want %s, %q", c.rule, text, said, c.want, c.said)
		}
		ops, _ := patch.Diff(jsontree.NewObject(), got, nil)
		if _, _, faults := patch.Apply(jsontree.NewObject(), ops, patch.Limits{MaxDepth: 64, MaxName: 256}); len(faults) > 0 {
			t.Errorf("%s: the origin refuses the rest: %v", c.rule, faults)
		}
	}
}

// TestOverridesBeyondTheBoundsAreLeftOut: those that the origin would refuse, in the middle of a push of several
// Variants.
func TestOverridesBeyondTheBoundsAreLeftOut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 257)
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	cases := []struct{ rule, path, value, want string }{
		{"a name of the most characters", "a." + long[2:], "1", ""},
		{"a long name", "a." + long, "1", "a name has at most 256 characters, and this has 257"},
		{"a long name in a value", "a", `{"` + long + `":1}`, "a name has at most 256 characters, and this has 257"},
		{"the deepest value", "a.b", deep(61), ""},
		{"a value below it", "a.b", deep(62), "a document nests at most 64 levels deep"},
		{"a path below it", strings.Repeat("a.", 64) + "a", "1", "a document nests at most 64 levels deep"},
	}
	for _, c := range cases {
		overrides := tokentreetest.Parse(t, `{"`+c.path+`":`+c.value+`}`)
		said := ""
		_, out := source.DropInvalidOverrides(overrides)
		for _, d := range out {
			said += d.Reason
		}
		if said != c.want {
			t.Errorf("%s: DropInvalidOverrides() says %q, want %q", c.rule, said, c.want)
		}
		edit := theming.Edit{Limits: patch.Limits{MaxDepth: 64, MaxName: 256}, Operations: []patch.Operation{{Op: "set", Path: c.path, Value: overrides.Members[0].Value}}}
		_, err := theming.EditVariant(record.Theme{}, jsontree.NewObject(), theming.VariantState{}, edit)
		if (err != nil) != (c.want != "") {
			t.Errorf("%s: the origin says %v", c.rule, err)
		}
	}
}
