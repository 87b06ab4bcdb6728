// Package storagetest is the suite that every engine of storage passes: what the contract of
// storage.Store says, rule by rule, a model that random operations are compared with, and a
// workload whose outcome can be checked after a crash. It knows no engine.
package storagetest

import (
	"context"
	"testing"
	"time"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// Open returns a new, empty Store. The caller closes the Store.
type Open func(t *testing.T) storage.Store

// timeout bounds every wait of the suite for something that must happen.
const timeout = 30 * time.Second

// Run holds an engine to the contract. open is called once for each rule, and often for the model.
func Run(t *testing.T, open Open) {
	suites := []struct {
		name string
		run  func(*testing.T, Open)
	}{
		{"keys", runKeys},
		{"transactions", runTransactions},
		{"scopes", runScopes},
		{"log", runLog},
		{"wait", runWait},
		{"close", runClose},
		{"trim", runTrim},
		{"blobs", runBlobs},
		{"writers", runWriters},
		{"model", runModel},
	}
	for _, s := range suites {
		t.Run(s.name, func(t *testing.T) { s.run(t, open) })
	}
}

// rule is one sentence of the contract and its proof.
type rule struct {
	says string
	hold func(t *testing.T, store storage.Store)
}

// prove gives each rule a store of its own.
func prove(t *testing.T, open Open, rules []rule) {
	for _, r := range rules {
		t.Run(r.says, func(t *testing.T) {
			store := open(t)
			t.Cleanup(func() { _ = store.Close() })
			r.hold(t, store)
		})
	}
}

// tester is what a test of testing and one of rapid have in common.
type tester interface {
	Helper()
	Fatalf(format string, args ...any)
}

// pair is a key and its value, comparable.
type pair struct{ key, value string }

// write is a transaction's function that sets keys to values, in turns.
func write(keysAndValues ...string) func(storage.Tx) (record.Change, error) {
	return func(tx storage.Tx) (record.Change, error) {
		for i := 0; i < len(keysAndValues); i += 2 {
			if err := tx.Set([]byte(keysAndValues[i]), []byte(keysAndValues[i+1])); err != nil {
				return record.Change{}, err
			}
		}
		return record.Change{ThemeID: keysAndValues[0]}, nil
	}
}

// update commits fn in scope and returns its place.
func update(t tester, store storage.Store, scope string, fn func(storage.Tx) (record.Change, error)) storage.Cursor {
	t.Helper()
	cursor, err := store.Update(context.Background(), scope, fn)
	if err != nil {
		t.Fatalf("Update(%q) = %v", scope, err)
	}
	return cursor
}

// view runs fn on a snapshot.
func view(t tester, store storage.Store, fn func(storage.Reader)) {
	t.Helper()
	err := store.View(context.Background(), func(r storage.Reader) error {
		fn(r)
		return nil
	})
	if err != nil {
		t.Fatalf("View() = %v", err)
	}
}

// pairs scans everything below prefix.
func pairs(t tester, r storage.Reader, prefix string, order storage.Order) []pair {
	t.Helper()
	var all []pair
	err := r.Scan([]byte(prefix), order, func(key, value []byte) bool {
		all = append(all, pair{string(key), string(value)})
		return true
	})
	if err != nil {
		t.Fatalf("Scan(%q) = %v", prefix, err)
	}
	return all
}

// stored returns everything in the store.
func stored(t tester, store storage.Store) []pair {
	t.Helper()
	var all []pair
	view(t, store, func(r storage.Reader) { all = pairs(t, r, "", storage.Ascending) })
	return all
}

// logged returns the whole log after a cursor.
func logged(t tester, store storage.Store, after storage.Cursor) []storage.LoggedChange {
	t.Helper()
	var all []storage.LoggedChange
	for {
		some, err := store.Changes(context.Background(), after, 100)
		if err != nil {
			t.Fatalf("Changes(%s) = %v", after, err)
		}
		if len(some) == 0 {
			return all
		}
		all = append(all, some...)
		after = some[len(some)-1].Cursor
	}
}

// within fails the test if what it waits for does not come.
func within[T any](t tester, what string, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(timeout):
		t.Fatalf("%s did not happen within %s", what, timeout)
	}
	panic("unreachable")
}
