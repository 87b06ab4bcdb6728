package theming

import (
	"iter"
	"strings"

	"example.com/livery/origin/patch"
	"example.com/livery/renderer"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
)

// Comparison is what differs between two documents of a Theme, or two maps of overrides of a
// Variant. All paths are dotted; a renamed token is neither added nor removed.
type Comparison struct {
	Added    []string // paths of the later one, in its order
	Removed  []string // paths of the earlier one, in its order
	Renamed  []Rename
	Retyped  []Retype // tokens of the later one
	Changed  []string // tokens of the later one whose own content, but for $type, is another
	Breaking bool     // a consumer can break: a custom property is gone or has another name, or a token another type
}

// Rename is a token that has another path.
type Rename struct {
	From, To string
	Inferred bool // a publish pairs the two by their content, without a move
}

// InferredRenames returns the tokens that a publish paired by their content. moves are those of its version.
func InferredRenames(moves []record.Move) (list []Rename) {
	for _, m := range moves {
		if m.Inferred {
			list = append(list, Rename{dotted(m.From), dotted(m.To), true})
		}
	}
	return list
}

// Retype is a token that has another resolved type.
type Retype struct {
	Path     string
	From, To *string // nil means that the type is unknown
}

// Edition is one side of a comparison: a document of a Theme and the prefix it is served with.
type Edition struct {
	Document *jsontree.Node
	Prefix   string // of its custom properties; empty means none
}

// CompareThemes compares two editions of a Theme. moves are the renames from before to after, as
// the publishes in between used them: what is not among them was removed and added. It costs two
// renderings.
func CompareThemes(before, after Edition, moves []record.Move) Comparison {
	older, newer := dtcg.Read(before.Document), dtcg.Read(after.Document)
	renamed, renaming := tokenRenames(older, newer, moves), patch.NewRenaming(moves)
	var c Comparison
	from := make(map[string]*dtcg.Token, len(older.Tokens))
	for i := range older.Tokens {
		t := &older.Tokens[i]
		to, moved := renamed[t.Path]
		switch {
		case moved:
			c.Renamed = append(c.Renamed, Rename{t.Path, to, renaming.Inferred(t.Pointer().String())})
			from[to] = t
		case newer.Token(t.Path) == nil:
			c.Removed = append(c.Removed, t.Path)
		case from[t.Path] == nil: // else another token was moved onto this one
			from[t.Path] = t
		}
	}
	for i := range newer.Tokens {
		c.token(from[newer.Tokens[i].Path], &newer.Tokens[i])
	}
	c.Breaking = len(c.Retyped) > 0 || losesProperty(older, newer, before.Prefix, after.Prefix)
	return c
}

// losesProperty reports whether a custom property of older is not served any more.
func losesProperty(older, newer *dtcg.Document, prefix, newPrefix string) bool {
	names := make(map[string]bool, len(newer.Tokens))
	for name := range properties(newer, newPrefix) {
		names[name] = true
	}
	for name := range properties(older, prefix) {
		if !names[name] {
			return true
		}
	}
	return false
}

// properties yields the names of the custom properties that a document is served as. The renderer
// writes one declaration a line, and nothing else begins with two spaces and two hyphens.
func properties(document *dtcg.Document, prefix string) iter.Seq[string] {
	sheet := string(renderer.LoadDocument(document, prefix).Append(nil, renderer.TokensCSS))
	return func(yield func(string) bool) {
		for line := range strings.Lines(sheet) {
			declaration, ok := strings.CutPrefix(line, "  --")
			name, _, found := strings.Cut(declaration, ":")
			if ok && found && !yield(name) {
				return
			}
		}
	}
}

// token compares one token with what it was, nil if it is new.
func (c *Comparison) token(old, t *dtcg.Token) {
	if old == nil {
		c.Added = append(c.Added, t.Path)
		return
	}
	if old.Resolved != t.Resolved {
		c.Retyped = append(c.Retyped, Retype{t.Path, orNil(&old.Resolved), orNil(&t.Resolved)})
	}
	if !dtcg.EqualButType(old.Node, t.Node) {
		c.Changed = append(c.Changed, t.Path)
	}
}

// CompareVariants compares two flat maps of overrides. No change of values breaks a consumer.
func CompareVariants(before, after *jsontree.Node) Comparison {
	var c Comparison
	for _, m := range before.Members {
		if after.IndexOf(m.Name) < 0 {
			c.Removed = append(c.Removed, m.Name)
		}
	}
	for _, m := range after.Members {
		switch old := before.Find(m.Name); {
		case old == nil:
			c.Added = append(c.Added, m.Name)
		case !jsontree.Equal(old, m.Value):
			c.Changed = append(c.Changed, m.Name)
		}
	}
	return c
}
