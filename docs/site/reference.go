package site

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"example.com/livery/renderer/jsontree"
)

// reference writes the Markdown of an OpenAPI document.
type reference struct {
	document *jsontree.Node
	out      strings.Builder
	err      error // the first reference that leads nowhere
}

// referenceText returns the Markdown of an OpenAPI document.
func referenceText(document []byte) ([]byte, error) {
	root, err := jsontree.Parse(string(document))
	if err != nil {
		return nil, fmt.Errorf("site: read the OpenAPI document: %w", err)
	}
	r := &reference{document: root}
	info := root.Find("info")
	r.block("", "# "+textOf(info, "title"))
	r.block("", textOf(info, "summary"))
	r.block("", "[openapi.json](openapi.json) is this page for programs: an OpenAPI "+textOf(root, "openapi")+" document of version "+textOf(info, "version")+
		". In the examples `$LIVERY_URL` is the address of the origin, `$LIVERY_TOKEN` an access token, and the other variables are ids.")
	r.block("", textOf(info, "description"))
	for _, tag := range itemsOf(root, "tags") {
		r.tag(tag)
	}
	components := root.Find("components")
	r.block("", "## Refusals {#refusals}")
	for _, m := range membersOf(components, "responses") {
		r.block("", "### "+m.Name+" {#response-"+m.Name+"}")
		r.answer(m.Value)
	}
	r.block("", "## Headers {#headers}")
	for _, m := range membersOf(components, "headers") {
		r.block("", "### "+m.Name+" {#header-"+m.Name+"}")
		r.block("", r.spell(m.Value.Find("schema"))+bounds(m.Value.Find("schema")))
		r.block("", textOf(m.Value, "description"))
	}
	r.block("", "## Schemas {#schemas}")
	for _, m := range membersOf(components, "schemas") {
		r.block("", "### "+m.Name+" {#schema-"+m.Name+"}")
		r.block("", r.spell(m.Value)+bounds(m.Value))
		r.block("", textOf(m.Value, "description"))
		r.fields("", m.Value)
		r.writeExamples(r.examples(m.Value))
	}
	return []byte(r.out.String()), r.err
}

// block writes lines of Markdown, each behind an indent, and the empty line that ends them.
func (r *reference) block(indent, lines string) {
	if lines == "" {
		return
	}
	for line := range strings.Lines(strings.TrimRight(lines, "\n") + "\n") {
		if line != "\n" {
			r.out.WriteString(indent)
		}
		r.out.WriteString(line)
	}
	r.out.WriteString("\n")
}

// tag writes the operations of a tag.
func (r *reference) tag(tag *jsontree.Node) {
	name := textOf(tag, "name")
	r.block("", "## "+name+" {#tag-"+strings.ToLower(strings.ReplaceAll(name, " ", "-"))+"}")
	r.block("", textOf(tag, "description"))
	for _, path := range membersOf(r.document, "paths") {
		for _, m := range path.Value.Members {
			tags := itemsOf(m.Value, "tags")
			switch {
			case m.Name == "parameters":
			case len(tags) == 0:
				r.fail("%s %s has no tag", m.Name, path.Name)
			case tags[0].Text == name:
				r.operation(path, m)
			}
		}
	}
}

