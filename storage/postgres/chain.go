package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// chain is a row of writes of one scope that were made over one snapshot, each shown those before it. They
// wait for the disks together: the next writer begins as soon as the last one's writes are queued. What it reads
// of its scope and of Global is the newest there is when it is committed.
//
// The writer that holds the scope owns its chain, and may leave it open. Scopes counts the writers that hold a scope or
// wait for it, and calls endChain with the last one gone, however it went: so an open chain always has a next owner.
type chain struct {
	reader *reader
	conn   *pgx.Conn        // nil when the snapshot has ended
	shown  *storage.Overlay // the snapshot with the writes over it
	last   *writes          // nil before the first
	length int
	began  time.Time
	turn   bool // the connection has the turn of the scope
	open   bool // it may be continued; guarded by chains.mu
}

// A chain ends when no writer waits for its scope, or at these bounds: its snapshot keeps dead rows, and what it
// wrote is in memory.
const (
	longestChain = 64
	oldestChain  = 50 * time.Millisecond
)

// chains are those of all scopes in which writes are queued.
type chains struct {
	mu    sync.Mutex // guards below
	of    map[string]*chain
	reads map[string]map[*storage.Reads]bool // that the writers in a scope expect, and those that wait for it
}

// expect notes what a writer of a scope will read, until done is called.
func (a *chains) expect(scope string, reads storage.Reads) (done func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.reads == nil {
		a.reads = map[string]map[*storage.Reads]bool{}
	}
	if a.reads[scope] == nil {
		a.reads[scope] = map[*storage.Reads]bool{}
	}
	a.reads[scope][&reads] = true
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if delete(a.reads[scope], &reads); len(a.reads[scope]) == 0 {
			delete(a.reads, scope)
		}
	}
}

// expected returns what the writers of a scope expect to read.
func (a *chains) expected(scope string) (all storage.Reads) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for reads := range a.reads[scope] {
		all.Keys, all.Prefixes = append(all.Keys, reads.Keys...), append(all.Prefixes, reads.Prefixes...)
	}
	return all
}

// put keeps a chain for the next writer of its scope, or until its writes are settled.
func (a *chains) put(scope string, c *chain) {
	a.mu.Lock()
	defer a.mu.Unlock()
	c.open = c.conn != nil
	switch {
	case c.last == nil:
		delete(a.of, scope)
	case a.of == nil:
		a.of = map[string]*chain{scope: c}
	default:
		a.of[scope] = c
	}
}

// forget drops a chain that ended with writes that are settled.
func (a *chains) forget(scope string, w *writes) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.of[scope]; c != nil && !c.open && c.last == w { // an open one may be in use
		delete(a.of, scope)
	}
}

// queued returns the newest writes of a scope that may not be settled; those of all for Global.
func (a *chains) queued(scope string) (all []*writes) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for name, c := range a.of {
		if name == scope || scope == storage.Global {
			all = append(all, c.last)
		}
	}
	return all
}

// current returns the chain of a scope, or nil.
func (a *chains) current(scope string) *chain {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.of[scope]
}

// take returns the chain that the next writer of a scope continues, or a new one. Before a new one begins the
// writes of the one before are settled, so that its snapshot shows them. The caller has the scope.
func (s *Store) take(ctx context.Context, scope string, fresh bool) (*chain, error) {
	if c := s.chains.current(scope); !fresh && c != nil && c.conn != nil && !c.last.failed() {
		return c, nil
	}
	if err := s.clear(ctx, scope); err != nil {
		return nil, err
	}
	return s.start(ctx, scope)
}

// clear ends the chain of a scope and waits until its writes are settled. The caller has the scope.
func (s *Store) clear(ctx context.Context, scope string) error {
	if c := s.chains.current(scope); c != nil {
		s.finish(scope, c, nil)
		s.chains.put(scope, c)
	}
	return s.settled(ctx, scope)
}

// endChain ends the chain that the last writer of a scope left.
func (s *Store) endChain(scope string) {
	c := s.chains.current(scope)
	if c == nil {
		return
	}
	s.finish(scope, c, nil)
	s.chains.put(scope, c)
	if c.last.isSettled() {
		s.chains.forget(scope, c.last)
	}
}

// settled waits until the writes of a scope that are queued are settled; those of all for Global.
func (s *Store) settled(ctx context.Context, scope string) error {
	late := time.NewTimer(s.opts.CommitWait)
	defer late.Stop()
	for _, w := range s.chains.queued(scope) {
		select {
		case <-w.settled:
		case <-ctx.Done():
			return ctx.Err()
		case <-late.C:
			return fmt.Errorf("postgres: the commit before is not acknowledged within %s: %w", s.opts.CommitWait, storage.ErrUnavailable)
		}
	}
	return nil
}

