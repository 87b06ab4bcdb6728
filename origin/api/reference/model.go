package reference

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/parser"

	"example.com/livery/renderer/jsontree"
)

// page is what the template shows.
type page struct {
	Title, Summary, Version string
	Address, Console        string // of the OpenAPI document, and of the form behind which an operation is written
	Introduction            template.HTML
	Tags                    []tag
	Responses, Headers      []component
	Schemas                 []component
}

// tag is a group of operations.
type tag struct {
	ID, Name    string
	Description template.HTML
	Operations  []operation
}

type operation struct {
	ID, Method, Path, Summary, Role string
	Description                     template.HTML
	Parameters                      []field
	Body                            *body
	Done                            []response // those that answer what was asked for
	Refused                         []link
	Curl                            string
}

// field is a parameter of a request or a member of an object.
type field struct {
	Name, In    string
	Required    bool
	Type        template.HTML
	Bounds      []string
	Description template.HTML
}

// body is that of a request or of an answer.
type body struct {
	MediaType string
	Type      template.HTML
	Fields    []field // of a schema without a name
	Examples  []example
}

type example struct{ Summary, Text string }

type response struct {
	Status      string
	Description template.HTML
	Headers     []link
	Bodies      []body
}

// link leads to a component. Without an id it is a text alone.
type link struct{ Text, Title, ID string }

// component is a part of the document that several others share.
type component struct {
	ID, Name    string
	Description template.HTML
	Type        template.HTML // empty of a response
	Bounds      []string
	Fields      []field
	Headers     []link
	Bodies      []body
	Examples    []example
}

// reader reads an OpenAPI document. err is the first reference that leads nowhere.
type reader struct {
	document *jsontree.Node
	err      error
}

func (r *reader) page() page {
	info := r.document.Find("info")
	p := page{
		Title: text(info, "title"), Summary: text(info, "summary"), Version: text(info, "version"), Introduction: markdown(text(info, "description")),
		Tags: r.tags(),
	}
	components := r.document.Find("components")
	for _, m := range membersOf(components, "responses") {
		p.Responses = append(p.Responses, component{
			ID: "response-" + m.Name, Name: m.Name, Description: markdown(text(m.Value, "description")), Headers: r.headers(m.Value), Bodies: r.bodies(m.Value),
		})
	}
	for _, m := range membersOf(components, "headers") {
		schema := m.Value.Find("schema")
		p.Headers = append(p.Headers, component{
			ID: "header-" + m.Name, Name: m.Name, Description: markdown(text(m.Value, "description")), Type: r.typeOf(schema), Bounds: bounds(schema),
		})
	}
	for _, m := range membersOf(components, "schemas") {
		p.Schemas = append(p.Schemas, component{
			ID: "schema-" + m.Name, Name: m.Name, Description: markdown(text(m.Value, "description")), Type: r.typeOf(m.Value), Bounds: bounds(m.Value),
			Fields: r.fields("", m.Value), Examples: r.examples(m.Value),
		})
	}
	return p
}

func (r *reader) tags() (all []tag) {
	places := map[string]int{}
	for _, n := range itemsOf(r.document, "tags") {
		name := text(n, "name")
		places[name] = len(all)
		all = append(all, tag{ID: "tag-" + anchor(name), Name: name, Description: markdown(text(n, "description"))})
	}
	for _, path := range membersOf(r.document, "paths") {
		for _, m := range path.Value.Members {
			if m.Name == "parameters" {
				continue
			}
			named := itemsOf(m.Value, "tags")
			if len(named) == 0 {
				r.fail("%s %s has no tag", m.Name, path.Name)
				continue
			}
			t := &all[places[named[0].Text]]
			t.Operations = append(t.Operations, r.operation(path, m))
		}
	}
	return slices.DeleteFunc(all, func(t tag) bool { return len(t.Operations) == 0 })
}

