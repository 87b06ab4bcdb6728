package origin

import (
	"context"
	"errors"
	"testing"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// Trimming keeps the newest changes and the numbers, and tells who is further behind.
func TestTheChangeLogIsTrimmedToItsNewest(t *testing.T) {
	const keep, more = 5, 20
	h, ctx := newTestOrigin(t), context.Background()
	var cursors []storage.Cursor
	for range more {
		c, err := h.store.Update(ctx, h.foreign, func(tx storage.Tx) (record.Change, error) {
			return record.Change{At: h.clock.Now()}, tx.Set([]byte("zz"), []byte{byte(len(cursors))})
		})
		if err != nil {
			t.Fatal(err)
		}
		cursors = append(cursors, c)
	}
	for range 2 { // the second time there is nothing to do
		if err := h.origin.maintenance.TrimChanges(ctx, keep); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := h.store.Changes(ctx, cursors[more-keep-1], more)
	if err != nil || len(kept) != keep || kept[keep-1].Cursor != cursors[more-1] {
		t.Errorf("after the last trimmed change: %d changes, %v, want the newest %d", len(kept), err, keep)
	}
	if _, err := h.store.Changes(ctx, cursors[more-keep-2], more); !errors.Is(err, storage.ErrTrimmed) {
		t.Errorf("from before the last trimmed change: %v, want ErrTrimmed", err)
	}
	if err := h.origin.maintenance.TrimChanges(ctx, 1000); err != nil {
		t.Errorf("with fewer changes than are kept: %v", err)
	}
}
