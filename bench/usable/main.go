// Command usable proves that the served files work unchanged in the libraries that people put them
// into: it renders documents with the renderer, hands the files to the real libraries (check.mjs,
// versions pinned in package.json), and writes what came of it to a table. It ends with code 1
// where a file of ours did not work.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"example.com/livery/bench/command"
)

// patience is how long all the libraries together may take.
const patience = 10 * time.Minute

func main() {
	var b bench
	flag.StringVar(&b.folder, "folder", "bench/usable", "the folder with check.mjs and its node_modules")
	flag.StringVar(&b.shared, "shared", "../shared", "where corpus and suites are; what is absent there is not checked")
	flag.StringVar(&b.results, "results", "bench/results/usable.md", "where the table is written")
	flag.Parse()
	command.Run("usable", b.run)
}

// bench is one run.
type bench struct {
	folder, shared, results string
}

func (b *bench) run(ctx context.Context) error {
	if _, err := os.Stat(filepath.Join(b.folder, "node_modules")); err != nil {
		return fmt.Errorf("the libraries are not installed: npm ci --prefix %s installs them", b.folder)
	}
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
