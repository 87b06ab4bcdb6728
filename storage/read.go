package storage

import (
	"context"
	"errors"
)

// Snapshot returns what fn makes of one snapshot of a store. fn may run again.
func Snapshot[T any](ctx context.Context, s Store, fn func(Reader) (T, error)) (result T, err error) {
	err = s.View(ctx, func(r Reader) (err error) {
		result, err = fn(r)
		return err
	})
	return result, err
}

// LogEnd returns the place after the newest entry of a store's change log.
func LogEnd(ctx context.Context, s Store) (Cursor, error) {
	return Snapshot(ctx, s, func(r Reader) (Cursor, error) { return r.Cursor(), nil })
}

// All returns the records whose keys begin with parts, in the order of their keys; empty and not nil if there are none.
func (t Table[T]) All(r Reader, parts ...string) ([]T, error) {
	all := []T{}
	err := t.Scan(r, Ascending, func(_ []byte, v T) bool {
		all = append(all, v)
		return true
	}, parts...)
	return all, err
}

// Optional makes the zero value of a record that Read does not find: Optional(table.Read(r, parts...)).
func Optional[T any](v T, err error) (T, error) {
	if errors.Is(err, ErrNotFound) {
		var none T
		return none, nil
	}
	return v, err
}
