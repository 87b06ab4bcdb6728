package derive

import (
	"cmp"
	"errors"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// The bounds of one commit of overlays: few commits, and little that is in memory or compiled twice if an edge requests
// it meanwhile.
const (
	perCommit      = 16
	bytesPerCommit = 4 << 20
)

// Backfill compiles the overlays that Variants of a Theme lack at its newest version, one at a time in
// the background. It returns at once; nothing waits for the result, and nothing is lost if the
// process ends before.
func (d *Deriver) Backfill(environment, theme string) {
	if !d.queue.add(themeID{environment, theme}) || !d.begin() {
		return
	}
	go func() {
		defer d.work.Done()
		for t, ok := d.queue.next(); ok; t, ok = d.queue.next() {
			if err := d.backfill(t); err != nil && d.ctx.Err() == nil {
				d.log.Warn("derive: overlays cannot be compiled ahead; each is compiled when an edge requests it", "theme", t.theme, "error", err)
			}
		}
	}()
}

// backfill stops if a newer version waits: what the older one lacks is hardly requested.
// It goes on past a pair that fails, and returns the first fault.
func (d *Deriver) backfill(t themeID) (err error) {
	defer recovered(&err)
	pairs, err := d.lacking(t)
	if err != nil || len(pairs) == 0 {
		return err
	}
	var c compiler
	err = d.compile(d.ctx, d.background, t.environment, pairs[0].Version, func(made compiler) error {
		c = made
		return nil
	})
	if err != nil {
		return err
	}
	var made batch
	for _, p := range pairs {
		if d.queue.contains(t) || d.ctx.Err() != nil {
			break
		}
		var bundle []byte
		failed := d.background.run(d.ctx, t.environment, func() (err error) {
			bundle, err = d.overlayOf(d.ctx, c, p)
			return err
		})
		if failed == nil {
			made.add(p, bundle)
		}
		if made.full() {
			failed = cmp.Or(failed, d.commit(&made))
		}
		err = cmp.Or(err, failed)
	}
	return cmp.Or(err, d.commit(&made))
}

// batch is the overlays that are written in one commit. They are stored right before it, because a
// blob that waits for its name too long is collected (storage.PutWindow), and the semaphore may take
// long.
type batch struct {
	pairs   []Pair
	bundles [][]byte // of pairs
	bytes   int      // of bundles
}

func (b *batch) add(p Pair, bundle []byte) {
	b.pairs, b.bundles = append(b.pairs, p), append(b.bundles, bundle)
	b.bytes += len(bundle)
}

func (b *batch) full() bool { return len(b.pairs) >= perCommit || b.bytes >= bytesPerCommit }

// commit stores the overlays, names them in the records of their pairs, and empties the batch.
func (d *Deriver) commit(b *batch) error {
	made := *b
	*b = batch{}
	for i, bundle := range made.bundles {
		name, err := d.store.PutBlob(d.ctx, bundle)
		if err != nil {
			return err
		}
		made.pairs[i].Record.Overlay = name
	}
	return d.nameOverlays(d.ctx, made.pairs)
}

// lacking lists the pairs of a Theme's newest version that lack an overlay.
func (d *Deriver) lacking(t themeID) (pairs []Pair, err error) {
	key := []string{t.environment, t.theme}
	reads := storage.Reads{Keys: [][]byte{storage.Themes.Key(key...)}, Prefixes: [][]byte{storage.Variants.Key(key...)}}
	err = d.store.View(storage.WithReads(d.ctx, reads), func(r storage.Reader) error {
		theme, err := storage.Themes.Read(r, key...)
		if err != nil || theme.LatestVersion == 0 {
			return orNone(err)
		}
		all := []Pair{}
		err = storage.Variants.Scan(r, storage.Ascending, func(_ []byte, v record.Variant) bool {
			all = append(all, Pair{EnvironmentID: t.environment, ThemeID: t.theme, VariantID: v.ID})
			return true
		}, key...)
		if err != nil || len(all) == 0 {
			return err
		}
		version, err := storage.ThemeVersions.Read(r, append(key, storage.Number(theme.LatestVersion))...)
		if err != nil {
			return err
		}
		for i := range all {
			all[i].Version = version
		}
		pairs, err = lackingOf(r, all)
		return err
	})
	return pairs, err
}

func lackingOf(r storage.Reader, all []Pair) (pairs []Pair, err error) {
	for _, p := range all {
		p.Record, err = storage.Pairs.Read(r, p.key()...)
		if err := orNone(err); err != nil {
			return nil, err
		}
		if Lacks(p.Record) {
			pairs = append(pairs, p)
		}
	}
	return pairs, nil
}

// orNone makes of a record that is missing, because its Theme was deleted or a Variant serves the
// Theme's own values, none at all.
func orNone(err error) error {
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	return err
}
