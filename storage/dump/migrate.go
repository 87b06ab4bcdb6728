package dump

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"slices"
	"sync"

	"example.com/livery/storage"
)

// Part is a table of a store, or its blobs. Two parts of one Digest hold the same.
type Part struct {
	Name   string `json:"name"` // as storage.SpellKey names the table; "blob" for the blobs that records name
	Count  int64  `json:"count"`
	Digest string `json:"digest"` // SHA-256 of its frames in a dump, in hexadecimal
}

// Contents is what one snapshot of a store holds, part by part. Two stores of equal Contents but for
// Cursor hold the same.
type Contents struct {
	Summary
	Parts  []Part
	Cursor storage.Cursor // the place in the store's own change log
}

// part is a Part under way.
type part struct {
	count int64
	sum   hash.Hash
}

// Digest reads all of one snapshot and returns what it holds. It writes nothing.
func Digest(ctx context.Context, store storage.Store, progress storage.Progress) (Contents, error) {
	out := &writer{to: io.Discard, sum: sha256.New(), progress: progress, parts: map[byte]*part{}}
	var c Contents
	err := store.View(ctx, func(r storage.Reader) error {
		c.Cursor = r.Cursor()
		return out.snapshot(ctx, store, r)
	})
	if err != nil {
		return c, fmt.Errorf("dump: digest: %w", err)
	}
	c.Summary = out.done
	for _, of := range slices.Sorted(maps.Keys(out.parts)) {
		name := "blob"
		if of != frameBlob {
			name = storage.SpellKey([]byte{of})
		}
		c.Parts = append(c.Parts, Part{name, out.parts[of].count, hex.EncodeToString(out.parts[of].sum.Sum(nil))})
	}
	return c, nil
}

// ErrMoved is returned if the store that was copied is not what it was when the copy began.
var ErrMoved = errors.New("the store that was copied was written to meanwhile")

// ErrUnlike is returned if the copy is not what was copied.
var ErrUnlike = errors.New("the copy holds something else than was copied")

// Migrate copies everything from one store into another, which must be empty, and compares what
// both hold afterwards, part by part. It returns the contents of both. Neither may be written to
// meanwhile: ErrMoved. The copy begins a change log of its own.
func Migrate(ctx context.Context, from, to storage.Store, progress storage.Progress) (was, is Contents, err error) {
	progress = oneAtATime(progress)
	loaded, err := stream(ctx, from, to, progress)
	if err != nil {
		return was, is, err
	}
	if is, err = Digest(ctx, to, naming(progress, "read back the copy: ")); err != nil {
		return was, is, err
	}
	if is.Summary.Digest != loaded.Digest {
		return was, is, fmt.Errorf("dump: migrate: %w", ErrUnlike)
	}
	if was, err = Digest(ctx, from, naming(progress, "read the original again: ")); err != nil {
		return was, is, err
	}
	if was.Summary.Digest != loaded.Digest || !slices.Equal(was.Parts, is.Parts) {
		return was, is, fmt.Errorf("dump: migrate: %w", ErrMoved)
	}
	return was, is, nil
}

// stream writes a dump of one store into the other.
func stream(ctx context.Context, from, to storage.Store, progress storage.Progress) (Summary, error) {
	out, in := io.Pipe()
	written := make(chan error, 1)
	go func() {
		_, err := Write(ctx, from, in, progress)
		_ = in.CloseWithError(err) // returns no error
		written <- err
	}()
	loaded, err := Load(ctx, out, to, progress)
	_ = out.CloseWithError(err) // ends Write if Load failed
	return loaded, errors.Join(err, <-written)
}

// oneAtATime lets two goroutines tell the same progress.
func oneAtATime(p storage.Progress) storage.Progress {
	if p == nil {
		return nil
	}
	var mu sync.Mutex
	return func(doing string, done, all int64) {
		mu.Lock()
		defer mu.Unlock()
		p(doing, done, all)
	}
}

// naming begins what is done with a text.
func naming(p storage.Progress, begin string) storage.Progress {
	if p == nil {
		return nil
	}
	return func(doing string, done, all int64) { p(begin+doing, done, all) }
}
