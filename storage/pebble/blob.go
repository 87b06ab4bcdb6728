package pebble

import (
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
	"github.com/klauspost/compress/zstd"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// MaxBlobBytes is the size of the largest blob that PutBlob takes.
const MaxBlobBytes = 256 << 20

// PutBlob stores a blob and returns its name. A blob that is there already and whole is not written
// again; one found corrupt is replaced; one that collection has marked is marked no longer. The blob
// enters the write-ahead log at once and is durable with the next commit.
func (s *Store) PutBlob(ctx context.Context, blob []byte) (record.Hash, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if len(blob) > MaxBlobBytes {
		return "", fmt.Errorf("pebble: a blob of %d bytes is larger than %d", len(blob), MaxBlobBytes)
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
		return name, s.keepBlob(name)
	}
	if !errors.Is(err, storage.ErrNotFound) && !errors.Is(err, storage.ErrCorrupt) {
		return "", err
	}
	return name, s.writeBlob(name, blob)
}

func (s *Store) writeBlob(name record.Hash, blob []byte) error {
	value := s.codec.pack(blob)
	if err := s.space.check(len(value)); err != nil {
		return err
	}
	batch := s.db.NewBatch()
	err := errors.Join(
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
	blob, err := s.codec.unpack(value, name)
	if closeErr := closer.Close(); err == nil {
		err = closeErr
	}
	return blob, failure("blob "+string(name), err)
}

// The first byte of a stored blob says how the rest is coded.
const (
	codingPlain = 0
	codingZstd  = 1
)

// codec compresses blobs before the engine sees them: its own compression works on blocks, and
// would be paid again at every compaction. Its methods may be called concurrently.
type codec struct {
	enc *zstd.Encoder
	dec *zstd.Decoder
}

func newCodec() (*codec, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(2), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return nil, err
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(MaxBlobBytes))
	if err != nil {
		return nil, err
	}
	return &codec{enc, dec}, nil
}

func (c *codec) close() {
	_ = c.enc.Close() // nothing is buffered
	c.dec.Close()
}

// pack returns the stored form of a blob: the shorter of plain and zstd.
func (c *codec) pack(blob []byte) []byte {
	packed := c.enc.EncodeAll(blob, []byte{codingZstd})
	if len(packed) <= len(blob) {
		return packed
	}
	return append([]byte{codingPlain}, blob...)
}

// unpack returns a new slice with the blob of that name, or storage.ErrCorrupt.
func (c *codec) unpack(value []byte, name record.Hash) ([]byte, error) {
	blob, err := c.decode(value)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", storage.ErrCorrupt, err)
	}
	if got := record.HashOf(blob); got != name {
		return nil, fmt.Errorf("%w: the content is that of %s", storage.ErrCorrupt, got)
	}
	return blob, nil
}

func (c *codec) decode(value []byte) ([]byte, error) {
	if len(value) == 0 {
		return nil, errors.New("a stored blob without its coding")
	}
	switch value[0] {
	case codingPlain:
		return append([]byte{}, value[1:]...), nil
	case codingZstd:
		return c.dec.DecodeAll(value[1:], nil)
	}
	return nil, fmt.Errorf("a stored blob of the unknown coding %d", value[0])
}
