package changeset

import (
	"strconv"
	"strings"

	"example.com/livery/cli/escape"
	"example.com/livery/cli/term"
	"example.com/livery/client"
)

// markdownRows is how many changes a comment shows; a longer list is folded away.
const (
	markdownRows  = 30
	markdownLimit = 500 // a comment has a greatest length
)

// icons mark each kind of change in a comment.
var icons = map[string]string{"removed": "🔴", "renamed": "🔴", "retyped": "🔴", "changed": "🟡", "added": "🟢", "described": "⚪"}

// AppendMarkdown writes a comparison for a comment. All that comes from tokens stands in code spans, so
// that it can neither mention anybody nor draw anything.
func AppendMarkdown(dst []byte, c Comparison) []byte {
	var b strings.Builder
	b.WriteString("### Livery: " + escape.Code(c.What) + "\n\n")
	b.WriteString("From " + c.From + " to " + c.To + ": " + Summary(c.Changes) + ".")
	switch n := breaking(c.Changes); {
	case n > 0:
		b.WriteString(" **" + term.Plural(n, "change") + " can break a consumer of a custom property.**")
	case c.Breaking:
		b.WriteString(" **This can break a consumer of a custom property.**")
	}
	b.WriteString("\n")
	for _, note := range c.Notes {
		b.WriteString("\n> " + escape.Code(note) + "\n")
	}
	writeRows(&b, c.Changes)
	writeProperties(&b, c.Properties)
	return append(dst, b.String()...)
}

func writeRows(b *strings.Builder, list []Change) {
	lines, follow := rows(list)
	if len(list) == 0 {
		return
	}
	more := 0
	if len(lines) > markdownLimit {
		more = len(lines) - markdownLimit
		lines = lines[:markdownLimit]
	}
	folded := len(lines) > markdownRows
	if folded {
		b.WriteString("\n<details><summary>" + term.Plural(len(lines)+more, "change") + "</summary>\n")
	}
	b.WriteString("\n| | token | before | after |\n|-|-|-|-|\n")
	for _, line := range lines {
		writeRow(b, line)
	}
	if follow > 0 {
		b.WriteString("| " + icons[Changed] + " follow | the aliases in " + term.Plural(follow, "token") + " | | |\n")
	}
	if more > 0 {
		b.WriteString("| | and " + strconv.Itoa(more) + " more | | |\n")
	}
	if folded {
		b.WriteString("\n</details>\n")
	}
}

// writeProperties lists the custom properties that change.
func writeProperties(b *strings.Builder, c client.PropertyChanges) {
	if c.Count+len(c.Taken) == 0 {
		return
	}
	most := markdownLimit
	b.WriteString("\n<details><summary>" + PropertyCount(c.Count) + "</summary>\n\n")
	for _, l := range propertyLists(c) {
		for i, name := range l.names {
			if most--; most < 0 {
				b.WriteString("- and " + strconv.Itoa(len(l.names)-i) + " more " + l.kind + "\n")
				break
			}
			b.WriteString("- " + l.kind + " " + escape.Code(name) + "\n")
		}
	}
	b.WriteString("\n</details>\n")
}

func writeRow(b *strings.Builder, c Change) {
	name := escape.Code(c.Path)
	if c.From != "" {
		name = escape.Code(c.From) + " → " + name
	}
	if c.Inferred {
		name += " (inferred)"
	}
	before, after := shownInCode(c.Before, c.ShownBefore), shownInCode(c.After, c.ShownAfter)
	if c.Kind == Retyped {
		before, after = escape.Code(orNone(c.FromType)), escape.Code(orNone(c.ToType))
	}
	b.WriteString("| " + icons[c.Kind] + " " + c.Kind + " | " + name + " | " + before + " | " + after + " |\n")
}

// shownInCode is a value in a code span, which GitHub and GitLab give a swatch if it is a hexadecimal colour alone. What is
// written otherwise, such as an alias, has the colour that it becomes in a second one.
func shownInCode(value []byte, primitive string) string {
	if len(value) == 0 {
		return ""
	}
	text := short(value, primitive)
	if isHex(primitive) && !isHex(text) {
		return escape.Code(text) + " " + escape.Code(primitive)
	}
	return escape.Code(text)
}
