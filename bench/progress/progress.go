// Package progress shows how far a benchmark is, where someone watches: on a terminal a bar, else nothing.
package progress

import (
	"os"

	"github.com/cheggaaa/pb/v3"
	"golang.org/x/term"
)

// Bar is a bar on the standard error output. It may be used concurrently; nil shows nothing.
type Bar struct{ bar *pb.ProgressBar }

// Start shows a bar of so many steps behind a word, or returns nil where there is no terminal.
func Start(what string, steps int) *Bar {
	if !term.IsTerminal(int(os.Stderr.Fd())) {
		return nil
	}
	return &Bar{pb.New(steps).SetWriter(os.Stderr).Set("prefix", what+" ").Start()}
}

// Step moves the bar on.
func (b *Bar) Step() {
	if b != nil {
		b.bar.Increment()
	}
}

// Say changes the word in front of the bar.
func (b *Bar) Say(what string) {
	if b != nil {
		b.bar.Set("prefix", what+" ")
	}
}

// End leaves the bar as it is.
func (b *Bar) End() {
	if b != nil {
		b.bar.Finish()
	}
}
