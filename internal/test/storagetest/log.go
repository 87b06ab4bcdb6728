package storagetest

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

func runLog(t *testing.T, open Open) {
	prove(t, open, []rule{
		{"a new store has an empty log", emptyLog},
		{"each commit is one entry, numbered without a gap", numbered},
		{"a snapshot's cursor is that of the commit it shows", snapshotCursor},
		{"Changes goes on from any cursor, up to the limit", continued},
		{"a cursor of another history is ErrDiverged", diverged},
		{"Changes on a context that ended returns its error", changesCancelled},
	})
}

// commits makes n commits and returns their places.
func commits(t tester, store storage.Store, n int) []storage.Cursor {
	t.Helper()
	at := make([]storage.Cursor, n)
	for i := range at {
		at[i] = update(t, store, "e"+strconv.Itoa(i%3), write("K\x00", strconv.Itoa(i)))
	}
	return at
}

func emptyLog(t *testing.T, store storage.Store) {
	if got, err := store.Changes(context.Background(), storage.Cursor{}, 10); err != nil || len(got) != 0 {
		t.Errorf("Changes() = %v, %v, want none", got, err)
	}
	view(t, store, func(r storage.Reader) {
		if r.Cursor() != (storage.Cursor{}) {
			t.Errorf("Cursor() = %s, want 0", r.Cursor())
		}
	})
}

func numbered(t *testing.T, store storage.Store) {
	tag := regexp.MustCompile(`^[0-9a-f]{16}$`)
	tags := map[string]bool{}
	for i, at := range commits(t, store, 20) {
		if at.Seq != uint64(i)+1 || !tag.MatchString(at.Tag) {
			t.Errorf("commit %d is at %s", i+1, at)
		}
		tags[at.Tag] = true
		if back, err := storage.ParseCursor(at.String()); err != nil || back != at {
			t.Errorf("ParseCursor(%q) = %s, %v", at, back, err)
		}
	}
	if len(tags) != 20 {
		t.Errorf("%d tags for 20 commits", len(tags))
	}
}

func snapshotCursor(t *testing.T, store storage.Store) {
	for _, at := range commits(t, store, 3)[2:] {
		view(t, store, func(r storage.Reader) {
			if r.Cursor() != at {
				t.Errorf("Cursor() = %s, want %s", r.Cursor(), at)
			}
		})
		update(t, store, "e", func(tx storage.Tx) (record.Change, error) {
			if tx.Cursor() != at {
				t.Errorf("Cursor() in a transaction = %s, want %s", tx.Cursor(), at)
			}
			return record.Change{}, nil
		})
	}
}

func continued(t *testing.T, store storage.Store) {
	at := append([]storage.Cursor{{}}, commits(t, store, 12)...)
	for i, after := range at {
		for _, limit := range []int{0, 1, 5, 100} {
			got, err := store.Changes(context.Background(), after, limit)
			want := at[i+1 : min(i+1+limit, len(at))]
			if err != nil || !slices.Equal(places(got), want) {
				t.Errorf("Changes(%s, %d) = %v, %v, want %v", after, limit, places(got), err, want)
			}
		}
	}
}

func places(entries []storage.LoggedChange) []storage.Cursor {
	at := make([]storage.Cursor, len(entries))
	for i, e := range entries {
		at[i] = e.Cursor
	}
	return at
}

func diverged(t *testing.T, store storage.Store) {
	at := commits(t, store, 5)
	for name, cursor := range map[string]storage.Cursor{
		"another tag":         {Seq: 3, Tag: at[1].Tag},
		"another tag, newest": {Seq: 5, Tag: "0000000000000000"},
		"no tag":              {Seq: 3},
		"past the end":        {Seq: 6, Tag: at[4].Tag},
	} {
		if got, err := store.Changes(context.Background(), cursor, 10); !errors.Is(err, storage.ErrDiverged) {
			t.Errorf("%s: Changes(%s) = %v, %v, want ErrDiverged", name, cursor, got, err)
		}
	}
}

func changesCancelled(t *testing.T, store storage.Store) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := store.Changes(ctx, storage.Cursor{}, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("Changes() = %v, want %v", err, context.Canceled)
	}
}

func runTrim(t *testing.T, open Open) {
	prove(t, open, []rule{
		{"a cursor before what was trimmed is ErrTrimmed, at it or after it goes on", trimmed},
		{"the log can be trimmed to its end and goes on", trimmedWhole},
		{"trimming again or less does nothing", trimmedAgain},
		{"a trimmed cursor still tells histories apart", trimmedDiverged},
		{"trimming leaves what is stored", trimmedLog},
	})
}

func trim(t tester, store storage.Store, seq uint64) {
	t.Helper()
	if err := store.Trim(context.Background(), seq); err != nil {
		t.Fatalf("Trim(%d) = %v", seq, err)
	}
}

func trimmed(t *testing.T, store storage.Store) {
	at := append([]storage.Cursor{{}}, commits(t, store, 10)...)
	trim(t, store, 6)
	for i, after := range at {
		got, err := store.Changes(context.Background(), after, 100)
		if i < 6 {
			if !errors.Is(err, storage.ErrTrimmed) {
				t.Errorf("Changes(%s) after Trim(6) = %v, %v, want ErrTrimmed", after, got, err)
			}
			continue
		}
		if want := at[i+1:]; err != nil || !slices.Equal(places(got), want) {
			t.Errorf("Changes(%s) after Trim(6) = %v, %v, want %v", after, places(got), err, want)
		}
	}
}

func trimmedWhole(t *testing.T, store storage.Store) {
	at := commits(t, store, 4)
	trim(t, store, 1_000_000)
	if got, err := store.Changes(context.Background(), at[3], 10); err != nil || len(got) != 0 {
		t.Errorf("Changes(%s) of an emptied log = %v, %v, want none", at[3], got, err)
	}
	next := update(t, store, "e", write("K\x00", "next"))
	if next.Seq != 5 {
		t.Errorf("the commit after an emptied log is %s, want number 5", next)
	}
	if got := places(logged(t, store, at[3])); !slices.Equal(got, []storage.Cursor{next}) {
		t.Errorf("Changes(%s) = %v, want %s", at[3], got, next)
	}
}

func trimmedAgain(t *testing.T, store storage.Store) {
	trim(t, store, 0)
	trim(t, store, 3)
	at := commits(t, store, 6)
	trim(t, store, 4)
	trim(t, store, 4)
	trim(t, store, 2)
	if got := places(logged(t, store, at[3])); !slices.Equal(got, at[4:]) {
		t.Errorf("Changes(%s) = %v, want %v", at[3], got, at[4:])
	}
}

func trimmedDiverged(t *testing.T, store storage.Store) {
	at := commits(t, store, 4)
	trim(t, store, 3)
	wrong := storage.Cursor{Seq: 3, Tag: at[0].Tag}
	if _, err := store.Changes(context.Background(), wrong, 10); !errors.Is(err, storage.ErrDiverged) {
		t.Errorf("Changes(%s) = %v, want ErrDiverged", wrong, err)
	}
}

func trimmedLog(t *testing.T, store storage.Store) {
	commits(t, store, 4)
	before := stored(t, store)
	trim(t, store, 4)
	if got := stored(t, store); !slices.Equal(got, before) {
		t.Errorf("stored after Trim = %q, want %q", got, before)
	}
}
