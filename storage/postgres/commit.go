package postgres

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// tagSize is the size of the random tag of an entry of the change log.
const tagSize = 8

// committer writes the groups of this process, on one connection that is never cancelled. One goroutine uses it at a
// time.
type committer struct {
	store  *Store
	config *pgx.ConnConfig
	conn   *pgx.Conn // nil while there is none
	breaks int64     // Store.breaks when conn was made
}

// commit commits groups in one transaction, again and again while the server is away and for Options.RetryFor, and
// settles them. If the answer to a COMMIT was lost, commit looks for the entries before it tries again.
func (s *Store) commit(groups []*group) {
	c := &s.committer
	deadline := time.Now().Add(s.opts.RetryFor)
	sent := false // whether a COMMIT may have reached a server
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 250*time.Millisecond) {
		err, done := c.connect(), false
		if err == nil && sent {
			done, err = c.isCommitted(groups)
		}
		if err == nil && !done {
			sent, err = c.try(groups)
		}
		if err == nil {
			settleAll(groups, nil)
			s.follow.nudge()
			return
		}
		c.drop()
		if !isAway(err) && !sent || time.Now().After(deadline) {
			settleAll(groups, giveUp(err, sent))
			return
		}
		time.Sleep(pause)
	}
}

func settleAll(groups []*group, err error) {
	for _, g := range groups {
		g.settle(err)
	}
}

// giveUp is the error of a commit that is not tried again.
func giveUp(err error, sent bool) error {
	if sent {
		return fmt.Errorf("postgres: commit: %w: %w", storage.ErrUncertain, err)
	}
	return failure(context.Background(), err)
}

// connect makes a connection if there is none, or if readers found the server away since it was made:
// one that hangs would be noticed late.
func (c *committer) connect() (err error) {
	breaks := c.store.breaks.Load()
	if c.conn != nil && c.breaks == breaks {
		return nil
	}
	c.drop()
	c.breaks = breaks
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	c.conn, err = connect(ctx, c.config)
	return err
}

func (c *committer) drop() {
	if c.conn != nil {
		drop(c.conn)
		c.conn = nil
	}
}

const lockHead = selectHead + " FOR UPDATE"

// isCommitted reports whether a transaction of these groups was committed though no answer came. It waits for the
// head, which a transaction that is still under way holds.
func (c *committer) isCommitted(groups []*group) (done bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), lockWait+ackWait)
	defer cancel()
	entries := entriesOf(groups)
	var first int64
	b := &pgx.Batch{} // one transaction, because no statement of it begins one
	b.Queue(lockHead)
	b.Queue("SELECT seq FROM livery_changes WHERE tag = $1 AND seq > $2", entries[0].tag, int64(groups[0].base.Seq)).Query(func(rows pgx.Rows) (err error) {
		_, err = pgx.ForEachRow(rows, []any{&first}, func() error { return nil })
		return err
	})
	if err = c.conn.SendBatch(ctx, b).Close(); err != nil || first == 0 {
		return false, err
	}
	place(entries, uint64(first))
	return true, nil
}

// entriesOf returns the updates that wrote something.
func entriesOf(groups []*group) (entries []*update) {
	for _, g := range groups {
		entries = append(entries, g.entries()...)
	}
	return entries
}

// place notes the places of entries in the change log.
func place(entries []*update, first uint64) {
	for i, u := range entries {
		u.at = storage.Cursor{Seq: first + uint64(i), Tag: hex.EncodeToString(u.tag)}
	}
}

// try commits groups in one transaction, mostly in one round trip. If another process overtook one of them, or a group has
// not run, or a blob is to be put again, it takes two: the first locks the head, the second writes what the functions
// wrote when no other process could commit. sent is whether the COMMIT may have been carried out; then an error leaves
// it unknown what became of it.
func (c *committer) try(groups []*group) (sent bool, err error) {
	puts := c.store.unconfirmed.all(c.store.opts.clock())
	if !slices.ContainsFunc(groups, func(g *group) bool { return g.shown == nil }) {
		b := &pgx.Batch{}
		queueLock(b)
		queueCheck(b, groups, puts)
		sent, err = c.end(b, groups, nil)
		var refused *pgconn.PgError
		if !errors.As(err, &refused) || refused.Code != divisionByZero {
			return sent, c.forget(puts, err)
		}
	}
	again, err := c.runLocked(groups, puts)
	if err != nil {
		return false, err
	}
	sent, err = c.end(&pgx.Batch{}, groups, again)
	return sent, c.forget(puts, err)
}

