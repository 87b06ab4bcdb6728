// Package figures is what the benchmarks hand to the report: what was measured, of whom, how much it
// spread, and the command that measures it again. It measures nothing itself.
package figures

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"example.com/livery/bench/markdown"
)

// Figure is one measured number.
type Figure struct {
	Name    string  `json:"name"`              // what was measured, without what Over counts
	Subject string  `json:"subject,omitempty"` // of whom: a server, a tool, a way of doing it; empty where there is one only
	Unit    string  `json:"unit"`
	Over    string  `json:"over,omitempty"` // what it grows with, which At counts; empty for a number that stands alone
	At      float64 `json:"at,omitempty"`
	Value   float64 `json:"value"` // in the middle of the rounds
	Low     float64 `json:"low"`   // a quarter of the rounds lies below; Value where there was one round
	High    float64 `json:"high"`  // a quarter of the rounds lies above
	Command string  `json:"command"`
}

// Set is what one command measured. The zero value is empty; it is for one goroutine.
type Set struct {
	Command string   `json:"command"`
	Notes   []string `json:"notes,omitempty"` // what was left out and why, and what a reader has to know
	Figures []Figure `json:"figures"`
}

// New returns an empty Set of a command below bench/, whose own arguments it reads: what only says
// where the figures go is left out of the command that measures them again.
func New(name string) *Set {
	return &Set{Command: strings.Join(append([]string{"go run ./bench/" + name}, withoutOutput(os.Args[1:])...), " ")}
}

// withoutOutput drops -json and its value from arguments.
func withoutOutput(arguments []string) (kept []string) {
	for i := 0; i < len(arguments); i++ {
		switch name := strings.TrimLeft(arguments[i], "-"); {
		case name == "json":
			i++
		case strings.HasPrefix(name, "json="):
		default:
			kept = append(kept, arguments[i])
		}
	}
	return kept
}

// Add adds a figure of this command.
func (s *Set) Add(f Figure) {
	f.Command = s.Command
	s.Figures = append(s.Figures, f)
}

// AddRounds adds a figure whose value and spread are those of some rounds. Without rounds it adds
// nothing.
func (s *Set) AddRounds(f Figure, rounds []float64) {
	if len(rounds) == 0 {
		return
	}
	f.Low, f.Value, f.High = Spread(rounds)
	s.Add(f)
}

// AddOne adds a figure that was measured once.
func (s *Set) AddOne(f Figure, value float64) { s.AddRounds(f, []float64{value}) }

// Note adds a note.
func (s *Set) Note(format string, arguments ...any) {
	s.Notes = append(s.Notes, fmt.Sprintf(format, arguments...))
}

// Spread returns the numbers that a quarter, half and three quarters of the rounds do not exceed; of
// no rounds, zeros.
func Spread(rounds []float64) (low, middle, high float64) {
	if len(rounds) == 0 {
		return 0, 0, 0
	}
	sorted := slices.Sorted(slices.Values(rounds))
	last := float64(len(sorted) - 1)
	return sorted[int(last/4)], sorted[int(last/2+0.5)], sorted[int(math.Ceil(last*3/4))]
}

// Write writes the Set to a file; with an empty path it does nothing, so that a command can hand its
// flag over as it is.
func (s *Set) Write(path string) error {
	if path == "" {
		return nil
	}
	text, err := json.MarshalIndent(s, "", "\t")
	if err != nil {
		return fmt.Errorf("figures: %w", err)
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}

// Read reads what Write wrote.
func Read(path string) (*Set, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var s Set
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, fmt.Errorf("figures: %s: %w", path, err)
	}
	return &s, nil
}

// Find returns the figure of a name, a subject and a unit that stands alone or lies at a point.
func (s *Set) Find(name, subject, unit string, at float64) (Figure, bool) {
	for _, f := range s.Figures {
		if f.Name == name && f.Subject == subject && f.Unit == unit && f.At == at {
			return f, true
		}
	}
	return Figure{}, false
}

// Table spells the figures of one subject with their spread; over is the head of the column of what they
// grow with.
func (s *Set) Table(over string) string {
	lines := [][]string{{"what", over, "", "a quarter below", "a quarter above", "unit"}}
	for _, f := range s.Figures {
		lines = append(lines, []string{f.Name, markdown.Grouped(int(f.At)), short(f.Value), short(f.Low), short(f.High), f.Unit})
	}
	return markdown.Table(lines, func(column int) bool { return column >= 1 && column <= 4 })
}

// short spells a number with four digits that count.
func short(v float64) string { return fmt.Sprintf("%.4g", v) }
