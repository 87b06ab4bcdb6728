//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/livery/bench/figures"
)

// TestMain lets the test's own binary be the child that it starts.
func TestMain(m *testing.M) {
	if slices.Contains(os.Args, "-child") {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestEveryScenarioRunsOnOurServers measures for a moment: every scenario is answered by both.
func TestEveryScenarioRunsOnOurServers(t *testing.T) {
	if _, err := exec.LookPath("taskset"); err != nil || runtime.NumCPU() < 2 {
		t.Skip("taskset and two cores are needed")
	}
	b := bench{rounds: 1, slice: 20 * time.Millisecond, servers: []string{"fasthttp", "net/http", "loop"}, figures: &figures.Set{}}
	subjects, stop, err := b.start(t.Context(), t.TempDir())
	defer stop()
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	for _, s := range scenarios {
		r := answered(t, b, s, subjects)
		rows = append(rows, r)
		for i, c := range r.cells {
			if len(c.cost) != 1 || c.cost[0] <= 0 || c.rate[0] <= 0 || c.p50[0] <= 0 || c.p99[0] < c.p50[0] {
				t.Errorf("%s by %s: %+v", s.name, subjects[i].name, c)
			}
		}
	}
	var text strings.Builder
	printTables(&text, subjects, rows)
	for _, want := range []string{"| net/http | fasthttp | loop |", "| 304 |"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the tables do not hold %q", want)
		}
	}
}

// answered measures a scenario, and for longer where a busy machine let a moment pass without an answer.
func answered(t *testing.T, b bench, s scenario, subjects []*subject) (r row) {
	t.Helper()
	for ; b.slice < 5*time.Second; b.slice *= 4 {
		var err error
		if r, err = b.measure(t.Context(), s, subjects); err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		if !slices.ContainsFunc(r.cells, func(c cell) bool { return len(c.cost) == 0 }) {
			return r
		}
	}
	return r
}

// TestRatiosAreToTheBetterNginx in the quiet rounds and in the middle.
func TestRatiosAreToTheBetterNginx(t *testing.T) {
	subjects := []*subject{{name: "nginx sendfile"}, {name: "nginx buffers"}, {name: "loop"}}
	r := row{cells: []cell{{cost: []float64{9, 9, 9, 9, 9}}, {cost: []float64{8, 6, 4, 4, 8}}, {cost: []float64{2, 2, 4, 9, 4}}}}
	if got, want := against(subjects)(r, r.cells[2]), "2.00 / 1.50"; got != want {
		t.Errorf("ratio = %s, want %s", got, want)
	}
}

// TestFilesHaveTheirSizes, and are smaller as gzip.
func TestFilesHaveTheirSizes(t *testing.T) {
	dir := t.TempDir()
	if err := writeFiles(dir); err != nil {
		t.Fatal(err)
	}
	for name, size := range fileSizes {
		plain, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		zipped, err := os.Stat(filepath.Join(dir, name+".gz"))
		if err != nil {
			t.Fatal(err)
		}
		if plain.Size() < int64(size) || plain.Size() > int64(size)+100 || zipped.Size() >= plain.Size() {
			t.Errorf("%s: %d bytes, %d as gzip; want about %d and fewer", name, plain.Size(), zipped.Size(), size)
		}
	}
}
