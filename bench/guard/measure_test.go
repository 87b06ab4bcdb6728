package guard

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"example.com/livery/wasm"
)

const (
	rounds = 5
	runs   = 25 // of a path in a round
)

// measureAll measures every path, counts its instructions if that is asked for, and weighs the
// renderer module.
func measureAll(count bool) (baseline, error) {
	b := baseline{Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	module, err := wasm.Guest()
	if err != nil {
		return b, err
	}
	b.ModuleBytes = uint64(len(module))
	for _, p := range paths {
		c, err := p.measure()
		if err != nil {
			return b, fmt.Errorf("%s: %w", p.name, err)
		}
		if count {
			if c.Instructions, err = p.instructions(); err != nil {
				return b, fmt.Errorf("%s: %w", p.name, err)
			}
		}
		b.Paths = append(b.Paths, c)
	}
	return b, nil
}

// measure counts what one run costs: of the round that cost least, since whatever else the process does
// can only add to a round. The collector is off meanwhile, so that pools stay filled.
func (p path) measure() (c cost, err error) {
	run, end, err := p.prepare()
	if err != nil {
		return c, err
	}
	defer func() {
		if ended := end(); err == nil {
			err = ended
		}
	}()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for range runs { // fills pools and grows what is kept
		if err := run(); err != nil {
			return c, err
		}
	}
	c.Name = p.name
	for round := range rounds {
		runtime.GC()
		if err := run(); err != nil { // the collection has emptied the pools
			return c, err
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range runs {
			if err := run(); err != nil {
				return c, err
			}
		}
		runtime.ReadMemStats(&after)
		allocations, bytes := (after.Mallocs-before.Mallocs)/runs, (after.TotalAlloc-before.TotalAlloc)/runs
		if round == 0 || allocations < c.Allocations {
			c.Allocations = allocations
		}
		if round == 0 || bytes < c.Bytes {
			c.Bytes = bytes
		}
	}
	return c, err
}