func (r *reference) operation(path, m jsontree.Member) {
	id, method := textOf(m.Value, "operationId"), strings.ToUpper(m.Name)
	r.block("", "### "+textOf(m.Value, "summary")+" {#"+id+"}")
	role := textOf(m.Value, "x-livery-role")
	needs := map[string]string{"none": "Needs no token.", "any": "Needs a token."}[role]
	if needs == "" {
		needs = "Needs a token of a caller who is " + role + " at least."
	}
	r.block("", "`"+method+" "+path.Name+"`")
	r.block("", needs)
	r.block("", textOf(m.Value, "description"))
	if parameters := slices.Concat(itemsOf(path.Value, "parameters"), itemsOf(m.Value, "parameters")); len(parameters) > 0 {
		r.block("", "**Parameters**")
		for _, n := range parameters {
			n = r.resolved(n)
			r.field(textOf(n, "name"), textOf(n, "in"), isTrue(n, "required"), n.Find("schema"), textOf(n, "description"))
		}
	}
	body := ""
	if request := m.Value.Find("requestBody"); request != nil {
		r.block("", "**Request body**")
		body = r.bodies(r.resolved(request))
	}
	r.block("", "**Try it**")
	r.block("    ", curl(method, path.Name, role, body))
	r.block("", "The console of an origin has [a form](../console/calls?op="+id+") that sends it.")
	var refused []string
	for _, a := range membersOf(m.Value, "responses") {
		name, shared := strings.CutPrefix(textOf(a.Value, "$ref"), "#/components/responses/")
		if shared && a.Name >= "300" {
			refused = append(refused, "["+a.Name+" "+name+"](#response-"+name+")")
			continue
		}
		r.block("", "**Answer "+a.Name+"**")
		r.answer(r.resolved(a.Value))
	}
	if len(refused) > 0 {
		r.block("", "**Refusals**: "+strings.Join(refused, ", "))
	}
}

// answer writes a response.
func (r *reference) answer(n *jsontree.Node) {
	r.block("", textOf(n, "description"))
	var headers []string
	for _, m := range membersOf(n, "headers") {
		if name, shared := strings.CutPrefix(textOf(m.Value, "$ref"), "#/components/headers/"); shared {
			r.resolved(m.Value)
			headers = append(headers, "["+m.Name+"](#header-"+name+")")
		} else {
			headers = append(headers, "`"+m.Name+"` "+textOf(m.Value, "description"))
		}
	}
	if len(headers) > 0 {
		r.block("", "Headers: "+strings.Join(headers, ", "))
	}
	r.bodies(n)
}

// bodies writes the content of a request or of a response, and returns its first example; "" if there is none.
func (r *reference) bodies(n *jsontree.Node) (first string) {
	for _, m := range membersOf(n, "content") {
		schema := m.Value.Find("schema")
		r.block("", "`"+m.Name+"`: "+r.spell(schema))
		if textOf(schema, "$ref") == "" {
			r.fields("", schema)
		}
		examples := r.examples(m.Value)
		r.writeExamples(examples)
		if first == "" && len(examples) > 0 {
			first = examples[0].text
		}
	}
	return first
}

type example struct{ summary, text string }

// examples returns those of a body, which have names, and those of a schema.
func (r *reference) examples(n *jsontree.Node) (all []example) {
	if one := n.Find("example"); one != nil {
		all = append(all, example{"Example", spelled(one)})
	}
	for _, item := range itemsOf(n, "examples") {
		all = append(all, example{"Example", spelled(item)})
	}
	for _, m := range membersOf(n, "examples") {
		e := r.resolved(m.Value)
		all = append(all, example{textOf(e, "summary"), spelled(e.Find("value"))})
	}
	return all
}

func (r *reference) writeExamples(all []example) {
	for _, e := range all {
		r.block("", e.summary+":")
		r.block("    ", e.text)
	}
}

// fields writes the members of an object. Those of an object within it, which has no name, follow it with dotted names.
func (r *reference) fields(prefix string, schema *jsontree.Node) {
	if schema == nil {
		return
	}
	required := itemsOf(schema, "required")
	for _, m := range membersOf(schema, "properties") {
		needed := slices.ContainsFunc(required, func(n *jsontree.Node) bool { return n.Text == m.Name })
		r.field(prefix+m.Name, "", needed, m.Value, textOf(m.Value, "description"))
		r.fields(prefix+m.Name+".", m.Value)
		r.fields(prefix+m.Name+"[].", m.Value.Find("items"))
	}
	if more := schema.Find("additionalProperties"); more.IsObject() {
		r.field(prefix+"*", "", false, more, textOf(more, "description"))
	}
}

// field writes a parameter of a request, or a member of an object.
func (r *reference) field(name, in string, required bool, schema *jsontree.Node, description string) {
	line := "- `" + name + "`"
	if in != "" {
		line += " in " + in
	}
	if required {
		line += ", required"
	}
	r.block("", line+": "+r.spell(schema)+bounds(schema))
	r.block("  ", description)
}

