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

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

const tagSize = 8

// writes are one Update's on their way into a transaction.
type writes struct {
	scope   string
	base    storage.Cursor // the newest entry of the log that the function was shown
	cleared []storage.Range
	deleted [][]byte
	keys    [][]byte
	values  [][]byte
	tag     []byte
	body    []byte
	after   *writes       // of the same chain, which the function was shown too; nil for none
	seq     uint64        // place in the log, from when it is taken in a transaction; 0 for none
	before  uint64        // the newest entry of the scope before seq
	turn    *turn         // what fills them when the head is locked; nil if they are filled
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
// tells every caller. A commit whose answer was lost is looked for by its tag before it is tried again.
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
			failAll(batch, giveUp(err, sent))
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

func failAll(batch []*writes, err error) {
	for _, w := range batch {
		w.settle(storage.Cursor{}, err)
	}
}

// connect makes a connection if there is none, or if readers found the server away since it was made:
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

// lookUp finds which of a batch were committed though no answer came, tells their callers, and returns the rest.
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
	puts := g.store.unconfirmed.all(g.store.opts.clock())
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
	for _, name := range slices.Sorted(maps.Keys(puts)) {
		if blob := puts[name]; !now.there[name] {
			b.Queue(putBlob, digest(name), blob.packed, blob.at)
		}
	}
	enterAll(b, fresh)
	if sent, err := g.end(b, statementTimeout(batch)); err != nil {
		return sent, err
	}
	g.store.unconfirmed.forget(puts)
	for _, w := range overtaken {
		g.store.contention.overtaken(w.scope)
	}
	failAll(overtaken, errOvertaken)
	for _, w := range fresh {
		g.store.contention.wrote(w.scope, w.before, w.seq)
		w.settle(storage.Cursor{Seq: w.seq, Tag: hex.EncodeToString(w.tag)}, nil)
	}
	g.store.follow.nudge()
	return true, nil
}
