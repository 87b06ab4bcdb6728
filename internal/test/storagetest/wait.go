package storagetest

import (
	"context"
	"errors"
	"testing"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

func runWait(t *testing.T, open Open) {
	prove(t, open, []rule{
		{"Wait returns at once if there is an entry after the cursor", waitNothing},
		{"Wait returns with the next commit, to every caller", waitCommit},
		{"Wait ends with its context", waitCancelled},
	})
}

func runClose(t *testing.T, open Open) {
	t.Run("calls on a closed store are ErrUnavailable", func(t *testing.T) { closed(t, open(t)) })
	t.Run("Close wakes who waits", func(t *testing.T) { closeWakes(t, open(t)) })
}

func wait(store storage.Store, after storage.Cursor) <-chan error {
	done := make(chan error, 1)
	go func() { done <- store.Wait(context.Background(), after) }()
	return done
}

func waitNothing(t *testing.T, store storage.Store) {
	at := commits(t, store, 2)
	for _, after := range []storage.Cursor{{}, at[0]} {
		if err := within(t, "Wait", wait(store, after)); err != nil {
			t.Errorf("Wait(%s) = %v", after, err)
		}
	}
}

func waitCommit(t *testing.T, store storage.Store) {
	at := storage.Cursor{}
	for range 20 {
		var waiting []<-chan error
		for range 4 {
			waiting = append(waiting, wait(store, at))
		}
		next := update(t, store, "e", write("K\x00", "1"))
		for _, done := range waiting {
			if err := within(t, "Wait", done); err != nil {
				t.Errorf("Wait(%s) = %v", at, err)
			}
		}
		at = next
	}
}

func waitCancelled(t *testing.T, store storage.Store) {
	at := commits(t, store, 1)[0]
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- store.Wait(ctx, at) }()
	cancel()
	if err := within(t, "Wait", done); !errors.Is(err, context.Canceled) {
		t.Errorf("Wait() = %v, want %v", err, context.Canceled)
	}
}

func closed(t *testing.T, store storage.Store) {
	name, err := store.PutBlob(context.Background(), []byte("blob"))
	if err != nil {
		t.Fatalf("PutBlob() = %v", err)
	}
	commits(t, store, 1)
	if err := store.Close(); err != nil {
		t.Fatalf("Close() = %v", err)
	}
	ctx := context.Background()
	calls := map[string]func() error{
		"View": func() error { return store.View(ctx, func(storage.Reader) error { return nil }) },
		"Update": func() error {
			_, err := store.Update(ctx, "e", func(storage.Tx) (record.Change, error) { return record.Change{}, nil })
			return err
		},
		"PutBlob": func() error { _, err := store.PutBlob(ctx, []byte("blob")); return err },
		"Blob":    func() error { _, err := store.Blob(ctx, name); return err },
		"Changes": func() error { _, err := store.Changes(ctx, storage.Cursor{}, 1); return err },
		"Wait":    func() error { return store.Wait(ctx, storage.Cursor{}) },
		"Trim":    func() error { return store.Trim(ctx, 1) },
	}
	for name, call := range calls {
		if err := call(); !errors.Is(err, storage.ErrUnavailable) {
			t.Errorf("%s() on a closed store = %v, want ErrUnavailable", name, err)
		}
	}
	if err := store.Close(); err != nil {
		t.Errorf("a second Close() = %v", err)
	}
}

func closeWakes(t *testing.T, store storage.Store) {
	at := commits(t, store, 1)[0]
	waiting := wait(store, at)
	if err := store.Close(); err != nil {
		t.Errorf("Close() = %v", err)
	}
	if err := within(t, "Wait", waiting); !errors.Is(err, storage.ErrUnavailable) {
		t.Errorf("Wait() on a store that closes = %v, want ErrUnavailable", err)
	}
}
