package pebble

import (
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

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
	if err := s.line.enter(); err != nil {
		return "", err
	}
	defer s.line.leave()
	name := record.HashOf(blob)
	s.blobMu.RLock()
	defer s.blobMu.RUnlock()
	s.puts.add(name, s.opts.clock())
	_, err := s.blob(name)
	if err == nil {
		return name, s.keepBlob(ctx, name)
	}
	if !errors.Is(err, storage.ErrNotFound) && !errors.Is(err, storage.ErrCorrupt) {
		return "", err
	}
	return name, s.writeBlob(ctx, name, blob)
}

func (s *Store) writeBlob(ctx context.Context, name record.Hash, blob []byte) error {
	value := s.codec.Pack(blob)
	leave, err := s.gate.admit(ctx, len(value), 2, false)
	if err != nil {
		return err
	}
	defer leave()
	batch := s.db.NewBatch()
	err = errors.Join(
		batch.Set(blobKey(name), value, nil),
		batch.Set(noteKey(name), note{stored: len(value)}.bytes(), nil))
	if err != nil {
		return failure("put blob", err)
	}
	if err := batch.Commit(pebble.NoSync); err != nil {
		return failure("put blob", err)
	}
	if err := s.line.failed(); err != nil {
		return err
	}
	return failure("put blob", batch.Close())
}

// Blob returns the blob, checked against its name: storage.ErrNotFound, or storage.ErrCorrupt.
func (s *Store) Blob(ctx context.Context, name record.Hash) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := s.line.enter(); err != nil {
		return nil, err
	}
	defer s.line.leave()
	return s.blob(name)
}

func (s *Store) blob(name record.Hash) ([]byte, error) {
	if !name.Valid() {
		return nil, fmt.Errorf("pebble: blob %q: %w", name, storage.ErrNotFound)
	}
	value, closer, err := s.db.Get(blobKey(name))
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, fmt.Errorf("pebble: blob %s: %w", name, storage.ErrNotFound)
	}
	if err != nil {
		return nil, failure("blob "+string(name), err)
	}
	blob, err := s.codec.Unpack(value, name)
	if closeErr := closer.Close(); err == nil {
		err = closeErr
	}
	return blob, failure("blob "+string(name), err)
}
