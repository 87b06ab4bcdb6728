package scan

import (
	"slices"
	"strings"

	"example.com/livery/cli/tokens/export"
	"example.com/livery/renderer/css"
)

// names is what a Theme gives source files to name.
type names struct {
	properties map[string]int32 // custom property -> index of its token
	paths      map[string]int32 // dotted path -> index of its token
	variables  map[string]int32 // theme variable of Tailwind -> index of its token
	variants   map[string]int32 // breakpoints and containers, which Tailwind's variants name

	propertyGroups stems
	variableGroups stems
	groups         map[string]bool // first names of paths
	prefix         string          // what all custom properties begin with, "--acme-"; empty if the Theme has no prefix

	nearProperties, nearPaths, nearVariables slips

	longestPath int // bytes
}

func namesOf(s *export.Sheet) names {
	n := names{
		properties: map[string]int32{}, paths: map[string]int32{}, variables: map[string]int32{}, variants: map[string]int32{},
		propertyGroups: stems{}, variableGroups: stems{}, groups: map[string]bool{},
	}
	if s.Prefix != "" {
		n.prefix = string(css.AppendName(nil, s.Prefix, nil)) + "-"
	}
	for i := range s.Tokens {
		t, token := &s.Tokens[i], int32(i)
		n.paths[t.Path] = token
		n.groups[t.Segments[0]] = true
		n.longestPath = max(n.longestPath, len(t.Path))
		for _, p := range t.Properties {
			n.properties[p.Name] = token
		}
		n.propertyGroups.add(s.Prefix, t.Segments, 2) // "--color-" begins names of others too
		n.addUtility(t, token)
	}
	n.nearProperties, n.nearPaths, n.nearVariables = slipsOf(n.properties), slipsOf(n.paths), slipsOf(n.variables)
	return n
}

// addUtility adds the theme variable of a token, unless an earlier token has it: livery pull --format tailwind gives it
// to the first.
func (n *names) addUtility(t *export.Token, token int32) {
	namespace, path := t.Utility()
	if namespace == "" {
		return
	}
	name := string(css.AppendName(nil, namespace, path))
	if _, taken := n.variables[name]; taken {
		return
	}
	n.variables[name] = token
	n.variableGroups.add(namespace, path, 1)
	if namespace == "breakpoint" || namespace == "container" {
		n.variants[strings.TrimPrefix(name, "--"+namespace+"-")] = token
	}
}

// stems are what the names in the groups of a Theme begin with.
type stems map[string]bool

// add adds the groups of a path from some depth on.
func (s stems) add(prefix string, path []string, depth int) {
	for k := depth; k < len(path); k++ {
		s[string(css.AppendName(nil, prefix, path[:k]))] = true
	}
}

// begin reports whether a name begins as those in a group do.
func (s stems) begin(name string) bool {
	for k := len("--"); k < len(name); k++ {
		if name[k] == '-' && s[name[:k]] {
			return true
		}
	}
	return false
}

// slips finds names that are one slip away from others: a character that is missing, added or replaced, or two
// neighbours that are swapped. Two such names are equal, or become equal if each loses one character at most.
type slips struct {
	names []string
	by    map[string][]int32 // a name, or one that lost a character -> indexes of what it was
}

// shortestSlip is the length, in bytes, of the shortest word of a name that others are taken for a slip of.
const shortestSlip = 4

func slipsOf(of map[string]int32) slips {
	s := slips{by: map[string][]int32{}}
	for name := range of {
		if len(strings.TrimLeft(name, "-")) >= shortestSlip {
			s.names = append(s.names, name)
		}
	}
	slices.Sort(s.names)
	for i, name := range s.names {
		eachShorter(name, func(shorter string) { s.by[shorter] = append(s.by[shorter], int32(i)) })
	}
	return s
}

// eachShorter calls f with a name and with all that lack one of its bytes.
func eachShorter(name string, f func(string)) {
	f(name)
	for i := range len(name) {
		if i == 0 || name[i] != name[i-1] { // of equal neighbours one counts
			f(name[:i] + name[i+1:])
		}
	}
}

// near returns the names that one slip makes name of, in order.
func (s slips) near(name string) (list []string) {
	eachShorter(name, func(shorter string) {
		for _, i := range s.by[shorter] {
			if near := s.names[i]; isSlip(name, near) && !slices.Contains(list, near) {
				list = append(list, near)
			}
		}
	})
	slices.Sort(list)
	return list
}

// isSlip reports whether one slip makes b of a, in a word of b that is long enough. Digits are not slips: --gray-4 and
// --gray-5 are two names of a scale.
func isSlip(a, b string) bool {
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	begin := strings.LastIndexAny(b[:same], "-.") + 1
	if n := strings.IndexAny(b[same:], "-."); n >= 0 && same+n-begin < shortestSlip || n < 0 && len(b)-begin < shortestSlip {
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
