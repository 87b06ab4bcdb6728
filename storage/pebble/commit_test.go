package pebble_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
	"example.com/livery/storage/record"
)

const patience = time.Minute

// stalledStore is a store whose syncs wait until the gate is opened.
type stalledStore struct {
	*pebble.Store
	disk *disk
	gate chan struct{}
	once sync.Once // opens the gate
}

func openStalled(t testing.TB) *stalledStore {
	s := &stalledStore{disk: &disk{FS: vfs.NewMem()}, gate: make(chan struct{})}
	var shut atomic.Bool
	s.disk.before = func() {
		if shut.Load() {
			<-s.gate
		}
	}
	s.Store = open(t, "data", pebble.Options{FS: s.disk})
	shut.Store(true)
	t.Cleanup(s.openGate) // or Close would wait for ever if a test gave up
	return s
}

func (s *stalledStore) openGate() { s.once.Do(func() { close(s.gate) }) }

// set is a transaction's function that sets one key.
func set(key, value string) func(storage.Tx) (record.Change, error) {
	return func(tx storage.Tx) (record.Change, error) {
		return record.Change{}, tx.Set([]byte(key), []byte(value))
	}
}

// update starts a commit and returns when its function has run and its scope is free again: the
// commit has its place then. Its end comes through the channel.
func (s *stalledStore) update(t *testing.T, scope string, fn func(storage.Tx) (record.Change, error)) <-chan error {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		_, err := s.Update(context.Background(), scope, fn)
		done <- err
	}()
	s.eventually(t, "a commit is applied", func() bool { return s.readInTx(t, scope, "K") != "" })
	return done
}

// readInTx reads a key as the next writer sees it, durable or not.
func (s *stalledStore) readInTx(t *testing.T, scope, key string) string {
	t.Helper()
	seen := make(chan string, 1)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, err := s.Update(ctx, scope, func(tx storage.Tx) (record.Change, error) {
		value, _ := tx.Get([]byte(key))
		seen <- string(value)
		cancel()
		return record.Change{}, context.Canceled
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("Update() that gave up = %v", err)
	}
	return result(t, seen)
}

func (s *stalledStore) eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}

// finish opens the gate and sees the commit through.
func (s *stalledStore) finish(t *testing.T, done <-chan error) {
	t.Helper()
	s.openGate()
	if err := result(t, done); err != nil {
		t.Errorf("Update() = %v", err)
	}
}

// result receives what must come.
func result[T any](t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(patience):
		t.Fatalf("no result within %s", patience)
	}
	panic("unreachable")
}

func TestWhatIsNotDurableIsNotShown(t *testing.T) {
	t.Parallel()
	s := openStalled(t)
	done := s.update(t, "e", set("K", "1"))
	err := s.View(context.Background(), func(r storage.Reader) error {
		if got, err := r.Get([]byte("K")); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("Get before the sync = %q, %v, want ErrNotFound", got, err)
		}
		if r.Cursor() != (storage.Cursor{}) {
			t.Errorf("Cursor before the sync = %s, want 0", r.Cursor())
		}
		return nil
	})
	if err != nil {
		t.Errorf("View() = %v", err)
	}
	if got, err := s.Changes(context.Background(), storage.Cursor{}, 10); err != nil || len(got) != 0 {
		t.Errorf("Changes before the sync = %v, %v, want none", got, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if err := s.Wait(ctx, storage.Cursor{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Wait before the sync = %v, want %v", err, context.DeadlineExceeded)
	}
	trimmed := make(chan error, 1)
	go func() { trimmed <- s.Trim(context.Background(), 10) }()
	if err := result(t, trimmed); err != nil {
		t.Errorf("Trim before the sync = %v", err)
	}
	select {
	case err := <-done:
		t.Errorf("Update returned before its sync: %v", err)
	default:
	}
	s.finish(t, done)
	if got, err := s.Changes(context.Background(), storage.Cursor{}, 10); err != nil || len(got) != 1 {
		t.Errorf("Changes after the sync = %v, %v, want one", got, err)
	}
}

func TestAnAnswerFromWhatIsNotDurableWaits(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]error{"nothing written": nil, "refused": errors.New("there is a K")} {
		t.Run(name, func(t *testing.T) {
			s := openStalled(t)
			done := s.update(t, "e", set("K", "1"))
			ran, answered := make(chan string, 1), make(chan error, 1)
			go func() {
				_, err := s.Update(context.Background(), "e", func(tx storage.Tx) (record.Change, error) {
					value, _ := tx.Get([]byte("K"))
					ran <- string(value)
					return record.Change{}, answer
				})
				answered <- err
			}()
			if got := result(t, ran); got != "1" {
				t.Errorf("the next writer of the scope sees %q, want 1", got)
			}
			s.readInTx(t, "e", "K") // by a writer that comes later
			if len(answered) > 0 {
				t.Error("Update() answered from what was not durable")
			}
			s.finish(t, done)
			if err := result(t, answered); !errors.Is(err, answer) {
				t.Errorf("Update() = %v, want %v", err, answer)
			}
		})
	}
}

func TestACommitOnceBegunIsNotAbandoned(t *testing.T) {
	t.Parallel()
	s := openStalled(t)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		_, err := s.Update(ctx, "e", set("K", "1"))
		done <- err
	}()
	s.eventually(t, "the commit is applied", func() bool { return s.readInTx(t, "e", "K") == "1" })
	cancel()
	s.finish(t, done)
}

