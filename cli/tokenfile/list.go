package tokenfile

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"example.com/livery/cli/tokenfile/syntax"
	"example.com/livery/cli/tokenfile/tree"
	"example.com/livery/renderer/jsontree"
)

// rootList is the name of the member as which a file is read that is an array.
const rootList = "-"

// tokenList is an array of tokens and its place.
type tokenList struct {
	at    jsontree.Pointer
	items []*jsontree.Node
}

// listsOf returns the arrays of tokens of a file, in groups too.
func listsOf(n *jsontree.Node, at jsontree.Pointer) (lists []tokenList) {
	for _, m := range n.Members {
		below := append(at[:len(at):len(at)], m.Name)
		switch {
		case isArray(m.Value) && len(m.Value.Items()) > 0 && isListed(m.Value.Items()[0]):
			lists = append(lists, tokenList{below, m.Value.Items()})
		case m.Value.IsObject() && !isMeta(m.Name):
			lists = append(lists, listsOf(m.Value, below)...)
		}
	}
	return lists
}

// isListed reports whether n is a token that says its own name.
func isListed(n *jsontree.Node) bool {
	return len(listedPath(n)) > 0 && either(n, "$value", "value") != nil
}

// listedPath returns the names of the path of a token in a list.
func listedPath(n *jsontree.Node) (names jsontree.Pointer) {
	if path := n.Find("path"); isArray(path) {
		for _, item := range path.Items() {
			names = append(names, textOf(item))
		}
		return names
	}
	return segments(slashed(listedName(n)))
}

// listedName is the name of a token in a list as it is written; empty if it has none, or a list of names.
func listedName(n *jsontree.Node) string {
	for _, member := range []string{"path", "name", "key", "id"} {
		if name := textOf(n.Find(member)); name != "" || isArray(n.Find(member)) {
			return name
		}
	}
	return ""
}

// slashed is a name of a token, or an alias of one, with slashes between its parts.
func slashed(name string) string { return strings.ReplaceAll(strings.Trim(name, "{}"), ".", "/") }

func recogniseTokenList(f *syntax.File, o Options) string {
	switch lists := listsOf(f.Root, nil); {
	case len(lists) == 0, !o.Among && !likeTokens(listedLeaves(lists)):
		return ""
	case lists[0].at[0] == rootList:
		return "it is an array of tokens that have names"
	case len(lists) == 1:
		return strings.Join(lists[0].at, ".") + " is an array of tokens that have names"
	default:
		return strings.Join(lists[0].at, ".") + " and " + itoa(len(lists)-1) + " more members are arrays of tokens that have names"
	}
}

// listedLeaves lists the values of the tokens of lists.
func listedLeaves(lists []tokenList) (leaves []leaf) {
	for _, list := range lists {
		for _, n := range list.items {
			if isListed(n) {
				leaves = append(leaves, tokenLeaves(n, listedPath(n))...)
			}
		}
	}
	return leaves
}

// readTokenList makes a part of the lists of tokens. A token whose name begins with that of another stands beside it,
// with the rest of its name after a hyphen.
func readTokenList(root *jsontree.Node, o Options) ([]Part, error) {
	tree := placed{root: jsontree.NewObject(), part: Part{Origins: map[string]string{}}}
	isList, lists := map[string]bool{}, listsOf(root, nil)
	in, areGroups := listsByName(lists)
	for _, list := range lists {
		isList[list.at.String()] = true
		at, group := list.at, jsontree.Pointer(nil)
		if areGroups {
			group = at
			tree.part.Concessions = append(tree.part.Concessions, Concession{
				"lists with the names of others", at.String(), strings.Join(at, "."), "its tokens are called " + strings.Join(at, ".") + ".…, since another list has one of the names too",
			})
		}
		if at[0] == rootList { // an array at the top is a member in the tree alone
			at = nil
		}
		for i, n := range list.items {
			path, pointer := listedPath(n), append(at[:len(at):len(at)], strconv.Itoa(i)).String()
			switch value := either(n, "$value", "value"); {
			case !n.IsObject() || len(path) == 0 || value == nil:
				tree.fault(pointer, strconv.Itoa(i), "item "+strconv.Itoa(i)+" of the list has no name or no value: "+spelled(n))
			default:
				if said := lostParts(slashed(listedName(n)), path); said != "" {
					tree.part.Concessions = append(tree.part.Concessions, Concession{lessNames, pointer, strings.Join(path, "."), said})
				}
				tree.add(slices.Concat(group, path), withDollar(n, in), pointer)
			}
		}
	}
	tree.beside(root, nil, isList)
	return tree.parts(dictionaryTokens, o), nil
}

// listsByName returns the list that has each name of a token, and whether a token of one is called as one of another.
func listsByName(lists []tokenList) (in map[string]int, areSame bool) {
	in = map[string]int{}
	for i, list := range lists {
		for _, n := range list.items {
			name := listedPath(n).String()
			if other, ok := in[name]; ok && other != i && name != "" {
				areSame = true
			}
			in[name] = i
		}
	}
	return in, areSame
}

