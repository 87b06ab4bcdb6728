//go:build linux

package main

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/livery/bench/plot"
)

func soaked() []sample {
	return []sample{
		{window: window{hits: []time.Duration{1, 2, 3}, misses: []time.Duration{4}, published: 1}, at: time.Second, lasts: time.Second, usage: usage{resident: 50, heap: 30, guests: 5, held: 20}},
		{window: window{hits: []time.Duration{2, 9}, shed: 1, published: 1}, at: 2 * time.Second, lasts: time.Second, usage: usage{resident: 100, heap: 60, guests: 5, held: 40}},
	}
}

// What is drawn is what was sampled, over the time of the sample: in seconds or, of a long run, in minutes.
func TestChartsShowTheSamples(t *testing.T) {
	one := func(x, y float64) plot.Point { return plot.Point{X: x, Y: y, Low: y, High: y} }
	samples := soaked()
	samples[1].at += time.Millisecond
	all := charts(samples, 80*mib, 200*mib)
	for _, tt := range []struct {
		chart, curve int
		name         string
		want         []plot.Point
	}{
		{0, 0, "resident", []plot.Point{one(1, 50./mib), one(2, 100./mib)}},
		{0, 1, "bound", []plot.Point{one(1, 200), one(2, 200)}},
		{0, 5, "budget of what is cached", []plot.Point{one(1, 80), one(2, 80)}},
		{1, 0, "hits", []plot.Point{one(1, 75), one(2, 100.*2/3)}},
		{2, 1, "p99", []plot.Point{one(1, 3e-6), one(2, 9e-6)}},
		{3, 0, "p50", []plot.Point{one(1, 4e-6), one(2, 0)}},
		{4, 1, "503", []plot.Point{one(1, 0), one(2, 1)}},
	} {
		got := all[tt.chart].Curves[tt.curve]
		near := func(a, b plot.Point) bool {
			return a.X == b.X && math.Abs(a.Y-b.Y) < 1e-9 && a.Low == a.Y && a.High == a.Y
		}
		if got.Name != tt.name || !slices.EqualFunc(got.Points, tt.want, near) {
			t.Errorf("curve %d of %s = %+v, want %s: %+v", tt.curve, all[tt.chart].Title, got, tt.name, tt.want)
		}
	}
	if n := strings.Count(string(plot.Column(all...)), "<polyline"); n != 14 {
		t.Errorf("%d curves, want 14", n)
	}
	samples[1].at = 10 * time.Minute
	if long := charts(samples, 80, 200)[0]; long.X != "minutes" || long.Curves[0].Points[1].X != 10 {
		t.Errorf("ten minutes are drawn as %v %s", long.Curves[0].Points[1].X, long.X)
	}
	if n := len(charts(nil, 80, 200)); n != 5 {
		t.Errorf("a run without samples has %d charts, want 5", n)
	}
}

