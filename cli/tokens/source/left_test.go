package source_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/livery/cli/term"
	"example.com/livery/cli/tokenfile"
	"example.com/livery/cli/tokens/source"
	"example.com/livery/renderer/jsontree"
)

// TestSetsAndModesThatAreLeftOutAreNamed: each with its file, its line and what takes it.
func TestSetsAndModesThatAreLeftOutAreNamed(t *testing.T) {
	t.Parallel()
	const studio = "{\"a\":{\"x\":{\"value\":\"1\",\"type\":\"spacing\"}},\n\"b\":{\"x\":{\"value\":\"2\",\"type\":\"spacing\"}},\n\"c\":{\"y\":{\"value\":\"3\",\"type\":\"spacing\"}},\n" +
		"\"$themes\":[{\"name\":\"Day\",\"selectedTokenSets\":{\"a\":\"enabled\"}}],\"$metadata\":{\"tokenSetOrder\":[\"a\",\"b\",\"c\"]}}"
	const figma = "{\"meta\":{\"variableCollections\":{\"C\":{\"name\":\"Colours\",\"defaultModeId\":\"1:0\",\"modes\":[{\"modeId\":\"1:0\",\"name\":\"Light\"},\n{\"modeId\":\"1:1\",\"name\":\"Dark\"}]}},\n" +
		"\"variables\":{\"V\":{\"name\":\"ink\",\"resolvedType\":\"FLOAT\",\"variableCollectionId\":\"C\",\"valuesByMode\":{\"1:0\":1,\"1:1\":2}}}}}"
	ownExport := map[string]string{
		"light.json": "{\"x\":{\"$value\":1},\n\"$extensions\":{\"com.figma.modeName\":\"Light\"}}",
		"dark.json":  "{\"x\":{\"$value\":2},\n\n\"$extensions\":{\"com.figma.modeName\":\"Dark\"}}",
	}
	folder := map[string]string{"$metadata.json": `{"tokenSetOrder":["a","b/c"]}`, "a.json": `{"x":{"value":"1","type":"spacing"}}`, "b/c.json": `{"y":{"value":"1","type":"spacing"}}`}
	cases := []struct {
		rule    string
		files   map[string]string
		name    string // empty means the folder
		options tokenfile.Options
		want    []string
	}{
		{"sets that --sets does not name", map[string]string{"in.json": studio}, "in.json", tokenfile.Options{Sets: []string{"a"}}, []string{"in.json:2: b: --sets takes it too", "in.json:3: c: --sets takes it too"}},
		{"sets that are not of the theme", map[string]string{"in.json": studio}, "in.json", tokenfile.Options{Mode: "Day"}, []string{"in.json:2: b: --sets", "in.json:3: c: --sets"}},
		{"sets that are files", folder, "", tokenfile.Options{Sets: []string{"a"}}, []string{"b/c.json is not read, and its token set is left out; --sets takes it too"}},
		{"a set that is missing", map[string]string{"in.json": strings.NewReplacer(`["a",`, `["a","gone",`, `{"a":"enabled"}`, `{"a":"enabled","lost":"source","off":"disabled"}`).Replace(studio)}, "in.json", tokenfile.Options{Sets: []string{"a", "b", "c"}}, []string{
			"in.json:4: gone: the tokenSetOrder takes it, and there is no such token set", "in.json:4: lost: the theme Day takes it",
		}},
		{"a member that is not a set", map[string]string{"in.json": strings.Replace(studio, "{", "{\"stray\":\"#fff\",", 1)}, "in.json", tokenfile.Options{}, []string{`in.json:1: stray: "#fff" is left out`}},
		{"modes of a collection of Figma", map[string]string{"in.json": figma}, "in.json", tokenfile.Options{}, []string{"in.json:2: Colours: Light is taken, not Dark (--token-mode)"}},
		{"the mode that is not asked for", map[string]string{"in.json": figma}, "in.json", tokenfile.Options{Mode: "Dark"}, []string{"in.json:1: Colours: Dark is taken, not Light (--token-mode)"}},
		{"files of Figma's own export", ownExport, "", tokenfile.Options{Mode: "Light"}, []string{"dark.json:3: the mode Dark is left out; push it to a Variant with --token-mode Dark"}},
	}
	for _, c := range cases {
		var said bytes.Buffer
		a := &term.App{Err: &said}
		dir := written(t, c.files)
		s, err := source.Theme(a, []string{filepath.Join(dir, c.name)}, c.options)
		if err != nil {
			t.Errorf("%s: %v", c.rule, err)
			continue
		}
		source.Print(a, false, s)
		for _, want := range c.want {
			if !strings.Contains(said.String(), filepath.Join(dir, want)) {
				t.Errorf("%s: said is\n%s\nwant %s in it", c.rule, said.String(), want)
			}
		}
	}
	themes := strings.Replace(studio, `"selectedTokenSets":{`, `"selectedTokenSets":{"b":"enabled",`, 1)
	name := filepath.Join(written(t, map[string]string{"in.json": themes}), "in.json")
	s, _, err := source.OpenSystem(&term.App{}, []string{name}, nil, tokenfile.Options{})
	if err != nil || len(s.Unused) != 1 || s.Unused[0] != "c ("+name+":3)" {
		t.Errorf("of a design system the sets of no theme are %q, %v", s.Unused, err)
	}
}

