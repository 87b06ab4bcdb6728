package tokens

import (
	"testing"

	"example.com/livery/internal/test/tokentreetest"
	"example.com/livery/renderer/jsontree"
)

func TestRenamingRewritesEveryAlias(t *testing.T) {
	document := tokentreetest.Parse(t, `{
		"color": {"brand": {"base": {"$value": "#000"}, "soft": {"$value": "{color.brand.base}"}}, "brandy": {"$value": "{color.brandy}"}},
		"shadow": {"$value": [{"color": "{color.brand.base}", "blur": "1px"}, "{shadow.other}"]},
		"text": {"$value": "inset 0 0 {color.brand.base} {color.brand}"}
	}`)
	after, aliases, err := renamed(document, "color.brand", "identity.a/b")
	if err != nil {
		t.Fatal(err)
	}
	want := `{"color":{"brandy":{"$value":"{color.brandy}"}},` +
		`"shadow":{"$value":[{"color":"{identity.a/b.base}","blur":"1px"},"{shadow.other}"]},` +
		`"text":{"$value":"inset 0 0 {identity.a/b.base} {identity.a/b}"},` +
		`"identity":{"a/b":{"base":{"$value":"#000"},"soft":{"$value":"{identity.a/b.base}"}}}}`
	if got := string(jsontree.Append(nil, after)); got != want || aliases != 3 {
		t.Errorf("renamed() = %d aliases,\n%s\nwant 3,\n%s", aliases, got, want)
	}
	for _, to := range []string{"color.brandy", "color.brand.base.deeper"} {
		if _, _, err := renamed(document, "color.brand", to); err == nil {
			t.Errorf("renaming to %s is not refused", to)
		}
	}
}
