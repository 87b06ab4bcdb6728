//go:build clients

package examples_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// clients is the folder of the generated clients.
const clients = "clients"

// TestGeneratedClients: the document that an origin serves has no finding in two linters; and every command of the
// README, from the generators to the clients that walk from an empty Environment to a served file, prints what it says.
func TestGeneratedClients(t *testing.T) {
	d := startDev(t, "--empty")
	for _, dir := range []string{".cache", filepath.Join("src", "generated")} {
		if err := os.RemoveAll(filepath.Join(clients, dir)); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range transcript(read(t, filepath.Join(clients, "README.md"))) {
		if s.command == "npm ci" {
			continue // make has run it
		}
		said, err := d.inClients(s.command)
		if err != nil {
			t.Fatalf("clients/README.md:%d: %s: %v\n%s", s.line, s.command, err, said)
		}
		if len(s.prints) == 1 && s.prints[0] == "…" {
			continue
		}
		if said = strings.TrimSuffix(said, "\n"); said != strings.Join(s.prints, "\n") {
			t.Fatalf("clients/README.md:%d: %s printed\n%s\nwanted\n%s", s.line, s.command, said, strings.Join(s.prints, "\n"))
		}
	}
	if said, err := d.inClients("npm run lint"); err != nil {
		t.Errorf("npm run lint: %v\n%s", err, said)
	}
}

// TestLintersFail: each linter fails for a finding of its own, be it a warning.
func TestLintersFail(t *testing.T) {
	d := startDev(t, "--empty")
	document, err := d.inClients("curl -s $LIVERY_ORIGIN/public/v1/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	for linter, defect := range map[string][2]string{
		"lint:spectral": {`"contact":{"name":"The operator of this origin"},`, ``},
		"lint:redocly":  {`"pageNumber":9,`, `"pageNumber":"9",`}, // in an example
	} {
		damaged := strings.Replace(document, defect[0], defect[1], 1)
		if damaged == document {
			t.Fatalf("the document has no %s to damage", defect[0])
		}
		path := filepath.Join(t.TempDir(), "openapi.json")
		if err := os.WriteFile(path, []byte(damaged), 0o600); err != nil {
			t.Fatal(err)
		}
		if said, err := d.inClients("cp " + path + " .cache/openapi.json && npm run " + linter); err == nil {
			t.Errorf("%s took a document without %s:\n%s", linter, defect[0], said)
		}
	}
}

// inClients runs a command line in the folder of the clients and returns what it printed to its standard output, or both
// outputs if it failed.
func (d *dev) inClients(line string) (string, error) {
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = clients
	cmd.Env = append(os.Environ(), "LIVERY_ORIGIN="+d.file.OriginURL, "LIVERY_TOKEN="+d.file.Token)
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return stdout.String() + stderr.String(), err
	}
	return stdout.String(), nil
}