// forget notes that blobs are durable, unless err says otherwise. It returns err.
func (c *committer) forget(puts map[record.Hash]unconfirmedBlob, err error) error {
	if err == nil {
		c.store.unconfirmed.forget(puts)
	}
	return err
}

// queueLock queues the begin of a transaction that holds the head of the log.
func queueLock(b *pgx.Batch) *pgx.QueuedQuery {
	b.Queue("BEGIN ISOLATION LEVEL READ COMMITTED") // so that what follows the lock sees what was committed before it
	return b.Queue(lockHead)
}

// selectOvertaken finds the groups whose scope another process committed in since their snapshot. A Global group rests on
// everything, and everything on the last Global one.
const selectOvertaken = `SELECT w.scope FROM livery_head h, unnest($1::text[], $2::bigint[]) w(scope, base)
	WHERE w.scope = '' AND h.seq > w.base OR EXISTS (SELECT FROM livery_scopes s WHERE s.scope IN (w.scope, '') AND s.seq > w.base)`

// divisionByZero is the server's code for what queueCheck divides by.
const divisionByZero = "22012"

// queueCheck queues what ends the transaction with divisionByZero if a group is overtaken or a blob is not there.
func queueCheck(b *pgx.Batch, groups []*group, puts map[record.Hash]unconfirmedBlob) {
	scopes, bases := basesOf(groups)
	b.Queue("SELECT 1 / count(*) FROM livery_head WHERE NOT EXISTS ("+selectOvertaken+`)
		AND (SELECT count(*) FROM livery_blobs WHERE name = ANY($3)) = $4`, scopes, bases, digests(slices.Collect(maps.Keys(puts))), len(puts))
}

// basesOf returns the scopes of groups, and what their functions were shown.
func basesOf(groups []*group) (scopes []string, bases []int64) {
	for _, g := range groups {
		scopes, bases = append(scopes, g.scope), append(bases, int64(g.base.Seq))
	}
	return scopes, bases
}

// runWithin is how long functions may run while the head is locked.
const runWithin = 30 * time.Second

// runLocked locks the head of the log and runs the groups again that are overtaken, and those that have not run. It
// returns the blobs that are to be put again.
func (c *committer) runLocked(groups []*group, puts map[record.Hash]unconfirmedBlob) (lost map[record.Hash]unconfirmedBlob, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), lockWait+ackWait)
	defer cancel()
	long, cancelLong := context.WithTimeout(context.Background(), runWithin)
	defer cancelLong()
	r := newReader(long)
	r.conn, lost = c.conn, maps.Clone(puts)
	scopes, bases := basesOf(groups)
	overtaken := map[string]bool{}
	b := &pgx.Batch{}
	queueLock(b).QueryRow(func(row pgx.Row) error {
		h, err := scanHead(row)
		r.cursor = h.end
		return err
	})
	b.Queue(selectOvertaken, scopes, bases).Query(func(rows pgx.Rows) error {
		var scope string
		_, err := pgx.ForEachRow(rows, []any{&scope}, func() error {
			overtaken[scope] = true
			return nil
		})
		return err
	})
	b.Queue("SELECT name FROM livery_blobs WHERE name = ANY($1)", digests(slices.Collect(maps.Keys(puts)))).Query(func(rows pgx.Rows) error {
		var name []byte
		_, err := pgx.ForEachRow(rows, []any{&name}, func() error {
			delete(lost, record.Hash(hex.EncodeToString(name)))
			return nil
		})
		return err
	})
	for _, g := range groups {
		if g.shown == nil {
			r.queue(b, g.reads())
		}
	}
	if c.conn.PgConn().TxStatus() != 'I' {
		if _, err := c.conn.Exec(ctx, "ROLLBACK"); err != nil {
			return nil, err
		}
	}
	if err := c.conn.SendBatch(ctx, b).Close(); err != nil {
		return nil, err
	}
	for _, g := range groups {
		if g.shown != nil && overtaken[g.scope] {
			c.store.contended.overtaken(g.scope)
		}
		if g.shown == nil || overtaken[g.scope] {
			if err := g.run(r); err != nil {
				return nil, err
			}
		}
	}
	return lost, nil
}

