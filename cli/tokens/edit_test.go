package tokens

import "testing"

func TestATypedValueIsJSONWhereItReadsAsJSON(t *testing.T) {
	cases := []struct {
		typed  string
		asText bool
		want   string
	}{
		{"#0055aa", false, `"#0055aa"`},
		{"16px", false, `"16px"`},
		{"0.10", false, "0.10"},
		{"{color.brand}", false, `"{color.brand}"`},
		{`{"value": 4, "unit": "px"}`, false, `{"value":4,"unit":"px"}`},
		{"true", false, "true"},
		{"4", true, `"4"`},
		{`"4"`, false, `"4"`},
	}
	for _, c := range cases {
		if got := string(typedValue(c.typed, c.asText)); got != c.want {
			t.Errorf("typedValue(%s, %t) = %s, want %s", c.typed, c.asText, got, c.want)
		}
	}
}
