// Package frame is what every part of the benchmarks shares: its flags, a folder to work in, a progress bar, and the folder of the
// figures. It measures nothing itself.
package frame

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"time"

	"example.com/livery/bench/internal/figures"
)

// Part is one benchmark.
type Part struct {
	Name  string // on the command line
	Title string // of the page

	Needs  []string // programs that must be on the PATH, or paths with a slash that must exist
	Binary bool     // the part runs the built binary
	Report []string // flags of the part in the report
	Quick  []string // flags of a quick run: enough to see that everything works

	// New declares the flags of the part and returns what measures.
	New func(*flag.FlagSet) func(context.Context, *Run) error
}

// Run is one run of a Part. It is for one goroutine.
type Run struct {
	Livery  string // path of the built binary
	Dir     string // folder to work in, removed at the end
	Keep    bool   // Dir is not removed: it shows what went wrong
	Figures *figures.Set
}

// Run runs the Part with its arguments. It prints the figures to out, and writes them to the files that -json and -page
// name.
func (p Part) Run(ctx context.Context, arguments []string, out io.Writer) (err error) {
	r := &Run{Figures: figures.New(p.Name, arguments)}
	flags := flag.NewFlagSet(p.Name, flag.ContinueOnError)
	measure := p.New(flags)
	flags.StringVar(&r.Livery, "livery", "bin/livery", "the built binary")
	work := flags.String("work", os.TempDir(), "folder on the disk to use; a folder in it is made and removed")
	quick := flags.Bool("quick", false, "a short run: enough to see that everything works")
	jsonPath := flags.String("json", "", "write the figures to this file too")
	page := flags.String("page", "", "write what is printed to this file too, as Markdown")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if *quick {
		if err := errors.Join(flags.Parse(p.Quick), flags.Parse(arguments)); err != nil {
			return err
		}
	}
	if r.Dir, err = os.MkdirTemp(*work, "livery-"+p.Name+"-"); err != nil {
		return err
	}
	defer func() {
		if !r.Keep {
			err = errors.Join(err, os.RemoveAll(r.Dir))
		}
	}()
	if err := os.Chmod(r.Dir, 0o755); err != nil { // the workers of nginx are another user's
		return err
	}
	if err := measure(ctx, r); err != nil {
		return err
	}
	text := p.page(r)
	_, err = io.WriteString(out, text)
	if *page != "" {
		err = errors.Join(err, os.WriteFile(*page, []byte(text), 0o644))
	}
	return errors.Join(err, r.Figures.Write(*jsonPath))
}

// Missing names what the part needs and is not there, or returns "".
func (p Part) Missing(livery string) string {
	needs := slices.Clone(p.Needs)
	if p.Binary {
		needs = append(needs, livery)
	}
	for _, need := range needs {
		_, err := os.Stat(need)
		if !strings.Contains(need, "/") {
			_, err = exec.LookPath(need)
		}
		if err != nil {
			return need
		}
	}
	return ""
}

// page spells what was measured: the command, the machine, what was left out, and the table of the figures.
func (p Part) page(r *Run) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n`%s`, %s, %s, %s/%s, %d cores, load %s at the end.\n\n", p.Title, r.Figures.Command, time.Now().UTC().Format(time.DateOnly),
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), cmp.Or(LoadAverage(), "unknown"))
	for _, note := range r.Figures.Notes {
		fmt.Fprintf(&b, "- %s\n", note)
	}
	if len(r.Figures.Notes) > 0 {
		b.WriteString("\n")
	}
	b.WriteString(r.Figures.Table())
	return b.String()
}

// LoadAverage returns how busy the machine was in the last minute, as the system counts it; empty if it does not.
func LoadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}

// Main runs a command until it has ended or is interrupted; a second interrupt ends one that goes on. It prints an error
// to the standard error output and ends the process with status 1.
func Main(name string, run func(context.Context) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop) // the next interrupt is the system's again
	if err := run(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// Words is a flag of words separated by commas.
type Words []string

// String spells the words as Set reads them.
func (w *Words) String() string { return strings.Join(*w, ",") }

// Set reads the words.
func (w *Words) Set(text string) error {
	*w = strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
	return nil
}

// Choose reports whether a name was asked for: whether it holds one of the words, or there are none.
func (w Words) Choose(name string) bool {
	return len(w) == 0 || slices.ContainsFunc(w, func(word string) bool { return strings.Contains(name, word) })
}
