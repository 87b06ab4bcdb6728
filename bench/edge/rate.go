//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"strconv"
	"time"

	"example.com/livery/bench/figures"
	"example.com/livery/bench/load"
)

// rated is what constant rates are measured with: they ask for the first scenario.
var rated = &scenarios[0]

// atRates has every server answer each rate in turn, some rounds long. Latency counts from when a
// request was due, so that no server is forgiven for what it kept waiting.
func (b *bench) atRates(subjects []*subject) error {
	for _, rate := range b.rates {
		waits := make([][3][]time.Duration, len(subjects))
		for round := range b.rateRounds + 1 {
			for i, s := range subjects {
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
					waits[i][k] = append(waits[i][k], result.Waits.At(part))
				}
			}
		}
		for i, s := range subjects {
			for k, unit := range []string{"p50 from due, ms", "p99 from due, ms", "p999 from due, ms"} {
				f := figures.Figure{Name: rated.name + ", at a constant rate", Subject: s.name, Unit: unit, Over: "requests/s", At: float64(rate)}
				b.figures.AddRounds(f, milliseconds(waits[i][k]))
			}
		}
	}
	return nil
}

func (s *subject) atRate(perSecond int, lasting time.Duration) (load.Result, error) {
	request, _, err := s.prepare(*rated)
	if err != nil {
		return load.Result{}, err
	}
	return load.Rate{
		Address: s.address, Connections: rated.conns, PerSecond: float64(perSecond), For: lasting,
		Next: func(int) []byte { return request },
	}.Run()
}

// printRates prints the latencies at each rate.
func (b *bench) printRates(w io.Writer, subjects []*subject) {
	fmt.Fprintf(w, "| %s: p50 / p99 / p999 from when a request was due, ms |", rated.name)
	for _, s := range subjects {
		fmt.Fprintf(w, " %s |", s.name)
	}
	fmt.Fprintf(w, "\n|-|%s\n", string(bytes.Repeat([]byte("-:|"), len(subjects))))
	for _, rate := range b.rates {
		fmt.Fprintf(w, "| %d a second |", rate)
		for _, s := range subjects {
			var p [3]float64
			for k, unit := range []string{"p50 from due, ms", "p99 from due, ms", "p999 from due, ms"} {
				f, _ := b.figures.Find(rated.name+", at a constant rate", s.name, unit, float64(rate))
				p[k] = f.Value
			}
			fmt.Fprintf(w, " %.2f / %.2f / %.2f |", p[0], p[1], p[2])
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
}

// besideWrk measures the load itself: how many answers it gets of a server that has always work, beside
// wrk's, in turn. Where both agree, neither is what is measured.
func (b *bench) besideWrk(subjects []*subject) error {
	if !installed("wrk") {
		b.figures.Note("The load is not compared with wrk: there is no wrk on the PATH.")
		return nil
	}
	for _, s := range subjects {
		var ours, wrks []float64
		for range b.rateRounds {
			m, err := s.load(*rated, b.lasting)
			var rate float64
			if err == nil {
				rate, err = s.wrk(b.lasting)
			}
			if toolOf(s.name) != "" && err != nil {
				b.figures.Note("%s beside wrk: a round was broken off: %v", s.name, err)
				continue
			}
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			ours, wrks = append(ours, float64(m.requests)/m.took.Seconds()), append(wrks, rate)
		}
		name := "load at saturation, " + s.name
		b.figures.AddRounds(figures.Figure{Name: name, Subject: "bench/edge", Unit: "requests/s at saturation"}, ours)
		b.figures.AddRounds(figures.Figure{Name: name, Subject: "wrk", Unit: "requests/s at saturation"}, wrks)
	}
	return nil
}

var wrkRate = regexp.MustCompile(`Requests/sec:\s+([0-9.]+)`)

// wrk has wrk ask for as long, from the same core and over as many connections.
func (s *subject) wrk(lasting time.Duration) (float64, error) {
	path := rated.path
	if s.paths != nil {
		path = s.paths[path]
	}
	seconds := max(1, int(lasting.Seconds()+0.5))
	ctx, cancel := context.WithTimeout(context.Background(), lasting+time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, "taskset", "-c", strconv.Itoa(loadCore), "wrk", "-t1", "-c"+strconv.Itoa(rated.conns),
		"-d"+strconv.Itoa(seconds)+"s", "-H", "Host: files.example", "http://"+s.address+path).Output()
	if err != nil {
		return 0, fmt.Errorf("wrk: %w", err)
	}
	found := wrkRate.FindSubmatch(out)
	if found == nil {
		return 0, fmt.Errorf("wrk printed %.200q", out)
	}
	return strconv.ParseFloat(string(found[1]), 64)
}
