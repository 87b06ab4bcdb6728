package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"example.com/livery/bench/markdown"
)

// samples are the times of one thing.
type samples []time.Duration

// add takes one sample of f, the mean of as many calls as last long enough to be told by a clock. A
// first call is not counted: it warms the caches that a peer's process before it has emptied.
func (s *samples) add(f func()) {
	f()
	began, calls := time.Now(), 0
	for ; calls == 0 || time.Since(began) < shortest; calls++ {
		f()
	}
	*s = append(*s, time.Since(began)/time.Duration(calls))
}

func (s samples) median() time.Duration {
	sorted := slices.Sorted(slices.Values(s))
	return sorted[len(sorted)/2]
}

// spread spells the quickest and the slowest.
func (s samples) spread() string { return spell(slices.Min(s)) + " to " + spell(slices.Max(s)) }

// report spells both tables, and where and when they were measured.
func (b *bench) report(documents []*document, rounds int) (string, error) {
	tools := "Livery (native)"
	for _, p := range peers {
		version, err := p.version(b.folder)
		if err != nil {
			return "", err
		}
		tools += ", " + p.name + " " + version
	}
	wholes := [][]string{{"document", "tokens", "tool", "median", "spread", "with process start", "times ours", "times ours, with start"}}
	brands := [][]string{{"document", "one more brand", "median", "spread", peers[0].name + " takes", peers[1].name + " takes", "best peer, times ours"}}
	for _, d := range documents {
		wholes = append(wholes, d.wholeRows()...)
		if d.tokens < overridden {
			continue
		}
		brands = append(brands, d.brandRow("overrides' text to all five files", d.brand),
			d.brandRow("overrides' text to tokens.css", d.compile), d.brandRow("compiled overlay to tokens.css", d.held))
	}
	return fmt.Sprintf("# Rendering beside peers\n\n%s, `make peers`, %d cores, %s/%s, %s. %s; %d rounds, all in turn in one run.\n"+
		"Ours makes all five files from the text, the peers tokens.css alone. The start of a peer's process, with the loading of its modules, is told apart:\n`median` and `spread` are without it. Ours renders inside a running server and has none.\n\n%s\n"+
		"One more brand changes %d tokens. A peer builds the whole document again for it, which is what is compared, without its process start. A server compiles\na brand once, when it is published, and then makes its files from the compiled overlay.\n\n%s",
		time.Now().Format(time.DateOnly), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), tools, rounds,
		markdown.Table(wholes, nil), overridden, markdown.Table(brands, nil)), nil
}

func (d *document) wholeRows() [][]string {
	ours := d.all.median()
	rows := [][]string{{d.what, fmt.Sprint(d.tokens), "Livery", spell(ours), d.all.spread(), "", "1", ""}}
	for i, p := range peers {
		if b := d.peers[i]; b.refused != "" {
			rows = append(rows, []string{d.what, fmt.Sprint(d.tokens), p.name, "refused", strings.ReplaceAll(b.refused, "|", "/"), "", "", ""})
		} else {
			rows = append(rows, []string{
				d.what, fmt.Sprint(d.tokens), p.name, spell(b.work.median()), b.work.spread(), spell(b.whole.median()),
				times(b.work.median(), ours), times(b.whole.median(), ours),
			})
		}
	}
	return rows
}

func (d *document) brandRow(what string, s samples) []string {
	row := []string{d.what, what, spell(s.median()), s.spread()}
	best := time.Duration(0)
	for i := range peers {
		b := d.peers[i]
		if b.refused != "" {
			row = append(row, "refused")
			continue
		}
		took := b.work.median()
		if best == 0 || took < best {
			best = took
		}
		row = append(row, spell(took))
	}
	if best == 0 {
		return append(row, "")
	}
	return append(row, times(best, s.median()))
}

// times spells how many times b is in a.
func times(a, b time.Duration) string { return fmt.Sprintf("%.0f", float64(a)/float64(b)) }

// spell gives a time in the unit that suits it.
func spell(d time.Duration) string {
	switch {
	case d < time.Microsecond:
		return fmt.Sprintf("%d ns", d.Nanoseconds())
	case d < time.Millisecond:
		return fmt.Sprintf("%.1f µs", float64(d)/float64(time.Microsecond))
	case d < time.Second:
		return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}
