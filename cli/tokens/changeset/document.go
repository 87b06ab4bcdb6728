package changeset

import (
	"context"

	"example.com/livery/cli/term"
	"example.com/livery/client"
	"example.com/livery/renderer"
	"example.com/livery/renderer/jsontree"
)

// CurrentDocument returns a token read of a Theme and its whole current document, as it is stored. The
// document is read after the etag: an edit in between makes the etag stale, and what is built on
// them is refused instead of undoing that edit.
func CurrentDocument(ctx context.Context, c *client.Client, t client.Theme) (client.TokenSet, *jsontree.Node, error) {
	set, err := c.Scope(t.EnvironmentID, t.ID).Tokens(ctx, "", client.ReadOptions{})
	if err != nil {
		return set, nil, err
	}
	document, err := DocumentAt(ctx, c, t, 0)
	return set, document, err
}

// DocumentAt returns the whole document of a version of a Theme, or the current one if version is 0.
func DocumentAt(ctx context.Context, c *client.Client, t client.Theme, version int) (*jsontree.Node, error) {
	text, err := c.Scope(t.EnvironmentID, t.ID).Preview(ctx, "", renderer.TokensDTCGJSON.Name(), client.PreviewOptions{Version: version})
	if err != nil {
		return nil, err
	}
	return parseAnswer("the document of Theme "+t.Slug, text)
}

// CurrentOverrides returns a token read of a Variant and its current overrides as a flat map.
func CurrentOverrides(ctx context.Context, c *client.Client, t client.Theme, variantID string) (client.TokenSet, *jsontree.Node, error) {
	set, err := c.Scope(t.EnvironmentID, t.ID).Tokens(ctx, variantID, client.ReadOptions{})
	if err != nil {
		return set, nil, err
	}
	overrides, err := FlatMap(set)
	return set, overrides, err
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
		value, err := parseAnswer("the value of token "+t.Path, t.Value)
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
