package tokenfile

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"example.com/livery/cli/tokenfile/syntax"
	"example.com/livery/renderer/jsontree"
)

// The selectors whose custom properties hold for a whole page: in every mode, and in light.
var (
	usualSelectors = regexp.MustCompile(`(?i)^(@theme\b.*|(:root)+|:host|html|\*|body)$`)
	lightSelectors = regexp.MustCompile(`(?i)^(:root|html)?\[(data-)?(theme|mode|color-scheme|color-mode)="?(light|default)"?\]$`)
)

// mediaFeature is the name and value of a media query, mediaQuery all of one, quotedName the name and value
// of an attribute in a selector.
var (
	mediaFeature  = regexp.MustCompile(`\((prefers-[a-z-]+|forced-colors) ?: ?([a-z-]+)\)`)
	mediaQuery    = regexp.MustCompile(`^@media ((?:only |not )?(?:screen|print|all|\([^()]*\))(?: (?:and|or) (?:not )?(?:screen|print|all|\([^()]*\)))*)$`)
	quotedName    = regexp.MustCompile(`\[([\w-]+)[~|^$*]?=["']?([\w.%-]+)["']?\]`)
	pageAttribute = regexp.MustCompile(`(?i)(^|-)(theme|mode|scheme|contrast)$`)
	className     = regexp.MustCompile(`(?i)^(?::root|html|body)?\.([\w-]+)$`)
	rootName      = regexp.MustCompile(`(?i)^(:root|html|body)?`)  // empty if a selector begins with none
	compound      = regexp.MustCompile(`^(\.[\w-]+|\[[^\]]*\])*$`) // of classes and attributes
	simpleName    = regexp.MustCompile(`\.([\w-]+)|\[[^\]]*\]`)
	supported     = regexp.MustCompile(`@supports[ (][^@{]*`)
	variantName   = regexp.MustCompile(`@variant ([\w-]+)`)
)

// withoutScreen takes what every query may say out of one, and plainAttributes what may be left out of attributes.
var (
	withoutScreen   = strings.NewReplacer("only ", "", "screen", "", "all", "", " and ", "", " ", "")
	plainAttributes = strings.NewReplacer(`"`, "", "'", "", "[data-", "[")
)

// weightless is what a selector is put into to have less weight than others, or another; denied is what it says that is
// not. uncounted, inBrackets, functional and element are what its specificity is counted by.
var (
	weightless = regexp.MustCompile(`:(?:where|is)\(([^()]*)\)`)
	denied     = regexp.MustCompile(`:not\([^()]*\)`)
	uncounted  = regexp.MustCompile(`:where\((?:[^()]|\([^()]*\))*\)`)
	inBrackets = regexp.MustCompile(`\[[^\]]*\]`)
	functional = regexp.MustCompile(`:(?:is|not|has)\(`)
	element    = regexp.MustCompile(`(?:^|[ >+~(])[a-zA-Z]`)
)

// page is what the selectors of a stylesheet together say of it.
type page struct {
	readAs map[string]string // as Options.readAs
	base   string            // the class that stands for the page, if one does
	plugin string            // the theme of daisyUI that is the page's own, if there are some
	isDark bool              // what holds in every mode is the dark mode, and light is one beside it
	inBody bool              // what holds in every mode is declared for the body, so that classes of modes are taken to be its own
}

// declared is a mode that selectors of a list declare for, and what else they say of it.
type declared struct {
	mode   string // empty for the usual one
	hint   Hint
	weight int // the greatest of the selectors; absent if they are all of light
	light  int // the greatest of the selectors of light, which hold in no other mode; absent if there are none

	conditions [][]string // of each selector: what a page must have
}

// absent is less than any weight.
const absent = -1

func (d *declared) join(other declared) {
	d.hint = d.hint.join(other.hint)
	d.weight, d.light = max(d.weight, other.weight), max(d.light, other.light)
	d.conditions = append(d.conditions, other.conditions...)
}

// alternative is a selector of a list, without what it is put into, and its weight as it is written.
type alternative struct {
	selector string
	weight   int
}

// partsOf splits a list of selectors, in or out of a layer, and under a media query or other conditions, which are the
// same for all.
func (p page) partsOf(selector string) (query string, list []alternative) {
	_, selector = cutLayer(selector)
	if conditions, inside, isIn := strings.Cut(selector, "{"); isIn {
		query, selector = strings.TrimSpace(supported.ReplaceAllStringFunc(conditions, unsupported)), strings.TrimSpace(inside)
	}
	if m := mediaQuery.FindStringSubmatch(query); m != nil {
		if query = m[1]; slices.Contains([]string{"screen", "all", "only screen", "not print"}, query) {
			query = ""
		}
	}
	for _, one := range syntax.Selectors(selector) {
		if len(p.readAs) > 0 {
			one = cmp.Or(simpleName.ReplaceAllStringFunc(one, p.spelling), usualAlone)
		}
		for _, said := range spread(one) {
			list = append(list, alternative{said, weightOf(one)})
		}
	}
	return query, list
}

