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
	known, err := storage.Snapshot(ctx, store, func(r storage.Reader) (record.Module, error) { return storage.Modules.Read(r, string(digest)) })
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

// Modules lists the registered modules by digest.
func Modules(ctx context.Context, store storage.Store) ([]record.Module, error) {
	return storage.Snapshot(ctx, store, func(r storage.Reader) ([]record.Module, error) { return storage.Modules.All(r) })
}
