package frame

import (
	"os"

	"github.com/cheggaaa/pb/v3"
	"golang.org/x/term"
)

// Bar is a progress bar on the standard error output. It may be used concurrently; nil shows nothing.
type Bar struct{ bar *pb.ProgressBar }

// StartBar shows a bar of so many steps behind a word, or returns nil if the output is not a terminal.
func StartBar(what string, steps int) *Bar {
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

// End leaves the bar as it is.
func (b *Bar) End() {
	if b != nil {
		b.bar.Finish()
	}
}