// spread lists the selectors that one with :is() or :where() stands for, as far as they are not too many.
func spread(selector string) []string {
	all := []string{selector}
	for i := 0; i < len(all) && len(all) < mostSpread; {
		at := weightless.FindStringSubmatchIndex(all[i])
		if at == nil {
			i++
			continue
		}
		var each []string
		for one := range strings.SplitSeq(all[i][at[2]:at[3]], ",") {
			each = append(each, all[i][:at[0]]+strings.TrimSpace(one)+all[i][at[1]:])
		}
		all = slices.Replace(all, i, i+1, each...)
	}
	return all
}

const mostSpread = 100

// usualAlone is the selector of a whole page that weighs nothing.
const usualAlone = ":where(:root)"

// spelling is how a class or an attribute in a selector is read.
func (p page) spelling(simple string) string {
	if as, ok := p.readAs[plainAttributes.Replace(simple)]; ok {
		return as
	}
	return simple
}

// unsupported is a condition of what a browser supports as far as browsers differ in it: if it denies something or asks
// for a property of one vendor. Else it is empty, since a page cannot choose it as it chooses a mode.
func unsupported(condition string) string {
	if strings.Contains(condition, "not") || strings.Contains(condition, "(-") {
		return condition
	}
	return ""
}

// modesOf lists the modes for which a selector declares: each once, and the usual one alone if it is among them.
func (p page) modesOf(selector string) (modes []declared) {
	if m := pluginTheme.FindStringSubmatch(selector); m != nil {
		return p.modeOfPlugin(m)
	}
	query, list := p.partsOf(variantName.ReplaceAllString(selector, ""))
	for _, one := range list {
		d := p.modeOf(query, one.selector)
		if m := variantName.FindStringSubmatch(selector); m != nil {
			d = declared{mode: m[1]}
		}
		d.weight, d.light = one.weight, absent
		if p.inBody && d.mode != "" && rootName.FindString(one.selector) == "" {
			d.weight += elementWeight
		}
		if key := ModeKey(d.mode); !p.isDark && (key == "light" || key == "default" || key == "base") {
			d = declared{weight: absent, light: d.weight}
		}
		if i := slices.IndexFunc(modes, func(other declared) bool { return other.mode == d.mode }); i < 0 {
			modes = append(modes, d)
		} else {
			modes[i].join(d)
		}
	}
	if i := slices.IndexFunc(modes, func(d declared) bool { return d.mode == "" }); i >= 0 {
		return modes[i : i+1]
	}
	return modes
}

// pluginTheme is what a theme of daisyUI says of itself, as package syntax spells it.
var pluginTheme = regexp.MustCompile(`^@plugin "daisyui/theme" (\S+)( default)?( prefersdark)?$`)

// modeOfPlugin is the mode that a theme of daisyUI is: daisyUI selects it by an attribute, and by a condition if it says
// so.
func (p page) modeOfPlugin(theme []string) []declared {
	if theme[0] == p.plugin {
		return []declared{{light: absent}}
	}
	attribute := "[theme=" + theme[1] + "]"
	d := declared{mode: theme[1], hint: Hint{Attribute: "theme"}, weight: weightOf(attribute), light: absent, conditions: [][]string{{attribute}}}
	if theme[3] != "" {
		d.hint.When = "(prefers-color-scheme: dark)"
	}
	return []declared{d}
}

// modeOf is the mode for which one selector declares under a media query.
func (p page) modeOf(query, selector string) (d declared) {
	said := denied.ReplaceAllString(strings.TrimPrefix(selector, p.base), "")
	isUsual := said == "" || usualSelectors.MatchString(said)
	own, attribute := attributesOf(said)
	if words := classWords(said); len(words) > 0 {
		own = strings.TrimSuffix(strings.Join(words, "-")+"-"+own, "-")
	}
	for _, usual := range []string{"default-", "base-"} { // .theme-default.dark is dark
		if rest, ok := strings.CutPrefix(own, usual); ok && IsModeName(rest) {
			own = rest
		}
	}
	conditions := conditionsOf(query, said)
	d = declared{conditions: [][]string{conditions}, hint: Hint{Attribute: attribute, OfRoot: rootName.FindString(said) != "", IsJoint: len(conditions) > 1}}
	when, mode, isKnown := conditionOf(query)
	switch {
	case query == "" && isUsual:
		return declared{}
	case query == "" && lightSelectors.MatchString(said):
		d.mode = "light"
	case query == "":
		d.mode = cmp.Or(own, selector)
	case !isKnown && (isUsual || own == "light"):
		d.mode, d.hint = query, Hint{}
	case !isKnown:
		d.mode, d.hint = query+" "+selector, Hint{}
	case (own == "light" || isDark(own)) && (mode == "light" || mode == "dark") && own != mode && !p.isDark:
		d.mode = own // whatever the system says
	case isUsual || own == "" && attribute != "" || own == mode:
		d.mode, d.hint.When = mode, when
	default:
		d.mode = mode + "-" + cmp.Or(own, selector)
	}
	return d
}

