package admin

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/escape"
	"example.com/livery/cli/process"
	"example.com/livery/cli/term"
	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
	"example.com/livery/storage/postgres"
)

// StoreLocation is the place of the store of an origin.
type StoreLocation struct {
	Dir    string // data directory, absolute; the embedded store is in it
	URL    string // of a PostgreSQL; empty: the embedded store
	Single bool   // a PostgreSQL without synchronous standbys will do
	Tables int    // files that the embedded store may have open; 0: the store's own default
}

// logEndName is the file of a data directory that notes how far the log of a PostgreSQL was seen.
const logEndName = "store-witness"

// OpenStore opens a store, and closes it with the run.
func OpenStore(r *process.Run, p StoreLocation, log *slog.Logger) (store storage.Store, err error) {
	if p.URL == "" {
		store, err = openEmbedded(filepath.Join(p.Dir, "store"), pebble.Options{Logger: log, MaxTables: p.Tables, Fatal: func(err error) {
			line, _, _ := strings.Cut(err.Error(), "\n") // the engine's trace follows
			log.Error("the store cannot go on; the process ends", "error", line)
			r.Abort()
		}})
	} else {
		store, err = openPostgres(p, postgres.Options{Logger: log})
	}
	if err != nil {
		return nil, err
	}
	r.OnClose(func(context.Context) error { return store.Close() })
	return store, nil
}

func openEmbedded(dir string, o pebble.Options) (*pebble.Store, error) {
	store, err := pebble.Open(dir, o)
	switch {
	case errors.Is(err, storage.ErrLocked):
		return nil, term.Fail("Stop the other process, or name another directory with --data.", "the store %s is in use by another process", dir)
	case errors.Is(err, storage.ErrCorrupt):
		return nil, &term.Failure{Sentence: err.Error(), Next: "Restore a backup into a new directory.", Cause: err}
	case err != nil:
		return nil, process.Unwritable(dir, err)
	}
	return store, nil
}

// openPostgres opens a shared store. What it does not do it says in one sentence for each fault, and none
// holds the password.
func openPostgres(p StoreLocation, o postgres.Options) (*postgres.Store, error) {
	if !cmdline.IsStoreURL(p.URL) {
		return nil, term.UsageError("Write --store postgres://ROLE@HOST:PORT/DATABASE, or leave it out for the embedded store.", "the value of --store is not a valid address of a PostgreSQL")
	}
	o.Alone = p.Single
	if p.Dir != "" {
		o.LogEndFile = filepath.Join(p.Dir, logEndName)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	store, err := postgres.Open(ctx, p.URL, o)
	if err == nil {
		return store, nil
	}
	return nil, explainServer(postgres.Redact(p.URL), err)
}

// explainServer says why a PostgreSQL cannot be used.
func explainServer(name string, err error) error {
	bad, ok := errors.AsType[*postgres.ServerError](err)
	switch {
	case ok && len(bad.Faults) == 1:
		f := bad.Faults[0]
		return &term.Failure{Sentence: "the store " + name + " cannot be used: " + f.Problem, Next: capital(f.Repair) + ".", Cause: err}
	case ok:
		said := &term.Failure{Sentence: "the store " + name + " cannot be used:", Next: "Fix all of these, and start again.", Cause: err}
		for _, f := range bad.Faults {
			said.Faults = append(said.Faults, f.Problem+": "+f.Repair)
		}
		return said
	case errors.Is(err, storage.ErrUnavailable):
		return &term.Failure{Sentence: "the store " + name + " does not answer: " + escape.Line(err.Error()), Next: "Start the server, or name another with --store.", Cause: err}
	case errors.Is(err, storage.ErrCorrupt):
		return &term.Failure{Sentence: escape.Line(err.Error()), Next: "Look at the server's log; go back to a backup of the database.", Cause: err}
	}
	return &term.Failure{Sentence: "the store " + name + " cannot be opened: " + escape.Line(err.Error()), Next: "Look at the server's log.", Cause: err}
}

// capital begins a step with a capital letter, unless it begins with a word of SQL already.
func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
