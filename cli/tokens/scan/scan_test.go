package scan_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"example.com/livery/cli/tokens/export"
	"example.com/livery/cli/tokens/scan"
	_ "example.com/livery/internal/test/sameseed" // make suite NAME=fuzz draws others
	"example.com/livery/internal/test/tokentreetest"
)

const theme = `{
	"color": {"$type": "color",
		"brand": {"$value": "#0055aa"}, "on-brand": {"$value": "#ffffff"}, "lefty": {"$value": "#000000"},
		"old": {"$value": "#000000", "$deprecated": "Use color.brand."},
		"text": {"muted": {"$value": "#111111"}, "strong": {"$value": "#000000"}},
		"gray": {"50": {"$value": "#eeeeee"}}},
	"space": {"$type": "dimension", "button": {"$value": "4px"}},
	"radius": {"$type": "dimension", "button": {"$value": "4px"}},
	"screen": {"tablet": {"$type": "dimension", "$value": "600px"}},
	"type": {"title": {"$type": "typography", "$value": {"fontFamily": "Inter", "fontSize": "20px", "fontWeight": 700}}},
	"ratio": {"$type": "number", "$value": 2}
}`

func sheet(t *testing.T, prefix string) *export.Sheet {
	t.Helper()
	return export.Read("", tokentreetest.Parse(t, theme), nil, prefix)
}

// scanned returns what a scan of files lists.
func scanned(t *testing.T, s *export.Sheet, o scan.Options, files map[string]string) *scan.Result {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	scanner := scan.New(s, o)
	if err := scanner.Add(fsys, ".", func(name string) string { return name }); err != nil {
		t.Fatal(err)
	}
	return scanner.Result()
}

// lines spell findings as a person reads them.
func lines(r *scan.Result) (list []string) {
	short := map[string]string{scan.Unknown: "unknown", scan.Deprecated: "deprecated", scan.Unused: "unused"}
	for _, f := range r.Findings {
		line := fmt.Sprintf("%d:%d %s %s", f.Line, f.Column, short[f.Rule], f.Name)
		if f.Nearest != "" {
			line += " -> " + f.Nearest
		}
		list = append(list, line)
	}
	return list
}

// withUses spells findings and counts of uses.
func withUses(r *scan.Result) string {
	list := lines(r)
	for _, t := range r.Tokens {
		switch {
		case t.Uses == 1:
			list = append(list, "used "+t.Path)
		case t.Uses > 1:
			list = append(list, fmt.Sprintf("used %s x%d", t.Path, t.Uses))
		}
	}
	return strings.Join(list, "|")
}