// classWords lists the names of the modes that the classes of a selector say, if it has nothing but classes and
// attributes: beside attributes only those that are known, since others say where the attributes stand.
func classWords(selector string) (words []string) {
	rest := rootName.ReplaceAllString(selector, "")
	if !compound.MatchString(rest) {
		return nil
	}
	for _, m := range simpleName.FindAllStringSubmatch(rest, -1) {
		if word := modeWord(m[1]); word != "" && (IsModeName(word) || !strings.Contains(rest, "[")) {
			words = append(words, word)
		}
	}
	return words
}

// conditionsOf lists what a page must have so that a selector under a media query holds for it: classes, attributes and
// features of the medium, or another selector as a whole.
func conditionsOf(query, selector string) (all []string) {
	if _, _, isKnown := conditionOf(query); isKnown && query != "print" {
		all = mediaFeature.FindAllString(query, -1)
	} else if query != "" {
		all = []string{"@" + query}
	}
	rest := rootName.ReplaceAllString(plainAttributes.Replace(selector), "")
	if !compound.MatchString(rest) {
		return append(all, rest)
	}
	return append(all, simpleName.FindAllString(rest, -1)...)
}

// isOfPage reports whether conditions are those of the page itself, as far as names tell it: a medium, a class or an
// attribute that is called as modes are. Others are taken for those of elements in the page, as .btn or h1.
func isOfPage(conditions []string) (isOf bool) {
	for _, one := range conditions {
		m := quotedName.FindStringSubmatch(one)
		switch {
		case one[0] == '(' || one[0] == '@':
			isOf = true
		case !compound.MatchString(one):
			return false
		case m != nil:
			isOf = isOf || IsModeName(m[2]) || pageAttribute.MatchString(m[1])
		default:
			isOf = isOf || IsModeName(modeWord(one[1:]))
		}
	}
	return isOf
}

// conditionOf returns the condition of a media query and the name of the mode that it makes. isKnown is false if it
// asks for something else too, or for the opposite.
func conditionOf(query string) (when, mode string, isKnown bool) {
	if query == "print" {
		return query, query, true
	}
	features := mediaFeature.FindAllStringSubmatch(query, -1)
	rest := withoutScreen.Replace(mediaFeature.ReplaceAllString(query, ""))
	if len(features) == 0 || rest != "" {
		return "", "", false
	}
	var names []string
	for _, m := range features {
		names = append(names, m[2])
		when = "(" + m[1] + ": " + m[2] + ")"
	}
	if len(features) > 1 {
		when = ""
	}
	return when, strings.Join(names, "-"), true
}

// modeWord is the name of a class without the words by which people say that it is a mode, if a mode is left that is
// known.
func modeWord(class string) string {
	words := strings.FieldsFunc(class, func(r rune) bool { return r == '-' || r == '_' })
	words = slices.DeleteFunc(words, func(word string) bool {
		return slices.Contains([]string{"theme", "mode", "scheme", "scope", "color"}, strings.ToLower(word))
	})
	if name := strings.Join(words, "-"); IsModeName(name) {
		return name
	}
	return class
}

// attributesOf joins the values of the attributes in a selector, each once and none that another begins with, and
// returns the name of the first attribute whose value is not a usual one, else of the first. Values that leave the mode
// to the system, such as auto, say none.
func attributesOf(selector string) (joined, attribute string) {
	var values []string
	for _, m := range quotedName.FindAllStringSubmatch(selector, -1) {
		name := strings.TrimPrefix(m[1], "data-")
		if isUsual := m[2] == "light" || m[2] == "default"; attribute == "" || !isUsual && joined == "" {
			attribute = name
			if !isUsual {
				joined = m[2]
			}
		}
		if m[2] == "auto" || m[2] == "system" || slices.ContainsFunc(values, func(v string) bool { return strings.HasPrefix(v, m[2]) }) {
			continue
		}
		values = slices.DeleteFunc(values, func(v string) bool { return strings.HasPrefix(m[2], v) })
		values = append(values, m[2])
	}
	return strings.Join(values, "-"), attribute
}