// TestNoTokenSetOfAFolderIsPassedOver: a file that the order does not name is a set too, and what is none is named.
func TestNoTokenSetOfAFolderIsPassedOver(t *testing.T) {
	t.Parallel()
	dir := written(t, map[string]string{
		"$metadata.json": `{"tokenSetOrder":["core","l","gone",]} // as an editor left it`, "core.json": `{"a":{"value":"1","type":"spacing"}}`, "mode/dark.json": `{"b":{"value":"2","type":"spacing"}}`,
		"notes.json": `{"hello":"world"}`, "broken.json": `{"c":`, "list.yaml": "- {name: d, value: 1px}\n",
		"l.yaml": "c: {value: 1px, type: spacing}\n", "m.json5": "{d: {value: '1px', type: 'spacing'}}", "core.yaml": "e: {value: 1px, type: spacing}\n",
	})
	var said bytes.Buffer
	a := &term.App{Err: &said}
	s, err := source.Theme(a, []string{dir}, tokenfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := pathsOf(s, false); !slices.Equal(got, []string{"a", "c", "e", "d", "b"}) {
		t.Errorf("the tokens are %v, want a to e", got)
	}
	if len(s.Unread) != 2 || s.Unread[0].Path != filepath.Join(dir, "broken.json") || s.Unread[1].Reason != "it is a list of tokens and not a token set; push it beside the folder." {
		t.Errorf("unread are %v, want broken.json and list.yaml", s.Unread)
	}
	source.Print(a, false, s)
	for _, want := range []string{filepath.Join(dir, "$metadata.json") + ": gone: the tokenSetOrder takes it, and there is no such token set", filepath.Join(dir, "notes.json") + ": no $value"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("said is\n%s\nwant %s in it", said.String(), want)
		}
	}
}

// TestSetsOfNoThemeAreNamed: also if no theme takes any, in one file and in a folder, however its path is written.
func TestSetsOfNoThemeAreNamed(t *testing.T) {
	t.Parallel()
	const themes = `[{"name":"X","selectedTokenSets":{"core":"disabled"}},{"name":"Y"},{"name":"Z","selectedTokenSets":5},7]`
	one := filepath.Join(written(t, map[string]string{"in.json": `{"core":{"a":{"value":"1","type":"spacing"}},"$themes":` + themes + `}`}), "in.json")
	folder := written(t, map[string]string{"$metadata.json": `{"tokenSetOrder":["core"]}`, "$themes.json": themes, "core.json": `{"a":{"value":"1","type":"spacing"}}`})
	ofFolder := "core (" + filepath.Join(folder, "core.json") + ":1)"
	for name, want := range map[string]string{one: "core (" + one + ":1)", folder: ofFolder, folder + "/.": ofFolder, "/" + folder + "//": ofFolder} {
		s, defaults, err := source.OpenSystem(&term.App{}, []string{name}, nil, tokenfile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Unused) != 1 || s.Unused[0] != want || len(pathsOf(defaults, false)) > 0 {
			t.Errorf("unused are %q, want %q", s.Unused, want)
		}
	}
}

