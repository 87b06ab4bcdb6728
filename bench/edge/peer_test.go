//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"example.com/livery/bench/figures"
)

// Every server that is installed answers what is asked of it: the whole file, gzip where it is accepted,
// and 304 to who has it already. Those that are not are told.
func TestPeersServeTheFiles(t *testing.T) {
	if _, err := exec.LookPath("taskset"); err != nil || runtime.NumCPU() < 2 {
		t.Skip("taskset and two cores are needed")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	b := bench{servers: []string{"varnish", "h2o", "caddy"}, figures: &figures.Set{}}
	subjects, stop, err := b.start(t.Context(), dir)
	defer stop()
	if err != nil {
		t.Fatal(err)
	}
	if len(subjects)+len(b.figures.Notes) != 3 {
		t.Errorf("%d servers run and the notes are %q, want 3 together", len(subjects), b.figures.Notes)
	}
	zipped, err := os.Stat(filepath.Join(dir, "20k.css.gz"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range subjects {
		for name, least := range map[string]int64{"20 KB identity": int64(fileSizes["20k.css"]), "20 KB as gzip": zipped.Size(), "304": 1} {
			_, size, err := s.prepare(scenarioNamed(t, name))
			if err != nil || int64(size) < least || int64(size) > least+1000 {
				t.Errorf("%s, %s: an answer of %d bytes, %v; want %d and a head", s.name, name, size, err, least)
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
	if _, err := exec.LookPath("taskset"); err != nil || runtime.NumCPU() < 2 {
		t.Skip("taskset and two cores are needed")
	}
	b := bench{servers: []string{"net/http"}, figures: &figures.Set{}, rates: []int{200, 400}, rateRounds: 1, lasting: 100 * time.Millisecond}
	subjects, stop, err := b.start(t.Context(), t.TempDir())
	defer stop()
	if err != nil {
		t.Fatal(err)
	}
	if err := b.atRates(subjects); err != nil {
		t.Fatal(err)
	}
	if len(b.figures.Figures) != 6 {
		t.Errorf("%d figures, want three quantiles at each of two rates", len(b.figures.Figures))
	}
	var text strings.Builder
	b.printRates(&text, subjects)
	if !strings.Contains(text.String(), "| 200 a second |") || !strings.Contains(text.String(), "| 400 a second |") {
		t.Errorf("the table is\n%s", text.String())
	}
}

func TestWordsAndNumbers(t *testing.T) {
	if got, err := numbers("1,20"); err != nil || len(got) != 2 || got[1] != 20 {
		t.Errorf("numbers = %v, %v", got, err)
	}
	for _, list := range []string{"0", "a", "1,,2"} {
		if got, err := numbers(list); err == nil {
			t.Errorf("numbers(%q) = %v, want an error", list, got)
		}
	}
	if got := wrkRate.FindStringSubmatch("Latency 1ms\nRequests/sec:  12345.67\n"); got == nil || got[1] != "12345.67" {
		t.Errorf("wrk's rate is read as %q", got)
	}
}
