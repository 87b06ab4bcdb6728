package postgres

import (
	"context"
	"encoding/hex"
	"errors"

	"github.com/jackc/pgx/v5"

	"example.com/livery/storage"
)

// reader reads one snapshot: a transaction of one connection.
type reader struct {
	ctx    context.Context
	conn   *pgx.Conn
	cursor storage.Cursor
	broken error // the first error of the connection

	fetched map[string][]byte // what was read, by key; nil for none
}

// newReader begins a snapshot, in one round trip.
func newReader(ctx context.Context, c *pgx.Conn) (*reader, error) {
	r := &reader{ctx: ctx, conn: c, fetched: map[string][]byte{}}
	b := &pgx.Batch{}
	b.Queue("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
	b.Queue(selectHead).QueryRow(func(row pgx.Row) error {
		h, err := scanHead(row)
		r.cursor = h.end
		return err
	})
	if keys := storage.Keys(ctx); len(keys) > 0 {
		b.Queue(selectKeys, keys).Query(func(rows pgx.Rows) error { return r.fetch(keys, rows) })
	}
	return r, c.SendBatch(ctx, b).Close()
}

const selectKeys = "SELECT key, value FROM livery_keys WHERE key = ANY($1)"

// fetch keeps the values at keys.
func (r *reader) fetch(keys [][]byte, rows pgx.Rows) error {
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[keyValue])
	if err != nil {
		return err
	}
	for _, key := range keys {
		r.fetched[string(key)] = nil
	}
	for _, row := range all {
		r.fetched[string(row.Key)] = append([]byte{}, row.Value...) // not nil, if empty
	}
	return nil
}

// run calls fn. An error of the connection is the error of run, whatever fn made of it.
func (r *reader) run(fn func(*reader) error) error {
	err := fn(r)
	if r.broken != nil && (err == nil || errors.Is(err, r.broken)) {
		return failure(r.ctx, r.broken)
	}
	return err
}

// runWhole is run on a connection that is used further: it ends the snapshot.
func (r *reader) runWhole(fn func(*reader) error) error {
	err := r.run(fn)
	if _, endErr := r.conn.Exec(r.ctx, "COMMIT"); endErr != nil && err == nil && !errors.Is(endErr, context.Canceled) {
		drop(r.conn) // it is not lent again; what fn read stands
	}
	return err
}

// note keeps the first error of the connection.
func (r *reader) note(err error) error {
	if err != nil && r.broken == nil {
		r.broken = err
	}
	return failure(r.ctx, err)
}

// Get returns a copy of the value at key, or storage.ErrNotFound.
func (r *reader) Get(key []byte) ([]byte, error) {
	if checkKey(key) != nil {
		return nil, storage.ErrNotFound
	}
	if _, known := r.fetched[string(key)]; !known {
		if err := r.Prefetch([][]byte{key}); err != nil {
			return nil, err
		}
	}
	value := r.fetched[string(key)]
	if value == nil {
		return nil, storage.ErrNotFound
	}
	return append([]byte{}, value...), nil
}

// Prefetch reads keys in one round trip; each is read once.
func (r *reader) Prefetch(keys [][]byte) error {
	var unknown [][]byte
	for _, key := range keys {
		if _, known := r.fetched[string(key)]; !known {
			unknown = append(unknown, key)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	rows, err := r.conn.Query(r.ctx, selectKeys, unknown)
	if err == nil {
		err = r.fetch(unknown, rows)
	}
	return r.note(err)
}

// page is how many rows a scan fetches at once at first, and eight times as many each time up to most.
const (
	firstPage = 8
	mostRows  = 2048
)

// Scan calls each for every key that begins with prefix until each returns false.
func (r *reader) Scan(prefix []byte, order storage.Order, each func(key, value []byte) bool) error {
	if len(prefix) > 0 && checkKey(prefix) != nil {
		return nil
	}
	start, end := storage.Span(prefix)
	return r.ScanRange(start, end, order, each)
}

// ScanRange calls each for every key from start on that comes before end, until each returns false.
func (r *reader) ScanRange(start, end []byte, order storage.Order, each func(key, value []byte) bool) error {
	if checkKey(start) != nil {
		return nil
	}
	query := "SELECT key, value FROM livery_keys WHERE key >= $1 AND key < $2 ORDER BY key LIMIT $3"
	if order == storage.Descending {
		query = "SELECT key, value FROM livery_keys WHERE key >= $1 AND key < $2 ORDER BY key DESC LIMIT $3"
	}
	for limit := firstPage; ; limit = min(8*limit, mostRows) {
		rows, err := r.page(query, start, end, limit)
		if err != nil {
			return err
		}
		for _, row := range rows { // each may read, so the rows of a page are taken off the connection first
			if !each(row.Key, row.Value) {
				return nil
			}
		}
		if len(rows) < limit {
			return nil
		}
		last := rows[len(rows)-1].Key
		if order == storage.Descending {
			end = last
		} else {
			start = append(append([]byte{}, last...), 0)
		}
	}
}

// keyValue is a row of livery_keys.
type keyValue struct{ Key, Value []byte }

func (r *reader) page(query string, start, end []byte, limit int) ([]keyValue, error) {
	rows, err := r.conn.Query(r.ctx, query, start, end, limit)
	if err != nil {
		return nil, r.note(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[keyValue])
	return all, r.note(err)
}

// Cursor returns the place in the change log that the snapshot shows.
func (r *reader) Cursor() storage.Cursor { return r.cursor }

// head is the row that every commit passes.
type head struct{ end, begin storage.Cursor }

// querier is a connection or a transaction.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func readHead(ctx context.Context, q querier) (head, error) {
	return scanHead(q.QueryRow(ctx, selectHead))
}

const selectHead = "SELECT seq, tag, trimmed, trimmed_tag FROM livery_head"

func scanHead(row pgx.Row) (head, error) {
	var seq, trimmed int64
	var tag, trimmedTag []byte
	err := row.Scan(&seq, &tag, &trimmed, &trimmedTag)
	return head{cursor(seq, tag), cursor(trimmed, trimmedTag)}, err
}

func cursor(seq int64, tag []byte) storage.Cursor {
	if seq == 0 {
		return storage.Cursor{}
	}
	return storage.Cursor{Seq: uint64(seq), Tag: hex.EncodeToString(tag)}
}
