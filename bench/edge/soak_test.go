//go:build linux

package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func soaked() []sample {
	return []sample{
		{window: window{took: []time.Duration{1, 2, 3, 4}, hits: 1, published: 1}, at: time.Second, resident: 50, held: 20},
		{window: window{took: []time.Duration{2, 9}, hits: 2, shed: 1, published: 1}, at: 2 * time.Second, resident: 100, held: 40},
	}
}

// What is drawn is what was sampled: the last value at the right, the highest at the top.
func TestPlotShowsTheSamples(t *testing.T) {
	if got := points(soaked(), func(s sample) float64 { return s.resident }, 100, 100, 100); got != "455.0,50.0 840.0,0.0" {
		t.Errorf("points = %s, want half the height in the middle and all of it at the right", got)
	}
	drawn := plot(soaked(), 80)
	for d := xml.NewDecoder(bytes.NewReader(drawn)); ; {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the plot is no XML: %v", err)
		}
	}
	if n := strings.Count(string(drawn), "<polyline"); n != 5 {
		t.Errorf("%d curves, want 5", n)
	}
	if got := plot(nil, 80); !strings.HasSuffix(string(got), "</svg>\n") {
		t.Errorf("the plot of nothing ends with %q", got)
	}
}

// A soak fails where more is held than the budget, or an answer is wrong; being told to come again
// is no failure.
func TestSoakIsJudged(t *testing.T) {
	for name, tt := range map[string]struct {
		budget int64
		change func(*sample)
		want   string
	}{
		"all is well":       {40, func(*sample) {}, ""},
		"beyond the budget": {39, func(*sample) {}, "40 bytes were held, the budget is 39"},
		"a request failed":  {40, func(s *sample) { s.failed, s.last = 1, "GET /a = 500" }, "1 requests and 0 publishes failed; the last: GET /a = 500"},
		"a publish failed":  {40, func(s *sample) { s.publishFailed, s.last = 1, "conflict" }, "0 requests and 1 publishes failed; the last: conflict"},
	} {
		samples := soaked()
		tt.change(&samples[1])
		err := (&soak{cacheBytes: tt.budget}).judge(samples)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || err.Error() != "soak: "+tt.want) {
			t.Errorf("%s: judge = %v, want %q", name, err, tt.want)
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
	if w := s.window; len(w.took) != 5 || w.hits != 1 || w.shed != 1 || w.failed != 2 || !strings.Contains(w.last, "unexpected EOF") {
		t.Errorf("window = %+v", w)
	}
}
