package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// update is one call of Update. Its function runs in the goroutine of its caller, whenever its group passes it a turn.
type update struct {
	ctx  context.Context
	fn   func(storage.Tx) (record.Change, error)
	turn chan storage.Tx // what the function runs on
	ran  chan struct{}   // the caller's answer to a turn
	left chan struct{}   // closed when the caller takes no more turns

	change  record.Change // what the function returned
	err     error
	tag     []byte // of its entry of the change log
	body    []byte // of the entry; nil if the update wrote nothing
	at      storage.Cursor
	settled chan struct{} // closed when at and err are final
}

// Update runs fn serially in its scope and commits what it wrote as one durable step. fn runs again if another process
// committed in the scope meanwhile, or the server went away.
func (s *Store) Update(ctx context.Context, scope string, fn func(storage.Tx) (record.Change, error)) (storage.Cursor, error) {
	if err := s.enter(ctx); err != nil {
		return storage.Cursor{}, err
	}
	defer s.leave()
	u := &update{
		ctx: ctx, fn: fn, tag: make([]byte, tagSize),
		turn: make(chan storage.Tx), ran: make(chan struct{}), left: make(chan struct{}), settled: make(chan struct{}),
	}
	if _, err := rand.Read(u.tag); err != nil {
		return storage.Cursor{}, fmt.Errorf("postgres: tag of a commit: %w", err)
	}
	s.updates.add(&s.calls, scope, u, func(batch []*update) { s.updateTogether(scope, batch) })
	return u.await(s.opts.CommitWait)
}

// await takes turns until the update is settled. Once the function has run ctx stops nothing any more: a caller that
// waits for too long is told that it does not know.
func (u *update) await(wait time.Duration) (storage.Cursor, error) {
	defer close(u.left)
	late := time.NewTimer(wait)
	defer late.Stop()
	unavailable, done := storage.ErrUnavailable, u.ctx.Done()
	for {
		select {
		case tx := <-u.turn:
			u.run(tx)
			late.Reset(wait)
			unavailable, done = storage.ErrUncertain, nil
		case <-u.settled:
			return u.at, u.err
		case <-done:
			return storage.Cursor{}, u.ctx.Err()
		case <-late.C:
			return storage.Cursor{}, fmt.Errorf("postgres: a commit is not acknowledged within %s; a quorum of standbys may be away: %w", wait, unavailable)
		}
	}
}

// run runs the function, also to the end of a panic.
func (u *update) run(tx storage.Tx) {
	u.err = errUnfinished
	defer func() { u.ran <- struct{}{} }()
	if u.change, u.err = u.fn(tx); u.err == nil {
		u.err = u.ctx.Err()
	}
}

// group is the updates of one scope that waited together. They run one after the other over one snapshot, each shown
// the writes of those before it, and are committed together or not at all.
type group struct {
	scope   string
	updates []*update
	base    storage.Cursor   // of the snapshot
	shown   *storage.Overlay // the snapshot with the writes of the group over it; nil until the group ran
	settled chan struct{}    // closed when each update is
}

// contendedFor is how many groups of a scope run with the head of the log locked after another process overtook one.
const contendedFor = 8

// contended are the scopes that other processes write too, each with how many groups more run with the head locked:
// processes would overtake each other again and again else. The zero value is ready.
type contended struct {
	mu   sync.Mutex // guards left
	left map[string]int
}

// overtaken notes that another process overtook a group of the scope.
func (c *contended) overtaken(scope string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left == nil {
		c.left = map[string]int{}
	}
	c.left[scope] = contendedFor
}

// takes reports whether the next group of the scope runs with the head locked.
func (c *contended) takes(scope string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.left[scope]
	if n > 1 {
		c.left[scope] = n - 1
	} else {
		delete(c.left, scope)
	}
	return n > 0
}

// updateTogether runs the updates of a scope as a group and has its writes committed. A Global group is alone in this
// process until it is settled.
func (s *Store) updateTogether(scope string, updates []*update) {
	if scope == storage.Global {
		s.global.Lock()
		defer s.global.Unlock()
	} else {
		s.global.RLock()
		defer s.global.RUnlock()
	}
	s.settleGroup(&group{scope: scope, updates: updates, settled: make(chan struct{})})
}

// settleGroup runs a group and has it committed. If it cannot read what it must, its updates run one by one, so that the
// others do not fail with the one that cannot.
func (s *Store) settleGroup(g *group) {
	if !s.contended.takes(g.scope) {
		err := s.retryWhileAway(context.Background(), func() error { return s.runGroup(g) })
		if err != nil && !errors.Is(err, storage.ErrUnavailable) && len(g.updates) > 1 {
			for _, u := range g.updates {
				s.settleGroup(&group{scope: g.scope, updates: []*update{u}, settled: make(chan struct{})})
			}
			return
		}
		if err != nil || len(g.entries()) == 0 {
			g.settle(err)
			return
		}
	}
	s.commits.add(&s.calls, "", g, s.commit)
	<-g.settled
}

// runGroup runs the functions of a group on a snapshot.
func (s *Store) runGroup(g *group) error {
	r, end, err := s.begin(context.Background(), g.reads())
	if err != nil {
		return err
	}
	defer end()
	return g.run(r)
}

// reads returns what the functions are expected to read.
func (g *group) reads() (all storage.Reads) {
	for _, u := range g.updates {
		all.Append(storage.ExpectedReads(u.ctx))
	}
	return all
}

// run runs the functions over what r shows, in place of what they wrote when they ran before. An error is one of the
// connection, says nothing of the functions, and means that the group has not run.
func (g *group) run(r *reader) error {
	g.shown = nil
	shown := storage.NewOverlay(r, checkKey)
	for _, u := range g.updates {
		if err := u.runOver(shown); err != nil {
			return err
		}
		if r.broken != nil {
			return r.broken
		}
	}
	g.base, g.shown = r.cursor, shown
	return nil
}

// runOver runs the function of an update and lays its writes over what the group has shown it. An update whose caller
// has left writes nothing.
func (u *update) runOver(shown *storage.Overlay) error {
	t := storage.NewOverlay(shown, checkKey)
	u.body = nil
	select {
	case u.turn <- t:
		<-u.ran
	case <-u.left:
		return nil
	}
	if u.err != nil || !t.Wrote() {
		return nil
	}
	body, err := record.Encode(u.change)
	if err != nil {
		u.err = err
		return nil
	}
	u.body = body
	return t.Onto(shown)
}

// entries returns the updates that wrote something.
func (g *group) entries() (entries []*update) {
	for _, u := range g.updates {
		if u.body != nil {
			entries = append(entries, u)
		}
	}
	return entries
}

// settle says what became of the group: err, or each update's own error, and place if it wrote something.
func (g *group) settle(err error) {
	for _, u := range g.updates {
		switch {
		case err != nil:
			u.err = err
		case u.err == nil && u.body == nil:
			u.at = g.base
		}
		close(u.settled)
	}
	close(g.settled)
}