// TestFilesOfToolsAreNotTokenSets: they are beside themes without an order too.
func TestFilesOfToolsAreNotTokenSets(t *testing.T) {
	t.Parallel()
	const tokens = `{"a":{"value":"1px","type":"spacing"}}`
	dir := written(t, map[string]string{
		"$themes.json": `[{"name":"X","selectedTokenSets":{"core":"enabled"}}]`, "core.json": tokens, "en.json": tokens,
		"package.json": `{"name":"x","version":"1.0.0"}`,
	})
	s, defaults, err := source.OpenSystem(&term.App{}, []string{dir}, nil, tokenfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"en (" + filepath.Join(dir, "en.json") + ":1)"}; !slices.Equal(s.Unused, want) {
		t.Errorf("unused are %q, want %q", s.Unused, want)
	}
	isNamed := func(c source.Concession) bool {
		return c.Path == filepath.Join(dir, "package.json") && c.Message == "it is a file of npm"
	}
	if !slices.ContainsFunc(defaults.Concessions(), isNamed) {
		t.Errorf("said is %v, want package.json in it", defaults.Concessions())
	}
}

// TestAFileWithoutTokensSaysWhatItLacks: to be of the form that it is most like.
func TestAFileWithoutTokensSaysWhatItLacks(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`[{"a":{"$value":1}},{"b":{"$value":2}}]`:                      "the token 0.a stands in an array",
		`{"variables":[{"name":"a","valuesByMode":{"Light":"#fff"}}]}`: "variables of Figma stand in it, and not beside them their collections",
		`{"a":{"b":"c"}}`:                        "no $value stands in it",
		`{"env":{"SECRET":{"value":"s3cr3t"}}}`:  "env.SECRET has a value, and what says that it is a token's is missing",
		`{"l":[{"name":"SECRET","value":"s3"}]}`: "SECRET has a value, and what says that it is a token's is missing",
	} {
		_, err := source.Theme(&term.App{}, []string{filepath.Join(written(t, map[string]string{"in.json": text}), "in.json")}, tokenfile.Options{})
		if err == nil || !strings.Contains(err.Error(), "in.json holds no token: "+want) {
			t.Errorf("of %s: %v, want %s", text, err, want)
		}
	}
	for name, want := range map[string]string{"package.json": "it is a file of npm", "tsconfig.app.json": "it is a file of TypeScript", "pt-BR.json": "by its name it has the texts of a language"} {
		_, err := source.Theme(&term.App{}, []string{filepath.Join(written(t, map[string]string{name: `{"a":{"b":"c"}}`}), name)}, tokenfile.Options{})
		if err == nil || !strings.HasSuffix(err.Error(), name+" holds no token: "+want) {
			t.Errorf("of %s: %v, want %s", name, err, want)
		}
	}
}

// TestAJSONSchemaIsNotTokens: whatever it describes. Beside tokens it is named, and tokens may have one as their $schema.
func TestAJSONSchemaIsNotTokens(t *testing.T) {
	t.Parallel()
	const schema, what = `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"$value":{"type":"string"}}}`, " it is a JSON Schema, which says how files are written"
	dir := written(t, map[string]string{"a.json": `{"$schema":"https://json-schema.org/x","a":{"$value":1}}`, "s.json": schema})
	name := filepath.Join(dir, "s.json")
	for _, isVariant := range []bool{false, true} {
		_, err := source.Read(&term.App{}, isVariant, []string{name}, tokenfile.Options{})
		if want := name + " holds no token:" + what; err == nil || err.Error() != want {
			t.Errorf("Read(Variant %v) = %v, want %s", isVariant, err, want)
		}
		s, err := source.Read(&term.App{}, isVariant, []string{dir}, tokenfile.Options{})
		if err != nil || len(s.Tree.Members) != 1 && isVariant || s.Tree.Find("a") == nil || s.Tree.Find("properties") != nil {
			t.Fatalf("Read(Variant %v) = %v, %v", isVariant, s, err)
		}
		if !slices.ContainsFunc(s.Concessions(), func(c source.Concession) bool { return c.Path == name && " "+c.Message == what }) {
			t.Errorf("Read(Variant %v) said %v", isVariant, s.Concessions())
		}
	}
}

