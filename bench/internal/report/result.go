package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/bench/internal/frame"
)

// result is what one part gave when it ran last.
type result struct {
	When    string       `json:"when"` // UTC
	Quick   bool         `json:"quick,omitempty"`
	Load    string       `json:"load,omitempty"` // of the machine before it ran, as the system counts it
	Seconds float64      `json:"seconds"`
	LeftOut string       `json:"leftOut,omitempty"` // why it did not run; empty if it did
	Set     *figures.Set `json:"set,omitempty"`
}

// results are the last ones of all parts.
type results struct {
	Machine machine            `json:"machine"`
	Parts   map[string]*result `json:"parts"`

	parts []frame.Part // in their order
}

func resultsPath(dir string) string { return filepath.Join(dir, "figures.json") }

// readResults reads what is there, or returns empty results if nothing is.
func readResults(dir string) (*results, error) {
	all := &results{Parts: map[string]*result{}}
	text, err := os.ReadFile(resultsPath(dir))
	if errors.Is(err, os.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, all); err != nil {
		return nil, fmt.Errorf("%s: %w", resultsPath(dir), err)
	}
	return all, nil
}

func (all *results) save(dir string) error {
	text, err := json.MarshalIndent(all, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(resultsPath(dir), append(text, '\n'), 0o644)
}

// find returns a figure of a part.
func (all *results) find(part, name, subject, unit string, at float64) (figures.Figure, bool) {
	r := all.Parts[part]
	if r == nil || r.Set == nil {
		return figures.Figure{}, false
	}
	return r.Set.Find(name, subject, unit, at)
}
