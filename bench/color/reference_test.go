package color

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// patience is how long the libraries may take.
const patience = 5 * time.Minute

var results = flag.String("results", "", "compare 1,000 random colours of each space instead of 100, and write the table to this file")

// What sRGB shows is what one of the libraries makes of it, and so is what is mapped into it.
func TestColoursAreThoseOfTheLibraries(t *testing.T) {
	if _, err := os.Stat("node_modules"); err != nil {
		t.Skip("the libraries are not installed (make colors)")
	}
	each := 100
	if *results != "" {
		each = 1000
	}
	colors := samples(each)
	ours, err := render(colors)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := ask(t.Context(), colors)
	if err != nil {
		t.Fatal(err)
	}
	compared := compare(colors, ours, theirs)
	text := compared.text(theirs.Versions)
	if compared.wrong > 0 {
		t.Errorf("%d colours differ from both libraries (space, components, ours, colorjs, culori):\n%s", compared.wrong, strings.Join(compared.examples, "\n"))
	}
	if *results != "" {
		if err := os.WriteFile(*results, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
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
func ask(ctx context.Context, colors []sample) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	input, err := json.Marshal(colors)
	if err != nil {
		return answer{}, err
	}
	cmd := exec.CommandContext(ctx, "node", "reference.mjs")
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
