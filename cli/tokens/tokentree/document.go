// Package tokentree reads and joins token documents as trees, and lists the paths in them.
package tokentree

import (
	"context"
	"encoding/json"
	"strings"

	"example.com/livery/cli/term"
	"example.com/livery/client"
	"example.com/livery/intake/tree"
	"example.com/livery/renderer"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// CurrentDocument returns a token read of a Theme and its whole current document, as it is stored. The
// document is read after the etag: an edit in between makes the etag stale, and what is built on
// them is refused instead of undoing that edit.
func CurrentDocument(ctx context.Context, c *client.Client, t client.Theme) (client.TokenSet, *jsontree.Node, error) {
	set, err := c.ThemeTokens(ctx, t.EnvironmentID, t.ID, client.ReadOptions{})
	if err != nil {
		return set, nil, err
	}
	text, err := c.PreviewTheme(ctx, t.EnvironmentID, t.ID, renderer.TokensDTCGJSON.Name())
	if err != nil {
		return set, nil, err
	}
	document, err := parseAnswer("the document of Theme "+t.Slug, text)
	return set, document, err
}

// Tree rebuilds the document of a version from a token read: every token and every group that has
// metadata, in the order read. What the API never lists ($extends, $ref, empty groups and other
// members that it keeps verbatim) is not in it.
func Tree(set client.TokenSet) (*jsontree.Node, error) {
	b := treeBuilder{root: jsontree.NewObject(), groups: map[string]*jsontree.Node{}}
	meta := map[string]client.Group{}
	for _, g := range set.Groups {
		meta[g.Path] = g
	}
	b.describe(b.root, meta[""])
	b.meta = meta
	for _, t := range set.Tokens {
		if err := b.add(t); err != nil {
			return nil, err
		}
	}
	for _, g := range set.Groups {
		b.group(g.Path)
	}
	tree.Index(b.root)
	return b.root, nil
}

type treeBuilder struct {
	root   *jsontree.Node
	groups map[string]*jsontree.Node // by dotted path
	meta   map[string]client.Group
}

// group returns the group at a dotted path, made with its parents if it is missing.
func (b *treeBuilder) group(path string) *jsontree.Node {
	if path == "" {
		return b.root
	}
	if n := b.groups[path]; n != nil {
		return n
	}
	above, name := Split(path)
	n := jsontree.NewObject()
	b.describe(n, b.meta[path])
	up := b.group(above)
	up.Members = append(up.Members, jsontree.Member{Name: name, Value: n})
	b.groups[path] = n
	return n
}

func (b *treeBuilder) describe(n *jsontree.Node, g client.Group) {
	n.Members = appendText(n.Members, "$type", g.Type)
	n.Members = appendText(n.Members, "$description", g.Description)
}

func (b *treeBuilder) add(t client.Token) error {
	n := jsontree.NewObject()
	n.Members = appendText(n.Members, "$type", t.Type)
	value, err := ParseValue(t.Path, t.Value)
	if err != nil {
		return err
	}
	n.Members = append(n.Members, jsontree.Member{Name: "$value", Value: value})
	n.Members = appendText(n.Members, "$description", t.Description)
	if len(t.Extensions) > 0 && string(t.Extensions) != "null" {
		extensions, err := ParseValue(t.Path, t.Extensions)
		if err != nil {
			return err
		}
		n.Members = append(n.Members, jsontree.Member{Name: "$extensions", Value: extensions})
	}
	above, name := Split(t.Path)
	up := b.group(above)
	up.Members = append(up.Members, jsontree.Member{Name: name, Value: n})
	return nil
}

func appendText(members []jsontree.Member, name string, text *string) []jsontree.Member {
	if text == nil {
		return members
	}
	return append(members, jsontree.Member{Name: name, Value: jsontree.NewString(*text)})
}

// ParseValue parses the value of a token; the failure names its path.
func ParseValue(path string, value json.RawMessage) (*jsontree.Node, error) {
	return parseAnswer("the value of token "+path, value)
}

func parseAnswer(what string, text []byte) (*jsontree.Node, error) {
	n, err := jsontree.Parse(string(text))
	if err != nil {
		return nil, term.Fail("Report this to the operator: the origin sent a response that it must not send.", "%s cannot be read: %v", what, err)
	}
	return n, nil
}

// Split cuts the last name off a dotted path.
func Split(path string) (above, name string) {
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		return path[:i], path[i+1:]
	}
	return "", path
}

// FlatMap is the flat map of a Variant's token read.
func FlatMap(set client.TokenSet) (*jsontree.Node, error) {
	n := jsontree.NewObject()
	for _, t := range set.Tokens {
		value, err := ParseValue(t.Path, t.Value)
		if err != nil {
			return nil, err
		}
		n.Members = append(n.Members, jsontree.Member{Name: t.Path, Value: value})
	}
	n.Index()
	return n, nil
}

// Pointer is the JSON Pointer of a dotted path.
func Pointer(path string) string { return jsontree.Pointer(strings.Split(path, ".")).String() }

// Paths returns the paths of the tokens in a document.
func Paths(document *jsontree.Node) []string {
	d := dtcg.Read(document)
	paths := make([]string, len(d.Tokens))
	for i := range d.Tokens {
		paths[i] = d.Tokens[i].Path
	}
	return paths
}

// PathsOf returns the paths of the tokens in a set.
func PathsOf(set client.TokenSet) []string {
	paths := make([]string, len(set.Tokens))
	for i, t := range set.Tokens {
		paths[i] = t.Path
	}
	return paths
}
