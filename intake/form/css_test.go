package form

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/livery/intake/cssvalue"
	"example.com/livery/intake/model"
	"example.com/livery/intake/syntax"
	"example.com/livery/renderer/jsontree"
)

// readText reads one file.
func readText(t *testing.T, name, text string) *model.Document {
	t.Helper()
	parsed, err := syntax.Parse(name, text)
	if err != nil {
		t.Fatalf("Parse(%s) = %v", text, err)
	}
	documents, err := Read([]*model.File{model.NewFile(name, parsed)}, Options{})
	if err != nil {
		t.Fatalf("Read(%s) = %v", text, err)
	}
	return documents[0]
}

// spellDecls returns declarations one a line, as "[context] path type value".
func spellDecls(decls []model.Decl) string {
	var lines []string
	for _, d := range decls {
		line := d.Name()
		if d.Type != "" {
			line += " " + d.Type
		}
		value := d.Node.Find("$value")
		if value == nil {
			value = d.Node.Find(cssvalue.Member)
		}
		var when []string
		for _, context := range d.When {
			var all []string
			for _, condition := range context {
				all = append(all, condition.Name)
			}
			when = append(when, strings.Join(all, " & "))
		}
		if when != nil {
			line = "[" + strings.Join(when, " | ") + "] " + line
		}
		lines = append(lines, line+" "+value.Text)
	}
	return strings.Join(lines, "\n")
}

