package postgres

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

const tagSize = 8

// writes are one Update's on their way into a transaction.
type writes struct {
	scope   string
	base    storage.Cursor // the newest entry of the log that the function was shown
	cleared [][]byte
	deleted [][]byte
	keys    [][]byte
	values  [][]byte
	tag     []byte
	body    []byte
	after   *writes       // of the same chain, which the function was shown too; nil for none
	seq     uint64        // place in the log, from when it is taken in a transaction; 0 for none
	turn    *turn         // what fills them when the head is locked; nil where they are filled
	settled chan struct{} // closed when it is known what became of them
	at      storage.Cursor
	err     error
}

// settle says what became of the writes.
func (w *writes) settle(at storage.Cursor, err error) {
	if w.at, w.err = at, err; err != nil {
		w.seq = 0
	}
	close(w.settled)
}

func (w *writes) isSettled() bool {
	select {
	case <-w.settled:
		return true
	default:
		return false
	}
}

// failed reports whether it is known that the writes were not made, or not known for good.
func (w *writes) failed() bool { return w.isSettled() && w.err != nil }

func newWrites(scope string) (*writes, error) {
	w := &writes{scope: scope, tag: make([]byte, tagSize), settled: make(chan struct{})}
	if _, err := rand.Read(w.tag); err != nil {
		return nil, fmt.Errorf("postgres: tag of a commit: %w", err)
	}
	return w, nil
}

// take collects what a function wrote, in place of what it wrote when it ran before.
func (w *writes) take(t *storage.Overlay, change record.Change) (err error) {
	w.cleared, w.deleted, w.keys, w.values = t.Cleared(), nil, nil, nil
	if w.body, err = record.Encode(change); err != nil {
		return err
	}
	return t.Each(func(key, value []byte) error {
		if value == nil {
			w.deleted = append(w.deleted, key)
			return nil
		}
		w.keys, w.values = append(w.keys, key), append(w.values, value)
		return nil
	})
}

// group commits what waits together. One goroutine does, on one connection that is never cancelled.
type group struct {
	store  *Store
	config *pgx.ConnConfig
	queue  chan *writes
	ended  chan struct{}
	once   sync.Once
	conn   *pgx.Conn // the goroutine's; nil while there is none
	breaks int64     // of the pool when conn was made
}

// mostTogether bounds a transaction, in commits, and mostInOne a statement, in records.
const (
	mostTogether = 128
	mostInOne    = 4096
)

func newGroup(s *Store, config *pgx.ConnConfig) *group {
	g := &group{store: s, config: forCommits(config), queue: make(chan *writes, mostTogether), ended: make(chan struct{})}
	go g.work()
	return g
}

// await waits for what becomes of writes that were queued, and are never taken back: a caller that waited for
// too long is told that it does not know.
func (g *group) await(w *writes) (storage.Cursor, error) {
	late := time.NewTimer(g.store.opts.CommitWait)
	defer late.Stop()
	select {
	case <-w.settled:
		return w.at, w.err
	case <-late.C:
		return storage.Cursor{}, g.late()
	}
}

func (g *group) late() error {
	return fmt.Errorf("postgres: a commit is not acknowledged within %s; a quorum of standbys may be away: %w", g.store.opts.CommitWait, storage.ErrUncertain)
}

func (g *group) close() {
	g.once.Do(func() { close(g.queue) })
	<-g.ended
}

func (g *group) work() {
	defer close(g.ended)
	for w := range g.queue {
		for w != nil {
			batch := []*writes{w}
			if w.turn == nil {
				batch, w = g.more(batch)
			} else {
				w = nil
			}
			g.settle(batch)
		}
	}
	if g.conn != nil {
		drop(g.conn)
	}
}

// more adds to a batch what waits already, up to one that wants a turn of its own, which comes next.
func (g *group) more(batch []*writes) (all []*writes, next *writes) {
	for len(batch) < mostTogether && len(g.queue) > 0 {
		w, open := <-g.queue
		if !open {
			break
		}
		if w.turn != nil {
			return batch, w
		}
		batch = append(batch, w)
	}
	return batch, nil
}

