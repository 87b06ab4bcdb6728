// Command failovers measures what a lost primary costs: writers commit on three PostgreSQL nodes of which
// two must have every commit, the primary is killed with kill -9, a standby is promoted at once, and the
// dead node joins again. Each round is a row: the longest gap between two acknowledgements, what callers
// were shown, and what was lost. The nodes are of this machine's installation and share its processor and disk.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strconv"
	"sync"
	"time"

	"example.com/livery/bench/command"
	"example.com/livery/bench/markdown"
	"example.com/livery/bench/progress"
	"example.com/livery/storage"
	"example.com/livery/storage/postgres"
	"example.com/livery/storage/postgres/postgrestest"
	"example.com/livery/storage/record"
)

func main() {
	var b bench
	flag.IntVar(&b.rounds, "rounds", 20, "how many times the primary is killed")
	flag.IntVar(&b.writers, "writers", 8, "how many commit at once, on two origins' connections")
	flag.DurationVar(&b.each, "each", 2*time.Second, "how long they commit before the primary is killed, and after")
	flag.Parse()
	command.Run("failovers", b.run)
}

// bench is one run.
type bench struct {
	rounds, writers int
	each            time.Duration
	began           time.Time
	written         int // steps that were begun, of all rounds
}

// round is what one failover cost.
type round struct {
	acknowledged map[string]storage.Cursor // by step
	errors       []error                   // that callers were shown
	longest      time.Duration             // between two acknowledgements
	promoted     time.Duration             // from the kill until the standby was promoted
	lost         int
}

func (b *bench) run(ctx context.Context) (err error) {
	b.began = time.Now()
	c, err := postgrestest.StartCluster()
	if err != nil {
		return err
	}
	defer c.Close()
	var stores []*postgres.Store
	for range 2 {
		s, err := postgres.Open(context.Background(), c.URL(), postgres.Options{Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.Close()) }()
		stores = append(stores, s)
	}
	bar := progress.Start("failovers", b.rounds)
	defer bar.End()
	var all []round
	for range b.rounds {
		if err := ctx.Err(); err != nil {
			return err
		}
		r, err := b.failOver(c, stores)
		if err != nil {
			return err
		}
		all = append(all, r)
		bar.Step()
	}
	entries, err := b.verify(stores, all)
	if err != nil {
		return err
	}
	b.print(all, entries)
	return nil
}

// failOver is one round.
func (b *bench) failOver(c *postgrestest.Cluster, stores []*postgres.Store) (round, error) {
	r := round{acknowledged: map[string]storage.Cursor{}}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var mu sync.Mutex // guards r, last and b.written
	var writers sync.WaitGroup
	last := time.Now()
	for w := range b.writers {
		writers.Go(func() {
			for ctx.Err() == nil {
				mu.Lock()
				b.written++
				step := strconv.Itoa(b.written)
				mu.Unlock()
				at, err := commit(stores[w%len(stores)], fmt.Sprint("env_", w%4), step)
				mu.Lock()
				if err != nil {
					r.errors = append(r.errors, err)
				} else {
					r.longest, last = max(r.longest, time.Since(last)), time.Now()
					r.acknowledged[step] = at
				}
				mu.Unlock()
			}
		})
	}
	time.Sleep(b.each)
	killed := time.Now()
	dead, err := c.FailOver()
	r.promoted = time.Since(killed)
	time.Sleep(b.each)
	cancel()
	writers.Wait()
	if err != nil {
		return r, err
	}
	return r, errors.Join(c.Join(dead), c.AwaitStandbys(2))
}

// commit commits one record, and a Global one now and then, which is alone between all origins.
func commit(store storage.Store, scope, step string) (storage.Cursor, error) {
	if step[len(step)-1] == '0' {
		scope = storage.Global
	}
	return store.Update(context.Background(), scope, func(tx storage.Tx) (record.Change, error) {
		return record.Change{EnvironmentID: scope, ThemeID: step}, tx.Set(storage.Key('H', scope, step), []byte(step))
	})
}

// verify reads the log of every store, and finds for each round what of it is not at its place. It returns
// how long the log is; a gap, or a step that is there twice, is an error.
func (b *bench) verify(stores []*postgres.Store, all []round) (entries int, err error) {
	for _, s := range stores {
		at := map[string]storage.Cursor{}
		entries = 0
		for after := (storage.Cursor{}); ; {
			some, err := s.Changes(context.Background(), after, 1000)
			if err != nil {
				return entries, err
			}
			for _, e := range some {
				if _, twice := at[e.Change.ThemeID]; twice || e.Cursor.Seq != after.Seq+1 {
					return entries, fmt.Errorf("entry %d of the log is step %s: it is there twice, or there is a gap before it", e.Cursor.Seq, e.Change.ThemeID)
				}
				at[e.Change.ThemeID], after = e.Cursor, e.Cursor
				entries++
			}
			if len(some) == 0 {
				break
			}
		}
		for i := range all {
			lost := 0
			for step, place := range all[i].acknowledged {
				if at[step] != place {
					lost++
				}
			}
			all[i].lost = max(all[i].lost, lost)
		}
	}
	return entries, nil
}

func (b *bench) print(all []round, entries int) {
	lines := [][]string{{"round", "acknowledged", "commits/s", "until promoted", "longest gap", "errors shown", "lost"}}
	acknowledged, shown, lost := 0, 0, 0
	var longest time.Duration
	for i, r := range all {
		acknowledged, shown, lost, longest = acknowledged+len(r.acknowledged), shown+len(r.errors), lost+r.lost, max(longest, r.longest)
		busy := 2*b.each + r.promoted
		lines = append(lines, []string{
			strconv.Itoa(i + 1), markdown.Grouped(len(r.acknowledged)), fmt.Sprintf("%.0f", float64(len(r.acknowledged))/busy.Seconds()),
			milliseconds(r.promoted), milliseconds(r.longest), strconv.Itoa(len(r.errors)), strconv.Itoa(r.lost),
		})
	}
	fmt.Printf("# Failovers\n\n%s, %d cores, %s/%s, %s. `make failovers` (`go run ./bench/failovers -rounds %d -writers %d`)\n\n",
		runtime.Version(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, b.began.Format(time.DateOnly), b.rounds, b.writers)
	fmt.Printf("Three PostgreSQL nodes on this machine, ANY 1 of two standbys; %d writers on two origins' connections; kill -9 of the primary, promotion at once.\n", b.writers)
	fmt.Printf("In all %s acknowledged commits in %d failovers: %d lost, %d errors shown, longest gap %s; the log has %s entries, none twice, no gap.\n\n",
		markdown.Grouped(acknowledged), len(all), lost, shown, milliseconds(longest), markdown.Grouped(entries))
	fmt.Print(markdown.Table(lines, func(int) bool { return true }))
	for i, r := range all {
		for _, err := range r.errors {
			fmt.Fprintf(os.Stderr, "round %d: %v\n", i+1, err)
		}
	}
}

func milliseconds(d time.Duration) string { return markdown.Grouped(int(d.Milliseconds())) + " ms" }
