package term

import (
	"context"
	"fmt"
	"time"
)

// Progress shows how far long work is. Work of one step shows nothing.
type Progress struct {
	a     *App
	what  string
	done  int64
	total int64
	lines bool      // elsewhere than on a terminal a step prints a line
	from  time.Time // when a bar may appear
	shown bool      // a bar stands on the terminal
}

// Progress returns the progress of work that takes total steps: a bar on a terminal, a line a step elsewhere.
func (a *App) Progress(what string, total int) *Progress {
	return &Progress{a: a, what: what, total: int64(total), lines: true}
}

// ProgressBar returns the progress of work that is rarely long: a bar on a terminal if it takes more than a second, and
// nothing elsewhere.
func (a *App) ProgressBar(what string, total int) *Progress {
	return &Progress{a: a, what: what, total: int64(total), from: time.Now().Add(time.Second)}
}

// Step says that one more piece is done.
func (p *Progress) Step() { p.Update(p.what, p.done+1, p.total) }

// Update says what is being done, and how much of it is done.
func (p *Progress) Update(what string, done, total int64) {
	if what != p.what {
		p.Done()
	}
	percent := func() int64 { return 100 * p.done / max(p.total, p.done, 1) }
	before := percent()
	p.what, p.done, p.total = what, done, total
	switch {
	case total < 2:
	case !IsTerminal(p.a.Err):
		if p.lines {
			p.a.Warn("%s: %d of %d", what, done, total)
		}
	case !p.shown && (done == total || time.Now().Before(p.from)):
	case !p.shown || percent() != before:
		p.shown = true
		p.a.drawBar(what, percent(), done, total)
	}
}

// Done ends the line of the bar, if there is one.
func (p *Progress) Done() {
	if p.shown {
		fmt.Fprintln(p.a.Err)
	}
	p.shown = false
}

// Follow calls ask now and every second until ctx ends, which is no error, or ask fails.
func Follow(ctx context.Context, ask func() error) error {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		err := ask()
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}
