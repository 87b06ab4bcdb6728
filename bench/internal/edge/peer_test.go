//go:build linux

package edge

import (
	"os"
	"testing"
	"time"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/bench/internal/frame"
)

// Every server that is installed answers what is asked of it: the whole file, gzip if it is accepted,
// and 304 to a client that has it already. Those that are not installed are named.
func TestPeersServeTheFiles(t *testing.T) {
	needed(t)
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	b := bench{servers: frame.Words{"varnish", "h2o", "caddy"}, figures: &figures.Set{}}
	subjects, stop, err := b.start(t.Context(), dir)
	defer stop()
	if err != nil {
		t.Fatal(err)
	}
	if len(subjects)+len(b.figures.Notes) != 3 {
		t.Errorf("%d servers run and the notes are %q, want 3 together", len(subjects), b.figures.Notes)
	}
	for _, s := range subjects {
		for _, name := range []string{"20 KB identity", "20 KB as gzip", "304"} {
			sc := scenarioNamed(t, name)
			if err := s.prepare(&sc); err != nil {
				t.Errorf("%s, %s: %v", s.name, name, err)
			}
			response, err := s.ask(sc)
			if err != nil {
				t.Fatal(err)
			}
			if coding := response.Header.Get("Content-Encoding"); (coding == "gzip") != (name == "20 KB as gzip") {
				t.Errorf("%s, %s: the coding is %q", s.name, name, coding)
			}
		}
	}
}

func scenarioNamed(t *testing.T, name string) scenario {
	t.Helper()
	for _, s := range scenarios {
		if s.name == name {
			return s
		}
	}
	t.Fatalf("there is no scenario %q", name)
	return scenario{}
}

// Constant rates give a figure for every server, rate and quantile, and a row of the table for each rate.
func TestRatesAreMeasured(t *testing.T) {
	needed(t)
	b := bench{servers: frame.Words{"net/http"}, figures: &figures.Set{}, rates: frame.Counts{200, 400}, rateRounds: 1, lasting: 100 * time.Millisecond}
	subjects, stop, err := b.start(t.Context(), t.TempDir())
	defer stop()
	if err != nil {
		t.Fatal(err)
	}
	if err := b.atRates(t.Context(), subjects); err != nil {
		t.Fatal(err)
	}
	if len(b.figures.Figures) != 6 {
		t.Errorf("%d figures, want three quantiles at each of two rates", len(b.figures.Figures))
	}
}