// settle commits a batch, again and again while the server is away and for Options.RetryFor, and
// tells everybody. A commit whose answer was lost is looked for by its tag before it is tried again.
func (g *group) settle(batch []*writes) {
	deadline := time.Now().Add(g.store.opts.RetryFor)
	sent := false // whether a COMMIT may have reached a server
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 250*time.Millisecond) {
		err := g.connect()
		if err == nil && sent {
			batch, err = g.lookUp(batch)
		}
		if err == nil {
			sent = false
			if len(batch) == 0 {
				return
			}
			if sent, err = g.try(batch); err == nil {
				return
			}
		}
		if g.conn != nil {
			drop(g.conn)
			g.conn = nil
		}
		if errors.Is(err, errIdle) {
			return
		}
		if !isAway(err) && !sent || time.Now().After(deadline) {
			tell(batch, giveUp(err, sent))
			return
		}
		time.Sleep(pause)
	}
}

// giveUp is the error of a batch that cannot be settled.
func giveUp(err error, sent bool) error {
	if sent {
		return fmt.Errorf("postgres: commit: %w: %w", storage.ErrUncertain, err)
	}
	return failure(context.Background(), err)
}

func tell(batch []*writes, err error) {
	for _, w := range batch {
		w.settle(storage.Cursor{}, err)
	}
}

// connect makes a connection where there is none, or where readers found the server away since it was made:
// one that hangs would be noticed late.
func (g *group) connect() (err error) {
	breaks := g.store.pool.breaks.Load()
	if g.conn != nil && g.breaks == breaks {
		return nil
	}
	if g.conn != nil {
		drop(g.conn)
		g.conn = nil
	}
	g.breaks = breaks
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	g.conn, err = lasting(ctx, g.config)
	return err
}

// lookUp finds which of a batch were committed though nobody heard, tells them, and returns the rest.
// It waits for the head, which a transaction that is still under way holds.
func (g *group) lookUp(batch []*writes) (rest []*writes, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), lockWait+ackWait)
	defer cancel()
	found := map[*writes]int64{}
	err = pgx.BeginFunc(ctx, g.conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, lockHead); err != nil {
			return err
		}
		for _, w := range batch {
			var seq int64
			err := tx.QueryRow(ctx, "SELECT seq FROM livery_changes WHERE tag = $1 AND seq > $2", w.tag, int64(w.base.Seq)).Scan(&seq)
			if err == nil {
				found[w] = seq
			} else if !errors.Is(err, pgx.ErrNoRows) {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return batch, err
	}
	for _, w := range batch {
		if seq, there := found[w]; there {
			w.seq = uint64(seq)
			w.settle(cursor(seq, w.tag), nil)
		} else {
			rest = append(rest, w)
		}
	}
	return rest, nil
}

const lockHead = selectHead + " FOR UPDATE"

// try commits a batch in one transaction: one round trip locks the head and reads what the batch is checked
// against, the next writes and commits. sent is whether its COMMIT may have been carried out; then an error
// leaves it unknown what became of it.
func (g *group) try(batch []*writes) (sent bool, err error) {
	puts := g.store.puts.all(g.store.opts.clock())
	now, err := g.begin(batch, puts)
	if err != nil {
		return false, err
	}
	if batch[0].turn != nil {
		if err := batch[0].fillNow(); err != nil {
			return false, err
		}
	}
	fresh, overtaken := now.sortOut(batch)
	b := &pgx.Batch{}
	for name, blob := range puts {
		if !now.there[name] {
			b.Queue(putBlob, digest(name), blob.packed, blob.at)
		}
	}
	enterAll(b, fresh)
	if sent, err := g.end(b, patience(batch)); err != nil {
		return sent, err
	}
	g.store.puts.forget(puts)
	for _, w := range overtaken {
		g.store.chains.dispute(w.scope)
	}
	tell(overtaken, errOvertaken)
	for _, w := range fresh {
		w.settle(storage.Cursor{Seq: w.seq, Tag: hex.EncodeToString(w.tag)}, nil)
	}
	g.store.follow.nudge()
	return true, nil
}

