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
	known, err := find(ctx, store, digest)
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

func find(ctx context.Context, store storage.Store, digest record.Hash) (m record.Module, err error) {
	err = store.View(ctx, func(r storage.Reader) error {
		m, err = storage.Modules.Read(r, string(digest))
		return err
	})
	return m, err
}

// Modules lists the registered modules by digest.
func Modules(ctx context.Context, store storage.Store) (all []record.Module, err error) {
	err = store.View(ctx, func(r storage.Reader) error {
		all = []record.Module{}
		return storage.Modules.Scan(r, storage.Ascending, func(_ []byte, m record.Module) bool {
			all = append(all, m)
			return true
		})
	})
	return all, err
}
