//go:build browser || examples

package examples_test

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// livery runs a command line and returns what it printed.
func (d *dev) livery(args ...string) string {
	d.t.Helper()
	out, err := exec.Command("livery", append(args, "--data", d.data)...).CombinedOutput()
	if err != nil {
		d.t.Fatalf("livery %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// acme pushes and publishes the tokens of the examples, with a Variant.
func (d *dev) acme() {
	d.t.Helper()
	d.livery("push", "acme.tokens.json", "--env", "sandbox", "--theme", "acme", "--create", "--publish",
		"--integration", "react/plainCSS", "--integration", "react/mui", "--integration", "react/buildTimeTokens")
	d.livery("push", "midnight.json", "--env", "sandbox", "--theme", "acme", "--variant", "midnight", "--create", "--publish", "--wait")
}

// address is where a file of the Theme acme, or of one of its Variants, is served.
func (d *dev) address(file string, more ...string) string {
	d.t.Helper()
	return strings.TrimSpace(d.livery(append([]string{"open", "--file", file, "--env", "sandbox", "--theme", "acme", "--print"}, more...)...))
}

// fetched returns a file that is served.
func fetched(t testing.TB, address string) string {
	t.Helper()
	res, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("GET %s = %d, %v", address, res.StatusCode, err)
	}
	return string(text)
}

// save writes a file that is served.
func save(t testing.TB, address, path string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(fetched(t, address)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// workshop copies an example to where its build may write and still finds the libraries.
func workshop(t *testing.T, example string) string {
	t.Helper()
	if _, err := os.Stat("node_modules"); err != nil {
		t.Fatal("the libraries are not installed: make docs/examples/node_modules")
	}
	dir := filepath.Join(".cache", example)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS(example)); err != nil {
		t.Fatal(err)
	}
	absolute, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	return absolute
}

// run runs a program in a folder and returns what it printed.
func run(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// installed is the path of a program of the libraries.
func installed(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("node_modules", ".bin", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// tailwind builds the example with the tokens at an address and returns its stylesheet.
func tailwind(t *testing.T, address string) string {
	t.Helper()
	return built(t, "tailwind", address)
}

// built builds an example with the tokens at an address and returns its stylesheet.
func built(t *testing.T, example, address string) string {
	t.Helper()
	dir := workshop(t, example)
	run(t, ".", "node", "fetch.mjs", address, filepath.Join(dir, "src", "tokens.css"))
	run(t, dir, installed(t, "vite"), "build")
	built, err := filepath.Glob(filepath.Join(dir, "dist", "assets", "*.css"))
	if err != nil || len(built) != 1 {
		t.Fatalf("vite built %q, %v", built, err)
	}
	return read(t, built[0])
}

// schemes makes the Variant of the examples the dark scheme of the Theme.
func (d *dev) schemes() {
	d.t.Helper()
	d.livery("theme", "modes", "acme", "--env", "sandbox", "--mode", "scheme.light", "--mode", "scheme.dark=midnight (prefers-color-scheme: dark)")
}

func has(t *testing.T, text, want string) {
	t.Helper()
	if !strings.Contains(text, want) {
		t.Errorf("%q is missing in\n%s", want, text)
	}
}
