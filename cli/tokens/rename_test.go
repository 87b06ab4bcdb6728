package tokens

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/livery/internal/test/tokentreetest"
)

func TestRenamingRewritesEveryAlias(t *testing.T) {
	document := tokentreetest.Parse(t, `{
		"color": {"brand": {"base": {"$value": "#000"}, "soft": {"$value": "{color.brand.base}"}}, "brandy": {"$value": "{color.brandy}"}},
		"shadow": {"$value": [{"color": "{color.brand.base}", "blur": "1px"}, "{shadow.other}"]},
		"text": {"$value": "inset 0 0 {color.brand.base} {color.brand}"}
	}`)
	set := tokentreetest.SetOf(document)
	operations, aliases, err := renaming(document, set, "color.brand", "identity.a/b")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range operations {
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s%s %s", o.Operation, o.From, o.Path, o.Value)))
	}
	want := []string{
		`add /identity {}`,
		`move /color/brand/identity/a~1b`,
		`replace /identity/a~1b/soft/$value "{identity.a/b.base}"`,
		`replace /shadow/$value [{"color":"{identity.a/b.base}","blur":"1px"},"{shadow.other}"]`,
		`replace /text/$value "inset 0 0 {identity.a/b.base} {identity.a/b}"`,
	}
	if !slices.Equal(got, want) || aliases != 3 {
		t.Errorf("renaming() = %d aliases,\n%s\nwant 3,\n%s", aliases, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, to := range []string{"color.brandy", "color.brand.base.deeper"} {
		if _, _, err := renaming(document, set, "color.brand", to); err == nil {
			t.Errorf("renaming to %s is not refused", to)
		}
	}
}
