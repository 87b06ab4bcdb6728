package jsontree_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"example.com/livery/renderer/jsontree"
)

// S6, decision 4.1: member order and number spelling come back as they were written.
func TestTextsComeBackAsWritten(t *testing.T) {
	for _, text := range []string{
		`{"z":1,"a":2,"10":3,"2":4}`,
		`[0.10,1.0,1e5,1E+5,-0.0,123456789012345678901234567890]`,
		`{"a":{"c":{"b":[{"y":null,"x":true}]}}}`,
		`"é ü 漢字 😎"`,
	} {
		n, err := jsontree.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(jsontree.Append(nil, n)); got != text {
			t.Errorf("Append(Parse(%s)) = %s", text, got)
		}
	}
}

// What is appended to one parsed object or array must not run into its neighbour.
func TestParsedNodesDoNotShareRoom(t *testing.T) {
	n, err := jsontree.Parse(`[[1],[2],{"a":1},{"b":2}]`)
	if err != nil {
		t.Fatal(err)
	}
	_ = append(n.Items()[0].Items(), jsontree.NewString("x"))
	_ = append(n.Items()[2].Members, jsontree.Member{Name: "x", Value: jsontree.NewString("x")})
	if got := string(jsontree.Append(nil, n)); got != `[[1],[2],{"a":1},{"b":2}]` {
		t.Errorf("the tree became %s", got)
	}
}

// Decision 6.4: a JSON file can stand inside an HTML script element.
func TestAppendStringIsSafeInHTML(t *testing.T) {
	cases := []struct{ input, want string }{
		{"</script><!--", `"\u003c/script>\u003c!--"`},
		{"a\u2028b\u2029c", `"a\u2028b\u2029c"`},
		{"tab\tline\nreturn\rquote\"back\\", `"tab\tline\nreturn\rquote\"back\\"`},
		{"\x00\x1f\x7f", `"\u0000\u001f\u007f"`},
		{"é漢😎", `"é漢😎"`},
		{"", `""`},
	}
	for _, c := range cases {
		if got := string(jsontree.AppendString(nil, c.input)); got != c.want {
			t.Errorf("AppendString(%q) = %s, want %s", c.input, got, c.want)
		}
	}
}

func TestAppendOfNothingIsNull(t *testing.T) {
	if got := string(jsontree.Append([]byte("x"), nil)); got != "xnull" {
		t.Errorf("Append(nil) = %s", got)
	}
}

// RFC 6902 section 4.6: order does not count, numbers are compared by value.
func TestEqual(t *testing.T) {
	cases := []struct {
		a, b string
		want bool
	}{
		{`1`, `1.0`, true},
		{`1`, `1e0`, true},
		{`100`, `1E2`, true},
		{`0.001`, `1e-3`, true},
		{`0`, `-0.00e9`, true},
		{`1`, `-1`, false},
		{`10`, `1`, false},
		{`1e999999999`, `1e999999999`, true},
		{`1e999999999`, `10e999999998`, true},
		{`1e999999999`, `1e999999998`, false},
		{`1e99999999999999999999`, `1e99999999999999999999`, true},
		{`1e99999999999999999999`, `1e-99999999999999999999`, false},
		{`123456789012345678901`, `123456789012345678902`, false},
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`, true},
		{`{"a":1,"b":2}`, `{"a":1,"c":2}`, false},
		{`{"a":1}`, `{"a":1,"b":null}`, false},
		{`[1,2]`, `[2,1]`, false},
		{`[1,2]`, `[1,2,3]`, false},
		{`"1"`, `1`, false},
		{`null`, `null`, true},
		{`true`, `false`, false},
		{`{"a":[{"x":1.50}]}`, `{"a":[{"x":1.5}]}`, true},
	}
	for _, c := range cases {
		a, errA := jsontree.Parse(c.a)
		b, errB := jsontree.Parse(c.b)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if got := jsontree.Equal(a, b); got != c.want {
			t.Errorf("Equal(%s, %s) = %v, want %v", c.a, c.b, got, c.want)
		}
		if got := jsontree.Equal(b, a); got != c.want {
			t.Errorf("Equal(%s, %s) = %v, want %v", c.b, c.a, got, c.want)
		}
	}
	if jsontree.Equal(nil, jsontree.NewString("")) || !jsontree.Equal(nil, nil) {
		t.Error("only nil equals nil")
	}
}

// trees generates JSON trees of a few levels, with names and numbers that are easy to get wrong.
func trees(depth int) *rapid.Generator[*jsontree.Node] {
	return rapid.Custom(func(t *rapid.T) *jsontree.Node {
		most := 5
		if depth == 0 {
			most = 3
		}
		switch rapid.IntRange(0, most).Draw(t, "kind") {
		case 0:
			return &jsontree.Node{Kind: jsontree.Null}
		case 1:
			return &jsontree.Node{Kind: jsontree.Bool, True: rapid.Bool().Draw(t, "bool")}
		case 2:
			number := rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,5})?([eE][+-]?[0-9]{1,3})?`)
			return &jsontree.Node{Kind: jsontree.Number, Text: number.Draw(t, "number")}
		case 3:
			return jsontree.NewString(names.Draw(t, "string"))
		case 4:
			items := rapid.SliceOfN(trees(depth-1), 0, 4).Draw(t, "items")
			return jsontree.NewArray(items...)
		}
		n := &jsontree.Node{Kind: jsontree.Object}
		for _, name := range rapid.SliceOfNDistinct(names, 0, 16, rapid.ID[string]).Draw(t, "names") {
			n.Members = append(n.Members, jsontree.Member{Name: name, Value: trees(depth-1).Draw(t, "member")})
		}
		n.Index()
		return n
	})
}

