package certs

import (
	"crypto/x509"
	"errors"
	"log/slog"
	"os"
	"sync"
	"time"

	"example.com/livery/cli/term"
)

// followed is what some files hold, and goes on holding when they change. It may be used concurrently.
type followed[T any] struct {
	what         string // as the log calls it
	log          *slog.Logger
	paths        []string
	read         func() (T, error)
	recheckAfter time.Duration // how long it is used before its files are looked at again

	mu      sync.Mutex // guards all below
	held    T
	stamps  []stamp
	checked time.Time
}

// stamp is by what a change of a file is seen.
type stamp struct {
	at   time.Time
	size int64
}

// follow returns what is to be loaded before it is used.
func follow[T any](what string, log *slog.Logger, paths []string, read func() (T, error)) *followed[T] {
	return &followed[T]{what: what, log: log, paths: paths, read: read, recheckAfter: time.Second}
}

// load reads the files. If they cannot be used, those loaded before stay.
func (f *followed[T]) load() error {
	stamps := f.look()
	held, err := f.read()
	if err != nil {
		return err
	}
	f.held, f.stamps, f.checked = held, stamps, time.Now()
	return nil
}

func (f *followed[T]) look() []stamp {
	stamps := make([]stamp, len(f.paths))
	for i, path := range f.paths {
		if info, err := os.Stat(path); err == nil {
			stamps[i] = stamp{info.ModTime(), info.Size()}
		}
	}
	return stamps
}

func (f *followed[T]) changed() bool {
	for i, now := range f.look() {
		if now != f.stamps[i] {
			return true
		}
	}
	return false
}

// now returns the newest. If new files cannot be used, which a certificate and its key cannot
// between the writes of the two, the old go on serving.
func (f *followed[T]) now() T {
	f.mu.Lock()
	defer f.mu.Unlock()
	if time.Since(f.checked) < f.recheckAfter {
		return f.held
	}
	f.checked = time.Now()
	if f.changed() {
		if err := f.load(); err != nil {
			f.log.Warn("the new "+f.what+" cannot be used yet", "error", err)
		}
	}
	return f.held
}

// followPool returns the CAs in a file, given with a flag.
func followPool(flag, path string, log *slog.Logger) (*followed[*x509.CertPool], error) {
	f := follow("CA file", log, []string{path}, func() (*x509.CertPool, error) { return readPool(path) })
	if err := f.load(); err != nil {
		return nil, term.Fail("Give the CA's own certificate as a PEM file with --"+flag+".", "the CA file cannot be used: %v", err)
	}
	return f, nil
}

func readPool(path string) (*x509.CertPool, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, errors.New(path + " holds no certificate in PEM form")
	}
	return pool, nil
}
