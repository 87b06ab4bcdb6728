package derive

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
	"example.com/livery/wasm"
)

// Register stores the module of this build under its digest, unless it is there, and returns its record.
func Register(ctx context.Context, store storage.Store, module []byte, now time.Time) (record.Module, error) {
	digest, err := store.PutBlob(ctx, module)
	if err != nil {
		return record.Module{}, fmt.Errorf("derive: store the renderer module: %w", err)
	}
	known, err := storage.Snapshot(ctx, store, func(r storage.Reader) (record.Module, error) { return storage.Modules.Read(r, string(digest)) })
	if !errors.Is(err, storage.ErrNotFound) {
		return known, err
	}
	info := wasm.Describe(module)
	m := record.Module{
		Digest: digest, CoreVersion: info.CoreVersion, ABIVersion: info.ABIVersion, Toolchain: info.Toolchain, Size: info.Size,
		RegisteredAt: now.UTC().Truncate(time.Millisecond),
	}
	_, err = store.Update(ctx, storage.Global, func(tx storage.Tx) (record.Change, error) {
		return record.Change{At: m.RegisteredAt}, storage.Modules.Write(tx, m, string(digest))
	})
	return m, err
}

// Modules lists the registered modules by digest.
func Modules(ctx context.Context, store storage.Store) ([]record.Module, error) {
	return storage.Snapshot(ctx, store, func(r storage.Reader) ([]record.Module, error) { return storage.Modules.All(r) })
}