// current is what a batch is checked against, while its transaction holds the head of the log.
type current struct {
	head
	newest map[string]uint64    // entry of the log, by scope
	there  map[record.Hash]bool // blobs
}

// begin begins a transaction that holds the head of the log.
func (g *group) begin(batch []*writes, puts map[record.Hash]unconfirmedBlob) (now current, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), lockWait+ackWait)
	defer cancel()
	scopes := []string{storage.Global}
	for _, w := range batch {
		scopes = append(scopes, w.scope)
	}
	now = current{newest: map[string]uint64{}, there: map[record.Hash]bool{}}
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
	return now, g.conn.SendBatch(ctx, b).Close()
}

// end sends the statements of a transaction with its COMMIT. Only an error of the server from before the
// COMMIT says that it was not carried out.
func (g *group) end(b *pgx.Batch, within time.Duration) (sent bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	before := b.Len()
	b.Queue("COMMIT")
	results := g.conn.SendBatch(ctx, b)
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

// patience is how long the statements of a batch may take.
func patience(batch []*writes) time.Duration {
	bytes := 0
	for _, w := range batch {
		for i := range w.keys {
			bytes += len(w.keys[i]) + len(w.values[i])
		}
	}
	return ackWait + time.Duration(bytes)*byteWait
}

// sortOut tells the writes that rest on the newest of their scope from those that were overtaken. A
// Global commit rests on everything, and everything on the last Global one; what continues a chain rests on
// the writes before it.
func (now current) sortOut(batch []*writes) (fresh, overtaken []*writes) {
	last := now.end.Seq
	for _, w := range batch {
		w.seq = 0
		if now.overtook(w) || w.scope == storage.Global && last > w.base.Seq {
			overtaken = append(overtaken, w)
			continue
		}
		last++
		w.seq, now.newest[w.scope] = last, last
		fresh = append(fresh, w)
	}
	return fresh, overtaken
}

// overtook reports whether another origin committed in the scope of writes since they were made.
func (now current) overtook(w *writes) bool {
	newest := now.newest[w.scope]
	switch {
	case now.newest[storage.Global] > w.base.Seq:
		return true
	case w.after == nil:
		return newest > w.base.Seq
	}
	return w.after.seq == 0 || newest != w.after.seq
}

// enterAll queues what writes the fresh ones in order.
func enterAll(b *pgx.Batch, fresh []*writes) {
	if len(fresh) == 0 {
		return
	}
	for _, w := range fresh {
		for _, prefix := range w.cleared {
			start, end := storage.Span(prefix)
			b.Queue("DELETE FROM livery_keys WHERE key >= $1 AND key < $2", start, end)
		}
		if len(w.deleted) > 0 {
			b.Queue("DELETE FROM livery_keys WHERE key = ANY($1)", w.deleted)
		}
		for from := 0; from < len(w.keys); from += mostInOne {
			to := min(from+mostInOne, len(w.keys))
			b.Queue("INSERT INTO livery_keys SELECT * FROM unnest($1::bytea[], $2::bytea[]) ON CONFLICT (key) DO UPDATE SET value = excluded.value", w.keys[from:to], w.values[from:to])
		}
		b.Queue("INSERT INTO livery_scopes VALUES ($1, $2) ON CONFLICT (scope) DO UPDATE SET seq = excluded.seq", w.scope, int64(w.seq))
		b.Queue("INSERT INTO livery_changes VALUES ($1, $2, $3)", int64(w.seq), w.tag, w.body)
	}
	end := fresh[len(fresh)-1]
	b.Queue("UPDATE livery_head SET seq = $1, tag = $2", int64(end.seq), end.tag)
}
