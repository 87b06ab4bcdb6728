package form

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"example.com/livery/intake/model"
)

// cssRule is the part of a style rule with selectors of one specificity.
type cssRule struct {
	specificity int
	when        []model.Context
}

// CSSAxis returns the axis of a selector or of a condition such as "@media print", however it is spelled.
func CSSAxis(text string) model.Axis {
	if strings.HasPrefix(text, "@") {
		return model.Axis{Kind: model.CSS, Name: conditionName(text)}
	}
	return model.Axis{Kind: model.CSS, Name: selectorName(text)}
}

// rules returns the contexts of a scope by specificity, or nil outside any rule. If a selector list contains the whole page, its other
// selectors make no difference and are dropped.
func (in cssScope) rules() []cssRule {
	var conditions model.Context
	for _, one := range in.conditions {
		conditions = append(conditions, model.Condition{Axis: CSSAxis(one)})
	}
	byWeight, page := map[int][]model.Context{}, -1
	for _, written := range in.selectors {
		weight := specificity(written)
		for _, one := range alternatives(written) {
			axis := CSSAxis(one)
			if axis.Name == "" {
				page = max(page, weight)
				continue
			}
			context := append(slices.Clip(conditions), model.Condition{Axis: axis})
			if !slices.ContainsFunc(byWeight[weight], func(other model.Context) bool { return slices.Equal(other, context) }) {
				byWeight[weight] = append(byWeight[weight], context)
			}
		}
	}
	switch {
	case in.selectors == nil && conditions == nil:
		return nil
	case page < 0 && in.selectors != nil:
		var rules []cssRule
		for _, weight := range slices.Sorted(maps.Keys(byWeight)) {
			rules = append(rules, cssRule{weight, byWeight[weight]})
		}
		return rules
	case conditions == nil:
		return []cssRule{{specificity: page}}
	}
	return []cssRule{{max(page, 0), []model.Context{conditions}}}
}

// splitSelectors splits a list of selectors at its commas.
func splitSelectors(list string) (all []string) {
	depth, start := 0, 0
	for i := range len(list) {
		switch c := list[i]; {
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			depth--
		case c == ',' && depth == 0:
			all, start = append(all, strings.TrimSpace(list[start:i])), i+1
		}
	}
	return append(all, strings.TrimSpace(list[start:]))
}

// maxSelectors and maxSelector bound the selectors of nested rules and lists, which multiply.
const (
	maxSelectors = 100
	maxSelector  = 1 << 12
)

// nestSelectors combines the selectors of a nested rule with those of the rule around it (CSS Nesting Level 1, section 3).
func nestSelectors(outer, inner []string) (all []string) {
	for _, around := range outer {
		for _, one := range inner {
			parts := ampersand.FindAllString(one, -1)
			switch {
			case len(all) == maxSelectors:
			case !slices.Contains(parts, "&") || len(parts)*len(around) > maxSelector:
				all = append(all, around+" "+one)
			default:
				all = append(all, ampersand.ReplaceAllStringFunc(one, func(part string) string {
					if part == "&" {
						return around
					}
					return part
				}))
			}
		}
	}
	return all
}

var (
	ampersand  = regexp.MustCompile(`&|"[^"]*"|'[^']*'|\\.`)
	negation   = regexp.MustCompile(`:not\([^()]*\)`)
	hostOf     = regexp.MustCompile(`:host(?:-context)?\(([^()]*)\)`)
	anyOf      = regexp.MustCompile(`:(?:where|is)\(([^()]*)\)`)
	functional = regexp.MustCompile(`:([\w-]+)\(([^()]*)\)`)
)

// alternatives expands :is() and :where() into plain selectors, and removes :not().
func alternatives(selector string) (all []string) {
	all = []string{selector}
	for i := 0; i < len(all) && len(selector) <= maxSelector; {
		all[i] = hostOf.ReplaceAllString(negation.ReplaceAllString(all[i], ""), "$1")
		at := anyOf.FindStringSubmatchIndex(all[i])
		if at == nil || len(all) >= maxSelectors {
			i++
			continue
		}
		var each []string
		for _, one := range splitSelectors(all[i][at[2]:at[3]]) {
			each = append(each, all[i][:at[0]]+one+all[i][at[1]:])
		}
		all = slices.Replace(all, i, i+1, each...)
	}
	return all
}

var (
	attributeOrCombinator = regexp.MustCompile(`\[\s*([^\]=~|^$*\s]+)\s*(?:([~|^$*]?=)\s*(?:"([^"]*)"|'([^']*)'|([^\]\s]*))\s*([iIsS]?)\s*)?\]|\s*([>+~])\s*`)
	plainWord             = regexp.MustCompile(`^-?[_a-zA-Z\x{80}-\x{10FFFF}][\w\x{80}-\x{10FFFF}-]*$`)
	wholePage             = regexp.MustCompile(`(?i)^(?:[> ]+|:(?:root|host|scope)\b|(?:html|body|\*)($|[ >.#:\[]))`)
	rootBehind            = regexp.MustCompile(`(?i):root\b`)
)

