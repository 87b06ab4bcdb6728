package source_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/livery/cli/term"
	"example.com/livery/cli/tokenfile"
	"example.com/livery/cli/tokens/source"
	"example.com/livery/cli/tokens/validate"
	_ "example.com/livery/internal/test/sameseed" // make fuzz draws others
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// input is a file whose tokens stand each on lines of its own.
type input struct {
	name, text string
	tokens     map[int]string // line on which a token begins -> its path, without the name of its set
	isVariant  bool
	byPath     map[string][]int
}

// lines are those of the tokens by their paths.
func (in *input) lines() map[string][]int {
	if in.byPath == nil {
		in.byPath = map[string][]int{}
		for line, path := range in.tokens {
			in.byPath[path] = append(in.byPath[path], line)
		}
	}
	return in.byPath
}

// lost lists the tokens of a file that are neither in the document that is made of it nor named with their lines.
func lost(t fatal, in input) []string {
	list, err := lostOf(t, in)
	if err != nil {
		t.Fatalf("%s: %v", in.text, err)
	}
	return list
}

// lostOf is lost, or the reason for which the whole file is refused.
func lostOf(t fatal, in input) (list []string, err error) {
	dir, err := os.MkdirTemp("", "whole")
	if err != nil {
		t.Fatalf("%v", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	name := filepath.Join(dir, in.name)
	if err := os.WriteFile(name, []byte(in.text), 0o600); err != nil {
		t.Fatalf("%v", err)
	}
	var said bytes.Buffer
	a := &term.App{Err: &said}
	s, err := source.Read(a, in.isVariant, []string{name}, tokenfile.Options{})
	if err != nil {
		return nil, err
	}
	source.Print(a, true, s)
	source.PrintUnapplied(a, true, s)
	validate.PrintDropped(a, s.Faults, true)
	tokens := maps.Clone(in.tokens)
	for line := range located(said.String()) {
		delete(tokens, line)
	}
	var elsewhere []string // tokens under other names than the file has
	for _, path := range pathsOf(s, in.isVariant) {
		if before := len(tokens); !in.remove(tokens, path) && before > 0 {
			elsewhere = append(elsewhere, path)
		}
	}
	for _, path := range elsewhere {
		for line := range located(s.TokenLocation(path)) {
			delete(tokens, line)
		}
	}
	for line, path := range tokens {
		list = append(list, fmt.Sprintf("line %d: %s", line, path))
	}
	slices.Sort(list)
	if len(list) > 0 {
		list = append(list, said.String())
	}
	return list, nil
}

// remove takes the tokens of a path, and references to groups above it, out of those that are looked for. It reports
// whether the file itself has the path.
func (in *input) remove(tokens map[int]string, path string) bool {
	for cut := len(path); cut >= 0; cut = strings.LastIndexByte(path[:cut], '.') {
		for _, line := range in.lines()[path[:cut]] {
			delete(tokens, line)
		}
	}
	return len(in.lines()[path]) > 0
}

type fatal interface {
	Fatalf(format string, args ...any)
}

// pathsOf lists the tokens or the overrides that were made of files.
func pathsOf(s *source.Sources, isVariant bool) (paths []string) {
	if isVariant {
		for _, m := range s.Tree.Members {
			paths = append(paths, m.Name)
		}
		return paths
	}
	d := dtcg.Read(s.Tree)
	for i := range d.Tokens {
		paths = append(paths, d.Tokens[i].Path)
	}
	return paths
}

var place = regexp.MustCompile(`/in\.\w+:(\d+)`)

// located lists the lines of the file that a text names.
func located(text string) map[int]bool {
	lines := map[int]bool{}
	for _, m := range place.FindAllStringSubmatch(text, -1) {
		line, _ := strconv.Atoi(m[1])
		lines[line] = true
	}
	return lines
}

// lineWriter writes a file line by line.
type lineWriter struct {
	strings.Builder
	line   int
	tokens map[int]string
}

func (w *lineWriter) put(format string, args ...any) {
	fmt.Fprintf(w, format+"\n", args...)
	w.line++
}

// token writes the line of a token.
func (w *lineWriter) token(path []string, format string, args ...any) {
	w.tokens[w.line+1] = strings.Join(path, ".")
	w.put(format, args...)
}

var (
	awkwardNames  = []string{"a", "b", "c-d", "value", "type", "a.b", "comment", "description", "light", "dark", "0.5", "é", " x ", "sets", "name", "ref", "x/y", "props", "$x", "a{b", "a}b"}
	awkwardValues = []string{
		`"#fff"`, `"4px"`, `1.5`, `0`, `"x"`, `"{a}"`, `"{nope.b}"`, `["Inter","x"]`, `true`, `null`, `{}`, `[]`, `""`,
		`{"colorSpace":"srgb","components":[0,0.5,1]}`, `{"value":4,"unit":"rem"}`, `{"light":"#fff","dark":"#000"}`, `{"x":"1px","y":"2px","blur":"3px","color":"#000"}`,
	}
	awkwardTypes = []string{"", "color", "dimension", "spacing", "number", "boxShadow", "nope"}
)

// spelledJSON is a form of JSON: how one token is written, and what stands around all of them.
type spelledJSON struct {
	name   string
	token  func(t *rapid.T, value string) string
	before string
	after  string
	isFlat bool // the tokens stand in no groups
	isList bool
	isSet  bool // the first name of each path is that of a set
	values []string
	not    []string // names that make the file one of another form
}

func typed(t *rapid.T, typ string) string {
	if kind := rapid.SampledFrom(awkwardTypes).Draw(t, "type"); kind != "" {
		return fmt.Sprintf(`"%s":"%s",`, typ, kind)
	}
	return ""
}

func dollar(t *rapid.T, value string) string {
	return `{` + typed(t, "$type") + `"$value":` + value + `}`
}

func legacy(t *rapid.T, value string) string {
	return `{` + typed(t, "type") + `"value":` + value + `}`
}

var spellings = []spelledJSON{
	{name: "DTCG", token: dollar, before: `"first":{"$value":1},`},
	{name: "Style Dictionary", token: legacy, before: `"first":{"value":"#fff"},`, not: []string{"sets"}},
	{name: "Tokens Studio", token: legacy, before: `"$metadata":{"tokenSetOrder":["s"]},"$themes":[],"s":{`, after: `}`, isSet: true},
	{name: "Penpot", token: dollar, before: `"$metadata":{"tokenSetOrder":["s"],"activeThemes":[],"activeSets":["s"]},"$themes":[],"s":{`, after: `}`, isSet: true},
	{
		name: "sets without metadata", token: func(_ *rapid.T, value string) string { return `{"type":"spacing","value":` + value + `}` },
		before: `"t":{"u":{"type":"spacing","value":"{only}"},"only":{"type":"spacing","value":"1"}},"s":{`, after: `}`, isSet: true,
	},
	{name: "Spectrum", token: func(t *rapid.T, value string) string {
		if rapid.Bool().Draw(t, "sets") {
			return `{"sets":{"light":{"value":` + value + `},"dark":{"value":"#000"}}}`
		}
		return `{"value":` + value + `}`
	}, before: `"first":{"sets":{"light":{"value":"#fff"},"dark":{"value":"#000"}}},`, isFlat: true},
	{name: "a list", token: legacy, before: `"list":[{"name":"first","value":"#fff"},`, after: `]`, isFlat: true, isList: true},
	{
		name: "plain JSON", token: func(_ *rapid.T, value string) string { return value },
		before: `"first":{"x":"#fff","y":"#ffe","z":"#ffd"},`, not: []string{"value", "sets", "ref", "light", "dark"}, values: []string{`"#abc"`, `"4px"`, `1.5`, `"{first.x}"`, `["Inter","x"]`, `null`, `["#fff"]`, `{"light":"#fff","dark":"#000"}`},
	},
	{name: "Theo", token: legacy, before: `"global":{"type":"color"},"aliases":{"A":"#fff"},"props":{"first":{"value":"{!A}"},`, after: `}`, isFlat: true},
	{
		name: "shadcn's registry", token: func(_ *rapid.T, value string) string { return value },
		before: `"cssVars":{"light":{"first":"#fff",`, after: `}}`, isFlat: true, values: []string{`"#abc"`, `"4px"`, `"var(--first)"`, `"var(--nope)"`, `"initial"`, `""`, `1`, `true`, `null`, `{}`},
	},
}

// document writes a file of the form with random tokens.
func (f *spelledJSON) document(t *rapid.T) input {
	w := &lineWriter{tokens: map[int]string{}}
	w.put("{%s", f.before)
	values := f.values
	if values == nil {
		values = awkwardValues
	}
	allowed := slices.DeleteFunc(slices.Clone(awkwardNames), func(name string) bool { return slices.Contains(f.not, name) })
	var group func(path []string, depth int)
	group = func(path []string, depth int) {
		names := rapid.SliceOfNDistinct(rapid.SampledFrom(allowed), 1, 5, rapid.ID[string]).Draw(t, "names")
		if slices.Contains(path, "value") { // else it may be the value of a token
			if names = slices.DeleteFunc(names, func(name string) bool { return name == "$x" }); len(names) == 0 {
				names = []string{"a"}
			}
		}
		for i, name := range names {
			comma, below := ",", append(path[:len(path):len(path)], name)
			if i == len(names)-1 {
				comma = ""
			}
			if !f.isFlat && depth > 0 && rapid.Bool().Draw(t, "group") {
				w.put("%q: {", name)
				group(below, depth-1)
				w.put("}%s", comma)
				continue
			}
			token := f.token(t, rapid.SampledFrom(values).Draw(t, "value"))
			if !f.isFlat && f.values == nil && !slices.Contains(below, "value") && rapid.IntRange(0, 9).Draw(t, "array") == 0 {
				w.put("%q: [", name)
				w.token(append(below, "0"), `%s,`, token)
				w.token(append(below, "1"), `{"in": %s}]%s`, f.token(t, `"#123"`), comma)
				continue
			}
			if !f.isFlat && f.values == nil && rapid.IntRange(0, 9).Draw(t, "inside") == 0 {
				w.token(below, "%q: %s,", name, strings.TrimSuffix(token, "}"))
				w.token(append(below, "in"), `"in": %s}%s`, f.token(t, `"#123"`), comma)
				continue
			}
			if f.isList {
				w.token(below, `{"name":%q,%s%s`, name, token[1:], comma)
			} else {
				w.token(below, "%q: %s%s", name, token, comma)
			}
		}
	}
	group(nil, 2)
	w.put("%s}", f.after)
	return input{name: "in.json", text: w.String(), tokens: w.tokens}
}

// TestEveryTokenOfAFileIsReadOrNamed: whatever stands in a file of a form, none of its tokens vanishes.
func TestEveryTokenOfAFileIsReadOrNamed(t *testing.T) {
	t.Parallel()
	for _, f := range spellings {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				in := f.document(t)
				list, err := lostOf(t, in)
				if err != nil && !strings.Contains(err.Error(), "holds no token") { // random texts may outnumber what is like tokens
					t.Fatalf("%s: %v", in.text, err)
				}
				if len(list) > 0 {
					t.Fatalf("of\n%s\nthese are lost:\n%s", numbered(in.text), strings.Join(list, "\n"))
				}
			})
		})
	}
}

