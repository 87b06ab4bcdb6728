package wasm_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"example.com/livery/renderer"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/renderer/plan"
	"example.com/livery/wasm"
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
		if s := r.Stats(); s.Instances != 0 || s.MemoryBytes != 0 || s.Plans != 0 || s.PlanBytes != 0 {
			t.Errorf("after Close there are %d instances with %d bytes and %d plans of %d bytes, want none", s.Instances, s.MemoryBytes, s.Plans, s.PlanBytes)
		}
	})
	return r
}

// loading lets one test at a time load: the first one compiles, and the others read what it compiled.
var loading sync.Mutex

// load makes a module ready and returns its digest.
func load(t testing.TB, r *wasm.Runtime, module []byte) string {
	digest := wasm.Digest(module)
	loading.Lock()
	defer loading.Unlock()
	if err := r.Load(t.Context(), digest, module); err != nil {
		t.Fatal(err)
	}
	return digest
}

// build compiles a package to a module and returns it.
func build(t testing.TB, dir, pkg, ldflags string, env ...string) []byte {
	out := filepath.Join(t.TempDir(), "module.wasm")
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-buildmode=c-shared", "-ldflags=-s -w -buildid= "+ldflags, "-o", out, pkg)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=", "CGO_ENABLED=0"), env...)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", pkg, err, text)
	}
	return read(t, out)
}

var canaryModule struct {
	once sync.Once
	code []byte
}

// canary returns the module that misbehaves on demand, built once.
func canary(t testing.TB) []byte {
	canaryModule.once.Do(func() { canaryModule.code = build(t, root, "./wasm/testdata/canary", "") })
	if canaryModule.code == nil {
		t.Fatal("the canary could not be built")
	}
	return canaryModule.code
}

func read(t testing.TB, path string) []byte {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func blob(content []byte) wasm.Blob { return wasm.Blob{Name: wasm.Digest(content), Bytes: content} }

// five returns a bundle with the same part for every file.
func five(part string) wasm.Blob {
	content := []byte(part)
	return blob(plan.AppendBundle(nil, [][]byte{content, content, content, content, content}))
}

func parse(t testing.TB, text []byte) *jsontree.Node {
	if len(text) == 0 {
		return nil
	}
	node, err := jsontree.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return node
}

// compiledInput is one input, compiled natively.
type compiledInput struct {
	set           *renderer.Set
	plan, overlay wasm.Blob
}

func compileNatively(t testing.TB, in input) compiledInput {
	c := renderer.Compile(parse(t, in.theme), in.prefix)
	set := c.Load(parse(t, in.overrides))
	var plans, overlays [renderer.FileCount][]byte
	for f := range renderer.File(renderer.FileCount) {
		plans[f], overlays[f] = c.Plan(f), c.Overlay(set, f)
	}
	return compiledInput{set, blob(plan.AppendBundle(nil, plans[:])), blob(plan.AppendBundle(nil, overlays[:]))}
}

// synthetic returns a Theme of n colours, half of them aliases of the other half, with k overrides.
func synthetic(n, k int) input {
	theme := []byte(`{"color":{"$type":"color"`)
	for i := range n / 2 {
		theme = fmt.Appendf(theme, `,"c%d":{"$value":"#%06x"}`, i, i*37)
	}
	theme = append(theme, `},"alias":{"$type":"color"`...)
	for i := range n / 2 {
		theme = fmt.Appendf(theme, `,"a%d":{"$value":"{color.c%d}"}`, i, i*7%(n/2))
	}
	overrides := []byte(`{"nothing":1`)
	for i := range k {
		overrides = fmt.Appendf(overrides, `,"color.c%d":"#%06x"`, i*(n/2)/k, i+0xab0000)
	}
	return input{fmt.Sprintf("%d tokens, %d overrides", n, k), append(theme, "}}"...), append(overrides, '}'), "lv"}
}

// eventually polls until ok holds.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("it never came true that %s", what)
		}
		time.Sleep(time.Millisecond)
	}
}
