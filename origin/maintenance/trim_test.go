package maintenance_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"example.com/livery/origin/maintenance"
	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
	"example.com/livery/storage/record"
)

// Trimming keeps the newest changes and the numbers, and tells who is further behind.
func TestTheChangeLogIsTrimmedToItsNewest(t *testing.T) {
	const keep, more = 5, 20
	ctx := context.Background()
	store, err := pebble.Open("", pebble.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	service := maintenance.New(maintenance.Config{Store: store, Metered: store, Now: time.Now})
	var cursors []storage.Cursor
	for range more {
		c, err := store.Update(ctx, "env_a", func(tx storage.Tx) (record.Change, error) {
			return record.Change{At: time.Now()}, tx.Set([]byte("zz"), []byte{byte(len(cursors))})
		})
		if err != nil {
			t.Fatal(err)
		}
		cursors = append(cursors, c)
	}
	for range 2 { // the second time there is nothing to do
		if err := service.TrimChanges(ctx, keep); err != nil {
			t.Fatal(err)
		}
	}
	rest, err := store.Changes(ctx, cursors[more-keep-1], more)
	if err != nil || len(rest) != keep || rest[keep-1].Cursor != cursors[more-1] {
		t.Errorf("after the last trimmed change: %d changes, %v, want the newest %d", len(rest), err, keep)
	}
	if _, err := store.Changes(ctx, cursors[more-keep-2], more); !errors.Is(err, storage.ErrTrimmed) {
		t.Errorf("from before the last trimmed change: %v, want ErrTrimmed", err)
	}
	if err := service.TrimChanges(ctx, 1000); err != nil {
		t.Errorf("with fewer changes than should stay: %v", err)
	}
}
