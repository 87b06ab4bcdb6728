package storage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/livery/storage/record"
)

// Progress hears how far a long task has come: done of all, in whatever unit doing names. All is 0
// if it is not known.
type Progress func(doing string, done, all int64)

// Tell calls p if it is not nil.
func (p Progress) Tell(doing string, done, all int) {
	if p != nil {
		p(doing, int64(done), int64(all))
	}
}

// DefaultGrace is long enough for every reader that learned a blob's name while there was one: an
// edge that retries, and one that was away for a night.
const DefaultGrace = 24 * time.Hour

// Collection says how Collect works.
type Collection struct {
	Now      time.Time     // must be set
	Grace    time.Duration // how long a blob stays after it was found unnamed; 0 means DefaultGrace
	DryRun   bool          // report what would be done, and change nothing
	Progress Progress      // nil means that none is reported
}

// CollectResult is what Collect found and did, or would do in a dry run.
type CollectResult struct {
	Blobs, Bytes             int64         // that were there, as stored
	Named                    int64         // by at least one record
	Waiting, WaitingBytes    int64         // unnamed, and still within their grace
	Dropped, DroppedBytes    int64         // unnamed for longer
	FoundUnnamed, FoundNamed int64         // of these: newly unnamed and marked, and named again and unmarked
	Missing                  []record.Hash // named and not there; see CheckStore for who names them
}

// Collect drops the blobs that nothing names. It takes two runs: one finds a blob unnamed and marks
// it, and a later one, Grace after it, drops it if it is unnamed still and was not put since. So a
// reader that holds a name and a publish that has put its blobs and not yet committed are never
// hurt, and what a lost publish left goes the same way. Collect may run at any time beside
// everything else. It holds 60 bytes a blob and 32 a reference in memory.
func Collect(ctx context.Context, store Store, c Collection) (CollectResult, error) {
	if c.Grace == 0 {
		c.Grace = DefaultGrace
	}
	// In this order: a blob that is put after the list was made is not in question, and the publish that put one
	// before it may have named it by the time the records are read.
	blobs, err := listBlobs(ctx, store, c.Progress)
	if err != nil {
		return CollectResult{}, fmt.Errorf("storage: collect: %w", err)
	}
	var names digests
	err = store.View(ctx, func(r Reader) (err error) {
		names, err = named(r)
		return err
	})
	if err != nil {
		return CollectResult{}, fmt.Errorf("storage: collect: %w", err)
	}
	s := sortBlobs(blobs, names, c.Now.Add(-c.Grace))
	if s.report.Missing, err = missing(ctx, store, blobs, names); err != nil {
		return s.report, fmt.Errorf("storage: collect: %w", err)
	}
	if c.DryRun {
		return s.report, nil
	}
	return s.report, s.act(ctx, store, c)
}

// blobEntry is a BlobInfo in less memory.
type blobEntry struct {
	digest  digest
	stored  int64
	unnamed int64 // Unix milliseconds; 0 means not marked
}

func listBlobs(ctx context.Context, store Store, p Progress) (blobs []blobEntry, err error) {
	scanErr := store.Blobs(ctx, func(b BlobInfo) bool {
		h := blobEntry{stored: b.StoredBytes}
		if h.digest, err = parseDigest(b.Name); err != nil {
			return false
		}
		if !b.Unnamed.IsZero() {
			h.unnamed = b.Unnamed.UnixMilli()
		}
		if blobs = append(blobs, h); len(blobs)%10_000 == 0 {
			p.Tell("list blobs", len(blobs), 0)
		}
		return true
	})
	return blobs, errors.Join(err, scanErr)
}

// collectPlan is what has to be done, and the report of it.
type collectPlan struct {
	mark, unmark, drop []record.Hash
	report             CollectResult
}

// sortBlobs decides about each blob.
func sortBlobs(blobs []blobEntry, names digests, before time.Time) *collectPlan {
	s := &collectPlan{}
	r := &s.report
	for _, b := range blobs {
		r.Blobs++
		r.Bytes += b.stored
		switch {
		case names.has(b.digest):
			r.Named++
			if b.unnamed != 0 {
				s.unmark = append(s.unmark, b.digest.name())
			}
		case b.unnamed != 0 && b.unnamed <= before.UnixMilli():
			r.Dropped++
			r.DroppedBytes += b.stored
			s.drop = append(s.drop, b.digest.name())
		default:
			r.Waiting++
			r.WaitingBytes += b.stored
			if b.unnamed == 0 {
				s.mark = append(s.mark, b.digest.name())
			}
		}
	}
	r.FoundUnnamed, r.FoundNamed = int64(len(s.mark)), int64(len(s.unmark))
	return s
}

// act marks and drops. What was put in the meantime the store leaves alone.
func (s *collectPlan) act(ctx context.Context, store Store, c Collection) error {
	err := store.MarkBlobs(ctx, s.unmark, time.Time{})
	if err == nil {
		err = store.MarkBlobs(ctx, s.mark, c.Now)
	}
	if err != nil {
		return fmt.Errorf("storage: collect: %w", err)
	}
	c.Progress.Tell("drop blobs", 0, len(s.drop))
	n, err := store.DropBlobs(ctx, s.drop, c.Now.Add(-c.Grace))
	c.Progress.Tell("drop blobs", n, len(s.drop))
	s.report.Dropped = int64(n)
	if err != nil {
		return fmt.Errorf("storage: collect: %w", err)
	}
	return nil
}

// missing returns the names without a blob. The list may be older than a name, so each is asked for.
func missing(ctx context.Context, store Store, blobs []blobEntry, names digests) (lost []record.Hash, err error) {
	for _, name := range names {
		for len(blobs) > 0 && compareDigests(blobs[0].digest, name) < 0 {
			blobs = blobs[1:]
		}
		if len(blobs) > 0 && blobs[0].digest == name {
			continue
		}
		_, err := store.Blob(ctx, name.name())
		switch {
		case errors.Is(err, ErrNotFound):
			lost = append(lost, name.name())
		case err != nil && !errors.Is(err, ErrCorrupt):
			return lost, err
		}
	}
	return lost, nil
}
