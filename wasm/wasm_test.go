package wasm_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"example.com/livery/wasm"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// root is the checkout, seen from this package.
const root = ".."

// cacheDir is where compiled modules are kept between test runs and between packages.
func cacheDir(t testing.TB) string {
	dir, err := filepath.Abs(filepath.Join(root, ".cache", "wazero"))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func guest(t testing.TB) []byte {
	module, err := wasm.Guest()
	if err != nil {
		t.Fatal(err)
	}
	return module
}

func newRuntime(t testing.TB, c wasm.Config) *wasm.Runtime {
	if c.CacheDir == "" {
		c.CacheDir = cacheDir(t)
	}
	r, err := wasm.NewRuntime(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(context.Background()); err != nil {
			t.Errorf("Close = %v", err)
		}
	})
	return r
}

// load makes a module ready and returns its digest.
func load(t testing.TB, r *wasm.Runtime, module []byte) string {
	digest := wasm.Digest(module)
	if err := r.Load(t.Context(), digest, module); err != nil {
		t.Fatal(err)
	}
	return digest
}

// build compiles a package to a module and returns it.
func build(t testing.TB, dir, pkg string) []byte {
	out := filepath.Join(t.TempDir(), "module.wasm")
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-buildmode=c-shared", "-ldflags=-s -w", "-o", out, pkg)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=", "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", pkg, err, text)
	}
	module, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return module
}
