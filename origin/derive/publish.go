package derive

import (
	"context"
	"fmt"

	"example.com/livery/storage/record"
)

// Plan compiles the plans of a version that is being published with this binary's own module, and
// stores them under the name that it returns. document is the version's, as JSON. It is parsed here, and not taken
// as a tree: a tree that a patch built keeps those alive that it was built from.
func (d *Deriver) Plan(ctx context.Context, v record.ThemeVersion, document []byte) (record.Hash, error) {
	c, err := d.compiledOf(v, func() ([]byte, error) { return document, nil })
	if err != nil {
		return "", fmt.Errorf("derive: plan: %w", err)
	}
	name, err := d.store.PutBlob(ctx, planBundle(c))
	if err != nil {
		return "", fmt.Errorf("derive: plan of document %s: %w", v.Document, err)
	}
	return name, nil
}

// PublishedOverlay compiles what a Variant that is being published overrides in the version, and
// stores it under the name that it returns. The name is empty without overrides, and if the
// version names another module: to start that one may take seconds, and no publish waits for it. Backfill makes up for
// it.
func (d *Deriver) PublishedOverlay(ctx context.Context, v record.ThemeVersion, overrides []byte) (record.Hash, error) {
	if v.Module != d.native || record.HashOf(overrides) == noOverrides {
		return "", nil
	}
	c, err := d.compiled(ctx, v)
	var bundle []byte
	if err == nil {
		bundle, err = overlayBundle(c, overrides)
	}
	if err != nil {
		return "", fmt.Errorf("derive: overlay at version %d of document %s: %w", v.Number, v.Document, err)
	}
	return d.store.PutBlob(ctx, bundle)
}

// noOverrides is the blob of a Variant that was published without any.
var noOverrides = record.HashOf([]byte("{}"))

// Lacks reports whether a pair should have an overlay and has none.
func Lacks(p record.Pair) bool {
	return p.Overlay == "" && p.Overrides != "" && p.Overrides != noOverrides
}
