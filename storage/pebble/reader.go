package pebble

import (
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"example.com/livery/storage"
)

// reader reads one state, which must be held while it does.
type reader struct{ at *state }

// Get returns a copy of the value at key, or storage.ErrNotFound.
func (r reader) Get(key []byte) ([]byte, error) {
	if checkKey(key) != nil {
		return nil, storage.ErrNotFound
	}
	return get(r.at.snap, key)
}

// Scan calls each for every key that begins with prefix until each returns false.
func (r reader) Scan(prefix []byte, order storage.Order, each func(key, value []byte) bool) error {
	if len(prefix) > 0 && checkKey(prefix) != nil {
		return nil
	}
	start, end := storage.Span(prefix)
	return r.ScanRange(start, end, order, each)
}

// ScanRange calls each for every key from start on that comes before end, until each returns false.
func (r reader) ScanRange(start, end []byte, order storage.Order, each func(key, value []byte) bool) error {
	if checkKey(start) != nil {
		return nil
	}
	return scan(r.at.snap, start, end, order, func(key, value []byte) (bool, error) {
		return each(key, value), nil
	})
}

// Cursor returns the place in the change log that the state shows.
func (r reader) Cursor() storage.Cursor { return r.at.cursor }

// get returns a copy of the value at any key, the engine's own too, or storage.ErrNotFound.
func get(from pebble.Reader, key []byte) ([]byte, error) {
	value, closer, err := from.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, storage.ErrNotFound
	}
	if err != nil {
		return nil, failure(fmt.Sprintf("get %q", key), err)
	}
	value = append([]byte{}, value...)
	if err := closer.Close(); err != nil {
		return nil, failure(fmt.Sprintf("get %q", key), err)
	}
	return value, nil
}

// scan calls each for every key in [start, end) until it returns false or an error, which scan
// returns.
func scan(from pebble.Reader, start, end []byte, order storage.Order, each func(key, value []byte) (bool, error)) error {
	it, err := from.NewIter(&pebble.IterOptions{LowerBound: start, UpperBound: end})
	if err != nil {
		return failure(fmt.Sprintf("scan from %q to %q", start, end), err)
	}
	first, next := it.First, it.Next
	if order == storage.Descending {
		first, next = it.Last, it.Prev
	}
	more, err := true, error(nil)
	for ok := first(); ok && more && err == nil; {
		var value []byte
		if value, err = it.ValueAndErr(); err != nil {
			break
		}
		if more, err = each(it.Key(), value); more && err == nil {
			ok = next()
		}
	}
	if closeErr := it.Close(); err == nil {
		err = closeErr // also carries what stopped the iterator
	}
	if err == nil {
		return nil
	}
	return failure(fmt.Sprintf("scan from %q to %q", start, end), err)
}
