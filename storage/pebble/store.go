// Package pebble is the embedded engine of storage: one directory, one process, no server, on
// CockroachDB's Pebble. It knows keys and commits, and no rules.
//
// A commit takes its place in the change log and enters the write-ahead log under a short lock, and
// waits for the disk outside it, so that all commits in flight share one sync. What is applied and
// not yet durable is seen by later commits alone, which cannot be acknowledged before it: readers,
// followers of the log and callers are never shown it.
package pebble

import (
	"context"
	"fmt"
	"sync"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"example.com/livery/storage"
	"example.com/livery/storage/pebble/admission"
	"example.com/livery/storage/pebble/watchdog"
)

// Store is an open data directory, owned by this process until Close. All methods may be called
// concurrently. The zero Store is not usable; call Open.
type Store struct {
	db     *pebble.DB
	lock   *pebble.Lock
	fs     vfs.FS
	dir    string
	opts   Options
	id     string
	codec  *storage.Codec
	blobs  *blobTable
	scopes *scopes
	lost   storage.Cursor // see Lost
	logEnd *logEndMarker

	space     *admission.DiskSpace
	admission *admission.Controller
	engineFS  *admission.FS
	watchdog  *watchdog.Watchdog // nil if nothing is watched
	history   history

	commitMu sync.Mutex // guards the order of commits, and last
	last     uint64     // number of the newest applied entry of the change log

	backupMu sync.Mutex // one Backup at a time
	trimMu   sync.Mutex // one Trim at a time: each moves the mark from where the one before left it
}

var _ storage.Store = (*Store)(nil)

// ID returns the store's random name, given when the directory was first opened and never changed:
// 32 hexadecimal digits. A backup has the ID of its original.
func (s *Store) ID() string { return s.id }

// View runs fn on the newest durable snapshot and returns fn's error. It never waits for a commit.
func (s *Store) View(ctx context.Context, fn func(storage.Reader) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	at, err := s.history.enterDurable()
	if err != nil {
		return err
	}
	defer s.history.leave()
	defer at.release()
	return fn(reader{at})
}

// Close waits for the calls in progress, wakes those that Wait, and gives the directory back.
// Later calls return storage.ErrUnavailable; a second Close does nothing. It must not be called
// from within View or Update.
func (s *Store) Close() error {
	s.watchdog.Stop()
	s.admission.Close(fmt.Errorf("pebble: the store is closed: %w", storage.ErrUnavailable))
	end, first := s.history.close()
	if !first {
		return nil
	}
	s.logEnd.write(end)
	s.engineFS.Close()
	err := s.db.Close()
	s.codec.Close()
	if lockErr := s.lock.Close(); err == nil {
		err = lockErr
	}
	return failure("close", err)
}
