package theming

import (
	"strings"

	"example.com/livery/origin/patch"
	"example.com/livery/renderer"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
)

// diagnose lists what the served files of a document would leave out. overrides may be nil. The
// prefix of custom properties plays no part: it stands before every name alike.
func diagnose(document, overrides *jsontree.Node) []dtcg.Diagnostic {
	return renderer.LoadTree(document, overrides, "").Diagnostics()
}

// addedDiagnostics lists the diagnostics that after has beyond before. What is said of a token
// before it was renamed counts for its new name.
func addedDiagnostics(before, after []dtcg.Diagnostic, moves []record.Move) []string {
	type key struct{ path, kind string }
	known := make(map[key]int, len(before))
	renaming := patch.NewRenaming(moves)
	for _, d := range before {
		path := d.Path
		if len(moves) > 0 {
			path = followPath(renaming, path)
		}
		known[key{path, d.Kind}]++
	}
	var messages []string
	for _, d := range after {
		k := key{d.Path, d.Kind}
		if known[k] > 0 {
			known[k]--
			continue
		}
		messages = append(messages, "strict: "+quote(d.Path)+": "+d.Kind+": "+d.Message)
	}
	return messages
}

// followPath returns where moves take the token at a dotted path.
func followPath(renaming patch.Renaming, path string) string {
	from := jsontree.Pointer(strings.Split(path, ".")).String()
	to, ok := renaming.Follow(from)
	if !ok {
		return path
	}
	return dotted(to)
}

// dotted returns the dotted path of a pointer to a token.
func dotted(pointer string) string {
	p, _ := jsontree.ParsePointer(pointer)
	return strings.Join(p, ".")
}
