package wasm_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"example.com/livery/internal/test/race"
	"example.com/livery/wasm"
)

// compiledIn lists the modules whose compiled code is in a directory.
func compiledIn(t *testing.T, dir string) (digests []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		digests = append(digests, entry.Name())
	}
	return digests
}

// copyCode gives a directory what modules were compiled to, which costs more than all that a test does with it.
func copyCode(t *testing.T, dir string, modules ...[]byte) {
	t.Helper()
	r := newRuntime(t, wasm.Config{})
	for _, module := range modules {
		digest := load(t, r, module)
		copyFiles(t, filepath.Join(cacheDir(t), digest), filepath.Join(dir, digest), func(string) bool { return true })
	}
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
	race.Skip(t)
	t.Parallel()
	dir := t.TempDir()
	copyCode(t, dir, canary(t), guest(t))
	r := newRuntime(t, wasm.Config{CacheDir: dir, CodeBytes: 1})
	first := load(t, r, canary(t))
	second := load(t, r, guest(t))
	want := func(when string, digests ...string) {
		t.Helper()
		slices.Sort(digests)
		if got := compiledIn(t, dir); !slices.Equal(got, digests) {
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

// A new engine does not read what another one compiled. It leaves that to programs that use it yet, and
// deletes what was not used for a day.
func TestCodeOfOtherEnginesIsDeletedLater(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	const other, older = "wazero-v0.2.0-amd64-linux", "wazero-v0.1.0-amd64-linux"
	dir := t.TempDir()
	digest := wasm.Digest(canary(t))
	for folder, ago := range map[string]time.Duration{older: 25 * time.Hour, other: 23 * time.Hour, digest + "/" + older: 25 * time.Hour, digest + "/" + other: 23 * time.Hour} {
		write(t, filepath.Join(dir, folder, "key"), []byte("code"))
		used(t, dir, folder, ago)
	}
	r := newRuntime(t, wasm.Config{CacheDir: dir})
	hear(t, r, load(t, r, canary(t)), "alive1")
	if got := compiledIn(t, dir); !slices.Equal(got, []string{digest, other}) {
		t.Errorf("the directory holds %v, want the module and what was used within a day", got)
	}
	if got := compiledIn(t, filepath.Join(dir, digest)); len(got) != 2 || !slices.Contains(got, other) {
		t.Errorf("engines' directories are %v, want one of this engine, and what was used within a day", got)
	}
}

// A damaged file of this engine's is made anew, and another engine's code stays.
func TestDamagedCodeIsMadeAnewAlone(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	const other = "wazero-v0.2.0-amd64-linux"
	dir := t.TempDir()
	digest := wasm.Digest(canary(t))
	copyCode(t, dir, canary(t))
	files, err := filepath.Glob(filepath.Join(dir, digest, "wazero-*", "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the code is in %v (%v), want one file", files, err)
	}
	damaged := read(t, files[0])
	damaged[len(damaged)/2] ^= 0xff
	if err := os.WriteFile(files[0], damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, digest, other, "key"), []byte("code"))
	again := newRuntime(t, wasm.Config{CacheDir: dir})
	hear(t, again, load(t, again, canary(t)), "alive1")
	if got := compiledIn(t, filepath.Join(dir, digest)); len(got) != 2 || !slices.Contains(got, other) {
		t.Errorf("engines' directories are %v, want two", got)
	}
}

// A module that is not valid leaves nothing.
func TestRefusedModuleLeavesNoCode(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	none := []byte("no module")
	if err := newRuntime(t, wasm.Config{CacheDir: dir}).Load(t.Context(), wasm.Digest(none), none); err == nil {
		t.Fatal("Load took what is not a module")
	}
	if got := compiledIn(t, dir); len(got) != 0 {
		t.Errorf("the directory holds %v", got)
	}
}