// end sends the rest of a transaction, what writes groups and blobs, and its COMMIT. Only an error of the server from
// before the COMMIT says that it was not carried out.
func (c *committer) end(b *pgx.Batch, groups []*group, lost map[record.Hash]unconfirmedBlob) (sent bool, err error) {
	for _, name := range slices.Sorted(maps.Keys(lost)) {
		b.Queue(putBlob, digest(name), lost[name].packed, lost[name].at)
	}
	bytes := 0
	for _, g := range groups {
		bytes += g.queueWrites(b)
	}
	entries := entriesOf(groups)
	var last int64
	reached := false
	if len(entries) > 0 {
		queueEntries(b, groups).QueryRow(func(row pgx.Row) error {
			reached = true
			return row.Scan(&last)
		})
	}
	b.Queue("COMMIT")
	ctx, cancel := context.WithTimeout(context.Background(), lockWait+ackWait+time.Duration(bytes)*byteWait)
	defer cancel()
	if err = c.conn.SendBatch(ctx, b).Close(); err != nil {
		var refused *pgconn.PgError
		return len(entries) > 0 && (reached || !errors.As(err, &refused)), err
	}
	place(entries, uint64(last)+1-uint64(len(entries)))
	return true, nil
}

// queueEntries queues what enters groups into the change log behind its end, and returns the query of its new end.
func queueEntries(b *pgx.Batch, groups []*group) *pgx.QueuedQuery {
	var scopes []string
	var newest []int64
	var tags, bodies [][]byte
	for _, g := range groups {
		entries := g.entries()
		if len(entries) == 0 {
			continue
		}
		for _, u := range entries {
			tags, bodies = append(tags, u.tag), append(bodies, u.body)
		}
		scopes, newest = append(scopes, g.scope), append(newest, int64(len(tags)))
	}
	b.Queue(`INSERT INTO livery_scopes SELECT w.scope, h.seq + w.n FROM livery_head h, unnest($1::text[], $2::bigint[]) w(scope, n)
		ON CONFLICT (scope) DO UPDATE SET seq = excluded.seq`, scopes, newest)
	b.Queue(`INSERT INTO livery_changes SELECT h.seq + w.n, w.tag, w.body
		FROM livery_head h, unnest($1::bytea[], $2::bytea[]) WITH ORDINALITY w(tag, body, n)`, tags, bodies)
	return b.Queue("UPDATE livery_head SET seq = seq + $1, tag = $2 RETURNING seq", int64(len(tags)), tags[len(tags)-1])
}

// mostInOne is how many records one statement writes.
const mostInOne = 4096

// queueWrites queues the writes of a group, and returns how many bytes they are.
func (g *group) queueWrites(b *pgx.Batch) (bytes int) {
	if len(g.entries()) == 0 {
		return 0
	}
	var deleted, keys, values [][]byte
	_ = g.shown.Each(func(key, value []byte) error {
		if value == nil {
			deleted = append(deleted, key)
			return nil
		}
		keys, values = append(keys, key), append(values, value)
		bytes += len(key) + len(value)
		return nil
	})
	for _, r := range g.shown.Cleared() {
		b.Queue("DELETE FROM livery_keys WHERE key >= $1 AND key < $2", r.Start, r.End)
	}
	if len(deleted) > 0 {
		b.Queue("DELETE FROM livery_keys WHERE key = ANY($1)", deleted)
	}
	for from := 0; from < len(keys); from += mostInOne {
		to := min(from+mostInOne, len(keys))
		b.Queue("INSERT INTO livery_keys SELECT * FROM unnest($1::bytea[], $2::bytea[]) ON CONFLICT (key) DO UPDATE SET value = excluded.value", keys[from:to], values[from:to])
	}
	return bytes
}
