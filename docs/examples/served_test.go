//go:build browser || examples

package examples_test

import (
	"io"
	"net/http"
	"os"
	"os/exec"
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
	return strings.TrimSpace(d.livery(append([]string{"open", file, "--env", "sandbox", "--theme", "acme", "--print"}, more...)...))
}

// save fetches a file that is served.
func save(t testing.TB, address, path string) {
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
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}
