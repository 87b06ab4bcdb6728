package pebble

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"example.com/livery/storage"
)

// errHung ends a process whose commits do not come to an end.
var errHung = errors.New("pebble: a commit does not come to its end; the disk or the engine hangs")

// watch ends the process if commits do not come to their end any more. Commits that do are its
// sign of life; if there are none it makes one of its own, the canary. An error in the midst of
// the engine's work can stop all of the program, this watch too, so the kernel has an alarm that
// kills the process unless the watch winds it up again. The zero watch and nil watch nothing.
type watch struct {
	end   chan struct{} // closed by stop
	ended chan struct{} // closed when the watching is over
	once  sync.Once     // closes end
}

// startWatch begins watching; stop must follow.
func (s *Store) startWatch() {
	if s.opts.HangAfter <= 0 {
		return
	}
	if s.opts.every == 0 {
		s.opts.every = s.opts.HangAfter / 4
	}
	s.watch = &watch{end: make(chan struct{}), ended: make(chan struct{})}
	bell := s.newBell()
	bell.set(2 * s.opts.HangAfter) // before Open returns: a program that stops at once has no goroutine to do it
	go s.keepWatch(bell, s.opts.HangAfter)
}

// stop ends the watching and waits for it. A canary under way goes on by itself.
func (w *watch) stop() {
	if w == nil {
		return
	}
	w.once.Do(func() { close(w.end) })
	<-w.ended
}

func (s *Store) keepWatch(bell *alarm, limit time.Duration) {
	defer close(s.watch.ended)
	defer bell.close()
	tick := time.NewTicker(s.opts.every)
	defer tick.Stop()
	var inside hang
	for seen := s.line.last(); ; {
		bell.set(2 * limit)
		select {
		case <-s.watch.end:
			return
		case <-tick.C:
		}
		if inside.lasts(s.gate, limit) {
			s.hung(limit)
			return
		}
		if now := s.line.last(); now != seen {
			seen = now
			s.writeWitness(now)
			continue
		}
		if !s.sing(limit) {
			return
		}
	}
}

// hang tells writes that are within the engine and do not come out from writes that come and go. On a
// full disk there is no canary, and this is all that tells.
type hang struct {
	left  int64 // writes that had come to their end when one of them last did
	since time.Time
}

// lasts reports whether writes are inside and none came to its end for the limit.
func (h *hang) lasts(g *gate, limit time.Duration) bool {
	left := g.left.Load() // before inside, so that all that left were let in
	if now := time.Now(); left != h.left || g.inside.Load() == left || h.since.IsZero() {
		h.left, h.since = left, now
	}
	return time.Since(h.since) > limit
}

// newBell returns the kernel's alarm for a store on a real disk, and none for another: what is in
// memory is lost with the process.
func (s *Store) newBell() *alarm {
	if s.opts.FS != nil {
		return nil
	}
	bell, err := newAlarm()
	if err != nil {
		s.opts.Logger.Warn("storage: no alarm from the kernel; a hang of the whole program goes unnoticed", "error", err)
	}
	return bell
}

// sing sees a canary through and reports whether the watch goes on.
func (s *Store) sing(limit time.Duration) bool {
	done := make(chan error, 1)
	go func() { done <- s.canary() }()
	select {
	case err := <-done:
		return err == nil
	case <-s.watch.end:
		return false
	case <-time.After(limit):
		s.hung(limit)
		return false
	}
}

// hung ends the store whose commits do not end.
func (s *Store) hung(limit time.Duration) {
	s.fail(fmt.Errorf("%w: none within %s: %w", storage.ErrUnavailable, limit, errHung))
}

// canary commits in the same way as Update, but for the change log. On a full disk there is
// nothing to try: it refuses what is written.
func (s *Store) canary() error {
	if err := s.line.enter(); err != nil {
		return err
	}
	defer s.line.leave()
	leave, err := s.gate.admit(context.Background(), 8, 1, false)
	if errors.Is(err, storage.ErrNoSpace) {
		return nil // reading goes on, and the space is asked for again
	}
	if err != nil {
		return err
	}
	defer leave()
	batch := s.db.NewBatch()
	now := binary.BigEndian.AppendUint64(nil, uint64(time.Now().UnixMilli()))
	if err := errors.Join(batch.Set([]byte(canaryKey), now, nil), s.applyCanary(batch)); err != nil {
		return err
	}
	if err := batch.SyncWait(); err != nil {
		s.fail(fmt.Errorf("pebble: sync of a canary: %w", err))
		return err
	}
	return failure("canary", batch.Close())
}

func (s *Store) applyCanary(batch *pebble.Batch) error {
	s.commitMu.Lock()
	defer s.commitMu.Unlock()
	if err := s.line.failed(); err != nil {
		return err
	}
	return failure("canary", s.db.ApplyNoSyncWait(batch, pebble.Sync))
}
