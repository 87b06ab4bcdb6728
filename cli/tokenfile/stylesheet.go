package tokenfile

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
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
	p := properties{Options: o.ofValues(), isTheme: slices.ContainsFunc(root.Members, func(m jsontree.Member) bool { return strings.HasPrefix(m.Name, "@theme") })}
	p.read(root)
	return p.parts(), nil
}

// Declare returns o with what stylesheets declare: the pages of their modes, and the custom properties for the usual
// mode or for the one that o asks for.
func Declare(o Options, roots ...*jsontree.Node) Options {
	o.Declared, o.Pages = maps.Clone(o.Declared), maps.Clone(o.Pages)
	if o.Declared == nil {
		o.Declared, o.Pages = map[string]cssvalue.State{}, map[string][][]string{}
	}
	o.readAs = o.Memo.readsAs(roots)
	p := properties{Options: o.ofValues()}
	for _, root := range roots {
		p.read(root)
	}
	maps.Copy(o.Pages, p.pages)
	for _, one := range p.list {
		is := cssvalue.Elsewhere
		switch {
		case isWideKeyword(one.value):
			is = cssvalue.Invalid
		case p.holds(one.mode) || !p.isOfPage(): // elements may stand in others that have it
			is = cssvalue.Valid
		}
		o.Declared[one.name] = max(o.Declared[one.name], is)
	}
	return o
}

// read collects the custom properties of a stylesheet.
func (p *properties) read(root *jsontree.Node) {
	if p.readAs == nil {
		p.readAs = readAs([]*jsontree.Node{root})
	}
	of := pageOf(root, p.readAs)
	attributes := map[string][]string{} // of each mode
	for _, m := range root.Members {
		for _, d := range of.modesOf(m.Name) {
			if d.mode != "" && d.hint.Attribute != "" && !isApart(m.Name) {
				attributes[d.mode] = AppendNew(attributes[d.mode], d.hint.Attribute)
			}
		}
	}
	order := membersOf(root.Find(syntax.Layer))
	for _, m := range root.Members {
		if isApart(m.Name) {
			continue
		}
		p.layer = len(order) + 1
		if layer, _ := cutLayer(m.Name); layer != "" {
			p.layer = slices.IndexFunc(order, func(one jsontree.Member) bool { return one.Name == layer }) + 1
		}
		for _, d := range of.modesOf(m.Name) {
			if len(attributes[d.mode]) > 1 && d.hint.Attribute != "" && !IsModeName(d.mode) {
				d.mode = d.hint.Attribute + "-" + d.mode // one value of two attributes is two modes
			}
			p.collect(d, m.Value, jsontree.Pointer{m.Name})
		}
	}
	p.register(root.Find(syntax.Registered))
	p.nameInvalid(root.Find(syntax.Invalid))
	for _, apart := range []Concession{
		{"stylesheets that are imported", syntax.Imported, "", "it is read only if it is pushed too"},
		{"keyframes", syntax.Keyframes, "", "keyframes are no tokens and left out; keep them in a stylesheet of your own"},
	} {
		for _, m := range membersOf(root.Find(apart.Pointer)) {
			at := jsontree.Pointer{apart.Pointer, m.Name}.String()
			p.conceded = append(p.conceded, Concession{apart.Kind, at, m.Name, apart.Message})
		}
	}
}

// register adds the initial values of registered custom properties: each counts if no usual selector declares its
// property.
func (p *properties) register(set *jsontree.Node) {
	if set == nil {
		return
	}
	known := map[string]property{}
	for _, one := range p.list {
		if one.mode == "" && one.value != "initial" { // which asks for the initial value
			known[one.name] = one
		}
	}
	initial := properties{layer: 0}
	initial.collect(declared{light: absent}, set, jsontree.Pointer{syntax.Registered})
	for _, one := range initial.list {
		if before, ok := known[one.name]; ok {
			message := "its initial-value " + Clip(one.value) + " is left out, since it is declared as " + Clip(before.value)
			p.conceded = append(p.conceded, Concession{"initial values of declared properties", one.origin, one.name, message})
		} else {
			p.list = append(p.list, one)
		}
	}
}

// nameInvalid names the statements that are not a declaration of the custom property in them.
func (p *properties) nameInvalid(set *jsontree.Node) {
	for _, m := range membersOf(set) {
		name := strings.TrimPrefix(strings.TrimSpace(writtenName.FindString(m.Name)), "--")
		said := strconv.Quote(Clip(lineEnd.ReplaceAllString(m.Name, " ")))
		why := " is one declaration to a browser; end each with a semicolon, and write comments as /* … */"
		if strings.HasPrefix(m.Name, "--") {
			why = " has no colon; write --" + name + ": …;"
		}
		p.faults = append(p.faults, Fault{jsontree.Pointer{syntax.Invalid, m.Name}.String(), name, "it is left out: " + said + why})
	}
}

