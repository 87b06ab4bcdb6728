package source_test

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/livery/cli/term"
	"example.com/livery/cli/tokenfile"
	"example.com/livery/cli/tokens/source"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// TestFoldersArePushedAsTheyCome: those of packages, whose files are of several kinds.
func TestFoldersArePushedAsTheyCome(t *testing.T) {
	t.Parallel()
	const manifest = `{"name":"x","version":"1.0.0"}`
	cases := []struct {
		rule  string
		files map[string]string
		want  string // the tree
		said  string // stands in what is said; empty if nothing is
	}{
		{
			"stylesheets beside a package's own files",
			map[string]string{"package.json": manifest, "x.css": ":where(:root), :host { --a: 1px }", "reset.css": "p { margin: 0 }"},
			`{"a":{"$value":"1px"}}`, "files without tokens",
		},
		{
			"the plan of a push, which is none of the tokens",
			map[string]string{"a.json": `{"a":{"$value":1}}`, "b.yaml": "b: {$value: 2}", "livery.yaml": "files: [.]"},
			`{"a":{"$value":1},"b":{"$value":2}}`, "",
		},
		{
			"properties of another stylesheet",
			map[string]string{"1.css": ":root { --a: var(--b); --c: var(--none) }", "2.css": ":root { --b: 1px }"},
			`{"a":{"$value":"{b}"},"b":{"$value":"1px"}}`, "\nc: ",
		},
		{
			"properties of another stylesheet that it gives no value",
			map[string]string{"1.css": ":root { --a: var(--b, 1px); --c: var(--d, 2px); --e: var(--d) }", "2.css": ":root { --b: initial }\n.dark { --d: 3px }"},
			`{"a":{"$value":"1px"},"c":{"$value":"2px"},"e":{"$value":"{d}"}}`, "references to properties that a browser gives no value",
		},
		{
			"lists of selectors below a condition, and values on several lines",
			map[string]string{"1.css": ":root, .light { --a: 1px; --s: 0 0\n\t1px red }\n@media print { :root, .light { --a: 2px } }"},
			`{"a":{"$value":"1px"},"s":{"$value":"0 0 1px red"}}`, "custom properties of other modes",
		},
		{
			"a token that is a group in another file",
			map[string]string{"1.json": `{"a":{"$value":1},"b":{"$value":1}}`, "2.json": `{"a":{"c":{"$value":2}}}`},
			`{"a":{"c":{"$value":2}},"b":{"$value":1}}`, "\na: ",
		},
		{
			"files of modes without --variants auto",
			map[string]string{"day.json": `{"a":{"$value":1}}`, "night.json": `{"a":{"$value":2}}`},
			`{"a":{"$value":2}}`, "the modes day, night of the same tokens stand in files of their own",
		},
		{
			"types without a value in plain JSON",
			map[string]string{"a.json": `{"a":{"c":"#fff"},"b":{"$extensions":{},"type":"spacing"},"d":{"type":"disc"}}`},
			`{"a":{"c":{"$value":"#fff"}},"d":{"type":{"$value":"disc"}}}`, "a.json:1: b: it has the type",
		},
		{
			"plain JSON in several files",
			map[string]string{"a.json": `{"a":"#fff"}`, "shadow.json": `{"s":"0 1px 2px red;"}`, "z.json": `{"z-index-top":9}`, "tsconfig.json": `{"include":["src"],"strict":true}`},
			`{"a":{"$value":"#fff"},"s":{"$value":"0 1px 2px red"},"z-index-top":{"$value":9}}`, "ends of declarations behind values",
		},
	}
	for _, c := range cases {
		dir := written(t, c.files)
		var said bytes.Buffer
		a := &term.App{Err: &said}
		s, err := source.Theme(a, []string{dir}, tokenfile.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.rule, err)
			continue
		}
		source.Print(a, false, s)
		for _, f := range s.Faults {
			a.Warn("%s: %s", f.Path, f.Reason)
		}
		if got := string(jsontree.Append(nil, s.Tree)); got != c.want {
			t.Errorf("%s: the tree is %s, want %s", c.rule, got, c.want)
		}
		if !strings.Contains("\n"+said.String(), c.said) || c.said == "" && said.Len() > 0 {
			t.Errorf("%s: said is\n%s\nwant %q in it", c.rule, said.String(), c.said)
		}
	}
}

func TestWhatHasNoTokensForTheThemeIsRefused(t *testing.T) {
	t.Parallel()
	cases := []struct {
		rule  string
		files map[string]string
		want  string
		next  string // part of what to do
	}{
		{"modes alone", map[string]string{"a.css": ".dark { --a: 1px } .x { --a: 2px }"}, "the files hold tokens of modes alone: dark, x", ""},
		{"programs beside other files", map[string]string{"package.json": "{}", "index.js": "export default {}"}, "the folder DIR holds no file of tokens, but DIR/index.js, which is a program", ""},
		{"no file of any kind", map[string]string{"README.md": ""}, "the folder DIR holds no file whose name ends in", "holds some."},
		{"hidden files", map[string]string{".a.json": `{"a":{"$value":1}}`}, "the folder DIR holds no file whose name ends in", "read only if they are named themselves."},
		{"packages of others", map[string]string{"node_modules/a/a.json": `{"a":{"$value":1}}`}, "the folder DIR holds no file whose name ends in", "read only if they are named themselves."},
		{"a program in TypeScript", map[string]string{"index.ts": "export default {}"}, "the folder DIR holds no file of tokens, but DIR/index.ts, which is a program", ""},
	}
	for _, c := range cases {
		dir := written(t, c.files)
		_, err := source.Theme(&term.App{}, []string{dir}, tokenfile.Options{})
		if err == nil || !strings.HasPrefix(err.Error(), strings.ReplaceAll(c.want, "DIR", dir)) {
			t.Errorf("%s: %v, want %s", c.rule, err, c.want)
		}
		if next := term.Explain(err).Next; err != nil && !strings.HasSuffix(next, c.next) {
			t.Errorf("%s: the advice is %s, want %s at its end", c.rule, next, c.next)
		}
		if said := term.Explain(err); err != nil && strings.Contains(said.Next, "import(") && !strings.Contains(said.Next, `import("`+filepath.Join(dir, "index.js")+`")`) {
			t.Errorf("%s: the advice is %s", c.rule, said.Next)
		}
	}
}

// TestAProgramBesideTokensSaysHowToReadIt: in a folder and if it is named.
func TestAProgramBesideTokensSaysHowToReadIt(t *testing.T) {
	t.Parallel()
	dir := written(t, map[string]string{"a.json": `{"a":{"$value":1}}`, "b.scss": "", "c.ts": ""})
	s, err := source.Theme(&term.App{}, []string{dir}, tokenfile.Options{})
	if err != nil || len(s.Notes()) != 1 || !strings.Contains(s.Notes()[0], "(npx tsx -e ") {
		t.Errorf("Theme(the folder) = %v, notes %q", err, s.Notes())
	}
	s, err = source.Theme(&term.App{}, []string{filepath.Join(dir, "a.json"), filepath.Join(dir, "c.ts")}, tokenfile.Options{})
	if err != nil || len(s.Unread) != 1 || !strings.Contains(s.Unread[0].Reason, ": npx tsx -e ") {
		t.Errorf("Theme(the files) = %v, unread %v", err, s.Unread)
	}
}

