package storage

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"example.com/livery/internal/test/postgrestest"
	"example.com/livery/storage/postgres"
)

// ownServers is the value of -postgres that starts servers of this machine's installation.
const ownServers = "own"

// commitPostgres measures the shared engine: on the server that -postgres names, or on servers of its own.
func (b *bench) commitPostgres(ctx context.Context) error {
	switch b.postgres {
	case "":
		return nil
	case ownServers:
	default:
		return b.commitOn(ctx, b.postgres, "PostgreSQL", "the server's")
	}
	for _, sync := range []time.Duration{0, time.Millisecond, 3 * time.Millisecond} {
		if err := b.commitAlone(ctx, sync); err != nil {
			return err
		}
	}
	c, err := postgrestest.StartCluster()
	if err != nil {
		return err
	}
	defer c.Close()
	return b.commitOn(ctx, c.URL(), "PostgreSQL, one of two standbys waited for", "the disk's")
}

// commitAlone measures a server without standbys. The writer of the log waits before each sync, so that it seems longer:
// the server's own commit_delay, for however few commits.
func (b *bench) commitAlone(ctx context.Context, sync time.Duration) error {
	name, settings := "the disk's", []string(nil)
	if sync > 0 {
		name, settings = "+ "+sync.String(), []string{fmt.Sprintf("commit_delay=%d", sync.Microseconds()), "commit_siblings=0"}
	}
	n, err := postgrestest.Start("bench", settings...)
	if err != nil {
		return err
	}
	defer n.Close()
	return b.commitOn(ctx, n.URL(""), "PostgreSQL", name)
}

func (b *bench) commitOn(ctx context.Context, url, engine, sync string) error {
	store, err := postgres.Open(ctx, url, postgres.Options{Alone: true, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	return errors.Join(b.measure(ctx, engine, sync, store), store.Close())
}