// TestATokenThatAFileMakesAGroupIsNamed: and the tokens of a group that a file makes a token.
func TestATokenThatAFileMakesAGroupIsNamed(t *testing.T) {
	t.Parallel()
	dir := written(t, map[string]string{
		"a.json": "{\"a\":{\"$value\":1},\"b\":{\n\"x\":{\"$value\":2},\n\"y\":{\"$value\":3}}}", "b.json": "{\"a\":{\"n\":{\"$value\":4}},\n\"b\":{\"$value\":5}}",
	})
	first, second := filepath.Join(dir, "a.json"), filepath.Join(dir, "b.json")
	s, err := source.Theme(&term.App{}, []string{first, second}, tokenfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range s.Faults {
		got = append(got, f.Path+" "+f.Reason)
	}
	want := []string{
		"a " + first + ":1: a is a group in " + second + ":1, which counts; rename one of the two, or make the token the $root of the group",
		"b.x " + first + ":2: b is a token in " + second + ":2, which counts; rename one of the two, or make the token the $root of the group",
		"b.y " + first + ":3: b is a token in " + second + ":2, which counts; rename one of the two, or make the token the $root of the group",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the faults are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestATokenThatAModeMakesAGroupIsNotLost: the Theme has it, and so it is with the tokens of a group. What no document
// has is lost, once.
func TestATokenThatAModeMakesAGroupIsNotLost(t *testing.T) {
	t.Parallel()
	const group, token = `{"a":{"$value":1},"b":{"$description":"of b","x":{"$value":2},"y":{"$value":3}}}`, `{"a":{"$value":4},"b":{"$value":5}}`
	for _, c := range []struct {
		base, later, dark, lost string
	}{
		{base: group, later: `{}`, dark: token},
		{base: token, later: `{}`, dark: group},
		{base: group, later: token, dark: token, lost: "b.x b.y"},
		{base: group, later: token, dark: group},
		{base: token, later: group, dark: `{"a":{"$value":6}}`, lost: "b"},
	} {
		dir := written(t, map[string]string{"semantic/color.json": c.base, "semantic/z.json": c.later, "themes/dark.json": c.dark})
		system, theme, err := source.OpenSystem(&term.App{}, []string{dir}, nil, tokenfile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		dark, err := system.Read(map[string]string{system.Dimensions[0].Name: "dark"})
		if err != nil {
			t.Fatal(err)
		}
		system.NameHidden(dark, theme)
		var lost []string
		for _, f := range slices.Concat(dark.Faults, theme.Faults) {
			lost = append(lost, f.Path)
		}
		if got := strings.Join(lost, " "); got != c.lost {
			t.Errorf("of %s, %s and in dark %s lost are %q, want %q", c.base, c.later, c.dark, got, c.lost)
		}
		if said := dark.Concessions(); len(said) > 0 { // the Theme has the description
			t.Errorf("of %s, %s and in dark %s said is %v", c.base, c.later, c.dark, said)
		}
	}
}

// TestWhatIsATokenInOneSetIsOneInAll: in files and folders too, whether all of them count or not; their tokens have one
// name.
func TestWhatIsATokenInOneSetIsOneInAll(t *testing.T) {
	t.Parallel()
	const light, dark = `{"p":{"value":"#000001","type":"color","hover":{"value":"#000002","type":"color"}}}`, `{"p":{"comment":"c","$type":"color","hover":{"value":"#000003","x":{"value":"{p.hover}"}}}}`
	const one = `{"light":` + light + `,"dark":` + dark + `,"$metadata":{"tokenSetOrder":["light","dark"]}}`
	for name, files := range map[string]map[string]string{
		"one file": {"in.json": one}, "files": {"light.json": light, "dark.json": dark},
		"a folder of sets": {"light.json": light, "dark.json": dark, "$metadata.json": `{"tokenSetOrder":["light","dark"]}`},
		"the other way":    {"light.json": dark, "dark.json": light},
	} {
		s, theme, err := source.OpenSystem(&term.App{}, []string{written(t, files)}, nil, tokenfile.Options{})
		if err != nil {
			t.Fatal(name, err)
		}
		mode, err := s.Read(map[string]string{"": "dark"})
		if err != nil {
			t.Fatal(name, err)
		}
		got := append(pathsOf(theme, false), pathsOf(mode, false)...)
		slices.Sort(got)
		if want := []string{"p", "p-hover", "p-hover", "p-hover-x"}; !slices.Equal(got, want) || len(theme.Faults)+len(mode.Faults) > 0 {
			t.Errorf("%s: the tokens are %v, want %v; lost are %v, %v", name, got, want, theme.Faults, mode.Faults)
		}
	}
}

// TestCopiesInAVariantAreNamed: a $ref of a file of overrides into a part of another token has its line too.
func TestCopiesInAVariantAreNamed(t *testing.T) {
	t.Parallel()
	name := filepath.Join(written(t, map[string]string{"dark.json": "{\"a\":{\"$value\":{\"c\":[1]}},\n\"b\":{\"$value\":{\"$ref\":\"#/a/$value/c/0\"}}}"}), "dark.json")
	s, err := source.Variant(&term.App{}, []string{name}, tokenfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []source.Concession{{"values copied from another token", "b", "its $ref copies a part of a: an override of a does not reach it", name + ":2"}}
	if got := s.Concessions(); !slices.Equal(got, want) {
		t.Errorf("Concessions = %v, want %v", got, want)
	}
}

// TestWhatAFormDoesNotReadIsNamed: a token in a place where no reader of its form looks is left out with its line.
func TestWhatAFormDoesNotReadIsNamed(t *testing.T) {
	t.Parallel()
	const figma = `"variableCollections":{"C":{"name":"c","defaultModeId":"m","modes":[{"modeId":"m","name":"M"}]}},"variables":{"V":{"name":"x","resolvedType":"FLOAT","variableCollectionId":"C","valuesByMode":{"m":1}}`
	cases := []struct{ rule, name, text, want string }{
		{"a name with a dollar sign", "in.json", "{\"a\":{\"$value\":1},\"$b\":{\n\"c\":{\"$value\":2}}}", "$b.c :2: its name, or that of its group, begins with $"},
		{"tokens in a member of metadata", "in.json", "{\"a\":{\"$value\":1},\"$deprecated\":{\n\"c\":{\"$value\":2}}}", "$deprecated.c :2: its name, or that of its group, begins with $"},
		{"a definition", "in.json", "{\"a\":{\"$ref\":\"#/$defs/b\"},\"$defs\":{\"b\":{\"$value\":2},\n\"c\":{\"$value\":2}}}", "$defs.c :2: $defs.c: it is left out; only a $ref"},
		{"a copy of a part of another token", "in.json", "{\"a\":{\"$value\":{\"c\":[1]}},\n\"b\":{\"$value\":{\"$ref\":\"#/a/$value/c/0\"}}}", "b :2: b: its $ref copies a part of a: an override of a does not reach it"},
		{"a token inside a token", "in.json", "{\"a\":{\"$value\":1,\n\"b\":{\"$value\":2}}}", "a.b :2: it stands inside the token a"},
		{"a token inside a token of a set", "in.json", "{\"s\":{\"a\":{\"value\":\"1\",\n\"b\":{\"value\":\"2\"}}},\"$themes\":[]}", "a-b :2: a-b: \"a.b\" is \"a-b\" now, in aliases too"},
		{"a mode beside the value of a token", "in.json", "{\"a\":{\"value\":\"#000\",\n\"dark\":{\"value\":\"#fff\"}}}", "a.dark :2: it stands inside the token a"},
		{"a second value", "in.json", "{\"a\":{\"$value\":1},\n\"b\":{\"$value\":2,\"value\":3}}", "b :2: b: its $value 2 is served, and its value is left out: 3"},
		{"a second value in a list", "in.json", "[{\"name\":\"a\",\"value\":1},\n{\"name\":\"b\",\"$value\":2,\"value\":3}]", "b :2: b: its $value 2 is served, and its value is left out: 3"},
		{"a second value of Tokens Studio", "in.json", "{\"s\":{\"a\":{\"value\":1},\n\"b\":{\"$value\":2,\"value\":3}},\"$themes\":[]}", "b :2: b: its $value 2 is served, and its value is left out: 3"},
		{"a second value with a token in it", "in.json", "{\"a\":{\"$value\":1,\"value\":{\n\"b\":{\"$value\":2}}}}", "a.value.b :2: it stands inside the token a"},
		{"an array of tokens", "in.json", "{\"a\":{\"$value\":1},\"b\":[{\"$value\":1},\n{\"$value\":2}]}", "b.1 :2: it stands in an array"},
		{"modes in extensions", "in.json", "{\"a\":{\"$value\":1},\n\"b\":{\"$value\":2,\"$extensions\":{\"mode\":{\"dark\":3}}}}", "b :2: b: {\"default\":2,\"dark\":3}: default is taken, not dark (--token-mode)"},
		{"a default in extensions that is another", "in.json", "{\"a\":{\"$value\":1},\n\"b\":{\"$value\":2,\"$extensions\":{\"mode\":{\"default\":3}}}}", "b :2: b: the $value is taken, not default of $extensions.mode: 3"},
		{"a mode without a name in extensions", "in.json", "{\"a\":{\"$value\":1},\n\"b\":{\"$value\":2,\"$extensions\":{\"mode\":{\"\":3,\"dark\":4}}}}", "b :2: b: the $value is taken, not a mode without a name of $extensions.mode: 3"},
		{"a group beside a list", "in.json", "{\"l\":[{\"name\":\"a\",\"value\":\"1px\"}],\"b\":{\n\"c\":\"#fff\"}}", "b.c :2: it stands beside the lists of tokens"},
		{"an answer of Figma", "in.json", `{"meta":{` + figma + "}},\n\"a\":{\"value\":1}}", "a :2: it stands outside of what is read"},
		{"a variable that is deleted", "in.json", `{"meta":{` + figma + ",\n\"W\":{\"name\":\"y\",\"deletedButReferenced\":true}}}}", "y :2: y: it is left out"},
		{"a document of Theo", "in.json", "{\"global\":{},\"props\":{\"x\":{\"value\":\"1px\"}},\n\"more\":{\"value\":\"2px\"}}", "more :2: it stands outside"},
		{"an export of Tokens Studio", "in.json", "{\"s\":{\"a\":{\"value\":1}},\"$themes\":[],\"$t\":{\n\"b\":{\"value\":1}}}", "$t.b :2: it stands outside"},
		{"css of shadcn's registry", "in.json", "{\"cssVars\":{\"light\":{\"a\":\"#fff\"}},\"css\":{\":root\":{\n\"--b\":\"#000\"}}}", "b :2: it stands in css"},
		{"an initial value that a declaration replaces", "in.css", ":root { --a: 1px }\n@property --a { syntax: '<length>'; inherits: true;\ninitial-value: 2px }", "a :3: a: its initial-value 2px is left out, since it is declared as 1px"},
		{"keyframes of Tailwind", "in.css", "@keyframes x { to { --a: 1 } }\n@theme { --a: 1px;\n@keyframes spin { to { --b: 1 } }\n@keyframes y {} }", "spin :3: spin: keyframes are no tokens"},
		{"a property behind a comment that CSS does not have", "in.css", ":root { --a: 1px; // note --x: 1\n--b: 2px; --c: 3px }", "b :2: it is left out: \"// note --x: 1 --b: 2px\" is one declaration to a browser"},
		{"a property behind a declaration without an end", "in.css", ":root { --a: 1px; color: red\n /* --b: 3px */\n--b: 2px }", "b :3: it is left out: \"color: red --b: 2px\" is one declaration to a browser"},
		{"a property without a colon", "in.css", ":root { --a: 1px;\n--b 2px }", "b :2: it is left out: \"--b 2px\" has no colon; write --b: …;"},
		{"a fallback for a keyword", "in.css", ":root { --d: initial;\n--e: var(--d, 3px) }", "e :2: e: var(--d, 3px): the value after the comma counts"},
		{"a declaration that a later one replaces", "in.css", ":root { --a: 1px;\n--a: 2px }", "a :2: a: 1px in "},
		{"one that another block of the selector replaces", "in.css", ":root { --a: 1px }\n.dark { --a: 3px }\n:root { --a: 2px }", "a :3: a: 1px in "},
		{"one that an important one before it replaces", "in.css", ":root { --a: 1px !important }\n:root { --a: 2px }", "a :1: a: 2px in "},
		{"two custom properties of one name", "in.css", ":root {\n--a-b: 1px;\n--a\\.b: 2px }", "a-b :2: the custom properties --a-b and"},
		{"plain JSON", "in.json", "{\"c\":{\"a\":\"#fff\",\n\"$b\":\"#000\"}}", "c.$b :2: its name"},
		{"a set of a resolver document", "in.json", "{\"version\":\"2025.10\",\"sets\":{\"s\":{\"sources\":[{\"a\":{\"$value\":1}}],\n\"sorces\":[{\"b\":{\"$value\":2}}]}},\"resolutionOrder\":[{\"$ref\":\"#/sets/s\"}]}", "sets.s.sorces.0.b :2: it stands outside"},
		{"beside a reference of a resolver document", "in.json", "{\"version\":\"2025.10\",\"sets\":{\"s\":{\"sources\":[{\"a\":{\"$value\":1}}]}},\"resolutionOrder\":[{\"$ref\":\"#/sets/s\",\n\"x\":{\"c\":{\"$value\":2}}}]}", "resolutionOrder.0.x.c :2: it stands outside"},
		{"a definition of a resolver document", "in.json", "{\"version\":\"2025.10\",\"sets\":{\"s\":{\"sources\":[{\"a\":{\"$value\":1}}]}},\"resolutionOrder\":[{\"$ref\":\"#/sets/s\"}],\"$defs\":{\n\"u\":{\"z\":{\"$value\":2}}}}", "$defs.u.z :2: no $ref leads to this definition"},
		{"a resolver document", "in.json", "{\"resolutionOrder\":[{\"type\":\"set\",\"name\":\"s\",\"sources\":[{\"a\":{\"$value\":1}}]}],\"version\":\"2025.10\",\"more\":{\n\"b\":{\"$value\":1}}}", "more.b :2: it stands outside"},
	}
	for _, c := range cases {
		name := filepath.Join(written(t, map[string]string{c.name: c.text}), c.name)
		s, err := source.Theme(&term.App{}, []string{name}, tokenfile.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.rule, err)
			continue
		}
		var said []string
		for _, f := range s.Faults {
			said = append(said, f.Path+" "+strings.TrimPrefix(f.Reason, name))
		}
		for _, one := range s.Concessions() {
			said = append(said, one.Path+" "+strings.TrimPrefix(one.Location, name)+": "+one.Path+": "+one.Message)
		}
		if !slices.ContainsFunc(said, func(line string) bool { return strings.HasPrefix(line, c.want) }) {
			t.Errorf("%s: of %s named are\n%s\nwant %s", c.rule, c.text, strings.Join(said, "\n"), c.want)
		}
	}
}

// TestListsInGroupsAreRead: and files whose names end as those of other tools do.
func TestListsInGroupsAreRead(t *testing.T) {
	t.Parallel()
	dir := written(t, map[string]string{
		"list.json": `{"data":{"tokens":[{"name":"a","value":"#fff"}]}}`, "b.tokens": `{"b":{"$value":1}}`, "c.JSON": `{"c":{"$value":1}}`,
	})
	s, err := source.Theme(&term.App{}, []string{dir}, tokenfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := pathsOf(s, false); !slices.Equal(got, []string{"b", "c", "a"}) {
		t.Errorf("the tokens are %v, want b, c and a", got)
	}
}

// penpot is a library of tokens as Penpot's export spells it, with each type that it has.
const penpot = `{
"core": {
 "dimension": {"scale": {"$value": "2", "$type": "dimension", "$description": ""}, "sm": {"$value": "4 * {dimension.scale}", "$type": "dimension", "$description": ""}},
 "ink": {"$value": "#112233", "$type": "color", "$description": "text"},
 "turn": {"$value": "45", "$type": "rotation", "$description": ""},
 "gap": {"$value": "{dimension.sm}", "$type": "spacing", "$description": ""},
 "box": {"$value": "10", "$type": "sizing", "$description": ""},
 "corner": {"$value": "8px", "$type": "borderRadius", "$description": ""},
 "line": {"$value": "1", "$type": "borderWidth", "$description": ""},
 "size": {"$value": "16", "$type": "fontSizes", "$description": ""},
 "weight": {"$value": "bold", "$type": "fontWeights", "$description": ""},
 "family": {"$value": ["Inter", "sans-serif"], "$type": "fontFamilies", "$description": ""},
 "track": {"$value": "2%", "$type": "letterSpacing", "$description": ""},
 "case": {"$value": "uppercase", "$type": "textCase", "$description": ""},
 "line-through": {"$value": "underline", "$type": "textDecoration", "$description": ""},
 "half": {"$value": "50%", "$type": "opacity", "$description": ""},
 "count": {"$value": "3", "$type": "number", "$description": ""},
 "on": {"$value": "true", "$type": "boolean", "$description": ""},
 "title": {"$value": {"fontFamilies": ["Inter"], "fontSizes": "{size}", "fontWeights": "700", "lineHeights": "120%"}, "$type": "typography", "$description": ""},
 "lift": {"$value": [{"offsetX": "0", "offsetY": "2px", "blur": "4px", "spread": "0", "color": "#00000033", "inset": "true"}], "$type": "shadow", "$description": ""},
 "old": {"$value": [{"x": 5, "y": 5, "spread": 3, "color": "rgba({ink}, 0.15)", "blur": 5, "inset": true}], "$type": "boxShadow", "$description": ""}
},
"mode/light": {"bg": {"$value": "#ffffff", "$type": "color", "$description": ""}},
"mode/dark": {"bg": {"$value": "{ink}", "$type": "color", "$description": ""}},
"$themes": [
 {"id": "1", "name": "Light", "group": "mode", "isSource": false, "selectedTokenSets": {"core": "enabled", "mode/light": "enabled"}},
 {"id": "2", "name": "Dark", "group": "mode", "isSource": false, "selectedTokenSets": {"core": "enabled", "mode/dark": "enabled"}}
],
"$metadata": {"tokenSetOrder": ["core", "mode/light", "mode/dark"], "activeThemes": ["mode/Light"], "activeSets": ["core", "mode/light"]}
}`

// TestPenpotIsReadWhole: its one file and its folder, which is the archive of its other export unpacked, are one
// document with one dimension, and nothing of them is read otherwise than it is written.
func TestPenpotIsReadWhole(t *testing.T) {
	t.Parallel()
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(penpot), &members); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for name, text := range members {
		files[name+".json"] = string(text)
	}
	const want = `{"dimension":{"scale":{"$type":"dimension","$value":"2px"},"sm":{"$type":"dimension","$value":"8px"}},"ink":{"$type":"color","$value":"#112233","$description":"text"}`
	folder := written(t, files)
	for rule, name := range map[string]string{"one file": filepath.Join(written(t, map[string]string{"tokens.json": penpot}), "tokens.json"), "a folder": folder} {
		var said bytes.Buffer
		a := &term.App{Err: &said}
		system, s, err := source.OpenSystem(a, []string{name}, nil, tokenfile.Options{})
		if err != nil {
			t.Errorf("%s: %v", rule, err)
			continue
		}
		if list := s.Concessions(); len(list)+len(s.Faults)+len(s.Unapplied) > 0 || len(pathsOf(s, false)) != 21 {
			t.Errorf("%s: %d tokens are read, with %v, %v", rule, len(pathsOf(s, false)), list, s.Faults)
		}
		dark, err := system.Read(map[string]string{"mode": "Dark"})
		if err != nil || len(system.Dimensions) != 1 || string(jsontree.Append(nil, dark.Tree.Find("bg").Find("$value"))) != `"{ink}"` {
			t.Errorf("%s: the modes are %v, the dark one %v, %v", rule, system.Dimensions, dark, err)
		}
		if text := string(jsontree.Append(nil, s.Tree)); !strings.HasPrefix(text, want) ||
			!strings.Contains(text, `"turn":{"$type":"number","$value":"45"`) ||
			!strings.Contains(text, `"title":{"$type":"typography","$value":{"fontFamily":["Inter"],"fontSize":"{size}","fontWeight":"700","lineHeight":"1.2"}`) ||
			!strings.Contains(text, `"inset":true}]},"old"`) {
			t.Errorf("%s: the document is %s", rule, text)
		}
		source.PrintForms(a, s)
		if text := said.String(); rule == "one file" && !strings.Contains(text, "its $metadata has active sets and themes, as Penpot writes them") {
			t.Errorf("%s is recognised as %s", rule, text)
		}
	}
}

// TestSetsOfModesAreNamed: the table of a design system has the token sets of the Theme, and a line those of Variants.
func TestSetsOfModesAreNamed(t *testing.T) {
	t.Parallel()
	const set = `{"a":{"value":"#fff","type":"color"},"b":{"value":"{a}","type":"color"}}`
	name := filepath.Join(written(t, map[string]string{"in.json": `{"core":{"a":{"value":"#000","type":"color"}},"light":` + set + `,"dark":` + set + `,"hc":` + set + `}`}), "in.json")
	var said bytes.Buffer
	a := &term.App{Err: &said}
	system, theme, err := source.OpenSystem(a, []string{name}, nil, tokenfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var modes []*source.Sources
	for _, mode := range system.Dimensions[0].Modes[1:] {
		read, err := system.Read(map[string]string{"": mode})
		if err != nil {
			t.Fatal(err)
		}
		modes = append(modes, read)
	}
	source.Print(a, false, theme, modes...)
	for _, want := range []string{"an export of Tokens Studio, of 4 token sets.", "2 token sets of Tokens Studio in " + name, "Note: the Variants are made with 2 more token sets of " + name + ": dark, hc."} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("said is\n%s\nwant %s in it", said.String(), want)
		}
	}
}
