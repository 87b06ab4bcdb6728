package failovers

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/bench/internal/frame"
	"example.com/livery/internal/test/postgrestest"
	"example.com/livery/storage"
	"example.com/livery/storage/postgres"
	"example.com/livery/storage/record"
)

// Part is the part of the benchmarks.
var Part = frame.Part{
	Name: "failovers", Title: "Failovers",
	Quick: []string{"-rounds", "2"},
	New: func(flags *flag.FlagSet) func(context.Context, *frame.Run) error {
		var b bench
		flags.IntVar(&b.rounds, "rounds", 20, "how many times the primary is killed")
		flags.IntVar(&b.writers, "writers", 8, "how many commit at once")
		flags.DurationVar(&b.each, "each", 2*time.Second, "how long they commit before the primary is killed, and after")
		return b.run
	},
}

// bench is one run.
type bench struct {
	rounds, writers int
	each            time.Duration
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

func (b *bench) run(ctx context.Context, r *frame.Run) (err error) {
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
	bar := frame.StartBar("failovers", b.rounds)
	defer bar.End()
	var all []round
	for range b.rounds {
		if err := ctx.Err(); err != nil {
			return err
		}
		one, err := b.failOver(c, stores)
		if err != nil {
			return err
		}
		all = append(all, one)
		bar.Step()
	}
	entries, err := b.verify(stores, all)
	if err != nil {
		return err
	}
	b.report(r, all, entries)
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

func (b *bench) report(r *frame.Run, all []round, entries int) {
	acknowledged, shown, lost := 0, 0, 0
	var rates []float64
	var promoted, longest figures.Times
	for i, one := range all {
		acknowledged, shown, lost = acknowledged+len(one.acknowledged), shown+len(one.errors), lost+one.lost
		rates = append(rates, float64(len(one.acknowledged))/(2*b.each+one.promoted).Seconds())
		promoted, longest = append(promoted, one.promoted), append(longest, one.longest)
		for _, err := range one.errors {
			r.Figures.Note("round %d showed an error: %v", i+1, err)
		}
	}
	count := func(name string, n int) { r.Figures.AddOne(figures.Figure{Name: name, Unit: "count"}, float64(n)) }
	count("failovers", len(all))
	count("writers", b.writers)
	count("acknowledged commits", acknowledged)
	count("acknowledged commits that were lost", lost)
	count("errors shown", shown)
	count("entries of the log, none twice, no gap", entries)
	r.Figures.AddRounds(figures.Figure{Name: "commits", Unit: "1/s"}, rates)
	r.Figures.AddTimes(figures.Figure{Name: "from the kill to the promotion"}, promoted, 0.5, 1)
	r.Figures.AddTimes(figures.Figure{Name: "longest gap between two acknowledgements"}, longest, 0.5, 1)
}
