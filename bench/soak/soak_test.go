//go:build linux

package soak

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/bench/internal/frame"
)

// The soaks that make suite NAME=soak runs; their arguments follow "-args --".
func TestSoaks(t *testing.T) {
	if len(flag.Args()) < 2 {
		t.Skip("make suite NAME=soak runs them, for long")
	}
	part := map[string]frame.Part{Soak.Name: Soak, SoakOrigin.Name: SoakOrigin}[flag.Arg(0)]
	if err := part.Run(t.Context(), flag.Args()[1:], os.Stdout); err != nil {
		t.Fatal(err)
	}
}

func soaked() []sample {
	return []sample{
		{traffic: traffic{hits: figures.Times{1e6, 2e6, 3e6}, misses: figures.Times{4e6}, resident: 50 * mib}, at: time.Second, heap: 30, guests: 5, cached: 20},
		{traffic: traffic{hits: figures.Times{2e6, 9e6}, shed: 1, resident: 100 * mib}, at: 2 * time.Second, heap: 60, guests: 5, cached: 40},
	}
}

// A soak fails if more is cached than the budget or the bound, if memory grows to its end, if an answer is wrong, or if
// nothing was tried; to be told to come again is not a failure.
func TestSoakIsJudged(t *testing.T) {
	const short, long = time.Minute, 10 * time.Minute
	most := float64((&soak{cacheBytes: 40}).bound().Total())
	for name, tt := range map[string]struct {
		budget  int64
		lasting time.Duration
		change  func([]sample, *publishes)
		want    string
	}{
		"all is well":                {40, long, func([]sample, *publishes) {}, ""},
		"beyond the budget":          {39, long, func([]sample, *publishes) {}, "40 bytes were cached, the budget is 39"},
		"at the bound":               {40, short, func(s []sample, _ *publishes) { s[5].resident = most }, ""},
		"beyond the bound":           {40, short, func(s []sample, _ *publishes) { s[5].resident = most + mib }, fmt.Sprintf("%.0f MiB were resident in the last third, the bound is %.0f MiB", most/mib+1, most/mib)},
		"beyond the bound, and back": {40, short, func(s []sample, _ *publishes) { s[3].resident = most + mib }, ""},
		"it grows": {40, long, func(s []sample, _ *publishes) {
			for i := range s {
				s[i].resident = float64(100+5*i) * mib
			}
		}, "112 MiB were resident in the second third and 122 MiB in the last: it grows"},
		"it fills up, in a short run": {40, short, func(s []sample, _ *publishes) { s[5].resident = 140 * mib }, ""},
		"a request failed":            {40, long, func(s []sample, _ *publishes) { s[1].failed = 1 }, "1 answers were neither 200 nor 503, and 0 requests got none"},
		"a request got no answer":     {40, long, func(s []sample, _ *publishes) { s[1].unanswered = 1 }, "0 answers were neither 200 nor 503, and 1 requests got none"},
		"a publish failed":            {40, long, func(_ []sample, p *publishes) { p.err = fmt.Errorf("conflict") }, "conflict"},
		"nothing was published":       {40, long, func(_ []sample, p *publishes) { p.count = 0 }, "15 hits, 3 misses and 0 publishes are not a soak"},
	} {
		samples, made := slices.Concat(soaked(), soaked(), soaked()), publishes{count: 3}
		tt.change(samples, &made)
		err := (&soak{cacheBytes: tt.budget, lasting: tt.lasting}).check(samples, made)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || err.Error() != tt.want) {
			t.Errorf("%s: judge = %v, want %q", name, err, tt.want)
		}
	}
}

// Each third has figures of its own.
func TestSoakShowsThirds(t *testing.T) {
	samples := soaked()
	samples = append(samples, samples[1])
	samples[2].resident = 7 * mib
	s, r := soak{cacheBytes: 80 * mib}, frame.Run{Figures: &figures.Set{}}
	s.addFigures(&r, samples, publishes{count: 3})
	for _, want := range []figures.Figure{
		{Name: "resident", Subject: "last", Unit: "MiB", Value: 7},
		{Name: "hits", Subject: "first third", Unit: "% of all answers", Value: 75},
		{Name: "p99 of hits", Subject: "second", Unit: "ms", Value: 2},
		{Name: "told to come again (503)", Subject: "last", Unit: "answers", Value: 1},
	} {
		if got, ok := r.Figures.Find(want.Name, want.Subject, want.Unit, 0); !ok || got.Value != want.Value {
			t.Errorf("%s of %s = %+v, want %v", want.Name, want.Subject, got, want.Value)
		}
	}
}

// A soak of the origin fails if it ends with more memory than it may take.
func TestSoakOfTheOriginIsJudged(t *testing.T) {
	most := maxOriginPart * float64(originBudget().Total())
	for last, want := range map[float64]bool{most: true, most + mib: false} {
		if err := (&originSoak{count: 10}).check(last); (err == nil) != want {
			t.Errorf("judge with %.0f bytes at the end = %v", last, err)
		}
	}
}
