package validate_test

import (
	"testing"

	"example.com/livery/cli/tokens/validate"
	"example.com/livery/internal/test/tokentreetest"
	"example.com/livery/renderer/dtcg"
)

// TestAMissingNameHasTheNearest: the group that two names share does not make another name a slip.
func TestAMissingNameHasTheNearest(t *testing.T) {
	known := []string{"color.a", "color.brand", "space.s"}
	for wrong, want := range map[string]string{
		"color.brnad": "color.brand", "colour.brand": "color.brand", "color.nope": "", "space.l": "space.s", "shade": "",
	} {
		d := dtcg.Diagnostic{Kind: dtcg.AliasMissing, Path: "x", Message: "no token {" + wrong + "}"}
		if got := validate.NewNames(nil, known).Nearest(d); got != want {
			t.Errorf("the nearest of %s is %q, want %q", wrong, got, want)
		}
	}
}

// TestAPlaceholderOfATextIsAnAlias: the message says what to write, but of an alias that was meant as one.
func TestAPlaceholderOfATextIsAnAlias(t *testing.T) {
	const why, hint = "{amount} names no token", "; a placeholder of a text is written without braces, as %name%"
	for token, want := range map[string]string{
		`{"$type":"string","$value":"{amount} TL has been sent to {recipient}."}`: why + hint,
		`{"$type":"string","$value":"{amount}"}`:                                  why,
		`{"$type":"border","$value":"1px solid {amount}"}`:                        why,
		`{"$value":"1px solid {amount}"}`:                                         why,
		`{"$type":"string","$value":["{amount}"]}`:                                why,
	} {
		document := tokentreetest.Parse(t, `{"x":`+token+`}`)
		list := validate.WithNearest([]dtcg.Diagnostic{{Kind: dtcg.AliasMissing, Path: "x", Message: why}}, document)
		if got := list[0].Message; got != want {
			t.Errorf("of %s it is said %q, want %q", token, got, want)
		}
	}
}
