package wasm_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"example.com/livery/renderer"
	"example.com/livery/wasm"
	"example.com/livery/wasm/abi"
)

func TestInspectReadsVersions(t *testing.T) {
	module := guest(t)
	got, err := wasm.Inspect(t.Context(), module)
	want := wasm.Info{ABIVersion: abi.Version, CoreVersion: renderer.Version, Digest: wasm.Digest(module), Size: len(module)}
	if err != nil || got != want {
		t.Fatalf("Inspect = %+v, %v, want %+v", got, err, want)
	}
	t.Logf("the module has %d bytes", got.Size)
}

func TestInspectRefusesWhatIsNoModule(t *testing.T) {
	for name, module := range map[string][]byte{
		"nothing":        nil,
		"text":           []byte("not a module"),
		"empty module":   []byte("\x00asm\x01\x00\x00\x00"),
		"cut off module": guest(t)[:4096],
	} {
		if info, err := wasm.Inspect(t.Context(), module); err == nil {
			t.Errorf("Inspect(%s) = %+v, want an error", name, info)
		}
	}
}

func TestLoadChecksTheDigest(t *testing.T) {
	r := newRuntime(t, wasm.Config{})
	module := guest(t)
	other := wasm.Digest([]byte("other"))
	if err := r.Load(t.Context(), other, module); !errors.Is(err, wasm.ErrDigest) {
		t.Errorf("Load under another digest = %v, want ErrDigest", err)
	}
	if r.Loaded(other) {
		t.Error("a module is loaded under a digest that is not its own")
	}
}

func TestRenderNeedsALoadedModule(t *testing.T) {
	r := newRuntime(t, wasm.Config{})
	_, err := r.Render(t.Context(), wasm.Digest(guest(t)), wasm.Request{Theme: []byte(`{}`)})
	if !errors.Is(err, wasm.ErrNotLoaded) {
		t.Errorf("Render = %v, want ErrNotLoaded", err)
	}
}

func TestConcurrentLoadsShareOneCompilation(t *testing.T) {
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
}

func TestConcurrentRendersAgree(t *testing.T) {
	r := newRuntime(t, wasm.Config{})
	digest := load(t, r, guest(t))
	theme := []byte(`{"size":{"$type":"dimension","small":{"$value":"4px"},"alias":{"$value":"{size.small}"}}}`)
	set, err := renderer.Load(string(theme), "", "x")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 64 {
		file := abi.File(i % abi.FileCount)
		wg.Go(func() {
			got, err := r.Render(t.Context(), digest, wasm.Request{Theme: theme, Prefix: "x", File: file})
			if want := set.Append(nil, renderer.File(file)); err != nil || !bytes.Equal(got, want) {
				t.Errorf("Render(%s) = %q, %v, want %q", file.Name(), got, err, want)
			}
		})
	}
	wg.Wait()
}

func TestRefusalsNameTheFault(t *testing.T) {
	r := newRuntime(t, wasm.Config{})
	digest := load(t, r, guest(t))
	for _, tt := range []struct {
		name string
		req  wasm.Request
		want wasm.RefusedError
	}{
		{"no JSON", wasm.Request{Theme: []byte(`{"a":]`)}, wasm.RefusedError{Status: abi.StatusBadTheme, Position: 5}},
		{"no object", wasm.Request{Theme: []byte(`[]`)}, wasm.RefusedError{Status: abi.StatusBadTheme}},
		{"empty", wasm.Request{}, wasm.RefusedError{Status: abi.StatusBadTheme}},
		{"overrides", wasm.Request{Theme: []byte(`{}`), Overrides: []byte(`{"a":1,}`)}, wasm.RefusedError{Status: abi.StatusBadOverrides, Position: 7}},
		{"file", wasm.Request{Theme: []byte(`{}`), File: abi.FileCount}, wasm.RefusedError{Status: abi.StatusBadFile}},
	} {
		_, err := r.Render(t.Context(), digest, tt.req)
		if refused := (*wasm.RefusedError)(nil); !errors.As(err, &refused) || *refused != tt.want {
			t.Errorf("%s: Render = %v, want %v", tt.name, err, &tt.want)
		}
	}
	tooLarge := wasm.Request{Theme: make([]byte, abi.MaxInputBytes+1)}
	if _, err := r.Render(t.Context(), digest, tooLarge); !errors.Is(err, wasm.ErrTooLarge) {
		t.Errorf("Render of too much = %v, want ErrTooLarge", err)
	}
}

