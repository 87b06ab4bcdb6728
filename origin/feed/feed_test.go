package feed

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"example.com/livery/feedproto"
	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
	"example.com/livery/storage/record"
)

// log is a store whose change log the test writes, and the cursors of its entries.
type log struct {
	t       *testing.T
	store   storage.Store
	cursors []storage.Cursor
}

func newLog(t *testing.T, environments ...string) *log {
	t.Helper()
	store, err := pebble.Open("", pebble.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	l := &log{t: t, store: store}
	for _, e := range environments {
		l.add(e)
	}
	return l
}

// add commits an entry that names an Environment, or nothing.
func (l *log) add(environment string) {
	l.t.Helper()
	cursor, err := l.store.Update(context.Background(), storage.Global, func(tx storage.Tx) (record.Change, error) {
		return record.Change{EnvironmentID: environment}, tx.Set([]byte("Xa"), []byte("b"))
	})
	if err != nil {
		l.t.Fatal(err)
	}
	l.cursors = append(l.cursors, cursor)
}

func (l *log) ask(p poll) feedproto.Changes {
	l.t.Helper()
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	got, err := newChanges(l.store).fed(ended, p)
	if err != nil {
		l.t.Fatal(err)
	}
	return read(l.t, got)
}

// read is what an edge reads of an answer.
func read(t testing.TB, answer told) (fed feedproto.Changes) {
	t.Helper()
	if err := json.Unmarshal(answer.text, &fed); err != nil {
		t.Error(err)
	}
	return fed
}

func spell(fed feedproto.Changes) string {
	var names []string
	for _, c := range fed.Changes {
		names = append(names, c.EnvironmentID)
	}
	return fmt.Sprint(names, fed.Reset)
}

// Entries that name nothing move the cursor and are not fed.
func TestChangesAreFedInOrder(t *testing.T) {
	l := newLog(t, "a", "", "b", "", "")
	for _, c := range []struct {
		name   string
		after  storage.Cursor
		limit  int
		want   string
		more   bool
		cursor int // index of the entry that the answer's cursor names
	}{
		{"from the start", storage.Cursor{}, 100, "[a b] false", false, 4},
		{"limited by entries, named or not", storage.Cursor{}, 2, "[a] false", true, 1},
		{"from the middle", l.cursors[0], 100, "[b] false", false, 4},
		{"nothing but what names nothing", l.cursors[2], 100, "[] false", false, 4},
		{"from the end", l.cursors[4], 100, "[] false", false, 4},
	} {
		got := l.ask(poll{after: c.after, limit: c.limit})
		if spell(got) != c.want || got.More != c.more || got.Cursor != l.cursors[c.cursor].String() {
			t.Errorf("%s: changes = %s at %s, more %v, want %s at %s, more %v", c.name, spell(got), got.Cursor, got.More, c.want, l.cursors[c.cursor], c.more)
		}
	}
}

// A cursor that was trimmed away or is of another history starts anew at the newest entry.
func TestUnknownCursorsReset(t *testing.T) {
	l := newLog(t, "a", "b", "c")
	if err := l.store.Trim(context.Background(), l.cursors[1].Seq); err != nil {
		t.Fatal(err)
	}
	for name, after := range map[string]storage.Cursor{
		"trimmed": l.cursors[0], "another history": {Seq: 3, Tag: "0000000000000000"}, "the future": {Seq: 9, Tag: l.cursors[2].Tag},
	} {
		if got := l.ask(poll{after: after, limit: 10}); spell(got) != "[] true" || got.Cursor != l.cursors[2].String() {
			t.Errorf("%s: changes = %s at %s, want a reset at %s", name, spell(got), got.Cursor, l.cursors[2])
		}
	}
}

// A first poll, which names no cursor, starts at the newest entry: nothing is held that could be old.
func TestFirstPollsStartAtTheEnd(t *testing.T) {
	l := newLog(t, "a", "b")
	if got := l.ask(poll{first: true, limit: 10}); spell(got) != "[] true" || got.Cursor != l.cursors[1].String() {
		t.Errorf("changes = %s at %s, want a reset at %s", spell(got), got.Cursor, l.cursors[1])
	}
}

// A wait ends with the first entry that names something, and not with one that names nothing.
func TestWaitsEndWithWhatAnEdgeHolds(t *testing.T) {
	l := newLog(t, "a")
	waiting, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	held := l.cursors[0]
	ended := make(chan feedproto.Changes, 1)
	go func() {
		got, err := newChanges(l.store).fed(waiting, poll{after: held, limit: 10})
		if err != nil {
			t.Error(err)
		}
		ended <- read(t, got)
	}()
	l.add("")
	l.add("b")
	if got := <-ended; spell(got) != "[b] false" || got.Cursor != l.cursors[2].String() {
		t.Errorf("wait = %s at %s, want b", spell(got), got.Cursor)
	}
}

// S230: a version has one spelling.
func TestVersionSegments(t *testing.T) {
	theme := record.Theme{LatestVersion: 7}
	for segment, want := range map[string]uint32{"latest": 7, "1": 1, "4294967295": 4294967295} {
		if got, err := (address{version: segment}).number(theme); got != want || err != nil {
			t.Errorf("number(%q) = %d, %v, want %d", segment, got, err, want)
		}
	}
	for _, segment := range []string{"", "0", "01", "+1", "-1", "1.0", " 1", "Latest", "4294967296", "１"} {
		if got, err := (address{version: segment}).number(theme); !errors.Is(err, missingVersion) {
			t.Errorf("number(%q) = %d, %v, want a missing version", segment, got, err)
		}
	}
	if _, err := (address{version: "latest"}).number(record.Theme{}); !errors.Is(err, missingVersion) {
		t.Errorf("number(latest) before the first publish = %v, want a missing version", err)
	}
}
