package form

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"example.com/livery/intake/model"
	"example.com/livery/intake/tree"
	"example.com/livery/intake/value"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

const listName = "a list of tokens"

// isList reports whether a file is an array of tokens that have names, or has such arrays in its groups.
func isList(f *model.File) bool {
	found := len(namedItems(f.Root)) > 0
	eachList(f.Root, nil, func(*jsontree.Node, jsontree.Pointer) { found = true })
	return found
}

func readList(f *model.File, o Options) (*model.Document, error) {
	d := newDictionary(f, o)
	if f.Root.Kind == jsontree.Array {
		d.addList(f.Root, nil)
		return d.finish(), nil
	}
	isRead := map[*jsontree.Node]bool{}
	eachList(f.Root, nil, func(list *jsontree.Node, at jsontree.Pointer) {
		isRead[list] = true
		d.addList(list, at)
	})
	walkTokens(f.Root, visitor{stray: func(at jsontree.Pointer, v *jsontree.Node) {
		if !isRead[v] {
			reportStray(d.document, model.Place{File: f, Pointer: at.String()}, at, v)
		}
	}})
	return d.finish(), nil
}

// eachList visits the arrays of tokens in groups.
func eachList(n *jsontree.Node, at jsontree.Pointer, visit func(list *jsontree.Node, at jsontree.Pointer)) {
	for _, m := range n.Members {
		below := append(at[:len(at):len(at)], m.Name)
		if len(namedItems(m.Value)) > 0 {
			visit(m.Value, below)
		} else if m.Value.IsObject() && !dtcg.IsMetadata(m.Name) {
			eachList(m.Value, below, visit)
		}
	}
}

// namedItems returns the items of an array if the first is a token that says its own name.
func namedItems(n *jsontree.Node) []*jsontree.Node {
	if items := itemsOf(n); len(items) > 0 && len(listedPath(items[0])) > 0 && valueOf(items[0]) != nil {
		return items
	}
	return nil
}

// listedPath returns the path of a token in a list: that of its member path, or the parts of its name.
func listedPath(n *jsontree.Node) (path []string) {
	if list := n.Find("path"); len(itemsOf(list)) > 0 {
		for _, item := range list.Items() {
			path = append(path, value.Text(item))
		}
		return path
	}
	name := cmp.Or(value.Text(n.Find("path")), value.Text(n.Find("name")), value.Text(n.Find("key")), value.Text(n.Find("id")))
	return splitName(name)
}

// splitName returns the parts of the name of a token in a list, or of an alias of one, between dots or slashes.
func splitName(name string) []string {
	return strings.FieldsFunc(strings.Trim(name, "{}"), func(r rune) bool { return r == '.' || r == '/' })
}

// addList adds the tokens of a list.
func (d *dictionary) addList(list *jsontree.Node, at jsontree.Pointer) {
	known := map[string]bool{}
	for _, item := range itemsOf(list) {
		known[strings.Join(listedPath(item), ".")] = true
	}
	for i, item := range itemsOf(list) {
		place, path := model.Place{File: d.file, Pointer: append(slices.Clone(at), strconv.Itoa(i)).String()}, listedPath(item)
		if len(path) == 0 || valueOf(item) == nil {
			d.document.Report(place, strconv.Itoa(i), "items that are not tokens", "it has no name or no value: "+value.Spell(item), true)
			continue
		}
		v := value.MapStrings(valueOf(item), func(text string) string {
			return value.MapAliases(text, func(path string) string {
				if dotted := strings.Join(splitName(path), "."); known[dotted] {
					return dotted
				}
				return path
			})
		})
		if inside, err := jsontree.Parse(value.Text(v)); err == nil && (inside.IsObject() || inside.Kind == jsontree.Array) {
			v = inside // JSON in a text
		}
		d.addToken(path, tree.With(item, valueName(item), v), "", place)
	}
}
