package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// chain is a row of writes of one scope that were made over one snapshot, each shown those before it. They
// wait for the disks together: the next writer begins as soon as the last one's writes are queued. Whoever
// has the scope has its chain.
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

// A chain ends when nobody waits for its scope, or at these bounds: its snapshot keeps dead rows, and what it
// wrote is in memory.
const (
	longestChain = 64
	oldestChain  = 50 * time.Millisecond
)

// Origins that write in one scope take turns, chain by chain, as long as disputeFor after one overtook another:
// else each would overtake the other again and again. A turn is a lock of the server's. It is a courtesy,
// and given up after turnWait: what was overtaken is found out when it is committed.
const (
	disputeFor = 5 * time.Second
	turnWait   = time.Second
	turnLock   = 0x4c495653 // the first half of the lock's name
)

// chains are those of all scopes in which writes are queued.
type chains struct {
	mu       sync.Mutex // guards below
	of       map[string]*chain
	disputed map[string]time.Time // when another origin was last found to write in a scope
}

// dispute notes that another origin writes in a scope too.
func (a *chains) dispute(scope string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.disputed == nil {
		a.disputed = map[string]time.Time{}
	}
	a.disputed[scope] = time.Now()
}

// isDisputed reports whether another origin wrote in a scope of late.
func (a *chains) isDisputed(scope string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	since, there := a.disputed[scope]
	if there && time.Since(since) > disputeFor {
		delete(a.disputed, scope)
		return false
	}
	return there
}

// leave keeps a chain for the next writer of its scope, or until its writes are settled.
func (a *chains) leave(scope string, c *chain) {
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
	if c := a.of[scope]; c != nil && c.last == w && !c.open {
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
func (s *Store) take(ctx context.Context, scope string) (*chain, error) {
	if c := s.chains.current(scope); c != nil && c.conn != nil && !c.last.failed() {
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
		s.chains.leave(scope, c)
	}
	return s.settled(ctx, scope)
}

// abandon ends a chain that was left for a writer who went away.
func (s *Store) abandon(scope string) {
	defer s.leave()
	release, err := s.scopes.Acquire(context.Background(), scope)
	if err != nil {
		return // never: the context does not end
	}
	defer release()
	if c := s.chains.current(scope); c != nil {
		s.finish(scope, c, nil)
		s.chains.leave(scope, c)
		if c.last.isSettled() {
			s.chains.forget(scope, c.last)
		}
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
	c.reader, err = s.begin(ctx, func(conn *pgx.Conn) (err error) {
		if scope != storage.Global && s.chains.isDisputed(scope) && s.pool.isRoomy() {
			c.turn, err = takeTurn(ctx, conn, scope)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	c.conn, c.shown = c.reader.conn, storage.NewOverlay(c.reader, checkKey)
	return c, nil
}

// takeTurn waits for the turn of a scope, and reports whether the connection has it.
func takeTurn(ctx context.Context, conn *pgx.Conn, scope string) (bool, error) {
	b := &pgx.Batch{} // one transaction, because no statement of it begins one
	b.Queue("SELECT set_config('lock_timeout', $1, true)", strconv.FormatInt(turnWait.Milliseconds(), 10))
	b.Queue("SELECT pg_advisory_lock($1, hashtext($2))", turnLock, scope)
	err := conn.SendBatch(ctx, b).Close()
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == lockNotAvailable {
		return false, nil
	}
	return err == nil, err
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
		return
	}
	s.calls.Add(1)
	go func() {
		defer s.leave()
		_, err := conn.Exec(context.Background(), "COMMIT")
		if last != nil {
			<-last.settled
		}
		if err == nil {
			err = endTurn(conn, scope)
		}
		s.pool.give(context.Background(), conn, err)
	}()
}

func endTurn(conn *pgx.Conn, scope string) error {
	_, err := conn.Exec(context.Background(), "SELECT pg_advisory_unlock($1, hashtext($2))", turnLock, scope)
	return err
}

// attempt runs fn over the chain of its scope and queues its writes. The scope is free for its next writer
// before they are durable, but for Global.
func (s *Store) attempt(ctx context.Context, scope string, fn func(storage.Tx) (record.Change, error)) (storage.Cursor, error) {
	release, err := s.scopes.Acquire(ctx, scope)
	if err != nil {
		s.calls.Add(1)
		go s.abandon(scope)
		return storage.Cursor{}, err
	}
	release = sync.OnceFunc(release)
	defer release()
	w, err := s.queue(ctx, scope, fn)
	if scope != storage.Global {
		release()
	}
	switch {
	case w == nil:
		return storage.Cursor{}, err
	case w.after != nil && (err != nil || w.body == nil): // fn answered from what may not be durable
		at, waitErr := s.group.await(w.after)
		switch {
		case errors.Is(waitErr, storage.ErrUncertain):
			return storage.Cursor{}, waitErr
		case waitErr != nil:
			return storage.Cursor{}, errOvertaken
		}
		return at, err
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
func (s *Store) queue(ctx context.Context, scope string, fn func(storage.Tx) (record.Change, error)) (w *writes, err error) {
	c, err := s.take(ctx, scope)
	if err != nil {
		return nil, err
	}
	broken := errors.New("the function did not return")
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

// leaveChain lets the next writer of the scope go on with the chain, or ends it.
func (s *Store) leaveChain(scope string, c *chain, broken error) {
	if broken != nil || scope == storage.Global || c.last == nil || !s.scopes.Waited(scope) || c.length >= longestChain || time.Since(c.began) > oldestChain {
		s.finish(scope, c, broken)
	}
	s.chains.leave(scope, c)
}
