package jsontree_test

import (
	"errors"
	"strings"
	"testing"

	"example.com/livery/renderer/jsontree"
)

// The strictness that requests are held to (A22 to A25: duplicate names, bad UTF-8, bad numbers,
// trailing data, depth).
func TestParseRefuses(t *testing.T) {
	cases := []struct {
		name, input string
		offset      int
	}{
		{"an empty text", "", 0},
		{"only spaces", " \n\t", 3},
		{"an open object", "{", 1},
		{"an open array", "[1", 2},
		{"an open string", `"abc`, 4},
		{"a trailing comma in an object", `{"a":1,}`, 7},
		{"a trailing comma in an array", "[1,]", 3},
		{"a missing comma", "[1 2]", 3},
		{"a missing colon", `{"a" 1}`, 5},
		{"a name that is not a string", "{a:1}", 1},
		{"two documents", "{}{}", 2},
		{"data after the value", "1 x", 2},
		{"a duplicate name", `{"a":1,"a":2}`, 7},
		{"a duplicate name spelled with an escape", `{"a":1,"\u0061":2}`, 7},
		{"NaN", "NaN", 0},
		{"Infinity", "-Infinity", 1},
		{"a leading zero", "01", 1},
		{"a plus sign", "+1", 0},
		{"a number that ends in its point", "1.", 2},
		{"a number that begins with its point", ".5", 0},
		{"an exponent without digits", "1e+", 3},
		{"a lone minus", "-", 1},
		{"a hexadecimal number", "0x10", 1},
		{"a comment", "/* a */ 1", 0},
		{"single quotes", "'a'", 0},
		{"an unfinished word", "tru", 0},
		{"a word in capitals", "True", 0},
		{"a byte order mark", "\ufeff{}", 0},
		{"a raw NUL", "\"a\x00b\"", 2},
		{"a raw line feed in a string", "\"a\nb\"", 2},
		{"a raw NUL outside strings", "\x00", 0},
		{"invalid UTF-8", "\"a\xffb\"", 2},
		{"overlong UTF-8", "\"\xc0\xaf\"", 1},
		{"an encoded surrogate", "\"\xed\xa0\x80\"", 1},
		{"cut UTF-8", "\"\xe2\x82\"", 1},
		{"invalid UTF-8 after an escape", "\"\\n\xff\"", 3},
		{"a lone high surrogate", `"\ud800"`, 7},
		{"a lone low surrogate", `"\udc00"`, 7},
		{"a high surrogate before another escape", `"\ud800\n"`, 7},
		{"two high surrogates", `"\ud800\ud800"`, 13},
		{"an unknown escape", `"\x41"`, 2},
		{"an escape cut short", `"\u12`, 3},
		{"an escape of four letters that are not digits", `"\u00zz"`, 3},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			n, err := jsontree.Parse(c.input)
			var syntax *jsontree.SyntaxError
			if n != nil || !errors.As(err, &syntax) {
				t.Fatalf("Parse(%q) = %v, %v, want a *SyntaxError", c.input, n, err)
			}
			if syntax.Offset != c.offset {
				t.Errorf("Parse(%q) fails at byte %d (%v), want byte %d", c.input, syntax.Offset, err, c.offset)
			}
		})
	}
}

func TestParseAccepts(t *testing.T) {
	cases := []struct{ name, input, want string }{
		{"spaces everywhere", " { \"a\" : [ 1 , true ] }\r\n", `{"a":[1,true]}`},
		{"numbers as they are written", `[0.10,-0,1E5,1e-7,123456789012345678901,1e999999999]`, `[0.10,-0,1E5,1e-7,123456789012345678901,1e999999999]`},
		{"a surrogate pair", `"\ud83d\ude0e"`, `"😎"`},
		{"every short escape", `"\"\\\/\b\f\n\r\t"`, `"\"\\/\u0008\u000c\n\r\t"`},
		{"an escaped NUL", `"a\u0000b"`, `"a\u0000b"`},
		{"an empty name", `{"":1}`, `{"":1}`},
		{"names of objects and numbers", `{"__proto__":1,"0":2,"constructor":3}`, `{"__proto__":1,"0":2,"constructor":3}`},
		{"empty containers", `[{},[],""]`, `[{},[],""]`},
		{"null and both booleans", `[null,true,false]`, `[null,true,false]`},
		{"raw delete and non-characters", "\"\x7f\uffff\"", "\"\\u007f\uffff\""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			n, err := jsontree.Parse(c.input)
			if err != nil {
				t.Fatalf("Parse(%q): %v", c.input, err)
			}
			if got := string(jsontree.Append(nil, n)); got != c.want {
				t.Errorf("Append(Parse(%q)) = %s, want %s", c.input, got, c.want)
			}
		})
	}
}

func TestParseBoundsNesting(t *testing.T) {
	for _, depth := range []int{1, 64, jsontree.MaxDepth, jsontree.MaxDepth + 1, 100_000} {
		for _, text := range []string{
			strings.Repeat("[", depth) + strings.Repeat("]", depth),
			strings.Repeat(`{"a":`, depth) + "1" + strings.Repeat("}", depth),
		} {
			_, err := jsontree.Parse(text)
			var tooDeep *jsontree.DepthError
			if refused := errors.As(err, &tooDeep); refused != (depth > jsontree.MaxDepth) {
				t.Errorf("Parse of %d levels: %v", depth, err)
			}
		}
	}
	if _, err := jsontree.ParseDepth("[[1]]", 1); err == nil || !strings.Contains(err.Error(), "1 levels at byte 1") {
		t.Errorf("ParseDepth([[1]], 1) = %v, want a *DepthError at byte 1", err)
	}
}

func TestErrorsSayWhere(t *testing.T) {
	_, err := jsontree.Parse(`{"a":1,"a":2}`)
	if want := `invalid JSON at byte 7: the member name "a" stands twice in one object`; err == nil || err.Error() != want {
		t.Errorf("error = %v, want %s", err, want)
	}
}

// Duplicate names are found in objects on both sides of the size from which they are indexed.
func TestLargeObjectsFindTheirMembers(t *testing.T) {
	for _, size := range []int{1, 11, 12, 13, 5000} {
		var b strings.Builder
		for i := range size {
			b.WriteString(`,"n` + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + itoa(i) + `":` + itoa(i))
		}
		text := "{" + b.String()[1:] + "}"
		n, err := jsontree.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range n.Members {
			if n.IndexOf(m.Name) != i || n.Find(m.Name).Text != itoa(i) {
				t.Fatalf("%d members: %s is not found at %d", size, m.Name, i)
			}
		}
		if n.Find("missing") != nil {
			t.Errorf("%d members: a missing name is found", size)
		}
		again := text[:len(text)-1] + `,"` + n.Members[size-1].Name + `":0}`
		if _, err := jsontree.Parse(again); err == nil {
			t.Errorf("%d members: a duplicate of the last one is accepted", size)
		}
	}
}

func TestIndexFollowsChangedMembers(t *testing.T) {
	n := &jsontree.Node{Kind: jsontree.Object}
	for i := range 20 {
		n.Members = append(n.Members, jsontree.Member{Name: "m" + itoa(i), Value: jsontree.NewString(itoa(i))})
	}
	n.Index()
	n.Members = n.Members[10:]
	n.Index()
	if n.Find("m3") != nil || n.Find("m12") == nil || n.IndexOf("m10") != 0 {
		t.Error("Find answers from members that are gone")
	}
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + string(rune('0'+n%10))
}
