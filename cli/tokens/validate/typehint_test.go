package validate

import (
	"strings"
	"testing"

	"example.com/livery/internal/test/tokentreetest"
	"example.com/livery/renderer/dtcg"
)

// TestAnUnknownTypeNamesTheNearest: the hint is read out of what Check itself says.
func TestAnUnknownTypeNamesTheNearest(t *testing.T) {
	cases := []struct{ rule, kind, want string }{
		{"another spelling", "font-family", "fontFamily"},
		{"capital letters", "Dimension", "dimension"},
		{"a plural", "colors", "color"},
		{"a slip", "dimenson", "dimension"},
		{"what Tokens Studio calls it, in another spelling", "border-radius", "dimension"},
		{"the same, whose letters are near those of another type", "line-height", "number"},
		{"nothing is near", "math", ""},
		{"a type of several words with quotes", `say "hi" now`, ""},
	}
	for _, c := range cases {
		faults := dtcg.Check(tokentreetest.Parse(t, `{"a":{"$type":"`+strings.ReplaceAll(c.kind, `"`, `\"`)+`","$value":"x"}}`))
		if len(faults) != 1 {
			t.Fatalf("%s: Check(%s) = %v, want one fault", c.rule, c.kind, faults)
		}
		for _, message := range []string{faults[0].Message, `operations[0]: "/a/$type": ` + faults[0].Message} {
			if got := NearestType(message); got != c.want {
				t.Errorf("%s: nearestType(%s) = %q, want %q", c.rule, message, got, c.want)
			}
		}
	}
	if got := WithNearestType("a name is not empty"); got != "a name is not empty" {
		t.Errorf("withNearestType(another fault) = %q", got)
	}
}

// TestHintsSayWhatIsWrongWithAValue: and nothing of a value that is only of another type.
func TestHintsSayWhatIsWrongWithAValue(t *testing.T) {
	for text, want := range map[string]string{
		`1e999`: "m: the number is too large", `"5."`: "m: write a number as JSON has it, such as 0.5", `"false"`: "m: write false without quotes",
		`5`: "m", `"x"`: "m", `[1]`: "m", `null`: "m", `{"value":1}`: "m",
		`{"light":"#fff","dark":"#000"}`: "m: if its members are modes, name them under values in livery.yaml",
	} {
		if got := WithHint("m", tokentreetest.Parse(t, `{"a":`+text+`}`).Find("a")); got != want {
			t.Errorf("WithHint(m, %s) = %q, want %q", text, got, want)
		}
	}
	if got := WithHint("m", nil); got != "m" {
		t.Errorf("WithHint(m, nil) = %q", got)
	}
}
