package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
	"example.com/livery/storage/postgres"
	"example.com/livery/storage/record"
)

// slowDisk is the system's disk with a longer sync of write-ahead logs.
type slowDisk struct {
	vfs.FS
	sync time.Duration
}

// Create makes a file.
func (d slowDisk) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := d.FS.Create(name, c)
	return d.wrap(name, f), err
}

// ReuseForWrite takes a recycled file.
func (d slowDisk) ReuseForWrite(old, name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := d.FS.ReuseForWrite(old, name, c)
	return d.wrap(name, f), err
}

func (d slowDisk) wrap(name string, f vfs.File) vfs.File {
	if f == nil || !strings.HasSuffix(name, ".log") {
		return f
	}
	return slowFile{f, d.sync}
}

// slowFile is a write-ahead log of a slowDisk.
type slowFile struct {
	vfs.File
	sync time.Duration
}

// SyncData waits and syncs.
func (f slowFile) SyncData() error {
	time.Sleep(f.sync)
	return f.File.SyncData()
}

// commits prints a table for each engine and length of a sync.
func (b *bench) commits(ctx context.Context, out io.Writer, dir string) error {
	_, _ = fmt.Fprintf(out, "## Commits\n\n| engine | sync | writers | commits/s | p50 | p99 |\n|-|-|-:|-:|-:|-:|\n")
	for i, sync := range []time.Duration{0, time.Millisecond, 3 * time.Millisecond} {
		store, err := pebble.Open(filepath.Join(dir, fmt.Sprint("commits", i)), pebble.Options{FS: slowDisk{vfs.Default, sync}, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			return err
		}
		name := "the disk's"
		if sync > 0 {
			name = "+ " + sync.String()
		}
		err = b.measure(ctx, out, "Pebble | "+name, store)
		if closeErr := store.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			return err
		}
	}
	if b.postgres == "" {
		return nil
	}
	store, err := postgres.Open(ctx, b.postgres, postgres.Options{Alone: true})
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	return b.measure(ctx, out, "PostgreSQL | the server's", store)
}

// measure lets writers of scopes of their own commit for a while.
func (b *bench) measure(ctx context.Context, out io.Writer, name string, store storage.Store) error {
	for _, writers := range []int{1, 8, 64} {
		var wg sync.WaitGroup
		var mu sync.Mutex
		var all []time.Duration
		var failed error
		end := time.Now().Add(b.each)
		for w := range writers {
			wg.Go(func() {
				took, err := commitUntil(ctx, store, fmt.Sprint("env_", w), end)
				mu.Lock()
				defer mu.Unlock()
				all = append(all, took...)
				if err != nil {
					failed = err
				}
			})
		}
		wg.Wait()
		if failed != nil {
			return failed
		}
		slices.Sort(all)
		_, _ = fmt.Fprintf(out, "| %s | %d | %.0f | %s | %s |\n", name, writers, float64(len(all))/b.each.Seconds(),
			at(all, 0.5), at(all, 0.99))
	}
	return nil
}

func at(sorted []time.Duration, part float64) time.Duration {
	return sorted[int(part*float64(len(sorted)-1))].Round(10 * time.Microsecond)
}

// commitUntil commits a record of half a kilobyte again and again.
func commitUntil(ctx context.Context, store storage.Store, scope string, end time.Time) (took []time.Duration, err error) {
	value := []byte(strings.Repeat("v", 500))
	for n := 0; time.Now().Before(end) && err == nil; n++ {
		began := time.Now()
		_, err = store.Update(ctx, scope, func(tx storage.Tx) (record.Change, error) {
			return record.Change{EnvironmentID: scope}, tx.Set(storage.Key('H', scope, storage.Number(uint32(n%1000))), value)
		})
		took = append(took, time.Since(began))
	}
	return took, err
}