// An instance that failed in any way is thrown away, and the next render is none the worse.
func TestFailedInstanceIsReplaced(t *testing.T) {
	module := build(t, root, "./wasm/testdata/canary")
	for _, way := range []string{"trap", "panic", "exit", "hoard", "recurse", "outside", "shout"} {
		t.Run(way, func(t *testing.T) {
			r := newRuntime(t, wasm.Config{Instances: 1})
			digest := load(t, r, module)
			want(t, r, digest, "alive1")
			want(t, r, digest, "alive2") // the same instance again
			_, err := r.Render(t.Context(), digest, wasm.Request{Theme: []byte(way)})
			if !errors.Is(err, wasm.ErrFailed) {
				t.Fatalf("Render = %v, want ErrFailed", err)
			}
			if len(err.Error()) > 64<<10 {
				t.Errorf("the error has %d bytes: what the module wrote is not capped", len(err.Error()))
			}
			want(t, r, digest, "alive1") // a new instance
		})
	}
}

func want(t *testing.T, r *wasm.Runtime, digest, answer string) {
	t.Helper()
	got, err := r.Render(t.Context(), digest, wasm.Request{Theme: []byte("hello")})
	if err != nil || string(got) != answer {
		t.Fatalf("Render = %q, %v, want %q", got, err, answer)
	}
}

// Memory never shrinks: an instance that grew large answers, and is not kept.
func TestGrownInstanceIsNotKept(t *testing.T) {
	r := newRuntime(t, wasm.Config{Instances: 1})
	digest := load(t, r, build(t, root, "./wasm/testdata/canary"))
	if got, err := r.Render(t.Context(), digest, wasm.Request{Theme: []byte("grow")}); err != nil || string(got) != "alive1" {
		t.Fatalf("Render = %q, %v, want an answer", got, err)
	}
	want(t, r, digest, "alive1")
}

// Every document that the API takes renders: the limit on memory has room for 8 MiB of the smallest
// tokens, which need the most.
func TestLargestDocumentRenders(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	r := newRuntime(t, wasm.Config{})
	digest := load(t, r, guest(t))
	theme := []byte(`{"$type":"number"`)
	for i := 0; len(theme) < 8<<20-32; i++ {
		theme = fmt.Appendf(theme, `,"%x":{"$value":1}`, i)
	}
	theme = append(theme, '}')
	got, err := r.Render(t.Context(), digest, wasm.Request{Theme: theme, File: abi.TokensJSON})
	if err != nil || len(got) < len(theme) {
		t.Fatalf("Render = %d bytes, %v, want the whole file", len(got), err)
	}
}

func TestCallerWaitsNoLongerThanItsContext(t *testing.T) {
	r := newRuntime(t, wasm.Config{Instances: 1})
	digest := load(t, r, guest(t))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 50 { // with a free instance and a done context either may win; the call must return
		_, err := r.Render(ctx, digest, wasm.Request{Theme: []byte(`{}`)})
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatalf("Render = %v, want a file or context.Canceled", err)
		}
	}
}

func TestClosedRuntimeRefuses(t *testing.T) {
	r, err := wasm.NewRuntime(t.Context(), wasm.Config{CacheDir: cacheDir(t)})
	if err != nil {
		t.Fatal(err)
	}
	module := guest(t)
	digest := load(t, r, module)
	for range 2 {
		if err := r.Close(t.Context()); err != nil {
			t.Fatalf("Close = %v", err)
		}
	}
	if _, err := r.Render(t.Context(), digest, wasm.Request{Theme: []byte(`{}`)}); !errors.Is(err, wasm.ErrClosed) {
		t.Errorf("Render = %v, want ErrClosed", err)
	}
	if err := r.Load(t.Context(), digest, module); !errors.Is(err, wasm.ErrClosed) {
		t.Errorf("Load = %v, want ErrClosed", err)
	}
}

// A damaged file in the cache costs a compilation, not the service.
func TestDamagedCacheIsCompiledAnew(t *testing.T) {
	dir := t.TempDir()
	module := build(t, root, "./wasm/testdata/canary")
	first := newRuntime(t, wasm.Config{CacheDir: dir})
	load(t, first, module)
	damaged := 0
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		damaged++
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		content[len(content)/2] ^= 0xff
		return os.WriteFile(path, content, 0o600)
	})
	if err != nil || damaged == 0 {
		t.Fatalf("damaged %d files of the cache, %v", damaged, err)
	}
	second := newRuntime(t, wasm.Config{CacheDir: dir})
	want(t, second, load(t, second, module), "alive1")
}

// The build is reproducible: two checkouts in different places give one digest.
func TestModuleIsReproducible(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the module twice")
	}
	copied := filepath.Join(t.TempDir(), "elsewhere", "livery")
	for _, dir := range []string{"renderer", "wasm/abi", "wasm/guest"} {
		copyGo(t, filepath.Join(root, dir), filepath.Join(copied, dir))
	}
	for _, file := range []string{"go.mod", "go.sum"} {
		write(t, filepath.Join(copied, file), read(t, filepath.Join(root, file)))
	}
	here := wasm.Digest(build(t, root, "./wasm/guest"))
	there := wasm.Digest(build(t, copied, "./wasm/guest"))
	if here != there {
		t.Errorf("the module's digest is %s here and %s there", here, there)
	}
}

func copyGo(t *testing.T, from, to string) {
	err := filepath.WalkDir(from, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
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
