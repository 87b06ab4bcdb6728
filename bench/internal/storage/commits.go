package storage

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	gosync "sync"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/bench/internal/world"
	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
	"example.com/livery/storage/record"
)

// commit measures each engine, length of a sync and number of writers.
func (b *bench) commit(ctx context.Context, dir string) error {
	for i, sync := range []time.Duration{0, time.Millisecond, 3 * time.Millisecond} {
		store, err := pebble.Open(filepath.Join(dir, fmt.Sprint("commits", i)), pebble.Options{FS: world.SlowDisk(sync), Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			return err
		}
		name := "the disk's"
		if sync > 0 {
			name = "+ " + sync.String()
		}
		if err := errors.Join(b.measure(ctx, "Pebble", name, store), store.Close()); err != nil {
			return err
		}
	}
	return b.commitPostgres(ctx)
}

// measure lets writers of scopes of their own commit for a while.
func (b *bench) measure(ctx context.Context, engine, sync string, store storage.Store) error {
	for _, writers := range []int{1, 8, 64} {
		var mu gosync.Mutex // guards all
		var all figures.Times
		work, workCtx := errgroup.WithContext(ctx)
		end := time.Now().Add(b.each)
		for w := range writers {
			work.Go(func() error {
				took, err := commitUntil(workCtx, store, fmt.Sprint("env_", w), end)
				mu.Lock()
				defer mu.Unlock()
				all = append(all, took...)
				return err
			})
		}
		if err := work.Wait(); err != nil {
			return err
		}
		f := figures.Figure{Name: "commits", Subject: engine + ", sync " + sync, Over: "writers", At: float64(writers)}
		b.figures.AddTimes(f, all, 0.5, 0.99)
		f.Unit = "1/s"
		b.figures.AddOne(f, float64(len(all))/b.each.Seconds())
	}
	return nil
}

// commitUntil commits again and again.
func commitUntil(ctx context.Context, store storage.Store, scope string, end time.Time) (took figures.Times, err error) {
	for n := 0; time.Now().Before(end) && err == nil; n++ {
		began := time.Now()
		err = commitOne(ctx, store, scope, uint32(n%1000))
		took = append(took, time.Since(began))
	}
	return took, err
}

// commitOne commits a record of half a kilobyte.
func commitOne(ctx context.Context, store storage.Store, scope string, n uint32) error {
	value := []byte(strings.Repeat("v", 500))
	_, err := store.Update(ctx, scope, func(tx storage.Tx) (record.Change, error) {
		return record.Change{EnvironmentID: scope}, tx.Set(storage.Key('H', scope, storage.Number(n)), value)
	})
	return err
}