// TestEveryCustomPropertyIsReadOrNamed: of stylesheets and of flat maps, too.
func TestEveryCustomPropertyIsReadOrNamed(t *testing.T) {
	t.Parallel()
	selectors := rapid.SampledFrom([]string{":root", ".dark", "@theme", `[data-theme="x"]`, "@media print { .a", "@layer base { :root", ":root, .light"})
	names := rapid.SampledFrom([]string{"a", "b", "color-x", "a.b", `a\.b`, "é", "x-*", "value"})
	values := rapid.SampledFrom([]string{"#fff", "4px", "var(--a)", "var(--nope)", "var(--nope, 1px)", "initial", "", "url(x)", "a;b", "{}"})
	rapid.Check(t, func(t *rapid.T) {
		w, declared := &lineWriter{tokens: map[int]string{}}, map[int]string{}
		w.put(":root { --first: #fff;\n}")
		w.line++
		for range rapid.IntRange(1, 4).Draw(t, "blocks") {
			selector := selectors.Draw(t, "selector")
			w.put("%s {", selector)
			for range rapid.IntRange(0, 4).Draw(t, "properties") {
				name := names.Draw(t, "name")
				if selector == ".dark" || selector[0] == '[' || strings.HasPrefix(selector, "@media") { // of another mode, which is named as one
					w.put("--%s: 1px;", name)
					continue
				}
				maps.DeleteFunc(w.tokens, func(line int, _ string) bool { return declared[line] == name }) // the cascade has the last
				w.token([]string{strings.NewReplacer(`\`, "", ".", "-").Replace(name)}, "--%s: %s;", name, values.Draw(t, "value"))
				declared[w.line] = name
			}
			w.put("}%s", strings.Repeat("}", strings.Count(selector, "{")))
		}
		for _, name := range rapid.SliceOfNDistinct(names, 0, 2, rapid.ID[string]).Draw(t, "registered") {
			w.token([]string{strings.NewReplacer(`\`, "", ".", "-").Replace(name)}, "@property --%s { syntax: '*'; initial-value: %s }", name, values.Draw(t, "initial"))
		}
		if list := lost(t, input{name: "in.css", text: w.String(), tokens: w.tokens}); len(list) > 0 {
			t.Fatalf("of\n%s\nthese are lost:\n%s", numbered(w.String()), strings.Join(list, "\n"))
		}
		flat := &lineWriter{tokens: map[int]string{}}
		flat.put("{")
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(awkwardNames), 1, 6, rapid.ID[string]).Draw(t, "names") {
			flat.token([]string{"a." + name}, "%q: %s,", "a."+name, rapid.SampledFrom(awkwardValues).Draw(t, "value"))
		}
		flat.put(`"a.last": 1}`)
		if list := lost(t, input{name: "in.json", text: flat.String(), tokens: flat.tokens, isVariant: true}); len(list) > 0 {
			t.Fatalf("of\n%s\nthese are lost:\n%s", numbered(flat.String()), strings.Join(list, "\n"))
		}
	})
}

func numbered(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = fmt.Sprint(i+1, " ", lines[i])
	}
	return strings.Join(lines, "\n")
}

// TestATokenThatIsNeitherReadNorNamedIsFound: the tests of this file can fail.
func TestATokenThatIsNeitherReadNorNamedIsFound(t *testing.T) {
	t.Parallel()
	in := input{name: "in.json", text: "{\"a\":\n{\"$value\":1},\n\"b\":{\"$value\":2}}", tokens: map[int]string{1: "a", 3: "b", 9: "gone"}}
	if list := lost(t, in); len(list) != 2 || list[0] != "line 9: gone" {
		t.Errorf("lost() = %q, want line 9", list)
	}
}

// TestEveryVariableOfFigmaIsReadOrNamed: of an answer of Figma's interface, whatever its values are.
func TestEveryVariableOfFigmaIsReadOrNamed(t *testing.T) {
	t.Parallel()
	values := rapid.SampledFrom([]string{`{"r":1,"g":0,"b":0,"a":1}`, `4`, `"x"`, `true`, `{"type":"VARIABLE_ALIAS","id":"V:0"}`, `{"type":"VARIABLE_ALIAS","id":"V:99"}`, `null`, `{}`, `[]`})
	types := rapid.SampledFrom([]string{"COLOR", "FLOAT", "STRING", "BOOLEAN", "NOPE"})
	names := rapid.SampledFrom([]string{"a", "a/b", "a/b/c", "x.y", "", "/", "a//b", "value", "$x", " b "})
	collections := rapid.SampledFrom([]string{"C:1", "C:2", "C:9"})
	modes := rapid.SampledFrom([]string{"1:0", "1:1", "7:7"})
	rapid.Check(t, func(t *rapid.T) {
		w := &lineWriter{tokens: map[int]string{}}
		w.put(`{"meta":{"variableCollections":{"C:1":{"name":"One","defaultModeId":"1:0","modes":[{"modeId":"1:0","name":"Light"},{"modeId":"1:1","name":"Dark"}]},` +
			`"C:2":{"name":"Two","defaultModeId":"1:0","modes":[{"modeId":"1:0","name":"Only"}]}},"variables":{`)
		for i := range rapid.IntRange(1, 8).Draw(t, "variables") {
			w.token([]string{fmt.Sprint("variable ", i)}, `"V:%d":{"name":%q,"resolvedType":%q,"variableCollectionId":%q,"valuesByMode":{%q:%s},"remote":%v,"deletedButReferenced":%v},`, i,
				names.Draw(t, "name"), types.Draw(t, "type"), collections.Draw(t, "collection"), modes.Draw(t, "mode"), values.Draw(t, "value"), rapid.Bool().Draw(t, "remote"), rapid.IntRange(0, 5).Draw(t, "deleted") == 0)
		}
		w.put(`"V:100":{"name":"last","resolvedType":"FLOAT","variableCollectionId":"C:2","valuesByMode":{"1:0":1}}}}}`)
		if list := lost(t, input{name: "in.json", text: w.String(), tokens: w.tokens}); len(list) > 0 {
			t.Fatalf("of\n%s\nthese are lost:\n%s", numbered(w.String()), strings.Join(list, "\n"))
		}
	})
}

// TestEveryTextOfSeveralFilesIsReadOrNamed: not only tokens, but also what files say beside them, as they become one document.
func TestEveryTextOfSeveralFilesIsReadOrNamed(t *testing.T) {
	t.Parallel()
	names := rapid.SampledFrom([]string{"a", "b", "c"})
	metadata := rapid.SampledFrom([]string{"$description", "$deprecated", "$extensions", "$comment", "comment", "note"})
	rapid.Check(t, func(t *rapid.T) {
		files, texts := map[string]string{}, []string{}
		text := func() string {
			texts = append(texts, fmt.Sprintf("text-%d.", len(texts)))
			return texts[len(texts)-1]
		}
		beside := func() string {
			var b strings.Builder
			for _, name := range rapid.SliceOfNDistinct(metadata, 0, 2, rapid.ID[string]).Draw(t, "metadata") {
				if value := strconv.Quote(text()); name == "$extensions" {
					fmt.Fprintf(&b, "%q:{\"x\":%s},", name, value)
				} else {
					fmt.Fprintf(&b, "%q:%s,", name, value)
				}
			}
			return b.String()
		}
		var group func(depth int) string
		group = func(depth int) string {
			members := []string{beside() + `"$type":"string"`}
			for _, name := range rapid.SliceOfNDistinct(names, 1, 3, rapid.ID[string]).Draw(t, "names") {
				switch kind := rapid.IntRange(0, 3).Draw(t, "kind"); {
				case kind > 1 && depth > 0:
					members = append(members, fmt.Sprintf("%q:{%s}", name, group(depth-1)))
				case kind > 0:
					members = append(members, fmt.Sprintf("%q:{%s\"$value\":%q}", name, beside(), text()))
				default:
					members = append(members, fmt.Sprintf(`%q:{%s"$ref":"#/$defs/%s"}`, name, beside(), names.Draw(t, "definition")))
				}
			}
			return strings.Join(members, ",\n") + "\n"
		}
		for i := range rapid.IntRange(1, 3).Draw(t, "files") {
			definition := `"$defs":{"d":{"$value":1}`
			for _, name := range []string{"a", "b", "c"} {
				definition += fmt.Sprintf(`,%q:{"$type":"string","$value":%q}`, name, text())
			}
			files[fmt.Sprintf("in%d.json", i)] = "{" + definition + "},\n\"first\":{\"$value\":1},\n" + group(2) + "}"
		}
		if gone := unsaid(t, files, texts); len(gone) > 0 {
			t.Fatalf("of %v these are neither read nor named: %q", files, gone)
		}
	})
}

// unsaid lists the texts that are neither in the document of files nor named.
func unsaid(t *rapid.T, files map[string]string, texts []string) (list []string) {
	dir, err := os.MkdirTemp("", "whole")
	if err != nil {
		t.Fatalf("%v", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatalf("%v", err)
		}
	}
	var said bytes.Buffer
	a := &term.App{Err: &said}
	s, err := source.Theme(a, []string{dir}, tokenfile.Options{})
	if err != nil {
		t.Fatalf("%v: %v", files, err)
	}
	source.Print(a, true, s)
	source.PrintUnapplied(a, true, s)
	validate.PrintDropped(a, s.Faults, true)
	said.Write(jsontree.Append(nil, s.Tree))
	for name, text := range files {
		for i, line := range strings.Split(text, "\n") {
			for _, word := range texts {
				place := fmt.Sprintf("%s:%d", name, i+1)
				if strings.Contains(line, word) && !strings.Contains(said.String(), word) && !regexp.MustCompile(place+`\b`).MatchString(said.String()) {
					list = append(list, place+": "+word)
				}
			}
		}
	}
	return list
}
