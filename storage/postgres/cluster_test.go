package postgres_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/livery/storage"
	"example.com/livery/storage/postgres"
	"example.com/livery/storage/storagetest"
)

// failoversVariable sets the number of rounds of TestFailoversLoseNothing.
const failoversVariable = "LIVERY_FAILOVER_ROUNDS"

// cluster is a primary and two standbys, of which one at least has every acknowledged commit.
type cluster struct {
	nodes   []*node
	primary *node
}

var clusterSettings = []string{
	"wal_level=replica", "max_wal_senders=10", "hot_standby=on", "wal_keep_size=256MB", "wal_receiver_timeout=2s", "wal_retrieve_retry_interval=100ms",
	"synchronous_standby_names=ANY 1 (n1, n2, n3)",
}

func startCluster(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{}
	for i := range 3 {
		c.nodes = append(c.nodes, newNode(t, fmt.Sprint("n", i+1)))
	}
	c.primary = c.nodes[0]
	c.primary.create(t)
	c.primary.start(t, clusterSettings...)
	for _, n := range c.nodes[1:] {
		c.join(t, n)
	}
	c.awaitStandbys(t, 2)
	return c
}

// join makes a node a new standby of the primary.
func (c *cluster) join(t *testing.T, n *node) {
	t.Helper()
	if err := os.RemoveAll(n.dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(n.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	own(t, n.dir)
	if err := runServerProgram("pg_basebackup", "-D", n.dir, "-h", "127.0.0.1", "-p", strconv.Itoa(c.primary.port), "-U", "livery", "-R", "-X", "stream", "-c", "fast", "-N"); err != nil {
		t.Fatal(err)
	}
	n.start(t, clusterSettings...)
}

func (c *cluster) awaitStandbys(t *testing.T, want int) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		var got int
		conn, err := c.primary.connect()
		if err == nil {
			err = conn.QueryRow(context.Background(), "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'").Scan(&got)
			_ = conn.Close(context.Background())
		}
		if err == nil && got >= want {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d standbys stream, want %d: %v", got, want, err)
		}
	}
}

// failOver kills the primary, promotes the standby that received more, lets the other follow it, and
// returns the one that was killed.
func (c *cluster) failOver(t *testing.T) (dead *node) {
	t.Helper()
	dead = c.primary
	dead.kill()
	var best *node
	var furthest uint64
	for _, n := range c.nodes {
		if n == dead {
			continue
		}
		if got := received(t, n); best == nil || got > furthest {
			best, furthest = n, got
		}
	}
	best.run(t, "SELECT pg_promote(true, 30)")
	c.primary = best
	for _, n := range c.nodes {
		if n != dead && n != best {
			n.run(t, fmt.Sprintf("ALTER SYSTEM SET primary_conninfo = 'host=127.0.0.1 port=%d user=livery'", best.port), "SELECT pg_reload_conf()")
		}
	}
	return dead
}

// received returns how far a standby's log has come.
func received(t *testing.T, n *node) uint64 {
	t.Helper()
	conn, err := n.connect()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	var at string
	if err := conn.QueryRow(context.Background(), "SELECT coalesce(pg_last_wal_receive_lsn(), '0/0')::text").Scan(&at); err != nil {
		t.Fatal(err)
	}
	high, low, _ := strings.Cut(at, "/")
	h, _ := strconv.ParseUint(high, 16, 32)
	l, _ := strconv.ParseUint(low, 16, 32)
	return h<<32 | l
}

func (c *cluster) url() string {
	var hosts []string
	for _, n := range c.nodes {
		hosts = append(hosts, fmt.Sprintf("127.0.0.1:%d", n.port))
	}
	return "postgres://livery@" + strings.Join(hosts, ",") + "/postgres?sslmode=disable"
}

func (c *cluster) open(t *testing.T) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(context.Background(), c.url(), postgres.Options{Logger: quiet, RetryFor: time.Minute, CommitWait: time.Minute})
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

// Whatever was acknowledged is there after any number of lost primaries, in one log without a gap;
// nobody who wrote was shown an error.
func TestFailoversLoseNothing(t *testing.T) {
	needServer(t)
	rounds := 2
	if n, err := strconv.Atoi(os.Getenv(failoversVariable)); err == nil {
		rounds = n
	}
	c := startCluster(t)
	stores := []*postgres.Store{c.open(t), c.open(t)}
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
		time.Sleep(time.Duration(200+37*round%300) * time.Millisecond)
		dead := c.failOver(t)
		time.Sleep(500 * time.Millisecond)
		cancel()
		wg.Wait()
		c.join(t, dead)
		c.awaitStandbys(t, 2)
		gaps = append(gaps, all.longest.Round(time.Millisecond))
	}
	for _, err := range all.errs {
		t.Errorf("shown to a caller: %v", err)
	}
	for _, s := range stores {
		n := storagetest.Verify(t, s, all.acks)
		t.Logf("%d acknowledged commits, %d in the log, %d failovers; longest gaps between acknowledgements %v", len(all.acks), n, rounds, gaps)
	}
	again := c.open(t)
	storagetest.Verify(t, again, all.acks)
}