func TestScan(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rule, file, text, want string }{
		{"a custom property", "a.css", "a { color: var(--color-brand) }", "used color.brand"},
		{"with blanks and a fallback", "a.css", "a { color: var(\n  --color-brnad , red) }", "2:3 unknown --color-brnad -> --color-brand"},
		{"a part of a composite token", "a.css", "a { font-size: var(--type-title-font-size) }", "used type.title"},
		{
			"a letter is missing, added, replaced, or two are swapped", "a.css", "var(--color-bran) var(--color-brandd) var(--color-brond) var(--color-barnd)",
			"1:5 unknown --color-bran -> --color-brand|1:23 unknown --color-brandd -> --color-brand|1:43 unknown --color-brond -> --color-brand|1:62 unknown --color-barnd -> --color-brand",
		},
		{"two slips are another name", "a.css", "var(--color-bradnd2) var(--colour-bran)", ""},
		{"a name in a group of a group", "a.css", "var(--color-text-quiet)", "1:5 unknown --color-text-quiet -> --color-text-muted"},
		{
			"unless it has a fallback", "a.css", "var(--color-text-quiet, red) var(--color-brnad, var(--color-brand, 0))",
			"1:34 unknown --color-brnad -> --color-brand|used color.brand",
		},
		{"a short word is another word", "a.css", "var(--colors-red) var(--space-but) var(--color-lft)", ""},
		{"a name of another library", "a.css", "var(--bs-primary) var(--color-red-500)", ""},
		{"digits are not slips", "a.css", "var(--ratio1) var(--ratio)", "used ratio"},
		{"a declaration is not a use", "a.css", ":root { --color-brand: red; --mine: 1px } @property --other { } a { gap: var(--mine) }", ""},
		{"what the files declare is known", "a.css", "@theme { --color-brnad: red } a { color: var(--color-brnad) }", ""},
		{
			"what Tailwind and scripts ask for", "a.tsx", `<a className="bg-(--color-brnad) bg-[--color-brnad] bg-(color:--color-brnad)"/>; getPropertyValue("--color-brnad")`,
			"1:19 unknown --color-brnad -> --color-brand|1:38 unknown --color-brnad -> --color-brand|1:63 unknown --color-brnad -> --color-brand|1:100 unknown --color-brnad -> --color-brand",
		},
		{"what scripts declare", "a.tsx", `style={{ "--ratoi": 1, ["--ratie" as string]: 2 }}; e.setProperty('--rati', 3); <B --rattio="1"/>; "var(--ratoi) var(--ratie) var(--rati) var(--rattio)"`, ""},
		{"the mere name", "a.ts", `const p: CustomProperty = "--space-button"`, "used space.button"},
		{"a mere name that is unknown may be anything", "a.mdx", "run it with --color-brnad", ""},
		{"the rest is made by a program", "a.tsx", "`var(--color-text-${tone})`; 'var(--color-' + x", ""},
		{"of Sass too", "a.scss", "a { b: var(--color-text-#{$tone}); c: var(--#{$p}color-text) }", ""},

		{
			"a path", "a.ts", `cssVar("color.brand"); token('color.text.muted'); tokens["space.button"]; token("ratio")`,
			"used color.brand|used color.text.muted|used space.button|used ratio",
		},
		{
			"a path that is unknown", "a.ts", "cssVar('color.brnad'); token(`color.text.quiet`); tokens[ 'rato' ]",
			"1:9 unknown color.brnad -> color.brand|1:31 unknown color.text.quiet -> color.text.muted|1:60 unknown rato -> ratio",
		},
		{"a path of another library", "a.ts", `token("colors.red.500"); cssVar("switch"); log("color.brnad"); mytoken("color.brnad")`, ""},
		{"a path by its type", "a.ts", `const p: TokenPath = "color.brand"; const q = "ratio"`, "used color.brand"},

		{
			"a class", "a.html", `<p class="bg-brand hover:text-text-muted/50 -mt-button border-on-brand! rounded-t-button">`,
			"used color.brand|used color.on-brand|used color.text.muted|used space.button|used radius.button",
		},
		{"a class that is unknown", "a.html", `<p class="text-brnad">`, "1:11 unknown text-brnad -> text-brand"},
		{"in a call", "a.tsx", `const a = cn(on && 'bg-brnad')`, "1:21 unknown bg-brnad -> bg-brand"},
		{"behind @apply", "a.css", ".x { @apply flex\n\t\tbg-brnad px-button; }", "2:3 unknown bg-brnad -> bg-brand|used space.button"},
		{"in a directive of Svelte", "a.svelte", `<p class:bg-brnad={on} class:bg-brand={on}>`, "1:10 unknown bg-brnad -> bg-brand|used color.brand"},
		{"a text that is not a class", "a.ts", `open("text-brnad"); import "./bg-brnad"; x = bg-brnad; y = "text-brnad.css"`, ""},
		{"Tailwind's own, near to a token's", "a.html", `<p class="text-left border-gray-500 bg-gray-51">`, ""},
		{"a class of a stylesheet of the files", "a.vue", "<p class=\"text-brnad\"><style>.text-brnad { color: red }</style>", ""},
		{"a property of CSS is not a class", "a.css", "a { text-brnad: left; transition: text-brnad }", ""},
		{
			"a variant", "a.html", `<p class="tablet:flex max-tablet:hidden @tablet:flex">{ tablet: 1 }`,
			"used screen.tablet x3",
		},

		{"a deprecated token", "a.css", "a { color: var(--color-old) }", "1:16 deprecated --color-old|used color.old"},
		{"columns are characters", "a.css", "/* é */ a { content: '日本'; color: var(--color-brnad) }", "1:39 unknown --color-brnad -> --color-brand"},
		{"comments are not read", "a.tsx", "// var(--color-brnad)\n/* var(--color-brnad)\n*/ x = { y /* var(--color-brnad) */ }\nvar(--color-brnad)", "4:5 unknown --color-brnad -> --color-brand"},
		{"comments of markup", "a.html", "<!-- var(--color-brnad)\n\n--> <p style='color: var(--color-brnad)'>", "3:26 unknown --color-brnad -> --color-brand"},
		{"globs and addresses are not comments", "a.ts", `x = "src/*.ts https://a.example/" + 'url(//b) var(--color-brnad)'; // var(--color-brnad)`, "1:51 unknown --color-brnad -> --color-brand"},
		{"a comment that does not end", "a.css", "a {} /* var(--color-brnad)", "1:13 unknown --color-brnad -> --color-brand"},
		{"a line is excused", "a.ts", "x = 'var(--color-brnad)' // livery-ignore\n/* livery-ignore */\ny = 'var(--color-brnad)'\nz = 'var(--color-brnad)'", "4:10 unknown --color-brnad -> --color-brand"},
		{"line breaks of Windows", "a.css", "a {\r\n color: var(--color-brnad);\r\n}\r\n", "2:13 unknown --color-brnad -> --color-brand"},
		{"terminal sequences are no part of a name", "a.css", "var(--color-brnad\x1b[31m)", "1:5 unknown --color-brnad -> --color-brand"},
	} {
		r := scanned(t, sheet(t, ""), scan.Options{}, map[string]string{c.file: c.text})
		if got := withUses(r); got != c.want {
			t.Errorf("%s: scan of %q lists\n%s, want\n%s", c.rule, c.text, got, c.want)
		}
	}
}

