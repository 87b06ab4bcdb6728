package guard

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
)

// cost is what one run of a path costs.
type cost struct {
	Name         string `json:"name"`
	Allocations  uint64 `json:"allocations"`
	Bytes        uint64 `json:"bytes"`
	Instructions uint64 `json:"instructions,omitempty"` // 0 if the machine does not count them
}

// baseline is what everything costs by one toolchain on one platform.
type baseline struct {
	Go          string `json:"go"`
	Platform    string `json:"platform"`
	ModuleBytes uint64 `json:"moduleBytes"`
	Paths       []cost `json:"paths"`
}

// By which part of the baseline a figure may differ. Allocations may not differ at all.
const (
	bytesTolerance        = 0.05
	moduleTolerance       = 0.02
	instructionsTolerance = 0.05
	bytesSlack            = 64 // below which a difference in bytes is none: one small allocation in many runs
)

const baselinePath = "baseline.json"

func readBaseline(path string) (b baseline, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return b, err
	}
	return b, json.Unmarshal(text, &b)
}

func (b baseline) write(path string) error {
	text, err := json.MarshalIndent(b, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}

// sameToolchain reports whether figures of both can be compared: another compiler allocates otherwise.
func (b baseline) sameToolchain(now baseline) bool {
	return b.Go == now.Go && b.Platform == now.Platform
}

// compare says what differs by more than it may. To be cheaper is a difference too: the baseline is to
// be written anew then, or the gain could be lost again unseen.
func (b baseline) compare(now baseline) (faults []string) {
	fault := func(what, unit string, was, is uint64) {
		word := "dearer"
		if is < was {
			word = "cheaper"
		}
		faults = append(faults, fmt.Sprintf("%s is %s: %d %s, the baseline has %d (make suite NAME=guard writes it anew)", what, word, is, unit, was))
	}
	if differs(b.ModuleBytes, now.ModuleBytes, moduleTolerance, 0) {
		fault("the renderer module", "bytes", b.ModuleBytes, now.ModuleBytes)
	}
	known := map[string]cost{}
	for _, c := range b.Paths {
		known[c.Name] = c
	}
	for _, is := range now.Paths {
		was, ok := known[is.Name]
		if !ok {
			faults = append(faults, is.Name+" is not in the baseline (make suite NAME=guard writes it anew)")
			continue
		}
		delete(known, is.Name)
		if is.Allocations != was.Allocations {
			fault(is.Name, "allocations", was.Allocations, is.Allocations)
		}
		if differs(was.Bytes, is.Bytes, bytesTolerance, bytesSlack) {
			fault(is.Name, "bytes", was.Bytes, is.Bytes)
		}
		if was.Instructions > 0 && is.Instructions > 0 && differs(was.Instructions, is.Instructions, instructionsTolerance, 0) {
			fault(is.Name, "instructions", was.Instructions, is.Instructions)
		}
	}
	for name := range known {
		faults = append(faults, name+" is in the baseline and is not measured")
	}
	return faults
}

// headersTolerance is the part of a plain request's cost by which headers that no answer depends on may exceed it.
const headersTolerance = 0.15

// compareHeaders returns the paths with a client's headers that cost too much beside the plain ones.
func (b baseline) compareHeaders(paths []path) (faults []string) {
	costs := map[string]cost{}
	for _, c := range b.Paths {
		costs[c.Name] = c
	}
	for _, p := range paths {
		plain, ok := costs[p.plain]
		if !ok {
			continue
		}
		is := costs[p.name]
		if is.Allocations > plain.Allocations || float64(is.Bytes) > max(bytesSlack, (1+headersTolerance)*float64(plain.Bytes)) ||
			float64(is.Instructions) > (1+headersTolerance)*float64(plain.Instructions) {
			faults = append(faults, fmt.Sprintf("%s costs %+v, more than %g times %+v", p.name, is, 1+headersTolerance, plain))
		}
	}
	return faults
}

func differs(was, is uint64, tolerance float64, slack float64) bool {
	return math.Abs(float64(is)-float64(was)) > max(slack, tolerance*float64(was))
}

// counted reports whether instructions were counted.
func (b baseline) counted() bool {
	return slices.ContainsFunc(b.Paths, func(c cost) bool { return c.Instructions > 0 })
}
