package derive

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/livery/origin/lru"
	"example.com/livery/origin/modes"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/renderer/modesheet"
	"example.com/livery/storage/record"
)

// Combination is what the files of an address are made from beside the plan of their version: the overrides of Pairs, all
// of one version, laid over one another in this order. The first is the address's own. With Dimensions it is the
// conditional stylesheet of their modes.
type Combination struct {
	Pairs      []Pair
	Dimensions []modesheet.Dimension
	Modes      map[string]Pair // of the Variants that Dimensions name
}

// Sealed reports whether all that takes part is published at the version.
func (c Combination) Sealed() bool {
	pairs := slices.AppendSeq(slices.Clone(c.Pairs), maps.Values(c.Modes))
	return !slices.ContainsFunc(pairs, func(p Pair) bool { return !p.Record.Published })
}

// CombinationBytes is the memory for the overlays of combinations. They are not stored: how many there are is for those
// to choose who request them.
const CombinationBytes = 16 << 20

// ErrTooLarge says that the overlay of a combination is larger than all may be together.
var ErrTooLarge = errors.New("derive: the overlay of a combination of modes is too large")

// Combined returns the name of the overlay of a combination, empty if nothing overrides anything. That of one Variant alone
// is its Overlay; any other is compiled, and in memory until others need the room: then Blob does not know the name any
// more, and Combined compiles it again. It returns ErrTooLarge if it never has room.
func (d *Deriver) Combined(ctx context.Context, c Combination) (record.Hash, error) {
	if own, ok := c.own(); ok {
		return d.Overlay(ctx, own)
	}
	key := c.inputs()
	if name, known, err := d.combinedBefore(key); known {
		return name, err
	}
	return shared(ctx, d, key, func(ctx context.Context) (record.Hash, error) {
		if name, known, err := d.combinedBefore(key); known { // by a flight that ended meanwhile
			return name, err
		}
		return d.compileCombination(ctx, key, c)
	})
}

// compileCombination compiles the overlay of a combination, and keeps it, or that it is too large, under its inputs.
func (d *Deriver) compileCombination(ctx context.Context, key string, c Combination) (name record.Hash, err error) {
	version := c.Pairs[0].Version
	var bundle []byte
	err = d.compile(ctx, d.foreground, c.Pairs[0].EnvironmentID, version, func(with compiler) error {
		bundle, err = d.combine(ctx, with, c)
		return err
	})
	if errors.Is(err, modesheet.ErrTooLong) || err == nil && len(bundle)+lru.EntryBytes > CombinationBytes {
		d.combined.Add(key, []byte(tooLarge), int64(len(key)+len(tooLarge)))
		err = ErrTooLarge
	}
	if err != nil {
		return "", fmt.Errorf("derive: overlay of modes at version %d: %w", version.Number, err)
	}
	name = record.HashOf(bundle)
	d.combined.Add(string(name), bundle, int64(len(bundle)))
	d.combined.Add(key, []byte(name), int64(len(key)+len(name)))
	return name, nil
}

// combine compiles the overlay of a combination.
func (d *Deriver) combine(ctx context.Context, with compiler, c Combination) ([]byte, error) {
	if c.Dimensions != nil {
		return d.sheet(ctx, with, c)
	}
	maps, err := d.overridesOf(ctx, c.Pairs)
	if err != nil {
		return nil, err
	}
	return with.overlays(ctx, jsontree.Append(nil, modes.Merge(maps...)))
}

// Compiled returns the name of the overlay of a combination, if it needs not be compiled first.
func (d *Deriver) Compiled(c Combination) (name record.Hash, ok bool) {
	if own, ok := c.own(); ok {
		return own.Record.Overlay, !Lacks(own.Record)
	}
	name, known, err := d.combinedBefore(c.inputs())
	return name, known && err == nil
}

// own returns the one pair that makes the same overlay, if a single one does. It is the zero Pair if nothing overrides
// anything.
func (c Combination) own() (p Pair, ok bool) {
	pairs := overriding(c.Pairs)
	if len(c.Dimensions) > 0 || len(pairs) > 1 {
		return p, false
	}
	if len(pairs) == 1 {
		p = pairs[0]
	}
	return p, true
}

// tooLarge stands in place of the name of an overlay that is known to be too large.
const tooLarge = "too large"

// combinedBefore returns the name of an overlay that is in memory, or ErrTooLarge if it is known to be that.
func (d *Deriver) combinedBefore(inputs string) (name record.Hash, known bool, err error) {
	value := string(d.combined.Get(inputs))
	switch {
	case value == tooLarge:
		return "", true, ErrTooLarge
	case d.combined.Get(value) == nil:
		return "", false, nil
	}
	return record.Hash(value), true, nil
}

// overriding returns the pairs that override something.
func overriding(pairs []Pair) []Pair {
	return slices.DeleteFunc(slices.Clone(pairs), func(p Pair) bool { return p.Record.Overrides == "" || p.Record.Overrides == noOverrides })
}

// inputs names what the overlay of a combination is compiled from.
func (c Combination) inputs() string {
	v := c.Pairs[0].Version
	parts := []string{"combination", string(v.Module), string(v.Document), v.Prefix}
	for _, p := range overriding(c.Pairs) {
		parts = append(parts, string(p.Record.Overrides))
	}
	for _, d := range c.Dimensions {
		parts = append(parts, c.dimensionInputs(d))
	}
	return strings.Join(parts, "/")
}

// overridesOf reads what pairs override, those left out that override nothing.
func (d *Deriver) overridesOf(ctx context.Context, pairs []Pair) (maps []*jsontree.Node, err error) {
	for _, p := range overriding(pairs) {
		overrides, err := d.store.Blob(ctx, p.Record.Overrides)
		var root *jsontree.Node
		if err == nil {
			root, err = parse(overrides)
		}
		if err != nil {
			return nil, fmt.Errorf("overrides %s: %w", p.Record.Overrides, err)
		}
		maps = append(maps, root)
	}
	return maps, nil
}