// With a prefix, each name that has it is the Theme's.
func TestPrefix(t *testing.T) {
	t.Parallel()
	r := scanned(t, sheet(t, "acme"), scan.Options{}, map[string]string{"a.css": "var(--acme-color-brand) var(--acme-else) var(--color-brand) var(--acmes)"})
	if got := strings.Join(lines(r), "|"); got != "1:29 unknown --acme-else" || r.Uses != 2 {
		t.Errorf("the scan lists %s and counts %d uses", got, r.Uses)
	}
}

// Under Strict a name that the tokens and the files lack is unknown, whatever it is like.
func TestStrict(t *testing.T) {
	t.Parallel()
	files := map[string]string{"a.css": "var(--bs-primary) var(--mine)", "z.scss": ":root { --mine: 1 }"}
	if r := scanned(t, sheet(t, ""), scan.Options{}, files); len(r.Findings) != 0 || r.Foreign != 1 {
		t.Errorf("without Strict: %v, %d foreign", lines(r), r.Foreign)
	}
	if got := lines(scanned(t, sheet(t, ""), scan.Options{Strict: true}, files)); len(got) != 1 || got[0] != "1:5 unknown --bs-primary" {
		t.Errorf("under Strict: %v", got)
	}
}

// TestNamesOfTailwindsTheme: a token that is called as one of Tailwind's theme variables is used by its class.
func TestNamesOfTailwindsTheme(t *testing.T) {
	t.Parallel()
	s := export.Read("", tokentreetest.Parse(t, `{"animate-wiggle":{"$value":"wiggle 1s"},"color-brand":{"$value":"#fff"}}`), nil, "")
	r := scanned(t, s, scan.Options{}, map[string]string{"a.html": `<p class="animate-wiggle animate-spin animate-wigle bg-brand">`})
	if got, want := withUses(r), "1:39 unknown animate-wigle -> animate-wiggle|used animate-wiggle|used color-brand"; got != want {
		t.Errorf("found %s, want %s", got, want)
	}
}

