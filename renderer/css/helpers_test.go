package css_test

import (
	"strings"
	"testing"

	"example.com/livery/renderer/css"
	"example.com/livery/renderer/jsontree"
)

// parse reads a JSON text that a test wrote.
func parse(t testing.TB, text string) *jsontree.Node {
	t.Helper()
	n, err := jsontree.Parse(text)
	if err != nil {
		t.Fatalf("test data %s: %v", text, err)
	}
	return n
}

// row is one rule of a kind: a value, and what CSS and JavaScript get of it. An empty want is a misfit.
type row struct {
	rule string
	json string
	css  string
	js   string // the primitive; if it is empty and css is not, css as a JSON string
}

// misfit stands in row.js if JavaScript gets nothing of what CSS gets.
const misfit = "misfit"

// check runs the rows of one kind through Append and AppendPrimitive.
func check(t *testing.T, k css.Kind, rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.rule, func(t *testing.T) {
			v := parse(t, r.json)
			got, failed := css.Append([]byte("before "), k, v)
			if want := "before " + r.css; string(got) != want || (failed != nil) != (r.css == "") {
				t.Errorf("Append(%s) = %q, %v, want %q", r.json, got, failed, want)
			}
			want := r.js
			if want == "" && r.css != "" {
				want = string(jsontree.AppendString(nil, r.css))
			}
			got, failed = css.AppendPrimitive([]byte("x"), k, v)
			if want == misfit {
				want = ""
			}
			if string(got) != "x"+want || (failed != nil) != (want == "") {
				t.Errorf("AppendPrimitive(%s) = %q, %v, want %q", r.json, got, failed, "x"+want)
			}
			checkOneText(t, k, v)
			if r.css != "" && !css.FitsKind(k, v) {
				t.Errorf("FitsKind(%s) = false of a value that renders", r.json)
			}
		})
	}
}

// checkOneText wants the primitive that AppendPrimitive writes from the text of a declaration that is said to suffice.
func checkOneText(t *testing.T, k css.Kind, v *jsontree.Node) {
	t.Helper()
	lines, oneText, failed := css.Declare(nil, []byte("--t"), k, v)
	if !oneText.Primitive || failed != nil {
		return
	}
	line, _, _ := strings.Cut(string(lines), "\n")
	text := strings.TrimSuffix(strings.TrimPrefix(line, "  --t: "), ";")
	want, failed := css.AppendPrimitive(nil, k, v)
	if got := css.AppendPrimitiveOf(nil, k, []byte(text)); failed != nil || string(got) != string(want) {
		t.Errorf("AppendPrimitiveOf(%q) = %s, AppendPrimitive gives %s, %v", text, got, want, failed)
	}
}

// oneSafeValue says why s could leave its declaration, fetch something, or is not a value; "" if it
// cannot and is one. It reads CSS tokens by itself and knows nothing of how they were written.
func oneSafeValue(s string) string {
	if strings.TrimSpace(s) == "" {
		return "empty"
	}
	depth := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\'':
			n := quotedLength(s[i:])
			if n == 0 {
				return "a string that does not end"
			}
			i += n - 1
		case c == '(':
			depth++
			if name := nameBefore(s[:i]); strings.Contains(fetching, " "+strings.ToLower(name)+" ") {
				return "the function " + name
			}
		case c == ')':
			if depth--; depth < 0 {
				return "a parenthesis that nothing opens"
			}
		case strings.IndexByte(";{}[]!@\\<>&:$^~`|?=", c) >= 0 || c < ' ' || c == 0x7f:
			return "the character " + string(rune(c))
		case strings.HasPrefix(s[i:], "/*") || strings.HasPrefix(s[i:], "*/"):
			return "a comment"
		}
	}
	if depth != 0 {
		return "a parenthesis that nothing closes"
	}
	return ""
}

const fetching = " url src image image-set -webkit-image-set cross-fade element attr paint expression format local "

// quotedLength returns the length of the quoted string that s begins with, 0 if it does not end
// or could end an HTML element.
func quotedLength(s string) int {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == s[0]:
			return i + 1
		case s[i] == '\\':
			i++
		case s[i] < ' ' || strings.IndexByte("<>&", s[i]) >= 0:
			return 0
		}
	}
	return 0
}

// nameBefore returns the name that s ends with.
func nameBefore(s string) string {
	i := len(s)
	for i > 0 && (s[i-1] == '-' || s[i-1] == '_' || s[i-1] >= '0' && s[i-1] <= '9' || s[i-1]|0x20 >= 'a' && s[i-1]|0x20 <= 'z') {
		i--
	}
	return s[i:]
}