// selectorName returns the canonical spelling of a selector without :root, html and the like. It is empty for the whole page.
func selectorName(selector string) string {
	name := attributeOrCombinator.ReplaceAllStringFunc(strings.Join(strings.Fields(selector), " "), func(part string) string {
		m := attributeOrCombinator.FindStringSubmatch(part)
		if m[7] != "" {
			return " " + m[7] + " "
		}
		value := m[3] + m[4] + m[5]
		if m[2] != "" && !plainWord.MatchString(value) {
			value = `"` + value + `"`
		}
		return strings.TrimSuffix("["+m[1]+m[2]+value+" "+m[6], " ") + "]"
	})
	for before := ""; before != name; {
		before = name
		name = strings.TrimSpace(wholePage.ReplaceAllString(name, "$1"))
	}
	return rootBehind.ReplaceAllString(name, "")
}

var (
	unread  = regexp.MustCompile(`\\.|\[[^\]]*\]`)
	element = regexp.MustCompile(`(?:^|[\s>+~])[a-zA-Z]`)
	simple  = regexp.MustCompile(`[.:\[]`)
)

// specificity returns the weight of a selector in the cascade (Selectors Level 4, section 17).
func specificity(selector string) int {
	selector = unread.ReplaceAllStringFunc(selector, func(part string) string { return part[:1] })
	for {
		at := functional.FindStringSubmatchIndex(selector)
		if at == nil || len(selector) > maxSelector {
			break
		}
		counted := ":x"
		switch name, arguments := selector[at[2]:at[3]], splitSelectors(selector[at[4]:at[5]]); name {
		case "where":
			counted = ""
		case "is", "not", "has":
			counted = " " + slices.MaxFunc(arguments, func(a, b string) int { return specificity(a) - specificity(b) })
		case "host", "host-context":
			counted = ":x " + arguments[0]
		}
		selector = selector[:at[0]] + counted + selector[at[1]:]
	}
	selector = strings.ReplaceAll(selector, "::", " ") // it weighs as much as an element
	return strings.Count(selector, "#")<<16 + len(simple.FindAllString(selector, -1))<<8 + len(element.FindAllString(selector, -1))
}

var (
	mediaFeature = regexp.MustCompile(`\(\s*([\w-]+)\s*:\s*`)
	anyScreen    = regexp.MustCompile(`(?i)^@media (?:only )?(?:screen|all)(?:$| and )`)
)

// conditionName returns the canonical spelling of an at-rule such as "@media (prefers-color-scheme: dark)". It is empty if every
// screen meets the condition.
func conditionName(text string) string {
	text = strings.Replace(strings.Join(strings.Fields(text), " "), "@media(", "@media (", 1)
	if strings.HasPrefix(text, "@media ") {
		text = mediaFeature.ReplaceAllString(text, "($1: ")
	}
	if rest := anyScreen.ReplaceAllString(text, ""); rest != text {
		text = strings.TrimSuffix("@media "+rest, "@media ")
	}
	return text
}

// nameElements removes the dimensions of each stylesheet that never change a property of the whole page, such as the selector of a
// button with its own properties, and reports them once each. A stylesheet without properties of the whole page keeps all dimensions.
func nameElements(documents []*model.Document) {
	always := map[string]bool{}
	for _, d := range documents {
		for i := range d.Decls {
			always[d.Decls[i].Name()] = always[d.Decls[i].Name()] || len(d.Decls[i].When) == 0
		}
	}
	for _, d := range documents {
		if !slices.ContainsFunc(d.Decls, func(d model.Decl) bool { return len(d.When) == 0 }) {
			continue
		}
		changing, first := map[model.Axis]bool{}, map[model.Axis]*model.Decl{}
		for i := range d.Decls {
			for _, condition := range d.Decls[i].Conditions() {
				changing[condition.Axis] = changing[condition.Axis] || always[d.Decls[i].Name()]
				if first[condition.Axis] == nil {
					first[condition.Axis] = &d.Decls[i]
				}
			}
		}
		d.Dimensions = slices.DeleteFunc(d.Dimensions, func(dimension model.Dimension) bool {
			isOfElements := dimension.Kind == model.CSS && !changing[dimension.Axis]
			if isOfElements {
				one := first[dimension.Axis]
				message := dimension.Name + " declares only properties that :root lacks: they are not sent unless livery.yaml selects it"
				d.Report(one.Place, one.Name(), "selectors of elements", message, true)
			}
			return isOfElements
		})
	}
}
