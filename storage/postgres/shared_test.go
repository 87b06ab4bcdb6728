package postgres_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/livery/storage"
	"example.com/livery/storage/postgres"
	"example.com/livery/storage/record"
)

// count adds one to a number at key.
func count(tx storage.Tx, key string) (n int, err error) {
	value, err := tx.Get([]byte(key))
	if err == nil {
		n, err = strconv.Atoi(string(value))
	} else if errors.Is(err, storage.ErrNotFound) {
		err = nil
	}
	return n + 1, errors.Join(err, tx.Set([]byte(key), []byte(strconv.Itoa(n+1))))
}

// ask returns one number that the server answers.
func (a *alone) ask(t *testing.T, query string) (n int) {
	t.Helper()
	conn, err := a.Connect()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	if err := conn.QueryRow(context.Background(), query).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

// Writers of one scope see each other's writes, and go to the disk together: fewer transactions than commits.
func TestWritersOfOneScopeShareTransactions(t *testing.T) {
	a := one(t)
	schema := a.schema(t)
	s := a.reopen(t, schema, postgres.Options{})
	const writers, each = 8, 25
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range each {
				if _, err := s.Update(context.Background(), "e", func(tx storage.Tx) (record.Change, error) {
					_, err := count(tx, "K")
					return record.Change{EnvironmentID: "e"}, err
				}); err != nil {
					t.Errorf("Update() = %v", err)
				}
			}
		})
	}
	wg.Wait()
	if got := value(t, s, "K"); got != strconv.Itoa(writers*each) {
		t.Errorf("after %d commits the number is %s", writers*each, got)
	}
	entries := a.ask(t, "SELECT count(*) FROM "+schema+".livery_changes")
	transactions := a.ask(t, "SELECT count(DISTINCT xmin::text) FROM "+schema+".livery_changes")
	t.Logf("%d commits in %d transactions", entries, transactions)
	if entries != writers*each || transactions > entries*3/4 {
		t.Errorf("%d commits took %d transactions", entries, transactions)
	}
	a.awaitIdle(t)
}

func value(t *testing.T, s *postgres.Store, key string) (got string) {
	t.Helper()
	err := s.View(context.Background(), func(r storage.Reader) error {
		value, err := r.Get([]byte(key))
		got = string(value)
		return err
	})
	if err != nil {
		t.Errorf("Get(%q) = %v", key, err)
	}
	return got
}

// awaitIdle returns when no snapshot is open any more.
func (a *alone) awaitIdle(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		open := a.ask(t, "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'livery' AND state LIKE 'idle in transaction%'")
		if open == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d snapshots are still open", open)
		}
	}
}

// Origins that write in one scope see what the others wrote, and few functions run in vain.
func TestOriginsInOneScopeRunFewFunctionsInVain(t *testing.T) {
	a := one(t)
	schema := a.schema(t)
	const stores, writers, each = 2, 6, 25
	var wg sync.WaitGroup
	var runs atomic.Int64
	var all []*postgres.Store
	for range stores {
		s := a.reopen(t, schema, postgres.Options{})
		all = append(all, s)
		for range writers {
			wg.Go(func() {
				for range each {
					if _, err := s.Update(context.Background(), "e", func(tx storage.Tx) (record.Change, error) {
						runs.Add(1)
						time.Sleep(time.Millisecond) // as rules take time, in which another origin may commit
						_, err := count(tx, "K")
						return record.Change{EnvironmentID: "e"}, err
					}); err != nil {
						t.Errorf("Update() = %v", err)
					}
				}
			})
		}
	}
	wg.Wait()
	want := stores * writers * each
	for _, s := range all {
		if got := value(t, s, "K"); got != strconv.Itoa(want) {
			t.Errorf("after %d commits the number is %s", want, got)
		}
	}
	t.Logf("%d runs for %d commits", runs.Load(), want)
	if int(runs.Load()) > 2*want {
		t.Errorf("%d functions ran for %d commits", runs.Load(), want)
	}
	a.awaitIdle(t)
}

