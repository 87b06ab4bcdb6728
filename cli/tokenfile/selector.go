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

// mediaFeature is the name and value of a media query, mediaQuery all of one before selectors, quotedName the name and value
// of an attribute in a selector.
var (
	mediaFeature = regexp.MustCompile(`\((prefers-[a-z-]+|forced-colors) ?: ?([a-z-]+)\)`)
	mediaQuery   = regexp.MustCompile(`^@media ((?:only |not )?(?:screen|print|all|\([^()]*\))(?: (?:and|or) (?:not )?(?:screen|print|all|\([^()]*\)))*)(?: (.*))?$`)
	quotedName   = regexp.MustCompile(`\[([\w-]+)[~|^$*]?=["']?([\w-]+)["']?\]`)
	className    = regexp.MustCompile(`(?i)^(?::root|html|body)?\.([\w-]+)$`)
	variantName  = regexp.MustCompile(`@variant ([\w-]+)`)
)

// weightless is what a selector is put into to have less weight than others, or another; denied is what it says that is not.
var (
	weightless = regexp.MustCompile(`:(?:where|is)\(([^()]*)\)`)
	denied     = regexp.MustCompile(`:not\([^()]*\)`)
)

// page is what the selectors of a stylesheet together say of it.
type page struct {
	base   string // the class that stands for the page, if one does
	isDark bool   // what holds in every mode is the dark mode, and light is one beside it
}

// declared is a mode that a selector declares for, and what else the selector says of it.
type declared struct {
	mode string // empty for the usual one
	hint Hint
}

// partsOf splits a list of selectors, in or out of a layer, and under a media query, which is the same for all.
func partsOf(selector string) (query string, list []string) {
	selector, _ = outOfLayers(weightless.ReplaceAllString(selector, "$1"))
	if m := mediaQuery.FindStringSubmatch(selector); m != nil {
		if query, selector = m[1], m[2]; query == "screen" || query == "all" || query == "only screen" {
			query = ""
		}
	}
	for one := range strings.SplitSeq(selector, ",") {
		list = append(list, strings.TrimSpace(strings.ReplaceAll(one, " &", "")))
	}
	return query, list
}

// modesOf lists the modes for which a selector declares: each once, and the usual one alone if it is among them.
func (p page) modesOf(selector string) (modes []declared) {
	if m := variantName.FindStringSubmatch(selector); m != nil {
		return []declared{p.named(m[1], Hint{})}
	}
	query, list := partsOf(selector)
	for _, one := range list {
		d := p.modeOf(query, one)
		if d.mode == "" {
			return []declared{{}}
		}
		if i := slices.IndexFunc(modes, func(other declared) bool { return other.mode == d.mode }); i < 0 {
			modes = append(modes, d)
		} else {
			modes[i].hint = Hint{cmp.Or(modes[i].hint.Attribute, d.hint.Attribute), cmp.Or(modes[i].hint.When, d.hint.When)}
		}
	}
	return modes
}

// modeOf is the mode for which one selector declares under a media query.
func (p page) modeOf(query, selector string) (d declared) {
	said := denied.ReplaceAllString(strings.TrimPrefix(selector, p.base), "")
	isUsual := said == "" || usualSelectors.MatchString(said)
	own, attribute := attributesOf(said)
	if m := className.FindStringSubmatch(said); m != nil {
		own = modeWord(m[1])
	}
	switch {
	case query == "" && isUsual:
		return d
	case query == "" && lightSelectors.MatchString(said):
		return p.named("light", Hint{Attribute: attribute})
	case query == "":
		return p.named(cmp.Or(own, selector), Hint{Attribute: attribute})
	}
	when, mode, isKnown := conditionOf(query)
	switch {
	case !isKnown:
		return declared{strings.TrimSpace(query + " " + strings.TrimSuffix(selector, ":root")), Hint{}}
	case isUsual || own == "" && attribute != "" || own == mode:
		return p.named(mode, Hint{Attribute: attribute, When: when})
	}
	return declared{mode + "-" + cmp.Or(own, selector), Hint{Attribute: attribute}}
}

// named is a mode by its name: light is the usual one, unless the page is dark.
func (p page) named(mode string, h Hint) declared {
	if key := ModeKey(mode); !p.isDark && (key == "light" || key == "default") {
		return declared{}
	}
	return declared{mode, h}
}

