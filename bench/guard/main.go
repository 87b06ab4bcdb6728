// Command guard holds the hot paths to what they cost when somebody last agreed to it: allocations and
// bytes of one run of each, the size of the renderer module, and the instructions of those that run on one
// thread, where there is valgrind to count them. Its test compares with baseline.json beside this file; -update writes that file anew. Times are
// never compared: they are of the machine and the moment.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"example.com/livery/bench/figures"
	"example.com/livery/bench/markdown"
)

func main() {
	if isCountChild() {
		if err := runCountChild(); err != nil {
			fmt.Fprintln(os.Stderr, "guard:", err)
			os.Exit(1)
		}
		return
	}
	update := flag.Bool("update", false, "write the baseline anew")
	count := flag.Bool("instructions", false, "count instructions too, which takes most of a minute; -update does")
	jsonPath := flag.String("json", "", "write the figures to this file too")
	flag.Parse()
	if err := run(*update, *count || *update, *jsonPath); err != nil {
		fmt.Fprintln(os.Stderr, "guard:", err)
		os.Exit(1)
	}
}

func run(update, count bool, jsonPath string) error {
	root, err := projectRoot()
	if err != nil {
		return err
	}
	if underRace {
		return fmt.Errorf("the race detector allocates too: measure without it")
	}
	now, err := measureAll(root, count)
	if err != nil {
		return err
	}
	fmt.Print(now.table())
	if err := now.figures().Write(jsonPath); err != nil {
		return err
	}
	if update {
		return now.write(baselinePath(root))
	}
	before, err := readBaseline(baselinePath(root))
	if err != nil {
		return err
	}
	for _, fault := range before.compare(now) {
		fmt.Fprintln(os.Stderr, "guard:", fault)
	}
	return nil
}

// projectRoot returns the folder with go.mod, here or above.
func projectRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		above := filepath.Dir(dir)
		if above == dir {
			return "", fmt.Errorf("there is no go.mod here or above")
		}
		dir = above
	}
}

// table spells what was measured.
func (b baseline) table() string {
	lines := [][]string{{"path", "allocations", "bytes", "instructions"}}
	for _, c := range b.Paths {
		counted := "not counted"
		if c.Instructions > 0 {
			counted = markdown.Grouped(int(c.Instructions))
		}
		lines = append(lines, []string{c.Name, markdown.Grouped(int(c.Allocations)), markdown.Grouped(int(c.Bytes)), counted})
	}
	return markdown.Table(lines, func(column int) bool { return column > 0 }) + fmt.Sprintf("\nThe renderer module: %s bytes. %s %s.\n", markdown.Grouped(int(b.ModuleBytes)), b.Go, b.Platform)
}

// counted reports whether instructions were counted.
func (b baseline) counted() bool {
	return slices.ContainsFunc(b.Paths, func(c cost) bool { return c.Instructions > 0 })
}

// figures are what was measured, for the report.
func (b baseline) figures() *figures.Set {
	set := figures.New("guard")
	for _, c := range b.Paths {
		set.AddOne(figures.Figure{Name: c.Name, Unit: "allocations"}, float64(c.Allocations))
		set.AddOne(figures.Figure{Name: c.Name, Unit: "bytes"}, float64(c.Bytes))
		if c.Instructions > 0 {
			set.AddOne(figures.Figure{Name: c.Name, Unit: "instructions"}, float64(c.Instructions))
		}
	}
	set.AddOne(figures.Figure{Name: "renderer module", Unit: "bytes"}, float64(b.ModuleBytes))
	if !b.counted() {
		set.Note("Instructions are left out: they were not asked for, or there is no valgrind on the PATH.")
	}
	return set
}
