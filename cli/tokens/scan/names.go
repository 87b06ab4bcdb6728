package scan

import (
	"slices"
	"strings"

	"example.com/livery/cli/tokens/export"
	"example.com/livery/renderer/css"
)

// names is what a Theme gives source files to name. It does not change and may be read by several goroutines.
type names struct {
	properties map[string]int32 // custom property -> index of its token
	paths      map[string]int32 // dotted path -> index of its token
	variables  map[string]int32 // theme variable of Tailwind -> index of its token
	variants   map[string]int32 // breakpoints and containers, which Tailwind's variants name

	deprecated []bool // by token

	stems  map[string]bool // what the custom properties and theme variables of a group begin with
	groups map[string]bool // first names of paths
	prefix string          // what all custom properties begin with, "--acme-"; empty if the Theme has no prefix

	nearProperties, nearPaths, nearVariables slips

	longestPath int // bytes
}

func namesOf(s *export.Sheet) *names {
	n := &names{
		properties: map[string]int32{}, paths: map[string]int32{}, variables: map[string]int32{}, variants: map[string]int32{},
		stems: map[string]bool{}, groups: map[string]bool{},
	}
	if s.Prefix != "" {
		n.prefix = string(css.AppendName(nil, s.Prefix, nil)) + "-"
	}
	for i := range s.Tokens {
		t, token := &s.Tokens[i], int32(i)
		n.paths[t.Path] = token
		n.deprecated = append(n.deprecated, t.Deprecated != "")
		n.groups[t.Segments[0]] = true
		n.longestPath = max(n.longestPath, len(t.Path))
		for _, p := range t.Properties {
			n.properties[p.Name] = token
		}
		n.addStems(s.Prefix, t.Segments, 2) // "--color-" begins names of others too
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
	n.addStems(namespace, path, 1)
	if namespace == "breakpoint" || namespace == "container" {
		n.variants[strings.TrimPrefix(name, "--"+namespace+"-")] = token
	}
}

// addStems adds what the names in the groups of a path begin with, from groups of some depth on.
func (n *names) addStems(prefix string, path []string, depth int) {
	for k := depth; k < len(path); k++ {
		n.stems[string(css.AppendName(nil, prefix, path[:k]))] = true
	}
}

// inGroup reports whether a custom property or theme variable is named as if it stood in a group of the Theme.
func (n *names) inGroup(name string) bool {
	for k := len("--"); k < len(name); k++ {
		if name[k] == '-' && n.stems[name[:k]] {
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

// shortestSlip is the length, in bytes and after the dashes, of the shortest name that others are taken for a slip of.
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

// isSlip reports whether one slip makes b of a. Digits are not slips: --gray-4 and --gray-5 are two names of a scale.
func isSlip(a, b string) bool {
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if strings.ContainsAny(a+b, "0123456789") {
		return false
	}
	return len(a) <= 1 && len(b) <= 1 || len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
}
