package form

import (
	"slices"
	"strconv"
	"strings"

	"example.com/livery/intake/model"
	"example.com/livery/renderer/jsontree"
)

// recognizesRegistry reports whether a file is a registry of shadcn, or an item of one, with custom properties.
func recognizesRegistry(f *model.File) bool { return len(registryItems(f.Root)) > 0 }

// registryItems returns the pointers of the items that have cssVars.
func registryItems(root *jsontree.Node) (places []jsontree.Pointer) {
	isItem := func(n *jsontree.Node) bool {
		vars := n.Find("cssVars")
		return vars != nil && slices.ContainsFunc(vars.Members, func(m jsontree.Member) bool {
			return slices.ContainsFunc(m.Value.Members, func(m jsontree.Member) bool { return m.Value.IsString() })
		})
	}
	if isItem(root) {
		return []jsontree.Pointer{{}}
	}
	if items := root.Find("items"); items != nil {
		for i, item := range items.Items() {
			if isItem(item) {
				places = append(places, jsontree.Pointer{"items", strconv.Itoa(i)})
			}
		}
	}
	return places
}

// readRegistry reads the custom properties of a registry as shadcn writes them into a stylesheet: cssVars.theme into @theme, light
// into :root, dark into .dark, and the rules of css as they are.
func readRegistry(f *model.File, _ Options) (*model.Document, error) {
	s := newStylesheet(f)
	for _, at := range registryItems(f.Root) {
		item := f.Root.Lookup(at)
		for _, m := range item.Find("cssVars").Members {
			selector := "." + m.Name
			switch m.Name {
			case "theme":
				selector = "@theme"
			case "light":
				selector = ":root"
			}
			s.readObject(m.Value, s.enter(cssScope{}, selector), append(slices.Clone(at), "cssVars", m.Name))
		}
		if rules := item.Find("css"); rules != nil {
			s.readObject(rules, cssScope{}, append(slices.Clone(at), "css"))
		}
	}
	return s.document(), nil
}

// readObject reads a rule from an object of custom properties and nested rules. Names in cssVars lack the leading --.
func (s *stylesheet) readObject(n *jsontree.Node, in cssScope, at jsontree.Pointer) {
	rules := in.rules()
	for _, m := range n.Members {
		place := append(slices.Clone(at), m.Name)
		switch isProperty := strings.HasPrefix(m.Name, "--") || slices.Contains(at, "cssVars"); {
		case isProperty && (m.Value.Kind == jsontree.String || m.Value.Kind == jsontree.Number):
			s.declare(in, rules, m.Name, strings.TrimSuffix(strings.TrimSpace(m.Value.Text), ";"), place.String())
		case isProperty:
			s.report(place.String(), model.Problem{Path: m.Name, Kind: "invalid declarations", Message: "a custom property is a string", Lost: true})
		default:
			s.readObject(m.Value, s.enter(in, m.Name), place)
		}
	}
}
