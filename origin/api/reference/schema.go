package reference

import (
	"html"
	"html/template"
	"strings"

	"example.com/livery/renderer/jsontree"
)

// typeOf says in a line what a value of a schema is, with links to the schemas that it names.
func (r *reader) typeOf(schema *jsontree.Node) template.HTML {
	return template.HTML(r.spell(schema)) //nolint:gosec // spell escapes what it takes from the document
}

func (r *reader) spell(schema *jsontree.Node) string {
	if schema == nil {
		return "anything"
	}
	if name, named := strings.CutPrefix(text(schema, "$ref"), "#/components/schemas/"); named {
		r.resolved(schema)
		name = html.EscapeString(name)
		return `<a href="#schema-` + name + `">` + name + `</a>`
	}
	for _, c := range [][2]string{{"anyOf", " or "}, {"oneOf", " or "}, {"allOf", " and "}} {
		if list := itemsOf(schema, c[0]); len(list) > 0 && schema.Find("properties") == nil {
			return r.join(list, c[1])
		}
	}
	if c := schema.Find("const"); c != nil {
		return code(c)
	}
	if list := itemsOf(schema, "enum"); len(list) > 0 {
		return join(list, code)
	}
	switch kind := schema.Find("type"); {
	case kind == nil:
		return "anything"
	case !kind.IsString():
		return join(kind.Items(), func(n *jsontree.Node) string { return html.EscapeString(n.Text) })
	case kind.Text == "array":
		return "array of " + r.spell(schema.Find("items"))
	default:
		return html.EscapeString(kind.Text)
	}
}

func (r *reader) join(list []*jsontree.Node, between string) string {
	var all []string
	for _, n := range list {
		if spelled := r.spell(n); spelled != "anything" { // a constraint alone
			all = append(all, spelled)
		}
	}
	return strings.Join(all, between)
}

func join(list []*jsontree.Node, spell func(*jsontree.Node) string) string {
	var all []string
	for _, n := range list {
		all = append(all, spell(n))
	}
	return strings.Join(all, " or ")
}

func code(n *jsontree.Node) string {
	return "<code>" + html.EscapeString(string(jsontree.Append(nil, n))) + "</code>"
}

// limits are the members of a schema that bound its values, and what they are called.
var limits = [][2]string{
	{"format", "format"},
	{"minLength", "shortest"},
	{"maxLength", "longest"},
	{"minimum", "least"},
	{"maximum", "most"},
	{"minItems", "fewest"},
	{"maxItems", "items at most"},
	{"default", "default"},
	{"pattern", "pattern"},
}

// bounds lists what a schema says about its values beside their type.
func bounds(schema *jsontree.Node) (all []string) {
	if schema == nil {
		return nil
	}
	for _, limit := range limits {
		if n := schema.Find(limit[0]); n != nil {
			all = append(all, limit[1]+" "+spelled(n))
		}
	}
	return all
}

// fields lists the members of an object. Those of an object within it, which has no name, stand behind it with dotted names.
func (r *reader) fields(prefix string, schema *jsontree.Node) (all []field) {
	if schema == nil {
		return nil
	}
	required := map[string]bool{}
	for _, n := range itemsOf(schema, "required") {
		required[n.Text] = true
	}
	for _, m := range membersOf(schema, "properties") {
		all = append(all, field{
			Name: prefix + m.Name, Required: required[m.Name], Type: r.typeOf(m.Value), Bounds: bounds(m.Value), Description: markdown(text(m.Value, "description")),
		})
		all = append(all, r.fields(prefix+m.Name+".", m.Value)...)
		if items := m.Value.Find("items"); items != nil {
			all = append(all, r.fields(prefix+m.Name+"[].", items)...)
		}
	}
	if more := schema.Find("additionalProperties"); more.IsObject() {
		all = append(all, field{Name: prefix + "*", Type: r.typeOf(more), Bounds: bounds(more), Description: markdown(text(more, "description"))})
	}
	return all
}
