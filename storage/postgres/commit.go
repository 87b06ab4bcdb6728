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
	if len(entries) == 0 {
		return true, nil
	}
	b := &pgx.Batch{} // one transaction, because no statement of it begins one
	b.Queue(lockHead)
	b.Queue("SELECT EXISTS (SELECT FROM livery_changes WHERE seq = $1 AND tag = $2)", int64(entries[0].at.Seq), entries[0].tag).QueryRow(func(row pgx.Row) error {
		return row.Scan(&done)
	})
	return done, c.conn.SendBatch(ctx, b).Close()
}

// entriesOf returns the updates that wrote something.
func entriesOf(groups []*group) (entries []*update) {
	for _, g := range groups {
		for _, u := range g.updates {
			if u.body != nil {
				entries = append(entries, u)
			}
		}
	}
	return entries
}

// try commits groups in one transaction: one round trip locks the head and reads what the groups are checked against,
// the next writes and commits. A group that another process overtook runs again in between, when none can any more,
// and so does one that has not run.
// sent is whether the COMMIT may have been carried out; then an error leaves it unknown what became of it.
func (c *committer) try(groups []*group) (sent bool, err error) {
	puts := c.store.unconfirmed.all(c.store.opts.clock())
	now, err := c.begin(groups, puts)
	if err != nil {
		return false, err
	}
	for _, g := range groups {
		if g.shown != nil && !now.overtook(g) {
			continue
		}
		if g.shown != nil {
			c.store.contended.overtaken(g.scope)
		}
		if err := c.store.runGroup(g); err != nil {
			return false, err
		}
	}
	b := &pgx.Batch{}
	for _, name := range slices.Sorted(maps.Keys(puts)) {
		if blob := puts[name]; !now.there[name] {
			b.Queue(putBlob, digest(name), blob.packed, blob.at)
		}
	}
	bytes := queueGroups(b, groups, now.end.Seq)
	if sent, err = c.end(b, ackWait+time.Duration(bytes)*byteWait); err == nil {
		c.store.unconfirmed.forget(puts)
	}
	return sent, err
}

// logState is what groups are checked against, while a transaction holds the head of the log.
type logState struct {
	head
	newest map[string]uint64    // entry of the log, by scope
	there  map[record.Hash]bool // blobs
}

// overtook reports whether another process committed what a group rests on since its snapshot. A Global group rests
// on everything, and everything on the last Global one.
func (now logState) overtook(g *group) bool {
	newest := max(now.newest[g.scope], now.newest[storage.Global])
	if g.scope == storage.Global {
		newest = now.end.Seq
	}
	return newest > g.base.Seq
}

// begin begins a transaction that holds the head of the log.
func (c *committer) begin(groups []*group, puts map[record.Hash]unconfirmedBlob) (now logState, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), lockWait+ackWait)
	defer cancel()
	scopes := []string{storage.Global}
	for _, g := range groups {
		scopes = append(scopes, g.scope)
	}
	now = logState{newest: map[string]uint64{}, there: map[record.Hash]bool{}}
	b := &pgx.Batch{}
	b.Queue("BEGIN ISOLATION LEVEL READ COMMITTED") // so that what follows the lock sees what was committed before it
	b.Queue(lockHead).QueryRow(func(row pgx.Row) (err error) {
		now.head, err = scanHead(row)
		return err
	})
	b.Queue("SELECT scope, seq FROM livery_scopes WHERE scope = ANY($1)", scopes).Query(func(rows pgx.Rows) error {
		var scope string
		var seq int64
		_, err := pgx.ForEachRow(rows, []any{&scope, &seq}, func() error {
			now.newest[scope] = uint64(seq)
			return nil
		})
		return err
	})
	if len(puts) > 0 {
		b.Queue("SELECT name FROM livery_blobs WHERE name = ANY($1)", digests(slices.Collect(maps.Keys(puts)))).Query(func(rows pgx.Rows) error {
			var name []byte
			_, err := pgx.ForEachRow(rows, []any{&name}, func() error {
				now.there[record.Hash(hex.EncodeToString(name))] = true
				return nil
			})
			return err
		})
	}
	return now, c.conn.SendBatch(ctx, b).Close()
}

// end sends the statements of a transaction with its COMMIT. Only an error of the server from before the
// COMMIT says that it was not carried out.
func (c *committer) end(b *pgx.Batch, within time.Duration) (sent bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	before := b.Len()
	b.Queue("COMMIT")
	results := c.conn.SendBatch(ctx, b)
	done := 0
	for ; done <= before && err == nil; done++ {
		_, err = results.Exec()
	}
	if closeErr := results.Close(); err == nil {
		err = closeErr
	}
	var refused *pgconn.PgError
	return done > before || !errors.As(err, &refused), err
}

// queueGroups queues what writes groups behind entry last of the log, and returns how many bytes that are.
func queueGroups(b *pgx.Batch, groups []*group, last uint64) (bytes int) {
	var seqs, newest []int64
	var scopes []string
	var tags, bodies [][]byte
	for _, g := range groups {
		if !g.wrote() {
			continue
		}
		bytes += g.queueWrites(b)
		for _, u := range entriesOf([]*group{g}) {
			last++
			u.at = storage.Cursor{Seq: last, Tag: hex.EncodeToString(u.tag)}
			seqs, tags, bodies = append(seqs, int64(last)), append(tags, u.tag), append(bodies, u.body)
		}
		scopes, newest = append(scopes, g.scope), append(newest, int64(last))
	}
	if len(seqs) == 0 {
		return 0
	}
	b.Queue("INSERT INTO livery_scopes SELECT * FROM unnest($1::text[], $2::bigint[]) ON CONFLICT (scope) DO UPDATE SET seq = excluded.seq", scopes, newest)
	b.Queue("INSERT INTO livery_changes SELECT * FROM unnest($1::bigint[], $2::bytea[], $3::bytea[])", seqs, tags, bodies)
	b.Queue("UPDATE livery_head SET seq = $1, tag = $2", int64(last), tags[len(tags)-1])
	return bytes
}

// mostInOne is how many records one statement writes.
const mostInOne = 4096

// queueWrites queues the writes of a group, and returns how many bytes they are.
func (g *group) queueWrites(b *pgx.Batch) (bytes int) {
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
