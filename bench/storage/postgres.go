package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"example.com/livery/storage/postgres"
	"example.com/livery/storage/postgres/postgrestest"
)

// ownServers is the value of -postgres that starts servers of this machine's installation.
const ownServers = "own"

// commitPostgres measures the shared engine: on the server that -postgres names, or on servers of its own.
func (b *bench) commitPostgres(ctx context.Context) (all []commits, err error) {
	switch b.postgres {
	case "":
		return nil, nil
	case ownServers:
	default:
		return b.commitOn(ctx, b.postgres, "PostgreSQL", "the server's")
	}
	for _, sync := range []time.Duration{0, time.Millisecond, 3 * time.Millisecond} {
		some, err := b.commitAlone(ctx, sync)
		if err != nil {
			return all, err
		}
		all = append(all, some...)
	}
	c, err := postgrestest.StartCluster()
	if err != nil {
		return all, err
	}
	defer c.Close()
	some, err := b.commitOn(ctx, c.URL(), "PostgreSQL, one of two standbys waited for", "the disk's")
	return append(all, some...), err
}

// commitAlone measures a server without standbys. Whoever writes the log to the disk waits before it, so
// that a sync seems longer: the server's own commit_delay, for however few commits.
func (b *bench) commitAlone(ctx context.Context, sync time.Duration) ([]commits, error) {
	name, settings := "the disk's", []string(nil)
	if sync > 0 {
		name, settings = "+ "+sync.String(), []string{fmt.Sprintf("commit_delay=%d", sync.Microseconds()), "commit_siblings=0"}
	}
	n, err := postgrestest.Start("bench", settings...)
	if err != nil {
		return nil, err
	}
	defer n.Close()
	return b.commitOn(ctx, n.URL(""), "PostgreSQL", name)
}

func (b *bench) commitOn(ctx context.Context, url, engine, sync string) ([]commits, error) {
	store, err := postgres.Open(ctx, url, postgres.Options{Alone: true, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	all, err := b.measure(ctx, engine, sync, store)
	return all, errors.Join(err, store.Close())
}
