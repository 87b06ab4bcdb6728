package tokenfile

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"example.com/livery/cli/tokenfile/cssvalue"
	"example.com/livery/cli/tokenfile/syntax"
	"example.com/livery/renderer/css"
	"example.com/livery/renderer/jsontree"
)

func recogniseStylesheet(f *syntax.File, _ Options) string {
	if f.Syntax != syntax.CSS || len(f.Root.Members) == 0 {
		return ""
	}
	first := f.Root.Members[0]
	return first.Name + " declares " + first.Value.Members[0].Name
}

// lineEnd is a line end and the blanks around it.
var lineEnd = regexp.MustCompile(`[ \t]*[\r\n\f][ \t\r\n\f]*`)

// readStylesheet makes a part of the custom properties of a stylesheet: those of the usual mode, with those of the mode
// that is asked for laid over them.
func readStylesheet(root *jsontree.Node, o Options) ([]Part, error) {
	p := properties{Options: o, isTheme: slices.ContainsFunc(root.Members, func(m jsontree.Member) bool { return strings.HasPrefix(m.Name, "@theme") })}
	p.read(root)
	return p.parts(), nil
}

// Declare adds the custom properties that a stylesheet declares for the usual mode, or for the one that o asks for, to names.
func Declare(names map[string]bool, root *jsontree.Node, o Options) {
	o.Mode = o.modeOf("")
	p := properties{Options: o}
	p.read(root)
	for _, one := range slices.Concat(p.usual, p.own) {
		names[one.name] = true
	}
}

// read collects the custom properties of a stylesheet.
func (p *properties) read(root *jsontree.Node) {
	of := pageOf(root)
	attributes := map[string]map[string]bool{} // of each mode
	for _, m := range root.Members {
		for _, d := range of.modesOf(m.Name) {
			if d.mode == "" || d.hint.Attribute == "" || isApart(m.Name) {
				continue
			}
			if attributes[d.mode] == nil {
				attributes[d.mode] = map[string]bool{}
			}
			attributes[d.mode][d.hint.Attribute] = true
		}
	}
	for _, m := range root.Members {
		if isApart(m.Name) {
			continue
		}
		p.weight, p.layer = weightOf(m.Name)
		for _, d := range of.modesOf(m.Name) {
			if len(attributes[d.mode]) > 1 && d.hint.Attribute != "" && !IsModeName(d.mode) {
				d.mode = d.hint.Attribute + "-" + d.mode // one value of two attributes is two modes
			}
			if d.mode != "" {
				p.hint(d.mode, d.hint)
			}
			p.collect(d.mode, m.Value, jsontree.Pointer{m.Name})
		}
	}
	p.register(root.Find(syntax.Registered))
	if imports := root.Find(syntax.Imported); imports != nil {
		for _, m := range imports.Members {
			p.conceded = append(p.conceded, Concession{"stylesheets that are imported", jsontree.Pointer{syntax.Imported, m.Name}.String(), m.Name, "it is read only if it is pushed too"})
		}
	}
}

// register adds the initial values of registered custom properties: each counts if no usual selector declares its property.
func (p *properties) register(set *jsontree.Node) {
	if set == nil {
		return
	}
	declared := map[string]property{}
	for _, one := range p.usual {
		if one.value != "initial" { // which asks for the initial value
			declared[one.name] = one
		}
	}
	initial := properties{Options: p.Options, weight: -1}
	initial.collect("", set, jsontree.Pointer{syntax.Registered})
	for _, one := range initial.usual {
		if before, ok := declared[one.name]; ok {
			message := "its initial-value " + Clip(one.value) + " is left out, since it is declared as " + Clip(before.value)
			p.conceded = append(p.conceded, Concession{"initial values of declared properties", one.origin, one.name, message})
		} else {
			p.usual = append(p.usual, one)
		}
	}
}

func recogniseRegistry(f *syntax.File, _ Options) string {
	if at, vars := registryVars(f.Root); vars != nil {
		return named(strings.Join(at, ".")) + " has cssVars"
	}
	return ""
}

