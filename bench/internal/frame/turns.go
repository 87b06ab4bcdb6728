package frame

import (
	"context"
	"os"
	"time"

	"github.com/cheggaaa/pb/v3"
	"golang.org/x/term"

	"example.com/livery/bench/internal/figures"
)

// Bar is a progress bar on the standard error output. It may be used concurrently; nil shows nothing.
type Bar struct{ bar *pb.ProgressBar }

// StartBar shows a bar of so many steps behind a word, or returns nil if the output is not a terminal.
func StartBar(what string, steps int) *Bar {
	if !term.IsTerminal(int(os.Stderr.Fd())) {
		return nil
	}
	return &Bar{pb.New(steps).SetWriter(os.Stderr).Set("prefix", what+" ").Start()}
}

// Step moves the bar on.
func (b *Bar) Step() {
	if b != nil {
		b.bar.Increment()
	}
}

// End leaves the bar as it is.
func (b *Bar) End() {
	if b != nil {
		b.bar.Finish()
	}
}

// Arm is one of the things that are measured in turn.
type Arm struct {
	Name string
	Once func(context.Context) (time.Duration, error) // does it once and returns how long that took
	Took figures.Times
}

// fewest is the number of rounds that are measured whatever they cost.
const fewest = 5

// InTurn does every Arm once a round, so that a machine that slows down slows all of them. The first round is not
// counted. After budget no further round begins; 0 means no bound.
func InTurn(ctx context.Context, rounds int, budget time.Duration, arms ...*Arm) error {
	bar := StartBar("rounds", rounds+1)
	defer bar.End()
	end := time.Now().Add(budget)
	for round := range rounds + 1 {
		for _, a := range arms {
			took, err := a.Once(ctx)
			if err != nil {
				return err
			}
			if round > 0 {
				a.Took = append(a.Took, took)
			}
		}
		bar.Step()
		if round >= min(fewest, rounds) && budget > 0 && time.Now().After(end) {
			return nil
		}
	}
	return nil
}
