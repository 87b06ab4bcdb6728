package scan

import (
	"maps"
	"slices"
	"strings"
)

// utilities are the beginnings of Tailwind's utilities by the namespaces of the theme variables that they take.
var utilities = byWord(utilityTable)

// namespaces are those of the theme variables.
var namespaces = wordSet(strings.Join(slices.Collect(maps.Keys(utilityTable)), " "))

var utilityTable = map[string]string{
	"color": "accent bg border border-b border-e border-l border-r border-s border-t border-x border-y caret decoration divide " +
		"drop-shadow fill from inset-ring inset-shadow outline placeholder ring ring-offset shadow stroke text text-shadow to via",
	"font": "font", "font-weight": "font", "shadow": "shadow", "ease": "ease", "leading": "leading", "tracking": "tracking", "text": "text",
	"radius": "rounded rounded-b rounded-bl rounded-br rounded-e rounded-ee rounded-es rounded-l rounded-r rounded-s rounded-se " +
		"rounded-ss rounded-t rounded-tl rounded-tr",
	"inset-shadow": "inset-shadow", "drop-shadow": "drop-shadow", "text-shadow": "text-shadow", "animate": "animate",
	"aspect": "aspect", "perspective": "perspective",
	"breakpoint": "container max-w-screen min-w-screen w-screen", "blur": "backdrop-blur blur",
	"container": "basis columns max-w min-w w",
	"spacing": "basis border-spacing border-spacing-x border-spacing-y bottom end gap gap-x gap-y h indent inset inset-x inset-y left " +
		"leading m max-h max-w mb me min-h min-w ml mr ms mt mx my p pb pe pl pr ps pt px py right scroll-m scroll-mb scroll-me " +
		"scroll-ml scroll-mr scroll-ms scroll-mt scroll-mx scroll-my scroll-p scroll-pb scroll-pe scroll-pl scroll-pr scroll-ps " +
		"scroll-pt scroll-px scroll-py size space-x space-y start top translate translate-x translate-y translate-z w",
}

// byWord turns a table of lists around: each word -> what lists it, in order.
func byWord(table map[string]string) map[string][]string {
	turned := map[string][]string{}
	for key, list := range table {
		for word := range strings.FieldsSeq(list) {
			turned[word] = append(turned[word], key)
		}
	}
	for _, keys := range turned {
		slices.Sort(keys)
	}
	return turned
}

// standalone are classes of Tailwind that take no value: a string that holds one is a list of classes.
var standalone = wordSet("absolute antialiased block border capitalize contents fixed flex grid grow hidden inline inline-block " +
	"inline-flex invisible isolate italic lowercase outline peer relative ring rounded shadow shrink sr-only static sticky table " +
	"transition truncate underline uppercase visible")

// ownValues are the words with which the values begin that Tailwind itself gives utilities, beside digits.
var ownValues = wordSet("amber auto b balance base be bl black blend blue bold bottom bounce br bs center clip collapse " +
	"conic contain cover current cyan dashed distant dotted double dramatic dvh dvw e ee ellipsis emerald end es extrabold " +
	"extralight fit fixed from fuchsia full gray green hidden in indigo inherit initial inner inset justify l left lg lh " +
	"light lime linear local loose lvh lvw mauve max md medium midrange min mist mono near neutral no none normal nowrap " +
	"offset olive orange origin out ping pink pretty prose pulse purple px r radial red relaxed repeat reverse right ring " +
	"rose s sans screen scroll se semibold separate serif shadow sky slate sm snug solid spacing spin square ss start stone " +
	"stretch svh svw t taupe teal thin tight tighter tl top tr transparent video violet wavy white wide wider widest wrap x " +
	"xl xs y yellow z zinc")

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}

// shades end the names of Tailwind's colours.
var shades = wordSet("50 100 200 300 400 500 600 700 800 900 950")

// isOwnValue reports whether Tailwind itself gives utilities this value, or gives one that begins with the same word:
// then only a group of the Theme tells that another value is meant.
func isOwnValue(value string, inGroup bool) bool {
	first, rest, _ := strings.Cut(value, "-")
	if first == "" || first[0] >= '0' && first[0] <= '9' || ownValues[value] {
		return true
	}
	return ownValues[first] && (!inGroup || shades[rest])
}

// isOwnVariable reports whether a custom property is a theme variable that Tailwind itself declares, such as
// --color-red-50.
func isOwnVariable(name string) bool {
	for k := len("--"); k < len(name); k++ {
		if name[k] == '-' && namespaces[name[len("--"):k]] && isOwnValue(name[k+1:], true) {
			return true
		}
	}
	return false
}

// class is what one class is.
type class struct {
	tokens  []int32  // that its value is; several if namespaces share a name
	own     bool     // Tailwind has it
	near    []string // classes of tokens that one slip makes of it
	inGroup bool     // it is named as if it were of a group of the Theme
}

// class returns what a class is, without its variants and modifiers.
func (n *names) class(name string) (c class) {
	if standalone[name] {
		return class{own: true}
	}
	for k := 1; k < len(name)-1; k++ {
		if name[k] != '-' {
			continue
		}
		utility, value := name[:k], name[k+1:]
		for _, namespace := range utilities[utility] {
			variable := "--" + namespace + "-" + value
			if token, known := n.variables[variable]; known {
				c.tokens = append(c.tokens, token)
				continue
			}
			inGroup := n.variableGroups.begin(variable)
			if isOwnValue(value, inGroup) {
				c.own = true
				continue
			}
			c.inGroup = c.inGroup || inGroup
			for _, near := range n.nearVariables.near(variable) {
				if rest, ok := strings.CutPrefix(near, "--"+namespace+"-"); ok && len(rest) >= shortestSlip {
					c.near = append(c.near, utility+"-"+rest)
				}
			}
		}
	}
	if len(c.tokens) > 0 || c.own {
		c.near, c.inGroup = nil, false
	}
	slices.Sort(c.near)
	c.near = slices.Compact(c.near)
	return c
}