// registryVars returns the first cssVars of a registry of shadcn, and the place of the item that has them: the file itself, or
// one of its items. It is nil if there are none.
func registryVars(root *jsontree.Node) (at jsontree.Pointer, vars *jsontree.Node) {
	items := map[string]*jsontree.Node{"": root}
	order := []string{""}
	for _, list := range []string{"items", rootList} {
		for i, item := range itemsOf(root.Find(list)) {
			pointer := jsontree.Pointer{list, itoa(i)}.String()
			order, items[pointer] = append(order, pointer), item
		}
	}
	for _, pointer := range order {
		vars := items[pointer].Find("cssVars")
		isSet := func(m jsontree.Member) bool {
			return m.Value.IsObject() && slices.ContainsFunc(m.Value.Members, func(v jsontree.Member) bool { return v.Value.IsString() })
		}
		if vars.IsObject() && !holds(vars, "$value") && slices.ContainsFunc(vars.Members, isSet) {
			at, _ := jsontree.ParsePointer(pointer)
			return at, vars
		}
	}
	return nil, nil
}

// readRegistry makes a part of a theme of shadcn's registry, whose cssVars hold the properties of all modes and of each.
func readRegistry(root *jsontree.Node, o Options) ([]Part, error) {
	p := properties{Options: o, isTheme: true}
	place, vars := registryVars(root)
	for _, m := range vars.Members {
		mode := m.Name
		if mode == "theme" || mode == "light" {
			mode = ""
		}
		at := append(slices.Clone(place), "cssVars", m.Name)
		if m.Value.IsObject() {
			p.collect(mode, m.Value, at)
		} else {
			p.faults = append(p.faults, Fault{at.String(), m.Name, "cssVars holds objects of custom properties, and no " + spelled(m.Value)})
		}
	}
	p.nameBeside(root, nil, append(slices.Clone(place), "cssVars").String())
	return p.parts(), nil
}

// nameBeside names the custom properties that stand elsewhere in a registry than in the cssVars that are read, by their names
// or as other cssVars, and what Tailwind's configuration in it has.
func (p *properties) nameBeside(n *jsontree.Node, at jsontree.Pointer, read string) {
	each := func(name string, value *jsontree.Node) {
		below := append(at[:len(at):len(at)], name)
		isSet := slices.ContainsFunc(below, func(name string) bool { return strings.HasPrefix(name, "cssVars") || name == "config" })
		switch {
		case below.String() == read:
		case isSet && slices.Contains(below, "config") && strings.Contains(textOf(value), "var(--"):
			p.conceded = append(p.conceded, Concession{"uses of custom properties in Tailwind's configuration", below.String(), name, spelled(value) + " is left out"})
		case value.IsString() && (strings.HasPrefix(name, "--") || isSet):
			p.faults = append(p.faults, Fault{below.String(), strings.TrimPrefix(name, "--"), "it stands in " + strings.Join(below[:len(below)-1], ".") + ", and only the first cssVars are read; put it there, or into a file of its own"})
		default:
			p.nameBeside(value, below, read)
		}
	}
	if n == nil {
		return
	}
	for _, m := range n.Members {
		each(m.Name, m.Value)
	}
	for i, item := range n.Items() {
		each(itoa(i), item)
	}
}

// property is a custom property and its place in the file.
type property struct {
	name, value, origin string

	weight int // the property of the greatest counts, of equal ones the last
}

// properties collects custom properties by mode.
type properties struct {
	Options
	weight   int      // of the selector at hand
	layer    int      // what its layer adds to it
	isTheme  bool     // names say their types as Tailwind reads them
	names    []string // of the modes
	hints    map[string]Hint
	usual    []property
	own      []property     // of the mode that is asked for
	left     map[string]int // properties of other modes
	first    map[string]property
	faults   []Fault
	conceded []Concession
	named    map[string]property // by the name of its token
}

// hint notes what a selector says of a mode: of several selectors each may say a part.
func (p *properties) hint(mode string, h Hint) {
	if p.hints == nil {
		p.hints = map[string]Hint{}
	}
	known := p.hints[mode]
	p.hints[mode] = Hint{cmp.Or(known.Attribute, h.Attribute), cmp.Or(known.When, h.When)}
}

