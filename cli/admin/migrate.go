package admin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/escape"
	"example.com/livery/cli/localfile"
	"example.com/livery/cli/process"
	"example.com/livery/cli/term"
	"example.com/livery/storage"
	"example.com/livery/storage/dump"
	"example.com/livery/storage/pebble"
	"example.com/livery/storage/postgres"
)

const migrateText = `Copies every record and blob into an empty store and compares both by SHA-256. Stop every origin on both stores first.
Copy feed-token and the master key yourself. Give a password as PGPASSWORD or PGPASSFILE. If it is interrupted, run it again.`

// migrateFlags are the flags of livery store migrate.
type migrateFlags struct{ from, to string }

func (a *app) migrateStoreCommand() *cobra.Command {
	var m migrateFlags
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Copy a store into another, of either engine",
		Long:  migrateText,
		Example: "  livery store migrate --from /var/lib/livery --to postgres://livery@db1,db2,db3/livery\n" +
			"  livery store migrate --from postgres://livery@db1,db2,db3/livery --to /mnt/copies/2026-01-31",
		Args: cmdline.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.migrateStore(cmd.Context(), m) },
	}
	cmd.Flags().StringVar(&m.from, "from", "", "data directory `DIR` or postgres:// address of the store to copy")
	cmd.Flags().StringVar(&m.to, "to", "", "data directory `DIR` or postgres:// address of the store to make; it must be empty")
	cmdline.Require(cmd, "from", "to")
	return a.JSONFlag(cmd)
}

// migration is what livery store migrate says with --json.
type migration struct {
	From      string      `json:"from"`
	To        string      `json:"to"`
	Parts     []dump.Part `json:"parts"`
	Digest    string      `json:"digest"` // of everything
	Bytes     int64       `json:"bytes"`
	OldCursor string      `json:"was"` // cursor of the original
	NewCursor string      `json:"is"`  // cursor of the copy, in its own change log
}

func (a *app) migrateStore(ctx context.Context, m migrateFlags) (err error) {
	log, err := process.Logger(a.App, "error", false)
	if err != nil {
		return err
	}
	r := process.New(log)
	defer func() { err = errors.Join(err, r.Close()) }()
	if !cmdline.IsStoreURL(m.from) && localfile.IsMissing(filepath.Join(m.from, "store")) {
		return term.Fail("Name the data directory of an origin, or a postgres:// address.", "%s holds no store", m.from)
	}
	from, err := openAlone(r, m.from, log)
	if err != nil {
		return err
	}
	to, err := openAlone(r, m.to, log)
	if err != nil {
		return err
	}
	bar := a.ProgressBar("", 0)
	was, is, err := dump.Migrate(ctx, from, to, bar.Update)
	bar.Done()
	if err != nil {
		return explainMigration(m, err)
	}
	done := migration{cmdline.StoreName(m.from), cmdline.StoreName(m.to), is.Parts, is.Summary.Digest, is.Bytes, was.Cursor.String(), is.Cursor.String()}
	return a.Show(done, func() { a.printMigrated(done) })
}

func (a *app) printMigrated(m migration) {
	t := term.Table{Head: []string{"PART", "COUNT", "SHA-256"}}
	for _, p := range m.Parts {
		t.Add(p.Name, fmt.Sprint(p.Count), p.Digest[:16])
	}
	a.PrintTable(t)
	a.Say("%s holds the same as %s: %s, SHA-256 %s.", m.To, m.From, byteText(m.Bytes), m.Digest)
	a.Say("Its change log is a new one, at %s; that of the original is at %s. Edges notice this without your help.", m.NewCursor, m.OldCursor)
	a.Say("Copy the feed token and the master key to the new place, and start the origin on it.")
}

// Work on a whole store may wait long for one answer: no client waits meanwhile.
const (
	longCommit   = 2 * time.Hour
	longSnapshot = 24 * time.Hour
)

// openAlone opens a store for a command, and closes it with the run.
func openAlone(r *process.Run, name string, log *slog.Logger) (store storage.Store, err error) {
	if cmdline.IsStoreURL(name) {
		store, err = openPostgres(StoreLocation{URL: name, Single: true}, postgres.Options{Logger: log, CommitWait: longCommit, SnapshotIdle: longSnapshot})
	} else {
		var data string
		if data, err = r.OpenData(name); err != nil {
			return nil, err
		}
		store, err = openEmbedded(filepath.Join(data, "store"), pebble.Options{Logger: log})
	}
	if err != nil {
		return nil, err
	}
	r.OnClose(func(context.Context) error { return store.Close() })
	return store, nil
}

// explainMigration says what a copy that failed has left, and what to do.
func explainMigration(m migrateFlags, err error) error {
	to, again := cmdline.StoreName(m.to), "run the same command again"
	clear := "empty " + to + " first (DROP SCHEMA, or another database), and " + again
	if !cmdline.IsStoreURL(m.to) {
		clear = "remove " + filepath.Join(to, "store") + " first, and " + again
	}
	switch {
	case errors.Is(err, dump.ErrNotEmpty):
		return &term.Failure{Sentence: to + " holds records already", Next: "Name an empty store with --to, or " + clear + ".", Cause: err}
	case errors.Is(err, dump.ErrMoved):
		return &term.Failure{Sentence: cmdline.StoreName(m.from) + " was written to while it was copied", Next: "Stop every origin on it, " + clear + ".", Cause: err}
	case errors.Is(err, dump.ErrUnlike):
		return &term.Failure{Sentence: to + " does not hold what was copied", Next: "Stop every program that writes to it, " + clear + ".", Cause: err}
	case errors.Is(err, storage.ErrNotFound), errors.Is(err, storage.ErrCorrupt):
		return &term.Failure{Sentence: "the store cannot be copied whole: " + err.Error(), Next: "livery store check " + cmdline.StoreName(m.from) + " says what is wrong and how to fix it.", Cause: err}
	case errors.Is(err, context.Canceled), errors.Is(err, os.ErrPermission):
		return err
	}
	return &term.Failure{Sentence: "the store is not copied: " + escape.Line(err.Error()), Next: strings.ToUpper(again[:1]) + again[1:] + "; it skips the blobs that are copied already.", Cause: err}
}
