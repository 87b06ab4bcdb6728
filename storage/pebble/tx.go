package pebble

import (
	"bytes"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2"

	"example.com/livery/storage"
)

// tx lays its own writes over one state. It is for one goroutine.
type tx struct {
	reader
	writes  map[string][]byte // by key; nil for a deleted one
	cleared [][]byte          // prefixes deleted before any of writes
}

// write is one of a transaction's writes as a scan meets it.
type write struct{ key, value []byte }

// Get returns a copy of the value at key, or storage.ErrNotFound.
func (t *tx) Get(key []byte) ([]byte, error) {
	value, own := t.writes[string(key)]
	switch {
	case own && value != nil:
		return append([]byte{}, value...), nil
	case own || covers(t.cleared, key):
		return nil, storage.ErrNotFound
	}
	return t.reader.Get(key)
}

// Set writes value at key; both are copied.
func (t *tx) Set(key, value []byte) error {
	if err := checkKey(key); err != nil {
		return err
	}
	t.writes[string(key)] = append([]byte{}, value...)
	return nil
}

// Delete removes key, and does nothing where it is absent.
func (t *tx) Delete(key []byte) error {
	if err := checkKey(key); err != nil {
		return err
	}
	t.writes[string(key)] = nil
	return nil
}

// DeletePrefix removes every key that begins with prefix.
func (t *tx) DeletePrefix(prefix []byte) error {
	if len(prefix) > 0 {
		if err := checkKey(prefix); err != nil {
			return err
		}
	}
	for key := range t.writes {
		if strings.HasPrefix(key, string(prefix)) {
			delete(t.writes, key)
		}
	}
	t.cleared = append(t.cleared, append([]byte{}, prefix...))
	return nil
}

// Scan shows the writes made before it began; those that each makes are for the next.
func (t *tx) Scan(prefix []byte, order storage.Order, each func(key, value []byte) bool) error {
	own, cleared, more := t.under(prefix, order), t.cleared, true
	lend := func(w write) {
		if w.value != nil {
			more = each(w.key, w.value)
		}
	}
	err := t.reader.Scan(prefix, order, func(key, value []byte) bool {
		for more && len(own) > 0 && before(order, own[0].key, key) {
			lend(own[0])
			own = own[1:]
		}
		switch {
		case !more:
		case len(own) > 0 && bytes.Equal(own[0].key, key):
			lend(own[0])
			own = own[1:]
		case !covers(cleared, key):
			more = each(key, value)
		}
		return more
	})
	for err == nil && more && len(own) > 0 {
		lend(own[0])
		own = own[1:]
	}
	return err
}

// under returns the transaction's own writes below prefix, in order.
func (t *tx) under(prefix []byte, order storage.Order) []write {
	var own []write
	for key, value := range t.writes {
		if strings.HasPrefix(key, string(prefix)) {
			own = append(own, write{[]byte(key), value})
		}
	}
	slices.SortFunc(own, func(a, b write) int { return bytes.Compare(a.key, b.key) })
	if order == storage.Descending {
		slices.Reverse(own)
	}
	return own
}

func (t *tx) wrote() bool { return len(t.writes) > 0 || len(t.cleared) > 0 }

// writeTo adds the writes to batch: prefixes first, because what was written after them stays.
func (t *tx) writeTo(batch *pebble.Batch) error {
	for _, prefix := range t.cleared {
		start, end := span(prefix)
		if err := batch.DeleteRange(start, end, nil); err != nil {
			return err
		}
	}
	for key, value := range t.writes {
		var err error
		if value == nil {
			err = batch.Delete([]byte(key), nil)
		} else {
			err = batch.Set([]byte(key), value, nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func covers(prefixes [][]byte, key []byte) bool {
	return slices.ContainsFunc(prefixes, func(p []byte) bool { return bytes.HasPrefix(key, p) })
}
