package wasm_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"example.com/livery/internal/test/race"
	"example.com/livery/wasm"
)

// What the host says of the module of its build is what the module says of itself.
func TestDescribe_Guest(t *testing.T) {
	t.Parallel()
	module := guest(t)
	got := wasm.Describe(module)
	want, err := wasm.Inspect(t.Context(), module)
	want.Toolchain = runtime.Version()
	if err != nil || got != want {
		t.Fatalf("Describe = %+v, and the module says %+v, %v", got, want, err)
	}
	t.Logf("%s: %d bytes, built by %s", got.Digest, got.Size, got.Toolchain)
}

func TestDescribe_Damaged(t *testing.T) {
	t.Parallel()
	module := guest(t)
	for _, length := range []int{0, 3, 8, 9, 100, 4096, len(module) - 1} {
		if got := wasm.Describe(module[:length]); got.Size != length {
			t.Errorf("Describe of the first %d bytes = %+v", length, got)
		}
	}
}

// A module is refused with what is wrong and, at loading, with its digest.
func TestModulesThatBreakTheContractAreRefused(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	r := newRuntime(t, wasm.Config{CacheDir: t.TempDir()})
	for _, tt := range []struct {
		name   string
		module []byte
		says   string
	}{
		{"nothing", nil, "compile"},
		{"text", []byte("not a module"), "compile"},
		{"cut off", guest(t)[:4096], "compile"},
		{"too large", make([]byte, wasm.MaxModuleBytes+1), "more than 16777216"},
		{"without exports", []byte("\x00asm\x01\x00\x00\x00"), `no function "info"`},
		{"of another contract", build(t, root, "./wasm/testdata/canary", "-X main.version=2"), "built for version 2 of the contract, this host for version 1"},
		{"gone when it is started", build(t, root, "./wasm/testdata/canary", "-X main.version=exit"), "exited"},
	} {
		digest := wasm.Digest(tt.module)
		err := r.Load(t.Context(), digest, tt.module)
		if !errors.Is(err, wasm.ErrModule) || !strings.Contains(err.Error(), tt.says) || !strings.Contains(err.Error(), digest) {
			t.Errorf("Load of a module that is %s = %v, want ErrModule with %q and the digest", tt.name, err, tt.says)
		}
		if r.Loaded(digest) {
			t.Errorf("a module that is %s is loaded", tt.name)
		}
	}
	other := wasm.Digest([]byte("other"))
	if err := r.Load(t.Context(), other, guest(t)); !errors.Is(err, wasm.ErrDigest) || !strings.Contains(err.Error(), wasm.Digest(guest(t))) {
		t.Errorf("Load under another digest = %v, want ErrDigest and both digests", err)
	}
	if s := r.Stats(); s.Modules != 0 || s.Instances != 0 || s.MemoryBytes != 0 {
		t.Errorf("what was refused left %+v", s)
	}
}

func TestConcurrentLoadsShareOneCompilation(t *testing.T) {
	t.Parallel()
	r := newRuntime(t, wasm.Config{})
	module := guest(t)
	digest := wasm.Digest(module)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			if err := r.Load(t.Context(), digest, module); err != nil {
				t.Errorf("Load = %v", err)
			}
			if !r.Loaded(digest) {
				t.Error("Load returned before the module was loaded")
			}
		})
	}
	wg.Wait()
	if got := r.Stats().Modules; got != 1 {
		t.Errorf("%d modules are loaded, want 1", got)
	}
}

// Modules live side by side; an unused one is dropped with its instances and its code, and can
// be loaded again.
func TestUnusedModulesAreDropped(t *testing.T) {
	t.Parallel()
	r := newRuntime(t, wasm.Config{ModuleIdle: 20 * 1e6})
	for range 2 {
		digest := load(t, r, canary(t))
		eventually(t, "an unused module is dropped", func() bool { return !r.Loaded(digest) })
		if _, err := r.Render(t.Context(), digest, command("hello")); !errors.Is(err, wasm.ErrNotLoaded) {
			t.Errorf("Render with a module that was dropped = %v, want ErrNotLoaded", err)
		}
	}
	eventually(t, "its memory is given back", func() bool { s := r.Stats(); return s.MemoryBytes == 0 && s.Instances == 0 })
	if s := r.Stats(); s.Dropped != 2 || s.Modules != 0 {
		t.Errorf("%d modules were dropped and %d are loaded, want 2 and 0", s.Dropped, s.Modules)
	}
}

func TestLongestUnusedModuleMakesRoom(t *testing.T) {
	t.Parallel()
	r := newRuntime(t, wasm.Config{Modules: 1, Instances: 1})
	first := load(t, r, guest(t))
	second := load(t, r, canary(t))
	eventually(t, "the module that was loaded first is dropped", func() bool {
		hear(t, r, second, "")
		return !r.Loaded(first)
	})
	if !r.Loaded(second) {
		t.Error("the module that is used was dropped")
	}
}

// The build is reproducible: two checkouts in different places, and with an empty build cache, give
// one digest.
func TestModuleIsReproducible_Long(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it builds the module twice: make check runs it")
	}
	copied := filepath.Join(t.TempDir(), "elsewhere", "livery")
	for _, dir := range []string{"renderer", "wasm/abi", "wasm/guest"} {
		copyGo(t, filepath.Join(root, dir), filepath.Join(copied, dir))
	}
	for _, file := range []string{"go.mod", "go.sum"} {
		write(t, filepath.Join(copied, file), read(t, filepath.Join(root, file)))
	}
	here := build(t, copied, "./wasm/guest", "")
	moved := filepath.Join(t.TempDir(), "moved")
	if err := os.Rename(copied, moved); err != nil {
		t.Fatal(err)
	}
	there := build(t, moved, "./wasm/guest", "", "GOCACHE="+t.TempDir())
	if wasm.Digest(here) != wasm.Digest(there) {
		t.Errorf("the module's digest is %s here and %s there", wasm.Digest(here), wasm.Digest(there))
	}
	t.Logf("%s with %s", wasm.Digest(here), runtime.Version())
}

// copyGo copies the Go files of a folder but its tests.
func copyGo(t *testing.T, from, to string) {
	copyFiles(t, from, to, func(name string) bool { return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") })
}

func copyFiles(t *testing.T, from, to string, wanted func(name string) bool) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !wanted(path) {
			return err
		}
		rel, err := filepath.Rel(from, path)
		write(t, filepath.Join(to, rel), read(t, path))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path string, content []byte) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}
