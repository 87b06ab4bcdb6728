package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	gosync "sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"golang.org/x/sync/errgroup"

	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
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

// commits is what so many writers commit on an engine.
type commits struct {
	engine, sync string
	writers      int
	perSecond    float64
	took         []time.Duration // sorted
}

// commit measures each engine, length of a sync and number of writers.
func (b *bench) commit(ctx context.Context, dir string) (all []commits, err error) {
	for i, sync := range []time.Duration{0, time.Millisecond, 3 * time.Millisecond} {
		store, err := pebble.Open(filepath.Join(dir, fmt.Sprint("commits", i)), pebble.Options{FS: slowDisk{vfs.Default, sync}, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			return all, err
		}
		name := "the disk's"
		if sync > 0 {
			name = "+ " + sync.String()
		}
		some, err := b.measure(ctx, "Pebble", name, store)
		if err := errors.Join(err, store.Close()); err != nil {
			return all, err
		}
		all = append(all, some...)
	}
	some, err := b.commitPostgres(ctx)
	return append(all, some...), err
}

// measure lets writers of scopes of their own commit for a while.
func (b *bench) measure(ctx context.Context, engine, sync string, store storage.Store) (all []commits, err error) {
	for _, writers := range []int{1, 8, 64} {
		c := commits{engine: engine, sync: sync, writers: writers}
		var mu gosync.Mutex // guards c.took
		work, workCtx := errgroup.WithContext(ctx)
		end := time.Now().Add(b.each)
		for w := range writers {
			work.Go(func() error {
				took, err := commitUntil(workCtx, store, fmt.Sprint("env_", w), end)
				mu.Lock()
				defer mu.Unlock()
				c.took = append(c.took, took...)
				return err
			})
		}
		if err := work.Wait(); err != nil {
			return all, err
		}
		slices.Sort(c.took)
		c.perSecond = float64(len(c.took)) / b.each.Seconds()
		all = append(all, c)
	}
	return all, nil
}

// at returns the time that a part of all does not exceed.
func at(sorted []time.Duration, part float64) time.Duration {
	return sorted[int(part*float64(len(sorted)-1))]
}

// commitUntil commits again and again.
func commitUntil(ctx context.Context, store storage.Store, scope string, end time.Time) (took []time.Duration, err error) {
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
