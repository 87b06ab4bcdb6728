package pebble

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// pendingCommit is what Update has still to wait for.
type pendingCommit struct {
	seen  uint64 // the newest entry of the change log that fn was shown
	batch *pebble.Batch
	state *state // after the commit; nil if nothing was committed
	leave func() // releases what the commit was admitted with
}

// Update runs fn once, serially in its scope, and commits what it wrote as one durable step. Any
// Set or deletion is a write; if there was none nothing is committed and the Cursor
// is that of the snapshot fn read. A ctx that ends before the commit begins stops it; afterwards it
// is waited for to the end. The scope is free for its next writer as soon as the commit has its
// place, before it is durable.
func (s *Store) Update(ctx context.Context, scope string, fn func(storage.Tx) (record.Change, error)) (storage.Cursor, error) {
	if err := s.history.enter(); err != nil {
		return storage.Cursor{}, err
	}
	defer s.history.leave()
	p, cursor, err := s.inScope(ctx, scope, fn)
	if p.state == nil {
		// fn may have answered from a commit that is not yet durable.
		if waitErr := s.history.await(ctx, p.seen); waitErr != nil {
			return storage.Cursor{}, waitErr
		}
		return cursor, err
	}
	defer p.leave()
	// A sync that failed leaves it unknown whether the commit is on disk, and the engine would go on showing it: the process
	// has to end.
	if err := p.batch.SyncWait(); err != nil {
		p.state.release()
		err = fmt.Errorf("pebble: sync of commit %d, which may or may not be durable: %w", cursor.Seq, err)
		s.fail(err)
		return cursor, err
	}
	s.history.settle(p.state)
	return cursor, failure("commit", p.batch.Close())
}

// inScope runs fn and applies what it wrote while no other writer of the scope runs.
func (s *Store) inScope(ctx context.Context, scope string, fn func(storage.Tx) (record.Change, error)) (pendingCommit, storage.Cursor, error) {
	release, err := s.scopes.acquire(ctx, scope)
	if err != nil {
		return pendingCommit{}, storage.Cursor{}, err
	}
	defer release()
	base := s.history.newest()
	defer base.release()
	seen := pendingCommit{seen: base.cursor.Seq}
	t := storage.NewOverlay(reader{base}, checkKey)
	change, err := fn(t)
	if err != nil {
		return seen, storage.Cursor{}, err
	}
	if !t.Wrote() {
		return seen, base.cursor, nil
	}
	if err := ctx.Err(); err != nil {
		return seen, storage.Cursor{}, err
	}
	p, err := s.apply(ctx, t, change)
	if err != nil {
		return seen, storage.Cursor{}, err
	}
	return p, p.state.cursor, nil
}

// apply gives the writes of t their place in the change log and enters them into the write-ahead
// log. On an error nothing was written.
func (s *Store) apply(ctx context.Context, t *storage.Overlay, change record.Change) (pendingCommit, error) {
	entry, tag, err := newEntry(change)
	if err != nil {
		return pendingCommit{}, err
	}
	batch := s.db.NewBatch()
	if err := fill(batch, t); err != nil {
		_ = batch.Close()
		return pendingCommit{}, failure("commit", err)
	}
	leave, err := s.admission.Admit(ctx, batch.Len()+len(entry), int(batch.Count())+1, false)
	if err != nil {
		_ = batch.Close()
		return pendingCommit{}, err
	}
	at, err := s.enterLog(batch, entry, tag)
	if err != nil {
		leave()
	}
	return pendingCommit{batch: batch, state: at, leave: leave}, err
}

// fill adds the writes of t to batch: the deleted ranges first, because what was written after them stays.
func fill(batch *pebble.Batch, t *storage.Overlay) error {
	for _, r := range t.Cleared() {
		if err := batch.DeleteRange(r.Start, r.End, nil); err != nil {
			return err
		}
	}
	return t.Each(func(key, value []byte) error {
		if value == nil {
			return batch.Delete(key, nil)
		}
		return batch.Set(key, value, nil)
	})
}

// enterLog is the one place where order is made: the number is taken, the batch applied and its
// snapshot taken before any other commit's.
func (s *Store) enterLog(batch *pebble.Batch, entry []byte, tag string) (*state, error) {
	s.commitMu.Lock()
	defer s.commitMu.Unlock()
	if err := s.history.failed(); err != nil {
		return nil, err
	}
	cursor := storage.Cursor{Seq: s.last + 1, Tag: tag}
	if err := batch.Set(logKey(cursor.Seq), entry, nil); err != nil {
		return nil, failure("commit", err)
	}
	if err := s.db.ApplyNoSyncWait(batch, pebble.Sync); err != nil {
		return nil, failure("commit", err)
	}
	if err := s.history.failed(); err != nil {
		return nil, err // the engine failed while applying, and reported it to its logger alone
	}
	s.last = cursor.Seq
	at := &state{cursor: cursor, snap: s.db.NewSnapshot()}
	s.history.apply(at)
	return at, nil
}

// newEntry returns an entry of the change log and its tag.
func newEntry(change record.Change) (entry []byte, tag string, err error) {
	body, err := record.Encode(change)
	if err != nil {
		return nil, "", err
	}
	entry = make([]byte, tagSize, tagSize+len(body))
	if _, err := rand.Read(entry); err != nil {
		return nil, "", fmt.Errorf("pebble: tag of a commit: %w", err)
	}
	return append(entry, body...), hex.EncodeToString(entry[:tagSize]), nil
}