// conditionOf returns the condition of a media query and the name of the mode that it makes. isKnown is false if it asks for
// something else too, or for the opposite.
func conditionOf(query string) (when, mode string, isKnown bool) {
	if query == "print" {
		return query, query, true
	}
	features := mediaFeature.FindAllStringSubmatch(query, -1)
	rest := strings.NewReplacer("only ", "", "screen", "", "all", "", " and ", "", " ", "").Replace(mediaFeature.ReplaceAllString(query, ""))
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

// modeWord is the name of a class without the words by which people say that it is a mode, if a mode is left that is known.
func modeWord(class string) string {
	words := strings.FieldsFunc(class, func(r rune) bool { return r == '-' || r == '_' })
	words = slices.DeleteFunc(words, func(word string) bool {
		return slices.Contains([]string{"theme", "mode", "scheme", "color"}, strings.ToLower(word))
	})
	if name := strings.Join(words, "-"); IsModeName(name) {
		return name
	}
	return class
}

// attributesOf joins the values of the attributes in a selector, each once and none that another begins with, and returns the
// name of the first attribute whose value is not a usual one, else of the first. Values that leave the mode to the system, such
// as auto, say none.
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
func pageOf(root *jsontree.Node) page {
	p := page{base: baseOf(root)}
	every := map[string]string{} // what holds in every mode
	hasDark, isReplaced := false, false
	for _, m := range root.Members {
		if isApart(m.Name) {
			continue
		}
		query, list := partsOf(m.Name)
		isEvery, isLight := false, false
		for _, one := range list {
			isEvery = isEvery || query == "" && usualSelectors.MatchString(one)
			d := page{base: p.base, isDark: true}.modeOf(query, one)
			hasDark = hasDark || strings.Contains(ModeKey(d.mode), "dark") && !isEvery
			isLight = isLight || ModeKey(d.mode) == "light"
			p.isDark = p.isDark || isEvery && len(list) > 1 && slices.ContainsFunc(list, func(other string) bool { return ModeKey(p.modeOf("", other).mode) == "dark" })
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

// baseOf is the class that stands for the page in a stylesheet without a usual selector: the only one, or one that others
// begin with, as in .brand and .brand[data-mode=dark]. It is empty if there is none.
func baseOf(root *jsontree.Node) string {
	var classes, all []string
	for _, m := range root.Members {
		if isApart(m.Name) {
			continue
		}
		if modes := (page{isDark: true}).modesOf(m.Name); modes[0].mode == "" {
			return ""
		}
		_, list := partsOf(m.Name)
		for _, one := range list {
			if all = append(all, one); className.MatchString(one) {
				classes = append(classes, one)
			}
		}
	}
	for _, class := range classes {
		name := modeWord(className.FindStringSubmatch(class)[1])
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
func isApart(name string) bool { return name == syntax.Registered || name == syntax.Imported }

// outOfLayers returns a selector without the layers that it stands in, and how many these are.
func outOfLayers(selector string) (rest string, layers int) {
	rest, isIn := strings.CutPrefix(selector, syntax.Layer)
	for ; isIn; rest, isIn = strings.CutPrefix(rest, syntax.Layer) {
		layers, rest = layers+1, strings.TrimSpace(rest)
	}
	return rest, layers
}

// outOfLayer is what a selector weighs more if it is in no layer; a layer takes layerDepth away.
const (
	outOfLayer = 500
	layerDepth = 100
)

// weightOf orders what usual selectors declare as the cascade does: what holds for the elements of a page goes before what
// holds for its root, what is in no layer before a layer, and then the more specific one (CSS Cascading Level 5, section 6).
// layer is what the place in layers adds.
func weightOf(selector string) (weight, layer int) {
	selector, layers := outOfLayers(selector)
	if strings.Contains(selector, "@theme") { // Tailwind puts it into one
		layers++
	}
	for one := range strings.SplitSeq(selector, ",") {
		one = strings.TrimSpace(one)
		counted := weightless.ReplaceAllStringFunc(one, func(s string) string {
			if strings.HasPrefix(s, ":where") {
				return ""
			}
			return s
		})
		own := 10*strings.Count(counted, "[") + 10*strings.Count(counted, ":root") + 10*strings.Count(counted, ".")
		if strings.Contains(counted, "html") || strings.Contains(counted, "body") {
			own++
		}
		switch {
		case one == "*":
			own += 4 * outOfLayer
		case strings.HasPrefix(one, "body"):
			own += 2 * outOfLayer
		}
		weight = max(weight, own)
	}
	if layers > 0 {
		layers++ // further from what is in none
	}
	return weight, max(0, outOfLayer-layers*layerDepth)
}
