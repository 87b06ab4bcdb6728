package storage

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/bench/internal/frame"
	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
	"example.com/livery/storage/record"
)

const (
	inOneCommit = 5000     // records
	blobBytes   = 64 << 10 // of a blob, on average
	publishes   = 300      // that are timed at each size
	pages       = 40       // that are
	stalled     = 100 * time.Millisecond
)

// amount is what a store holds.
type amount struct {
	themes, pairs int
	bytes         int64 // of blobs
}

// part returns the share n of m.
func (a amount) part(n, m int) amount {
	return amount{a.themes * n / m, a.pairs * n / m, a.bytes * int64(n) / int64(m)}
}

// grown is what a store of some size costs.
type grown struct {
	amount
	disk, resident           int64
	open                     time.Duration
	first, middle, publish   figures.Times // pages of 100 Themes, and publishes
	traced                   time.Duration // all references
	fill                     time.Duration // from the size before to this one
	filled                   int64         // blobs put meanwhile, in bytes
	worst, stalledAltogether time.Duration // of puts that took longer than stalled
}

// grow fills a store step by step, and measures it at each size.
func (b *bench) grow(ctx context.Context, dir string) error {
	path := filepath.Join(dir, "grown")
	bar := frame.StartBar("sizes", b.points)
	defer bar.End()
	var before amount
	for n := 1; n <= b.points; n++ {
		next := grown{amount: b.most.part(n, b.points)}
		if err := b.fill(ctx, path, before, &next); err != nil {
			return err
		}
		if err := next.measure(ctx, path, b.most); err != nil {
			return err
		}
		before = next.amount
		next.addTo(b.figures)
		bar.Step()
	}
	return nil
}

// addTo adds what a store of this size costs.
func (g *grown) addTo(set *figures.Set) {
	f := func(name, unit string) figures.Figure {
		return figures.Figure{Name: name, Subject: "Pebble", Unit: unit, Over: "pairs", At: float64(g.pairs)}
	}
	set.AddOne(f("open a store", "ms"), figures.Milliseconds(g.open))
	set.AddOne(f("memory after reading", "MB"), float64(g.resident>>20))
	set.AddOne(f("size on disk", "MB"), float64(g.disk>>20))
	set.AddOne(f("blobs", "MB"), float64(g.bytes>>20))
	set.AddRounds(f("first page of 100", "ms"), g.first.Milliseconds())
	set.AddRounds(f("page of 100 anywhere", "ms"), g.middle.Milliseconds())
	set.AddRounds(f("publish into a store", "ms"), g.publish.Milliseconds())
	set.AddOne(f("publish into a store, p99", "ms"), figures.Milliseconds(g.publish.At(0.99)))
	set.AddOne(f("trace all references", "ms"), figures.Milliseconds(g.traced))
	set.AddOne(f("longest put while filling", "ms"), figures.Milliseconds(g.worst))
	set.AddOne(f("puts over "+stalled.String()+", in all", "ms"), figures.Milliseconds(g.stalledAltogether))
	set.AddOne(f("blobs put while filling", "MB/s"), float64(g.filled)/(1<<20)/g.fill.Seconds())
}

func openQuiet(path string) (*pebble.Store, error) {
	return pebble.Open(path, pebble.Options{Logger: slog.New(slog.DiscardHandler)})
}