// writtenName is the name of a custom property at the beginning of a line.
var writtenName = regexp.MustCompile(`(?m)^[ \t]*--[^\s:]+`)

func recogniseRegistry(f *syntax.File, _ Options) string {
	if at, vars := registryVars(f.Root); vars != nil {
		return named(strings.Join(at, ".")) + " has cssVars"
	}
	return ""
}

// registryVars returns the first cssVars of a registry of shadcn, and the place of the item that has them: the file
// itself, or one of its items. It is nil if there are none.
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

// readRegistry makes a part of a theme of shadcn's registry, whose cssVars hold the properties of all modes and of
// each.
func readRegistry(root *jsontree.Node, o Options) ([]Part, error) {
	p := properties{Options: o.ofValues(), isTheme: true}
	place, vars := registryVars(root)
	for _, m := range vars.Members {
		of := declared{mode: m.Name, weight: 1, light: absent} // whatever the order
		if m.Name == "theme" || m.Name == "light" {
			of = declared{light: absent}
		}
		at := append(slices.Clone(place), "cssVars", m.Name)
		if m.Value.IsObject() {
			p.collect(of, m.Value, at)
		} else {
			p.faults = append(p.faults, Fault{at.String(), m.Name, "cssVars holds objects of custom properties, and no " + spelled(m.Value)})
		}
	}
	p.nameBeside(root, nil, append(slices.Clone(place), "cssVars").String())
	return p.parts(), nil
}

// nameBeside names the custom properties that stand elsewhere in a registry than in the cssVars that are read, by their
// names or as other cssVars, and what Tailwind's configuration in it has.
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

	mode          string // empty for the usual one
	weight, light int    // as those of declared, with the layer
}

// properties collects custom properties by mode.
type properties struct {
	Options
	layer    int        // of the selector at hand, counted from the one that all others win over
	isTheme  bool       // names say their types as Tailwind reads them
	list     []property // in the order of the file
	names    []string   // of the modes
	hints    map[string]Hint
	holding  map[string]bool       // what holds returned, by mode
	pages    map[string][][]string // as Options.Pages, with those of the file
	faults   []Fault
	conceded []Concession
	named    map[string]property // by the name of its token
	resolver cssvalue.Resolver
}

// enter notes what a selector says of a mode: of several selectors each may say a part.
func (p *properties) enter(d declared) {
	if p.hints == nil {
		p.hints, p.pages = map[string]Hint{}, map[string][][]string{}
		maps.Copy(p.pages, p.Pages)
	}
	p.hints[d.mode] = p.hints[d.mode].join(d.hint)
	p.pages[d.mode] = slices.Concat(p.pages[d.mode], d.conditions)
	p.names = AppendNew(p.names, d.mode)
}

func (p *properties) collect(d declared, set *jsontree.Node, at jsontree.Pointer) {
	if d.mode != "" {
		p.enter(d)
	}
	for _, m := range set.Members {
		if m.Value.IsObject() || isArray(m.Value) {
			p.faults = append(p.faults, Fault{append(at[:len(at):len(at)], m.Name).String(), m.Name, "a custom property cannot have this value: " + spelled(m.Value)})
			continue
		}
		value := lineEnd.ReplaceAllString(strings.TrimSpace(m.Value.Text), " ") // which no text in a stylesheet holds
		value, isImportant := strings.CutSuffix(value, syntax.Important)
		layer := min(p.layer, maxLayers) * layerWeight
		if isImportant { // among what is important a layer goes before what is in none
			layer = importantWeight - layer
		}
		weigh := func(weight int) int {
			if weight == absent {
				return absent
			}
			return weight + layer
		}
		p.list = append(p.list, property{strings.TrimPrefix(m.Name, "--"), value, append(at[:len(at):len(at)], m.Name).String(), d.mode, weigh(d.weight), weigh(d.light)})
	}
}

// holds reports whether what a mode declares holds in the mode that is asked for too: if a page that has what the
// latter needs has what the former needs.
func (p *properties) holds(mode string) bool {
	holds, isKnown := p.holding[mode]
	if !isKnown {
		if p.holding == nil {
			p.holding = map[string]bool{}
		}
		holds = p.includes(p.Mode, mode)
		p.holding[mode] = holds
	}
	return holds
}

func (p *properties) includes(mode, part string) bool {
	return part == "" || part == mode || slices.ContainsFunc(p.pages[part], func(needed []string) bool {
		return len(needed) > 0 && slices.ContainsFunc(p.pages[mode], func(has []string) bool {
			return !slices.ContainsFunc(needed, func(one string) bool { return !slices.Contains(has, one) })
		})
	})
}

