package report

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/bench/internal/frame"
)

// choose returns the parts of a list, in their own order; all for an empty one.
func (r *run) choose() ([]frame.Part, error) {
	var names []string
	for _, p := range r.parts {
		names = append(names, p.Name)
	}
	for _, word := range r.only {
		if !slices.Contains(names, word) {
			return nil, fmt.Errorf("there is no part %q: there is %s", word, strings.Join(names, ", "))
		}
	}
	return slices.DeleteFunc(slices.Clone(r.parts), func(p frame.Part) bool { return len(r.only) > 0 && !slices.Contains(r.only, p.Name) }), nil
}

// measure runs a part as a process of its own and returns what it gave.
func (r *run) measurePart(ctx context.Context, p frame.Part) (*result, error) {
	got := &result{When: time.Now().UTC().Format(time.DateTime), Quick: r.quick, Load: frame.LoadAverage()}
	if missing := missing(p, r.livery); missing != "" {
		got.LeftOut = missing + " is not there"
		return got, nil
	}
	file := filepath.Join(r.scratch, p.Name+".json")
	began := time.Now()
	arguments, err := r.command(p, file)
	if err != nil {
		return nil, err
	}
	if err := execute(ctx, arguments); err != nil {
		return nil, err
	}
	got.Seconds = time.Since(began).Seconds()
	got.Set, err = figures.Read(file)
	return got, err
}

// command is what is run for a part: this program again, or go test for the guard.
func (r *run) command(p frame.Part, file string) ([]string, error) {
	if p.New == nil {
		arguments := append([]string{"go", "test", "-C", "bench", "-count", "1", "-timeout", "30m"}, p.Report...)
		return append(arguments, "-json", file), nil
	}
	self, err := os.Executable()
	arguments := append([]string{self, p.Name}, p.Report...)
	if p.Binary {
		arguments = append(arguments, "-livery", r.livery)
	}
	if r.quick {
		arguments = append(arguments, "-quick")
	}
	return append(arguments, "-json", file), err
}

// execute runs a command. What it says of its errors is in the error.
func execute(ctx context.Context, arguments []string) error {
	cmd := exec.CommandContext(ctx, arguments[0], arguments[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Minute
	told, err := cmd.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) { // a test says to the standard output what went wrong
		lines := strings.Split(strings.TrimSpace(string(told)+string(failed.Stderr)), "\n")
		err = fmt.Errorf("%w: %s", err, strings.Join(lines[max(0, len(lines)-5):], "\n"))
	}
	return err
}

// missing names what a part needs and is not there, or returns "".
func missing(p frame.Part, livery string) string {
	needs := slices.Clone(p.Needs)
	if p.Binary {
		needs = append(needs, livery)
	}
	for _, need := range needs {
		_, err := os.Stat(need)
		if !strings.Contains(need, "/") {
			_, err = exec.LookPath(need)
		}
		if err != nil {
			return need
		}
	}
	return ""
}
