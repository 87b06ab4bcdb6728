package tokens

import (
	"testing"

	"example.com/livery/renderer/jsontree"
)

func TestATypedValueIsJSONWhereItReadsAsJSON(t *testing.T) {
	cases := []struct {
		typed, want string
	}{
		{"#0055aa", `"#0055aa"`},
		{"16px", `"16px"`},
		{"0.10", "0.10"},
		{"{color.brand}", `"{color.brand}"`},
		{`{"value": 4, "unit": "px"}`, `{"value":4,"unit":"px"}`},
		{"true", "true"},
		{`"4"`, `"4"`},
	}
	for _, c := range cases {
		if got := string(jsontree.Append(nil, typedValue(c.typed))); got != c.want {
			t.Errorf("typedValue(%s) = %s, want %s", c.typed, got, c.want)
		}
	}
}
