package usable

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// patience is how long all the libraries together may take.
const patience = 10 * time.Minute

var results = flag.String("results", filepath.Join(os.TempDir(), "usable.md"), "where the table is written")

// Every served file works unchanged in the libraries for which it is served.
func TestFilesWorkInTheLibraries(t *testing.T) {
	if _, err := os.Stat("node_modules"); err != nil {
		t.Skip("the libraries are not installed (make usable)")
	}
	b := bench{folder: "bench/usable", shared: "../shared", results: *results}
	t.Chdir("../..")
	if err := b.run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// bench is one run.
type bench struct {
	folder, shared, results string
}

func (b *bench) run(ctx context.Context) error {
	all, err := b.documents()
	if err != nil {
		return err
	}
	served := filepath.Join(b.folder, ".cache", "served")
	if err := os.RemoveAll(served); err != nil {
		return err
	}
	for _, d := range all {
		if err := d.serve(filepath.Join(served, d.name)); err != nil {
			return err
		}
	}
	fmt.Fprintf(os.Stderr, "usable: %d documents rendered\n", len(all))
	return b.check(ctx, served)
}

// check runs the libraries over what was served.
func (b *bench) check(ctx context.Context, served string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	oracle := filepath.Join(b.shared, "suites", "css-validity-check.mjs")
	cmd := exec.CommandContext(ctx, "node", filepath.Join(b.folder, "check.mjs"), served, oracle, b.results)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	var exit *exec.ExitError
	if err := cmd.Run(); errors.As(err, &exit) {
		return errors.New("a served file did not work in a library: see the table")
	} else if err != nil {
		return fmt.Errorf("node: %w", err)
	}
	return nil
}