func (p *properties) collect(mode string, set *jsontree.Node, at jsontree.Pointer) {
	for _, m := range set.Members {
		if m.Value.IsObject() || isArray(m.Value) {
			p.faults = append(p.faults, Fault{append(at[:len(at):len(at)], m.Name).String(), m.Name, "a custom property cannot have this value: " + spelled(m.Value)})
			continue
		}
		value := lineEnd.ReplaceAllString(strings.TrimSpace(m.Value.Text), " ") // which no text in a stylesheet holds
		value, isImportant := strings.CutSuffix(value, syntax.Important)
		one := property{strings.TrimPrefix(m.Name, "--"), value, append(at[:len(at):len(at)], m.Name).String(), p.weight + p.layer}
		if isImportant { // among what is important a layer goes before what is in none
			one.weight = p.weight + outOfLayer - p.layer + importantWeight
		}
		if mode != "" {
			one.weight += modeWeight
		}
		switch {
		case mode == "":
			p.usual = append(p.usual, one)
			continue
		case mode == p.Mode:
			p.own = append(p.own, one)
		default:
			if p.left == nil {
				p.left, p.first = map[string]int{}, map[string]property{}
			}
			if p.left[mode]++; p.left[mode] == 1 {
				p.first[mode] = one
			}
		}
		if !slices.Contains(p.names, mode) {
			p.names = append(p.names, mode)
		}
	}
}

// parts returns the properties as a tree.
func (p *properties) parts() []Part {
	part := Part{Tree: jsontree.NewObject(), Origins: map[string]string{}, ModeNames: p.names, Faults: p.faults, Concessions: p.conceded}
	p.named = map[string]property{}
	if len(p.names) > 0 {
		part.Dimensions = []Dimension{{Modes: append([]string{""}, p.names...), Hints: p.hints}}
	}
	known := map[string]bool{}
	maps.Copy(known, p.Declared)
	list := slices.Concat(p.usual, p.own)
	for _, one := range list {
		known[one.name] = true
	}
	if p.Overrides && p.Mode != "" {
		list = p.own
	}
	for _, one := range list {
		p.add(&part, one, known)
	}
	for _, mode := range p.names {
		if n := p.left[mode]; n > 0 && p.Choice == nil && !(p.Overrides && p.Mode != "") {
			first := p.first[mode]
			part.Concessions = append(part.Concessions, Concession{"custom properties of other modes", first.origin, first.name, plural(n, "property", "properties") + " of " + mode + " left out, the first " + first.value + " (--token-mode)"})
		}
	}
	part.Tree.Index()
	return []Part{part}
}

// modeWeight is more than any selector weighs, and importantWeight more than a mode.
const (
	modeWeight      = 1 << 16
	importantWeight = 1 << 20
)

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return itoa(n) + " " + many
}

func (p *properties) add(part *Part, one property, known map[string]bool) {
	concede := func(kind, message string) {
		part.Concessions = append(part.Concessions, Concession{kind, one.origin, one.name, message})
	}
	name := propertyName(one.name)
	before, isSecond := p.named[name]
	if isSecond = isSecond && before.name == one.name; isSecond && before.weight/modeWeight == one.weight/modeWeight && before.value != one.value && selectorOf(before) != selectorOf(one) {
		loses := before
		if before.weight > one.weight {
			loses = one
		}
		part.Concessions = append(part.Concessions, Concession{"values that another rule replaces", loses.origin, loses.name, Clip(loses.value) + " is left out: of the rules for one mode another counts"})
	}
	if isSecond && before.weight > one.weight {
		return
	}
	value := cssvalue.ReplaceVariables(cssvalue.WithoutTailwind(cssvalue.UnescapedStrings(one.value)), func(reference, to, fallback string) string {
		switch {
		case known[to] && to != one.name:
			return "{" + propertyName(to) + "}"
		case fallback != "":
			concede("references to properties that the file lacks", reference+": the value after the comma counts")
			return fallback
		}
		return reference
	})
	switch {
	case slices.Contains(wideKeywords, strings.ToLower(value)) || strings.HasSuffix(one.name, "*") || value == "" || strings.Contains(one.value, "{"):
		concede("custom properties without a value", `"`+one.value+`" is left out`)
		return
	case strings.Contains(value, "var(--"):
		part.Faults = append(part.Faults, Fault{one.origin, one.name, "it refers to a property that the file lacks; push it with the file that declares it: " + Clip(one.value)})
		return
	}
	if strings.Contains(strings.ToLower(value), "url(") {
		concede("addresses", Clip(value)+" is text in the served files: nothing in them makes a browser fetch anything")
	}
	members := []jsontree.Member{}
	node := jsontree.NewString(value)
	spelled, misfit := css.Append(nil, css.Unknown, node)
	isQuoted := misfit == nil && spelled[0] == '"' && spelled[len(spelled)-1] == '"'
	if text, isText := cssvalue.TextOf(value); isText && isQuoted && string(spelled) != value { // it has what no value has as it is
		node = jsontree.NewString(text)
		members = append(members, jsontree.Member{Name: "$type", Value: jsontree.NewString("string")})
	} else if kind := p.typeOf(one.name, node); kind != "" {
		members = append(members, jsontree.Member{Name: "$type", Value: jsontree.NewString(kind)})
	}
	if isQuoted && len(members) == 0 && value[0] != '"' && !strings.Contains(value, "{") && !strings.Contains(strings.ToLower(value), "url(") {
		concede("values that are text in quotes", Clip(value)+" is served in quotes: what is not known to be safe is a text")
	}
	if own, served := "--"+cssvalue.Unescaped(one.name), string(css.AppendName(nil, "", []string{name})); own != served {
		concede("names that tokens.css spells otherwise", own+" is "+served+" there")
	}
	token := jsontree.NewObject(append(members, jsontree.Member{Name: "$value", Value: node})...)
	if before, ok := p.named[name]; ok && before.name != one.name {
		part.Faults = append(part.Faults, Fault{before.origin, before.name, "the custom properties --" + before.name + " and --" + one.name + " have one name, " + name + ", as tokens; the second counts"})
	}
	p.named[name] = one
	if i := part.Tree.IndexOf(name); i >= 0 {
		part.Tree.Members[i].Value = token
	} else {
		part.Tree.Members = append(part.Tree.Members, jsontree.Member{Name: name, Value: token})
	}
	part.Origins[jsontree.Pointer{name}.String()] = one.origin
}

