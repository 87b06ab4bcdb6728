package jsontree_test

import (
	"testing"

	"pgregory.net/rapid"

	"example.com/livery/renderer/jsontree"
)

// Length is what Append writes, whatever has to be escaped.
func TestLengthIsThatOfTheText(t *testing.T) {
	texts := []string{
		"null", "true", "false", "0", "-1.50e3", `""`, `"<\n\r\t\"\\/\u0001\u007f\u2028\u2029\u2027é🎈"`, "[]", "[1]", "[1,[2,3],null]",
		"{}", `{"a":1}`, `{"<":{"b":[],"c":"x"},"d":null}`,
	}
	for _, text := range texts {
		n, err := jsontree.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := jsontree.Length(n), len(jsontree.Append(nil, n)); got != want {
			t.Errorf("Length(%s) = %d, want %d", text, got, want)
		}
	}
	if got := jsontree.Length(nil); got != len("null") {
		t.Errorf("Length(nil) = %d", got)
	}
}

func TestStringLengthIsThatOfTheText(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.SampledFrom([]rune("a<\"\\\n\x00\x1f\x7f\u2028\u2029\u202a\u20ac")))).Draw(r, "s")
		if got, want := jsontree.StringLength(s), len(jsontree.AppendString(nil, s)); got != want {
			r.Errorf("StringLength(%q) = %d, want %d", s, got, want)
		}
	})
}
