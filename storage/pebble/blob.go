package pebble

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"example.com/livery/storage"
	"example.com/livery/storage/pebble/admission"
	"example.com/livery/storage/record"
)

// blobTable has the blobs of a store, and notes for their collection.
type blobTable struct {
	db        *pebble.DB
	codec     *storage.Codec
	admission *admission.Controller
	failed    func() error // why the store takes no more writes, or nil
	clock     func() time.Time

	mu   sync.RWMutex // locked to drop and mark blobs, and for reading to put them
	puts recentBlobs
}

// PutBlob stores a blob and returns its name. A blob that is there already and whole is not written
// again; one found corrupt is replaced; one that collection has marked is marked no longer. The blob
// enters the write-ahead log at once and is durable with the next commit.
func (s *Store) PutBlob(ctx context.Context, blob []byte) (record.Hash, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if len(blob) > storage.MaxBlobBytes {
		return "", fmt.Errorf("pebble: a blob of %d bytes is larger than %d", len(blob), storage.MaxBlobBytes)
	}
	if err := s.history.enter(); err != nil {
		return "", err
	}
	defer s.history.leave()
	return s.blobs.put(ctx, blob)
}

func (b *blobTable) put(ctx context.Context, blob []byte) (record.Hash, error) {
	name := record.HashOf(blob)
	b.mu.RLock()
	defer b.mu.RUnlock()
	b.puts.add(name, b.clock())
	_, err := b.get(name)
	if err == nil {
		return name, b.unmark(ctx, name)
	}
	if !errors.Is(err, storage.ErrNotFound) && !errors.Is(err, storage.ErrCorrupt) {
		return "", err
	}
	return name, b.write(ctx, name, blob)
}

func (b *blobTable) write(ctx context.Context, name record.Hash, blob []byte) error {
	value := b.codec.Pack(blob)
	leave, err := b.admission.Admit(ctx, len(value), 2, false)
	if err != nil {
		return err
	}
	defer leave()
	batch := b.db.NewBatch()
	err = errors.Join(
		batch.Set(blobKey(name), value, nil),
		batch.Set(noteKey(name), note{stored: len(value)}.bytes(), nil))
	if err != nil {
		return failure("put blob", err)
	}
	if err := batch.Commit(pebble.NoSync); err != nil {
		return failure("put blob", err)
	}
	if err := b.failed(); err != nil {
		return err
	}
	return failure("put blob", batch.Close())
}

// Blob returns the blob, checked against its name: storage.ErrNotFound, or storage.ErrCorrupt.
func (s *Store) Blob(ctx context.Context, name record.Hash) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := s.history.enter(); err != nil {
		return nil, err
	}
	defer s.history.leave()
	return s.blobs.get(name)
}

func (b *blobTable) get(name record.Hash) ([]byte, error) {
	if !name.Valid() {
		return nil, fmt.Errorf("pebble: blob %q: %w", name, storage.ErrNotFound)
	}
	value, closer, err := b.db.Get(blobKey(name))
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, fmt.Errorf("pebble: blob %s: %w", name, storage.ErrNotFound)
	}
	if err != nil {
		return nil, failure("blob "+string(name), err)
	}
	blob, err := b.codec.Unpack(value, name)
	if closeErr := closer.Close(); err == nil {
		err = closeErr
	}
	return blob, failure("blob "+string(name), err)
}