// A soak fails where more is held than the budget or the bound, where memory grows to its end, where an
// answer is wrong, or where nothing was tried; being told to come again is no failure.
func TestSoakIsJudged(t *testing.T) {
	const short, long = time.Minute, 10 * time.Minute
	most := float64((&soak{cacheBytes: 40}).bound().Total())
	for name, tt := range map[string]struct {
		budget  int64
		lasting time.Duration
		change  func([]sample)
		want    string
	}{
		"all is well":                {40, long, func([]sample) {}, ""},
		"beyond the budget":          {39, long, func([]sample) {}, "40 bytes were held, the budget is 39"},
		"at the bound":               {40, short, func(s []sample) { s[5].resident = most }, ""},
		"beyond the bound":           {40, short, func(s []sample) { s[5].resident = most + mib }, fmt.Sprintf("%.0f MiB were resident in the last third, the bound is %.0f MiB", most/mib+1, most/mib)},
		"beyond the bound, and back": {40, short, func(s []sample) { s[3].resident = most + mib }, ""},
		"it grows": {40, long, func(s []sample) {
			for i := range s {
				s[i].resident = float64(100+5*i) * mib
			}
		}, "112 MiB were resident in the second third and 122 MiB in the last: it grows"},
		"it fills up, in a short run": {40, short, func(s []sample) { s[5].resident = 140 * mib }, ""},
		"a request failed":            {40, long, func(s []sample) { s[1].failed, s[5].last = 1, "GET /a = 500" }, "1 requests and 0 publishes failed; the last: GET /a = 500"},
		"a publish failed":            {40, long, func(s []sample) { s[1].publishFailed, s[5].last = 1, "conflict" }, "0 requests and 1 publishes failed; the last: conflict"},
		"nothing was published": {40, long, func(s []sample) {
			for i := range s {
				s[i].published = 0
			}
		}, "15 hits, 3 misses and 0 publishes are no soak"},
	} {
		samples := slices.Concat(soaked(), soaked(), soaked())
		tt.change(samples)
		err := (&soak{cacheBytes: tt.budget, lasting: tt.lasting}).judge(samples)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || err.Error() != "soak: "+tt.want) {
			t.Errorf("%s: judge = %v, want %q", name, err, tt.want)
		}
	}
}

// The page tells each third for itself.
func TestSoakPageTellsThirds(t *testing.T) {
	samples := soaked()
	samples = append(samples, samples[1])
	samples[2].resident = 7 * mib
	page := string((&soak{cacheBytes: 64 * mib, rate: 1, lasting: time.Second}).page(samples))
	for _, line := range []string{
		"| resident memory, mean and highest, MiB | 0, 0 | 0, 0 | 7, 7 | 2, 7 |\n",
		"| answers | 4 | 3 | 3 | 10 |\n",
		"| of them hits | 75.0% | 66.7% | 66.7% | 70.0% |\n",
		"| told to come again (503) | 0 | 1 | 1 | 2 |\n",
	} {
		if !strings.Contains(page, line) {
			t.Errorf("the page has no line %q:\n%s", line, page)
		}
	}
}

func TestAnswersAreCounted(t *testing.T) {
	var s soak
	s.count(1, "/a", http.StatusOK, true, nil)
	s.count(1, "/a", http.StatusOK, false, nil)
	s.count(1, "/a", http.StatusServiceUnavailable, false, nil)
	s.count(1, "/a", http.StatusNotFound, false, nil)
	s.count(1, "/a", 0, false, io.ErrUnexpectedEOF)
	if w := s.window; w.answers() != 5 || len(w.hits) != 1 || len(w.misses) != 1 || w.shed != 1 || w.failed != 2 || !strings.Contains(w.last, "unexpected EOF") {
		t.Errorf("window = %+v", w)
	}
}

// A soak of the origin fails if it ends with more memory than it may take, and its page tells how that came.
func TestSoakOfTheOriginIsJudged(t *testing.T) {
	most := maxOriginPart * float64(originBudget().Total())
	for _, tt := range []struct {
		last float64
		want bool
	}{{most, true}, {most + mib, false}} {
		s := originSoak{results: t.TempDir(), count: 10, samples: []originSample{{20, tt.last, 5 * mib}, {0, 7 * mib, 3 * mib}}}
		if err := s.write(time.Second); err != nil {
			t.Fatal(err)
		}
		if err := s.judge(); (err == nil) != tt.want {
			t.Errorf("judge with %.0f bytes at the end = %v", tt.last, err)
		}
		page, err := os.ReadFile(filepath.Join(s.results, "soak_origin.md"))
		if line := fmt.Sprintf("| 20 | %.0f | 5 |\n", tt.last/mib); err != nil || !strings.Contains(string(page), "| 0 | 7 | 3 |\n") || !strings.Contains(string(page), line) {
			t.Errorf("the page has no line %q, or %v:\n%s", line, err, page)
		}
	}
}
