package changeset

import (
	"context"
	"encoding/json"

	"example.com/livery/cli/term"
	"example.com/livery/client"
	"example.com/livery/intake/tree"
	"example.com/livery/renderer"
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

// CurrentOverrides returns a token read of a Variant and its current overrides as a flat map.
func CurrentOverrides(ctx context.Context, c *client.Client, t client.Theme, variantID string) (client.TokenSet, *jsontree.Node, error) {
	set, err := c.VariantTokens(ctx, t.EnvironmentID, t.ID, variantID, client.ReadOptions{})
	if err != nil {
		return set, nil, err
	}
	overrides, err := FlatMap(set)
	return set, overrides, err
}

// Tree rebuilds the document of a version from a token read: every token and every group that has
// metadata, in the order read. What the API never lists ($extends, $ref, empty groups and other
// members that it keeps verbatim) is not in it.
func Tree(set client.TokenSet) (*jsontree.Node, error) {
	root, meta := jsontree.NewObject(), map[string]client.Group{}
	for _, g := range set.Groups {
		meta[g.Path] = g
	}
	known := map[string]*jsontree.Node{}
	var group func(path string) *jsontree.Node
	group = func(path string) *jsontree.Node {
		if known[path] == nil {
			n := root
			if path != "" {
				above, name := splitPath(path)
				up := group(above)
				n = jsontree.NewObject()
				up.Members = append(up.Members, jsontree.Member{Name: name, Value: n})
			}
			known[path] = n
			n.Members = appendText(n.Members, "$type", meta[path].Type)
			n.Members = appendText(n.Members, "$description", meta[path].Description)
		}
		return known[path]
	}
	group("")
	for _, t := range set.Tokens {
		token, err := tokenOf(t)
		if err != nil {
			return nil, err
		}
		above, name := splitPath(t.Path)
		up := group(above)
		up.Members = append(up.Members, jsontree.Member{Name: name, Value: token})
	}
	for _, g := range set.Groups {
		group(g.Path)
	}
	tree.Index(root)
	return root, nil
}

func tokenOf(t client.Token) (*jsontree.Node, error) {
	n := jsontree.NewObject(appendText(nil, "$type", t.Type)...)
	value, err := ParseValue(t.Path, t.Value)
	if err != nil {
		return nil, err
	}
	n.Members = appendText(append(n.Members, jsontree.Member{Name: "$value", Value: value}), "$description", t.Description)
	if len(t.Extensions) > 0 && string(t.Extensions) != "null" {
		extensions, err := ParseValue(t.Path, t.Extensions)
		if err != nil {
			return nil, err
		}
		n.Members = append(n.Members, jsontree.Member{Name: "$extensions", Value: extensions})
	}
	return n, nil
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

// FlatMap returns a token read of a Variant as a flat map.
func FlatMap(set client.TokenSet) (*jsontree.Node, error) {
	var members []jsontree.Member
	for _, t := range set.Tokens {
		value, err := ParseValue(t.Path, t.Value)
		if err != nil {
			return nil, err
		}
		members = append(members, jsontree.Member{Name: t.Path, Value: value})
	}
	return object(members), nil
}

// PathsOf returns the paths of the tokens in a set.
func PathsOf(set client.TokenSet) []string {
	paths := make([]string, len(set.Tokens))
	for i, t := range set.Tokens {
		paths[i] = t.Path
	}
	return paths
}