// parts returns the properties as a tree.
func (p *properties) parts() []Part {
	part := Part{Tree: jsontree.NewObject(), Origins: map[string]string{}, ModeNames: p.names, Faults: p.faults, Concessions: p.conceded}
	p.named = map[string]property{}
	if len(p.names) > 0 {
		part.Dimensions = []Dimension{{Modes: append([]string{""}, p.names...), Hints: p.hints}}
	}
	isOverride, list := p.Overrides && p.Mode != "", p.cascade(&part)
	p.resolve(&part, list)
	for _, one := range list {
		if !isOverride || one.mode != "" {
			p.add(&part, one)
		}
	}
	if p.Choice == nil && !isOverride {
		p.nameLeft(&part)
	}
	part.Tree.Index()
	return []Part{part}
}

// isOfPage reports whether the mode that is asked for is one of the page itself, and not of elements in it, whose own
// values go before those that they inherit.
func (p *properties) isOfPage() bool {
	return len(p.pages[p.Mode]) == 0 || slices.ContainsFunc(p.pages[p.Mode], isOfPage)
}

// cascade returns the properties that count in the mode that is asked for, and those that say no value, which count for
// none. It names those that lose to one of no more conditions.
func (p *properties) cascade(part *Part) (list []property) {
	inMode, places, isOfPage := map[string]bool{}, map[string]int{}, p.isOfPage()
	for _, one := range p.list {
		inMode[one.name] = inMode[one.name] || one.mode != "" && p.holds(one.mode)
	}
	for _, one := range p.list {
		// What light says holds beside a mode of another dimension, as far as that says nothing else.
		if p.Mode == "" || !inMode[one.name] && !strings.Contains(ModeKey(p.Mode), "dark") {
			one.weight = max(one.weight, one.light)
		}
		if one.mode != "" && !isOfPage {
			one.weight += elementWeight
		}
		i, isSecond := places[one.name]
		switch {
		case one.weight == absent || !p.holds(one.mode):
		case isSecond && !saysNoValue(one.name, one.value):
			list[i] = p.prevailing(part, list[i], one)
		default:
			if list = append(list, one); !saysNoValue(one.name, one.value) {
				places[one.name] = len(list) - 1
			}
		}
	}
	return list
}

// prevailing returns which of two declarations of a property counts, and names the other if it has no fewer conditions.
func (p *properties) prevailing(part *Part, before, after property) property {
	wins, loses := after, before
	if before.weight > after.weight {
		wins, loses = before, after
	}
	isAsked := loses.mode != "" || p.Mode == "" || !p.Overrides
	if isAsked && wins.value != loses.value && selectorOf(wins) != selectorOf(loses) && p.includes(loses.mode, wins.mode) {
		message := Clip(loses.value) + " is left out: what " + Clip(selectorOf(wins)) + " says counts"
		part.Concessions = append(part.Concessions, Concession{"values that another declaration replaces", loses.origin, loses.name, message})
	}
	return wins
}

// nameLeft names the modes whose properties are left out.
func (p *properties) nameLeft(part *Part) {
	for _, mode := range p.names {
		left := slices.DeleteFunc(slices.Clone(p.list), func(one property) bool { return one.mode != mode })
		if len(left) > 0 && !p.holds(mode) {
			part.Concessions = append(part.Concessions, Concession{"custom properties of other modes", left[0].origin, left[0].name, plural(len(left), "property", "properties") + " of " + mode + " left out, the first " + left[0].value + " (--token-mode)"})
		}
	}
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return itoa(n) + " " + many
}

// fontOfPage is a reference to a font that a program sets in the page, as next/font does, if no file declares it.
// notFonts are names of properties of fonts that are none of fonts.
var (
	fontOfPage = regexp.MustCompile(`^var\(\s*--(font-[\w-]+)\s*\)$`)
	notFonts   = regexp.MustCompile(`(?i)^font-?(size|weight|style|stretch|width|variant|variation|feature|kerning|height|leading|line|spacing|color)`)
)

// isFont reports whether a name of a custom property is that of a font.
func isFont(name string) bool { return strings.HasPrefix(name, "font") && !notFonts.MatchString(name) }

// isFontOfPage reports whether one font of a custom property is such a reference.
func (p *properties) isFontOfPage(font string) bool {
	to := fontOfPage.FindStringSubmatch(font)
	if to == nil || !isFont(to[1]) {
		return false
	}
	_, isDeclared := p.Declared[to[1]]
	for _, one := range p.list {
		if one.name == to[1] && one.value != font {
			return false
		}
		isDeclared = isDeclared && one.name != to[1] // by itself: it means another of its name
	}
	return !isDeclared
}

