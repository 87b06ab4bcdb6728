//go:build linux

package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

func soaked() []sample {
	return []sample{
		{window: window{hits: []time.Duration{1, 2, 3}, misses: []time.Duration{4}, published: 1}, at: time.Second, lasts: time.Second, usage: usage{resident: 50, heap: 30, guests: 5, held: 20}},
		{window: window{hits: []time.Duration{2, 9}, shed: 1, published: 1}, at: 2 * time.Second, lasts: time.Second, usage: usage{resident: 100, heap: 60, guests: 5, held: 40}},
	}
}

// What is drawn is what was sampled: the last value at the right, the highest at the top.
func TestPlotShowsTheSamples(t *testing.T) {
	if got := points(soaked(), func(s sample) float64 { return s.resident }, 100, 100, 100); got != "455.0,50.0 840.0,0.0" {
		t.Errorf("points = %s, want half the height in the middle and all of it at the right", got)
	}
	drawn := plot(soaked(), 80, 200)
	for d := xml.NewDecoder(bytes.NewReader(drawn)); ; {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the plot is no XML: %v", err)
		}
	}
	if n := strings.Count(string(drawn), "<polyline"); n != 14 {
		t.Errorf("%d curves, want 14", n)
	}
	if got := plot(nil, 80, 200); !strings.HasSuffix(string(got), "</svg>\n") {
		t.Errorf("the plot of nothing ends with %q", got)
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
