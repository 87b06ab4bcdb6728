// Package figures is what the benchmarks hand to the report: what was measured, of whom, how much it
// spread, and the command that measures it again. It measures nothing itself.
package figures

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"
)

// Figure is one measured number.
type Figure struct {
	Name    string  `json:"name"`              // what was measured, without what Over counts
	Subject string  `json:"subject,omitempty"` // of whom: a server, a tool, a way of doing it; empty if there is one only
	Unit    string  `json:"unit"`
	Over    string  `json:"over,omitempty"` // what it grows with, which At counts; empty for a number that stands alone
	At      float64 `json:"at,omitempty"`
	Value   float64 `json:"value"` // in the middle of the rounds
	Low     float64 `json:"low"`   // a quarter of the rounds lies below; Value if there was one round
	High    float64 `json:"high"`  // a quarter of the rounds lies above
	Command string  `json:"command"`
}

// Set is what one command measured. The zero value is empty; it is for one goroutine.
type Set struct {
	Command string   `json:"command"`
	Notes   []string `json:"notes,omitempty"` // what was left out and why, and what a reader has to know
	Figures []Figure `json:"figures"`
}

// New returns an empty Set of a part and its arguments. What only names the file of the figures is left out of the command
// that measures them again.
func New(part string, arguments []string) *Set {
	return &Set{Command: strings.Join(append([]string{"bin/bench", part}, withoutOutput(arguments)...), " ")}
}

// withoutOutput drops -json and -page and their values from arguments.
func withoutOutput(arguments []string) (measuring []string) {
	for i := 0; i < len(arguments); i++ {
		switch name, _, joined := strings.Cut(strings.TrimLeft(arguments[i], "-"), "="); {
		case name != "json" && name != "page":
			measuring = append(measuring, arguments[i])
		case !joined:
			i++
		}
	}
	return measuring
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

// Times are how long something took, each time that it was done.
type Times []time.Duration

// At returns the time that a part of the Times does not exceed, 0 of none.
func (t Times) At(part float64) time.Duration {
	if len(t) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(t))[int(part*float64(len(t)-1))]
}

// Milliseconds returns the Times as numbers.
func (t Times) Milliseconds() (list []float64) {
	for _, d := range t {
		list = append(list, Milliseconds(d))
	}
	return list
}

// Milliseconds returns a time as a number.
func Milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// AddTimes adds a figure for each quantile of some Times, in milliseconds. The unit of f says what follows the quantile:
// empty means ", ms".
func (s *Set) AddTimes(f Figure, t Times, quantiles ...float64) {
	if len(t) == 0 {
		return
	}
	f.Unit = cmp.Or(f.Unit, ", ms")
	for _, q := range quantiles {
		g := f
		name, known := map[float64]string{1: "worst", 0.999: "p999"}[q]
		if !known {
			name = fmt.Sprintf("p%.0f", 100*q)
		}
		g.Unit = name + f.Unit
		g.Value = Milliseconds(t.At(q))
		g.Low, g.High = g.Value, g.Value
		if q == 0.5 {
			g.Low, g.High = Milliseconds(t.At(0.25)), Milliseconds(t.At(0.75))
		}
		s.Add(g)
	}
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

// Find returns the figure of a name, a subject and a unit that stands alone or lies at a point.
func (s *Set) Find(name, subject, unit string, at float64) (Figure, bool) {
	for _, f := range s.Figures {
		if f.Name == name && f.Subject == subject && f.Unit == unit && f.At == at {
			return f, true
		}
	}
	return Figure{}, false
}
