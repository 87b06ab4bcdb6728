package validate

import (
	"slices"
	"strings"

	"example.com/livery/cli/term"
	"example.com/livery/cli/tokens/tokentree"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// The most names that a slip is looked for in, and the most slips that are looked for: each is compared with all names.
const (
	maxCompared = 20_000
	maxSlips    = 1_000
)

// WithNearest returns diagnostics of a document of which those of an alias of none end with the nearest token, or with
// what WithPlaceholder says.
func WithNearest(list []dtcg.Diagnostic, document *jsontree.Node) []dtcg.Diagnostic {
	isMissing := func(d dtcg.Diagnostic) bool { return d.Kind == dtcg.AliasMissing }
	if !slices.ContainsFunc(list, isMissing) {
		return list
	}
	list, faulty := slices.Clone(list), map[string]bool{}
	for _, d := range list {
		faulty[d.Path] = true
	}
	known := NewNames(faulty, tokentree.Paths(document))
	for i, d := range list {
		if !isMissing(d) {
			continue
		}
		if near := known.Nearest(d); near != "" {
			list[i].Message += "; did you mean " + near + "?"
		} else {
			list[i].Message = WithPlaceholder(d, document)
		}
	}
	return list
}

// WithPlaceholder returns the message of a diagnostic. If it is about an alias of no token inside a longer text of type
// string, the message ends with what to write for a placeholder.
func WithPlaceholder(d dtcg.Diagnostic, document *jsontree.Node) string {
	token := document.Lookup(strings.Split(d.Path, "."))
	typ, value := token.Find("$type"), token.Find("$value")
	if d.Kind != dtcg.AliasMissing || !typ.IsString() || typ.Text != "string" || !value.IsString() || isAlias(value) {
		return d.Message
	}
	return d.Message + "; a placeholder of a text is written without braces, as %name%"
}

// Names are the paths of the tokens that others may mean, and what was found among them.
type Names struct {
	paths []string
	found map[string]string // name that is missing -> the nearest; empty if there is none
}

// NewNames returns the paths of which no fault is listed.
func NewNames(faulty map[string]bool, paths []string) *Names {
	sound := slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return faulty[path] })
	return &Names{sound, map[string]string{}}
}

// Nearest returns the name that a diagnostic of a missing one is most likely about; empty if none is near.
func (n *Names) Nearest(d dtcg.Diagnostic) string {
	wrong := ""
	switch d.Kind {
	case dtcg.AliasMissing:
		_, rest, _ := strings.Cut(d.Message, "{")
		wrong, _, _ = strings.Cut(rest, "}")
	case dtcg.OverrideIgnored:
		wrong = d.Path
	}
	near, isKnown := n.found[wrong]
	if wrong == "" || isKnown || len(n.paths) > maxCompared || len(n.found) == maxSlips {
		return near
	}
	near = term.Nearest(wrong, n.paths)
	if i := strings.LastIndexByte(wrong, '.') + 1; len(near) >= i && near[:i] == wrong[:i] { // a long group makes no slip of its name
		if term.Nearest(wrong[i:], []string{near[i:]}) == "" {
			near = ""
		}
	}
	n.found[wrong] = near
	return near
}
