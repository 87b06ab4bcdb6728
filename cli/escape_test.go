package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"example.com/livery/cli/account"
	"example.com/livery/cli/page"
	"example.com/livery/cli/process"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokens/changeset"
	"example.com/livery/cli/tokens/source"
	"example.com/livery/client"
	_ "example.com/livery/internal/test/sameseed" // make suite NAME=fuzz draws others
	"example.com/livery/renderer/jsontree"
)

// hostile is a name that is markup for a terminal, for Markdown, for HTML and for the log of GitHub.
const hostile = "a\n\n</code></pre>![p](https://evil.example/p.png) @octocat <img src=x>\n::error title=x::forged\n::add-mask::a\x1b[5m\u202e`|"

// rudeNames draws names of any runes, hostile ones more often.
func rudeNames() *rapid.Generator[string] {
	rude := rapid.SampledFrom([]rune("\x00\a\n\r\x1b\x7f\u0085\u009b\u200e\u200f\u202a\u202e\u2028\u2066\u2069`|<>@#[]!:%"))
	return rapid.OneOf(rapid.Just(hostile), rapid.StringOfN(rapid.OneOf(rude, rapid.Rune()), 1, -1, -1))
}

// styles are the sequences that this program itself writes.
var styles = regexp.MustCompile(`\x1b\[(0|1|2|3[0-9]|48;2;[0-9;]+)m`)

// hidden returns the first rune of a text that does not show itself, or "".
func hidden(text string) string {
	for i, r := range text {
		_, size := utf8.DecodeRuneInString(text[i:])
		if r != '\n' && !unicode.IsGraphic(r) || r == utf8.RuneError && size == 1 {
			return text[i : i+size]
		}
	}
	return ""
}

// output is one way in which a command prints names, and how many lines that are; -1 for any number.
type output struct {
	what  string
	lines int
	print func(a *app, name string)
}

// testApp returns a program that reads and prints if a test says.
func testApp(in io.Reader, out, errOut io.Writer) *app {
	return &app{Session: account.New(&term.App{In: in, Out: out, Err: errOut})}
}

// colored makes a program print for a terminal, or for a file.
func colored(a *app, terminal bool) *app {
	a.Color = terminal
	return a
}

func everyWay() []output {
	value := func(name string) json.RawMessage { return jsontree.AppendString(nil, name) }
	faults := func(name string) []source.Fault {
		return []source.Fault{{Diagnostic: client.Diagnostic{Path: name, Kind: name, Message: name}, Location: name + ":1", Next: name}}
	}
	changes := func(name string) changeset.Comparison {
		changed := changeset.Change{Kind: "changed", Path: name, Before: value(name), After: json.RawMessage(`"#0055aa"`)}
		renamed := changeset.Change{Kind: "renamed", Path: name, From: name, Before: value(name), After: value(name)}
		return changeset.Comparison{What: name, From: "nothing", To: "the files", Notes: []string{name}, Changes: []changeset.Change{changed, renamed}, Properties: client.PropertyChanges{Count: 1, Changed: []string{name}}}
	}
	write := func(a *app, text []byte) { _, _ = a.Out.Write(text) }
	log := func(a *app, name string, asJSON bool) {
		if l, err := process.Logger(a.App, "info", asJSON); err == nil {
			l.Info(name, "name", name, "error", errors.New(name))
		}
	}
	return []output{
		{"say", 1, func(a *app, name string) { a.Say("%s", name) }},
		{"say an error", 1, func(a *app, name string) { a.Say("%v", errors.New(name)) }},
		{"warn", 1, func(a *app, name string) { a.Warn("Note: %s", name) }},
		{"a style", 1, func(a *app, name string) { a.Say("%s", a.Styled("1", name)) }},
		{"a failure", 4, func(a *app, name string) {
			a.Report(&term.Failure{Sentence: name, Faults: []string{name, name}, Next: "x" + name})
		}},
		{"a table", 2, func(a *app, name string) {
			rows := term.Table{Head: []string{"A", "B"}}
			rows.Add(name, a.Swatch("#0055aa")+term.Cell(name))
			a.PrintTable(rows)
		}},
		{"pairs", 1, func(a *app, name string) { a.Pairs(a.Out, "Name", "x"+name) }},
		{"check", 2, func(a *app, name string) { source.PrintFaults(a.App, faults(name)) }},
		{"check --format markdown", 4, func(a *app, name string) { write(a, source.AppendMarkdown(nil, faults(name))) }},
		{"check --format github", 1, func(a *app, name string) { write(a, source.AppendAnnotations(nil, faults(name))) }},
		{"diff", 7, func(a *app, name string) { changeset.PrintComparison(a.App, changes(name)) }},
		{"diff --format markdown", 16, func(a *app, name string) { write(a, changeset.AppendMarkdown(nil, changes(name))) }},
		{"tokens", 2, func(a *app, name string) {
			changeset.PrintTokens(a.App, []client.Token{{Path: name, ResolvedType: &name, Value: value(name)}}, nil)
		}},
		{"what a push left out", 2, func(a *app, name string) {
			source.PrintDropped(a.App, []source.Dropped{{Path: name, Reason: name, Tokens: 1}})
		}},
		{"JSON", -1, func(a *app, name string) { _ = a.Encode(map[string]string{name: name}, "  ") }},
		{"a log", 1, func(a *app, name string) { log(a, name, true) }},
		{"a log of dev", 1, func(a *app, name string) { log(a, name, false) }},
		{"a page", -1, func(a *app, name string) { write(a, visiblePage(name, value(name))) }},
	}
}

