package management

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/bench/internal/frame"
	"example.com/livery/client"
	"example.com/livery/origin/operator"
	"example.com/livery/origin/theming"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// publishes measures a publish of Themes with ever more Variants: of one changed value, and of a
// renamed group that every Variant overrides.
func (b *bench) publishes(ctx context.Context) (rows []row, err error) {
	h, err := b.open(ctx, nil, 1)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, h.close(ctx)) }()
	var values, renames []*frame.Arm
	for _, count := range b.size.variants {
		p, err := b.newPublisher(ctx, h, count)
		if err != nil {
			return nil, err
		}
		of := " over " + figures.Grouped(count) + " Variants of " + figures.Grouped(b.size.overrides)
		values = append(values, &frame.Arm{Name: "publish of one value" + of, Once: p.value})
		renames = append(renames, &frame.Arm{Name: "publish of a rename" + of, Once: p.rename})
	}
	if err := frame.InTurn(ctx, b.size.rounds, b.size.budget, append(values, renames...)...); err != nil {
		return nil, err
	}
	return append(b.growth(values), b.growth(renames)...), nil
}

// growth compares what one Variant more costs with what it costs among the fewest.
func (b *bench) growth(arms []*frame.Arm) (rows []row) {
	for i, a := range arms {
		r := row{what: a.Name, took: a.Took}
		if i > 1 {
			r.of = fmt.Sprintf("one Variant more, to one more from %s to %s (1: linear)", figures.Grouped(b.size.variants[0]), figures.Grouped(b.size.variants[1]))
			r.ratio = b.more(arms, i) / b.more(arms, 1)
		}
		rows = append(rows, r)
	}
	return rows
}

// more returns what a Variant more costs between arm i and the one before, in nanoseconds.
func (b *bench) more(arms []*frame.Arm, i int) float64 {
	return float64(arms[i].Took.At(0.5)-arms[i-1].Took.At(0.5)) / float64(b.size.variants[i]-b.size.variants[i-1])
}

// publisher publishes one Theme with Variants again and again.
type publisher struct {
	theme    *theme
	variants []string // ids
	groups   int
	renamed  bool // the last group has its other name
}

func (b *bench) newPublisher(ctx context.Context, h *server, count int) (*publisher, error) {
	t, err := h.newTheme(ctx, h.environments[0], fmt.Sprintf("variants-%d", count), b.size.publishTokens)
	if err != nil {
		return nil, err
	}
	p := &publisher{theme: t, groups: b.size.publishTokens / perGroup}
	for i := range count {
		id, err := p.addVariant(ctx, i, b.size.overrides)
		if err != nil {
			return nil, err
		}
		p.variants = append(p.variants, id)
	}
	return p, nil
}

// addVariant leaves in the store what creating, editing and publishing a Variant over the API does:
// one that is published at version 1.
func (p *publisher) addVariant(ctx context.Context, i, overrides int) (id string, err error) {
	store, now := p.theme.server.store, time.Now().UTC()
	blob, err := store.PutBlob(ctx, p.overrides(i, overrides))
	if err != nil {
		return "", err
	}
	slug := fmt.Sprintf("variant-%04d", i)
	v, err := theming.NewVariant(operator.NewID("var_", now), record.Theme{ID: p.theme.id, EnvironmentID: p.theme.environment},
		theming.VariantInput{Slug: &slug, DisplayName: &slug}, 0, record.Pro, now)
	if err != nil {
		return "", err
	}
	v.TokenCount, v.LatestVersion, v.PublishedAt = overrides, 1, now
	key := []string{v.EnvironmentID, v.ThemeID, v.ID, storage.Number(1)}
	_, err = store.Update(ctx, v.EnvironmentID, func(tx storage.Tx) (record.Change, error) {
		version := record.VariantVersion{Number: 1, Overrides: blob, TokenCount: overrides, PublishedAt: now}
		return record.Change{At: now}, errors.Join(
			storage.Variants.Write(tx, v, v.EnvironmentID, v.ThemeID, v.ID),
			storage.VariantSlugs.Write(tx, v.ID, slug, v.EnvironmentID, v.ThemeID),
			storage.VariantVersions.Write(tx, version, key...),
			storage.Pairs.Write(tx, record.Pair{Overrides: blob, Published: true}, key...))
	})
	return v.ID, err
}

// overrides are those of Variant number i: of the Theme's last tokens, each with a value of its own.
func (p *publisher) overrides(i, count int) []byte {
	text := []byte{'{'}
	first := p.groups*perGroup - count
	for n := range count {
		if n > 0 {
			text = append(text, ',')
		}
		at := max(0, first+n)
		text = fmt.Appendf(text, `%q:"#%08x"`, tokenPath(at/perGroup, at%perGroup), i<<12+n)
	}
	return append(text, '}')
}

// value publishes one changed value.
func (p *publisher) value(ctx context.Context) (time.Duration, error) {
	if _, err := p.theme.edit(ctx); err != nil {
		return 0, err
	}
	return p.publish(ctx)
}

// rename publishes a group that every Variant overrides under another name, there and back.
func (p *publisher) rename(ctx context.Context) (time.Duration, error) {
	name := fmt.Sprintf("group-%d", p.groups-1)
	from, to := name, name+"-renamed"
	if p.renamed {
		from, to = to, from
	}
	p.renamed = !p.renamed
	if err := p.theme.rename(ctx, from, to); err != nil {
		return 0, err
	}
	return p.publish(ctx)
}

// publish publishes and sees that this was one commit and lost no override.
func (p *publisher) publish(ctx context.Context) (time.Duration, error) {
	before, err := p.cursor(ctx)
	if err != nil {
		return 0, err
	}
	took, err := p.theme.publish(ctx)
	if err != nil {
		return 0, err
	}
	if err := p.one(ctx, before); err != nil {
		return 0, err
	}
	return took, p.check(ctx)
}

// check sees that the last Variant has a draft for review.
func (p *publisher) check(ctx context.Context) error {
	last := p.variants[len(p.variants)-1]
	set, err := p.theme.server.api.Scope(p.theme.environment, p.theme.id).Tokens(ctx, last, client.ReadOptions{})
	if err != nil {
		return err
	}
	path := tokenPath(p.groups-1, 0)
	if p.renamed {
		path = fmt.Sprintf("group-%d-renamed.token-0", p.groups-1)
	}
	for _, t := range set.Tokens {
		if t.Path == path && set.HasUnpublishedChanges {
			return nil
		}
	}
	return fmt.Errorf("after a publish the Variant %s has no draft that overrides %s", last, path)
}

// one sees that edges learn of one commit. Those that follow in the background name overlays,
// which no edge has to hear of.
func (p *publisher) one(ctx context.Context, before storage.Cursor) error {
	logged, err := p.theme.server.store.Changes(ctx, before, 1000)
	if err != nil {
		return err
	}
	commits := 0
	for _, entry := range logged {
		if entry.Change.ThemeID == p.theme.id {
			commits++
		}
	}
	if commits != 1 {
		return fmt.Errorf("a publish took %d commits", commits)
	}
	return nil
}

// cursor returns the place of the newest commit.
func (p *publisher) cursor(ctx context.Context) (cursor storage.Cursor, err error) {
	err = p.theme.server.store.View(ctx, func(r storage.Reader) error {
		cursor = r.Cursor()
		return nil
	})
	return cursor, err
}
