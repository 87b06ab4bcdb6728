// Package term is the terminal side of every command: printing, prompts, progress, failures and exit codes.
package term

import (
	"errors"
	"io"
	"os"

	"golang.org/x/term"
)

// App is what all commands share: if the program reads and prints, and whether it prints JSON.
// It serves one command at a time.
type App struct {
	In       io.Reader
	Out, Err io.Writer
	JSON     bool // print data as JSON
	Columns  int  // of the terminal that Out is; 0: it is not a terminal
	Color    bool // print colours and swatches

	drained     bool                      // the standard input was read
	backgrounds []*background             // what Out and Err write to; none: they write at once
	refine      []func(*Failure) *Failure // say more of a failure; in order
}

// New returns what a command reads from and writes to.
func New(in io.Reader, out, errOut io.Writer) *App {
	return &App{In: in, Out: &output{w: out}, Err: errOut, Color: takesColor(out), Columns: columnsOf(out)}
}

// Finish reports how a command ended, also that not everything could be printed, and returns the exit code.
func (a *App) Finish(err error) int {
	defer a.Flush()
	printed, ok := a.Out.(*output)
	if !ok {
		return a.Report(err)
	}
	if fault := printed.failed(); err == nil || fault != nil && errors.Is(err, printed.fault) {
		err = fault
	}
	return a.Report(err)
}

// takesColor reports whether w is written to with colours: a terminal, unless NO_COLOR is set, or anything if CLICOLOR_FORCE is.
func takesColor(w io.Writer) bool {
	if os.Getenv("NO_COLOR") != "" {
		return false
	}
	return os.Getenv("CLICOLOR_FORCE") != "" || IsTerminal(w) && os.Getenv("TERM") != "dumb"
}

// columnsOf returns how wide the terminal is that w writes to, or 0.
func columnsOf(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return columns
}

// IsTerminal reports whether v, a reader or a writer, is a terminal.
func IsTerminal(v any) bool {
	if b, ok := v.(*background); ok {
		v = b.w
	}
	if o, ok := v.(*output); ok {
		v = o.w
	}
	f, ok := v.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
