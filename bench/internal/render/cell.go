package render

import (
	"fmt"
	"runtime"
	"time"

	"example.com/livery/renderer"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/renderer/plan"
)

// cell is one thing that is measured.
type cell struct {
	what      string
	tokens    int
	overrides int // 0 if there are none
	run       func()

	times  []time.Duration // of one run, one for each round
	allocs float64         // of one run
}

// measure adds a round.
func (c *cell) measure(slice time.Duration) {
	c.run() // brings memory and caches to their steady state
	runs, took := 1, time.Duration(0)
	var before, after runtime.MemStats
	for {
		runtime.ReadMemStats(&before)
		start := time.Now()
		for range runs {
			c.run()
		}
		took = time.Since(start)
		runtime.ReadMemStats(&after)
		if took >= slice {
			break
		}
		runs = max(runs+1, min(100*runs, int(float64(runs)*float64(slice)*1.2/float64(max(took, 1)))))
	}
	c.times = append(c.times, took/time.Duration(runs))
	c.allocs = float64((after.Mallocs - before.Mallocs) / uint64(runs))
}

var (
	tokenCounts    = []int{500, 2000, 10_000}
	overrideCounts = []int{1, 10, 50, 200, 1000}
)

// allCells prepares all that is measured.
func allCells() ([]cell, error) {
	var cells []cell
	for _, n := range tokenCounts {
		text := theme(n)
		root := tree(text)
		c := renderer.Compile(root, "")
		cells = append(cells,
			cell{what: "parse", tokens: n, run: func() { tree(text) }},
			cell{what: "compile all plans", tokens: n, run: func() { renderer.Compile(root, "") }})
		for _, count := range overrideCounts {
			if count > n {
				continue
			}
			more, err := variantCells(c, n, count)
			if err != nil {
				return nil, err
			}
			cells = append(cells, more...)
		}
	}
	return cells, nil
}

// variantCells prepares what is measured of one Variant.
func variantCells(c *renderer.CompiledTheme, n, count int) ([]cell, error) {
	overrides := tree(brand(n, count))
	s := c.Load(overrides)
	if found := s.Diagnostics(); len(found) > 0 {
		return nil, fmt.Errorf("an override does not count: %v", found[0])
	}
	cells := []cell{{what: "compile all overlays", tokens: n, overrides: count, run: func() { compileAll(c, overrides) }}}
	for f := range renderer.File(renderer.FileCount) {
		if f != renderer.TokensCSS && count != 50 {
			continue
		}
		r, err := renderCell(c, s, f)
		if err != nil {
			return nil, err
		}
		r.tokens, r.overrides = n, count
		cells = append(cells, r)
	}
	return cells, nil
}

// compileAll compiles the overlays of all files.
func compileAll(c *renderer.CompiledTheme, overrides *jsontree.Node) {
	s := c.Load(overrides)
	for f := range renderer.File(renderer.FileCount) {
		c.Overlay(s, f)
	}
}

// renderCell opens an overlay for a plan that is open, and renders.
func renderCell(c *renderer.CompiledTheme, s *renderer.Set, f renderer.File) (cell, error) {
	p, err := plan.Open(c.Plan(f))
	if err != nil {
		return cell{}, err
	}
	blob := c.Overlay(s, f)
	o, err := plan.OpenOverlay(p, blob)
	if err != nil {
		return cell{}, err
	}
	out := make([]byte, 0, o.Size())
	return cell{what: "render " + f.Name(), run: func() {
		o, err := plan.OpenOverlay(p, blob)
		if err != nil {
			panic("render: an overlay that opened before does not")
		}
		out = o.Append(out[:0])
	}}, nil
}
