package origin_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"example.com/livery/origin"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// peerStore is a store that other origins could use too. It counts how often the token keys are read.
type peerStore struct {
	storage.Store
	keyReads atomic.Int32
	waited   atomic.Uint64 // the place in the change log up to which everything was taken in
}

// TryAlone runs fn: nothing else uses the store.
func (s *peerStore) TryAlone(ctx context.Context, _ string, fn func(context.Context) error) (bool, error) {
	return true, fn(ctx)
}

func (s *peerStore) Wait(ctx context.Context, after storage.Cursor) error {
	s.waited.Store(after.Seq)
	return s.Store.Wait(ctx, after)
}

func (s *peerStore) View(ctx context.Context, fn func(storage.Reader) error) error {
	return s.Store.View(ctx, func(r storage.Reader) error { return fn(peerReader{r, s}) })
}

type peerReader struct {
	storage.Reader
	store *peerStore
}

func (r peerReader) Scan(prefix []byte, order storage.Order, each func(key, value []byte) bool) error {
	if prefix[0] == 'K' {
		r.store.keyReads.Add(1)
	}
	return r.Reader.Scan(prefix, order, each)
}

// An edit makes no origin read its keys again; a change above Environments does, and one that says nothing.
func TestKeysAreReadAgainForOtherChangesThanEdits(t *testing.T) {
	s := &peerStore{}
	h := newTestOrigin(t, func(c *origin.Config) {
		s.Store = c.Store
		c.Store = s
	})
	theme := h.theme("a")
	commit := func() {
		t.Helper()
		if _, err := h.store.Update(context.Background(), storage.Global, func(tx storage.Tx) (record.Change, error) {
			return record.Change{}, tx.Set([]byte("zz"), []byte{1})
		}); err != nil {
			t.Fatal(err)
		}
	}
	reads := func(change func()) int32 {
		t.Helper()
		before := s.keyReads.Load()
		change()
		var end storage.Cursor
		if err := h.store.View(context.Background(), func(r storage.Reader) error { end = r.Cursor(); return nil }); err != nil {
			t.Fatal(err)
		}
		for late := time.Now().Add(time.Minute); s.waited.Load() < end.Seq; time.Sleep(time.Millisecond) {
			if time.Now().After(late) {
				t.Fatalf("the log ends at %s, and was followed to %d", end, s.waited.Load())
			}
		}
		return s.keyReads.Load() - before
	}
	reads(commit)
	if got := reads(func() { h.patch(theme, `[{"operation":"add","path":"/blue","value":{"$value":1}}]`) }); got != 0 {
		t.Errorf("keys were read %d times after an edit, want 0", got)
	}
	if got := reads(func() { h.publish(theme) }); got != 0 {
		t.Errorf("keys were read %d times after a publish, want 0", got)
	}
	if got := reads(commit); got != 1 {
		t.Errorf("keys were read %d times after a change above Environments, want 1", got)
	}
}
