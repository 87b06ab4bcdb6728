package storage

import (
	"bytes"
	"slices"
)

// Overlay is the Tx of an engine that collects writes and commits them at once: it lays them over what
// a Reader shows. It is for one goroutine.
type Overlay struct {
	Reader
	check   func(key []byte) error // refuses a key that is not of the key table
	writes  map[string][]byte      // by key; nil for a deleted one
	cleared []Range                // deleted before any of writes
}

// Range is the keys from Start on that come before End.
type Range struct{ Start, End []byte }

func (r Range) contains(key []byte) bool {
	return bytes.Compare(key, r.Start) >= 0 && bytes.Compare(key, r.End) < 0
}

// NewOverlay returns an Overlay without writes. check refuses what must not be written.
func NewOverlay(r Reader, check func(key []byte) error) *Overlay {
	return &Overlay{Reader: r, check: check, writes: map[string][]byte{}}
}

// write is one of a transaction's writes as a scan meets it.
type write struct{ key, value []byte }

// Get returns a copy of the value at key, or ErrNotFound.
func (t *Overlay) Get(key []byte) ([]byte, error) {
	value, own := t.writes[string(key)]
	switch {
	case own && value != nil:
		return append([]byte{}, value...), nil
	case own || covers(t.cleared, key):
		return nil, ErrNotFound
	}
	return t.Reader.Get(key)
}

// Prefetch is that of the Reader.
func (t *Overlay) Prefetch(keys [][]byte) error { return Prefetch(t.Reader, keys...) }

// Set writes value at key; both are copied.
func (t *Overlay) Set(key, value []byte) error {
	if err := t.check(key); err != nil {
		return err
	}
	t.writes[string(key)] = append([]byte{}, value...)
	return nil
}

// Delete removes key, and does nothing if it is absent.
func (t *Overlay) Delete(key []byte) error {
	if err := t.check(key); err != nil {
		return err
	}
	t.writes[string(key)] = nil
	return nil
}

// DeletePrefix removes every key that begins with prefix.
func (t *Overlay) DeletePrefix(prefix []byte) error {
	if len(prefix) > 0 {
		if err := t.check(prefix); err != nil {
			return err
		}
	}
	return t.DeleteRange(Span(prefix))
}

// DeleteRange removes every key from start on that comes before end.
func (t *Overlay) DeleteRange(start, end []byte) error {
	if err := t.check(start); err != nil {
		return err
	}
	r := Range{bytes.Clone(start), bytes.Clone(end)}
	for key := range t.writes {
		if r.contains([]byte(key)) {
			delete(t.writes, key)
		}
	}
	t.cleared = append(t.cleared, r)
	return nil
}

// Scan shows the writes made before it began; those that each makes are for the next.
func (t *Overlay) Scan(prefix []byte, order Order, each func(key, value []byte) bool) error {
	if len(prefix) > 0 && t.check(prefix) != nil {
		return nil
	}
	start, end := Span(prefix)
	return t.ScanRange(start, end, order, each)
}

// ScanRange shows the writes made before it began; those that each makes are for the next.
func (t *Overlay) ScanRange(start, end []byte, order Order, each func(key, value []byte) bool) error {
	own, cleared, more := t.within(start, end, order), t.cleared, true
	show := func(w write) {
		if w.value != nil {
			more = each(w.key, w.value)
		}
	}
	err := t.Reader.ScanRange(start, end, order, func(key, value []byte) bool {
		for more && len(own) > 0 && before(order, own[0].key, key) {
			show(own[0])
			own = own[1:]
		}
		switch {
		case !more:
		case len(own) > 0 && bytes.Equal(own[0].key, key):
			show(own[0])
			own = own[1:]
		case !covers(cleared, key):
			more = each(key, value)
		}
		return more
	})
	for err == nil && more && len(own) > 0 {
		show(own[0])
		own = own[1:]
	}
	return err
}

// within returns the transaction's own writes from start on before end, in order.
func (t *Overlay) within(start, end []byte, order Order) []write {
	var own []write
	for key, value := range t.writes {
		if key >= string(start) && key < string(end) {
			own = append(own, write{[]byte(key), value})
		}
	}
	slices.SortFunc(own, func(a, b write) int { return bytes.Compare(a.key, b.key) })
	if order == Descending {
		slices.Reverse(own)
	}
	return own
}

// Wrote reports whether anything was written.
func (t *Overlay) Wrote() bool { return len(t.writes) > 0 || len(t.cleared) > 0 }

// Cleared returns the ranges to delete before anything that Each names.
func (t *Overlay) Cleared() []Range { return t.cleared }

// Each calls put for every write, in no order, until it returns an error, which Each returns. A nil
// value is a deletion.
func (t *Overlay) Each(put func(key, value []byte) error) error {
	for key, value := range t.writes {
		if err := put([]byte(key), value); err != nil {
			return err
		}
	}
	return nil
}

// Onto makes the same writes in another transaction, and returns its error.
func (t *Overlay) Onto(other Tx) error {
	for _, r := range t.cleared {
		if err := other.DeleteRange(r.Start, r.End); err != nil {
			return err
		}
	}
	return t.Each(func(key, value []byte) error {
		if value == nil {
			return other.Delete(key)
		}
		return other.Set(key, value)
	})
}

// before reports whether a comes before b in order.
func before(order Order, a, b []byte) bool {
	if order == Descending {
		return bytes.Compare(a, b) > 0
	}
	return bytes.Compare(a, b) < 0
}

func covers(ranges []Range, key []byte) bool {
	return slices.ContainsFunc(ranges, func(r Range) bool { return r.contains(key) })
}
