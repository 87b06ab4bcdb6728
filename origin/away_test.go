package origin_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/livery/internal/test/postgrestest"
	"example.com/livery/origin"
	"example.com/livery/origin/maintenance"
	"example.com/livery/origin/operator"
	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
	"example.com/livery/storage/postgres"
	"example.com/livery/storage/record"
)

// faultyStore fails as a server that goes away does, at the calls that a test chooses.
type faultyStore struct {
	storage.Store
	views int         // how many of the next snapshots break in the midst
	late  bool        // commits are made, and reported as uncertain
	lost  string      // place of a commit that is gone
	alone atomic.Bool // another origin does what is done alone, such as sending webhooks: their reads break no count
}

func (s *faultyStore) View(ctx context.Context, fn func(storage.Reader) error) error {
	if s.views > 0 {
		s.views--
		return errors.Join(s.Store.View(ctx, fn), storage.ErrUnavailable)
	}
	return s.Store.View(ctx, fn)
}

func (s *faultyStore) Update(ctx context.Context, scope string, fn func(storage.Tx) (record.Change, error)) (storage.Cursor, error) {
	at, err := s.Store.Update(ctx, scope, fn)
	if s.late && err == nil {
		return storage.Cursor{}, storage.ErrUncertain
	}
	return at, err
}

func (s *faultyStore) Lost() (storage.Cursor, bool) {
	at, _ := storage.ParseCursor(s.lost)
	return at, s.lost != ""
}

func (s *faultyStore) TryAlone(ctx context.Context, _ string, fn func(context.Context) error) (bool, error) {
	if s.alone.Load() {
		return false, nil
	}
	return true, fn(ctx)
}

func newFaulty(t *testing.T) (*testOrigin, *faultyStore) {
	t.Helper()
	s := &faultyStore{}
	s.alone.Store(true)
	h := newTestOrigin(t, func(c *origin.Config) {
		s.Store = c.Store
		c.Store = s
	})
	return h, s
}

// What a request reads is read again if the store goes away in the midst of it.
func TestAReadThatBreaksIsReadAgain(t *testing.T) {
	t.Parallel()
	h, s := newFaulty(t)
	theme := h.theme("brand")
	s.views = 3 - 1
	h.want(200, "GET", theme, "")
	s.views = 3
	r := h.do(owner, "GET", theme, "")
	r.refuses(t, 503, "internal")
	if r.header.Get("Retry-After") != "1" {
		t.Errorf("Retry-After = %q, want 1", r.header.Get("Retry-After"))
	}
}

// A commit that may or may not have been made is answered 503 with Retry-After; a retry with the same
// Idempotency-Key is given the first answer, and a read sees it.
func TestAnUncertainCommitIsToldAndFoundAgain(t *testing.T) {
	t.Parallel()
	h, s := newFaulty(t)
	theme := h.theme("brand")
	create := func() reply {
		return h.do(owner, "POST", theme+"/variants", `{"slug":"dark","displayName":"Dark"}`, "Idempotency-Key", "one")
	}
	s.late = true
	first := create()
	first.refuses(t, 503, "internal")
	if first.header.Get("Retry-After") != "5" {
		t.Errorf("Retry-After = %q, want 5", first.header.Get("Retry-After"))
	}
	s.late = false
	again := create()
	if again.status != 201 || again.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("the same request again = %d %s, want the first answer", again.status, short(again.body))
	}
	if r := h.want(200, "GET", theme+"/variants", ""); strings.Count(r.body, `"dark"`) != 1 {
		t.Errorf("Variants = %s, want one", short(r.body))
	}
}

// What the store lost, and which engine it is, is in the status of the operator.
func TestALostHistoryIsTold(t *testing.T) {
	t.Parallel()
	h, s := newFaulty(t)
	call := h.operator()
	status := func() (s operator.Status) {
		if err := json.Unmarshal([]byte(call(200, "GET", "/status", "")), &s); err != nil {
			t.Fatal(err)
		}
		return s
	}
	if got := status(); got.Store != "shared" || got.Lost != "" || got.NotReady != "" || got.Cursor == "0" {
		t.Errorf("status() = %+v", got)
	}
	s.lost = "7.0123456789abcdef"
	if got := status(); got.Lost != s.lost {
		t.Errorf("status() = %+v, want %s lost", got, s.lost)
	}
}

// What is deleted is collected: found by one collection, and dropped by one a day later. Where another
// origin collects, this one does not.
func TestWhatNothingNamesIsCollected(t *testing.T) {
	t.Parallel()
	h, s := newFaulty(t)
	collect := func(after time.Duration) (storage.CollectResult, error) {
		return h.origin.Collect(context.Background(), storage.Collection{Now: time.Now().Add(after)})
	}
	s.alone.Store(false)
	if _, err := s.PutBlob(context.Background(), []byte("nothing names this")); err != nil {
		t.Fatal(err)
	}
	if done, err := collect(0); err != nil || done.Dropped != 0 || done.Waiting == 0 {
		t.Errorf("Collect() = %+v, %v, want what was put left alone", done, err)
	}
	s.alone.Store(true)
	if _, err := collect(0); !errors.Is(err, maintenance.ErrCollecting) {
		t.Errorf("Collect() while another does = %v, want ErrCollecting", err)
	}
	s.alone.Store(false)
	if done, err := h.origin.Collect(context.Background(), storage.Collection{Now: time.Now(), DryRun: true}); err != nil || done.Blobs == 0 {
		t.Errorf("Collect() without doing it = %+v, %v", done, err)
	}
}

