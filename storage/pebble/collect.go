package pebble

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// note is what is known of a blob without reading it.
type note struct {
	stored  int       // bytes
	unnamed time.Time // since when; zero means not marked
}

const noteSize = 16

func (n note) bytes() []byte {
	var at uint64
	if !n.unnamed.IsZero() {
		at = uint64(n.unnamed.UnixMilli())
	}
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, uint64(n.stored)), at)
}

func parseNote(b []byte) (note, error) {
	if len(b) != noteSize {
		return note{}, fmt.Errorf("%w: a note of %d bytes on a blob", storage.ErrCorrupt, len(b))
	}
	n := note{stored: int(binary.BigEndian.Uint64(b))}
	if at := int64(binary.BigEndian.Uint64(b[8:])); at != 0 {
		n.unnamed = time.UnixMilli(at).UTC()
	}
	return n, nil
}

// recentBlobs remembers the blobs put within one or two windows, each in some 20 bytes: a part of its name is enough, as a
// blob that is taken for another one is only collected later. It forgets by whole generations, so that it needs no
// time for each of them.
type recentBlobs struct {
	mu       sync.Mutex // guards below
	seed     maphash.Seed
	now, old map[uint64]struct{}
	since    time.Time // when now began
}

func (r *recentBlobs) add(name record.Hash, at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.turn(at)
	r.now[maphash.String(r.seed, string(name))] = struct{}{}
}

func (r *recentBlobs) has(name record.Hash, at time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.turn(at)
	part := maphash.String(r.seed, string(name))
	_, now := r.now[part]
	_, old := r.old[part]
	return now || old
}

func (r *recentBlobs) turn(at time.Time) {
	switch age := at.Sub(r.since); {
	case r.now == nil || age >= 2*storage.PutWindow:
		r.seed, r.now, r.old, r.since = maphash.MakeSeed(), map[uint64]struct{}{}, nil, at
	case age >= storage.PutWindow:
		r.now, r.old, r.since = map[uint64]struct{}{}, r.now, at
	}
}

// Blobs calls each for every blob in the order of names, until each returns false. It reads no blob.
func (s *Store) Blobs(ctx context.Context, each func(storage.BlobInfo) bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.history.enter(); err != nil {
		return err
	}
	defer s.history.leave()
	start, end := []byte{ownSpace, noteSpace}, []byte{ownSpace, noteSpace + 1}
	return scan(s.db, start, end, storage.Ascending, func(key, value []byte) (bool, error) {
		n, err := parseNote(value)
		if err != nil {
			return false, err
		}
		return each(storage.BlobInfo{Name: keyHash(key), StoredBytes: int64(n.stored), Unnamed: n.unnamed}), ctx.Err()
	})
}

// unmark takes the mark off a blob that is put again.
func (b *blobTable) unmark(ctx context.Context, name record.Hash) error {
	value, err := get(b.db, noteKey(name))
	if err != nil {
		return err
	}
	n, err := parseNote(value)
	if err != nil || n.unnamed.IsZero() {
		return err
	}
	leave, err := b.admission.Admit(ctx, noteSize, 1, false)
	if err != nil {
		return err
	}
	defer leave()
	n.unnamed = time.Time{}
	return failure("put blob", b.db.Set(noteKey(name), n.bytes(), pebble.NoSync))
}

// MarkBlobs notes of each blob that nothing names it since at, and takes the note back if at is
// zero. Those put within storage.PutWindow are left as they are, and so are names without a blob.
func (s *Store) MarkBlobs(ctx context.Context, names []record.Hash, at time.Time) error {
	return s.changeBlobs(ctx, names, func(batch *pebble.Batch, name record.Hash, n note) (bool, error) {
		if !at.IsZero() && s.blobs.puts.has(name, s.opts.clock()) {
			return false, nil
		}
		n.unnamed = at
		return true, batch.Set(noteKey(name), n.bytes(), nil)
	})
}

// DropBlobs deletes those of the blobs that are marked since before or earlier, and returns how many
// they were.
func (s *Store) DropBlobs(ctx context.Context, names []record.Hash, before time.Time) (dropped int, err error) {
	err = s.changeBlobs(ctx, names, func(batch *pebble.Batch, name record.Hash, n note) (bool, error) {
		if n.unnamed.IsZero() || n.unnamed.After(before) {
			return false, nil
		}
		dropped++
		return true, errors.Join(batch.Delete(blobKey(name), nil), batch.Delete(noteKey(name), nil))
	})
	return dropped, err
}

// blobsAtOnce bounds how long putting a blob waits for collection.
const blobsAtOnce = 256

// changeBlobs calls change for each of names that is there, while no blob is put,
// and commits what it wrote.
func (s *Store) changeBlobs(ctx context.Context, names []record.Hash, change func(*pebble.Batch, record.Hash, note) (bool, error)) error {
	if err := s.history.enter(); err != nil {
		return err
	}
	defer s.history.leave()
	for len(names) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(blobsAtOnce, len(names))
		if err := s.blobs.changeSome(ctx, names[:n], change); err != nil {
			return err
		}
		names = names[n:]
	}
	return ctx.Err()
}

func (b *blobTable) changeSome(ctx context.Context, names []record.Hash, change func(*pebble.Batch, record.Hash, note) (bool, error)) error {
	leave, err := b.admission.Admit(ctx, len(names)*2*hashKeySize, 2*len(names), true)
	if err != nil {
		return err
	}
	defer leave()
	b.mu.Lock()
	defer b.mu.Unlock()
	batch, changed := b.db.NewBatch(), false
	for _, name := range names {
		value, err := get(b.db, noteKey(name))
		if errors.Is(err, storage.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		n, err := parseNote(value)
		if err != nil {
			return err
		}
		wrote, err := change(batch, name, n)
		if err != nil {
			return failure("change blobs", err)
		}
		changed = changed || wrote
	}
	if !changed {
		return failure("change blobs", batch.Close())
	}
	// Not synced: it comes after what it follows from in the write-ahead log, and is lost with it alone.
	if err := batch.Commit(pebble.NoSync); err != nil {
		return failure("change blobs", err)
	}
	if err := b.failed(); err != nil {
		return err
	}
	return failure("change blobs", batch.Close())
}
