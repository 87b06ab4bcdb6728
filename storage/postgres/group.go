package postgres

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

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
	turn    *turn        // what fills them when the head is locked; nil where they are filled
	done    chan outcome // holds one
}

// outcome is what became of writes.
type outcome struct {
	at  storage.Cursor
	err error
}

func newWrites(scope string) (*writes, error) {
	w := &writes{scope: scope, tag: make([]byte, tagSize), done: make(chan outcome, 1)}
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

// commit hands w over and waits for what becomes of it. What was handed over is never taken back: a
// caller that waited for too long is told that it does not know.
func (g *group) commit(w *writes) (storage.Cursor, error) {
	g.queue <- w
	select {
	case o := <-w.done:
		return o.at, o.err
	case <-time.After(g.store.opts.CommitWait):
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
		w.done <- outcome{err: err}
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
		if _, err := lockHead(ctx, tx); err != nil {
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
			w.done <- outcome{at: cursor(seq, w.tag)}
		} else {
			rest = append(rest, w)
		}
	}
	return rest, nil
}

func lockHead(ctx context.Context, tx pgx.Tx) (head, error) {
	return scanHead(tx.QueryRow(ctx, "SELECT seq, tag, trimmed, trimmed_tag FROM livery_head FOR UPDATE"))
}

// try commits a batch in one transaction. sent is whether its COMMIT went out; then an error leaves
// it unknown what became of it.
func (g *group) try(batch []*writes) (sent bool, err error) {
	tx, h, err := g.begin()
	if err != nil {
		return false, err
	}
	if batch[0].turn != nil {
		if err := batch[0].fillNow(); err != nil {
			return false, err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience(batch))
	defer cancel()
	puts := g.store.puts.all(g.store.opts.clock())
	if err := g.store.puts.confirm(ctx, tx, puts); err != nil {
		return false, err
	}
	fresh, overtaken, err := sortOut(ctx, tx, h, batch)
	if err != nil {
		return false, err
	}
	end, err := enterAll(ctx, tx, h.end.Seq, fresh)
	if err != nil {
		return false, err
	}
	if err := tx.Commit(ctx); err != nil {
		return true, err
	}
	g.store.puts.forget(puts)
	tell(overtaken, errOvertaken)
	for _, w := range fresh {
		end.Seq++
		w.done <- outcome{at: storage.Cursor{Seq: end.Seq, Tag: hex.EncodeToString(w.tag)}}
	}
	g.store.follow.nudge()
	return true, nil
}

// begin begins a transaction that holds the head of the log.
func (g *group) begin() (pgx.Tx, head, error) {
	ctx, cancel := context.WithTimeout(context.Background(), lockWait+ackWait)
	defer cancel()
	tx, err := g.conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
	if err != nil {
		return nil, head{}, err
	}
	h, err := lockHead(ctx, tx)
	return tx, h, err
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
// Global commit rests on everything, and everything on the last Global one.
func sortOut(ctx context.Context, tx pgx.Tx, h head, batch []*writes) (fresh, overtaken []*writes, err error) {
	names := []string{storage.Global}
	for _, w := range batch {
		names = append(names, w.scope)
	}
	rows, err := tx.Query(ctx, "SELECT scope, seq FROM livery_scopes WHERE scope = ANY($1)", names)
	if err != nil {
		return nil, nil, err
	}
	newest := map[string]uint64{}
	var scope string
	var seq int64
	_, err = pgx.ForEachRow(rows, []any{&scope, &seq}, func() error {
		newest[scope] = uint64(seq)
		return nil
	})
	last := h.end.Seq
	for _, w := range batch {
		stale := newest[w.scope] > w.base.Seq || newest[storage.Global] > w.base.Seq || w.scope == storage.Global && last > w.base.Seq
		if stale {
			overtaken = append(overtaken, w)
			continue
		}
		last++
		newest[w.scope] = last
		fresh = append(fresh, w)
	}
	return fresh, overtaken, err
}

// enterAll writes the fresh ones in order and returns where they begin.
func enterAll(ctx context.Context, tx pgx.Tx, after uint64, fresh []*writes) (storage.Cursor, error) {
	begin := storage.Cursor{Seq: after}
	if len(fresh) == 0 {
		return begin, nil
	}
	b := &pgx.Batch{}
	for i, w := range fresh {
		seq := int64(after) + int64(i) + 1
		for _, prefix := range w.cleared {
			start, end := span(prefix)
			b.Queue("DELETE FROM livery_keys WHERE key >= $1 AND key < $2", start, end)
		}
		if len(w.deleted) > 0 {
			b.Queue("DELETE FROM livery_keys WHERE key = ANY($1)", w.deleted)
		}
		for from := 0; from < len(w.keys); from += mostInOne {
			to := min(from+mostInOne, len(w.keys))
			b.Queue("INSERT INTO livery_keys SELECT * FROM unnest($1::bytea[], $2::bytea[]) ON CONFLICT (key) DO UPDATE SET value = excluded.value", w.keys[from:to], w.values[from:to])
		}
		b.Queue("INSERT INTO livery_scopes VALUES ($1, $2) ON CONFLICT (scope) DO UPDATE SET seq = excluded.seq", w.scope, seq)
		b.Queue("INSERT INTO livery_changes VALUES ($1, $2, $3)", seq, w.tag, w.body)
	}
	b.Queue("UPDATE livery_head SET seq = $1, tag = $2", int64(after)+int64(len(fresh)), fresh[len(fresh)-1].tag)
	b.Queue("NOTIFY livery")
	return begin, tx.SendBatch(ctx, b).Close()
}