func (r *reader) operation(path, m jsontree.Member) operation {
	o := operation{
		ID: text(m.Value, "operationId"), Method: strings.ToUpper(m.Name), Path: path.Name, Summary: text(m.Value, "summary"),
		Role: text(m.Value, "x-livery-role"), Description: markdown(text(m.Value, "description")),
	}
	for _, n := range slices.Concat(itemsOf(path.Value, "parameters"), itemsOf(m.Value, "parameters")) {
		n = r.resolved(n)
		schema := n.Find("schema")
		o.Parameters = append(o.Parameters, field{
			Name: text(n, "name"), In: text(n, "in"), Required: isTrue(n, "required"), Type: r.typeOf(schema), Bounds: bounds(schema), Description: markdown(text(n, "description")),
		})
	}
	if request := m.Value.Find("requestBody"); request != nil {
		if bodies := r.bodies(r.resolved(request)); len(bodies) > 0 {
			o.Body = &bodies[0]
		}
	}
	for _, a := range membersOf(m.Value, "responses") {
		n := r.resolved(a.Value)
		if name, shared := strings.CutPrefix(text(a.Value, "$ref"), "#/components/responses/"); shared && a.Name >= "300" {
			o.Refused = append(o.Refused, link{a.Name, name, "response-" + name})
			continue
		}
		o.Done = append(o.Done, response{a.Name, markdown(text(n, "description")), r.headers(n), r.bodies(n)})
	}
	o.Curl = curl(o)
	return o
}

func (r *reader) headers(answer *jsontree.Node) (all []link) {
	for _, m := range membersOf(answer, "headers") {
		l := link{Text: m.Name, Title: text(m.Value, "description")}
		if name, shared := strings.CutPrefix(text(m.Value, "$ref"), "#/components/headers/"); shared {
			l.ID = "header-" + name
		}
		all = append(all, l)
	}
	return all
}

// bodies reads the content of a request or an answer.
func (r *reader) bodies(n *jsontree.Node) (all []body) {
	for _, m := range membersOf(n, "content") {
		schema := m.Value.Find("schema")
		b := body{MediaType: m.Name, Type: r.typeOf(schema), Examples: r.examples(m.Value)}
		if text(schema, "$ref") == "" {
			b.Fields = r.fields("", schema)
		}
		all = append(all, b)
	}
	return all
}

// examples reads those of a body, which have names, and those of a schema.
func (r *reader) examples(n *jsontree.Node) (all []example) {
	list := n.Find("examples")
	if one := n.Find("example"); one != nil {
		all = append(all, example{"Example", spelled(one)})
	}
	if list == nil {
		return all
	}
	for _, item := range list.Items() {
		all = append(all, example{"Example", spelled(item)})
	}
	for _, m := range list.Members {
		e := r.resolved(m.Value)
		all = append(all, example{text(e, "summary"), spelled(e.Find("value"))})
	}
	return all
}

// spelled is a value as people read it; a text is shown as it is.
func spelled(n *jsontree.Node) string {
	if n == nil {
		return ""
	}
	if n.IsString() {
		return n.Text
	}
	var out bytes.Buffer
	_ = json.Indent(&out, jsontree.Append(nil, n), "", "  ") // it is valid
	return out.String()
}

// resolved follows a reference into the document, if n is one.
func (r *reader) resolved(n *jsontree.Node) *jsontree.Node {
	ref := text(n, "$ref")
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

func (r *reader) fail(format string, values ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, values...)
	}
}

// curl is a command line that does the operation; variables of the shell stand for the ids of the path.
func curl(o operation) string {
	var line strings.Builder
	line.WriteString("curl")
	if o.Method != "GET" {
		line.WriteString(" -X " + o.Method)
	}
	line.WriteString(` "$LIVERY_URL` + strings.NewReplacer("{", "$", "}", "").Replace(o.Path) + `"`)
	if o.Role != "none" {
		line.WriteString(" \\\n  -H \"Authorization: Bearer $LIVERY_TOKEN\"")
	}
	if o.Body != nil && len(o.Body.Examples) > 0 {
		line.WriteString(" \\\n  -H 'Content-Type: application/json' \\\n  -d '" + strings.ReplaceAll(o.Body.Examples[0].Text, "'", `'\''`) + "'")
	}
	return line.String()
}

// writer renders the descriptions of the document, which are CommonMark; HTML in them is left out.
var writer = goldmark.New(goldmark.WithParserOptions(parser.WithAutoHeadingID()))

func markdown(text string) template.HTML {
	var out bytes.Buffer
	_ = writer.Convert([]byte(text), &out) // a buffer takes everything
	return template.HTML(out.String())     //nolint:gosec // the document is part of the program
}

func text(n *jsontree.Node, name string) string {
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

// anchor is a name as the fragment of an address.
func anchor(name string) string { return strings.ToLower(strings.ReplaceAll(name, " ", "-")) }