// visiblePage draws a page of a name, without its stylesheet.
func visiblePage(name string, quoted []byte) []byte {
	token := `{"$type":"string","$value":` + string(quoted) + `,"$description":` + string(quoted) + `}`
	theme, err := jsontree.Parse(`{` + string(quoted) + `:` + token + `,"x":` + token + `,"y":{"$value":` + string(quoted) + `}}`)
	if err != nil {
		panic(err)
	}
	head, rest, _ := strings.Cut(string(page.Append(nil, page.Input{Title: name, Theme: theme})), "<style>")
	_, body, _ := strings.Cut(rest, "</style>")
	return []byte(head + body)
}

// TestNoNameDrivesATerminal: every way in which a command prints shows each rune of a name and begins no line with it.
func TestNoNameDrivesATerminal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rudeNames().Draw(t, "name")
		for _, way := range everyWay() {
			for _, terminal := range []bool{false, true} {
				var out bytes.Buffer
				way.print(colored(testApp(strings.NewReader(""), &out, &out), terminal), name)
				said := styles.ReplaceAllString(out.String(), "")
				if rune := hidden(said); rune != "" {
					t.Errorf("%s of %q, on a terminal %t, prints %q in %q", way.what, name, terminal, rune, said)
				}
				if lines := strings.Count(said, "\n"); way.lines >= 0 && lines != way.lines {
					t.Errorf("%s of %q prints %d lines, want %d: %q", way.what, name, lines, way.lines, said)
				}
			}
		}
	})
}

// TestNamesStayInCodeSpans: what a comment holds outside of code spans is the same for every name.
func TestNamesStayInCodeSpans(t *testing.T) {
	span := regexp.MustCompile("`[^`\n]+`")
	outside := func(name string) string {
		var out bytes.Buffer
		for _, way := range everyWay() {
			if strings.HasSuffix(way.what, "markdown") {
				way.print(testApp(strings.NewReader(""), &out, &out), name)
			}
		}
		return span.ReplaceAllString(out.String(), "`…`")
	}
	want := outside("color.brand")
	rapid.Check(t, func(t *rapid.T) {
		if name := "x" + rudeNames().Draw(t, "name"); outside(name) != want {
			t.Errorf("with the name %q a comment is\n%s\nwant\n%s", name, outside(name), want)
		}
	})
}

// TestTextGoesOutThroughPrint: no command formats for a terminal past the functions that escape.
func TestTextGoesOutThroughPrint(t *testing.T) {
	var files []string
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".go" {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) < 100 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if file == filepath.Join("term", "print.go") || strings.HasSuffix(file, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		syntax, err := parser.ParseFile(set, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(syntax, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && printsItself(call) {
				t.Errorf("%s prints past say, warn, pairs and printTable", set.Position(call.Pos()))
			}
			return true
		})
	}
}

// printsItself reports whether a call is fmt.Fprint… to the output of a command, of more than constants.
func printsItself(call *ast.CallExpr) bool {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !strings.HasPrefix(f.Sel.Name, "Fprint") || len(call.Args) == 0 {
		return false
	}
	to, ok := call.Args[0].(*ast.SelectorExpr)
	if !ok || to.Sel.Name != "Out" && to.Sel.Name != "Err" {
		return false
	}
	for _, arg := range call.Args[1:] {
		if _, constant := arg.(*ast.BasicLit); !constant {
			return true
		}
	}
	return false
}
