//go:build linux

package recovery

import (
	"context"
	"path/filepath"
	"time"

	"example.com/livery/bench/internal/figures"
)

// editResult is what came of edits one after the other.
type editResult struct {
	took figures.Times
	err  error
}

// backedUp measures edits alone and beside backups, of which the first one copies everything and the
// others what is new.
func (b *bench) backedUp(ctx context.Context) error {
	alone, cancel := context.WithTimeout(ctx, b.alone)
	before := b.edit(alone)
	cancel()
	if before.err != nil {
		return before.err
	}
	b.report("edit alone", before.took)
	var during figures.Times
	for n := range b.backups {
		editing, stop := context.WithCancel(ctx)
		done := make(chan editResult, 1)
		go func() { done <- b.edit(editing) }()
		began := time.Now()
		err := b.origin.Backup(ctx, filepath.Join(b.dir, "backups"))
		took := time.Since(began)
		stop()
		meanwhile := <-done
		if err != nil {
			return err
		}
		if meanwhile.err != nil {
			return meanwhile.err
		}
		during = append(during, meanwhile.took...)
		name := "backup, the first"
		if n > 0 {
			name = "backup, another one"
		}
		b.figures.AddOne(figures.Figure{Name: name, Unit: "s, read back", Over: overThemes, At: float64(len(b.themes))}, took.Seconds())
	}
	b.report("edit beside backups", during)
	return nil
}

// edit edits one Theme after the other until ctx is done.
func (b *bench) edit(ctx context.Context) (e editResult) {
	for n := 0; ; n++ {
		began := time.Now()
		err := b.origin.Edit(ctx, b.themes[n%len(b.themes)], b.next())
		if ctx.Err() != nil {
			return e // the last one was cut short
		}
		if err != nil {
			e.err = err
			return e
		}
		e.took = append(e.took, time.Since(began))
	}
}

func (b *bench) report(name string, took figures.Times) {
	b.figures.AddTimes(figures.Figure{Name: name, Over: overThemes, At: float64(len(b.themes))}, took, 0.5, 0.99, 1)
}
