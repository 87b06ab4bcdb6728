package postgres_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/livery/internal/test/storagetest"
	"example.com/livery/storage"
	"example.com/livery/storage/postgres"
	"example.com/livery/storage/record"
)

// A Global commit rests on all others; it comes to its end although another origin commits all the time.
func TestABusyOriginDoesNotStarveAnother(t *testing.T) {
	a := one(t)
	schema := a.schema(t)
	busy, other := a.reopen(t, schema, postgres.Options{}), a.reopen(t, schema, postgres.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				if _, err := (storagetest.Step{Writer: w, Number: n}).Do(context.Background(), busy); err != nil {
					t.Errorf("Update() = %v", err)
					return
				}
			}
		})
	}
	runs := 0
	for n := range 20 {
		step := storagetest.Step{Writer: 100, Number: 5*n + 4} // a Global one
		if _, err := step.Do(context.Background(), other); err != nil {
			t.Errorf("Update() beside a busy origin = %v", err)
		}
		runs++
	}
	cancel()
	wg.Wait()
	if n := storagetest.Verify(t, other, nil); n < runs {
		t.Errorf("%d entries in the log, want %d at least", n, runs)
	}
}

// What fn refuses while it holds the head of the log is told to its caller, and others go on.
func TestARefusalWithTheHeadLockedIsTold(t *testing.T) {
	a := one(t)
	schema := a.schema(t)
	s, other := a.reopen(t, schema, postgres.Options{}), a.reopen(t, schema, postgres.Options{})
	refused, runs := errors.New("refused"), 0
	_, err := s.Update(context.Background(), storage.Global, func(tx storage.Tx) (record.Change, error) {
		if runs++; runs == 1 { // overtaken, and then by nobody any more
			if _, err := other.Update(context.Background(), "e", set("K", "1")); err != nil {
				t.Fatal(err)
			}
			return record.Change{}, tx.Set([]byte("K"), []byte("2"))
		}
		return record.Change{}, refused
	})
	if !errors.Is(err, refused) || runs != 2 {
		t.Errorf("Update() = %v after %d runs, want %v after 2", err, runs, refused)
	}
	for _, s := range []*postgres.Store{s, other} {
		if _, err := s.Update(context.Background(), "e", set("K", "3")); err != nil {
			t.Errorf("Update() afterwards = %v", err)
		}
	}
	idle, err := s.Update(context.Background(), storage.Global, func(storage.Tx) (record.Change, error) { return record.Change{}, nil })
	if err != nil || idle != at(t, other) {
		t.Errorf("Update() of nothing = %s, %v, want %s", idle, err, at(t, other))
	}
}

