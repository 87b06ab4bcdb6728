package postgres

import (
	"context"
	"encoding/hex"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/livery/storage"
)

// reader reads one snapshot: a transaction of one connection, or what was read before the transaction ended.
type reader struct {
	ctx    context.Context
	conn   *pgx.Conn // nil if the snapshot has ended
	cursor storage.Cursor
	broken error // the first error of the connection, or errUnexpected

	fetched map[string][]byte   // what was read, by key; nil for none
	pages   map[span][]keyValue // the first ones of scans that were read
}

// span is what a scan reads, in which direction.
type span struct {
	start, end string
	order      storage.Order
}

func newSpan(start, end []byte, order storage.Order) span {
	return span{string(start), string(end), order}
}

func newReader(ctx context.Context) *reader {
	return &reader{ctx: ctx, fetched: map[string][]byte{}, pages: map[span][]keyValue{}}
}

// batch returns what begins a snapshot and reads what is expected.
func (r *reader) batch(reads storage.Reads) *pgx.Batch {
	b := &pgx.Batch{}
	b.Queue("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
	b.Queue(selectHead).QueryRow(func(row pgx.Row) error {
		h, err := scanHead(row)
		r.cursor = h.end
		return err
	})
	r.queue(b, reads)
	return b
}

// begin begins a snapshot and reads what is expected, in one round trip. end gives its connection back.
func (s *Store) begin(ctx context.Context, reads storage.Reads) (r *reader, end func(), err error) {
	conn, err := s.acquire(ctx)
	if err != nil {
		return nil, nil, err
	}
	r = newReader(ctx)
	r.conn = conn.Conn()
	if err := conn.SendBatch(ctx, r.batch(reads)).Close(); err != nil {
		conn.Release()
		return nil, nil, err
	}
	return r, func() { r.end(conn) }, nil
}

// end ends the snapshot, which no caller waits for. A connection on which anything went wrong is closed.
func (r *reader) end(conn *pgxpool.Conn) {
	if r.broken != nil {
		conn.Release()
		return
	}
	go func() {
		_, _ = conn.Exec(context.Background(), "COMMIT")
		conn.Release()
	}()
}

// errUnexpected means that a function read what was not expected, after its snapshot had ended.
var errUnexpected = errors.New("not read with the snapshot")

// view is a View whose reads are known.
type view struct {
	ctx    context.Context
	reader *reader    // from when done holds nil
	done   chan error // holds one
}

// readTogether reads for all views from one snapshot, which ends in the same round trip.
func (s *Store) readTogether(views []*view) {
	var reads storage.Reads
	for _, v := range views {
		reads.Append(storage.ExpectedReads(v.ctx))
	}
	var shared *reader
	err := s.retry(context.Background(), func(ctx context.Context, c *pgx.Conn) error {
		shared = newReader(ctx)
		b := shared.batch(reads)
		b.Queue("COMMIT")
		return c.SendBatch(ctx, b).Close()
	})
	for _, v := range views {
		if err == nil {
			own := *shared // whose maps nothing writes any more
			own.ctx, v.reader = v.ctx, &own
		}
		v.done <- err
	}
}

const selectKeys = "SELECT key, value FROM livery_keys WHERE key = ANY($1)"

// selectRange is by order.
var selectRange = map[storage.Order]string{
	storage.Ascending:  "SELECT key, value FROM livery_keys WHERE key >= $1 AND key < $2 ORDER BY key LIMIT $3",
	storage.Descending: "SELECT key, value FROM livery_keys WHERE key >= $1 AND key < $2 ORDER BY key DESC LIMIT $3",
}

// unread returns those of the keys that were not read, each once.
func (r *reader) unread(keys [][]byte) (unread [][]byte) {
	seen := map[string]bool{}
	for _, key := range keys {
		if _, known := r.fetched[string(key)]; !known && !seen[string(key)] {
			unread, seen[string(key)] = append(unread, key), true
		}
	}
	return unread
}

// queue queues what is to be read, but for what was.
func (r *reader) queue(b *pgx.Batch, reads storage.Reads) {
	if wanted := r.unread(reads.Keys); len(wanted) > 0 {
		b.Queue(selectKeys, wanted).Query(func(rows pgx.Rows) error { return r.keep(wanted, rows) })
	}
	for _, prefix := range reads.Prefixes {
		start, end := storage.Span(prefix)
		b.Queue(selectRange[storage.Ascending], start, end, firstPage).Query(func(rows pgx.Rows) error {
			all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[keyValue])
			r.pages[newSpan(start, end, storage.Ascending)] = all
			return err
		})
	}
}

// keep keeps the values at keys.
func (r *reader) keep(keys [][]byte, rows pgx.Rows) error {
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

// query sends a query of the snapshot.
func (r *reader) query(sql string, args ...any) (pgx.Rows, error) {
	if r.conn == nil {
		return nil, errUnexpected
	}
	return r.conn.Query(r.ctx, sql, args...)
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
	wanted := r.unread(keys)
	if len(wanted) == 0 {
		return nil
	}
	rows, err := r.query(selectKeys, wanted)
	if err == nil {
		err = r.keep(wanted, rows)
	}
	return r.note(err)
}

// firstPage is how many rows a scan fetches at once at first, and eight times as many each time up to mostRows.
const (
	firstPage = 16
	mostRows  = 2048
	mostPages = 1024 // that a snapshot keeps
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
	limit := firstPage
	rows, err := r.firstPage(start, end, order)
	for ; ; rows, err = r.page(start, end, order, limit) {
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
		limit = min(8*limit, mostRows)
	}
}

// keyValue is a row of livery_keys.
type keyValue struct{ Key, Value []byte }

// firstPage returns the first rows of a scan, which are read once.
func (r *reader) firstPage(start, end []byte, order storage.Order) ([]keyValue, error) {
	id := newSpan(start, end, order)
	if rows, known := r.pages[id]; known {
		return rows, nil
	}
	rows, err := r.page(start, end, order, firstPage)
	if err == nil && len(r.pages) < mostPages {
		r.pages[id] = rows
	}
	return rows, err
}

func (r *reader) page(start, end []byte, order storage.Order, limit int) ([]keyValue, error) {
	rows, err := r.query(selectRange[order], start, end, limit)
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
