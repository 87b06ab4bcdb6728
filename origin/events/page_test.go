package events_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"example.com/livery/internal/test/storagetest"
	"example.com/livery/origin/events"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// TestPagesAfterATrim reads over no event that was trimmed, wherever the page begins and ends.
func TestPagesAfterATrim(t *testing.T) {
	t.Parallel()
	engine, err := open("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	store := storagetest.NewDeletedCounter(engine)
	now := time.Now()
	_, err = store.Update(t.Context(), "env", func(tx storage.Tx) (record.Change, error) {
		return record.Change{At: now}, storage.AppendEvents(tx, "env", make([]record.Event, 5000), func() string { return "tag" })
	})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := storage.TrimEvents(t.Context(), store, "env", time.Time{}, now, 50); n != 4950 || err != nil {
		t.Fatalf("TrimEvents() = %d, %v, want 4950", n, err)
	}
	if n, err := storage.TrimEvents(t.Context(), store, "env", time.Time{}, now, 20); n != 30 || err != nil {
		t.Fatalf("TrimEvents() = %d, %v, want 30", n, err)
	}
	old, err := events.ParseCursor("evt_0000000100_tag")
	if err != nil {
		t.Fatal(err)
	}
	err = store.View(t.Context(), func(r storage.Reader) error {
		for _, after := range []events.Cursor{{}, old} {
			p, _, err := events.Read(r, "env", after, 10, true, time.Time{})
			if err != nil || len(p.Items) != 10 || p.Items[0].ID != "evt_0000004981_tag" || p.Missed != (after == old) {
				t.Errorf("Read(%v) = %d events, missed %v, %v", after, len(p.Items), p.Missed, err)
			}
		}
		p, err := events.ReadBack(r, "env", events.Cursor{}, 100, true, time.Time{})
		if err != nil || len(p.Items) != 20 || p.Next != "" {
			t.Errorf("ReadBack() = %d events, %v", len(p.Items), err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if deleted, crossed := store.Counts(); deleted != 4980 || crossed > 0 {
		t.Errorf("pages and trims read over %d deleted keys of %d, want none", crossed, deleted)
	}
}

// TestBodyIsAtMost4KiB makes events of the longest texts that an API takes.
func TestBodyIsAtMost4KiB(t *testing.T) {
	t.Parallel()
	id := func(prefix string) string { return prefix + strings.Repeat("0", 26) }
	e := record.Event{Number: 1<<32 - 1, Tag: strings.Repeat("t", 26), At: time.Now(), Version: 1<<32 - 1, ThemeID: id("thm_"), VariantID: id("var_"), ETag: strings.Repeat("e", 26)}
	for _, r := range []string{`"`, "é", "€", "😀", "<", "\u2028"} {
		e.By, e.Note = strings.Repeat(r, 255), strings.Repeat(r, 500)
		var all []record.Event
		for range 100_000 {
			all = append(all, e)
		}
		for _, kind := range events.Kinds() {
			e.Kind = kind
			for _, e := range append(events.Joined(kind, all), e) {
				if body, err := json.Marshal(events.BodyOf(id("env_"), e, true)); err != nil || len(body) > 4<<10 {
					t.Errorf("an event %s with the text %q has %d bytes, %v", kind, r, len(body), err)
				}
			}
		}
	}
}

// TestJoined keeps up to 20 events, and lists the first 20 Variants of more.
func TestJoined(t *testing.T) {
	t.Parallel()
	var all []record.Event
	for n := range 20 {
		all = append(all, record.Event{Kind: events.VariantPublished, VariantID: fmt.Sprint("v", n), Version: 3, Note: "why"})
	}
	if got := events.Joined(events.VariantsPublished, all); len(got) != 20 {
		t.Errorf("20 events are joined to %d", len(got))
	}
	got := events.Joined(events.VariantsPublished, append(all, record.Event{VariantID: "last"}))
	if len(got) != 1 || got[0].Count != 21 || len(got[0].Variants) != 20 || got[0].Variants[19] != "v19" || got[0].VariantID != "" ||
		got[0].Kind != events.VariantsPublished || got[0].Version != 3 || got[0].Note != "why" {
		t.Errorf("21 events are joined to %+v", got)
	}
}