func TestStylesheet_Declarations(t *testing.T) {
	cases := []struct{ rule, text, want string }{
		{"whole pages", `:root{--a:1px}:HOST,html{--b:1px}:where(:root),.x{--c:1px}*,::before{--d:1px}`, "c 1px\nd 1px\na 1px\nb 1px"},
		{"spellings of a class and of an attribute", `:root.dark,html.dark{--a:1px}.dark{--a:2px}:root[data-theme="dark"]{--a:3px}[data-theme = 'dark']{--a:4px}[data-x='a b']{--a:5px}`, "[.dark] a 2px\n[[data-theme=dark]] a 4px\n[[data-x=\"a b\"]] a 5px\n[.dark] a 1px\n[.dark] a 1px\n[[data-theme=dark]] a 3px"},
		{"hosts", `:host(.dark){--a:1px}:host-context([theme=x]){--a:2px}`, "[.dark] a 1px\n[[theme=x]] a 2px"},
		{"a list holds in any of its contexts", `.dark,[data-theme=dark]{--a:1px}`, "[.dark | [data-theme=dark]] a 1px"},
		{"a list with the page holds always", `:root,.light{--a:1px}`, "a 1px"},
		{"what a selector is not", `:root:not(.dark){--a:1px}.x:not(.y .z){--a:2px}`, "a 1px\n[.x] a 2px"},
		{"alternatives", `:is(.dark, .x) .y{--a:1px}:where(.a,.b){--a:2px}`, "[.a | .b] a 2px\n[.dark .y | .x .y] a 1px"},
		{"elements", `h1>p{--a:1px}.btn:hover{--a:2px}html.js .x + .y{--a:3px}`, "[h1 > p] a 1px\n[.btn:hover] a 2px\n[.js .x + .y] a 3px"},
		{"conditions", `@media(prefers-color-scheme:dark){:root,.y{--a:1px}.x{--a:2px}}@supports (x:y){@container  (width > 1px){:root{--a:3px}}}@supports not (x:y){:root{--a:4px}}`, "[@media (prefers-color-scheme: dark)] a 1px\n[@media (prefers-color-scheme: dark) & .x] a 2px\n[@container (width > 1px)] a 3px\n[@supports not (x:y)] a 4px"},
		{"screens", `@media screen{:root{--a:1px}}@media all{.x{--a:2px}}@media screen and (prefers-contrast:more){:root{--a:3px}}@media not all{:root{--a:4px}}`, "a 1px\n[.x] a 2px\n[@media (prefers-contrast: more)] a 3px\n[@media not all] a 4px"},
		{"rules in rules", `:root,:host{--a:1px;&.dark{--a:2px}@media print{--a:3px}}.card{.dark &{--b:4px}[x="&"] i{--b:5px}}`, "a 1px\n[@media print] a 3px\n[.dark] a 2px\n[.dark .card] b 4px\n[.card [x=\"&\"] i] b 5px"},
		{"specificity, then order", `:root:root{--a:1px}:root{--a:2px}html{--a:3px}:where(:root){--a:4px}:is(#x, p){--a:5px}`, "a 4px\na 3px\na 2px\na 1px\n[#x | p] a 5px"},
		{"each specificity of a list counts for itself", `.a .b,.c{--a:1px}.d{--a:2px}`, "[.c] a 1px\n[.d] a 2px\n[.a .b] a 1px"},
		{"a later rule of the page wins over a class", `.dark{--a:1px}:root{--a:2px}`, "[.dark] a 1px\na 2px"},
		{"important ones win", `:root{--a:1px!important}.dark{--a:2px}:root{--a:3px ! IMPORTANT}`, "[.dark] a 2px\na 1px\na 3px"},
		{"layers in the order of a statement", `@layer b,a;:root{--a:0px}@layer a{:root{--a:1px}}@layer b{.dark{--a:2px}}`, "[.dark] a 2px\na 1px\na 0px"},
		{"layers in layers", `@layer a.x,b,a.y;@layer b{:root{--a:1px}}@layer a{:root{--a:2px}@layer x{:root{--a:3px}}}@layer a.y{:root{--a:4px}}`, "a 3px\na 4px\na 2px\na 1px"},
		{"a layer wins among what is important", `@layer x{:root{--a:1px!important}}@layer{:root{--a:2px!important}}:root{--a:3px!important}`, "a 3px\na 2px\na 1px"},
		{"themes of Tailwind", `:root{--a:0px}@theme inline{--color-a:#fff;--text-x--line-height:1;--font-b:Inter, serif;--spacing:4;--radius:1px;--color-b:url(x);--color-*:initial}`, "color-a color #fff\ntext-x--line-height lineHeight 1\nfont-b fontFamily Inter, serif\nspacing 4\nradius dimension 1px\ncolor-b url(x)\ncolor-* initial\na 0px"},
		{"functions of Tailwind", `@theme{--b:--alpha(var(--a) / 50%);--c:--theme(--a);--d:--spacing(2)}`, "b color-mix(in oklab, var(--a) 50%, transparent)\nc var(--a)\nd calc(var(--spacing) * 2)"},
		{"themes of daisyUI", `@plugin "daisyui/theme"{name:"day";default:true;--a:1px}@plugin 'daisyui/theme'{name:'night';--a:2px}`, "a 1px\n[[data-theme=night]] a 2px"},
		{"initial values are the lowest", `:root{--a:initial}@layer x{:root{--b:1px}}@property --a{initial-value:2px}@property --b{initial-value:3px}`, "a 2px\nb 3px\nb 1px\na 2px"},
		{"names and strings", `:root{--a\:b:"\2014 x";--c\.d:"\22";--e:">";--f:"a\"b"}`, "a:b \"—x\"\nc-d string \"\ne string >\nf string a\"b"},
		{"values over several lines", ":root{--a:1px\n\t2px;--b:;--c:{x}}", "a 1px 2px\nb \nc {x}"},
	}
	for _, c := range cases {
		if got := spellDecls(readText(t, "a.css", c.text).Decls); got != c.want {
			t.Errorf("%s: %s\ngives:\n%s\nwant:\n%s", c.rule, c.text, got, c.want)
		}
	}
}

func TestRegistry(t *testing.T) {
	const item = `{"name":"x","css":{"@layer base":{":root":{"--c":"3px","color":"red"}}},"cssVars":{"theme":{"font-a":"Inter","radius":"1px;"},"light":{"a":"#fff","b":"var(--a)"},"dark":{"a":"#000","d":["x"]}}}`
	const want = "font-a fontFamily Inter\nradius dimension 1px\nc 3px\na #fff\nb var(--a)\n[.dark] a #000"
	for _, text := range []string{item, `{"items":[{"name":"button"},` + item + `]}`} {
		d := readText(t, "a.json", text)
		if got := spellDecls(d.Decls); got != want || len(d.Problems) != 1 || d.Problems[0].Path != "d" {
			t.Errorf("%s gives:\n%s\nwant:\n%s\nand the problems %v", text, got, want, d.Problems)
		}
	}
}

