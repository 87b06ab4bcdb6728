package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// upgrade is the command upgrade: servers that start from here on are of a later release, whose
// renderer spells colours differently. It is built from these sources with two lines replaced.
func upgrade(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: upgrade")
	}
	dir := ts.MkAbs("upgrade")
	ts.Check(os.Mkdir(dir, 0o755))
	program, err := buildUpgrade(dir)
	ts.Check(err)
	storyOf(ts).program = program
}

// buildUpgrade builds the later release into dir: first its renderer module, then the program that
// has both the renderer and the module.
func buildUpgrade(dir string) (program string, err error) {
	replaced := map[string]string{}
	for _, r := range []struct{ file, old, new string }{
		{"renderer/renderer.go", `Version = "`, `Version = "99.`},
		{"renderer/css/colorspace.go", `dst = append(dst, '#')`, `dst = append(dst, ' ', '#')`},
	} {
		if err := replaceIn(replaced, dir, r.file, r.old, r.new); err != nil {
			return "", err
		}
	}
	module := filepath.Join(dir, "renderer.wasm")
	guest := goBuild(dir, replaced, "-buildmode=c-shared", "-trimpath", "-ldflags=-s -w -buildid=", "-o", module, "./wasm/guest")
	guest.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=")
	if err := runBuild(guest); err != nil {
		return "", err
	}
	embedded, err := filepath.Abs("wasm/module/renderer.wasm")
	if err != nil {
		return "", err
	}
	replaced[embedded] = module
	program = filepath.Join(dir, "livery")
	return program, runBuild(goBuild(dir, replaced, "-o", program, "."))
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
	original, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	copied := filepath.Join(dir, strings.ReplaceAll(file, "/", "_"))
	replaced[original] = copied
	return os.WriteFile(copied, []byte(changed), 0o600)
}

// goBuild is a build in which files take the places of others.
func goBuild(dir string, replaced map[string]string, args ...string) *exec.Cmd {
	overlay := filepath.Join(dir, "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": replaced})
	if err == nil {
		err = os.WriteFile(overlay, text, 0o600)
	}
	build := exec.Command("go", append([]string{"build", "-buildvcs=false", "-overlay", overlay}, args...)...)
	build.Err = err
	return build
}

func runBuild(build *exec.Cmd) error {
	if said, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, said)
	}
	return nil
}
