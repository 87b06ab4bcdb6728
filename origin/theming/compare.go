package theming

import (
	"example.com/livery/origin/patch"
	"example.com/livery/renderer"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
)

// Comparison is what differs between two documents of a Theme, or two maps of overrides of a
// Variant. All paths are dotted; a renamed token is neither added nor removed.
type Comparison struct {
	Added   []string // paths of the later one, in its order
	Removed []string // paths of the earlier one, in its order
	Renamed []Rename
	Retyped []Retype // tokens of the later one
	Changed []string // tokens of the later one whose value is another

	Described  []string                 // tokens of the later one of the same value, whose other metadata, such as $description, is another
	Properties renderer.PropertyChanges // of tokens.css
	Breaking   bool                     // a consumer can break: a custom property is gone or another token's, or a token has another type
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
	c.Properties = compareProperties(older, newer, before.Prefix, after.Prefix, renamed)
	c.Breaking = len(c.Retyped)+len(c.Properties.Removed)+len(c.Properties.Taken) > 0
	return c
}

// compareProperties compares the custom properties of two editions. renamed are the tokens that stand at another path.
func compareProperties(older, newer *dtcg.Document, prefix, newPrefix string, renamed map[string]string) renderer.PropertyChanges {
	return renderer.CompareProperties(
		renderer.LoadDocument(older, prefix).Properties(), renderer.LoadDocument(newer, newPrefix).Properties(),
		func(token string) (string, bool) {
			if to, moved := renamed[token]; moved {
				token = to
			}
			return token, newer.Token(token) != nil
		})
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
	switch {
	case !jsontree.Equal(old.Value, t.Value):
		c.Changed = append(c.Changed, t.Path)
	case !dtcg.EqualButType(old.Node, t.Node):
		c.Described = append(c.Described, t.Path)
	}
}

// CompareVariants compares two flat maps of overrides, and not what they come to.
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

// CompareVariantsOver compares two flat maps of overrides and the custom properties of a Theme with each laid over it. It
// costs two renderings.
func CompareVariantsOver(theme Edition, before, after *jsontree.Node) Comparison {
	properties := func(overrides *jsontree.Node) []renderer.Property {
		return renderer.LoadTree(theme.Document, overrides, theme.Prefix).Properties()
	}
	c := CompareVariants(before, after)
	c.Properties = renderer.CompareProperties(properties(before), properties(after), func(token string) (string, bool) { return token, true })
	c.Breaking = len(c.Properties.Removed)+len(c.Properties.Taken) > 0
	return c
}
