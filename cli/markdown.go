package cli

import (
	"strconv"
	"strings"

	"example.com/livery/cli/escape"
	"example.com/livery/cli/tokendiff"
)

// markdownRows is how many changes a comment shows; a longer list is folded away.
const (
	markdownRows  = 30
	markdownLimit = 500 // a comment has a greatest length
	// markdownFaults is how many faults a comment shows.
	markdownFaults = 100
)

// icons mark each kind of change in a comment.
var icons = map[string]string{"removed": "🔴", "renamed": "🔴", "retyped": "🔴", "changed": "🟡", "added": "🟢"}

// appendComparison writes a comparison for a comment. All that comes from tokens stands in code spans, so
// that it can neither mention anybody nor draw anything.
func appendComparison(dst []byte, c comparison, full bool) []byte {
	var b strings.Builder
	b.WriteString("### Livery: " + escape.Code(c.What) + "\n\n")
	b.WriteString("From " + c.From + " to " + c.To + ": " + tally(c.Changes) + ".")
	switch n := breaking(c.Changes); {
	case n > 0:
		b.WriteString(" **" + plural(n, "change") + " can break a consumer of a custom property.**")
	case c.Breaking:
		b.WriteString(" **This can break a consumer of a custom property.**")
	}
	b.WriteString("\n")
	for _, note := range c.notes {
		b.WriteString("\n> " + escape.Code(note) + "\n")
	}
	writeRows(&b, c.Changes, full)
	return append(dst, b.String()...)
}

func writeRows(b *strings.Builder, list []change, full bool) {
	lines, follow := rows(list)
	if len(list) == 0 {
		return
	}
	more := 0
	if !full && len(lines) > markdownLimit {
		more = len(lines) - markdownLimit
		lines = lines[:markdownLimit]
	}
	folded := len(lines) > markdownRows
	if folded {
		b.WriteString("\n<details><summary>" + plural(len(lines)+more, "change") + "</summary>\n")
	}
	b.WriteString("\n| | token | before | after |\n|-|-|-|-|\n")
	for _, line := range lines {
		writeRow(b, line)
	}
	if follow > 0 {
		b.WriteString("| " + icons[tokendiff.Changed.String()] + " follow | the aliases in " + plural(follow, "token") + " | | |\n")
	}
	if more > 0 {
		b.WriteString("| | and " + strconv.Itoa(more) + " more | | |\n")
	}
	if folded {
		b.WriteString("\n</details>\n")
	}
}

func writeRow(b *strings.Builder, line row) {
	c := line.change
	name := escape.Code(c.Path)
	if c.From != "" {
		name = escape.Code(c.From) + " → " + name
	}
	before, after := shownInCode(c.Before, c.shownBefore), shownInCode(c.After, c.shownAfter)
	switch {
	case line.tokens > 1:
		before, after = plural(line.tokens, "token"), ""
	case c.Kind == tokendiff.Retyped.String():
		before, after = escape.Code(orNone(c.FromType)), escape.Code(orNone(c.ToType))
	}
	b.WriteString("| " + icons[c.Kind] + " " + c.Kind + " | " + name + " | " + before + " | " + after + " |\n")
}

func shownInCode(value []byte, primitive string) string {
	if len(value) == 0 {
		return ""
	}
	return escape.Code(short(value, primitive))
}

// appendFaults writes what the served files leave out for a comment, or nothing if that is nothing.
func appendFaults(dst []byte, list []fault) []byte {
	if len(list) == 0 {
		return dst
	}
	var b strings.Builder
	b.WriteString("\n**The served files would leave out:**\n\n")
	for i, f := range list {
		if i == markdownFaults {
			b.WriteString("- and " + strconv.Itoa(len(list)-i) + " more\n")
			break
		}
		b.WriteString("-")
		for _, part := range []string{f.Where, f.Path, f.Kind, f.Message} {
			if span := escape.Code(part); span != "" {
				b.WriteString(" " + span)
			}
		}
		b.WriteString("\n")
	}
	return append(dst, b.String()...)
}

// appendAnnotations writes a workflow command of GitHub for each fault of which the line is known. GitHub shows it
// beside that line.
func appendAnnotations(dst []byte, list []fault) []byte {
	for _, f := range list {
		at := strings.LastIndexByte(f.Where, ':')
		if at < 0 {
			continue
		}
		file, line := commandProperty.Replace(escape.Line(f.Where[:at])), commandProperty.Replace(escape.Line(f.Where[at+1:]))
		said := commandData.Replace(escape.Line(f.Path + ": " + f.Message + " " + f.Next))
		dst = append(dst, "::error file="+file+",line="+line+"::"+said+"\n"...)
	}
	return dst
}

// These spell what would end a property or a message of a workflow command.
var (
	commandData     = strings.NewReplacer("%", "%25")
	commandProperty = strings.NewReplacer("%", "%25", ":", "%3A", ",", "%2C")
)
