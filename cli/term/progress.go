package term

import (
	"fmt"
	"strings"
	"time"
)

// Bar is one line of a terminal that says how far long work is. A nil Bar shows nothing.
type Bar struct {
	app   *App
	what  string
	drawn int64 // eighths of a percent on the screen; -1: nothing yet
}

// barWidth is the number of columns between the brackets of a bar.
const barWidth = 40

// NewBar returns the bar of work that what names, or nil if standard error is not a terminal.
func (a *App) NewBar(what string) *Bar {
	if !IsTerminal(a.Err) {
		return nil
	}
	return &Bar{app: a, what: what, drawn: -1}
}

// Set draws the bar with done of all pieces. It writes only if the picture changes.
func (b *Bar) Set(done, all int64) {
	if b == nil {
		return
	}
	done, all = max(done, 0), max(all, done, 1)
	if share := done * 800 / all; share != b.drawn {
		b.drawn = share
		full := int(done * barWidth / all)
		fmt.Fprintf(b.app.Err, "\r%s [%s%s] %d%% (%d of %d)\x1b[K", Cell(b.what), strings.Repeat("#", full), strings.Repeat(".", barWidth-full), done*100/all, done, all)
	}
}

// Done ends the line of the bar.
func (b *Bar) Done() {
	if b != nil && b.drawn >= 0 {
		fmt.Fprintln(b.app.Err)
		b.drawn = -1
	}
}

// progress shows how far a long work is: a bar on a terminal, a line a step elsewhere. Work of one
// step shows nothing.
type progress struct {
	app   *App
	what  string
	total int
	at    int
	late  time.Time // of a bar alone: when it appears; zero if each step is said elsewhere
	bar   *Bar      // nil without a terminal, or before late
}

// Progress returns the progress of work that takes total steps.
func (a *App) Progress(what string, total int) *progress {
	p := &progress{app: a, what: what, total: total}
	if total > 1 {
		p.bar = a.NewBar(what)
		p.bar.Set(0, int64(total))
	}
	return p
}

// ProgressBar returns the progress of work that is rarely long: a bar on a terminal if it takes more than a second, and
// nothing elsewhere.
func (a *App) ProgressBar(what string, total int) *progress {
	return &progress{app: a, what: what, total: total, late: time.Now().Add(time.Second)}
}

// Step says that one more piece is done.
func (p *progress) Step() {
	p.at++
	switch {
	case p.bar != nil:
	case !p.late.IsZero():
		if p.at < p.total && time.Now().After(p.late) {
			p.bar = p.app.NewBar(p.what)
		}
	case p.total > 1:
		p.app.Warn("%s: %d of %d", p.what, p.at, p.total)
	}
	p.bar.Set(int64(p.at), int64(p.total))
}

// Done ends the line of the bar, if there is one.
func (p *progress) Done() { p.bar.Done() }