func TestStylesheet_Problems(t *testing.T) {
	cases := []struct{ rule, text, axes, want string }{
		{"selectors of elements", `:root{--a:1px}.dark{--a:2px;--b:1px}.btn{--b:1px;--c:1px}.btn:hover{--c:2px}@media print{.btn{--c:3px}}`, ".dark", "a.css:1 b selectors of elements; a.css:1 c selectors of elements; a.css:1 c selectors of elements"},
		{"no property holds always", `.light{--a:1px}.dark{--a:2px}`, ".light .dark", ""},
		{"imports and keyframes", "@import './b.css';\n@theme{--a:1px;@keyframes x{from{--b:1}}}", "", "a.css:1  imports; a.css:2  keyframes"},
		{"invalid declarations", ":root{\n--a 1px;\n// x\n--b:1px;\n--c:1px\n--d:1px}\n--e:1px;@layer x{--f:1px}", "", "a.css:2 a invalid declarations; a.css:3 b invalid declarations; a.css:5 d invalid declarations; a.css:7 e invalid declarations; a.css:7 f invalid declarations"},
	}
	for _, c := range cases {
		d := readText(t, "a.css", c.text)
		var axes, got []string
		for _, dimension := range d.Dimensions {
			axes = append(axes, dimension.Name)
		}
		for _, p := range d.Problems {
			got = append(got, fmt.Sprintf("%s %s %s", p.Place, p.Path, p.Kind))
		}
		if strings.Join(axes, " ") != c.axes || strings.Join(got, "; ") != c.want {
			t.Errorf("%s: %s gives the dimensions %q and the problems %q, want %q and %q", c.rule, c.text, axes, got, c.axes, c.want)
		}
	}
}

// TestStylesheet_BoundedNesting: rules in rules must not multiply selectors without end.
func TestStylesheet_BoundedNesting(t *testing.T) {
	for _, one := range []string{"& & &{", "a,b,c,d{", ":is(a,b,c) :is(a,b,c) :is(a,b,c) :is(a,b,c) :is(a,b,c) :is(a,b,c){", "&,& &{"} {
		readText(t, "a.css", strings.Repeat(one, 30)+"--a:1px")
	}
	for _, one := range []string{":not(a)", ":is(a)", ":is(a,b)", "html ", "[a]"} {
		readText(t, "a.css", "x"+strings.Repeat(one, 20_000)+"{--a:1px")
	}
}

func TestCSSAxis(t *testing.T) {
	for text, want := range map[string]string{
		`:root[data-theme = "dark"]`: "[data-theme=dark]", "html.dark": ".dark", "@media(prefers-color-scheme:dark)": "@media (prefers-color-scheme: dark)", ".a>.b": ".a > .b",
	} {
		if got := CSSAxis(text); got != (model.Axis{Kind: model.CSS, Name: want}) {
			t.Errorf("CSSAxis(%s) = %v, want %s", text, got, want)
		}
	}
}

