package main

import (
	"context"
	"slices"
	"time"
)

// samples are the times of one kind of request.
type samples []time.Duration

// at returns the time that part of the samples do not exceed, 0 where there are none.
func (s samples) at(part float64) time.Duration {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return sorted[int(part*float64(len(sorted)-1))]
}

func (s samples) median() time.Duration { return s.at(0.5) }

// arm is one of the things that are measured in turn.
type arm struct {
	what string
	once func(context.Context) (time.Duration, error) // does it once and says how long that took
	took samples
}

// fewest is the number of rounds that are measured whatever they cost.
const fewest = 5

// inTurn does every arm once a round, so that a machine that slows down slows all of them. The first
// round is not counted.
func (b *bench) inTurn(ctx context.Context, rounds int, arms ...*arm) error {
	end := time.Now().Add(b.size.budget)
	for round := range rounds + 1 {
		for _, a := range arms {
			took, err := a.once(ctx)
			if err != nil {
				return err
			}
			if round > 0 {
				a.took = append(a.took, took)
			}
		}
		b.bar.Step()
		if round >= min(fewest, rounds) && time.Now().After(end) {
			return nil
		}
	}
	return nil
}

// middle returns the median of numbers.
func middle(numbers []float64) float64 {
	if len(numbers) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(numbers))
	return sorted[len(sorted)/2]
}
