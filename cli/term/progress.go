package term

import (
	"time"

	"github.com/cheggaaa/pb/v3"
)

// progress shows how far a long work is: a bar on a terminal, a line a step elsewhere. Work of one
// step shows nothing.
type progress struct {
	a     *App
	what  string
	total int
	at    int
	began time.Time       // of a bar alone; zero if each step is said elsewhere
	bar   *pb.ProgressBar // nil without a terminal
}

// Progress returns the progress of work that takes total steps.
func (a *App) Progress(what string, total int) *progress {
	p := &progress{a: a, what: what, total: total}
	if total > 1 && IsTerminal(a.Err) {
		p.start()
	}
	return p
}

func (p *progress) start() {
	p.bar = pb.New(p.total).SetWriter(p.a.Err).Set("prefix", p.what+" ").Start()
	p.bar.SetCurrent(int64(p.at))
}

// ProgressBar returns the progress of work that is rarely long: a bar on a terminal if it takes more than a second, and
// nothing elsewhere.
func (a *App) ProgressBar(what string, total int) *progress {
	return &progress{a: a, what: what, total: total, began: time.Now()}
}

// Step says that one more piece is done.
func (p *progress) Step() {
	p.at++
	switch {
	case p.bar != nil:
		p.bar.Increment()
	case !p.began.IsZero():
		if p.at < p.total && time.Since(p.began) > time.Second && IsTerminal(p.a.Err) {
			p.start()
		}
	case p.total > 1:
		p.a.Warn("%s: %d of %d", p.what, p.at, p.total)
	}
}

func (p *progress) Done() {
	if p.bar != nil {
		p.bar.Finish()
	}
}