func TestCommitsInFlightShareOneSync(t *testing.T) {
	t.Parallel()
	const writers = 64
	s := openStalled(t)
	first := s.update(t, "first", set("K", "1"))
	before := s.disk.syncs.Load()
	var others []<-chan error
	for i := range writers {
		others = append(others, s.update(t, fmt.Sprint("e", i%8), set(fmt.Sprint("K", i), "1")))
	}
	s.eventually(t, "all are applied", func() bool {
		missing := false
		for i := range writers {
			missing = missing || s.readInTx(t, "e", fmt.Sprint("K", i)) == ""
		}
		return !missing
	})
	s.finish(t, first)
	for _, done := range others {
		if err := result(t, done); err != nil {
			t.Errorf("Update() = %v", err)
		}
	}
	// One sync was under way when the rest came, and one or two carry all of them.
	if n := s.disk.syncs.Load() - before; n > 3 {
		t.Errorf("%d commits behind one sync took %d syncs, want 3 at most", writers, n)
	}
}

func TestEachLoneCommitIsSynced(t *testing.T) {
	t.Parallel()
	d := &disk{FS: vfs.NewMem()}
	s := open(t, "data", pebble.Options{FS: d})
	before := d.syncs.Load()
	for i := range 10 {
		if _, err := s.Update(context.Background(), "e", set("K", strings.Repeat("v", i))); err != nil {
			t.Fatalf("Update() = %v", err)
		}
	}
	if n := d.syncs.Load() - before; n != 10 {
		t.Errorf("10 commits in a row took %d syncs, want 10", n)
	}
}

// BenchmarkUpdate commits over a disk whose sync takes a millisecond. Ratios between the numbers of
// writers are what it is for.
func BenchmarkUpdate(b *testing.B) {
	for _, writers := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			d := &disk{FS: vfs.NewMem(), before: func() { time.Sleep(time.Millisecond) }}
			s := open(b, "data", pebble.Options{FS: d})
			value := strings.Repeat("v", 500)
			turns := make(chan struct{})
			var wg sync.WaitGroup
			for w := range writers {
				scope := fmt.Sprint("env_", w)
				wg.Go(func() {
					for range turns {
						if _, err := s.Update(context.Background(), scope, set("K"+scope, value)); err != nil {
							b.Errorf("Update() = %v", err)
						}
					}
				})
			}
			before, n := d.syncs.Load(), 0
			for b.Loop() {
				turns <- struct{}{}
				n++
			}
			close(turns)
			wg.Wait()
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "commits/s")
			b.ReportMetric(float64(d.syncs.Load()-before)/float64(n), "syncs/commit")
		})
	}
}