// TestStylesheet_Values reads what var() gives in a choice of selectors.
func TestStylesheet_Values(t *testing.T) {
	cases := []struct{ rule, text, choice, want string }{
		{"aliases", `:root{--a:1px;--b:var(--a);--c:calc(var( --a ) * 2) "var(--a)"}`, "", `a 1px, b {a}, c calc({a} * 2) "var(--a)"`},
		{"fallbacks in fallbacks", `:root{--a:var(--x, var(--y, calc(1px + (2px))));--b:var(--x, var(--a))}`, "", "a calc(1px + (2px)), b {a}"},
		{"a fallback only outside a mode", `:root{--a:var(--b, 1px)}.dark{--b:2px}`, "", "a 1px"},
		{"and not in the mode", `:root{--a:var(--b, 1px)}.dark{--b:2px}`, ".dark", "a {b}, b 2px"},
		{"a cycle, with what leads to it", `:root{--a:var(--b,red);--b:var(--a,blue);--c:var(--a,1px);--d:var(--a);--e:var(--d,2px);--f:var(--f,3px);--g:var(--x,var(--g))}`, "", "c 1px, e 2px; circular a, circular b, references d, circular f, circular g"},
		{"a cycle in a fallback that is not needed", `:root{--a:1px;--b:var(--a,var(--c));--c:var(--b)}`, "", "a 1px, b {a}, c {b}"},
		{"two cycles through one", `:root{--a:var(--b,1px) var(--c,1px);--b:var(--a,1px);--c:var(--b,1px)}`, "", "; circular a, circular b, circular c"},
		{"empty values", `:root{--a:;--b:var(--x,);--c:var(--a) 1px var(--b,2px);--d:var(--b,3px)}`, "", "c 1px; custom a, custom b, custom d"},
		{"a switch of empty values", `:root{--on:var(--md);--sm:var(--on,);--md:var(--on,);--a:var(--sm,var(--x1)) var(--md,var(--x2));--x1:1px;--x2:2px}[data-size=sm]{--on:var(--sm)}`, "[data-size=sm]", "a {x1}, x1 1px, x2 2px; circular on, circular sm, custom md"},
		{"keywords and braces", `:root{--a:initial;--b:var(--a,1px);--c:UNSET;--d:{x:y};--e:var(--d)}`, "", "b 1px; custom a, custom c, custom d, references e"},
		{"names with escapes", `:root{--a\:b:1px;--c:var(--a\:b);--d\.e:var(--c)}`, "", "a:b 1px, c {a:b}, d-e {c}"},
		{"strings", `:root{--a:var(--x, ">")}`, "", "a >"},
	}
	for _, c := range cases {
		choice := model.Choice{}
		if c.choice != "" {
			choice[CSSAxis(c.choice)] = ""
		}
		counting := map[string]model.Decl{}
		var names, got, lost []string
		for _, d := range readText(t, "a.css", c.text).Decls {
			if d.HoldsIn(choice) {
				if _, ok := counting[d.Name()]; !ok {
					names = append(names, d.Name())
				}
				counting[d.Name()] = d
			}
		}
		var decls []model.Decl
		for _, name := range names {
			decls = append(decls, counting[name])
		}
		resolved, problems := cssvalue.Resolve(decls)
		for _, d := range resolved {
			got = append(got, d.Name()+" "+d.Node.Find("$value").Text)
		}
		for _, p := range problems {
			kind, _, _ := strings.Cut(p.Kind, " ")
			lost = append(lost, kind+" "+p.Path)
		}
		text := strings.Join(got, ", ")
		if lost != nil {
			text += "; " + strings.Join(lost, ", ")
		}
		if text != c.want {
			t.Errorf("%s: %s gives\n%s, want\n%s", c.rule, c.text, text, c.want)
		}
	}
}

// TestResolve_OtherForms: var() may name a token of another form, by its name in tokens.css.
func TestResolve_OtherForms(t *testing.T) {
	decls := []model.Decl{
		{Path: []string{"color", "brand"}, Node: jsontree.NewObject(jsontree.Member{Name: "$value", Value: jsontree.NewString("#05a")})},
		{Path: []string{"a"}, Node: cssvalue.Node("var(--color-brand)")},
	}
	resolved, problems := cssvalue.Resolve(decls)
	if i := slices.IndexFunc(resolved, func(d model.Decl) bool { return d.Name() == "a" }); len(problems) > 0 || i < 0 || resolved[i].Node.Find("$value").Text != "{color.brand}" {
		t.Errorf("Resolve = %v, %v", resolved, problems)
	}
}

func FuzzStylesheet(f *testing.F) {
	f.Add(":root { --a: var(--b, url(x)) } @media print { .b:is(:not(c), d) { & e { --c: \"}\" } } }")
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := syntax.Parse("a.css", text)
		if err != nil {
			return
		}
		documents, err := Read([]*model.File{model.NewFile("a.css", parsed)}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		cssvalue.Resolve(documents[0].Decls)
	})
}