// fill writes Themes, pairs and blobs up to what to wants.
func (b *bench) fill(ctx context.Context, path string, has amount, to *grown) (err error) {
	store, err := openQuiet(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	began := time.Now()
	work, workCtx := errgroup.WithContext(ctx)
	work.Go(func() error { return b.fillRecords(workCtx, store, has, to.amount) })
	work.Go(func() error { return fillBlobs(workCtx, store, has.bytes, to) })
	err = work.Wait()
	to.fill, to.filled = time.Since(began), to.bytes-has.bytes
	return err
}

func (b *bench) fillRecords(ctx context.Context, store storage.Store, has, to amount) (err error) {
	for has.themes < to.themes && err == nil {
		err = several(ctx, store, &has.themes, to.themes, func(tx storage.Tx, n int) error {
			id := fmt.Sprintf("thm_%08d", n)
			t := record.Theme{ID: id, EnvironmentID: "env", Slug: fmt.Sprintf("theme-%08d", n), DisplayName: "Theme", LatestVersion: 1}
			return storage.Themes.Write(tx, t, "env", id)
		})
	}
	for has.pairs < to.pairs && err == nil {
		err = several(ctx, store, &has.pairs, to.pairs, func(tx storage.Tx, n int) error {
			p := record.Pair{Overrides: record.HashOf(fmt.Append(nil, "overrides", n)), Overlay: record.HashOf(fmt.Append(nil, "overlay", n))}
			return storage.Pairs.Write(tx, p, "env", fmt.Sprintf("thm_%08d", n%b.most.themes), fmt.Sprintf("var_%04d", n/b.most.themes), storage.Number(1))
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

// fillBlobs puts blobs that do not compress, and a commit behind every hundred, as publishes do.
func fillBlobs(ctx context.Context, store storage.Store, from int64, to *grown) error {
	blob := make([]byte, 2*blobBytes)
	for n := 0; from < to.bytes; n++ {
		random := rand.New(rand.NewPCG(uint64(from), 1))
		size := blobBytes/2 + random.IntN(blobBytes)
		for i := 0; i < size; i += 8 {
			binary.LittleEndian.PutUint64(blob[i:], random.Uint64())
		}
		began := time.Now()
		if _, err := store.PutBlob(ctx, blob[:size]); err != nil {
			return err
		}
		if n%100 == 99 {
			if err := commitOne(ctx, store, "blobs", uint32(n)); err != nil {
				return err
			}
		}
		if took := time.Since(began); took > stalled {
			to.stalledAltogether += took
			to.worst = max(to.worst, took)
		}
		from += int64(size)
	}
	return nil
}

// measure opens the store and fills in what it costs. The store of most is the one that is grown to.
func (g *grown) measure(ctx context.Context, path string, most amount) (err error) {
	if err := g.weigh(ctx, path); err != nil {
		return err
	}
	store, err := openQuiet(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	for n := range pages {
		first, firstErr := page(ctx, store, 0)
		middle, middleErr := page(ctx, store, g.themes*n/pages)
		if err := errors.Join(firstErr, middleErr); err != nil {
			return err
		}
		g.first, g.middle = append(g.first, first), append(g.middle, middle)
	}
	for n := range publishes {
		took, err := publish(ctx, store, n, most.themes)
		if err != nil {
			return err
		}
		g.publish = append(g.publish, took)
	}
	began := time.Now()
	err = store.View(ctx, func(r storage.Reader) error {
		return storage.References(r, func(storage.Reference) bool { return true })
	})
	g.traced, g.disk = time.Since(began), size(path)
	return err
}

// weigh fills in what a new process takes that opens the store: this one has the memory of those before.
func (g *grown) weigh(ctx context.Context, path string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	out, err := exec.CommandContext(ctx, self, "storage", "-open", path, "-themes", strconv.Itoa(g.themes)).Output()
	if err != nil {
		return fmt.Errorf("open a store of %d Themes in a process of its own: %w", g.themes, err)
	}
	_, err = fmt.Sscan(string(out), &g.open, &g.resident)
	return err
}

// openAlone is that process: it prints how long opening took, in nanoseconds, and the memory that the
// process has after some pages were read.
func openAlone(ctx context.Context, path string, themes int) (err error) {
	began := time.Now()
	store, err := openQuiet(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	opened := time.Since(began)
	for n := range pages {
		if _, err := page(ctx, store, themes*n/pages); err != nil {
			return err
		}
	}
	fmt.Println(int64(opened), residentBytes())
	return nil
}

// publish puts a document, its plan and an overlay and commits their names, as a publish does.
func publish(ctx context.Context, store storage.Store, n, themes int) (time.Duration, error) {
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), uint64(n)))
	began := time.Now()
	var names []record.Hash
	for _, bytes := range []int{20 << 10, 20 << 10, 2 << 10} {
		blob := make([]byte, bytes)
		for i := 0; i < bytes; i += 8 {
			binary.LittleEndian.PutUint64(blob[i:], random.Uint64()&0x0f0f0f0f0f0f0f0f) // compresses, as text does
		}
		name, err := store.PutBlob(ctx, blob)
		if err != nil {
			return 0, err
		}
		names = append(names, name)
	}
	theme := fmt.Sprintf("thm_%08d", random.IntN(themes))
	_, err := store.Update(ctx, "env", func(tx storage.Tx) (record.Change, error) {
		_, readErr := storage.Themes.Read(tx, "env", theme)
		if errors.Is(readErr, storage.ErrNotFound) {
			readErr = nil // not every Theme is there before the last size
		}
		p := record.Pair{Overrides: names[0], Overlay: names[2]}
		return record.Change{EnvironmentID: "env", ThemeID: theme}, errors.Join(readErr, storage.Pairs.Write(tx, p, "env", theme, "var_publish", storage.Number(uint32(n))))
	})
	return time.Since(began), err
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

// residentBytes returns the memory of this process, 0 if the system does not say.
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
