package export

import (
	"example.com/livery/cli/escape"
	"example.com/livery/renderer/css"
	"example.com/livery/renderer/jsontree"
)

// literals are the kinds of JSON that a value may have besides a string.
var literals = map[css.Kind][]string{
	css.Color:             {"object"},
	css.Dimension:         {"number", "object"},
	css.NumberOrDimension: {"number", "object"},
	css.Duration:          {"number", "object"},
	css.Number:            {"number"},
	css.FontWeight:        {"number"},
	css.FontFamily:        {"array"},
	css.CubicBezier:       {"array"},
	css.StrokeStyle:       {"object"},
	css.Border:            {"object"},
	css.Transition:        {"object"},
	css.Typography:        {"object"},
	css.Shadow:            {"object", "array"},
	css.Gradient:          {"array", "object"},
	css.Boolean:           {"boolean"},
}

// AppendSchema appends a JSON Schema (2020-12) of a Variant's file, a flat map of overrides: editors complete the
// paths and the aliases, and mark what the Theme does not have.
func (s *Sheet) AppendSchema(dst []byte) []byte {
	properties, definitions := object("$schema", object("type", "string")), jsontree.NewObject()
	names, aliases := map[css.Kind]string{}, map[css.Kind]*jsontree.Node{}
	for _, t := range s.Tokens {
		if aliases[t.Kind] == nil { // the first type of a kind names it: "spacing" takes an alias of a "dimension"
			names[t.Kind], aliases[t.Kind] = "alias."+t.Type, &jsontree.Node{Kind: jsontree.Array}
			set(definitions, names[t.Kind], object("enum", aliases[t.Kind]))
		}
		aliases[t.Kind].AddItem(jsontree.NewString("{" + t.Path + "}"))
		set(properties, t.Path, t.schema(names[t.Kind]))
	}
	all := object(
		"$schema", "https://json-schema.org/draft/2020-12/schema",
		"title", "Overrides of "+s.Title,
		"type", "object",
		"additionalProperties", &jsontree.Node{Kind: jsontree.Bool},
		"properties", properties,
		"$defs", definitions,
	)
	return append(escape.JSON(jsontree.Append(dst, all)), '\n')
}

// schema says what an override of a token may be; aliases names the definition of the aliases that fit.
func (t *Token) schema(aliases string) *jsontree.Node {
	of := []*jsontree.Node{
		object("$ref", "#"+jsontree.Pointer{"$defs", aliases}.String()),
		object("type", "string", "not", object("pattern", `^\{[^{}]*\}$`)),
	}
	for _, k := range literals[t.Kind] {
		of = append(of, object("type", k))
	}
	description := t.Type + ", " + t.Properties[0].Text + " in the Theme"
	if t.Description != "" {
		description += ": " + t.Description
	}
	n := object("description", description, "anyOf", jsontree.NewArray(of...))
	if t.Deprecated != "" {
		set(n, "deprecated", &jsontree.Node{Kind: jsontree.Bool, True: true})
	}
	return n
}

// object returns an object of names and values, which are texts or nodes.
func object(pairs ...any) *jsontree.Node {
	n := jsontree.NewObject()
	for i := 0; i < len(pairs); i += 2 {
		value, ok := pairs[i+1].(*jsontree.Node)
		if !ok {
			value = jsontree.NewString(pairs[i+1].(string))
		}
		set(n, pairs[i].(string), value)
	}
	return n
}

func set(n *jsontree.Node, name string, value *jsontree.Node) {
	n.Members = append(n.Members, jsontree.Member{Name: name, Value: value})
}
