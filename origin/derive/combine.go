package derive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/livery/origin/modes"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
)

// Combination is what the files of an address are made from beside the plan of their version: the overrides of Pairs, all
// of one version, laid over one another in this order. The first is the address's own.
type Combination struct {
	Pairs []Pair
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
	pairs := c.overriding()
	switch len(pairs) {
	case 0:
		return "", nil
	case 1:
		return d.Overlay(ctx, pairs[0])
	}
	key := inputsOf(pairs)
	if name := d.combinedBefore(key); name != "" {
		return name, nil
	}
	return shared(ctx, d, key, func(ctx context.Context) (name record.Hash, err error) {
		var bundle []byte
		err = d.compile(ctx, d.foreground, pairs[0].Version, func(c compiler) error {
			overrides, err := d.merged(ctx, pairs)
			if err == nil {
				bundle, err = c.overlays(ctx, overrides)
			}
			return err
		})
		if err == nil && len(bundle)+cachedBytes > CombinationBytes {
			err = ErrTooLarge
		}
		if err != nil {
			return "", fmt.Errorf("derive: overlay of %d Variants at version %d: %w", len(pairs), pairs[0].Version.Number, err)
		}
		name = record.HashOf(bundle)
		d.combined.add(string(name), bundle, int64(len(bundle)))
		d.combined.add(key, []byte(name), int64(len(key)+len(name)))
		return name, nil
	})
}

// Compiled returns the name of the overlay of a combination, if it needs not be compiled first.
func (d *Deriver) Compiled(c Combination) (name record.Hash, ok bool) {
	pairs := c.overriding()
	switch len(pairs) {
	case 0:
		return "", true
	case 1:
		return pairs[0].Record.Overlay, !Lacks(pairs[0].Record)
	}
	name = d.combinedBefore(inputsOf(pairs))
	return name, name != ""
}

// combinedBefore returns the name of an overlay that is in memory, or nothing.
func (d *Deriver) combinedBefore(inputs string) record.Hash {
	name := string(d.combined.get(inputs))
	if d.combined.get(name) == nil {
		return ""
	}
	return record.Hash(name)
}

// overriding returns the pairs that override something.
func (c Combination) overriding() []Pair {
	return slices.DeleteFunc(slices.Clone(c.Pairs), func(p Pair) bool { return p.Record.Overrides == "" || p.Record.Overrides == noOverrides })
}

// inputsOf names what the overlay of pairs is compiled from.
func inputsOf(pairs []Pair) string {
	v := pairs[0].Version
	parts := []string{"combination", string(v.Module), string(v.Document), v.Prefix}
	for _, p := range pairs {
		parts = append(parts, string(p.Record.Overrides))
	}
	return strings.Join(parts, "/")
}

// merged returns the overrides of pairs laid over one another.
func (d *Deriver) merged(ctx context.Context, pairs []Pair) ([]byte, error) {
	var maps []*jsontree.Node
	for _, p := range pairs {
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
	return jsontree.Append(nil, modes.Merge(maps...)), nil
}
