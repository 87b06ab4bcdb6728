package derive

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// Pair is a Variant at a version of its Theme, as one snapshot showed it.
type Pair struct {
	EnvironmentID, ThemeID, VariantID string
	Version                           record.ThemeVersion
	Record                            record.Pair
}

func (p Pair) key() []string {
	return []string{p.EnvironmentID, p.ThemeID, p.VariantID, storage.Number(p.Version.Number)}
}

// Overlay returns the name of the pair's overlay, empty if the Variant overrides nothing. If
// the record lacks it Overlay compiles it and writes its name into the record; all callers meanwhile
// wait for the same.
func (d *Deriver) Overlay(ctx context.Context, p Pair) (record.Hash, error) {
	if !Lacks(p.Record) {
		return p.Record.Overlay, nil
	}
	key := strings.Join(append(p.key(), string(p.Record.Overrides)), "/")
	return shared(ctx, d, key, func(ctx context.Context) (record.Hash, error) {
		err := d.compile(ctx, d.foreground, p.EnvironmentID, p.Version, func(c compiler) error { return d.complete(ctx, c, &p) })
		if err == nil {
			err = d.nameOverlays(ctx, []Pair{p})
		}
		if err != nil {
			return "", fmt.Errorf("derive: overlay of Variant %s at version %d: %w", p.VariantID, p.Version.Number, err)
		}
		return p.Record.Overlay, nil
	})
}

// complete compiles and stores the overlay of p, and names it in p.Record.
func (d *Deriver) complete(ctx context.Context, c compiler, p *Pair) error {
	bundle, err := d.overlayOf(ctx, c, *p)
	if err == nil {
		p.Record.Overlay, err = d.store.PutBlob(ctx, bundle)
	}
	return err
}

// overlayOf compiles the overlay of p.
func (d *Deriver) overlayOf(ctx context.Context, c compiler, p Pair) ([]byte, error) {
	overrides, err := d.store.Blob(ctx, p.Record.Overrides)
	if err != nil {
		return nil, fmt.Errorf("overrides %s: %w", p.Record.Overrides, err)
	}
	return c.overlays(ctx, overrides)
}

// nameOverlays writes the names of overlays into the records of pairs of one Environment, as far as they
// are still there with the same overrides. The change log names nothing: no edge ever learned that an
// overlay is missing.
func (d *Deriver) nameOverlays(ctx context.Context, pairs []Pair) error {
	if len(pairs) == 0 {
		return nil
	}
	_, err := d.store.Update(ctx, pairs[0].EnvironmentID, func(tx storage.Tx) (record.Change, error) {
		for _, p := range pairs {
			now, err := storage.Pairs.Read(tx, p.key()...)
			if errors.Is(err, storage.ErrNotFound) || err == nil && (now.Overrides != p.Record.Overrides || now.Overlay != "") {
				continue
			}
			if err != nil {
				return record.Change{}, err
			}
			now.Overlay = p.Record.Overlay
			if err := storage.Pairs.Write(tx, now, p.key()...); err != nil {
				return record.Change{}, err
			}
		}
		return record.Change{At: d.now().UTC().Truncate(time.Millisecond)}, nil
	})
	return err
}
