//go:build linux

package recovery

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"

	"example.com/livery/bench/internal/frame"
	"example.com/livery/storage/pebble"
)

const (
	blobBytes    = 64 << 10
	blobsAStep   = 160 // 10 MiB
	overBytes    = "GiB of blobs"
	bytesOfAUnit = 1 << 30
)

// heavy makes the store heavy with blobs that do not compress, put there while the origin is away, and kills the origin
// as before.
func (b *bench) heavy(ctx context.Context) error {
	if b.bytes == 0 {
		return nil
	}
	if err := b.origin.Stop(); err != nil {
		return err
	}
	if err := b.putBlobs(ctx); err != nil {
		return fmt.Errorf("make the store heavy: %w", err)
	}
	if _, err := b.origin.Restart(ctx); err != nil {
		return err
	}
	return b.killed(ctx, overBytes, float64(b.bytes)/bytesOfAUnit)
}

func (b *bench) putBlobs(ctx context.Context) (err error) {
	store, err := pebble.Open(filepath.Join(b.origin.Data(), "store"), pebble.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	steps := int(b.bytes / (blobBytes * blobsAStep))
	bar := frame.StartBar("blobs, 10 MiB each", steps)
	defer bar.End()
	random := rand.NewChaCha8([32]byte{3, 1})
	blob := make([]byte, blobBytes)
	for range steps {
		for range blobsAStep {
			_, _ = random.Read(blob) // it never fails
			if _, err := store.PutBlob(ctx, blob); err != nil {
				return err
			}
		}
		bar.Step()
	}
	return nil
}