// withoutPage returns a list of fonts without those that a program sets in the page, if others are left.
func (p *properties) withoutPage(part *Part, one property, value string) string {
	if !isFont(one.name) {
		return value
	}
	fonts := syntax.Selectors(value)
	left := slices.DeleteFunc(slices.Clone(fonts), p.isFontOfPage)
	if len(left) == 0 || len(left) == len(fonts) {
		return value
	}
	message := Clip(value) + " is read as " + Clip(strings.Join(left, ", ")) + ": no file declares the other"
	part.Concessions = append(part.Concessions, Concession{"references to properties that the file lacks", one.origin, one.name, message})
	return strings.Join(left, ", ")
}

// resolve finds the states of properties, as they count in a mode.
func (p *properties) resolve(part *Part, list []property) {
	p.resolver = cssvalue.Resolver{Values: map[string]string{}, States: map[string]cssvalue.State{}, IsOuter: p.isTheme}
	maps.Copy(p.resolver.States, p.Declared)
	for _, one := range list {
		if one.value == "" {
			p.resolver.States[one.name] = cssvalue.Empty
		}
		if !saysNoValue(one.name, one.value) {
			value := cssvalue.WithoutTailwind(cssvalue.UnescapedStrings(one.value))
			p.resolver.Values[one.name] = p.withoutPage(part, one, value)
		}
	}
	p.resolver.Resolve()
}

func (p *properties) add(part *Part, one property) {
	concede := func(kind, message string) {
		part.Concessions = append(part.Concessions, Concession{kind, one.origin, one.name, message})
	}
	if saysNoValue(one.name, one.value) || strings.Contains(one.value, "{") {
		concede("custom properties without a value", `"`+one.value+`" is left out`)
		return
	}
	if p.resolver.States[one.name] == cssvalue.Cyclic {
		part.Faults = append(part.Faults, Fault{one.origin, one.name, "its references lead back to it, so that a browser gives it no value: " + Clip(one.value)})
		return
	}
	name := propertyName(one.name)
	value, hasValue := cssvalue.Substitute(p.resolver.Values[one.name], func(reference, to string) (string, cssvalue.State) {
		is := p.resolver.Of(one.name, to)
		_, isHere := p.resolver.Values[to]
		_, isDeclared := p.Declared[to]
		switch {
		case is == cssvalue.Valid || is == cssvalue.Empty || !strings.Contains(reference, ","):
		case (isHere || isDeclared) && to != one.name:
			concede("references to properties that a browser gives no value", reference+": the value after the comma counts")
		default:
			concede("references to properties that the file lacks", reference+": the value after the comma counts")
		}
		return "{" + propertyName(to) + "}", is
	})
	switch {
	case saysNoValue(one.name, value):
		concede("custom properties without a value", `"`+one.value+`" is left out`)
		return
	case !hasValue && isFont(one.name) && p.isFontOfPage(value):
		concede(fontsOfPages, one.value+" is declared by no file, as next/font declares fonts in a page; the token is left out: write a list of fonts to have it")
		return
	case !hasValue:
		part.Faults = append(part.Faults, Fault{one.origin, one.name, "it refers to a property that the file lacks or that has no value; push it with the file that declares it: " + Clip(one.value)})
		return
	}
	if cssvalue.HasAddress(value) {
		concede(addresses, Clip(value)+asText)
	}
	members := []jsontree.Member{}
	node := jsontree.NewString(value)
	spelled, _ := css.Append(nil, css.Unknown, node)
	isQuoted := isQuoted(node)
	if text, isText := cssvalue.TextOf(value); isText && isQuoted && string(spelled) != value { // it has what no value has as it is
		node = jsontree.NewString(text)
		members = append(members, jsontree.Member{Name: "$type", Value: jsontree.NewString("string")})
	} else if kind := p.typeOf(one.name, node); kind != "" {
		members = append(members, jsontree.Member{Name: "$type", Value: jsontree.NewString(kind)})
	}
	if isQuoted && len(members) == 0 && value[0] != '"' && !strings.Contains(value, "{") && !cssvalue.HasAddress(value) {
		concede(inQuotes, Clip(value)+asQuoted)
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

// isWideKeyword reports whether a value is one of the keywords that every property of CSS takes: they say no value of
// their own.
func isWideKeyword(value string) bool {
	return slices.Contains([]string{"initial", "inherit", "unset", "revert", "revert-layer"}, strings.ToLower(value))
}

// saysNoValue reports whether a custom property has nothing that a token can have.
func saysNoValue(name, value string) bool {
	return isWideKeyword(value) || value == "" || strings.HasSuffix(name, "*")
}

// selectorOf is the selector that declares a property.
func selectorOf(one property) string {
	p, _ := jsontree.ParsePointer(one.origin)
	return strings.Join(p[:len(p)-1], " ")
}

// propertyName is the name of the token of a custom property: its own, without escapes and what no name of a token
// holds.
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

// typeOf is the type of a custom property: that of its namespace, if the value is one of it. Else the shape of the
// value tells.
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