var names = rapid.OneOf(
	rapid.StringMatching(`[a-c]{0,3}`),
	rapid.SampledFrom([]string{"__proto__", "0", "$value", "</script>", "\u2028", "\x00", `"\`, "😎", "\x7f"}),
	rapid.String().Filter(utf8.ValidString),
)

func TestParseOfAppendIsTheSameTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := trees(3).Draw(t, "tree")
		text := string(jsontree.Append(nil, n))
		again, err := jsontree.Parse(text)
		if err != nil {
			t.Fatalf("Parse(Append(x)) of %s: %v", text, err)
		}
		checkTexts(t, again)
		if !jsontree.Equal(n, again) || string(jsontree.Append(nil, again)) != text {
			t.Fatalf("Parse(Append(x)) = %s, want %s", jsontree.Append(nil, again), text)
		}
		if !json.Valid([]byte(text)) || strings.ContainsAny(text, "<\u2028\u2029") {
			t.Fatalf("Append gives text that is no JSON or not safe in HTML: %s", text)
		}
	})
}

// However a text is spelled, an array or object that was parsed from it is written as one built of the same parts.
func TestParsedTreesAreWrittenAsBuiltOnes(t *testing.T) {
	for _, text := range []string{
		"", `[]`, ` [ ] `, "{\n}", `{"a":[1,{"b":"c"}]}`, "{ \"a\" :\t[1,\r\n        {\"b\":\"c\"} ] }\n", `["\u0061\/<"]`, `["a<",["b"],{"é":"\u00e9"}]`,
		`{"\u0024type":"x","y":[ "\ud83d\ude0e", 1.50, -0 ]}`, "[\"\x7f\",\"\u2028\",[\"\u20ac\"]]", "[\n                1,\n                 2\n]",
		`{"a": 1}`, `{"a": {"b": 2}}`, "{\n  \"a\": {\"b\": \"c\"}}", `{"a": [1,2],"b": "\u0061"} `, `{"a":  {"b":1}}`, `["\u003C"]`, `{"a": ["\u003C", {"b":1}]}`,
	} {
		n, err := jsontree.Parse(text)
		if err != nil && text != "" {
			t.Fatalf("Parse(%q): %v", text, err)
		}
		checkTexts(t, n)
	}
	rapid.Check(t, func(t *rapid.T) {
		escapes := rapid.Bool().Draw(t, "escapes")
		text := spelled(t, trees(4).Draw(t, "tree"), escapes, blanks(t))
		n, err := jsontree.Parse(text)
		if err != nil {
			t.Fatalf("Parse(%q): %v", text, err)
		}
		checkTexts(t, n)
		if n.Kind >= jsontree.Array && n.Text == "" {
			t.Fatalf("Parse(%q) does not keep what Append writes", text)
		}
	})
}

// checkTexts holds what is written of every part of a parsed tree to what is written of it built anew.
func checkTexts(t interface {
	Fatalf(format string, args ...any)
}, n *jsontree.Node,
) *jsontree.Node {
	if n == nil {
		return nil
	}
	built := &jsontree.Node{Kind: n.Kind, True: n.True}
	for _, item := range n.Items() {
		built.AddItem(checkTexts(t, item))
	}
	for _, m := range n.Members {
		built.Members = append(built.Members, jsontree.Member{Name: m.Name, Value: checkTexts(t, m.Value)})
	}
	if n.Kind == jsontree.String || n.Kind == jsontree.Number {
		built.Text = n.Text
	}
	want := string(jsontree.Append(nil, built))
	if got := string(jsontree.Append(nil, n)); got != want {
		t.Fatalf("Append = %q, want %q", got, want)
	}
	if got := jsontree.Length(n); got != len(want) {
		t.Fatalf("Length of %q = %d, want %d", want, got, len(want))
	}
	return built
}

// blanks returns what writes blanks at a depth, before or behind a part of a text: as tools indent, with a space behind
// colons and commas, or any.
func blanks(t *rapid.T) func(b *strings.Builder, depth int, before string) {
	indent := rapid.SampledFrom([]string{"any", "spaces", "", " ", "  ", "    ", "\t"}).Draw(t, "indent")
	return func(b *strings.Builder, depth int, before string) {
		switch {
		case indent == "any":
			b.WriteString(rapid.StringOfN(rapid.RuneFrom([]rune(" \n\t\r")), 0, 20, -1).Draw(t, "blank"))
		case before == ":" || before == "," && indent == "spaces":
			b.WriteString(" ")
		case before != "" && indent != "spaces":
			b.WriteString("\n" + strings.Repeat(indent, depth))
		}
	}
}

// spelled writes a tree with blanks between its parts, and with escapes that nothing asks for if some shall be.
func spelled(t *rapid.T, n *jsontree.Node, escapes bool, blank func(b *strings.Builder, depth int, before string)) string {
	var b strings.Builder
	text := func(s string) {
		b.WriteByte('"')
		for _, r := range s {
			if escapes && r < 0x10000 && rapid.IntRange(0, 3).Draw(t, "escape") == 0 {
				fmt.Fprintf(&b, `\u%04X`, r)
				continue
			}
			quoted := string(jsontree.AppendString(nil, string(r)))
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		b.WriteByte('"')
	}
	var write func(n *jsontree.Node, depth int)
	write = func(n *jsontree.Node, depth int) {
		switch n.Kind {
		case jsontree.String:
			text(n.Text)
		case jsontree.Array:
			b.WriteByte('[')
			for i, item := range n.Items() {
				b.WriteString(","[:min(i, 1)])
				blank(&b, depth+1, ",")
				write(item, depth+1)
				blank(&b, depth, "")
			}
			blank(&b, depth, "]")
			b.WriteByte(']')
		case jsontree.Object:
			b.WriteByte('{')
			for i, m := range n.Members {
				b.WriteString(","[:min(i, 1)])
				blank(&b, depth+1, ",")
				text(m.Name)
				blank(&b, depth, "")
				b.WriteByte(':')
				blank(&b, depth, ":")
				write(m.Value, depth+1)
				blank(&b, depth, "")
			}
			blank(&b, depth, "}")
			b.WriteByte('}')
		default:
			b.Write(jsontree.Append(nil, n))
		}
	}
	blank(&b, 0, "")
	write(n, 0)
	blank(&b, 0, "")
	return b.String()
}

// Whatever is accepted is JSON for the standard library too, and is written back stably.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,2.50,{"b":null}],"c":"\u00e9\ud83d\ude0e"}`, `[]`, `1e999999999`, `{"a":1,"\u0061":2}`,
		"\"\\ud800\"", "\ufeff{}", `{"":{"":[]}}`, "\"\x00\"", `[1,]`, `-0`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := jsontree.Parse(text)
		if err != nil {
			return
		}
		if !json.Valid([]byte(text)) {
			t.Fatalf("Parse accepts %q, which is no JSON", text)
		}
		checkTexts(t, n)
		once := jsontree.Append(nil, n)
		again, err := jsontree.Parse(string(once))
		if err != nil || !jsontree.Equal(n, again) {
			t.Fatalf("Parse(Append(x)) of %q differs: %v", text, err)
		}
		if twice := jsontree.Append(nil, again); string(twice) != string(once) {
			t.Fatalf("Append is not stable: %s, then %s", once, twice)
		}
	})
}

// Index may be called on a value of any kind: what it says stays.
func TestIndexKeepsTheValue(t *testing.T) {
	for _, text := range []string{`1`, `"a"`, `true`, `null`, `[1,"a"]`, `{"a":[1]}`} {
		n, err := jsontree.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if n.Index(); string(jsontree.Append(nil, n)) != text {
			t.Errorf("%s is %s after Index", text, jsontree.Append(nil, n))
		}
	}
}

// A name that needs escapes is written with them, also in an object whose parsed names need none, and the lengths that
// are told without writing agree.
func TestIndexForgetsHowParsedNamesAreWritten(t *testing.T) {
	n, err := jsontree.Parse(`{"a":"b"}`)
	if err != nil {
		t.Fatal(err)
	}
	n.Members = append(n.Members, jsontree.Member{Name: "</a", Value: jsontree.NewString("</b")})
	n.Index()
	const want = `{"a":"b","\u003c/a":"\u003c/b"}`
	if text := string(jsontree.Append(nil, n)); text != want || jsontree.Length(n) != len(want) {
		t.Errorf("the object is written %s with a length of %d, want %s", text, jsontree.Length(n), want)
	}
}
