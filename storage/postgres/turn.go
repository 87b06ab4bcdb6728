package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/livery/storage"
)

// turn lets a caller fill its writes while the group holds the head of the log, so that nobody can
// commit between its snapshot and its commit. The caller's function runs in the caller's goroutine.
type turn struct {
	begin  chan struct{} // taken by the caller when the head is locked
	filled chan filling  // its answer; the group waits for it
	gone   chan struct{} // closed when the caller takes no more turns
}

// filling is what became of a caller's function.
type filling struct {
	wrote bool
	err   error
}

// errIdle ends a transaction in which there is nothing to commit.
var errIdle = errors.New("nothing was written")

// commitLocked lets fill fill w when the head of the log is locked, and waits for what becomes of it.
// fill runs again where the server went away before the commit.
func (g *group) commitLocked(w *writes, fill func() (wrote bool, err error)) (storage.Cursor, error) {
	w.turn = &turn{make(chan struct{}), make(chan filling, 1), make(chan struct{})}
	g.queue <- w
	late := time.After(g.store.opts.CommitWait)
	for began := false; ; {
		select {
		case <-w.turn.begin:
			began = true
			wrote, err := fill()
			w.turn.filled <- filling{wrote, err}
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
