package pebble

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"example.com/livery/storage"
	"example.com/livery/storage/pebble/watchdog"
)

// errHung ends a process whose commits do not come to an end.
var errHung = errors.New("pebble: a commit does not come to its end; the disk or the engine hangs")

// startWatchdog begins to watch commits; Close ends it.
func (s *Store) startWatchdog() {
	limit := s.opts.HangAfter
	if limit <= 0 {
		return
	}
	seen := s.history.last()
	s.watchdog = watchdog.Start(watchdog.Config{
		Limit: limit, Every: s.opts.every, Logger: s.opts.Logger,
		Kernel: s.opts.FS == nil, // what is in memory is lost with the process
		Progress: func() bool {
			now := s.history.last()
			moved := now != seen
			if moved {
				seen = now
				s.logEnd.write(now)
			}
			return moved
		},
		Writes: s.admission.Writes,
		Probe:  s.canary,
		Hung: func() {
			s.fail(fmt.Errorf("%w: none within %s: %w", storage.ErrUnavailable, limit, errHung))
		},
	})
}

// canary commits in the same way as Update, but for the change log. On a full disk it tries nothing:
// a full disk refuses what is written.
func (s *Store) canary() error {
	if err := s.history.enter(); err != nil {
		return err
	}
	defer s.history.leave()
	leave, err := s.admission.Admit(context.Background(), 8, 1, false)
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
	if err := s.history.failed(); err != nil {
		return err
	}
	return failure("canary", s.db.ApplyNoSyncWait(batch, pebble.Sync))
}
