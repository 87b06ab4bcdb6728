// Package js holds what belongs to livery.mjs: the proof that the renderer module gives the same bytes
// in Node and in a browser as natively (decisions 6.5), an example Worker and an example page. It is
// made of tests alone. Those of Node need one on the path; those of Chromium have the build tag
// browser, and LIVERY_CHROMIUM names its program if it is not on the path. Flags are -module, to
// test another module than the one of this tree, -documents and -seed for the random documents.
package js

import (
	"context"
	"errors"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// root is the checkout, seen from this package.
const root = "../.."

var modulePath = flag.String("module", filepath.Join(root, "wasm", "renderer.wasm"), "the renderer module to test")

// patience bounds a whole run in Node or in the browser.
const patience = 5 * time.Minute

// The shim is to be read and shipped as it is, so its size is that of the file.
const maxShimBytes = 3 << 10

func TestShimIsSmall(t *testing.T) {
	t.Parallel()
	if size := len(readFile(t, "../livery.mjs")); size >= maxShimBytes {
		t.Errorf("livery.mjs has %d bytes, want fewer than %d", size, maxShimBytes)
	}
}

// What the shim exports is what its types declare.
func TestShimIsTyped(t *testing.T) {
	t.Parallel()
	exported := exports(t, "../livery.mjs", `(?m)^export (?:async function|function|const|class) (\w+)`)
	declared := exports(t, "../livery.d.mts", `(?m)^export (?:function|const|class) (\w+)`)
	if !slices.Equal(exported, declared) {
		t.Errorf("livery.mjs exports %q, livery.d.mts declares %q", exported, declared)
	}
	if len(exported) == 0 {
		t.Error("livery.mjs exports nothing")
	}
}

func exports(t *testing.T, name, pattern string) (names []string) {
	for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(readFile(t, name)), -1) {
		names = append(names, match[1])
	}
	slices.Sort(names)
	return names
}

// module returns the renderer module.
func module(t testing.TB) []byte {
	t.Helper()
	content, err := os.ReadFile(*modulePath)
	if errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("%s is not built: run `make wasm`", *modulePath)
	}
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// nodeFlags silence the warning that node:wasi is an experiment, and keep V8 from calling it on a path
// that ends in segmentation faults (nodejs/node#53087).
var nodeFlags = []string{"--no-warnings", "--no-turbo-fast-api-calls"}

// runNode runs a script of testdata and fails with what it wrote if it fails. Without Node the
// test is skipped.
func runNode(t testing.TB, script string, args ...string) []byte {
	t.Helper()
	program, err := exec.LookPath("node")
	if err != nil {
		t.Skip("NOT PROVEN: there is no node on the path, so that nothing of this test ran")
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	args = append(append(slices.Clone(nodeFlags), filepath.Join("testdata", script)), args...)
	var stderr strings.Builder
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node %s: %v\n%s%s", script, err, out, stderr.String())
	}
	return out
}

// canary returns the path of the module that misbehaves on demand, which is built once.
func canary(t *testing.T) string {
	t.Helper()
	canaryOnce.Do(func() { canaryModule = readFile(t, build(t)) })
	path := filepath.Join(t.TempDir(), "canary.wasm")
	if err := os.WriteFile(path, canaryModule, 0o600); err != nil || len(canaryModule) == 0 {
		t.Fatalf("the canary has %d bytes: %v", len(canaryModule), err)
	}
	return path
}

var (
	canaryOnce   sync.Once
	canaryModule []byte
)

// build compiles the canary, with more flags of the linker, and returns its path.
func build(t *testing.T, flags ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "module.wasm")
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-buildmode=c-shared", "-ldflags="+strings.Join(append([]string{"-s", "-w"}, flags...), " "), "-o", out, "./testdata/canary")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=", "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build of the canary: %v\n%s", err, text)
	}
	return out
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
