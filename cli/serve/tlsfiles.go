package serve

import (
	"crypto/x509"
	"log/slog"
	"os"
	"sync"
	"time"

	"example.com/livery/cli/term"
)

// reloader has the content of some files, and loads them again when they change. It may be used concurrently.
type reloader[T any] struct {
	what         string // as the log calls it
	log          *slog.Logger
	paths        []string
	read         func() (T, error)
	recheckAfter time.Duration // how long it is used before its files are looked at again

	mu      sync.Mutex // guards all below
	current T
	stamps  []stamp
	checked time.Time
}

// stamp is what a changed file differs in.
type stamp struct {
	at   time.Time
	size int64
}

// newReloader returns a reloader, which must be loaded before it is used.
func newReloader[T any](what string, log *slog.Logger, paths []string, read func() (T, error)) *reloader[T] {
	return &reloader[T]{what: what, log: log, paths: paths, read: read, recheckAfter: time.Second}
}

// load reads the files. If they cannot be used, those loaded before stay.
func (f *reloader[T]) load() error {
	stamps := f.look()
	current, err := f.read()
	if err != nil {
		return err
	}
	f.current, f.stamps, f.checked = current, stamps, time.Now()
	return nil
}

func (f *reloader[T]) look() []stamp {
	stamps := make([]stamp, len(f.paths))
	for i, path := range f.paths {
		if info, err := os.Stat(path); err == nil {
			stamps[i] = stamp{info.ModTime(), info.Size()}
		}
	}
	return stamps
}

func (f *reloader[T]) changed() bool {
	for i, now := range f.look() {
		if now != f.stamps[i] {
			return true
		}
	}
	return false
}

// now returns the newest. If new files cannot be used, which a certificate and its key cannot
// between the writes of the two, the old go on serving.
func (f *reloader[T]) now() T {
	f.mu.Lock()
	defer f.mu.Unlock()
	if time.Since(f.checked) < f.recheckAfter {
		return f.current
	}
	f.checked = time.Now()
	if f.changed() {
		if err := f.load(); err != nil {
			f.log.Warn("the new "+f.what+" cannot be used yet", "error", err)
		}
	}
	return f.current
}

// newPoolReloader returns the CAs in a file, given with a flag.
func newPoolReloader(flag, path string, log *slog.Logger) (*reloader[*x509.CertPool], error) {
	f := newReloader("CA file", log, []string{path}, func() (*x509.CertPool, error) { return readPool(path) })
	if err := f.load(); err != nil {
		return nil, term.Fail("Give the CA's own certificate as a PEM file with --"+flag+".", "the CA file cannot be used: %v", err)
	}
	return f, nil
}
