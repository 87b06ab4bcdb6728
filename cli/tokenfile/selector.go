package tokenfile

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"example.com/livery/cli/tokenfile/syntax"
	"example.com/livery/renderer/jsontree"
)

// usualSelectors are those whose custom properties hold for a whole page in its usual mode.
var usualSelectors = regexp.MustCompile(`^(@theme\b.*|:root|:host|html|\*|body|\.light|(:root|html)?\[(data-)?(theme|mode|color-scheme|color-mode)="?(light|default)"?\]|@media \(prefers-color-scheme: ?light\) :root)$`)

// mediaFeature is the name and value of a media query, quotedName those of an attribute in a selector.
var (
	mediaFeature = regexp.MustCompile(`\((prefers-[a-z-]+|forced-colors) ?: ?([a-z-]+)\)`)
	mediaPrint   = regexp.MustCompile(`^@media (print)\b`)
	mediaOther   = regexp.MustCompile(`^@media\b.*( not \(| or \(| \([a-z-]+ ?[:<>=)])`)
	quotedName   = regexp.MustCompile(`\[([\w-]+)[~|^$*]?=["']?([\w-]+)["']?\]`)
	className    = regexp.MustCompile(`^(?::root|html)?\.([\w-]+)$`)
)

// denied is what a selector says that is not.
var denied = regexp.MustCompile(`:not\([^()]*\)`)

// weightless is what a selector is put into to have less weight than others, or another.
var weightless = regexp.MustCompile(`:(?:where|is)\(([^()]*)\)`)

// partsOf splits a list of selectors, in or out of a layer. What stands before the first holds for all.
func partsOf(selector string) []string {
	selector = strings.TrimSpace(strings.TrimPrefix(weightless.ReplaceAllString(selector, "$1"), syntax.Layer))
	list := strings.Split(selector, ",")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	if strings.HasPrefix(selector, "@") && !usualSelectors.MatchString(list[0]) {
		return []string{selector}
	}
	return list
}

// modeOf is the mode for which a selector declares, and what else it says of it; empty for the usual one. base is the class
// that stands for the page, if one does.
func modeOf(selector, base string) (mode string, h Hint) {
	usual, other := false, ""
	for _, one := range partsOf(selector) {
		if base != "" {
			one = strings.TrimPrefix(one, base)
		}
		if one == "" || usualSelectors.MatchString(one) {
			usual = true
		} else if other == "" {
			other = one
		}
	}
	if usual {
		return "", h
	}
	said := denied.ReplaceAllString(other, "")
	features := mediaFeature.FindAllStringSubmatch(said, -1)
	if len(features) > 0 && mediaOther.MatchString(mediaFeature.ReplaceAllString(said, "()")) {
		return strings.TrimSuffix(strings.TrimPrefix(other, "@media "), " :root"), h // other conditions, or none of these
	}
	var names []string
	for _, m := range features {
		names = append(names, m[2])
		h.When = "(" + m[1] + ": " + m[2] + ")"
	}
	if m := mediaPrint.FindStringSubmatch(said); m != nil && names == nil {
		names, h.When = m[1:], m[1]
	}
	if len(features) > 1 {
		h.When = ""
	}
	mode = strings.Join(names, "-")
	own, attribute := attributesOf(said)
	switch joined := strings.Join(own, "-"); {
	case joined == "":
	case mode == "" || joined != "auto" && joined != "system" && joined != mode: // not the switch that leaves it to the condition
		if mode != "" {
			h.When = ""
		}
		mode = joined
	}
	h.Attribute = attribute
	if m := className.FindStringSubmatch(said); m != nil {
		mode = m[1]
	}
	return cmp.Or(mode, other), h
}

// attributesOf lists the values of the attributes in a selector that are not the usual ones, each once and none that another
// begins with, and the name of the first such attribute.
func attributesOf(selector string) (values []string, attribute string) {
	for _, m := range quotedName.FindAllStringSubmatch(selector, -1) {
		isUsual := slices.Contains([]string{"light", "default"}, m[2])
		begins := func(longer, shorter string) bool { return strings.HasPrefix(longer, shorter) }
		if isUsual || slices.ContainsFunc(values, func(v string) bool { return begins(v, m[2]) }) {
			continue
		}
		values = slices.DeleteFunc(values, func(v string) bool { return begins(m[2], v) })
		if values = append(values, m[2]); attribute == "" {
			attribute = strings.TrimPrefix(m[1], "data-")
		}
	}
	if m := quotedName.FindStringSubmatch(selector); m != nil && len(values) == 0 {
		return []string{m[2]}, strings.TrimPrefix(m[1], "data-")
	}
	return values, attribute
}

// baseOf is the class that stands for the page in a stylesheet without a usual selector: the only one, or one that others
// begin with, as in .brand and .brand[data-mode=dark]. It is empty if there is none.
func baseOf(root *jsontree.Node) string {
	var classes, all []string
	for _, m := range root.Members {
		if isApart(m.Name) {
			continue
		}
		if mode, _ := modeOf(m.Name, ""); mode == "" {
			return ""
		}
		for _, one := range partsOf(m.Name) {
			if all = append(all, one); className.MatchString(one) {
				classes = append(classes, one)
			}
		}
	}
	for _, class := range classes {
		isMode := IsModeName(className.FindStringSubmatch(class)[1])
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

// weightOf orders what usual selectors declare as the cascade does: what holds for the elements of a page goes before what
// holds for its root, what is in no layer before a layer, and then the more specific one (CSS Cascading Level 5, section 6).
func weightOf(selector string) (weight int) {
	inLayer := strings.HasPrefix(selector, syntax.Layer) || strings.Contains(selector, "@theme")
	for _, one := range strings.Split(strings.TrimPrefix(selector, syntax.Layer), ",") {
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
			own += 2000
		case strings.HasPrefix(one, "body"):
			own += 1000
		}
		weight = max(weight, own)
	}
	if !inLayer {
		weight += 500
	}
	return weight
}
