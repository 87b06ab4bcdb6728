//go:build linux

package edge

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/bench/internal/load"
)

// rated is what constant rates are measured with: they ask for the first scenario.
var rated = &scenarios[0]

// atRates has every server answer each rate in turn, some rounds long. Latency counts from when a
// request was due, so that what a server delays counts in full.
func (b *bench) atRates(ctx context.Context, p *phase) error {
	subjects := p.subjects
	if err := pin(loadCore); err != nil {
		return err
	}
	defer runtime.UnlockOSThread()
	for _, rate := range b.rates {
		waits := make([][3][]float64, len(subjects))
		for round := range b.rateRounds + 1 {
			for i, s := range subjects {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				result, err := s.atRate(rate, b.lasting)
				if toolOf(s.name) != "" && err != nil {
					b.figures.Note("%s, %d requests a second: a round was broken off: %v", s.name, rate, err)
					continue
				}
				if err != nil {
					return fmt.Errorf("%s at %d requests a second: %w", s.name, rate, err)
				}
				if round == 0 {
					continue // it warms up
				}
				for k, part := range []float64{0.5, 0.99, 0.999} {
					waits[i][k] = append(waits[i][k], figures.Milliseconds(result.Waits.At(part)))
				}
			}
		}
		for i, s := range subjects {
			for k, unit := range []string{"p50 from due, ms", "p99 from due, ms", "p999 from due, ms"} {
				f := figures.Figure{Name: rated.name + ", at a constant rate", Subject: s.name, Unit: unit, Over: "requests/s", At: float64(rate)}
				b.figures.AddRounds(f, waits[i][k])
			}
		}
	}
	return nil
}

func (s *subject) atRate(perSecond int, lasting time.Duration) (load.Result, error) {
	sc := *rated
	if err := s.prepare(&sc); err != nil {
		return load.Result{}, err
	}
	request := []byte("GET " + sc.path + " HTTP/1.1\r\nHost: files.example\r\n\r\n")
	return load.Rate{
		Address: s.address, Connections: sc.conns, PerSecond: float64(perSecond), For: lasting,
		Next: func(int) []byte { return request },
	}.Run()
}
