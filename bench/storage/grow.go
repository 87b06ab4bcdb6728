package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
	"example.com/livery/storage/record"
)

const inOneCommit = 5000

// grow fills a store to a tenth, a third and the whole of what was asked for, and prints what it costs
// at each size.
func (b *bench) grow(ctx context.Context, out io.Writer, dir string) error {
	_, _ = fmt.Fprintf(out, "\n## Growth\n\n| Themes | pairs | on disk | open | resident after open | first page of 100 | page of 100 in the middle | trace all references |\n|-:|-:|-:|-:|-:|-:|-:|-:|\n")
	path := filepath.Join(dir, "grown")
	themes, pairs := 0, 0
	for _, part := range []int{10, 3, 1} {
		if err := b.fill(ctx, path, &themes, b.themes/part, &pairs, b.pairs/part); err != nil {
			return err
		}
		if err := cost(ctx, out, path, themes, pairs); err != nil {
			return err
		}
	}
	return nil
}

func openQuiet(path string) (*pebble.Store, error) {
	return pebble.Open(path, pebble.Options{Logger: slog.New(slog.DiscardHandler)})
}

// fill writes Themes and pairs up to the numbers wanted.
func (b *bench) fill(ctx context.Context, path string, themes *int, wantThemes int, pairs *int, wantPairs int) (err error) {
	store, err := openQuiet(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	for *themes < wantThemes && err == nil {
		err = several(ctx, store, themes, wantThemes, func(tx storage.Tx, n int) error {
			id := fmt.Sprintf("thm_%08d", n)
			t := record.Theme{ID: id, EnvironmentID: "env", Slug: fmt.Sprintf("theme-%08d", n), DisplayName: "Theme", LatestVersion: 1}
			return errors.Join(storage.Themes.Write(tx, t, "env", id), storage.ThemeSlugs.Write(tx, id, t.Slug, "env"))
		})
	}
	for *pairs < wantPairs && err == nil {
		err = several(ctx, store, pairs, wantPairs, func(tx storage.Tx, n int) error {
			p := record.Pair{Overrides: record.HashOf(fmt.Append(nil, "overrides", n)), Overlay: record.HashOf(fmt.Append(nil, "overlay", n))}
			return storage.Pairs.Write(tx, p, "env", fmt.Sprintf("thm_%08d", n%b.themes), fmt.Sprintf("var_%04d", n/b.themes), storage.Number(1))
		})
	}
	return err
}

// several writes the next few in one commit.
func several(ctx context.Context, store storage.Store, from *int, to int, write func(tx storage.Tx, n int) error) error {
	end := min(*from+inOneCommit, to)
	_, err := store.Update(ctx, "env", func(tx storage.Tx) (record.Change, error) {
		for n := *from; n < end; n++ {
			if err := write(tx, n); err != nil {
				return record.Change{}, err
			}
		}
		return record.Change{EnvironmentID: "env"}, nil
	})
	*from = end
	return err
}

// cost prints one row.
func cost(ctx context.Context, out io.Writer, path string, themes, pairs int) (err error) {
	began := time.Now()
	store, err := openQuiet(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	opened := time.Since(began)
	runtime.GC()
	resident := residentBytes()
	first, firstErr := page(ctx, store, 0)
	middle, middleErr := page(ctx, store, themes/2)
	began = time.Now()
	named := 0
	countErr := store.View(ctx, func(r storage.Reader) error {
		return storage.References(r, func(storage.Reference) bool { named++; return true })
	})
	traced := time.Since(began)
	_, _ = fmt.Fprintf(out, "| %d | %d | %d MB | %s | %d MB | %s | %s | %s for %d names |\n", themes, pairs, size(path)>>20, opened.Round(time.Millisecond),
		resident>>20, first.Round(10*time.Microsecond), middle.Round(10*time.Microsecond), traced.Round(time.Millisecond), named)
	return errors.Join(firstErr, middleErr, countErr)
}

// page reads 100 Themes by slug behind some, as a list does.
func page(ctx context.Context, store storage.Store, skip int) (time.Duration, error) {
	began := time.Now()
	err := store.View(ctx, func(r storage.Reader) error {
		seen := 0
		var failed error
		err := storage.ThemeSlugs.Scan(r, storage.Ascending, func(_, id string) bool {
			if seen++; seen > skip {
				_, failed = storage.Themes.Read(r, "env", id)
			}
			return failed == nil && seen < skip+100
		}, "env")
		return errors.Join(err, failed)
	})
	return time.Since(began), err
}

// residentBytes returns the memory of this process, 0 where the system does not say.
func residentBytes() (n int64) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var pages int64
	_, _ = fmt.Sscan(string(text), &n, &pages)
	return pages * int64(os.Getpagesize())
}

func size(dir string) (bytes int64) {
	_ = filepath.Walk(dir, func(_ string, info os.FileInfo, err error) error {
		if err == nil {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}
