package derive_test

import (
	"context"
	"errors"
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
	got, err := derive.Register(context.Background(), b.store, digest, guest, at)
	want := record.Module{
		Digest: digest, CoreVersion: renderer.Version, ABIVersion: abi.Version, Size: len(guest), Toolchain: got.Toolchain,
		RegisteredAt: time.Date(2026, 1, 2, 2, 4, 5, 6_000_000, time.UTC),
	}
	if err != nil || got != want || !strings.HasPrefix(got.Toolchain, "go") {
		t.Errorf("Register() = %+v, %v, want %+v", got, err, want)
	}
	b.store.lose(storage.ErrNotFound, digest)
	if again, err := derive.Register(context.Background(), b.store, digest, guest, at.Add(time.Hour)); err != nil || again != want {
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

// What is not a module of this contract is refused with what is wrong, and leaves no trace.
func TestModulesThatDoNotFitAreRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t, native())
	large := make([]byte, wasm.MaxModuleBytes+1)
	for name, c := range map[string]struct {
		digest record.Hash
		module []byte
		want   error
		says   string
	}{
		"another digest":   {record.HashOf([]byte("a")), []byte("b"), wasm.ErrDigest, string(record.HashOf([]byte("b")))},
		"too large":        {record.HashOf(large), large, wasm.ErrModule, "16777217"},
		"no module":        {record.HashOf([]byte("text")), []byte("text"), wasm.ErrModule, ""},
		"nothing exported": {record.HashOf([]byte("\x00asm\x01\x00\x00\x00")), []byte("\x00asm\x01\x00\x00\x00"), wasm.ErrModule, ""},
		"another ABI":      {"", moduleOf(2), wasm.ErrModule, "version 2"},
	} {
		if c.digest == "" {
			c.digest = record.HashOf(c.module)
		}
		_, err := derive.Register(context.Background(), b.store, c.digest, c.module, time.Now())
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), string(c.digest)) {
			t.Errorf("%s: Register() = %v, want %v that says %q", name, err, c.want, c.says)
		}
		if _, err := b.store.Blob(context.Background(), c.digest); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("%s: the module is stored: %v", name, err)
		}
	}
	if all, err := derive.Modules(context.Background(), b.store); err != nil || len(all) != 0 {
		t.Errorf("Modules() = %+v, %v, want none", all, err)
	}
}

// moduleOf assembles the smallest module that exports what the contract asks for and says that it is
// built for a version of it. Every length in it is below 128, so that each takes one byte.
func moduleOf(version uint32) []byte {
	exports := []struct {
		name string
		kind byte // of its type: the number of parameters
	}{
		{abi.ExportInfo, 0},
		{abi.ExportInput, 1},
		{abi.ExportPlanAlloc, 2},
		{abi.ExportPlanOpen, 1},
		{abi.ExportPlanDrop, 1},
		{abi.ExportRender, 2},
		{abi.ExportRenderIOV, 2},
		{abi.ExportCompile, 5},
	}
	const integer = 0x7f
	types := []byte{6}
	for params := range 6 {
		types = append(append(types, 0x60, byte(params)), append([]byte(strings.Repeat(string(rune(integer)), params)), 1, integer)...)
	}
	functions, code := []byte{byte(len(exports))}, []byte{byte(len(exports))}
	named := append([]byte{byte(len(exports) + 1), 6}, "memory\x02\x00"...)
	for i, e := range exports {
		functions = append(functions, e.kind)
		code = append(code, 4, 0, 0x41, 0, 0x0b) // returns 0, where the info block lies
		named = append(append(append(named, byte(len(e.name))), e.name...), 0, byte(i))
	}
	var block [abi.InfoSize]byte
	abi.Info{Version: version, FilesServed: abi.FileCount, PlanSlots: 1}.Put(&block)
	data := append([]byte{1, 0, 0x41, 0, 0x0b, abi.InfoSize}, block[:]...)
	module := []byte("\x00asm\x01\x00\x00\x00")
	for _, section := range []struct {
		id   byte
		body []byte
	}{{1, types}, {3, functions}, {5, []byte{1, 0, 1}}, {7, named}, {10, code}, {11, data}} {
		module = append(append(module, section.id, byte(len(section.body))), section.body...)
	}
	return module
}

func TestTheSmallestModuleIsOne(t *testing.T) {
	t.Parallel()
	if info, err := wasm.Inspect(t.Context(), moduleOf(abi.Version)); err != nil || info.ABIVersion != abi.Version {
		t.Errorf("Inspect() = %+v, %v, want version %d", info, err, abi.Version)
	}
}
