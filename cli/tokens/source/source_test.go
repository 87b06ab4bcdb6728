package source

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/livery/cli/term"
	"example.com/livery/cli/tokenfile"
	"example.com/livery/renderer/jsontree"
)

func TestFaultsOfAFileHaveLineAndColumn(t *testing.T) {
	cases := []struct{ rule, text, want string }{
		{"a missing comma", "{\n  \"a\": 1\n  \"b\": 2\n}", "f:3:3: "},
		{"columns count characters", "{\"äöü\": 1 1}", "f:1:11: "},
		{"an end that is missing", "{\"a\": {\n", "f:2:1: the file ends too early"},
		{"an empty file", "", "f is empty"},
		{"white space alone", "\ufeff \r\n", "f is empty"},
		{"a web page", "\n<!DOCTYPE html>", "f is a web page or XML, not JSON"},
		{"UTF-16", "\xff\xfe{\x00}\x00", "f is text in UTF-16"},
		{"a packed file", "\x1f\x8b\x08", "f is compressed"},
		{"an archive", "PK\x03\x04", "f is compressed"},
		{"a program", "\x7fELF\x02\x01\x00", "f is not text"},
		{"an encoding of old", "{\"ä\":\n \"\xfcber\" 1}", "f:2:3: the file is not text in UTF-8, for it has the byte FC there"},
		{"a character at the bound of what is looked at", strings.Repeat(" ", 511) + "ä", "f:1:512: the file is not valid JSON"},
		{"a byte order mark is neither a fault nor a column", "\ufeff{\"a\"}", "f:1:5: "},
		{"a text is not a token file", `"a"`, "f:1:1: the file must hold an object, but holds a value of kind string"},
		{"nesting without end", strings.Repeat("[", 100), "f:1:73: the file is not valid JSON: it nests too deep"},
	}
	for _, c := range cases {
		_, err := ParseFile("f", c.text)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: parseFile(%q) = %v, want %s…", c.rule, c.text, err, c.want)
		}
	}
}

// TestAProgramIsNotRead: nor is Sass, of a file or of the standard input.
func TestAProgramIsNotRead(t *testing.T) {
	cases := []struct{ name, text, want, next string }{
		{"a/b.js", "", "a/b.js is a program", `node -e 'import("./a/b.js").then(m => console.log(JSON.stringify(m.default ?? m)))' > a/b.json`},
		{"b.ts", "", "b.ts is a program", `npx tsx -e 'const m = require("./b.ts"); console.log(JSON.stringify(m.default ?? m))' > b.json`},
		{"-", "// tokens\nexport const a = { b: 1 }", "the standard input is a program", "Save it as a file"},
		{"-", "/* tokens */ import x from './x'", "the standard input is a program", "Save it as a file"},
		{"-", "// tokens\n$a: #fff;", "the standard input is the source of a stylesheet", "Push the CSS"},
		{"-", "@use 'a';", "the standard input is the source of a stylesheet", "Push the CSS"},
		{"-", "$type: color\na:\n  $value: '#fff'", "", ""},
		{"-", "@import 'a.css'; :root { --a: 1px }", "", ""},
	}
	for _, c := range cases {
		_, err := ParseFile(c.name, c.text)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("ParseFile(%s, %q) = %v", c.name, c.text, err)
		case c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want) || !strings.Contains(term.Explain(err).Next, c.next)):
			t.Errorf("ParseFile(%s, %q) = %v, next %q, want %s, next %s", c.name, c.text, err, term.Explain(err).Next, c.want, c.next)
		}
	}
}

func TestVariantSourceReadsMapsAndDocuments(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	a := &term.App{In: strings.NewReader(`{"color.brand":"blue"}`)}
	got, err := Variant(a, []string{
		write("a.json", `{"color.brand":"red","space":{"value":4,"unit":"px"}}`),
		write("b.json", `{"color":{"brand":{"$value":"green"},"$root":{"$value":"x"}}}`),
		"-",
	}, tokenfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"color.brand":"blue","space":{"value":4,"unit":"px"},"color.$root":"x"}`
	if text := string(jsontree.Append(nil, got.Tree)); text != want {
		t.Errorf("variantSource() = %s, want %s", text, want)
	}
	if _, err := Theme(a, []string{filepath.Join(dir, "none.json")}, tokenfile.Options{}); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("themeSource(a missing file) = %v", err)
	}
}