// pageOf reads the selectors of a stylesheet together.
func pageOf(root *jsontree.Node, readAs map[string]string) page {
	p := page{readAs: readAs}
	p.base = p.baseOf(root)
	for _, m := range root.Members {
		if theme := pluginTheme.FindStringSubmatch(m.Name); theme != nil && (p.plugin == "" || theme[2] != "" && !strings.Contains(p.plugin, " default")) {
			p.plugin = m.Name
		}
	}
	every := map[string]string{} // what holds in every mode
	hasDark, isReplaced := false, false
	for _, m := range root.Members {
		if isApart(m.Name) {
			continue
		}
		query, list := p.partsOf(m.Name)
		isEvery, isLight := false, false
		for _, one := range list {
			isUsual := query == "" && usualSelectors.MatchString(one.selector)
			isEvery, p.inBody = isEvery || isUsual, p.inBody || isUsual && one.weight >= elementWeight && one.selector != "*"
			d := p.modeOf(query, one.selector)
			hasDark = hasDark || strings.Contains(ModeKey(d.mode), "dark") && !isEvery
			isLight = isLight || ModeKey(d.mode) == "light"
			p.isDark = p.isDark || isEvery && len(list) > 1 && slices.ContainsFunc(list, func(other alternative) bool { return ModeKey(p.modeOf("", other.selector).mode) == "dark" })
		}
		for _, v := range m.Value.Members {
			switch before, known := every[v.Name]; {
			case isEvery && !isLight:
				every[v.Name] = v.Value.Text
			case isLight && known && before != v.Value.Text:
				isReplaced = true
			}
		}
	}
	p.isDark = p.isDark || isReplaced && !hasDark
	return p
}

// baseOf is the class that stands for the page in a stylesheet without a usual selector: the only one, or one that
// others begin with, as in .brand and .brand[data-mode=dark]. It is empty if there is none.
func (p page) baseOf(root *jsontree.Node) string {
	if len(p.readAs) > 0 {
		return ""
	}
	var classes, all []string
	for _, m := range root.Members {
		if isApart(m.Name) {
			continue
		}
		if modes := (page{readAs: p.readAs, isDark: true}).modesOf(m.Name); modes[0].mode == "" {
			return ""
		}
		_, list := p.partsOf(m.Name)
		for _, one := range list {
			if slices.Contains(all, one.selector) {
				continue
			}
			if all = append(all, one.selector); className.MatchString(one.selector) {
				classes = append(classes, one.selector)
			}
		}
	}
	nameOf := func(class string) string { return modeWord(className.FindStringSubmatch(class)[1]) }
	isDefault := func(class string) bool { key := ModeKey(nameOf(class)); return key == "default" || key == "base" }
	if slices.ContainsFunc(classes, isDefault) { // which stands for the page, and others beside it do not
		return ""
	}
	for _, class := range classes {
		name := nameOf(class)
		isMode := ModeAtEnd(name) < len(name)
		begins := func(one string) bool {
			return one != class && strings.HasPrefix(one, class) && strings.ContainsAny(one[len(class):len(class)+1], "[.:")
		}
		if !isMode && (len(all) == 1 || slices.ContainsFunc(all, begins)) {
			return class
		}
	}
	return ""
}

// isApart reports whether a member of the tree of a stylesheet is not a selector.
func isApart(name string) bool {
	return name == syntax.Registered || name == syntax.Imported || name == syntax.Keyframes || name == syntax.Layer || name == syntax.Invalid
}

// cutLayer cuts the name of its layer off a selector. Tailwind puts @theme into one of its own.
func cutLayer(selector string) (layer, rest string) {
	if rest, isIn := strings.CutPrefix(selector, syntax.Layer+" "); isIn {
		layer, rest, _ = strings.Cut(rest, " ")
		return layer, rest
	}
	if strings.Contains(selector, "@theme") {
		layer = "theme"
	}
	return layer, selector
}

// What a declaration weighs in the cascade (CSS Cascading Level 5, section 6): what holds for the elements of a page
// goes before what holds for its root, then what is important, then the layer, and then the more specific selector.
const (
	maxSpecificity  = layerWeight - 1
	layerWeight     = 1 << 10
	maxLayers       = 1<<10 - 1
	importantWeight = 1 << 22
	elementWeight   = 1 << 24
)

// weightOf is what a selector alone weighs.
func weightOf(selector string) int {
	if strings.HasPrefix(selector, "@") {
		return 0
	}
	counted := functional.ReplaceAllString(inBrackets.ReplaceAllString(uncounted.ReplaceAllString(selector, ""), "["), "(")
	weight := 100*strings.Count(counted, "#") + len(element.FindAllString(counted, -1))
	for _, mark := range []string{".", "[", ":"} {
		weight += 10 * strings.Count(counted, mark)
	}
	weight = min(weight, maxSpecificity)
	switch {
	case selector == "*":
		weight += 2 * elementWeight
	case strings.HasPrefix(selector, "body"):
		weight += elementWeight
	}
	return weight
}
