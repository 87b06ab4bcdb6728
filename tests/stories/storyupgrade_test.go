package stories

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"example.com/livery/tests/program"
)

// upgrade is the command upgrade: servers that start from here on are of a later release, whose
// renderer spells colours differently. It is built from these sources with two lines replaced.
func upgrade(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: upgrade")
	}
	dir := ts.MkAbs("upgrade")
	ts.Check(os.Mkdir(dir, 0o755))
	root, err := program.Root()
	ts.Check(err)
	later, err := buildUpgrade(root, dir)
	ts.Check(err)
	storyOf(ts).program = later
}

// buildUpgrade builds the later release into dir: first its renderer module, then the program that
// has both the renderer and the module.
func buildUpgrade(root, dir string) (livery string, err error) {
	replaced := map[string]string{}
	for _, r := range []struct{ file, old, new string }{
		{"renderer/renderer.go", `Version = "`, `Version = "99.`},
		{"renderer/css/colorspace.go", `dst = append(dst, '#')`, `dst = append(dst, ' ', '#')`},
	} {
		if err := replaceIn(replaced, dir, filepath.Join(root, filepath.FromSlash(r.file)), r.old, r.new); err != nil {
			return "", err
		}
	}
	module := filepath.Join(dir, "renderer.wasm")
	guest := goBuild(root, dir, replaced, "-buildmode=c-shared", "-ldflags=-s -w -buildid=", "-o", module, "./wasm/guest")
	guest.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=")
	if err := runBuild(guest); err != nil {
		return "", err
	}
	replaced[filepath.Join(root, "wasm", "module", "renderer.wasm")] = module
	livery = filepath.Join(dir, "livery")
	return livery, runBuild(goBuild(root, dir, replaced, "-o", livery, "."))
}

// replaceIn writes a copy of a source file with one text replaced, and notes whose place it takes.
func replaceIn(replaced map[string]string, dir, file, old, new string) error {
	source, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	changed := strings.Replace(string(source), old, new, 1)
	if changed == string(source) {
		return &os.PathError{Op: "replace " + old + " in", Path: file, Err: os.ErrNotExist}
	}
	copied := filepath.Join(dir, filepath.Base(file))
	replaced[file] = copied
	return os.WriteFile(copied, []byte(changed), 0o600)
}

// goBuild is a build in which files take the places of others.
func goBuild(root, dir string, replaced map[string]string, args ...string) *exec.Cmd {
	overlay := filepath.Join(dir, "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": replaced})
	if err == nil {
		err = os.WriteFile(overlay, text, 0o600)
	}
	build := exec.Command("go", append([]string{"build", "-trimpath", "-buildvcs=false", "-overlay", overlay}, args...)...)
	build.Dir, build.Err = root, err
	return build
}

func runBuild(build *exec.Cmd) error {
	if said, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, said)
	}
	return nil
}