// wideKeywords are those that every property of CSS takes: they say no value of their own.
var wideKeywords = []string{"initial", "inherit", "unset", "revert", "revert-layer"}

// selectorOf is the selector that declares a property.
func selectorOf(one property) string {
	p, _ := jsontree.ParsePointer(one.origin)
	return strings.Join(p[:len(p)-1], " ")
}

// propertyName is the name of the token of a custom property: its own, without escapes and what no name of a token holds.
func propertyName(name string) string {
	return strings.TrimLeft(strings.NewReplacer(".", "-", "{", "-", "}", "-").Replace(cssvalue.Unescaped(name)), "$")
}

// themeTypes are the types of the namespaces of Tailwind's @theme.
var themeTypes = []struct{ namespace, kind string }{
	{"color", "color"},
	{"font-weight", "fontWeight"},
	{"font", "fontFamily"},
	{"text", "dimension"},
	{"tracking", "dimension"},
	{"leading", "lineHeight"},
	{"breakpoint", "dimension"},
	{"container", "dimension"},
	{"spacing", "dimension"},
	{"radius", "dimension"},
	{"blur", "dimension"},
	{"shadow", "shadow"},
	{"inset-shadow", "shadow"},
	{"ease", "cubicBezier"},
	{"perspective", "dimension"},
}

// themeSuffixes are the types of what belongs to a size of text in Tailwind's @theme, as --text-sm--line-height.
var themeSuffixes = []struct{ suffix, kind string }{
	{"--line-height", "lineHeight"},
	{"--font-weight", "fontWeight"},
	{"--letter-spacing", "dimension"},
}

// typeOf is the type of a custom property: that of its namespace, if the value is one of it. Else the shape of the value tells.
func (p *properties) typeOf(name string, value *jsontree.Node) string {
	if !p.isTheme || strings.Contains(value.Text, "{") {
		return ""
	}
	isUnitless := cssvalue.IsUnitless(value.Text) // CSS gives it no unit
	for _, t := range themeSuffixes {
		if strings.HasSuffix(name, t.suffix) {
			if !Fits(t.kind, value) || isUnitless && t.kind == "dimension" {
				return ""
			}
			return t.kind
		}
	}
	for _, t := range themeTypes {
		if isUnitless && t.kind == "dimension" {
			continue
		}
		if (name == t.namespace || strings.HasPrefix(name, t.namespace+"-")) && Fits(t.kind, value) {
			return t.kind
		}
	}
	return ""
}
