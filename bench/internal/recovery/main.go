//go:build linux

// Package recovery measures an origin of the built binary on a bad day: how long it takes to answer
// again after it was killed while it wrote, with ever larger stores, and what a backup costs those who
// edit meanwhile.
package recovery

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/bench/internal/frame"
	"example.com/livery/bench/internal/world"
)

// Part is the part of the benchmarks.
var Part = frame.Part{
	Name: "recovery", Title: "The origin on a bad day", Binary: true,
	Quick: []string{"-themes", "50,300", "-bytes", "33554432", "-kills", "2", "-backups", "2", "-alone", "1s"},
	New: func(flags *flag.FlagSet) func(context.Context, *frame.Run) error {
		b := bench{sizes: frame.Counts{100, 1000, 10_000}}
		flags.Var(&b.sizes, "themes", "numbers of Themes at which the origin is killed, separated by commas; a backup is made at the last")
		flags.IntVar(&b.kills, "kills", 5, "how often the origin is killed at each")
		flags.Int64Var(&b.bytes, "bytes", 10<<30, "bytes of blobs with which the origin is killed at last; 0: it is not")
		flags.IntVar(&b.backups, "backups", 3, "how many backups are made")
		flags.DurationVar(&b.alone, "alone", 5*time.Second, "how long edits are measured before the backups")
		return b.run
	},
}

// bench is one run.
type bench struct {
	sizes   frame.Counts
	kills   int
	backups int
	bytes   int64
	alone   time.Duration
	figures *figures.Set

	dir    string
	origin *world.Origin
	themes []*world.Theme
	value  int // of the last edit
}

func (b *bench) run(ctx context.Context, r *frame.Run) (err error) {
	b.figures, b.dir = r.Figures, r.Dir
	if b.origin, err = world.StartOrigin(ctx, r.Livery, b.dir, world.AnyCore); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.origin.Stop()) }()
	for _, size := range b.sizes {
		if err := b.grow(ctx, size); err != nil {
			return err
		}
		if err := b.killed(ctx, overThemes, float64(size)); err != nil {
			return err
		}
	}
	if err := b.backedUp(ctx); err != nil {
		return err
	}
	return b.heavy(ctx)
}

// grow makes the store hold so many Themes of 200 tokens.
func (b *bench) grow(ctx context.Context, size int) error {
	bar := frame.StartBar("Themes", size-len(b.themes))
	defer bar.End()
	more, err := b.origin.Fill(ctx, "kept", len(b.themes), size-len(b.themes), world.Size{Tokens: 200, Versions: 1}, bar.Step)
	b.themes = append(b.themes, more...)
	return err
}

// overThemes is what figures grow with, as is overBytes.
const overThemes = "Themes"

// killed kills the origin while it writes, starts it again and sees that it answers with what it
// acknowledged.
func (b *bench) killed(ctx context.Context, over string, at float64) error {
	var starts, resident []float64
	for range b.kills {
		stop := b.write(ctx)
		time.Sleep(300 * time.Millisecond) // it is how long there is writing before the kill
		err := b.origin.Kill()
		acknowledged := stop()
		if err != nil {
			return err
		}
		took, err := b.origin.Restart(ctx)
		if err != nil {
			return err
		}
		starts = append(starts, took.Seconds()*1000)
		if err := b.holds(ctx, acknowledged); err != nil {
			return err
		}
		holds, err := b.origin.Resident()
		if err != nil {
			return err
		}
		resident = append(resident, holds/(1<<20))
	}
	b.figures.AddRounds(figures.Figure{Name: "killed while it wrote, until it answers", Unit: "ms", Over: over, At: at}, starts)
	b.figures.AddRounds(figures.Figure{Name: "resident then", Unit: "MiB", Over: over, At: at}, resident)
	bytes, err := folderSize(b.origin.Data())
	b.figures.AddOne(figures.Figure{Name: "data directory", Unit: "MiB", Over: over, At: at}, bytes/(1<<20))
	return err
}

// holds sees that the first Theme has at least as many versions as were acknowledged.
func (b *bench) holds(ctx context.Context, acknowledged int) error {
	t, err := b.origin.API.Theme(ctx, b.origin.Environment, b.themes[0].ID)
	if err != nil {
		return err
	}
	if t.LatestVersion == nil || int(*t.LatestVersion) < acknowledged {
		return fmt.Errorf("%d versions were acknowledged, the origin has %v", acknowledged, t.LatestVersion)
	}
	b.themes[0].Versions = int(*t.LatestVersion)
	return nil
}

// write publishes the first Theme again and again. The function that is returned waits for the end,
// which comes when the origin is gone, and returns the newest version that was acknowledged.
func (b *bench) write(ctx context.Context) (stop func() int) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for b.origin.Publish(ctx, b.themes[0], b.next()) == nil {
		}
	}()
	return func() int {
		cancel()
		<-done
		return b.themes[0].Versions
	}
}

// next returns a value that no edit had.
func (b *bench) next() int {
	b.value = max(b.value, 2_000_000_000) + 1
	return b.value
}

func folderSize(dir string) (bytes float64, err error) {
	err = filepath.Walk(dir, func(_ string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			bytes += float64(info.Size())
		}
		if errors.Is(err, os.ErrNotExist) {
			return nil // the store has removed a file meanwhile
		}
		return err
	})
	return bytes, err
}
