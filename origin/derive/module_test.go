package derive_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"example.com/livery/origin/derive"
	"example.com/livery/renderer"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
	"example.com/livery/wasm"
	"example.com/livery/wasm/abi"
)

// A module is registered with what it says of itself; a second time nothing changes.
func TestModulesAreRegistered(t *testing.T) {
	t.Parallel()
	guest, err := wasm.Guest()
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, native())
	at := time.Date(2026, 1, 2, 3, 4, 5, 6_999_999, time.FixedZone("", 3600))
	digest := record.HashOf(guest)
	got, err := derive.Register(context.Background(), b.store, guest, at)
	want := record.Module{
		Digest: digest, CoreVersion: renderer.Version, ABIVersion: abi.Version, Size: len(guest), Toolchain: got.Toolchain,
		RegisteredAt: time.Date(2026, 1, 2, 2, 4, 5, 6_000_000, time.UTC),
	}
	if err != nil || got != want || !strings.HasPrefix(got.Toolchain, "go") {
		t.Errorf("Register() = %+v, %v, want %+v", got, err, want)
	}
	b.store.lose(storage.ErrNotFound, digest)
	if again, err := derive.Register(context.Background(), b.store, guest, at.Add(time.Hour)); err != nil || again != want {
		t.Errorf("a second Register() = %+v, %v, want %+v", again, err, want)
	}
	if blob, err := b.store.Blob(context.Background(), digest); err != nil || len(blob) != len(guest) {
		t.Errorf("the lost module = %d bytes, %v, want it back", len(blob), err)
	}
	all, err := derive.Modules(context.Background(), b.store)
	if err != nil || len(all) != 1 || all[0] != want {
		t.Errorf("Modules() = %+v, %v, want the one module", all, err)
	}
}