// spell says in a line what a value of a schema is, with links to the schemas that it names.
func (r *reference) spell(schema *jsontree.Node) string {
	if schema == nil {
		return "anything"
	}
	if name, named := strings.CutPrefix(textOf(schema, "$ref"), "#/components/schemas/"); named {
		r.resolved(schema)
		return "[" + name + "](#schema-" + name + ")"
	}
	for _, c := range [][2]string{{"anyOf", " or "}, {"oneOf", " or "}, {"allOf", " and "}} {
		if list := itemsOf(schema, c[0]); len(list) > 0 && schema.Find("properties") == nil {
			return join(list, c[1], r.spell)
		}
	}
	if c := schema.Find("const"); c != nil {
		return code(c)
	}
	if list := itemsOf(schema, "enum"); len(list) > 0 {
		return join(list, " or ", code)
	}
	switch kind := schema.Find("type"); {
	case kind == nil:
		return "anything"
	case !kind.IsString():
		return join(kind.Items(), " or ", func(n *jsontree.Node) string { return n.Text })
	case kind.Text == "array":
		return "array of " + r.spell(schema.Find("items"))
	default:
		return kind.Text
	}
}

// join spells the items of a list, but for those that are a constraint alone.
func join(list []*jsontree.Node, between string, spell func(*jsontree.Node) string) string {
	var all []string
	for _, n := range list {
		if spelled := spell(n); spelled != "anything" {
			all = append(all, spelled)
		}
	}
	return strings.Join(all, between)
}

func code(n *jsontree.Node) string { return "`" + string(jsontree.Append(nil, n)) + "`" }

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
func bounds(schema *jsontree.Node) (all string) {
	for _, limit := range limits {
		if schema == nil {
			break
		}
		if n := schema.Find(limit[0]); n != nil {
			all += ", " + limit[1] + " `" + spelled(n) + "`"
		}
	}
	return all
}

// spelled is a value as people read it; a text is shown as it is.
func spelled(n *jsontree.Node) string {
	switch {
	case n == nil:
		return ""
	case n.IsString():
		return n.Text
	}
	var out bytes.Buffer
	_ = json.Indent(&out, jsontree.Append(nil, n), "", "  ") // it is valid
	return out.String()
}

// resolved follows a reference into the document, if n is one.
func (r *reference) resolved(n *jsontree.Node) *jsontree.Node {
	ref := textOf(n, "$ref")
	if ref == "" {
		return n
	}
	at := r.document
	for name := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		if at = at.Find(name); at == nil {
			r.fail("%s leads nowhere", ref)
			return jsontree.NewObject()
		}
	}
	return at
}

func (r *reference) fail(format string, values ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("site: the OpenAPI document: "+format, values...)
	}
}

// curl is a command line that does an operation; variables of the shell stand for the ids of the path.
func curl(method, path, role, body string) string {
	line := "curl"
	if method != "GET" {
		line += " -X " + method
	}
	line += ` "$LIVERY_URL` + strings.NewReplacer("{", "$", "}", "").Replace(path) + `"`
	if role != "none" {
		line += " \\\n  -H \"Authorization: Bearer $LIVERY_TOKEN\""
	}
	if body != "" {
		line += " \\\n  -H 'Content-Type: application/json' \\\n  -d '" + strings.ReplaceAll(body, "'", `'\''`) + "'"
	}
	return line
}

func textOf(n *jsontree.Node, name string) string {
	if n == nil {
		return ""
	}
	if n = n.Find(name); !n.IsString() {
		return ""
	}
	return n.Text
}

func isTrue(n *jsontree.Node, name string) bool {
	n = n.Find(name)
	return n != nil && n.True
}

func membersOf(n *jsontree.Node, name string) []jsontree.Member {
	if n = n.Find(name); n == nil {
		return nil
	}
	return n.Members
}

func itemsOf(n *jsontree.Node, name string) []*jsontree.Node {
	if n = n.Find(name); n == nil {
		return nil
	}
	return n.Items()
}