// A token is unused if no file names it, and none of the names whose rest a program makes can be its.
func TestUnused(t *testing.T) {
	t.Parallel()
	r := scanned(t, sheet(t, ""), scan.Options{Unused: true}, map[string]string{
		"a.tsx": "`var(--color-${x})`; cssVar(`type.${y}`); tokens[\"ratio\"]; <p className=\"tablet:p-button\"/>",
		// a copy of the tokens names all of them, and is not read
		"tokens.css": "/* Livery design tokens, format 1 */\n:root {\n --radius-button: 4px; --x: var(--radius-button) }",
		"theme.css":  "/* Theme acme, written by livery pull --format tailwind. Do not edit this file: write it anew. */\n@theme inline reference { --radius-button: var(--radius-button); }",
	})
	if got := strings.Join(lines(r), "|"); got != "0:0 unused radius.button" {
		t.Errorf("unused are %s", got)
	}
	if len(r.Skipped) != 2 || r.Files != 1 || r.Lines != 1 {
		t.Errorf("read %d files and %d lines, skipped %+v", r.Files, r.Lines, r.Skipped)
	}
}

func TestWhichFilesAreRead(t *testing.T) {
	t.Parallel()
	const css = "a { color: var(--color-brnad) }"
	files := map[string]string{
		".gitignore": "# made\ndist/\n/top.css\n*.gen.css\n!kept.gen.css\nmade/**/x.css\n", "packages/.gitignore": "here.css\n",
		"read.css": "", "sub/top.css": "", "kept.gen.css": "", "packages/ui/read.css": "", "made/y.css": "", "dist.css": "", ".storybook/read.css": "",
		"top.css": css, "dist/a.css": css, "sub/dist/a.css": css, "a.gen.css": css, "packages/here.css": css, "packages/ui/here.css": css, "made/a/b/x.css": css,
		"node_modules/a.css": css, ".git/a.css": css, "a.png": css, "a.txt": css, "README.md": css,
		"large.css": strings.Repeat(" ", 2<<20) + css, "binary.css": "\x00" + css,
	}
	r := scanned(t, sheet(t, ""), scan.Options{}, files)
	if len(r.Findings) != 0 || r.Files != 7 || len(r.Skipped) != 2 {
		t.Errorf("%d files are read, skipped %+v, found %+v", r.Files, r.Skipped, r.Findings)
	}
}

// A .gitignore above the start counts, and the start may be a file, which is read although it is left out elsewhere.
func TestStart(t *testing.T) {
	t.Parallel()
	fsys := fstest.MapFS{".gitignore": {Data: []byte("/a/b/no.css")}, "a/b/no.css": {Data: []byte("var(--color-brnad)")}, "a/b/c/yes.css": {Data: []byte("var(--color-brand)")}}
	for start, want := range map[string]int{"a/b": 0, "a/b/no.css": 1} {
		scanner := scan.New(sheet(t, ""), scan.Options{})
		if err := scanner.Add(fsys, start, func(name string) string { return name }); err != nil {
			t.Fatal(err)
		}
		if r := scanner.Result(); len(r.Findings) != want || r.Files != 1 {
			t.Errorf("from %s: %d findings in %d files", start, len(r.Findings), r.Files)
		}
	}
	if err := scan.New(sheet(t, ""), scan.Options{}).Add(fsys, "missing", nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a start that is missing: %v", err)
	}
}

// refusing is a file system that refuses to open what is called secret.
type refusing struct{ fstest.MapFS }

