package source

import (
	"strconv"
	"strings"

	"example.com/livery/cli/escape"
)

// markdownFaults is how many faults a comment shows.
const markdownFaults = 100

// AppendMarkdown writes what the served files leave out for a comment, or nothing if that is nothing.
func AppendMarkdown(dst []byte, list []Fault) []byte {
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
		for _, part := range []string{f.Location, f.Path, f.Kind, f.Message} {
			if span := escape.Code(part); span != "" {
				b.WriteString(" " + span)
			}
		}
		b.WriteString("\n")
	}
	return append(dst, b.String()...)
}

// AppendAnnotations writes a workflow command of GitHub for each fault of which the line is known. GitHub shows it
// beside that line.
func AppendAnnotations(dst []byte, list []Fault) []byte {
	for _, f := range list {
		at := strings.LastIndexByte(f.Location, ':')
		if at < 0 {
			continue
		}
		file, line := commandProperty.Replace(escape.Line(f.Location[:at])), commandProperty.Replace(escape.Line(f.Location[at+1:]))
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
