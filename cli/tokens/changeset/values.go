package changeset

import (
	"encoding/json"
	"strings"

	"example.com/livery/cli/term"
	"example.com/livery/client"
	"example.com/livery/renderer/jsontree"
)

// PrintTokens prints tokens as a table, each colour with a swatch of it.
func PrintTokens(a *term.App, tokens []client.Token, primitives map[string]string) {
	t := term.Table{Head: []string{"TOKEN", "TYPE", string(a.Swatch("")) + "VALUE"}}
	for _, token := range tokens {
		kind := "-"
		if token.ResolvedType != nil {
			kind = *token.ResolvedType
		}
		t.Add(token.Path, kind, a.Swatch(primitives[token.Path])+term.Cell(short(token.Value, primitives[token.Path])))
	}
	a.PrintTable(t)
}

// short is a value in one line of a table: a string as it is written, anything else as the primitive
// that it becomes, if there is one. It is not escaped.
func short(value json.RawMessage, primitive string) string {
	const most = 72
	text := primitive
	var s string
	if json.Unmarshal(value, &s) == nil {
		text = s
	} else if text == "" {
		text = string(value)
	}
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// Primitives returns the string that each token is in a tokens.values.json, if it is one.
func Primitives(file []byte) map[string]string {
	found := map[string]string{}
	if values, err := jsontree.Parse(string(file)); err == nil {
		collectStrings(values, "", found)
	}
	return found
}

func collectStrings(n *jsontree.Node, path string, found map[string]string) {
	if n.IsString() {
		found[path] = n.Text
	}
	for _, m := range n.Members {
		collectStrings(m.Value, join(path, m.Name), found)
	}
}

// join appends a name to a dotted path.
func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// Text returns a text, or "none" for nil.
func Text(s *string) string {
	if s == nil {
		return "none"
	}
	return *s
}