func (r refusing) Open(name string) (fs.File, error) {
	if strings.Contains(name, "secret") {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return r.MapFS.Open(name)
}

func (r refusing) ReadDir(name string) ([]fs.DirEntry, error) {
	if strings.Contains(name, "secret") {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return r.MapFS.ReadDir(name)
}

// What cannot be read is named, and the rest is read.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	fsys := refusing{fstest.MapFS{"a.css": {Data: []byte("var(--color-brnad)")}, "secret.css": {}, "secrets/b.css": {}}}
	scanner := scan.New(sheet(t, ""), scan.Options{})
	if err := scanner.Add(fsys, ".", func(name string) string { return "src/" + name }); err != nil {
		t.Fatal(err)
	}
	r := scanner.Result()
	want := []scan.Skipped{{"src/secret.css", "permission denied", true}, {"src/secrets", "permission denied", true}}
	if len(r.Findings) != 1 || !slices.Equal(r.Skipped, want) {
		t.Errorf("found %v, skipped %+v", lines(r), r.Skipped)
	}
}

// Links are not followed, so that a loop of them ends.
func TestLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	err := errors.Join(
		os.WriteFile(filepath.Join(dir, "a.css"), []byte("var(--color-brand)"), 0o600), os.Symlink(".", filepath.Join(dir, "loop")),
		os.Symlink("a.css", filepath.Join(dir, "b.css")), os.Symlink("missing", filepath.Join(dir, "c.css")))
	if err != nil {
		t.Skip("this system makes no symbolic links:", err)
	}
	scanner := scan.New(sheet(t, ""), scan.Options{})
	if err := scanner.Add(os.DirFS(dir), ".", filepath.ToSlash); err != nil {
		t.Fatal(err)
	}
	if r := scanner.Result(); r.Uses != 1 || r.Files != 1 || len(r.Skipped) != 0 {
		t.Errorf("%d uses in %d files, skipped %+v", r.Uses, r.Files, r.Skipped)
	}
}

// Equal files give equal results.
func TestResultsAreStable(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 300 {
		files[fmt.Sprintf("%d/a%d.css", i%7, i)] = strings.Repeat("var(--color-brnad) var(--color-old)\n", 5)
	}
	first := scanned(t, sheet(t, ""), scan.Options{Unused: true}, files)
	if len(first.Findings) != 300*5*2+11 {
		t.Fatalf("%d findings", len(first.Findings))
	}
	for range 3 {
		if again := scanned(t, sheet(t, ""), scan.Options{Unused: true}, files); fmt.Sprint(again) != fmt.Sprint(first) {
			t.Fatal("the results differ")
		}
	}
}

// sarifLog is what GitHub's documentation asks of a log, and what else is written; other members are refused.
type sarifLog struct {
	Schema  string `json:"$schema"`
	Version string
	Runs    []struct {
		Tool struct {
			Driver struct {
				Name  string
				Rules []struct {
					ID                   string
					ShortDescription     struct{ Text string }
					FullDescription      struct{ Text string }
					Help                 struct{ Text string }
					DefaultConfiguration struct{ Level string }
				}
			}
		}
		ColumnKind string
		Results    []struct {
			RuleID    string
			RuleIndex int
			Level     string
			Message   struct{ Text string }
			Locations []struct {
				PhysicalLocation struct {
					ArtifactLocation struct{ URI string }
					Region           struct{ StartLine, StartColumn, EndColumn int }
				}
			}
		}
	}
}

// The log has what GitHub asks for: each rule is described, each result has a rule and a place, and hostile names are
// escaped.
func TestSARIF(t *testing.T) {
	t.Parallel()
	s := sheet(t, "")
	s.Tokens[0].Location = "acme.tokens.json:3"
	r := scanned(t, s, scan.Options{Unused: true}, map[string]string{"a b/#%\x1b[31m\u202e.css": "\n x: var(--color-brnad); y: var(--color-old)"})
	text, err := r.SARIF()
	if err != nil {
		t.Fatal(err)
	}
	var log sarifLog
	strict := json.NewDecoder(bytes.NewReader(text))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&log); err != nil || log.Version != "2.1.0" || len(log.Runs) != 1 || log.Runs[0].ColumnKind != "unicodeCodePoints" {
		t.Fatalf("%v\n%s", err, text)
	}
	run := log.Runs[0]
	for _, rule := range run.Tool.Driver.Rules {
		if rule.ID == "" || rule.ShortDescription.Text == "" || rule.FullDescription.Text == "" || rule.Help.Text == "" || rule.DefaultConfiguration.Level == "" {
			t.Errorf("a rule is described as %+v", rule)
		}
	}
	var places []string
	for _, result := range run.Results {
		at := result.Locations[0].PhysicalLocation
		if run.Tool.Driver.Rules[result.RuleIndex].ID != result.RuleID || result.Message.Text == "" {
			t.Errorf("a result is %+v", result)
		}
		places = append(places, fmt.Sprintf("%s %s %s %d:%d-%d", result.RuleID, result.Level, at.ArtifactLocation.URI, at.Region.StartLine, at.Region.StartColumn, at.Region.EndColumn))
	}
	const file = "a%20b/%23%25%1B%5B31m%E2%80%AE.css"
	want := []string{
		"unknown-token error " + file + " 2:9-22", "deprecated-token warning " + file + " 2:32-43", "unused-token note acme.tokens.json 3:0-0",
	}
	if !slices.Equal(places, want) || strings.Contains(string(text), "\x1b") {
		t.Errorf("the log has %q, want %q", places, want)
	}
}

