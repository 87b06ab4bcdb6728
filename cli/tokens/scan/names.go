package scan

import (
	"iter"
	"slices"
	"strings"

	"example.com/livery/cli/tokens/export"
	"example.com/livery/renderer/css"
)

// names is what a Theme gives source files to name.
type names struct {
	properties table           // custom properties
	paths      table           // dotted paths
	variables  table           // theme variables of Tailwind
	variants   map[string]int  // breakpoints and containers, which Tailwind's variants name
	groups     map[string]bool // first names of paths
	stems      map[string]bool // what the custom properties in a group within a group begin with
	prefix     string          // what all custom properties begin with, "--acme-"; empty if the Theme has no prefix

	longestPath int // bytes
}

// table finds tokens by names, and names that are one slip away from others.
type table struct {
	tokens map[string]int      // name -> index of its token
	cut    map[string][]string // a name, or one that lost a byte -> the names that it was
}

func newTable() table { return table{map[string]int{}, map[string][]string{}} }

func (t table) add(name string, token int) {
	t.tokens[name] = token
	for cut := range cuts(name) {
		t.cut[cut] = append(t.cut[cut], name)
	}
}

// cuts are a name and all that lack one of its bytes. Of two names one slip apart, these have one in common.
func cuts(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range len(name) {
			if !yield(name[:i] + name[i+1:]) {
				return
			}
		}
		yield(name)
	}
}

func namesOf(s *export.Sheet) names {
	n := names{properties: newTable(), paths: newTable(), variables: newTable(), variants: map[string]int{}, groups: map[string]bool{}, stems: map[string]bool{}}
	if s.Prefix != "" {
		n.prefix = string(css.AppendName(nil, s.Prefix, nil)) + "-"
	}
	for token := range s.Tokens {
		t := &s.Tokens[token]
		n.paths.add(t.Path, token)
		n.groups[t.Segments[0]] = true
		n.longestPath = max(n.longestPath, len(t.Path))
		for _, p := range t.Properties {
			n.properties.add(p.Name, token)
		}
		for depth := 2; depth < len(t.Segments); depth++ { // "--color-" begins names of others too
			n.stems[string(css.AppendName(nil, s.Prefix, t.Segments[:depth]))] = true
		}
		n.addVariable(t, token)
	}
	return n
}

// addVariable adds the theme variable of a token, unless an earlier token has it: livery pull --format tailwind gives it
// to the first.
func (n *names) addVariable(t *export.Token, token int) {
	namespace, path := t.Utility()
	name := string(css.AppendName(nil, namespace, path))
	if _, taken := n.variables.tokens[name]; namespace == "" || taken {
		return
	}
	n.variables.add(name, token)
	if namespace == "breakpoint" || namespace == "container" {
		n.variants[strings.TrimPrefix(name, "--"+namespace+"-")] = token
	}
}

// isGrouped reports whether a custom property begins as those in a group within a group do.
func (n *names) isGrouped(name string) bool {
	for k := len("--"); k < len(name); k++ {
		if name[k] == '-' && n.stems[name[:k]] {
			return true
		}
	}
	return false
}

// shortestSlip is the length, in bytes, of the shortest word of a name that others are taken for a slip of.
const shortestSlip = 4

// near returns the first of the names that one slip makes of another, or "".
func (t table) near(wrong string) (found string) {
	for cut := range cuts(wrong) {
		for _, name := range t.cut[cut] {
			if (found == "" || name < found) && isSlip(wrong, name) {
				found = name
			}
		}
	}
	return found
}

// isSlip reports whether one slip makes b of a, in a word of b that is long enough: a character that is missing, added or
// replaced, or two neighbours that are swapped. Digits are not slips: --gray-4 and --gray-5 are two names of a scale.
func isSlip(a, b string) bool {
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	begin, end := strings.LastIndexAny(b[:same], "-.")+1, len(b)
	if n := strings.IndexAny(b[same:], "-."); n >= 0 {
		end = same + n
	}
	if end-begin < shortestSlip {
		return false
	}
	a, b = a[same:], b[same:]
	for a != "" && b != "" && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if strings.ContainsAny(a+b, "0123456789") {
		return false
	}
	return len(a) <= 1 && len(b) <= 1 || len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
}

// utilities are the namespaces of the theme variables that each of Tailwind's utilities takes.
var utilities = func() map[string][]string {
	byUtility := map[string][]string{}
	for namespace, list := range map[string]string{
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
	} {
		for utility := range strings.FieldsSeq(list) {
			byUtility[utility] = append(byUtility[utility], namespace)
		}
	}
	for _, namespaces := range byUtility {
		slices.Sort(namespaces)
	}
	return byUtility
}()

// tailwindValues are the words with which the values begin that Tailwind itself gives utilities, beside digits.
var tailwindValues = strings.Fields("amber auto b balance base be bl black blend blue bold bottom bounce br bs center clip collapse " +
	"conic contain cover current cyan dashed distant dotted double dramatic dvh dvw e ee ellipsis emerald end es extrabold " +
	"extralight fit fixed from fuchsia full gray green hidden in indigo inherit initial inner inset justify l left lg lh " +
	"light lime linear local loose lvh lvw mauve max md medium midrange min mist mono near neutral no none normal nowrap " +
	"offset olive orange origin out ping pink pretty prose pulse purple px r radial red relaxed repeat reverse right ring " +
	"rose s sans screen scroll se semibold separate serif shadow sky slate sm snug solid spacing spin square ss start stone " +
	"stretch svh svw t taupe teal thin tight tighter tl top tr transparent video violet wavy white wide wider widest wrap x " +
	"xl xs y yellow z zinc")

// class is what the tokens say of a class of Tailwind.
type class struct {
	tokens []int  // that its value is; several if namespaces share a name
	near   string // the class of a token that one slip makes of it; empty if it is that of a token, or there is none
}

// class returns what a class is, without its variants and modifiers.
func (n *names) class(name string) (c class) {
	for k := 1; k < len(name)-1; k++ {
		if name[k] != '-' {
			continue
		}
		utility, value := name[:k], name[k+1:]
		first, _, _ := strings.Cut(value, "-")
		isTailwinds := first == "" || first[0] >= '0' && first[0] <= '9' || slices.Contains(tailwindValues, first)
		for _, namespace := range utilities[utility] {
			start := "--" + namespace + "-"
			if token, known := n.variables.tokens[start+value]; known {
				c.tokens = append(c.tokens, token)
			} else if !isTailwinds && c.near == "" {
				if near, ok := strings.CutPrefix(n.variables.near(start+value), start); ok && len(near) >= shortestSlip {
					c.near = utility + "-" + near
				}
			}
		}
	}
	if len(c.tokens) > 0 {
		c.near = ""
	}
	return c
}
