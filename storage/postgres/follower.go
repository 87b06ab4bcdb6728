package postgres

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"example.com/livery/storage"
)

// follower knows how far the log has come. It looks every now and then, and at once if it hears
// that something was committed: a notification may be lost, a look may not.
type follower struct {
	store  *Store
	config *pgx.ConnConfig
	stop   context.CancelFunc
	ended  chan struct{}
	looks  chan struct{} // holds one: look now

	mu    sync.Mutex // guards below
	end   storage.Cursor
	moved chan struct{} // closed and replaced when end moves, or for good at the end
	over  bool
}

// lookEvery is how late a follower is at most if a notification is lost.
const lookEvery = 100 * time.Millisecond

func newFollower(s *Store, config *pgx.ConnConfig) *follower {
	ctx, stop := context.WithCancel(context.Background())
	f := &follower{store: s, config: forNotices(config), stop: stop, ended: make(chan struct{}), looks: make(chan struct{}, 1), moved: make(chan struct{})}
	go f.work(ctx)
	return f
}

func (f *follower) close() {
	f.stop()
	<-f.ended
	f.mu.Lock()
	defer f.mu.Unlock()
	f.over = true
	close(f.moved)
}

// nudge makes the follower look now.
func (f *follower) nudge() {
	select {
	case f.looks <- struct{}{}:
	default:
	}
}

// isAt reports whether the log ended at a place when the follower looked last.
func (f *follower) isAt(at storage.Cursor) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.end == at
}

// await returns nil once the log has come past seq.
func (f *follower) await(ctx context.Context, seq uint64) error {
	for {
		f.mu.Lock()
		past, over, moved := f.end.Seq > seq, f.over, f.moved
		f.mu.Unlock()
		switch {
		case past:
			return nil
		case over:
			return errClosed
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (f *follower) work(ctx context.Context) {
	defer close(f.ended)
	var seen storage.Cursor
	marker := logEndMarker{store: f.store}
	for ctx.Err() == nil {
		conn, err := connect(ctx, f.config)
		if err != nil {
			pause(ctx, lookEvery)
			continue
		}
		f.listen(ctx, conn, &seen, &marker)
		drop(conn)
	}
	marker.note(seen, true)
}

// listen looks until the connection breaks or ctx ends. The server may be another one than before, and
// lack what was seen.
func (f *follower) listen(ctx context.Context, conn *pgx.Conn, seen *storage.Cursor, w *logEndMarker) {
	if _, err := conn.Exec(ctx, "LISTEN livery"); err != nil {
		return
	}
	now, err := f.store.confirm(ctx, conn, *seen)
	if err != nil {
		return
	}
	*seen = now // a loss is noted once, also if this follower ends here
	for own := false; ; {
		h, err := f.look(ctx, conn, own)
		if err == nil && (h.end.Seq < seen.Seq || h.end.Seq == seen.Seq && h.end != *seen) { // the log was cut
			h.end, err = f.store.confirm(ctx, conn, *seen)
		}
		if err != nil {
			return
		}
		*seen = h.end
		w.note(*seen, false)
		f.reach(h.end)
		if own, err = f.hear(ctx, conn); err != nil {
			return
		}
	}
}

// look reads the head, and tells other origins to look too if this one committed. That is not a part of the
// commit, because a server lets only one transaction that notifies commit at a time. A server that says
// nothing is given up.
func (f *follower) look(ctx context.Context, conn *pgx.Conn, own bool) (h head, err error) {
	ctx, cancel := context.WithTimeout(ctx, silentFor)
	defer cancel()
	b := &pgx.Batch{}
	if own {
		b.Queue("NOTIFY livery")
	}
	b.Queue(selectHead).QueryRow(func(row pgx.Row) (err error) {
		h, err = scanHead(row)
		return err
	})
	return h, conn.SendBatch(ctx, b).Close()
}

// hear returns when there may be something new; own says that this origin committed it.
func (f *follower) hear(ctx context.Context, conn *pgx.Conn) (own bool, err error) {
	short, cancel := context.WithTimeout(ctx, lookEvery)
	defer cancel()
	nudged := make(chan bool, 1)
	go func() {
		select {
		case <-f.looks:
			cancel()
			nudged <- true
		case <-short.Done():
			nudged <- false
		}
	}()
	heard := &pgconn.Notification{PID: conn.PgConn().PID()}
	for err == nil && heard.PID == conn.PgConn().PID() { // its own notifications bring nothing new
		heard, err = conn.WaitForNotification(short)
	}
	cancel()
	own = <-nudged
	if ctx.Err() != nil {
		return own, ctx.Err()
	}
	if err != nil && conn.IsClosed() {
		return own, err
	}
	return own, nil
}

// reach notes how far the log has come. It goes back if a lost tail was cut off.
func (f *follower) reach(end storage.Cursor) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if end == f.end {
		return
	}
	f.end = end
	close(f.moved)
	f.moved = make(chan struct{})
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
