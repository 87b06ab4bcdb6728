package wasm_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"example.com/livery/wasm"
)

// kept lists the modules whose compiled code is in a directory.
func kept(t *testing.T, dir string) (digests []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		digests = append(digests, entry.Name())
	}
	return digests
}

// used says that a module was used last so long ago.
func used(t *testing.T, dir, digest string, ago time.Duration) {
	at := time.Now().Add(-ago)
	if err := os.Chtimes(filepath.Join(dir, digest), at, at); err != nil {
		t.Fatal(err)
	}
}

// The code of modules stays within its budget: what was not used for longest goes first, what is loaded
// here or was used a moment ago, by another process perhaps, never.
func TestCompiledCodeStaysWithinItsBudget(t *testing.T) {
	dir := t.TempDir()
	r := newRuntime(t, wasm.Config{CacheDir: dir, CodeBytes: 1})
	first := load(t, r, canary(t))
	second := load(t, r, guest(t))
	want := func(when string, digests ...string) {
		t.Helper()
		slices.Sort(digests)
		if got := kept(t, dir); !slices.Equal(got, digests) {
			t.Errorf("%s the code of %v is kept, want %v", when, got, digests)
		}
	}
	want("with a budget that holds nothing, both in use,", first, second)
	both := r.Stats().CodeBytes
	if err := r.Close(t.Context()); err != nil {
		t.Fatal(err)
	}

	newRuntime(t, wasm.Config{CacheDir: dir, CodeBytes: 1})
	want("a moment after they were used", first, second)
	used(t, dir, first, 2*time.Hour)
	used(t, dir, second, time.Hour)
	newRuntime(t, wasm.Config{CacheDir: dir, CodeBytes: both})
	want("with room for both", first, second)
	later := newRuntime(t, wasm.Config{CacheDir: dir, CodeBytes: both - 1})
	want("with room for all but a byte", second)
	if got := later.Stats().CodeBytes; got <= 0 || got >= both {
		t.Errorf("%d bytes are counted of %d, want those of one module", got, both)
	}
	load(t, newRuntime(t, wasm.Config{CacheDir: dir, CodeBytes: 1}), canary(t))
	want("with a module that is used now", first)
}

// A new engine does not read what another one compiled, and does not keep it either.
func TestCodeOfOtherEnginesIsDeleted(t *testing.T) {
	dir := t.TempDir()
	digest := wasm.Digest(canary(t))
	for _, folder := range []string{"wazero-v0.1.0-amd64-linux", digest + "/wazero-v0.1.0-amd64-linux"} {
		write(t, filepath.Join(dir, folder, "key"), []byte("code"))
	}
	r := newRuntime(t, wasm.Config{CacheDir: dir})
	hear(t, r, load(t, r, canary(t)), "alive1")
	left, err := filepath.Glob(filepath.Join(dir, "*", "wazero-*"))
	if err != nil || len(left) != 1 || filepath.Base(left[0]) == "wazero-v0.1.0-amd64-linux" {
		t.Errorf("engines' directories are %v (%v), want one, of this engine", left, err)
	}
	if got := kept(t, dir); !slices.Equal(got, []string{digest}) {
		t.Errorf("the directory holds %v, want the module alone", got)
	}
}

// A module that is none leaves nothing.
func TestRefusedModuleLeavesNoCode(t *testing.T) {
	dir := t.TempDir()
	none := []byte("no module")
	if err := newRuntime(t, wasm.Config{CacheDir: dir}).Load(t.Context(), wasm.Digest(none), none); err == nil {
		t.Fatal("Load took what is no module")
	}
	if got := kept(t, dir); len(got) != 0 {
		t.Errorf("the directory holds %v", got)
	}
}
