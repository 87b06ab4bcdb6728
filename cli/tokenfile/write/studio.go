package write

import (
	"slices"
	"strings"

	"example.com/livery/renderer/css"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// studioSet is the name of the one token set that is written.
const studioSet = "global"

// writeStudio spells a document as one token set.
func writeStudio(d *dtcg.Document) (*jsontree.Node, map[string]string) {
	set, places := tree(d, jsontree.Pointer{studioSet}, false, func(t *dtcg.Token) *jsontree.Node { return studioToken(d, t) })
	order := jsontree.NewArray(jsontree.NewString(studioSet))
	return jsontree.NewObject(
		jsontree.Member{Name: studioSet, Value: set},
		jsontree.Member{Name: "$themes", Value: &jsontree.Node{Kind: jsontree.Array}},
		jsontree.Member{Name: "$metadata", Value: jsontree.NewObject(jsontree.Member{Name: "tokenSetOrder", Value: order})},
	), places
}

// studioTypes are the types of Tokens Studio by what values are rendered as; the others are called other.
var studioTypes = map[css.Kind]string{
	css.Color: "color", css.Dimension: "dimension", css.FontFamily: "fontFamilies", css.FontWeight: "fontWeights", css.Number: "number",
	css.Shadow: "boxShadow", css.Typography: "typography", css.Border: "border", css.String: "text", css.Boolean: "boolean",
}

func studioToken(d *dtcg.Document, t *dtcg.Token) *jsontree.Node {
	k := kindOf(t)
	typ, ok := studioTypes[k]
	if !ok {
		typ = "other"
	}
	n := jsontree.NewObject(
		jsontree.Member{Name: "value", Value: studioValue(d, k, t.Value)},
		jsontree.Member{Name: "type", Value: jsontree.NewString(typ)},
	)
	if said := description(t); said != nil {
		n.Members = append(n.Members, jsontree.Member{Name: "description", Value: said})
	}
	return n
}

// studioNames are the members of a shadow that Tokens Studio names otherwise.
var studioNames = map[string]string{"offsetX": "x", "offsetY": "y"}

// partKinds are what the members of composites are rendered as.
var partKinds = map[string]css.Kind{
	"color": css.Color, "offsetX": css.Dimension, "offsetY": css.Dimension, "blur": css.Dimension, "spread": css.Dimension, "width": css.Dimension,
	"fontFamily": css.FontFamily, "fontSize": css.Dimension, "fontWeight": css.FontWeight, "letterSpacing": css.Dimension, "lineHeight": css.NumberOrDimension,
	"style": css.StrokeStyle,
}

// studioValue spells a value as Tokens Studio does: texts, and objects of texts.
func studioValue(d *dtcg.Document, k css.Kind, value *jsontree.Node) *jsontree.Node {
	switch {
	case value.IsString():
		return value
	case k == css.FontFamily && value.Kind == jsontree.Array && !slices.ContainsFunc(value.Items(), func(n *jsontree.Node) bool { return !n.IsString() || strings.Contains(n.Text, ",") }):
		var names []string
		for _, item := range value.Items() {
			names = append(names, item.Text)
		}
		return jsontree.NewString(strings.Join(names, ", "))
	case k == css.Shadow && value.Kind == jsontree.Array:
		layers := &jsontree.Node{Kind: jsontree.Array}
		for _, layer := range value.Items() {
			layers.AddItem(studioValue(d, k, layer))
		}
		return layers
	case value.IsObject() && slices.Contains([]css.Kind{css.Shadow, css.Border, css.Typography}, k):
		return studioParts(d, k, value)
	case value.Kind == jsontree.Number || value.Kind == jsontree.Bool:
		return jsontree.NewString(string(jsontree.Append(nil, value)))
	}
	return text(d, k, value)
}

func studioParts(d *dtcg.Document, k css.Kind, value *jsontree.Node) *jsontree.Node {
	parts := jsontree.NewObject()
	for _, m := range value.Members {
		if m.Name == "inset" || m.Name == "type" && k == css.Shadow {
			continue
		}
		if kind, ok := partKinds[m.Name]; ok {
			m.Value = studioValue(d, kind, m.Value)
		}
		if name := studioNames[m.Name]; name != "" && k == css.Shadow {
			m.Name = name
		}
		parts.Members = append(parts.Members, m)
	}
	if k == css.Shadow {
		kind := "dropShadow"
		if inset, own := value.Find("inset"), value.Find("type"); inset != nil && inset.True || own.IsString() && own.Text == "innerShadow" {
			kind = "innerShadow"
		}
		parts.Members = append(parts.Members, jsontree.Member{Name: "type", Value: jsontree.NewString(kind)})
	}
	return parts
}
