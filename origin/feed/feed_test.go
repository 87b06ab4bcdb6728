package feed_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/valyala/fasthttp"

	"example.com/livery/feedproto"
	"example.com/livery/origin/feed"
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

// ask returns the answer to a request for changes that waits for nothing.
func (l *log) ask(p feedproto.Poll) feedproto.Changes {
	l.t.Helper()
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	return l.poll(ended, p)
}

// poll returns the answer to a request for changes of a feed that ends with ctx.
func (l *log) poll(ctx context.Context, p feedproto.Poll) (changes feedproto.Changes) {
	l.t.Helper()
	h := feed.NewHandler(ctx, feed.Config{Store: l.store, Token: "token", Refuse: func(_ *fasthttp.RequestCtx, err error) { l.t.Error(err) }})
	var request fasthttp.RequestCtx
	request.Request.SetRequestURI(p.URI())
	request.Request.Header.Set("Authorization", feedproto.Authorization("token"))
	h.Serve(&request)
	if err := json.Unmarshal(request.Response.Body(), &changes); err != nil {
		l.t.Error(err)
	}
	return changes
}

func outcome(answer feedproto.Changes) string {
	var names []string
	for _, c := range answer.Changes {
		names = append(names, c.EnvironmentID)
	}
	return fmt.Sprint(names, answer.Reset)
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
		got := l.ask(feedproto.Poll{After: c.after.String(), Limit: c.limit})
		if outcome(got) != c.want || got.More != c.more || got.Cursor != l.cursors[c.cursor].String() {
			t.Errorf("%s: changes = %s at %s, more %v, want %s at %s, more %v", c.name, outcome(got), got.Cursor, got.More, c.want, l.cursors[c.cursor], c.more)
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
		if got := l.ask(feedproto.Poll{After: after.String(), Limit: 10}); outcome(got) != "[] true" || got.Cursor != l.cursors[2].String() {
			t.Errorf("%s: changes = %s at %s, want a reset at %s", name, outcome(got), got.Cursor, l.cursors[2])
		}
	}
}

// A first poll, which names no cursor, starts at the newest entry: the edge has cached nothing yet.
func TestFirstPollsStartAtTheEnd(t *testing.T) {
	l := newLog(t, "a", "b")
	if got := l.ask(feedproto.Poll{Limit: 10}); outcome(got) != "[] true" || got.Cursor != l.cursors[1].String() {
		t.Errorf("changes = %s at %s, want a reset at %s", outcome(got), got.Cursor, l.cursors[1])
	}
}

// A wait ends with the first entry that names something, and not with one that names nothing.
func TestWaitsEndWithWhatAnEdgeHolds(t *testing.T) {
	l := newLog(t, "a")
	ended, after := make(chan feedproto.Changes, 1), l.cursors[0].String()
	go func() {
		ended <- l.poll(context.Background(), feedproto.Poll{After: after, Wait: 20 * time.Second, Limit: 10})
	}()
	l.add("")
	l.add("b")
	if got := <-ended; outcome(got) != "[b] false" || got.Cursor != l.cursors[2].String() {
		t.Errorf("wait = %s at %s, want b", outcome(got), got.Cursor)
	}
}
