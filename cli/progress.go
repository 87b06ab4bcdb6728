package cli

import (
	"github.com/cheggaaa/pb/v3"
)

// progress shows how far a long work is: a bar on a terminal, a line a step elsewhere. Work of one
// step shows nothing.
type progress struct {
	a     *app
	what  string
	total int
	at    int
	bar   *pb.ProgressBar // nil where there is no terminal
}

func (a *app) progress(what string, total int) *progress {
	p := &progress{a: a, what: what, total: total}
	if total > 1 && isTerminal(a.err) {
		p.bar = pb.New(total).SetWriter(a.err).Set("prefix", what+" ").Start()
	}
	return p
}

// step says that one more piece is done.
func (p *progress) step() {
	p.at++
	switch {
	case p.bar != nil:
		p.bar.Increment()
	case p.total > 1:
		p.a.warn("%s: %d of %d", p.what, p.at, p.total)
	}
}

func (p *progress) done() {
	if p.bar != nil {
		p.bar.Finish()
	}
}