// What a function refuses by a write that is not durable yet is told when it is.
func TestARefusalWaitsForWhatItRestsOn(t *testing.T) {
	a := one(t)
	schema := a.schema(t)
	s := a.reopen(t, schema, postgres.Options{})
	if _, err := s.Update(context.Background(), "e", set("K", "0")); err != nil {
		t.Fatal(err)
	}
	blocker, err := a.Connect()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = blocker.Close(context.Background()) }()
	if _, err := blocker.Exec(context.Background(), "BEGIN; SELECT * FROM "+schema+".livery_head FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	first, second := make(chan error, 1), make(chan error, 1)
	entered, leave := make(chan struct{}), make(chan struct{})
	go func() {
		_, err := s.Update(context.Background(), "e", func(tx storage.Tx) (record.Change, error) {
			close(entered)
			<-leave
			return record.Change{}, tx.Set([]byte("K"), []byte("1"))
		})
		first <- err
	}()
	<-entered
	refused := errors.New("refused")
	var saw atomic.Pointer[string]
	go func() {
		_, err := s.Update(context.Background(), "e", func(tx storage.Tx) (record.Change, error) {
			value, err := tx.Get([]byte("K"))
			text := string(value)
			saw.Store(&text)
			return record.Change{}, errors.Join(err, refused)
		})
		second <- err
	}()
	time.Sleep(10 * time.Millisecond) // the second waits for the scope, or comes later: the rule is the same
	close(leave)
	for end := time.Now().Add(time.Second); saw.Load() == nil && time.Now().Before(end); time.Sleep(time.Millisecond) {
	}
	a.ask(t, "SELECT 1") // which takes longer than an answer
	if len(second) > 0 {
		t.Fatalf("Update() = %v before the commit that it was shown", <-second)
	}
	if _, err := blocker.Exec(context.Background(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := <-first; err != nil {
		t.Errorf("the first Update() = %v", err)
	}
	if err := <-second; !errors.Is(err, refused) || *saw.Load() != "1" {
		t.Errorf("the second Update() = %v, shown %s, want %v, shown 1", err, *saw.Load(), refused)
	}
}

// A writer that goes away while it waits for its scope leaves no snapshot open, whenever it goes.
func TestAWriterThatGoesAwayLeavesNoSnapshot(t *testing.T) {
	a := one(t)
	s := a.open(t, postgres.Options{})
	for n := range 300 {
		scope := "e" + strconv.Itoa(n)
		ctx, cancel := context.WithCancel(context.Background())
		var wg sync.WaitGroup
		_, err := s.Update(context.Background(), scope, func(tx storage.Tx) (record.Change, error) {
			wg.Go(func() {
				if _, err := s.Update(ctx, scope, set("K", "2")); err != nil && !errors.Is(err, context.Canceled) {
					t.Errorf("Update() = %v", err)
				}
			})
			time.Sleep(time.Millisecond) // the other waits, or comes later: the rule is the same
			wg.Go(func() {
				time.Sleep(time.Duration(n) * time.Microsecond)
				cancel()
			})
			return record.Change{}, tx.Set([]byte("K"), []byte("1"))
		})
		if err != nil {
			t.Fatalf("Update() = %v", err)
		}
		wg.Wait()
	}
	a.awaitIdle(t)
}

// What another origin was told is committed is seen by every function that runs from then on, beside writers that
// share a snapshot too: also by one that writes nothing.
func TestAnotherOriginsCommitIsSeenAtOnce(t *testing.T) {
	a := one(t)
	schema := a.schema(t)
	s, other := a.reopen(t, schema, postgres.Options{}), a.reopen(t, schema, postgres.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			for ctx.Err() == nil {
				if _, err := s.Update(context.Background(), "e", set("busy", "1")); err != nil {
					t.Errorf("Update() = %v", err)
				}
			}
		})
	}
	refused := errors.New("refused")
	for n := range 100 {
		want := strconv.Itoa(n)
		if _, err := other.Update(context.Background(), storage.Global, set("K", want)); err != nil {
			t.Fatal(err)
		}
		var saw string
		_, err := s.Update(context.Background(), "e", func(tx storage.Tx) (record.Change, error) {
			value, err := tx.Get([]byte("K"))
			saw = string(value)
			return record.Change{}, errors.Join(err, refused)
		})
		if !errors.Is(err, refused) || saw != want {
			t.Errorf("Update() = %v, shown %q, want %q", err, saw, want)
		}
	}
	cancel()
	wg.Wait()
}
