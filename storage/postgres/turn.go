package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// turn lets a caller fill its writes while the group holds the head of the log, so that no other writer can
// commit between its snapshot and its commit. The caller's function runs in the caller's goroutine.
type turn struct {
	begin  chan struct{}   // taken by the caller when the head is locked
	filled chan fillResult // its answer; the group waits for it
	gone   chan struct{}   // closed when the caller takes no more turns
}

// fillResult is what became of a caller's function.
type fillResult struct {
	wrote bool
	err   error
}

// errIdle ends a transaction in which there is nothing to commit.
var errIdle = errors.New("nothing was written")

// commitLocked lets fill fill w when the head of the log is locked, and waits for what becomes of it.
// fill runs again if the server went away before the commit.
func (g *group) commitLocked(w *writes, fill func() (wrote bool, err error)) (storage.Cursor, error) {
	w.turn = &turn{make(chan struct{}), make(chan fillResult, 1), make(chan struct{})}
	g.queue <- w
	late := time.After(g.store.opts.CommitWait)
	for began := false; ; {
		select {
		case <-w.turn.begin:
			began = true
			wrote, err := fill()
			w.turn.filled <- fillResult{wrote, err}
		case <-w.settled:
			return w.at, w.err
		case <-late:
			close(w.turn.gone)
			if began {
				return storage.Cursor{}, g.late()
			}
			return storage.Cursor{}, fmt.Errorf("postgres: no turn to commit within %s: %w", g.store.opts.CommitWait, storage.ErrUnavailable)
		}
	}
}

// fillNow lets the caller of w fill it. An error that is not isAway is the end of w, and told to the caller
// unless it is errIdle, which is told already.
func (w *writes) fillNow() error {
	select {
	case w.turn.begin <- struct{}{}:
	case <-w.turn.gone:
		return context.Canceled
	}
	f := <-w.turn.filled
	switch {
	case errors.Is(f.err, errOvertaken): // a read failed because the server went away
		return fmt.Errorf("%w: %w", errAway, f.err)
	case f.err != nil:
		w.settle(storage.Cursor{}, f.err)
		return errIdle
	case !f.wrote:
		w.settle(w.base, nil)
		return errIdle
	}
	return nil
}

// attemptLocked lets fn run when the group has locked the head of the log, so that no other commit can overtake its
// writes. The scope is free when they are settled.
func (s *Store) attemptLocked(ctx context.Context, scope string, fn func(storage.Tx) (record.Change, error)) (storage.Cursor, error) {
	release, err := s.scopes.Acquire(ctx, scope)
	if err != nil {
		return storage.Cursor{}, err
	}
	defer release()
	if err := s.clear(ctx, scope); err != nil {
		return storage.Cursor{}, err
	}
	defer s.awaitTurn(ctx, scope)()
	w, err := newWrites(scope)
	if err != nil {
		return storage.Cursor{}, err
	}
	return s.group.commitLocked(w, func() (wrote bool, err error) { return s.fill(ctx, w, fn) })
}

// fill runs fn on a snapshot and collects its writes. It returns errOvertaken if fn failed because a
// read did.
func (s *Store) fill(ctx context.Context, w *writes, fn func(storage.Tx) (record.Change, error)) (wrote bool, err error) {
	var t *storage.Overlay
	var change record.Change
	var refused error
	err = s.snapshot(ctx, func(r *reader) error {
		w.base, t = r.cursor, storage.NewOverlay(r, checkKey)
		if change, refused = fn(t); refused != nil {
			return refused
		}
		return ctx.Err()
	})
	switch {
	case err != nil && ctx.Err() == nil && isAway(err) && refused != nil:
		return false, errOvertaken
	case err != nil:
		w.base = storage.Cursor{}
		return false, err
	case !t.Wrote():
		return false, nil
	}
	return true, w.take(t, change)
}
