package storagetest

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

func runScopes(t *testing.T, open Open) {
	prove(t, open, []rule{
		{"writers of one scope are serial", scopeSerial},
		{"writers of two scopes run side by side", scopesConcurrent},
		{"a Global writer runs alone", globalAlone},
		{"a context that ends while waiting for the scope is obeyed", cancelledWaiting},
	})
}

// increment adds one to a number that is read and written in one transaction.
func increment(tx storage.Tx, key string) error {
	n := 0
	value, err := tx.Get([]byte(key))
	switch {
	case err == nil:
		if n, err = strconv.Atoi(string(value)); err != nil {
			return err
		}
	case !errors.Is(err, storage.ErrNotFound):
		return err
	}
	return tx.Set([]byte(key), []byte(strconv.Itoa(n+1)))
}

func scopeSerial(t *testing.T, store storage.Store) {
	const writers, each = 8, 10
	var wg sync.WaitGroup
	var inside atomic.Int32
	for range writers {
		wg.Go(func() {
			for range each {
				_, err := store.Update(context.Background(), "e", func(tx storage.Tx) (record.Change, error) {
					if inside.Add(1) != 1 {
						t.Error("two writers of one scope at once")
					}
					defer inside.Add(-1)
					return record.Change{}, increment(tx, "K\x00")
				})
				if err != nil {
					t.Errorf("Update() = %v", err)
				}
			}
		})
	}
	wg.Wait()
	view(t, store, func(r storage.Reader) {
		if got, err := r.Get([]byte("K\x00")); string(got) != strconv.Itoa(writers*each) {
			t.Errorf("after %d increments: %q, %v", writers*each, got, err)
		}
	})
}

func scopesConcurrent(t *testing.T, store storage.Store) {
	first, second, done := make(chan struct{}, 1), make(chan struct{}, 1), make(chan error, 1)
	go func() {
		_, err := store.Update(context.Background(), "e1", func(tx storage.Tx) (record.Change, error) {
			first <- struct{}{}
			<-second
			return write("K1\x00", "1")(tx)
		})
		done <- err
	}()
	within(t, "the first writer's start", first)
	committed := make(chan error, 1)
	go func() {
		_, err := store.Update(context.Background(), "e2", write("K2\x00", "2"))
		committed <- err
	}()
	err := within(t, "the commit of the second scope", committed)
	second <- struct{}{}
	if err := errors.Join(err, within(t, "the commit of the first scope", done)); err != nil {
		t.Errorf("Update() = %v", err)
	}
}

func globalAlone(t *testing.T, store storage.Store) {
	var inside atomic.Int32
	var wg sync.WaitGroup
	for w := range 6 {
		scope := "e" + strconv.Itoa(w)
		if w < 2 {
			scope = storage.Global
		}
		wg.Go(func() {
			for range 20 {
				_, err := store.Update(context.Background(), scope, func(tx storage.Tx) (record.Change, error) {
					n := inside.Add(1)
					defer inside.Add(-1)
					if scope == storage.Global && n != 1 {
						t.Error("a Global writer beside another")
					}
					return record.Change{}, increment(tx, "K"+scope+"\x00")
				})
				if err != nil {
					t.Errorf("Update(%q) = %v", scope, err)
				}
			}
		})
	}
	wg.Wait()
}

func cancelledWaiting(t *testing.T, store storage.Store) {
	for _, scope := range []string{"e", storage.Global} {
		entered, leave, done := make(chan struct{}, 1), make(chan struct{}), make(chan error, 1)
		go func() {
			_, err := store.Update(context.Background(), "e", func(tx storage.Tx) (record.Change, error) {
				entered <- struct{}{}
				<-leave
				return write("K\x00", "1")(tx)
			})
			done <- err
		}()
		within(t, "the first writer's start", entered)
		ctx, cancel := context.WithCancel(context.Background())
		waiting := make(chan error, 1)
		go func() {
			_, err := store.Update(ctx, scope, write("K\x00", "2"))
			waiting <- err
		}()
		cancel()
		if err := within(t, "the end of the cancelled wait", waiting); !errors.Is(err, context.Canceled) {
			t.Errorf("Update(%q) that was cancelled = %v, want %v", scope, err, context.Canceled)
		}
		close(leave)
		if err := within(t, "the first commit", done); err != nil {
			t.Errorf("Update() = %v", err)
		}
	}
	update(t, store, storage.Global, write("K\x00", "3"))
}