// TestWhatIsNotAFileIsNotRead: a read of it may never end. In a folder it is named, and named itself it is refused.
func TestWhatIsNotAFileIsNotRead(t *testing.T) {
	t.Parallel()
	dir := written(t, map[string]string{"a.json": `{"a":{"$value":1}}`})
	socket := filepath.Join(dir, "b.json")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Skip(err) // the folder has a long name, or the system no sockets in files
	}
	defer l.Close()
	s, err := source.Theme(&term.App{}, []string{dir}, tokenfile.Options{})
	if err != nil || len(s.Notes()) != 1 || !strings.Contains(s.Notes()[0], "are not read: "+socket) {
		t.Errorf("Theme(the folder) = %v, notes %q", err, s.Notes())
	}
	_, err = source.Theme(&term.App{}, []string{socket}, tokenfile.Options{})
	if want := socket + " cannot be read: it is a pipe, a socket or a device"; err == nil || err.Error() != want {
		t.Errorf("Theme(the socket) = %v, want %s", err, want)
	}
}

// TestAFileOfAModeMayUseItsSelector: the file is named by the mode, and so is the selector in it.
func TestAFileOfAModeMayUseItsSelector(t *testing.T) {
	t.Parallel()
	dir := written(t, map[string]string{"amber.css": ":root { --a: #fff }", "amber-dark.css": ".dark { --a: #000 }"})
	system, s, err := source.OpenSystem(&term.App{}, []string{dir}, nil, tokenfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	dark, err := system.Read(map[string]string{"": "dark"})
	if err != nil || string(jsontree.Append(nil, dark.Tree)) != `{"a":{"$value":"#000"}}` || string(jsontree.Append(nil, s.Tree)) != `{"a":{"$value":"#fff"}}` {
		t.Errorf("the Theme is %s, the mode %v, %v", jsontree.Append(nil, s.Tree), dark, err)
	}
}

// TestAModeTakesWhatItsPartsSay: also those in other files, and in one that is called as its mode.
func TestAModeTakesWhatItsPartsSay(t *testing.T) {
	t.Parallel()
	dir := written(t, map[string]string{
		"core.css": ":root { --a: 1px; --b: 1px; --c: 1px }", "dark.class.css": ".ui-dark { --a: 2px; --d: 2px }", "hc.class.css": ".ui-hc { --b: 3px }",
		"hc-dark.class.css": ".ui-hc.ui-dark { --c: var(--d) }", "table.css": "table { --t: 1px } td { --u: var(--t, 2px) }",
	})
	system, _, err := source.OpenSystem(&term.App{}, []string{dir}, nil, tokenfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for mode, want := range map[string]string{
		"ui-dark":       `{"a":{"$value":"2px"},"b":{"$value":"1px"},"c":{"$value":"1px"},"d":{"$value":"2px"}}`,
		"td":            `{"a":{"$value":"1px"},"b":{"$value":"1px"},"c":{"$value":"1px"},"u":{"$value":"{t}"}}`, // it may stand in a table
		"ui-hc-ui-dark": `{"a":{"$value":"2px"},"b":{"$value":"3px"},"c":{"$value":"{d}"},"d":{"$value":"2px"}}`,
	} {
		read, err := system.Read(map[string]string{"": mode})
		if err != nil || string(jsontree.Append(nil, read.Tree)) != want {
			t.Errorf("Read(%s) = %s, %v, want %s", mode, jsontree.Append(nil, read.Tree), err, want)
		}
	}
}

// TestSelectorsOfAllStylesheetsTellTheModes: of files that are read together, and of one.
func TestSelectorsOfAllStylesheetsTellTheModes(t *testing.T) {
	t.Parallel()
	cases := []struct {
		rule  string
		files map[string]string
		modes string
		hint  tokenfile.Hint // of the last
	}{
		{"classes that begin alike", map[string]string{"a.css": ".s { --b: 1px }", "d.css": ".s--dark { --a: #000 }", "g.css": ".s--large { --c: 2px }", "l.css": ".s--light { --a: #fff }", "m.css": ".s--medium { --c: 1px }"}, " dark large", tokenfile.Hint{}},
		{"a grid", map[string]string{"x.css": "[data-t=light][data-b=x] { --a: 1px } [data-t=dark][data-b=x] { --a: 2px }", "y.css": "[data-t=light][data-b=y] { --a: 3px } [data-t=dark][data-b=y] { --a: 4px }"}, " dark y dark-y", tokenfile.Hint{Attribute: "t", IsJoint: true}},
		{"light in a dark system", map[string]string{"a.css": ":root { --a: 1px } @media (prefers-color-scheme: dark) { :root { --a: 2px } [data-mode=light] { --a: 1px } }"}, " dark", tokenfile.Hint{When: "(prefers-color-scheme: dark)", OfRoot: true}},
		{"commas in brackets", map[string]string{"a.css": ":root { --a: 1px } :is(.dark, .x) :where(.r:not(.light, .y)) { --a: 2px }"}, " .dark :where(.r:not(.light, .y)) .x :where(.r:not(.light, .y))", tokenfile.Hint{}},
		{"themes of daisyUI", map[string]string{"a.css": `@plugin "daisyui/theme" { name: "day"; default: true; --a: #fff }` + "\n" + `@plugin "daisyui/theme" { name: "acme"; default: false; prefersdark: true; --a: #000 }`}, " acme", tokenfile.Hint{Attribute: "theme", When: "(prefers-color-scheme: dark)"}},
	}
	for _, c := range cases {
		system, s, err := source.OpenSystem(&term.App{}, []string{written(t, c.files)}, nil, tokenfile.Options{})
		if err != nil {
			t.Fatal(c.rule, err)
		}
		d := system.Dimensions[0]
		if got := strings.Join(d.Modes, " "); got != c.modes || d.Hints[d.Modes[len(d.Modes)-1]] != c.hint || len(s.Faults) > 0 {
			t.Errorf("%s: the modes are %s, the last with %+v, want %s with %+v; faults %v", c.rule, got, d.Hints, c.modes, c.hint, s.Faults)
		}
	}
}

// TestFilesNamedByAModeAreItsModes: whatever comes after "mode" is the name of one, and the file without it is the
// default.
func TestFilesNamedByAModeAreItsModes(t *testing.T) {
	t.Parallel()
	dir := written(t, map[string]string{
		"light-ink.json": `{"c":{"$value":1}}`, "dark-ink.json": `{"c":{"$value":2}}`,
		"ui-theme.json": `{"a":{"$value":1},"b":{"$value":1}}`, "ui-theme-mode-x-large.json": `{"a":{"$value":2}}`, "ui_theme_mode_dark.json": `{"b":{"$value":3}}`,
	})
	system, s, err := source.OpenSystem(&term.App{}, []string{dir}, nil, tokenfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := string(jsontree.Append(nil, s.Tree)); got != `{"a":{"$value":1},"b":{"$value":1},"c":{"$value":1}}` {
		t.Errorf("the Theme is %s", got)
	}
	var modes []string
	for _, d := range system.Dimensions {
		modes = append(modes, d.Modes...)
	}
	slices.Sort(modes)
	if !slices.Equal(modes, []string{"", "", "dark", "dark", "light", "x-large"}) {
		t.Errorf("the modes are %q", modes)
	}
}

// TestFilesAndFoldersAreModes: by all of their names, by the last words, by what stands behind a dot, and by their
// folders.
func TestFilesAndFoldersAreModes(t *testing.T) {
	t.Parallel()
	cases := map[string][]string{
		"light, dark, high-contrast":                           {"light.json", "dark.json", "high-contrast.json"},
		"light, dark, dark-high-contrast":                      {"nord-light.json", "nord-dark.json", "nord-dark-high-contrast.json"},
		"desktop, mobile, tablet":                              {"mobile.json", "desktop.json", "tablet.json"},
		"light, dark":                                          {"color.light.json", "color.dark.tokens.json"},
		"light, dark (folders)":                                {"themes/light/colors.json", "themes/dark/colors.json"},
		"light, dark (folders that are called as modes)":       {"light/colors.json", "dark/colors.json"},
		"light, dark (folders with files called as modes)":     {"light/disabled.json", "dark/disabled.json"},
		"light, dark (folders with files called as a default)": {"light/base.json", "dark/base.json"},
		"acme, globex":                                         {"brands/acme/colors.json", "brands/globex/colors.json"},
		"acme, acme-dark":                                      {"brands/acme-dark.json", "brands/acme.json"},
		"Light Mode, Dark Mode":                                {"Dark Mode.json", "Light Mode.json"},
		"light-mode, dark-mode":                                {"dark-mode/a.json", "light-mode/a.json"},
		"Light, Dark (names in brackets)":                      {"Tokens (Dark).json", "Tokens (Light).json"},
		"Light, Dark (names with capitals)":                    {"tokensDark.json", "tokensLight.json"},
		"Light, Dark (names with blanks)":                      {"Tokens Dark.json", "Tokens Light.json"},
		"light, dark, dark-dimmed (in a folder of modes)":      {"themes/dark.dimmed.json", "themes/dark.json", "themes/light.json"},
		"light, dark-dimmed":                                   {"dark.dimmed.json", "light.json"},
		"light, dark, dark-dimmed, acme-dark":                  {"acme-dark.json", "dark-dimmed.json", "dark.json", "light.json"},
		"Acme, Re=Bel":                                         {"01 Brand.Acme.tokens.json", "01 Brand.Re=Bel.tokens.json"},
	}
	for want, names := range cases {
		files := map[string]string{}
		for i, name := range names {
			files[name] = fmt.Sprintf(`{"a":{"$value":%d}}`, i)
		}
		system, _, err := source.OpenSystem(&term.App{}, []string{written(t, files)}, nil, tokenfile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(system.Dimensions) != 1 {
			t.Errorf("%v: the dimensions are %+v", names, system.Dimensions)
			continue
		}
		modes := slices.Clone(system.Dimensions[0].Modes)
		wanted := strings.Split(strings.Split(want, " (")[0], ", ")
		slices.Sort(modes[1:])
		slices.Sort(wanted[1:])
		if !slices.Equal(modes, wanted) {
			t.Errorf("%v: the modes are %q, want %q", names, modes, wanted)
		}
	}
}

// TestFilesOfTwoDimensions: the folder of a file says one mode of it and its name another; a file without a mode is of
// its folder.
func TestFilesOfTwoDimensions(t *testing.T) {
	t.Parallel()
	const token = `{"a":{"$value":%d}}`
	cases := []struct {
		rule       string
		files      []string // whose token has the value of its place
		dimensions string
		want       string // the values of the defaults, of the second modes of each dimension alone and of both together
	}{
		{"brands of modes", []string{"acme/dark", "acme/light", "globex/dark", "globex/light"}, "brand: acme, globex; : light, dark", "1 3 0 2"},
		{"modes of brands", []string{"dark/acme", "dark/globex", "light/acme", "light/globex"}, "brand: acme, globex; : light, dark", "2 3 0 1"},
		{"in a folder of brands", []string{"brands/a/dark", "brands/a/light", "brands/b/dark", "brands/b/light"}, "brands: a, b; : light, dark", "1 3 0 2"},
		{"beside others", []string{"acme/dark", "acme/light", "base", "globex/dark", "globex/light", "globex/own o"}, "brand: acme, globex; : light, dark", "1 4 0 3"},
		{"a mode of one brand alone", []string{"acme/dark", "acme/light", "globex/dark", "globex/light", "globex/sepia"}, "brand: acme, globex; : light, dark, sepia", "1 3 0 2"},
		{"other modes of each brand", []string{"acme/dark", "acme/light", "globex/hc", "globex/light"}, "brand: acme, globex; : light, dark, hc", "1 3 0 3"},
		{"a brand that has more tokens", []string{"brands/a/dark", "brands/a/light s", "brands/b/dark", "brands/b/light"}, "brands: a, b; : light, dark", "1 3 0 2"},
		{"the usual mode without a name of one", []string{"brands/a/tokens.dark", "brands/a/tokens", "brands/b/tokens.dark", "brands/b/tokens"}, "brands: a, b; : , dark", "1 3 0 2"},
		{"a scheme beside brands", []string{"dark", "light", "brands/a p", "brands/b p"}, "brands: a, b; : light, dark", ""},
		{"a file that the usual mode lacks", []string{"light/a", "dark/a", "dark/b"}, ": light, dark", ""},
		{"a brand without a mode", []string{"acme/dark", "acme/light", "globex/light"}, "brand: acme, globex; : light, dark", "1 2 0 2"},
		{"a brand without the default", []string{"acme/dark", "acme/light", "globex/dark"}, "brand: acme, globex; : light, dark", "1 2 0 2"},
		{"modes of both", []string{"dark/compact", "dark/cozy", "light/compact", "light/cozy"}, "mode: cozy, compact; : light, dark", "3 2 1 0"},
		{"modes of values too", []string{"compact", "cozy", "base v"}, ": light, dark, compact", ""},
		{"one mode in a folder of modes", []string{"base/a", "themes/dark/a"}, ": , dark", ""},
		{"folders in one of a mode", []string{"component/a/x", "dark/component/y", "dark/z o-"}, ": , dark", ""},
		{"folders of values of modes", []string{"dark_mode_value/a", "light_mode_value/a"}, ": light_mode_value, dark_mode_value", ""},
		{"densities", []string{"comfortable", "spacious"}, ": comfortable, spacious", ""},
		{"a file of a mode that says less", []string{"acme/dark", "acme/light", "globex/dark o-", "globex/light"}, "brand: acme, globex; : light, dark", "1 3 0 3"},
		{"a scheme of all brands and one of a brand", []string{"dark", "light", "brands/a/dark", "brands/a/light", "brands/b/light"}, ": light, dark; brands: a, b", "3 2 4 4"},
		{"names of both in one folder", []string{"acme-dark", "acme-light", "globex-dark", "globex-light"}, "brand: acme, globex; : light, dark", "1 3 0 2"},
		{"names of both with dots", []string{"themes/acme.dark", "themes/acme.light", "themes/globex.dark", "themes/globex.light"}, "themes: acme, globex; : light, dark", "1 3 0 2"},
		{"names of which some have no mode", []string{"brands/acme", "brands/acme-dark", "brands/globex"}, "brands: acme, globex; : , dark", "0 2 1 2"},
		{"names of which some have no mode, behind others", []string{"a-high-contrast", "a", "b-high-contrast", "b"}, "brand: a, b; : , high-contrast", "1 3 0 2"},
		{"names of both and others", []string{"acme-dark", "acme-light", "globex-dark", "globex-light", "icons-dark i-", "icons-light i-"}, "icons: light, dark; brand: acme, globex; : light, dark", ""},
		{"names of other tokens", []string{"space-dark s", "space-light s", "text-dark t", "text-light t"}, ": light, dark", ""},
		{"names of other tokens and modes", []string{"space-compact s", "space-comfortable s", "text-dark t", "text-light t"}, "space: comfortable, compact; text: light, dark", ""},
		{"dark alone", []string{"acme/dark", "globex/dark"}, "brand: acme, globex", ""},
		{"dark alone beside what all share", []string{"acme/dark", "base", "globex/dark"}, "brand: acme, globex; : , dark", "1 1 0 2"},
		{"dark alone beside what a brand has", []string{"brands/a", "brands/a/dark", "brands/b", "brands/b/dark"}, "brands: a, b; : , dark", "0 2 1 3"},
		{"brands with files of another name", []string{"brands/a/dark", "brands/a/tokens", "brands/b/tokens"}, "brands: a, b; : , dark", "1 2 0 2"},
		{"a mode that says less beside files of one name", []string{"x/dark", "x/tokens s", "y/tokens s", "z/other o-"}, "brand: x, y; : , dark", "1 1 0 1"},
		{"a brand that has no folder", []string{"brands/a", "brands/a/dark", "brands/b"}, "brands: a, b; : , dark", "0 2 1 2"},
		{"a mode of one brand in a folder of modes", []string{"dark/a", "dark/b", "dim/b", "light/a", "light/b"}, "brand: a, b; : light, dark, dim", "3 4 0 1"},
		{"a mode of what all share", []string{"acme/dark o-", "acme/light", "core o-", "globex/light"}, "brand: acme, globex; : light, dark", ""},
		{"a mode of what all share, and no brand", []string{"core o-", "dark o-", "hc", "light"}, ": light, dark, hc", ""},
		{"base beside one mode with a stem", []string{"base", "color-dark"}, "color: , dark", ""},
		{"base beside modes with a stem", []string{"default", "theme-dark", "theme-hc"}, "theme: , dark, hc", ""},
		{"base of other tokens than light has", []string{"base o-", "dark", "light"}, ": light, dark", ""},
		{"folders with base of other tokens", []string{"base/x o-", "dark/x", "light/x"}, ": light, dark", ""},
		{"base of the tokens that light has", []string{"base", "dark", "light"}, ": base, light, dark", ""},
		{"base beside modes of several kinds", []string{"compact o-", "dark", "default o-", "light"}, ": light, compact, dark", ""},
		{"base beside brands and modes in one folder", []string{"acme", "acme-dark", "base", "globex", "globex-dark"}, "brand: acme, globex; : , dark", "0 3 1 4"},
		{"folders of modes in a folder of modes", []string{"modes/color/dark", "modes/color/default", "modes/size/large o-", "modes/size/medium o-"}, ": default, dark; size: medium, large", ""},
		{"folders of brands beside a scheme", []string{"brands/a/t o-", "brands/b/t o-", "dark", "light"}, "brands: a, b; : light, dark", ""},
		{"folders of modes in folders of brands", []string{"brands/a/dark/c", "brands/a/light/c", "brands/b/dark/c", "brands/b/light/c"}, "brands: a, b; : light, dark", "1 3 0 2"},
		{"folders of modes in folders", []string{"a/dark/x/c", "a/light/x/c", "b/dark/x/c", "b/light/x/c", "base o-"}, "brand: a, b; : light, dark", "1 3 0 2"},
		{"folders of brands in folders of modes", []string{"core/c o-", "t/dark/a/c", "t/dark/b/c", "t/light/a/c", "t/light/b/c"}, "brand: a, b; : light, dark", "3 4 1 2"},
		{"modes of brands beside a folder of others", []string{"core/c o-", "dark/a", "dark/b", "light/a", "light/b"}, "brand: a, b; : light, dark", "3 4 1 2"},
		{"packages of brands", []string{"p/a/tokens/dark", "p/a/tokens/light", "p/b/tokens/dark", "p/b/tokens/light", "p/core/tokens/c o-"}, "brand: a, b; : light, dark", "1 3 0 2"},
		{"packages of brands and files of no mode", []string{"p/a/tokens/dark o-", "p/a/tokens/light o-", "p/a/tokens/size", "p/b/tokens/dark o-", "p/b/tokens/light o-", "p/b/tokens/size"}, "brand: a, b; : light, dark", "2 5 2 5"},
		{"brands of which one has folders", []string{"brands/a/dark", "brands/a/light", "brands/b/dark/c", "brands/b/light/c"}, "brands: a, b; : light, dark", "1 3 0 2"},
		{"usual values beside a folder of a mode", []string{"a/c", "a/dark/c", "b/c", "b/dark/c"}, "brand: a, b; : , dark", "0 2 1 3"},
		{"a folder of a mode in the first brand alone", []string{"brands/a/c", "brands/a/dark/c", "brands/b/c"}, "brands: a, b; : , dark", "0 2 1 2"},
		{"a folder of a mode in the last brand alone", []string{"a/c", "b/c", "b/dark/c"}, "brand: a, b; : , dark", "0 1 0 2"},
		{"a folder of a mode with a file of another name", []string{"a/c", "a/dark/p", "b/c"}, "brand: a, b; : , dark", "0 2 1 2"},
		{"a folder of a mode deeper in one brand", []string{"a/x/c", "a/x/dark/c", "b/x/c"}, "brand: a, b; : , dark", "0 2 1 2"},
		{"a folder of a mode in one brand beside a folder with base", []string{"a/c", "a/dark/c", "b/c", "core/base o-"}, "brand: a, b; : , dark", "0 2 1 2"},
		{"a folder of a mode in one of several groups", []string{"x/a/c", "x/a/dark/c", "x/b/c o-"}, ": , dark", ""},
		{"two usual files without a name of a mode", []string{"a/c", "a/c.dark", "a/s s-", "a/s.dark s-", "b/c", "b/c.dark", "b/s s-", "b/s.dark s-"}, "brand: a, b; : , dark", "0 4 1 5"},
		{"two usual files of two modes", []string{"a/c", "a/c.dark", "a/s s-", "a/s.compact s-", "b/c", "b/c.dark", "b/s s-", "b/s.compact s-"}, "brand: a, b; : , dark, compact", "0 4 1 5"},
		{"a usual file beside compact", []string{"a/c", "a/c.compact", "b/c", "b/c.compact"}, "brand: a, b; : , compact", "0 2 1 3"},
		{"a usual file beside light of other tokens", []string{"a/c", "a/c.compact", "a/s.dark s-", "a/s.light s-", "b/c", "b/c.compact", "b/s.dark s-", "b/s.light s-"}, "brand: a, b; : light, compact, dark", "0 4 1 5"},
		{"usual values beside folders of two modes", []string{"a/c", "a/dark/c", "a/hc/c", "b/c", "b/dark/c", "b/hc/c"}, "brand: a, b; : , dark, hc", "0 3 1 4"},
		{"two files of the same tokens beside dark", []string{"a/dark", "a/x", "a/y", "b/dark", "b/x", "b/y"}, "brand: a, b; : x, dark, y", "1 4 0 3"},
		{"base of other tokens than light has, of each brand", []string{"a/base o-", "a/dark", "a/light", "b/base o-", "b/dark", "b/light"}, "brand: a, b; : light, dark", "2 5 1 4"},
		{"base in names of brands and modes", []string{"a-base o-", "a-dark", "a-light", "b-base o-", "b-dark", "b-light"}, "brand: a, b; : light, dark", "2 5 1 4"},
		{"usual modes of two kinds", []string{"dark o-", "desktop", "light o-", "mobile"}, ": light, dark, mobile", ""},
		{"usual modes of two kinds of each brand", []string{"a/dark o-", "a/desktop", "a/light o-", "a/mobile", "b/dark o-", "b/desktop", "b/light o-", "b/mobile"}, "brand: a, b; : light, dark, mobile", "1 5 1 5"},
		{"usual modes of two kinds with the same tokens", []string{"a/dark", "a/desktop", "a/light", "b/dark", "b/desktop", "b/light"}, "brand: a, b; : light, desktop, dark", "2 5 1 4"},
		{"usual files of no mode beside a folder with base", []string{"a/c", "a/c.dark", "b/c", "b/c.dark", "core/base o-"}, "brand: a, b; : , dark", "0 2 1 3"},
		{"usual files of no mode beside base of the brand", []string{"a/base o-", "a/c", "a/c.dark", "b/base o-", "b/c", "b/c.dark"}, "brand: a, b; : base, dark", "1 4 2 5"},
		{"folders of packages, modes and brands", []string{"p/dark/a", "p/dark/b", "p/light/a", "p/light/b", "q/dark/a s-", "q/dark/b s-", "q/light/a s-", "q/light/b s-"}, "brand: a, b; : light, dark; brand of s: a, b", ""},
		{"files that are called as the mode of their folder", []string{"dark/s-dark s-", "dark/t-dark t-", "light/s s-", "light/t t-"}, ": light, dark", ""},
		{"folders of other tokens", []string{"scales/light s", "scales/light-x s", "scales/dark s", "themes/light t", "themes/dark t"}, "scales: light, dark, light-x; themes: light, dark", ""},
	}
	for _, c := range cases {
		files := map[string]string{}
		for i, name := range c.files {
			name, own, isOwn := strings.Cut(name, " ")
			files[name+".json"] = fmt.Sprintf(token, i)
			if own == "v" {
				files[name+".json"] = `{"v":{"$type":"color","$value":{"light":"#fff","dark":"#000"}}}`
			} else if only, isOnly := strings.CutSuffix(own, "-"); isOnly {
				files[name+".json"] = fmt.Sprintf(`{%q:{"$value":%d}}`, only, i)
			} else if isOwn {
				files[name+".json"] = fmt.Sprintf(`{"a":{"$value":1},"%[1]s":{"b":{"$value":%[2]d},"c":{"$value":%[2]d}}}`, own, i)
			}
		}
		system, s, err := source.OpenSystem(&term.App{}, []string{written(t, files)}, nil, tokenfile.Options{})
		if err != nil {
			t.Fatal(c.rule, err)
		}
		var list []string
		for _, d := range system.Dimensions {
			list = append(list, d.Name+": "+strings.Join(d.Modes, ", "))
		}
		if got := strings.Join(list, "; "); got != c.dimensions {
			t.Errorf("%s: the dimensions are %s, want %s", c.rule, got, c.dimensions)
		}
		if c.want == "" || len(system.Dimensions) < 2 {
			continue
		}
		first, second := system.Dimensions[0], system.Dimensions[1]
		trees := []*jsontree.Node{s.Tree}
		for _, choice := range []map[string]string{
			{first.Name: first.Modes[1]}, {second.Name: second.Modes[1]}, {first.Name: first.Modes[1], second.Name: second.Modes[1]},
		} {
			read, err := system.Read(choice)
			if err != nil {
				t.Fatal(c.rule, err)
			}
			trees = append(trees, read.Tree)
		}
		var got []string
		for _, tree := range trees {
			if value := tree.Lookup(jsontree.Pointer{"a", "$value"}); value != nil {
				got = append(got, value.Text)
			} else {
				got = append(got, "none")
			}
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s: the values are %s, want %s", c.rule, text, c.want)
		}
	}
}

// TestAFileThatIsCalledAsAModeAndReadAsABrandIsNamed: no other file says what its tokens are in the usual mode.
func TestAFileThatIsCalledAsAModeAndReadAsABrandIsNamed(t *testing.T) {
	t.Parallel()
	dir := written(t, map[string]string{"brands/a/dark.json": `{"a":{"$value":1}}`, "brands/b/dark.json": `{"a":{"$value":2}}`})
	_, s, err := source.OpenSystem(&term.App{}, []string{dir}, nil, tokenfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, brand := range []string{"a", "b"} {
		want := filepath.Join(dir, "brands", brand, "dark.json") + " is called as the mode dark, and its tokens are of " + brand + " in all modes; it is a mode if " + brand + " has a file of the usual one too, such as light.json"
		if !slices.Contains(s.Notes(), want) {
			t.Errorf("the notes are %q, want %q", s.Notes(), want)
		}
	}
}

// TestABrandAndTheBrandInAModeSayThingsOnce: both are read of the brand's usual file.
func TestABrandAndTheBrandInAModeSayThingsOnce(t *testing.T) {
	t.Parallel()
	dir := written(t, map[string]string{"acme/light.json": `{"a":{"$value":1}}`, "acme/dark.json": `{"a":{"$value":2}}`, "globex/light.json": `{"a":{"$value":3},"b.c":{"$value":4}}`})
	var said bytes.Buffer
	a := &term.App{Err: &said}
	system, s, err := source.OpenSystem(a, []string{dir}, nil, tokenfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var modes []*source.Sources
	for _, choice := range []map[string]string{{"brand": "globex"}, {"brand": "globex", "": "dark"}} {
		read, err := system.Read(choice)
		if err != nil || len(read.Concessions()) != 1 {
			t.Fatalf("Read(%v) = %v, %v", choice, read.Concessions(), err)
		}
		modes = append(modes, read)
	}
	if source.Print(a, false, s, modes...); strings.Count(said.String(), "b.c") != 1 {
		t.Errorf("said is\n%s", said.String())
	}
}

// TestAFileOfACollectionIsAModeOrNamed: if it says nothing of what the others say, and nothing of what all modes share.
func TestAFileOfACollectionIsAModeOrNamed(t *testing.T) {
	t.Parallel()
	dir := written(t, map[string]string{
		"core.json": `{"a":{"$value":1},"b":{"$value":1},"c":{"$value":1}}`, "B.Acme.tokens.json": `{"a":{"$value":2}}`, "B.Beta.tokens.json": `{"a":{"$value":3}}`,
		"B.Globex.tokens.json": `{"b":{"$value":4}}`, "B.Zeta.tokens.json": `{"q":{"$value":5}}`,
	})
	system, s, err := source.OpenSystem(&term.App{}, []string{dir}, nil, tokenfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(system.Dimensions) != 1 || !slices.Equal(system.Dimensions[0].Modes, []string{"", "Acme", "Beta", "Globex"}) {
		t.Errorf("the dimensions are %+v", system.Dimensions)
	}
	want := filepath.Join(dir, "B.Zeta.tokens.json") + " is called as a mode and has no token in common with the others: its tokens are of all modes"
	if got := string(jsontree.Append(nil, s.Tree)); !slices.Equal(s.Notes(), []string{want}) || got != `{"q":{"$value":5},"a":{"$value":1},"b":{"$value":1},"c":{"$value":1}}` {
		t.Errorf("the Theme is %s, with the notes %q", got, s.Notes())
	}
}

// TestAValueThatNoModeHasIsLost: of several files of a mode the last counts, and the values of the others are named. So
// it is with token sets.
func TestAValueThatNoModeHasIsLost(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		files  string // whose token has the value of its place, a or the one behind "="; token sets behind "sets:"
		choice map[string]string
		want   string // the files that lose, and to which
	}{
		{"themes/light/a themes/dark/p themes/dark/q", map[string]string{"": "dark"}, "themes/dark/p:1 themes/dark/q:1"},
		{"brands/acme/a brands/globex/p brands/globex/q", map[string]string{"": "globex"}, "brands/globex/p:1 brands/globex/q:1"},
		{"light/a dark/a dark/b", map[string]string{"": "dark"}, "dark/a:1 dark/b:1"},
		{"core themes/light/a themes/dark/p", map[string]string{"": "dark"}, ""},
		{"a/light a/dark a/x-dark b/light b/dark b/x-dark", map[string]string{"": "dark", "brand": "b"}, "b/dark:1 b/x-dark:1"},
		{"brands/a brands/b themes/dark themes/light", map[string]string{"brands": "b"}, "brands/b:1 themes/light:1"},
		{"brands/a/c=c brands/b/c=c brands/b/own themes/dark themes/light", map[string]string{"brands": "b"}, "brands/b/own:1 themes/light:1"},
		{"sets: core acme light dark", nil, "core:1 acme:1"},
		{"sets: core light dark top", nil, "light:1 top:1"},
		{"sets: core light dark top", map[string]string{"": "dark"}, "dark:1 top:1"},
		{"sets: core light dark dark/more", map[string]string{"": "dark"}, "dark:1 dark/more:1"},
		{"sets: brands/a brands/b theme/dark theme/light", map[string]string{"brands": "b"}, "brands/b:1 theme/light:1"},
		{"sets: x/light x/dark y/light y/dark", map[string]string{"brand": "y", "": "dark"}, ""},
	} {
		files := map[string]string{}
		names, areSets := strings.CutPrefix(c.files, "sets: ")
		for i, name := range strings.Fields(names) {
			name, token, _ := strings.Cut(name, "=")
			files[name+".json"] = fmt.Sprintf(`{%q:{"$value":%d}}`, cmp.Or(token, "a"), i)
		}
		if areSets {
			files["$metadata.json"] = `{"tokenSetOrder":["` + strings.ReplaceAll(names, " ", `","`) + `"]}`
		}
		dir := written(t, files)
		system, read, err := source.OpenSystem(&term.App{}, []string{dir}, nil, tokenfile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for dimension, mode := range c.choice {
			if read, err = system.Read(map[string]string{dimension: mode}); err != nil {
				t.Fatal(err)
			}
		}
		if len(c.choice) > 1 {
			if read, err = system.Read(c.choice); err != nil {
				t.Fatal(err)
			}
		}
		system.NameHidden(read)
		var got []string
		for _, f := range read.Faults {
			first, second, _ := strings.Cut(strings.NewReplacer(dir+"/", "", ".json", "").Replace(f.Reason), ": neither the Theme nor a Variant has this value, for that of ")
			got = append(got, first+" "+strings.Fields(second)[0])
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("of %s the mode %v loses %q, want %s", c.files, c.choice, got, c.want)
		}
	}
}

// TestFilesOfFigmaAreReadAsFigmaMeansThem: an alias of another collection stays one, so that a mode of that collection
// counts.
func TestFilesOfFigmaAreReadAsFigmaMeansThem(t *testing.T) {
	t.Parallel()
	const semantic = `{"button":{"bg":{"$type":"color","$value":"#0000ff","$extensions":{"com.figma.aliasData":{"targetVariableName":"base/primary"}}},
		"gap":{"$type":"number","$value":4,"$extensions":{"com.figma.scopes":["GAP"]}},
		"dim":{"$type":"number","$value":50,"$extensions":{"com.figma.scopes":["OPACITY"]}},
		"count":{"$type":"number","$value":3,"$extensions":{"com.figma.scopes":["ALL_SCOPES"]}}},"$extensions":{"com.figma.modeName":"Mode 1"}}`
	brand := func(mode, value string) string {
		return `{"base":{"primary":{"$type":"color","$value":"` + value + `"}},"$extensions":{"com.figma.modeName":"` + mode + `"}}`
	}
	dir := written(t, map[string]string{"Semantic/Mode 1.tokens.json": semantic, "Brand/Acme.tokens.json": brand("Acme", "#0000ff"), "Brand/Globex.tokens.json": brand("Globex", "#00ff00")})
	system, s, err := source.OpenSystem(&term.App{}, []string{dir}, nil, tokenfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for pointer, want := range map[string]string{
		"/button/bg/$value": `"{base.primary}"`, "/button/gap/$value": `"4px"`, "/button/gap/$type": `"dimension"`, "/button/dim/$value": "0.5", "/button/count/$value": "3",
	} {
		p, _ := jsontree.ParsePointer(pointer)
		if got := string(jsontree.Append(nil, s.Tree.Lookup(p))); got != want {
			t.Errorf("%s is %s, want %s", pointer, got, want)
		}
	}
	if len(s.Concessions()) != 2 {
		t.Errorf("named: %+v", s.Concessions())
	}
	if len(system.Dimensions) != 1 || !slices.Equal(system.Dimensions[0].Modes, []string{"Acme", "Globex"}) {
		t.Errorf("the dimensions are %+v", system.Dimensions)
	}
}

// TestCollectionsOfOneNameHaveOneDefault: that of the first, so that each value is of the mode that it is written for,
// also if the names of the modes differ in letter case.
func TestCollectionsOfOneNameHaveOneDefault(t *testing.T) {
	t.Parallel()
	collection := func(variable, light, dark, usual string) string {
		return fmt.Sprintf(`{"name":"Theme","modes":[%[2]q,%[3]q],"defaultModeId":%[4]q,"variables":[{"name":%[1]q,"type":"string","values":{%[2]q:"l",%[3]q:"d"}}]}`, variable, light, dark, usual)
	}
	dir := written(t, map[string]string{"a.json": collection("a", "Light", "Dark", "Light"), "b.json": collection("b", "Light", "Dark", "Dark"), "c.json": collection("c", "light", "dark", "dark")})
	system, s, err := source.OpenSystem(&term.App{}, []string{dir}, nil, tokenfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	dark, err := system.Read(map[string]string{"Theme": "Dark"})
	if err != nil {
		t.Fatal(err)
	}
	for want, tree := range map[string]*jsontree.Node{"l": s.Tree, "d": dark.Tree} {
		for _, name := range []string{"a", "b", "c"} {
			if got := tree.Find(name).Find("$value").Text; got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
	}
}

// TestAnAliasOfFigmaLeadsToAnotherFile: plugins write a file for each collection. A variable that is an alias of one of
// its name leaves the place to it.
func TestAnAliasOfFigmaLeadsToAnotherFile(t *testing.T) {
	t.Parallel()
	const target = `{"id":"C:1","name":"P","modes":{"1:0":"M"},"variables":[{"id":"V:1","name":"blue/500","type":"STRING","valuesByMode":{"1:0":"b"}},{"id":"V:2","name":"blue","type":"STRING","valuesByMode":{"1:0":"c"}}]}`
	for value, want := range map[string]string{
		`"name":"x","valuesByMode":{"m":{"type":"VARIABLE_ALIAS","id":"V:1"}}`:                                                                     `x:"{blue.500}"`,
		`"name":"x","valuesByMode":{"m":{"type":"VARIABLE_ALIAS","id":"V:2"}}`:                                                                     `x:"{blue.$root}"`,
		`"name":"x","values":{"m":{"alias":"P/blue/500"}}`:                                                                                         `x:"{blue.500}"`,
		`"name":"x","values":{"m":{"name":"blue/500"}}`:                                                                                            `x:"{blue.500}"`,
		`"name":"x","values":{"m":{"name":"blue/600"}}`:                                                                                            " it is an alias of blue/600, which no file has; name the file of its collection too",
		`"name":"x","valuesByMode":{"m":{"type":"VARIABLE_ALIAS","id":"V:9"}},"resolvedValuesByMode":{"m":{"alias":"V:9","aliasName":"blue/500"}}`: `x:"{blue.500}"`,
		`"name":"blue/500","valuesByMode":{"m":{"type":"VARIABLE_ALIAS","id":"V:1"}}`:                                                              "",
		`"name":"x","valuesByMode":{"m":{"type":"VARIABLE_ALIAS","id":"V:8"}}`:                                                                     " it is an alias of V:8, which no file has; name the file of its collection too",
	} {
		dir := written(t, map[string]string{"a.json": `{"id":"C:2","name":"S","modes":{"m":"M"},"variables":[{"id":"V:3","type":"STRING",` + value + `}]}`, "b.json": target})
		s, err := source.Theme(&term.App{}, []string{dir}, tokenfile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		document := dtcg.Read(s.Tree)
		for _, token := range document.Tokens {
			if strings.Contains(s.TokenLocation(token.Path), "a.json") {
				got += token.Path + ":" + string(jsontree.Append(nil, token.Value))
			}
		}
		for _, f := range s.Faults {
			got += strings.TrimPrefix(f.Reason, filepath.Join(dir, "a.json")+":1:")
		}
		if got != want || document.Token("blue.500") == nil {
			t.Errorf("%s becomes %s, want %s", value, got, want)
		}
	}
}

// TestAFileThatRefersToOthersIsNoTokenSets: its members look like token sets, whose names no alias has.
func TestAFileThatRefersToOthersIsNoTokenSets(t *testing.T) {
	t.Parallel()
	dir := written(t, map[string]string{
		"button.json": `{"button":{"color":{"primary":{"value":"{color.primary}","type":"color"}}}}`,
		"color.json":  `{"color":{"primary":{"value":"#0000ff","type":"color"}}}`,
	})
	s, err := source.Theme(&term.App{}, []string{dir}, tokenfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(jsontree.Append(nil, s.Tree)), `{"button":{"color":{"primary":{"$type":"color","$value":"{color.primary}"}}},"color":{"primary":{"$type":"color","$value":"#0000ff"}}}`; got != want {
		t.Errorf("the tree is %s, want %s", got, want)
	}
}

// TestATypeOfARootIsOfItsFile: DTCG says so of a document, and files of a push are laid over each other.
func TestATypeOfARootIsOfItsFile(t *testing.T) {
	t.Parallel()
	dir := written(t, map[string]string{
		"a.json": `{"$type":"color","ink":{"$value":"#123456"},"g":{"x":{"$value":"#fff"}},"own":{"$type":"number","n":{"$value":1}}}`,
		"b.json": `{"$type":"fontFamily","g":{"body":{"$value":"Ubuntu Sans"}}}`,
	})
	s, err := source.Theme(&term.App{}, []string{dir}, tokenfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"ink":{"$type":"color","$value":"#123456"},"g":{"x":{"$type":"color","$value":"#fff"},"body":{"$type":"fontFamily","$value":"Ubuntu Sans"}},"own":{"$type":"number","n":{"$value":1}}}`
	if got := string(jsontree.Append(nil, s.Tree)); got != want {
		t.Errorf("the tree is %s, want %s", got, want)
	}
}

// TestAGroupHasATypeInEachFile: the tokens of a file keep the type that their group has there, whatever type a later file
// gives the group.
func TestAGroupHasATypeInEachFile(t *testing.T) {
	t.Parallel()
	dir := written(t, map[string]string{
		"a.json": `{"c":{"$type":"number","x":{"$value":4},"d":{"y":{"$value":5},"z":{"$type":"string","$value":"6"}}}}`,
		"b.json": `{"c":{"$type":"dimension","w":{"$value":"1px"}}}`,
	})
	s, err := source.Theme(&term.App{}, []string{dir}, tokenfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"c":{"$type":"dimension","x":{"$type":"number","$value":4},"d":{"y":{"$type":"number","$value":5},"z":{"$type":"string","$value":"6"}},"w":{"$value":"1px"}}}`
	if got := string(jsontree.Append(nil, s.Tree)); got != want {
		t.Errorf("the Theme is %s, want %s", got, want)
	}
}

// TestAFileAmongTokensNeedsNoLooks: a file of values that do not look like those of tokens is one of them beside others.
func TestAFileAmongTokensNeedsNoLooks(t *testing.T) {
	t.Parallel()
	dir := written(t, map[string]string{"a.json": `{"color":{"a":{"value":"#fff"}}}`, "b.json": `{"button":{"cursor":{"value":"pointer"}}}`})
	s, err := source.Theme(&term.App{}, []string{dir}, tokenfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(jsontree.Append(nil, s.Tree)), `{"color":{"a":{"$value":"#fff"}},"button":{"cursor":{"$value":"pointer"}}}`; got != want {
		t.Errorf("the Theme is %s, want %s", got, want)
	}
}

// TestADefinitionIsOfItsFile: a $ref leads to that of the file in which it stands, or which it names, whatever others have.
func TestADefinitionIsOfItsFile(t *testing.T) {
	t.Parallel()
	dir := written(t, map[string]string{
		"a.json": `{"a":{"$ref":"#/$defs/q"},"b":{"$ref":"c.json#/$defs/q"},"$defs":{"q":{"$type":"color","$value":"#111111"},"same":{"$value":1}}}`,
		"b.json": `{"c":{"$ref":"#/$defs/q/in"},"$defs":{"q":{"in":{"$value":{"$ref":"#/$defs/other/$value"}}},"other":{"$value":2}}}`,
		"c.json": `{"d":{"$ref":"#/$defs/q"},"e":{"$extends":"{$defs.g}"},"f":{"$ref":"#/$defs/same"},"$defs":{"q":{"$type":"color","$value":"#333333"},"g":{"x":{"$value":3}},"same":{"$value":1}}}`,
	})
	s, err := source.Theme(&term.App{}, []string{dir}, tokenfile.Options{})
	if err != nil || len(s.Faults) > 0 {
		t.Fatalf("%v, faults %v", err, s.Faults)
	}
	got := map[string]string{}
	document := dtcg.Read(s.Tree)
	for _, token := range document.Tokens {
		got[token.Path] = string(jsontree.Append(nil, token.Value))
	}
	want := map[string]string{"a": `"#111111"`, "b": `"#333333"`, "c": `2`, "d": `"#333333"`, "e.x": `3`, "f": `1`}
	if !maps.Equal(got, want) {
		t.Errorf("the tokens are %v, want %v", got, want)
	}
}

// TestWhatALaterFileSaysOfAGroupIsNamed: the later one counts, and the earlier is not lost in silence.
func TestWhatALaterFileSaysOfAGroupIsNamed(t *testing.T) {
	t.Parallel()
	dir := written(t, map[string]string{
		"a.json": "{\"$description\":\"A\",\"same\":{\"$description\":\"S\"},\"x\":{\"a\":{\"$value\":1}},\n\"g\":{\"$deprecated\":true,\n\"$extends\":\"{x}\"},\n" +
			"\"r\":{\"$ref\":\"#/x/a\"},\"s\":{\"$ref\":\"#/x/a\"},\"t\":{\"$value\":2}}",
		"b.json": `{"$description":"B","same":{"$description":"S"},"y":{"a":{"$value":1}},"g":{"$deprecated":"no","$extends":"{y}"},"r":{"$ref":"#/y/a"},"s":{"$value":3},"t":{"$ref":"#/y/a"}}`,
	})
	s, err := source.Theme(&term.App{}, []string{filepath.Join(dir, "a.json"), filepath.Join(dir, "b.json")}, tokenfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range s.Concessions() {
		got = append(got, c.Location+" "+c.Path+": "+c.Message)
	}
	for _, f := range s.Faults {
		got = append(got, f.Reason)
	}
	got = append(got, s.Notes()...)
	want := []string{
		`a.json:1 whole file: $description "A" is left out: b.json:1 counts in its place`,
		`a.json:2 g: $deprecated true is left out: b.json:1 counts in its place`,
		`a.json:3: the group has no tokens of $extends "{x}": b.json:1 counts in its place; write one group that has both`,
		"r stands in a.json:4 and in b.json:1; the later one counts",
		"s stands in a.json:4 and in b.json:1; the later one counts",
		"t stands in a.json:4 and in b.json:1; the later one counts",
	}
	for i := range got {
		got[i] = strings.ReplaceAll(got[i], dir+string(filepath.Separator), "")
	}
	if !slices.Equal(got, want) {
		t.Errorf("named:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestWhatAModeSaysBesideItsValuesIsNamed: a Variant has values alone.
func TestWhatAModeSaysBesideItsValuesIsNamed(t *testing.T) {
	t.Parallel()
	dir := written(t, map[string]string{
		"light.json": `{"fill":{"$type":"color","$value":"#fff"},"g":{"$type":"number","a":{"$value":4,"$description":"x"},"b":{"$value":5,"$description":"same"}}}`,
		"dark.json": `{"$description":"D",` + "\n" +
			`"g":{"$type":"dimension","a":{"$value":"4px","$description":"y"},` + "\n" + `"b":{"$value":5,"$type":"number","$description":"same","$extensions":{"studio.tokens":{}}},` +
			`"c":{"$value":6,"$description":"of the Theme too"}},` + "\n" + `"fill":{"$type":"gradient","$value":"linear-gradient(#fff, #000)"}}`,
	})
	system, _, err := source.OpenSystem(&term.App{}, []string{dir}, nil, tokenfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	mode, err := system.Read(map[string]string{system.Dimensions[0].Name: "dark"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range mode.Concessions() {
		got = append(got, strings.TrimPrefix(c.Location, dir+string(filepath.Separator))+" "+c.Path+": "+c.Message)
	}
	want := []string{
		`dark.json:1 whole file: its $description "D" is left out: a Variant has values alone; 1 more of the file is too`,
		`dark.json:2 g.a: its $type dimension is left out: a Variant has values alone, and the Theme has another $type; give both one`,
		`dark.json:4 fill: its $type gradient is left out: a Variant has values alone, and the Theme has another $type; give both one, as linear-gradient(#fff, #fff) for the colour #fff`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("named:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestValuesOfElementsAreNamed: those that the Theme has otherwise, with their lines.
func TestValuesOfElementsAreNamed(t *testing.T) {
	t.Parallel()
	dir := written(t, map[string]string{"a.css": ":root { --a: 1px }\n.nav { --b: 2px;\n--a: 3px; --c: 4px }"})
	system, s, err := source.OpenSystem(&term.App{}, []string{dir}, nil, tokenfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	nav, err := system.Read(map[string]string{system.Dimensions[0].Name: "nav"})
	if err != nil {
		t.Fatal(err)
	}
	theme, err := jsontree.Parse(`{"a":{"$value":"1px"},"b":{"$value":"2px"}}`)
	if err != nil {
		t.Fatal(err)
	}
	s.NameElements(nav, "nav", theme)
	said := s.Concessions()
	last := said[len(said)-1]
	if last.Path != "a" || last.Message != `"3px" of nav is left out, and the Theme has "1px"` || !strings.HasSuffix(last.Location, "a.css:3") {
		t.Errorf("named: %+v", said)
	}
}

// TestAFileCalledAsAModeMayHoldNone: to choose a mode of it is refused.
func TestAFileCalledAsAModeMayHoldNone(t *testing.T) {
	t.Parallel()
	dir := written(t, map[string]string{"a.light.css": ":root { --a: 1px }"})
	_, err := source.Variant(&term.App{}, []string{filepath.Join(dir, "a.light.css")}, tokenfile.Options{Mode: "dark", Overrides: true})
	if err == nil || !strings.Contains(err.Error(), "--token-mode dark has nothing to choose from") {
		t.Errorf("the mode dark of a.light.css: %v", err)
	}
}
