package references

import (
	"net/url"
	"slices"
	"strings"

	"example.com/livery/intake/tree"
	"example.com/livery/renderer/jsontree"
)

// Separate gives a definition in documents that become one another name if an earlier document has another of its name: a
// $ref leads to that of the document which it stands in, or which it names. It changes the list, and returns for each
// document the names that are others now. named returns the document of a file, or -1.
func Separate(documents []*jsontree.Node, named func(file string) int) (renamed []map[string]string) {
	taken, renamed := map[string]*jsontree.Node{}, make([]map[string]string, len(documents))
	for i, document := range documents {
		documents[i] = tree.MapMembers(document, func(m jsontree.Member) jsontree.Member {
			if m.Name == "$defs" && m.Value.IsObject() {
				m.Value = tree.MapMembers(m.Value, func(d jsontree.Member) jsontree.Member {
					was := d.Name
					for n := 2; taken[d.Name] != nil && (holdsReference(d.Value) || !jsontree.Equal(taken[d.Name], d.Value)); n++ {
						d.Name = was + "-" + itoa(n)
					}
					if taken[d.Name] = d.Value; d.Name != was {
						renamed[i] = withName(renamed[i], was, d.Name)
					}
					return d
				})
			}
			return m
		})
	}
	if !slices.ContainsFunc(renamed, func(names map[string]string) bool { return names != nil }) {
		return renamed
	}
	for i, document := range documents {
		documents[i] = withTexts(document, func(text string) string {
			in := i
			if file, _, ok := strings.Cut(text, "#"); ok && file != "" {
				in = named(file)
			}
			if in < 0 {
				return text
			}
			return withDefinition(text, renamed[in])
		})
	}
	return renamed
}

func withName(names map[string]string, was, name string) map[string]string {
	if names == nil {
		names = map[string]string{}
	}
	names[was] = name
	return names
}

// withTexts returns a value with the text of each reference in it replaced by what change returns for it.
func withTexts(n *jsontree.Node, change func(text string) string) *jsontree.Node {
	return tree.MapChildren(n, func(name string, value *jsontree.Node) *jsontree.Node {
		switch {
		case name == "$extensions":
		case (name == "$ref" || name == "$extends") && value.IsString():
			if text := change(value.Text); text != value.Text {
				return jsontree.NewString(text)
			}
		default:
			return withTexts(value, change)
		}
		return value
	})
}

// withDefinition returns a reference that leads to the other name of a definition.
func withDefinition(text string, names map[string]string) string {
	if inner, ok := strings.CutPrefix(text, "{$defs."); ok {
		name, rest, _ := strings.Cut(strings.TrimSuffix(inner, "}"), ".")
		if other := names[name]; other != "" {
			return "{" + strings.TrimSuffix("$defs."+other+"."+rest, ".") + "}"
		}
	}
	file, fragment, _ := strings.Cut(text, "#")
	if decoded, err := url.PathUnescape(fragment); err == nil {
		fragment = decoded
	}
	p, ok := jsontree.ParsePointer(fragment)
	if !ok || len(p) < 2 || p[0] != "$defs" || names[p[1]] == "" {
		return text
	}
	p[1] = names[p[1]]
	return file + "#" + strings.ReplaceAll(p.String(), "%", "%25")
}
