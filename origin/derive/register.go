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

// Register stores a module under its digest, with what it says of itself, unless it is there. It
// returns wasm.ErrDigest if the bytes are not those of the digest, and wasm.ErrModule if they
// are too many, no module, or one of another ABI version; both say what is wrong. A module that is not
// known yet is started once, which takes some 100 ms.
func Register(ctx context.Context, store storage.Store, digest record.Hash, module []byte, now time.Time) (record.Module, error) {
	if got := record.HashOf(module); got != digest {
		return record.Module{}, fmt.Errorf("derive: register module %s: %w: the digest of its %d bytes is %s", digest, wasm.ErrDigest, len(module), got)
	}
	known, err := find(ctx, store, digest)
	if err == nil {
		_, err = store.PutBlob(ctx, module)
	}
	if !errors.Is(err, storage.ErrNotFound) {
		return known, err
	}
	info, err := wasm.Inspect(ctx, module)
	if err != nil {
		return record.Module{}, fmt.Errorf("derive: register module %s: %w", digest, err)
	}
	m := record.Module{
		Digest: digest, CoreVersion: info.CoreVersion, ABIVersion: info.ABIVersion, Toolchain: info.Toolchain, Size: info.Size,
		RegisteredAt: now.UTC().Truncate(time.Millisecond),
	}
	if _, err := store.PutBlob(ctx, module); err != nil {
		return m, err
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
