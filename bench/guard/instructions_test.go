package guard

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// countChild and countRuns name, in a child's environment, the path that it runs and how often.
const (
	countChild = "LIVERY_GUARD_PATH"
	countRuns  = "LIVERY_GUARD_RUNS"
)

// isCountChild reports whether this process is there to be counted.
func isCountChild() bool { return os.Getenv(countChild) != "" }

// runCountChild runs a path as often as the environment says.
func runCountChild() error {
	n, err := strconv.Atoi(os.Getenv(countRuns))
	if err != nil {
		return err
	}
	for _, p := range paths {
		if p.name != os.Getenv(countChild) {
			continue
		}
		run, end, err := p.prepare()
		if err != nil {
			return err
		}
		for range n {
			if err := run(); err != nil {
				return err
			}
		}
		return end()
	}
	return fmt.Errorf("there is no path %q", os.Getenv(countChild))
}

// instructions returns how many instructions one run of a path takes, 0 without valgrind. They
// are counted by callgrind, which runs a program on a processor of its own making: the same on every
// machine. What a process takes that runs the path twice is taken from what one takes that runs it often.
func (p path) instructions() (uint64, error) {
	if _, err := exec.LookPath("valgrind"); err != nil || p.counted == 0 {
		return 0, nil
	}
	const first = 2
	few, err := p.collectLeast(first)
	if err != nil {
		return 0, err
	}
	more, err := p.collectLeast(first + p.counted)
	if err != nil || more < few {
		return 0, err
	}
	return (more - few) / uint64(p.counted), nil
}

// collectLeast returns the least of several counts: the scheduler, which looks for work while a path waits for another
// goroutine, can only add to one.
func (p path) collectLeast(n int) (least uint64, err error) {
	for range 3 {
		count, err := p.collect(n)
		if err != nil {
			return 0, err
		}
		if least == 0 || count < least {
			least = count
		}
	}
	return least, nil
}

var collected = regexp.MustCompile(`Collected : (\d+)`)

// collect returns how many instructions a process takes that runs the path n times: on one thread, with
// no collection, and not interrupted, which valgrind does not bear in a Go program.
func (p path) collect(n int) (uint64, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", self)
	cmd.Env = append(os.Environ(), countChild+"="+p.name, countRuns+"="+strconv.Itoa(n), "GODEBUG=asyncpreemptoff=1", "GOMAXPROCS=1", "GOGC=off")
	out, err := cmd.CombinedOutput()
	found := collected.FindSubmatch(out)
	if err != nil || found == nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return 0, fmt.Errorf("callgrind: %w: %s", err, strings.Join(lines[max(0, len(lines)-4):], "; "))
	}
	return strconv.ParseUint(string(found[1]), 10, 64)
}