// start begins a chain.
func (s *Store) start(ctx context.Context, scope string) (c *chain, err error) {
	c = &chain{began: time.Now()}
	wanted := s.contention.wantsTurn(scope, s.pool)
	c.reader, err = s.begin(storage.WithReads(ctx, s.chains.expected(scope)), func(conn *pgx.Conn) (err error) {
		if wanted {
			c.turn, err = takeTurn(ctx, conn, scope)
		}
		return err
	})
	if wanted && (err != nil || !c.turn) {
		s.pool.leaveTurn()
	}
	if err != nil {
		return nil, err
	}
	c.reader.others = func() storage.Reads { return s.chains.expected(scope) }
	c.conn, c.shown = c.reader.conn, storage.NewOverlay(c.reader, checkKey)
	return c, nil
}

// finish ends the snapshot of a chain, and gives its turn up when its writes are settled. err is what went
// wrong with its connection.
func (s *Store) finish(scope string, c *chain, err error) {
	if c.conn == nil {
		return
	}
	conn, last := c.conn, c.last
	c.conn = nil
	if !c.turn || err != nil {
		s.pool.end(c.reader.ctx, conn, err)
		if c.turn {
			s.pool.leaveTurn()
		}
		return
	}
	s.calls.Add(1)
	go func() {
		defer s.leave()
		_, err := conn.Exec(context.Background(), "COMMIT")
		if last != nil {
			<-last.settled
		}
		s.pool.giveTurn(conn, scope, err)
	}()
}

// errStale means that fn wrote nothing, or failed, over a snapshot from before its Update: one that neither shows
// what other origins were told since, nor is durable. Writes are checked against both when they are committed.
var errStale = errors.New("judged by an earlier snapshot")

// attempt runs fn over the chain of its scope, or with fresh over a new one, and queues its writes. The scope is
// free for its next writer before they are durable, but for Global.
func (s *Store) attempt(ctx context.Context, scope string, fresh bool, fn func(storage.Tx) (record.Change, error)) (storage.Cursor, error) {
	done := s.chains.expect(scope, storage.ExpectedReads(ctx))
	defer done()
	release, err := s.scopes.Acquire(ctx, scope)
	if err != nil {
		return storage.Cursor{}, err
	}
	release = sync.OnceFunc(release)
	defer release()
	w, err := s.queue(ctx, scope, fresh, fn)
	done()
	if scope != storage.Global {
		release()
	}
	switch {
	case w == nil:
		return storage.Cursor{}, err
	case w.after != nil && (err != nil || w.body == nil):
		return storage.Cursor{}, errStale
	case err != nil:
		return storage.Cursor{}, err
	case w.body == nil:
		return w.base, nil
	}
	defer s.chains.forget(scope, w)
	return s.group.await(w)
}

// queue runs fn and hands its writes over. A nil w means that fn did not run; one without a body that it wrote
// nothing or failed.
func (s *Store) queue(ctx context.Context, scope string, fresh bool, fn func(storage.Tx) (record.Change, error)) (w *writes, err error) {
	c, err := s.take(ctx, scope, fresh)
	if err != nil {
		return nil, err
	}
	broken := errUnfinished
	defer func() { s.leaveChain(scope, c, broken) }()
	if w, err = newWrites(scope); err != nil {
		return nil, err
	}
	w.base, w.after, c.reader.ctx = c.reader.cursor, c.last, ctx
	t := storage.NewOverlay(c.shown, checkKey)
	change, err := fn(t)
	if broken = c.reader.broken; broken != nil && (err == nil || errors.Is(err, broken)) {
		err = failure(ctx, broken)
		if ctx.Err() == nil && isAway(broken) {
			err = errOvertaken
		}
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil || !t.Wrote() {
		return w, err
	}
	if err := w.take(t, change); err != nil {
		return w, err
	}
	if err := t.Onto(c.shown); err != nil {
		return w, err
	}
	c.last = w
	c.length++
	s.group.queue <- w
	return w, nil
}

// leaveChain leaves the chain to the next writer of the scope, or ends it.
func (s *Store) leaveChain(scope string, c *chain, broken error) {
	full := c.length >= longestChain || time.Since(c.began) > oldestChain
	if broken != nil || scope == storage.Global || c.last == nil || full {
		s.finish(scope, c, broken)
	}
	s.chains.put(scope, c)
}
