package storagetest

import (
	"bytes"
	"context"
	"slices"
	"sync"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// DeletedCounter is a Store that counts the deleted keys which lie within what scans read. An engine may have to step over each
// of them until it has cleared them away, so a scan that begins where the keys begin costs what was ever deleted. Keys that
// are written again are not told from deleted ones.
type DeletedCounter struct {
	storage.Store

	mu      sync.Mutex // guards all below
	there   [][]byte   // that were written, in their order
	deleted [][]byte   // in their order
	crossed int
}

// NewDeletedCounter returns a DeletedCounter of a store that is empty.
func NewDeletedCounter(store storage.Store) *DeletedCounter { return &DeletedCounter{Store: store} }

// Counts returns how many keys were deleted, and how many deleted keys scans have read over.
func (c *DeletedCounter) Counts() (deleted, crossed int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.deleted), c.crossed
}

// View is that of the store.
func (c *DeletedCounter) View(ctx context.Context, fn func(storage.Reader) error) error {
	return c.Store.View(ctx, func(r storage.Reader) error { return fn(countedReader{r, c}) })
}

// Update is that of the store.
func (c *DeletedCounter) Update(ctx context.Context, scope string, fn func(storage.Tx) (record.Change, error)) (storage.Cursor, error) {
	return c.Store.Update(ctx, scope, func(tx storage.Tx) (record.Change, error) {
		return fn(countedTx{countedReader{tx, c}, tx})
	})
}

func (c *DeletedCounter) set(key []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at, known := slices.BinarySearchFunc(c.there, key, bytes.Compare); !known {
		c.there = slices.Insert(c.there, at, bytes.Clone(key))
	}
}

func (c *DeletedCounter) drop(start, end []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	from, to := keysBetween(c.there, start, end)
	for _, key := range c.there[from:to] {
		if at, known := slices.BinarySearchFunc(c.deleted, key, bytes.Compare); !known {
			c.deleted = slices.Insert(c.deleted, at, key)
		}
	}
	c.there = slices.Delete(c.there, from, to)
}

func (c *DeletedCounter) cross(start, end []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	from, to := keysBetween(c.deleted, start, end)
	c.crossed += to - from
}

// keysBetween returns which of the sorted keys come from start on and before end.
func keysBetween(keys [][]byte, start, end []byte) (from, to int) {
	from, _ = slices.BinarySearchFunc(keys, start, bytes.Compare)
	to, _ = slices.BinarySearchFunc(keys, end, bytes.Compare)
	return from, max(from, to)
}

type countedReader struct {
	storage.Reader
	counter *DeletedCounter
}

// Scan counts.
func (r countedReader) Scan(prefix []byte, order storage.Order, each func(key, value []byte) bool) error {
	start, end := storage.Span(prefix)
	return r.ScanRange(start, end, order, each)
}

// ScanRange counts what lies between the keys that it shows, and up to its end if each wants all.
func (r countedReader) ScanRange(start, end []byte, order storage.Order, each func(key, value []byte) bool) error {
	err := r.Reader.ScanRange(start, end, order, func(key, value []byte) bool {
		last := bytes.Clone(key)
		more := each(key, value)
		switch {
		case more:
		case order == storage.Ascending:
			end = last
		default:
			start = last
		}
		return more
	})
	r.counter.cross(start, end)
	return err
}

type countedTx struct {
	countedReader
	tx storage.Tx
}

// Set notes the key.
func (t countedTx) Set(key, value []byte) error {
	t.counter.set(key)
	return t.tx.Set(key, value)
}

// Delete notes the key.
func (t countedTx) Delete(key []byte) error {
	t.counter.drop(key, append(bytes.Clone(key), 0))
	return t.tx.Delete(key)
}

// DeletePrefix notes the keys.
func (t countedTx) DeletePrefix(prefix []byte) error { return t.DeleteRange(storage.Span(prefix)) }

// DeleteRange notes the keys.
func (t countedTx) DeleteRange(start, end []byte) error {
	t.counter.drop(start, end)
	return t.tx.DeleteRange(start, end)
}
