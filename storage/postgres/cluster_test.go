package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/livery/internal/test/postgrestest"
	"example.com/livery/internal/test/storagetest"
	"example.com/livery/storage"
	"example.com/livery/storage/postgres"
)

// failoversVariable sets the number of rounds of TestFailoversLoseNothing.
const failoversVariable = "LIVERY_FAILOVER_ROUNDS"

func startCluster(t *testing.T) *postgrestest.Cluster {
	t.Helper()
	needServer(t)
	c, err := postgrestest.StartCluster()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// openCluster opens a store on whichever node is the primary.
func openCluster(t *testing.T, c *postgrestest.Cluster) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(context.Background(), c.URL(), postgres.Options{Logger: quiet, RetryFor: time.Minute, CommitWait: time.Minute})
	if err != nil {
		t.Fatalf("Open() = %v", err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// load are writers on some stores, and what they saw.
type load struct {
	mu      sync.Mutex // guards below
	acks    map[storagetest.Step]storage.Cursor
	errs    []error
	last    time.Time
	longest time.Duration // between two acknowledgements
}

func (l *load) note(step storagetest.Step, at storage.Cursor, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.errs = append(l.errs, fmt.Errorf("step %s: %w", step, err))
		return
	}
	now := time.Now()
	l.longest = max(l.longest, now.Sub(l.last))
	l.last = now
	l.acks[step] = at
}

// await waits until so many more steps are acknowledged.
func (l *load) await(t *testing.T, more int) {
	t.Helper()
	acknowledged := func() int {
		l.mu.Lock()
		defer l.mu.Unlock()
		return len(l.acks)
	}
	enough := acknowledged() + more
	for end := time.Now().Add(2 * time.Minute); acknowledged() < enough; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d steps are acknowledged, want %d", acknowledged(), enough)
		}
	}
}

// Whatever was acknowledged is there after any number of lost primaries, in one log without a gap;
// no writer was shown an error.
func TestFailoversLoseNothing(t *testing.T) {
	rounds := 2
	if n, err := strconv.Atoi(os.Getenv(failoversVariable)); err == nil {
		rounds = n
	}
	c := startCluster(t)
	stores := []*postgres.Store{openCluster(t, c), openCluster(t, c)}
	var writer atomic.Int64
	gaps := []time.Duration{}
	all := &load{acks: map[storagetest.Step]storage.Cursor{}}
	for round := range rounds {
		ctx, cancel := context.WithCancel(context.Background())
		all.last, all.longest = time.Now(), 0
		var wg sync.WaitGroup
		for w := range 8 {
			id, s := int(writer.Add(1)), stores[w%2]
			wg.Go(func() {
				for n := 0; ctx.Err() == nil; n++ {
					step := storagetest.Step{Writer: id, Number: n}
					at, err := step.Do(context.Background(), s)
					all.note(step, at, err)
				}
			})
		}
		all.await(t, 50+37*round%300)
		dead, err := c.FailOver()
		if err != nil {
			t.Fatal(err)
		}
		all.await(t, 100)
		cancel()
		wg.Wait()
		if err := errors.Join(c.Join(dead), c.AwaitStandbys(2)); err != nil {
			t.Fatal(err)
		}
		gaps = append(gaps, all.longest.Round(time.Millisecond))
	}
	for _, err := range all.errs {
		t.Errorf("shown to a caller: %v", err)
	}
	for _, s := range stores {
		n := storagetest.Verify(t, s, all.acks)
		t.Logf("%d acknowledged commits, %d in the log, %d failovers; longest gaps between acknowledgements %v", len(all.acks), n, rounds, gaps)
	}
	again := openCluster(t, c)
	storagetest.Verify(t, again, all.acks)
}