// withDollar returns a token whose value is its $value, with its unit and with dots in the aliases of known tokens: in a
// list its path tells no category that would change it.
func withDollar(n *jsontree.Node, known map[string]int) *jsontree.Node {
	name := valueName(n)
	value := MapStrings(n.Find(name), func(text string) string {
		return aliasInside.ReplaceAllStringFunc(text, func(alias string) string {
			path := segments(slashed(alias))
			if _, isKnown := known[path.String()]; isKnown && strings.Contains(alias, "/") {
				return "{" + strings.Join(path, ".") + "}"
			}
			return alias
		})
	})
	if inside, err := jsontree.Parse(textOf(value)); err == nil && (inside.IsObject() || isArray(inside)) {
		value = inside // as JSON in a text, in which documentation has modes and shadows
	}
	unit := textOf(n.Find("unit"))
	isQuantity := unit != "" && bareNumber.MatchString(value.Text)
	if isQuantity {
		value = jsontree.NewString(value.Text + unit)
	}
	return tree.MapMembers(n, func(m jsontree.Member) jsontree.Member {
		switch {
		case m.Name == name:
			m = jsontree.Member{Name: "$value", Value: value}
		case m.Name == "unit" && isQuantity:
			m.Value = nil
		}
		return m
	})
}

// beside names what stands beside the lists of a file: as lost what is a value of a token by its shape.
func (p *placed) beside(n *jsontree.Node, at jsontree.Pointer, isList map[string]bool) {
	for _, m := range n.Members {
		below := append(at[:len(at):len(at)], m.Name)
		pointer, path := below.String(), strings.Join(below, ".")
		switch {
		case isList[pointer] || isMeta(m.Name):
		case isValue(m.Value), isArray(m.Value) && slices.ContainsFunc(m.Value.Items(), isValue):
			p.fault(pointer, path, "it stands beside the lists of tokens, which alone are read; put it into a file of its own: "+spelled(m.Value))
		case m.Value.IsObject():
			p.beside(m.Value, below, isList)
		default:
			p.part.Concessions = append(p.part.Concessions, Concession{"members beside the lists of tokens", pointer, path, spelled(m.Value) + " is left out"})
		}
	}
}

// placed is a tree that tokens are added to by their paths.
type placed struct {
	root *jsontree.Node
	part Part
}

func (p *placed) fault(pointer, path, message string) {
	p.part.Faults = append(p.part.Faults, Fault{pointer, path, message})
}

// add puts a token at a path. If a token stands above that path, or a group at it, one of the two gets another name.
func (p *placed) add(path jsontree.Pointer, token *jsontree.Node, origin string) {
	n := p.root
	for i, name := range path[:len(path)-1] {
		if n.Find(name).Find("$value") != nil {
			path = append(path[:i:i], strings.Join(path[i:], "-"))
			p.concede(path, origin, "it stands below another token; its name is joined with hyphens")
			break
		}
		n = tree.Group(n, name)
	}
	last := path[len(path)-1]
	switch old := n.Find(last); {
	case old == nil:
		n.Members = append(n.Members, jsontree.Member{Name: last, Value: token})
	case old.Find("$value") == nil:
		path = append(path[:len(path):len(path)], "$root")
		old.Members = append(old.Members, jsontree.Member{Name: "$root", Value: token})
		p.concede(path, origin, "others stand below it; it is the $root of their group")
	default:
		p.fault(origin, strings.Join(path, "."), "two tokens have this name; the first counts")
		return
	}
	p.part.Origins[path.String()] = origin
}

func (p *placed) concede(path jsontree.Pointer, origin, message string) {
	p.part.Concessions = append(p.part.Concessions, Concession{"names that are the beginning of others", origin, strings.Join(path, "."), message})
}

// parts returns the tree as the parts of a file, with the modes of its values chosen.
func (p *placed) parts(d dialect, o Options) []Part {
	tree.Index(p.root)
	part := convertSet("", p.root, nil, d, o)
	for i, f := range part.Faults {
		part.Faults[i].Pointer = p.origin(f.Pointer)
	}
	for i, c := range part.Concessions {
		part.Concessions[i].Pointer = p.origin(c.Pointer)
	}
	for now, before := range part.Origins {
		part.Origins[now] = p.origin(before)
	}
	for now, origin := range p.part.Origins {
		part.Origins[now] = cmp.Or(part.Origins[now], origin)
	}
	part.Faults = append(p.part.Faults, part.Faults...)
	part.Concessions = append(p.part.Concessions, part.Concessions...)
	return []Part{part}
}

// origin is the place in the file of a place in the tree.
func (p *placed) origin(pointer string) string {
	for above := pointer; above != ""; above = above[:strings.LastIndexByte(above, '/')] {
		if origin, ok := p.part.Origins[above]; ok {
			return origin + pointer[len(above):]
		}
	}
	return pointer
}
