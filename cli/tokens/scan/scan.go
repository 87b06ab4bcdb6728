// Package scan lists where source files name tokens: custom properties, paths of tokens and classes of Tailwind. It
// finds names that the tokens do not have, deprecated tokens and those that no file names. It reads bytes, not syntax
// trees: one pass over each file, whatever the language. It writes nothing.
package scan

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"

	"example.com/livery/cli/tokens/export"
)

// Options say what a scan lists.
type Options struct {
	Exclude []string // patterns as in .gitignore, of what is left out
	Uses    bool     // list each use of a token
	Unused  bool     // list each token that no file names
	Strict  bool     // a custom property that neither the tokens nor the files declare is unknown, whatever its name
}

// Scanner reads folders of source files. Its methods must not be called concurrently.
type Scanner struct {
	*names
	tokens  []export.Token
	options Options

	files   []string // by their indexes, as they are shown
	skipped []Skipped
	total   *worker // what all workers found
}

// New returns a scanner for the tokens of a Theme.
func New(s *export.Sheet, o Options) *Scanner {
	scanner := &Scanner{names: namesOf(s), tokens: s.Tokens, options: o}
	scanner.total = scanner.worker()
	return scanner
}

// place is one place in a file.
type place struct {
	file, line, column, width int32 // line and column count from 1; width and column in characters
	offset                    int32 // in bytes
}

// What a name that may be unknown would be.
const (
	ofProperty = iota
	ofPath
	ofClass
)

// candidate is a name that the tokens do not have; what the other files declare decides whether it is unknown.
type candidate struct {
	place
	name string
	kind int
	// guarded is of a custom property that has a fallback or is one: the author knows that it may be missing.
	guarded bool
}

// use is a place that names a token.
type use struct {
	place
	token int32
	name  string
}

// worker reads files one after the other and collects what they hold. It belongs to one goroutine.
type worker struct {
	*names
	all    bool // each use is kept; else only uses of deprecated tokens
	buffer []byte

	lines, read int
	counts      []int // uses by token
	uses        []use
	candidates  []candidate
	declared    map[string]bool // custom properties
	selectors   map[string]bool // classes of stylesheets
	dynamic     map[string]bool // what names begin with whose rest a program makes
	interned    map[string]string
	judged      map[string]class
	skipped     []Skipped
}

func (s *Scanner) worker() *worker {
	return &worker{
		names: s.names, all: s.options.Uses, counts: make([]int, len(s.tokens)),
		declared: map[string]bool{}, selectors: map[string]bool{}, dynamic: map[string]bool{},
		interned: map[string]string{}, judged: map[string]class{},
	}
}

// intern returns a name as a string that is kept once.
func (w *worker) intern(name []byte) string {
	if kept, ok := w.interned[string(name)]; ok {
		return kept
	}
	kept := string(name)
	w.interned[kept] = kept
	return kept
}

// mostJudged bounds how many classes a worker remembers.
const mostJudged = 1 << 17

// classOf is class, remembered.
func (w *worker) classOf(name []byte) class {
	if c, ok := w.judged[string(name)]; ok {
		return c
	}
	if len(w.judged) >= mostJudged {
		clear(w.judged)
	}
	c := w.class(string(name))
	w.judged[string(name)] = c
	return c
}

func (w *worker) candidate(c candidate) { w.candidates = append(w.candidates, c) }

func (f *file) use(token int32, i, j int) {
	f.counts[token]++
	if f.all || f.deprecated[token] && !f.isSuppressed() {
		f.uses = append(f.uses, use{f.place(i, j), token, f.intern(f.text[i:j])})
	}
}

// Add reads the files below start, which may be one file, and names them by show, which gets their paths in fsys. Files
// that .gitignore leaves out, also one above start, are not read; symbolic links are not followed.
func (s *Scanner) Add(fsys fs.FS, start string, show func(string) string) error {
	type job struct {
		index int32
		path  string
	}
	jobs := make(chan job, 256)
	var running sync.WaitGroup
	workers := make([]*worker, runtime.GOMAXPROCS(0))
	for i := range workers {
		workers[i] = s.worker()
		running.Go(func() {
			for j := range jobs {
				workers[i].file(fsys, j.index, j.path, show)
			}
		})
	}
	err := walk(fsys, start, s.options.Exclude, func(path string) {
		jobs <- job{int32(len(s.files)), path}
		s.files = append(s.files, show(path))
	}, func(path string, err error) { s.skipped = append(s.skipped, Skipped{show(path), reason(err), true}) })
	close(jobs)
	running.Wait()
	for _, w := range workers {
		s.total.add(w)
	}
	return err
}

// add adds what another worker found.
func (w *worker) add(o *worker) {
	w.lines, w.read = w.lines+o.lines, w.read+o.read
	for i, n := range o.counts {
		w.counts[i] += n
	}
	w.uses, w.candidates, w.skipped = append(w.uses, o.uses...), append(w.candidates, o.candidates...), append(w.skipped, o.skipped...)
	maps.Copy(w.declared, o.declared)
	maps.Copy(w.selectors, o.selectors)
	maps.Copy(w.dynamic, o.dynamic)
}

// Bounds of what is read.
const (
	largestFile = 2 << 20 // bytes: what is larger was made by a program
	sniffed     = 8000    // bytes in which a NUL says that a file is not text
)

// file reads one file.
func (w *worker) file(fsys fs.FS, index int32, path string, show func(string) string) {
	text, err := w.content(fsys, path)
	if err != nil {
		w.skipped = append(w.skipped, Skipped{show(path), reason(err), true})
		return
	}
	switch {
	case len(text) > largestFile:
		w.skipped = append(w.skipped, Skipped{show(path), "it is larger than 2 MiB", false})
	case bytes.IndexByte(text[:min(sniffed, len(text))], 0) >= 0:
		w.skipped = append(w.skipped, Skipped{show(path), "it is not text", false})
	case isCopy(text):
		w.skipped = append(w.skipped, Skipped{show(path), "Livery wrote it", false})
	default:
		form, _ := formOf(path)
		f := file{worker: w, form: form, index: index, text: text}
		w.read++
		f.scan()
	}
}

// isCopy reports whether a file repeats the tokens: tokens.css, and what livery pull writes.
func isCopy(text []byte) bool {
	head, _, _ := strings.Cut(string(text[:min(300, len(text))]), "\n")
	return strings.HasPrefix(head, "/* Livery design tokens, format ") ||
		strings.Contains(head, ", written by livery ") && strings.Contains(head, " Do not edit this file: ")
}

// content returns the text of a file, or the first bytes of one that is too large. It is valid until the next call.
func (w *worker) content(fsys fs.FS, path string) ([]byte, error) {
	file, err := fsys.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	if w.buffer == nil {
		w.buffer = make([]byte, largestFile+1)
	}
	n, err := io.ReadFull(file, w.buffer)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return w.buffer[:n], err
}

// reason is what an error of the file system says without the operation and the path.
func reason(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
