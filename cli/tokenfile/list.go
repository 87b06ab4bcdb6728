package tokenfile

import (
	"strconv"
	"strings"

	"example.com/livery/cli/tokenfile/syntax"
	"example.com/livery/cli/tokenfile/tree"
	"example.com/livery/renderer/jsontree"
)

// rootList is the name of the member as which a file is read that is an array.
const rootList = "-"

// listsOf returns the members of a file that are arrays of tokens.
func listsOf(root *jsontree.Node) (lists []jsontree.Member) {
	for _, m := range root.Members {
		if isArray(m.Value) && len(m.Value.Items) > 0 && isListed(m.Value.Items[0]) {
			lists = append(lists, m)
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
		for _, item := range path.Items {
			names = append(names, textOf(item))
		}
		return names
	}
	for _, member := range []string{"path", "name", "key", "id"} {
		if name := textOf(n.Find(member)); name != "" {
			return segments(strings.ReplaceAll(strings.Trim(name, "{}"), ".", "/"))
		}
	}
	return nil
}

func recogniseTokenList(f *syntax.File, _ Options) string {
	switch lists := listsOf(f.Root); {
	case len(lists) == 0:
		return ""
	case lists[0].Name == rootList:
		return "it is an array of tokens that have names"
	case len(lists) == 1:
		return lists[0].Name + " is an array of tokens that have names"
	default:
		return lists[0].Name + " and " + itoa(len(lists)-1) + " more members are arrays of tokens that have names"
	}
}

// readTokenList makes a part of the lists of tokens. A token whose name begins with that of another stands beside it, with the
// rest of its name after a hyphen.
func readTokenList(root *jsontree.Node, o Options) ([]Part, error) {
	tree := placed{root: jsontree.NewObject(), part: Part{Origins: map[string]string{}}}
	for _, list := range listsOf(root) {
		var at jsontree.Pointer // an array at the top is a member in the tree alone
		if list.Name != rootList {
			at = jsontree.Pointer{list.Name}
		}
		for i, n := range list.Value.Items {
			path, pointer := listedPath(n), append(at[:len(at):len(at)], strconv.Itoa(i)).String()
			switch value := either(n, "$value", "value"); {
			case !n.IsObject() || len(path) == 0 || value == nil:
				tree.fault(pointer, strconv.Itoa(i), "item "+strconv.Itoa(i)+" of the list has no name or no value: "+spelled(n))
			default:
				tree.add(path, newToken(n, textOf(either(n, "$type", "type")), value), pointer)
			}
		}
	}
	return tree.parts(dictionaryTokens, o), nil
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
	part.Origins, part.Faults = p.part.Origins, append(p.part.Faults, part.Faults...)
	part.Concessions = append(p.part.Concessions, part.Concessions...)
	for i, c := range part.Concessions {
		if origin, ok := p.part.Origins[c.Pointer]; ok {
			part.Concessions[i].Pointer = origin
		}
	}
	return []Part{part}
}