// Without a quorum a commit is uncertain for its caller, and takes place when the quorum is back.
func TestACommitWithoutAQuorumIsUncertain(t *testing.T) {
	c := startCluster(t)
	s, err := postgres.Open(context.Background(), c.URL(), postgres.Options{Logger: quiet, CommitWait: 2 * time.Second, RetryFor: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	for _, n := range c.Nodes[1:] {
		n.Kill()
	}
	if _, err := s.Update(context.Background(), "e", set("K", "1")); !errors.Is(err, storage.ErrUncertain) {
		t.Errorf("Update() without standbys = %v, want ErrUncertain", err)
	}
	if got := at(t, s); got.Seq != 0 {
		t.Errorf("a reader is shown %s before a quorum has it", got)
	}
	if err := c.Join(c.Nodes[1]); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := s.Wait(ctx, storage.Cursor{}); err != nil || at(t, s).Seq != 1 {
		t.Errorf("Wait() = %v at %s, want the one commit", err, at(t, s))
	}
}

// A tail that is lost behind a connection that lasts is noticed.
func TestATailThatIsCutIsNoticed(t *testing.T) {
	a := one(t)
	schema := a.schema(t)
	s := a.reopen(t, schema, postgres.Options{})
	for range 3 {
		if _, err := s.Update(context.Background(), "e", set("K", "1")); err != nil {
			t.Fatal(err)
		}
	}
	was := at(t, s)
	awaitSeen(t, s, was)
	a.run(t, cutTail(schema)...)
	awaitLost(t, s, was)
}

// cutTail cuts a change log after its second entry.
func cutTail(schema string) []string {
	return []string{
		"UPDATE " + schema + ".livery_head SET seq = 2, tag = (SELECT tag FROM " + schema + ".livery_changes WHERE seq = 2)",
		"DELETE FROM " + schema + ".livery_changes WHERE seq > 2",
	}
}

// A tail that is lost while the origin runs, or before it starts, is noticed.
func TestALostTailIsNoticed(t *testing.T) {
	a := one(t)
	schema, logEnd := a.schema(t), filepath.Join(t.TempDir(), "logEnd")
	s := a.reopen(t, schema, postgres.Options{LogEndFile: logEnd})
	for range 3 {
		if _, err := s.Update(context.Background(), "e", set("K", "1")); err != nil {
			t.Fatal(err)
		}
	}
	was := at(t, s)
	awaitSeen(t, s, was)
	a.run(t, append(cutTail(schema), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'livery'")...)
	awaitLost(t, s, was)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if again := a.reopen(t, schema, postgres.Options{LogEndFile: logEnd}); lostOf(again) != (storage.Cursor{}) {
		t.Errorf("Lost() = %s of what was lost before", lostOf(again))
	} else if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(logEnd)
	if err != nil {
		t.Fatal(err)
	}
	id, _, _ := strings.Cut(string(text), " ")
	if err := os.WriteFile(logEnd, []byte(id+" "+was.String()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if again := a.reopen(t, schema, postgres.Options{LogEndFile: logEnd}); lostOf(again) != was {
		t.Errorf("Lost() = %s, want %s", lostOf(again), was)
	}
	if err := os.WriteFile(logEnd, []byte("0123 "+was.String()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if again := a.reopen(t, schema, postgres.Options{LogEndFile: logEnd}); lostOf(again) != (storage.Cursor{}) {
		t.Errorf("Lost() = %s of another database", lostOf(again))
	}
}

func lostOf(s *postgres.Store) storage.Cursor {
	lost, _ := s.Lost()
	return lost
}

// awaitSeen returns when the store's follower has come to a place: it wakes those that wait.
func awaitSeen(t *testing.T, s *postgres.Store, want storage.Cursor) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	waited := make(chan error, 1)
	go func() { waited <- s.Wait(ctx, want) }()
	if _, err := s.Update(ctx, "e", set("K", "seen")); err != nil {
		t.Fatal(err)
	}
	if err := <-waited; err != nil {
		t.Fatal(err)
	}
}

func awaitLost(t *testing.T, s *postgres.Store, from storage.Cursor) {
	t.Helper()
	for end := time.Now().Add(time.Minute); lostOf(s).Seq < from.Seq; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("Lost() = %s, want %s or later", lostOf(s), from)
		}
	}
}

// One process at a time does what is done alone.
func TestOneProcessAtATimeIsAlone(t *testing.T) {
	a := one(t)
	schema := a.schema(t)
	s, other := a.reopen(t, schema, postgres.Options{}), a.reopen(t, schema, postgres.Options{})
	try := func(s *postgres.Store, name string) bool {
		ran, err := s.TryAlone(context.Background(), name, func(context.Context) error { return nil })
		if err != nil {
			t.Errorf("TryAlone() = %v", err)
		}
		return ran
	}
	ran, err := s.TryAlone(context.Background(), "collect", func(context.Context) error {
		if try(other, "collect") {
			t.Error("two ran at a time")
		}
		if !try(other, "another") {
			t.Error("another name waits")
		}
		return nil
	})
	if err != nil || !ran || !try(other, "collect") {
		t.Errorf("TryAlone() = %t, %v, and afterwards another does not run", ran, err)
	}
}
