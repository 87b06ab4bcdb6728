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
	conn   *pgx.Conn // nil if the snapshot has ended
	cursor storage.Cursor
	broken error                // the first error of the connection, or errUnexpected
	others func() storage.Reads // what else to read when something is read; nil for nothing

	fetched map[string][]byte // what was read, by key; nil for none
	pages   map[span]page     // the first ones of scans that were read
}

// span is what a scan reads, in which direction.
type span struct{ start, end, order string }

// page is some rows of a scan, and how many were asked for.
type page struct {
	rows  []keyValue
	limit int
}

// newReader begins a snapshot and reads what its context expects, in one round trip.
func newReader(ctx context.Context, c *pgx.Conn) (*reader, error) {
	r := &reader{ctx: ctx, conn: c, fetched: map[string][]byte{}, pages: map[span]page{}}
	b := &pgx.Batch{}
	b.Queue("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
	r.queueAll(b, storage.ExpectedReads(ctx))
	return r, c.SendBatch(ctx, b).Close()
}

// newEndedReader reads what its context expects, in one round trip. What is read later is errUnexpected.
func newEndedReader(ctx context.Context, c *pgx.Conn) (*reader, error) {
	r := &reader{ctx: ctx, fetched: map[string][]byte{}, pages: map[span]page{}}
	reads := storage.ExpectedReads(ctx)
	if len(reads.Prefixes) == 0 {
		rows, err := c.Query(ctx, selectHeadAndKeys, reads.Keys)
		if err != nil {
			return nil, err
		}
		return r, r.fetchWithHead(reads.Keys, rows)
	}
	b := &pgx.Batch{}
	b.Queue("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
	r.queueAll(b, reads)
	b.Queue("COMMIT")
	return r, c.SendBatch(ctx, b).Close()
}

// view is a View whose reads are known.
type view struct {
	ctx    context.Context
	reader *reader    // from when done holds nil
	done   chan error // holds one
}

// readAll reads for all Views from one snapshot. What they read is not written to then, so they share it.
func (s *Store) readAll(all []*view) {
	var reads storage.Reads
	for _, v := range all {
		more := storage.ExpectedReads(v.ctx)
		reads.Keys, reads.Prefixes = append(reads.Keys, more.Keys...), append(reads.Prefixes, more.Prefixes...)
	}
	var shared *reader
	err := s.retry(storage.WithReads(context.Background(), reads), func(ctx context.Context, c *pgx.Conn) (err error) {
		shared, err = newEndedReader(ctx, c)
		return err
	})
	for _, v := range all {
		if err == nil {
			own := *shared
			own.ctx, v.reader = v.ctx, &own
		}
		v.done <- err
	}
}

// selectHeadAndKeys is one statement, so it needs no transaction.
const selectHeadAndKeys = "SELECT h.seq, h.tag, k.key, k.value FROM livery_head h LEFT JOIN livery_keys k ON k.key = ANY($1)"

func (r *reader) fetchWithHead(keys [][]byte, rows pgx.Rows) error {
	for _, key := range keys {
		r.fetched[string(key)] = nil
	}
	var seq int64
	var tag, key, value []byte
	_, err := pgx.ForEachRow(rows, []any{&seq, &tag, &key, &value}, func() error {
		r.cursor = cursor(seq, tag)
		if key != nil {
			r.fetched[string(key)] = append([]byte{}, value...) // not nil, if empty
		}
		return nil
	})
	return err
}

// queueAll queues the reading of the head and of what is expected.
func (r *reader) queueAll(b *pgx.Batch, reads storage.Reads) {
	b.Queue(selectHead).QueryRow(func(row pgx.Row) error {
		h, err := scanHead(row)
		r.cursor = h.end
		return err
	})
	r.queue(b, reads)
}

const selectKeys = "SELECT key, value FROM livery_keys WHERE key = ANY($1)"

// selectRange is by order.
var selectRange = map[storage.Order]string{
	storage.Ascending:  "SELECT key, value FROM livery_keys WHERE key >= $1 AND key < $2 ORDER BY key LIMIT $3",
	storage.Descending: "SELECT key, value FROM livery_keys WHERE key >= $1 AND key < $2 ORDER BY key DESC LIMIT $3",
}

// queue queues what is to be read, but for what was.
func (r *reader) queue(b *pgx.Batch, reads storage.Reads) {
	var keys [][]byte
	seen := map[string]bool{}
	for _, key := range reads.Keys {
		if _, known := r.fetched[string(key)]; !known && !seen[string(key)] {
			keys, seen[string(key)] = append(keys, key), true
		}
	}
	for _, prefix := range reads.Prefixes {
		start, end := storage.Span(prefix)
		r.queuePage(b, start, end, storage.Ascending, expectedPage)
	}
	if len(keys) > 0 {
		b.Queue(selectKeys, keys).Query(func(rows pgx.Rows) error { return r.fetch(keys, rows) })
	}
}

// queuePage queues the first page of a scan, unless it was read.
func (r *reader) queuePage(b *pgx.Batch, start, end []byte, order storage.Order, limit int) {
	id := newSpan(start, end, order)
	if _, known := r.pages[id]; known {
		return
	}
	b.Queue(selectRange[order], start, end, limit).Query(func(rows pgx.Rows) error {
		all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[keyValue])
		r.pages[id] = page{all, limit}
		return err
	})
}

func newSpan(start, end []byte, order storage.Order) span {
	s := span{string(start), string(end), "asc"}
	if order == storage.Descending {
		s.order = "desc"
	}
	return s
}

// errUnexpected means that a function read what was not expected, after its snapshot had ended.
var errUnexpected = errors.New("not read with the snapshot")

// load reads what is queued, and what others will read, in one round trip.
func (r *reader) load(b *pgx.Batch) error {
	if b.Len() == 0 {
		return nil
	}
	if r.conn == nil {
		return r.note(errUnexpected)
	}
	if r.others != nil {
		r.queue(b, r.others())
	}
	return r.note(r.conn.SendBatch(r.ctx, b).Close())
}

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
	b := &pgx.Batch{}
	r.queue(b, storage.Reads{Keys: keys})
	return r.load(b)
}

// firstPage is how many rows a scan fetches at once at first, and eight times as many each time up to mostRows. One that
// was expected begins with expectedPage.
const (
	firstPage    = 8
	expectedPage = 8 * firstPage
	mostRows     = 2048
	mostPages    = 1024 // that a snapshot keeps
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
	rows, limit, err := r.firstPage(start, end, order)
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

// firstPage returns the first rows of a scan, read once, and how many were asked for.
func (r *reader) firstPage(start, end []byte, order storage.Order) ([]keyValue, int, error) {
	if r.conn != nil && len(r.pages) > mostPages {
		clear(r.pages)
	}
	b := &pgx.Batch{}
	r.queuePage(b, start, end, order, firstPage)
	err := r.load(b)
	p := r.pages[newSpan(start, end, order)]
	return p.rows, p.limit, err
}

func (r *reader) page(start, end []byte, order storage.Order, limit int) ([]keyValue, error) {
	if r.conn == nil {
		return nil, r.note(errUnexpected)
	}
	rows, err := r.conn.Query(r.ctx, selectRange[order], start, end, limit)
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
