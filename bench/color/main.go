// Command color compares our conversion of colours to 8-bit sRGB, and our gamut mapping, with two
// libraries that implement CSS Color 4 (versions pinned in package.json). It renders thousands of
// colours of every space of DTCG 2025.10 into tokens.values.json, asks the libraries for the same,
// and writes the largest differences of each space to a table. It ends with code 1 where we differ
// from both by more than the tolerance.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"example.com/livery/bench/command"
)

// patience is how long the libraries may take.
const patience = 5 * time.Minute

func main() {
	var b bench
	flag.StringVar(&b.folder, "folder", "bench/color", "the folder with reference.mjs and its node_modules")
	flag.StringVar(&b.results, "results", "bench/results/colors.md", "where the table is written")
	flag.IntVar(&b.each, "each", 1000, "how many random colours of each space, half of them far outside of sRGB")
	flag.Parse()
	command.Run("color", b.run)
}

// bench is one run.
type bench struct {
	folder, results string
	each            int // random colours of each space
}

func (b *bench) run(ctx context.Context) error {
	if _, err := os.Stat(filepath.Join(b.folder, "node_modules")); err != nil {
		return fmt.Errorf("the libraries are not installed: npm ci --prefix %s installs them", b.folder)
	}
	colors := samples(b.each)
	ours, err := render(colors)
	if err != nil {
		return err
	}
	theirs, err := b.ask(ctx, colors)
	if err != nil {
		return err
	}
	t := compare(colors, ours, theirs)
	text := t.text(theirs.Versions)
	fmt.Print(text)
	if err := os.WriteFile(b.results, []byte(text), 0o644); err != nil {
		return err
	}
	if t.wrong > 0 {
		return fmt.Errorf("%d colours differ from both libraries: see the table", t.wrong)
	}
	return nil
}

// answer is what reference.mjs writes.
type answer struct {
	Versions versions
	Colors   []reference
}

// versions are those of the installed libraries.
type versions struct{ Colorjs, Culori string }

// reference is what the libraries make of one colour.
type reference struct {
	Inside          bool // sRGB shows it without gamut mapping
	Colorjs, Culori rgb
}

// ask runs the libraries.
func (b *bench) ask(ctx context.Context, colors []sample) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	input, err := json.Marshal(colors)
	if err != nil {
		return answer{}, err
	}
	cmd := exec.CommandContext(ctx, "node", filepath.Join(b.folder, "reference.mjs"))
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), os.Stderr
	output, err := cmd.Output()
	if err != nil {
		return answer{}, fmt.Errorf("node: %w", err)
	}
	var a answer
	if err := json.Unmarshal(output, &a); err != nil {
		return answer{}, fmt.Errorf("reference.mjs answers: %w", err)
	}
	if len(a.Colors) != len(colors) {
		return answer{}, errors.New("reference.mjs leaves out colours")
	}
	return a, nil
}
