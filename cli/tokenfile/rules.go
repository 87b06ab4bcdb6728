package tokenfile

import (
	"slices"
	"strings"

	"example.com/livery/renderer/jsontree"
)

// rules has the names of the custom properties that stylesheets declare, by selectors that stand under no condition.
type rules struct {
	selectors  []string // in the order of the files
	properties map[string]map[string]bool
	isUsual    bool // one of the selectors is a usual one
	hasDark    bool // one of the selectors is called as the dark mode is, without other words
	hasQuery   bool // a selector stands under a condition
}

func rulesOf(roots []*jsontree.Node) *rules {
	r := rules{properties: map[string]map[string]bool{"": {}}} // what holds in every mode has no name
	for _, root := range roots {
		for _, m := range root.Members {
			if !isApart(m.Name) {
				r.add(m)
			}
		}
	}
	return &r
}

func (r *rules) add(m jsontree.Member) {
	query, list := page{}.partsOf(m.Name)
	if query != "" {
		r.hasQuery = true
		return
	}
	for _, one := range list {
		name := plainAttributes.Replace(denied.ReplaceAllString(one.selector, ""))
		mode := page{}.modeOf("", one.selector).mode
		r.hasDark = r.hasDark || IsModeName(mode) && isDark(mode)
		if usualSelectors.MatchString(name) {
			name, r.isUsual = "", true
		} else if name = rootName.ReplaceAllString(name, ""); r.properties[name] == nil {
			r.selectors, r.properties[name] = append(r.selectors, name), map[string]bool{}
		}
		for _, v := range m.Value.Members {
			r.properties[name][v.Name] = true
		}
	}
}

// share is how many of the custom properties of a selector another declares too.
func (r *rules) share(selector, other string) (n int) {
	for name := range r.properties[selector] {
		if r.properties[other][name] {
			n++
		}
	}
	return n
}

// alike lists what tells the modes of the classes that begin as a class does, and declare so many hundredths of what it
// declares.
func (r *rules) alike(begin, class string, hundredths int) (ends []string) {
	for _, one := range r.selectors {
		end, ok := strings.CutPrefix(one, begin)
		if ok && className.MatchString(one) && 100*r.share(class, one) > hundredths*len(r.properties[class]) {
			ends = append(ends, modeWord(end))
		}
	}
	return ends
}

// isDark reports whether a mode is called as a dark one.
func isDark(mode string) bool { return strings.Contains(ModeKey(mode), "dark") }

// readAs says how classes and attributes in the selectors of stylesheets that are read together are read, if names
// alone do not tell that they are of a page: as .dark, if they are called .acme--dark, or as nothing, if they are usual
// in a grid without a usual selector. It is never nil.
func readAs(roots []*jsontree.Node) map[string]string {
	r := rulesOf(roots)
	if names := r.grid(); names != nil {
		return names
	}
	var begins []string
	for _, class := range r.selectors {
		end := strings.TrimLeft(class[ModeAtEnd(class):], "-_")
		begin := strings.TrimSuffix(class, end)
		if className.MatchString(class) && len(begin) > 1 && isDark(end) && r.areModes(begin, class) {
			begins = AppendNew(begins, begin)
		}
	}
	if r.hasDark || len(begins) != 1 { // .acme-dark and .globex-dark are of two brands, or of elements
		return map[string]string{}
	}
	return r.shortened(begins[0])
}

// saysTheme reports whether the beginning of a class says that it is a theme, as that of .v-theme--dark does.
func saysTheme(begin string) bool { return strings.Contains(strings.ToLower(begin), "theme") }

// mayBeMode reports whether a class ends as modes are called. .v-theme--ocean may have a name of its own.
func mayBeMode(begin, end string) bool {
	return saysTheme(begin) || IsModeName(end) || HasUsual([]string{end})
}

// areModes reports whether the classes that begin as a dark one are modes of the page by what they declare: those that
// declare nearly all of its properties are called as modes, the class without an ending does not declare these, and a
// usual mode or the page itself does. Of the page they declare a good part, unless they say that they are themes.
func (r *rules) areModes(begin, dark string) bool {
	isOther := func(end string) bool { return !mayBeMode(begin, end) }
	all, ofPage := len(r.properties[dark]), r.share(dark, "")
	if slices.ContainsFunc(r.alike(begin, dark, 75), isOther) || 2*r.share(dark, strings.TrimRight(begin, "-_")) > all {
		return false
	}
	isPart := saysTheme(begin) || ofPage > 1 && 4*ofPage >= len(r.properties[""])
	return HasUsual(r.alike(begin, dark, 50)) || 2*ofPage > all && isPart
}

// shortened says how the classes of modes are read that begin alike: without their beginning, and the class that is the
// beginning as the page. Others that declare the same, such as sizes, are modes beside the usual one of them.
func (r *rules) shortened(begin string) map[string]string {
	names, bare := map[string]string{}, strings.TrimRight(begin, "-_")
	for _, class := range r.selectors {
		end, ok := strings.CutPrefix(class, begin)
		if !ok || !className.MatchString(class) {
			continue
		}
		ends, isOfPage := r.alike(begin, class, 50), 2*r.share(class, "") > len(r.properties[class])
		isSize := r.properties[bare] != nil && len(ends) > 1 && HasUsual(ends)
		switch {
		case mayBeMode(begin, modeWord(end)) && (isOfPage || slices.ContainsFunc(ends, isDark)), isSize && UsualFirst(ends)[0] != end:
			names[class] = "." + end
		case isSize:
			names[class] = ""
		}
	}
	if !r.isUsual {
		names[bare] = ":root"
	}
	return names
}

// grid says that the usual class or attribute of each dimension is read as nothing, if the selectors are a grid of
// modes: each asks for one of each, there is one for each combination, and all declare the same.
func (r *rules) grid() map[string]string {
	values, cells := map[string][]string{}, 1
	if r.isUsual || r.hasQuery || len(r.selectors) < 2 {
		return nil
	}
	for _, one := range r.selectors {
		simple, all := simpleName.FindAllString(one, -1), len(r.properties[r.selectors[0]])
		if !compound.MatchString(one) || len(simple) < 2 || len(r.properties[one]) != all || r.share(one, r.selectors[0]) != all {
			return nil
		}
		for i, part := range simple {
			dimension := itoa(i)
			if m := quotedName.FindStringSubmatch(part); m != nil {
				dimension = m[1]
			}
			values[dimension] = AppendNew(values[dimension], part)
		}
	}
	names, isMode := map[string]string{}, false
	word := func(simple string) string {
		if m := quotedName.FindStringSubmatch(simple); m != nil {
			return m[2]
		}
		return modeWord(simple[1:])
	}
	for _, list := range values {
		cells *= len(list)
		isMode = isMode || slices.ContainsFunc(list, func(simple string) bool { return IsModeName(word(simple)) })
		usual := slices.IndexFunc(list, func(simple string) bool { return isUsual(word(simple)) })
		names[list[max(usual, 0)]] = ""
	}
	if !isMode || cells != len(r.selectors) {
		return nil
	}
	return names
}
