package term

import "github.com/cheggaaa/pb/v3"

// progress shows how far a long work is: a bar on a terminal, a line a step elsewhere. Work of one
// step shows nothing.
type progress struct {
	a     *App
	what  string
	total int
	at    int
	bar   *pb.ProgressBar // nil without a terminal
}

// Progress returns the progress of work that takes total steps.
func (a *App) Progress(what string, total int) *progress {
	p := &progress{a: a, what: what, total: total}
	if total > 1 && IsTerminal(a.Err) {
		p.bar = pb.New(total).SetWriter(a.Err).Set("prefix", what+" ").Start()
	}
	return p
}

// Step says that one more piece is done.
func (p *progress) Step() {
	p.at++
	switch {
	case p.bar != nil:
		p.bar.Increment()
	case p.total > 1:
		p.a.Warn("%s: %d of %d", p.what, p.at, p.total)
	}
}

func (p *progress) Done() {
	if p.bar != nil {
		p.bar.Finish()
	}
}