// What another origin changes above Environments counts here: a token of the key it made is taken.
func TestATokenKeyOfAnotherOriginCounts(t *testing.T) {
	t.Parallel()
	h, s := newFaulty(t)
	other := &testOrigin{t: t, clock: h.clock, store: h.store}
	config := h.config
	config.Store = s.Store
	other.start(config)
	t.Cleanup(other.end)
	old := "Bearer " + h.token(owner)
	if r := h.do("", "GET", "/environments", "", "Authorization", old); r.status != 200 {
		t.Fatalf("a token of the key = %d, want 200", r.status)
	}
	if _, err := other.origin.Keys().Rotate(context.Background(), s.Store, true); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); h.do("", "GET", "/environments", "", "Authorization", old).status == 200; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("a token of a key that another origin dropped is still taken")
		}
	}
	if r := h.do("", "GET", "/environments", "", "Authorization", "Bearer "+other.token(owner)); r.status != 200 {
		t.Errorf("a token of the other origin's new key = %d, want 200", r.status)
	}
}

// startCluster starts a PostgreSQL for one test, which is skipped if this machine has none.
func startCluster(t *testing.T) *postgrestest.Cluster {
	t.Helper()
	if why := postgrestest.Why(); why != "" {
		t.Skip(why)
	}
	c, err := postgrestest.StartCluster()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// A commit that waits for standbys that are away is uncertain to its caller, and made when they are back;
// a server that is killed and comes back is nothing that a caller notices.
func TestCallersOfARealServer(t *testing.T) {
	t.Parallel()
	c := startCluster(t)
	h := newPostgresOrigin(t, c.URL(), 5*time.Second)
	theme := h.theme("brand")
	for _, n := range c.Nodes[1:] {
		n.Kill()
	}
	h.do(owner, "POST", theme+"/variants", `{"slug":"late","displayName":"Late"}`).refuses(t, 503, "internal")
	if err := c.Join(c.Nodes[1]); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); !strings.Contains(h.want(200, "GET", theme+"/variants", "").body, "Late"); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the commit was never made")
		}
	}
	if err := errors.Join(c.Join(c.Nodes[2]), c.AwaitStandbys(2)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.FailOver(); err != nil {
		t.Fatal(err)
	}
	h.variant(theme, "after")
	if r := h.want(200, "GET", theme+"/variants", ""); !strings.Contains(r.body, `"late"`) || !strings.Contains(r.body, `"after"`) {
		t.Errorf("Variants after the failover = %s, want both", short(r.body))
	}
}

// newPostgresOrigin starts an origin whose store is the PostgreSQL at url. A commit waits so long for standbys.
func newPostgresOrigin(t *testing.T, url string, commitWait time.Duration) *testOrigin {
	t.Helper()
	s := openPostgres(t, url, commitWait)
	h := newTestOrigin(t, func(config *origin.Config) {
		embedded := config.Store.(*pebble.Store)
		if err := copyRecords(embedded, s); err != nil {
			t.Fatal(err)
		}
		config.Store = s
	})
	h.store = s
	return h
}

func openPostgres(t *testing.T, url string, commitWait time.Duration) *postgres.Store {
	t.Helper()
	quiet := slog.New(slog.DiscardHandler)
	s, err := postgres.Open(context.Background(), url, postgres.Options{Logger: quiet, CommitWait: commitWait, RetryFor: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// Events and batches of Variants on a real PostgreSQL: a list, a stream and a trimmed table say what they say on the embedded
// store, and writers through two origins lose no update and no event.
func TestCallersMeetTheSameEventsOnARealServer(t *testing.T) {
	t.Parallel()
	c := startCluster(t)
	h := newPostgresOrigin(t, c.URL(), time.Minute)
	h.checkEvents(t)
	h.checkStreams(t)
	h.checkBatches(t)
	other := newTestOrigin(t, func(config *origin.Config) { config.Store = openPostgres(t, c.URL(), time.Minute) })
	other.sandbox = h.sandbox
	checkTwoOrigins(t, h, other)
}

// copyRecords gives one store the records of another.
func copyRecords(from, to storage.Store) error {
	return from.View(context.Background(), func(r storage.Reader) error {
		_, err := to.Update(context.Background(), storage.Global, func(tx storage.Tx) (record.Change, error) {
			var failed error
			err := r.Scan(nil, storage.Ascending, func(key, value []byte) bool {
				failed = tx.Set(key, value)
				return failed == nil
			})
			return record.Change{}, errors.Join(err, failed)
		})
		return err
	})
}
