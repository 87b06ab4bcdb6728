package world

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"golang.org/x/sync/errgroup"

	"example.com/livery/client"
)

// Files are what every Theme here is served as, the one that browsers ask for first in front.
var Files = []string{"tokens.css", "tokens.values.json", "tokens.json", "tokens.flat.json", "tokens.dtcg.json"}

// integrations give a Theme all Files; the first one gives it the first of them.
var integrations = []client.Integration{{Framework: "react", Library: "plainCSS"}, {Framework: "react", Library: "mui"}, {Framework: "react", Library: "buildTimeTokens"}}

// Theme is one published Theme. It is for one goroutine, but its ID and Pairs stay as they are.
type Theme struct {
	ID       string
	Pairs    []string // "-" for the Theme alone, and the ids of its Variants
	Versions int      // that were published

	draft string // claim of the draft that the last edit left; empty: there is none
}

// Size says what Themes are made.
type Size struct {
	Tokens   int  // of each Theme, at least 1
	Variants int  // of each Theme
	Versions int  // that are published of each, at least 1
	OneFile  bool // it is served as the first of Files alone, which is quicker to make
}

// perGroup is the number of colours in a group of a Theme.
const perGroup = 20

// Fill makes count Themes of a size, several at once, and publishes them. The slugs begin with prefix,
// and number first and those after it make them and their values differ. step is called for every
// Theme that is done, by several goroutines; it may be nil.
func (o *Origin) Fill(ctx context.Context, prefix string, first, count int, size Size, step func()) ([]*Theme, error) {
	const atOnce = 16
	themes := make([]*Theme, count)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i := range themes {
		if ctx.Err() != nil {
			break
		}
		group.Go(func() (err error) {
			themes[i], err = o.makeTheme(ctx, prefix, first+i, size)
			if err == nil && step != nil {
				step()
			}
			return err
		})
	}
	return themes, group.Wait()
}

// makeTheme makes Theme number n with its Variants and publishes all versions of it.
func (o *Origin) makeTheme(ctx context.Context, prefix string, n int, size Size) (*Theme, error) {
	slug := prefix + "-" + strconv.Itoa(n)
	created, err := o.API.CreateTheme(ctx, o.Environment, client.NewTheme{Slug: slug, DisplayName: slug, Integration: &integrations[0]})
	if err != nil {
		return nil, err
	}
	t := &Theme{ID: created.ID, Pairs: []string{"-"}}
	if !size.OneFile {
		if _, err := o.API.SetIntegrations(ctx, o.Environment, t.ID, integrations); err != nil {
			return nil, err
		}
	}
	batch := []client.Operation{{Operation: "add", Path: "/published", Value: published(n)}}
	for g, tokens := range groups(n, size.Tokens) {
		batch = append(batch, client.Operation{Operation: "add", Path: "/group-" + strconv.Itoa(g), Value: tokens})
	}
	if _, err := o.API.EditThemeTokens(ctx, o.Environment, t.ID, client.EditOptions{}, batch); err != nil {
		return nil, err
	}
	if err := o.PublishDraft(ctx, t); err != nil {
		return nil, err
	}
	for i := range size.Variants {
		if err := o.addVariant(ctx, t, n, i); err != nil {
			return nil, err
		}
	}
	for v := 1; v < size.Versions; v++ {
		if err := o.Publish(ctx, t, n+v*1_000_003); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// addVariant adds Variant number i to a Theme, with one override that no other has, and publishes it.
func (o *Origin) addVariant(ctx context.Context, t *Theme, n, i int) error {
	slug := "variant-" + strconv.Itoa(i)
	v, err := o.API.CreateVariant(ctx, o.Environment, t.ID, client.NewVariant{Slug: slug, DisplayName: slug})
	if err != nil {
		return err
	}
	batch := []client.VariantOperation{{Operation: "set", Path: "published", Value: json.RawMessage(strconv.Itoa(Override(n, i)))}}
	if _, err := o.API.EditVariantTokens(ctx, o.Environment, t.ID, v.ID, client.EditOptions{}, batch); err != nil {
		return err
	}
	if _, err := o.API.PublishVariant(ctx, o.Environment, t.ID, v.ID, client.PublishOptions{}); err != nil {
		return err
	}
	t.Pairs = append(t.Pairs, v.ID)
	return nil
}

// published is the token that every publish changes.
func published(n int) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"$type":"number","$value":%d}`, n))
}

// groups are all other tokens of Theme number n.
func groups(n, tokens int) (list []json.RawMessage) {
	for g := 0; g*perGroup < tokens-1; g++ {
		list = append(list, group(n, g, min(perGroup, tokens-1-g*perGroup)))
	}
	return list
}

// Document is Theme number n, of so many tokens, whose token "published" has a value.
func Document(n, tokens, value int) string {
	text := append([]byte(`{"published":`), published(value)...)
	for g, more := range groups(n, tokens) {
		text = fmt.Appendf(text, `,"group-%d":%s`, g, more)
	}
	return string(append(text, '}'))
}

// Override is what Variant number i of Theme number n gives the token "published".
func Override(n, i int) int { return -1 - n*1000 - i }

// group is a group of colours of Theme number n, every fifth an alias of the one before.
func group(n, g, count int) json.RawMessage {
	text := []byte(`{"$type":"color"`)
	for i := range count {
		value := fmt.Sprintf("#%06x", uint32(n*7919+g*131+i)*2654435761>>8)
		if i%5 == 4 {
			value = fmt.Sprintf("{group-%d.token-%d}", g, i-1)
		}
		text = fmt.Appendf(text, `,"token-%d":{"$value":%q}`, i, value)
	}
	return append(text, '}')
}

// Edit changes the draft of a Theme, its token "published", and asks for no tokens in return. A draft that an origin has from an edit
// whose answer was lost is read once, and edited.
func (o *Origin) Edit(ctx context.Context, t *Theme, value int) error {
	batch := []client.Operation{{Operation: "replace", Path: "/published", Value: published(value)}}
	set, err := o.API.EditThemeTokens(ctx, o.Environment, t.ID, client.EditOptions{ETag: t.draft, Minimal: true}, batch)
	if errors.Is(err, client.ErrConflict) {
		if set, err = o.API.Scope(o.Environment, t.ID).Tokens(ctx, "", client.ReadOptions{}); err != nil {
			return err
		}
		set, err = o.API.EditThemeTokens(ctx, o.Environment, t.ID, client.EditOptions{ETag: set.DraftETag(), Minimal: true}, batch)
	}
	if err == nil {
		t.draft = set.DraftETag()
	}
	return err
}

// Publish gives the token "published" of a Theme another value and publishes it.
func (o *Origin) Publish(ctx context.Context, t *Theme, value int) error {
	if err := o.Edit(ctx, t, value); err != nil {
		return err
	}
	return o.PublishDraft(ctx, t)
}

// PublishDraft publishes what Edit has changed.
func (o *Origin) PublishDraft(ctx context.Context, t *Theme) error {
	if _, err := o.API.PublishTheme(ctx, o.Environment, t.ID, client.PublishOptions{}); err != nil {
		return err
	}
	t.Versions++
	t.draft = ""
	return nil
}

// Path is the address of a file at any edge; version 0 is the latest.
func (o *Origin) Path(t *Theme, pair, version int, file string) string {
	name := "latest"
	if version > 0 {
		name = strconv.Itoa(version)
	}
	return "/" + o.Environment + "/" + t.ID + "/" + t.Pairs[pair] + "/" + name + "/" + file
}
