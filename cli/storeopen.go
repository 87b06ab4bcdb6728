package cli

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"example.com/livery/cli/escape"
	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
	"example.com/livery/storage/postgres"
)

// storePlace says where the store of an origin is.
type storePlace struct {
	data   string // data directory, absolute; the embedded store is in it
	url    string // of a PostgreSQL; empty: the embedded store
	single bool   // a PostgreSQL without synchronous standbys will do
}

// witnessName is the file of a data directory that notes how far the log of a PostgreSQL was seen.
const witnessName = "store-witness"

// isStoreURL reports whether what names a store is the address of a PostgreSQL, and no directory.
func isStoreURL(s string) bool {
	return strings.HasPrefix(s, "postgres://") || strings.HasPrefix(s, "postgresql://")
}

// storeName names a store without any password.
func storeName(s string) string {
	if isStoreURL(s) {
		return postgres.Redact(s)
	}
	return s
}

// openStore opens a store, and closes it with the run.
func (r *run) openStore(p storePlace, log *slog.Logger) (store storage.Store, err error) {
	if p.url == "" {
		store, err = openEmbedded(filepath.Join(p.data, "store"), log)
	} else {
		store, err = openPostgres(p, postgres.Options{Logger: log})
	}
	if err != nil {
		return nil, err
	}
	r.onClose(func(context.Context) error { return store.Close() })
	return store, nil
}

func openEmbedded(dir string, log *slog.Logger) (*pebble.Store, error) {
	store, err := pebble.Open(dir, pebble.Options{Logger: log})
	switch {
	case errors.Is(err, storage.ErrLocked):
		return nil, fail("End the other process, or name another directory with --data.", "the store %s is in use by another process", dir)
	case errors.Is(err, storage.ErrCorrupt):
		return nil, &failure{sentence: err.Error(), next: "Restore a backup into a new directory.", cause: err}
	case err != nil:
		return nil, unwritable(dir, err)
	}
	return store, nil
}

// openPostgres opens a shared store. What it does not do it says in one sentence for each fault, and none
// holds the password.
func openPostgres(p storePlace, o postgres.Options) (*postgres.Store, error) {
	if !isStoreURL(p.url) {
		return nil, wrongUsage("Write --store postgres://ROLE@HOST:PORT/DATABASE, or leave it out for the embedded store.", "--store names no PostgreSQL")
	}
	o.Alone = p.single
	if p.data != "" {
		o.Witness = filepath.Join(p.data, witnessName)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	store, err := postgres.Open(ctx, p.url, o)
	if err == nil {
		return store, nil
	}
	return nil, explainServer(postgres.Redact(p.url), err)
}

// explainServer says why a PostgreSQL cannot be used.
func explainServer(name string, err error) error {
	bad, ok := errors.AsType[*postgres.ServerError](err)
	switch {
	case ok && len(bad.Faults) == 1:
		f := bad.Faults[0]
		return &failure{sentence: "the store " + name + " cannot be used: " + f.Problem, next: capital(f.Repair) + ".", cause: err}
	case ok:
		said := &failure{sentence: "the store " + name + " cannot be used:", next: "Mend all of these, and start again.", cause: err}
		for _, f := range bad.Faults {
			said.faults = append(said.faults, f.Problem+": "+f.Repair)
		}
		return said
	case errors.Is(err, storage.ErrUnavailable):
		return &failure{sentence: "the store " + name + " does not answer: " + escape.Line(err.Error()), next: "Start the server, or name another with --store.", cause: err}
	case errors.Is(err, storage.ErrCorrupt):
		return &failure{sentence: escape.Line(err.Error()), next: "Look at the server's log; go back to a backup of the database.", cause: err}
	}
	return &failure{sentence: "the store " + name + " cannot be opened: " + escape.Line(err.Error()), next: "Look at the server's log.", cause: err}
}

// capital begins a step with a capital letter, unless it begins with a word of SQL already.
func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
