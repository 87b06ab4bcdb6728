package storage

import (
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"example.com/livery/storage/record"
)

// The first byte of a stored blob says how the rest is coded.
const (
	codingPlain = 0
	codingZstd  = 1
)

// MaxBlobBytes is the size of the largest blob that PutBlob takes.
const MaxBlobBytes = 256 << 20

// Codec compresses blobs before an engine sees them: an engine's own compression works on blocks, and
// would be paid again whenever it moves them. Its methods may be called concurrently. The zero Codec
// is not usable; call NewCodec.
type Codec struct {
	enc *zstd.Encoder
	dec *zstd.Decoder
}

// NewCodec returns a Codec. Close must follow.
func NewCodec() (*Codec, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(2), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(1<<20)) // each encoder keeps its window
	if err != nil {
		return nil, err
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(MaxBlobBytes))
	if err != nil {
		return nil, err
	}
	return &Codec{enc, dec}, nil
}

// Close gives back what the Codec holds.
func (c *Codec) Close() {
	_ = c.enc.Close() // nothing is buffered
	c.dec.Close()
}

// Pack returns the stored form of a blob: the shorter of plain and zstd.
func (c *Codec) Pack(blob []byte) []byte {
	packed := c.enc.EncodeAll(blob, []byte{codingZstd})
	if len(packed) <= len(blob) {
		return packed
	}
	return append([]byte{codingPlain}, blob...)
}

// Unpack returns a new slice with the blob of that name, or ErrCorrupt.
func (c *Codec) Unpack(value []byte, name record.Hash) ([]byte, error) {
	blob, err := c.decode(value)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if got := record.HashOf(blob); got != name {
		return nil, fmt.Errorf("%w: the content is that of %s", ErrCorrupt, got)
	}
	return blob, nil
}

func (c *Codec) decode(value []byte) ([]byte, error) {
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