// The members of the JSON form are what scripts read.
func TestJSON(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(scanned(t, sheet(t, ""), scan.Options{}, map[string]string{"a.css": "var(--color-brnad)\n", "b.css": "\x00"}))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`{"files":1,"lines":1,"uses":0,"foreign":0,"tokens":[{"path":"color.brand","uses":0},`,
		`"findings":[{"rule":"unknown-token","file":"a.css","line":1,"column":5,"name":"--color-brnad","nearest":"--color-brand","message":"--color-brnad is not a custom property of a token; did you mean --color-brand?"}]`,
		`"skipped":[{"file":"b.css","reason":"it is not text"}]`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %s", text, want)
		}
	}
}

// Whatever a file holds is read, and each finding names what stands in its place.
func TestAnyTextIsRead(t *testing.T) {
	t.Parallel()
	s := sheet(t, "")
	part := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"var(", "--color-brand", "--color-brnad", "bg-brnad", "bg-brand", "class=\"", "\"", "'", "`", "${", "/*", "*/", "//", "<!--", "-->", "\n", "\r\n", " ",
		"color.brand", "cssVar(", "@apply ", ";", "{", "}", "--", "-", ":", "=", "\\", "livery-ignore", "\xff", "é", "(", "[", "tokens[", ")", "as ", "]",
	}))
	text := rapid.Map(rapid.SliceOf(part), func(parts []string) string { return strings.Join(parts, "") })
	rapid.Check(t, func(r *rapid.T) {
		body := text.Draw(r, "text")
		name := rapid.SampledFrom([]string{"a.css", "a.tsx", "a.vue", "a.scss", "a.html"}).Draw(r, "file")
		result := scanned(t, s, scan.Options{Strict: true}, map[string]string{name: body})
		split := strings.Split(body, "\n")
		for _, f := range result.Findings {
			line := []rune(split[f.Line-1])
			if at := string(line[f.Column-1:]); !strings.HasPrefix(at, f.Name) {
				r.Fatalf("%d:%d holds %q, and not %q", f.Line, f.Column, at, f.Name)
			}
		}
	})
}

// A scan allocates for what it finds, not for what it reads: less than a hundredth of the bytes of the files, beside the
// buffers that they are read into.
func TestReadingAllocatesLittle(t *testing.T) {
	const count, size = 64, 512 << 10
	unit := "const Card = () => <p className=\"flex items-center gap-4 bg-brand p-button\" style={{ color: 'var(--color-brand)' }}>text</p>\n"
	text := []byte(strings.Repeat(unit, size/len(unit)))
	fsys := fstest.MapFS{}
	for i := range count {
		fsys[fmt.Sprintf("%d.tsx", i)] = &fstest.MapFile{Data: text}
	}
	scanner := scan.New(sheet(t, ""), scan.Options{})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := scanner.Add(fsys, ".", func(name string) string { return name }); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if r := scanner.Result(); r.Uses != 3*count*(size/len(unit)) {
		t.Fatalf("%d uses", r.Uses)
	}
	most := uint64(count*size/100 + runtime.GOMAXPROCS(0)*(2<<20+1<<16))
	if got := after.TotalAlloc - before.TotalAlloc; got > most {
		t.Errorf("a scan of %d bytes allocates %d, wanted %d at most", count*size, got, most)
	}
}
