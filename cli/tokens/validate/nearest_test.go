package validate_test

import (
	"testing"

	"example.com/livery/cli/tokens/validate"
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
