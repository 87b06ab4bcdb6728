package css_test

import (
	"testing"

	"example.com/livery/renderer/css"
)

// S66 and point 1 of the injection rule.
func TestName(t *testing.T) {
	rows := []struct {
		rule, prefix string
		path         []string
		want         string
	}{
		{"segments are joined", "", []string{"color", "accent", "light"}, "--color-accent-light"},
		{"a prefix goes first", "acme", []string{"a", "b"}, "--acme-a-b"},
		{"case is kept", "", []string{"fgColor", "danger"}, "--fgColor-danger"},
		{"double hyphens are kept", "", []string{"text", "xs--line-height"}, "--text-xs--line-height"},
		{"$root is left out", "", []string{"color", "accent", "$root"}, "--color-accent"},
		{"$root of the document", "", []string{"$root"}, "--root"},
		{"$root of the document with a prefix", "p", []string{"$root"}, "--p"},
		{"an empty name at the root", "", []string{""}, "---"},
		{"digits may come first", "", []string{"100"}, "--100"},
		{"ASCII punctuation and blanks", "", []string{"50%", "a/b c", "_x"}, "--50--a-b-c-_x"},
		{"letters beyond ASCII and emoji are kept", "", []string{"ünïcode", "🎉"}, "--ünïcode-🎉"},
		{"controls, bidi and format characters", "", []string{"a\x00b\u202ec\u200bd\u00a0e\ufefff"}, "--a-b-c-d-e-f"},
		{"bytes that are no UTF-8", "", []string{"a\xffb"}, "--a-b"},
		{"hostile names", "x;}", []string{"a:red;} body{", "</style>", "*/"}, "--x---a-red---body----style----"},
	}
	for _, r := range rows {
		if got := css.AppendName([]byte("x "), r.prefix, r.path); string(got) != "x "+r.want {
			t.Errorf("%s: AppendName(%q, %q) = %q, want %q", r.rule, r.prefix, r.path, got, "x "+r.want)
		}
	}
}
