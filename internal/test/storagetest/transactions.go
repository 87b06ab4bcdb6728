package storagetest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

func runTransactions(t *testing.T, open Open) {
	prove(t, open, []rule{
		{"a transaction reads its own writes", ownWrites},
		{"DeletePrefix deletes what was there and what the transaction wrote, not what it writes later", deletePrefix},
		{"DeleteRange deletes from its start on before its end, what the transaction wrote too, and not what it writes later", deleteRange},
		{"trimmed events are gone, and EventEnd says where the rest begins", trimmedEvents},
		{"a scan shows the writes made before it began", scanWhileWriting},
		{"an error from the function is returned and writes nothing", refused},
		{"where nothing was written nothing is committed", nothingWritten},
		{"deleting what is absent is a write", deleteAbsent},
		{"a context that ends before the commit stops it", cancelledBefore},
		{"a panic in the function leaves its scope free", panicking},
		{"a change keeps all its members", changeKept},
	})
}

func ownWrites(t *testing.T, store storage.Store) {
	update(t, store, "e", write("Ka\x00", "1", "Kc\x00", "1", "Ke\x00", "1"))
	update(t, store, "e", func(tx storage.Tx) (record.Change, error) {
		_, err := write("Kb\x00", "2", "Kc\x00", "2", "Kf\x00", "")(tx)
		if err := errors.Join(err, tx.Delete([]byte("Ke\x00")), tx.Delete([]byte("Kx\x00"))); err != nil {
			return record.Change{}, err
		}
		want := []pair{{"Ka\x00", "1"}, {"Kb\x00", "2"}, {"Kc\x00", "2"}, {"Kf\x00", ""}}
		if got := pairs(t, tx, "K", storage.Ascending); !slices.Equal(got, want) {
			t.Errorf("Scan in the transaction = %q, want %q", got, want)
		}
		for _, p := range want {
			if got, err := tx.Get([]byte(p.key)); err != nil || string(got) != p.value {
				t.Errorf("Get(%q) in the transaction = %q, %v, want %q", p.key, got, err, p.value)
			}
		}
		slices.Reverse(want)
		if got := pairs(t, tx, "K", storage.Descending); !slices.Equal(got, want) {
			t.Errorf("Scan down in the transaction = %q, want %q", got, want)
		}
		if got, err := tx.Get([]byte("Ke\x00")); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("Get of what the transaction deleted = %q, %v, want ErrNotFound", got, err)
		}
		return record.Change{}, nil
	})
	want := []pair{{"Ka\x00", "1"}, {"Kb\x00", "2"}, {"Kc\x00", "2"}, {"Kf\x00", ""}}
	if got := stored(t, store); !slices.Equal(got, want) {
		t.Errorf("stored = %q, want %q", got, want)
	}
}

func deletePrefix(t *testing.T, store storage.Store) {
	update(t, store, "e", write("Ka\x00", "1", "Kb\x00", "1", "Kb\xff\xff", "1", "Kc\x00", "1"))
	want := []pair{{"Ka\x00", "1"}, {"Kb\x00", "3"}, {"Kc\x00", "1"}}
	update(t, store, "e", func(tx storage.Tx) (record.Change, error) {
		_, err := write("Kb1\x00", "2", "Kb\x00", "2")(tx)
		err = errors.Join(err, tx.DeletePrefix([]byte("Kb")))
		if got, getErr := tx.Get([]byte("Kb1\x00")); !errors.Is(getErr, storage.ErrNotFound) {
			t.Errorf("Get below the deleted prefix = %q, %v, want ErrNotFound", got, getErr)
		}
		err = errors.Join(err, tx.Set([]byte("Kb\x00"), []byte("3")))
		if got := pairs(t, tx, "K", storage.Ascending); !slices.Equal(got, want) {
			t.Errorf("Scan in the transaction = %q, want %q", got, want)
		}
		return record.Change{}, err
	})
	if got := stored(t, store); !slices.Equal(got, want) {
		t.Errorf("stored = %q, want %q", got, want)
	}
	update(t, store, "e", func(tx storage.Tx) (record.Change, error) { return record.Change{}, tx.DeletePrefix(nil) })
	if got := stored(t, store); len(got) != 0 {
		t.Errorf("stored after everything was deleted = %q", got)
	}
	if got, want := len(logged(t, store, storage.Cursor{})), 3; got != want {
		t.Errorf("%d entries in the log, want %d", got, want)
	}
}

func deleteRange(t *testing.T, store storage.Store) {
	update(t, store, "e", write("Ka\x00", "1", "Kb\x00", "1", "Kc\x00", "1", "Kd\x00", "1", "Ke\x00", "1"))
	want := []pair{{"Ka\x00", "1"}, {"Kc\x00", "3"}, {"Kd\x00", "1"}, {"Ke\x00", "1"}}
	update(t, store, "e", func(tx storage.Tx) (record.Change, error) {
		_, err := write("Kbb\x00", "2", "Kc\x00", "2")(tx)
		err = errors.Join(err, tx.DeleteRange([]byte("Kb\x00"), []byte("Kd\x00")))
		if got, getErr := tx.Get([]byte("Kbb\x00")); !errors.Is(getErr, storage.ErrNotFound) {
			t.Errorf("Get in the deleted range = %q, %v, want ErrNotFound", got, getErr)
		}
		err = errors.Join(err, tx.Set([]byte("Kc\x00"), []byte("3")))
		for _, order := range []storage.Order{storage.Ascending, storage.Descending} {
			if got := pairs(t, tx, "K", order); !slices.Equal(got, want) {
				t.Errorf("Scan in the transaction = %q, want %q", got, want)
			}
			slices.Reverse(want)
		}
		return record.Change{}, err
	})
	if got := stored(t, store); !slices.Equal(got, want) {
		t.Errorf("stored = %q, want %q", got, want)
	}
	update(t, store, "e", func(tx storage.Tx) (record.Change, error) {
		return record.Change{}, tx.DeleteRange([]byte("Kd\x00"), []byte("Kb\x00"))
	})
	if got := stored(t, store); !slices.Equal(got, want) {
		t.Errorf("stored after an empty range was deleted = %q, want %q", got, want)
	}
	if got, want := len(logged(t, store, storage.Cursor{})), 3; got != want {
		t.Errorf("%d entries in the log, want %d", got, want)
	}
}

func trimmedEvents(t *testing.T, store storage.Store) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	appendEvents := func(n int, at time.Time) {
		update(t, store, "e", func(tx storage.Tx) (record.Change, error) {
			var all []record.Event
			for range n {
				all = append(all, record.Event{At: at, Kind: "theme.created"})
			}
			return record.Change{}, storage.AppendEvents(tx, "e", all, func() string { return "tag" })
		})
	}
	want := func(dropped, last uint32) {
		t.Helper()
		view(t, store, func(r storage.Reader) {
			end, err := storage.EventEnds.Read(r, "e")
			if err != nil || end.Dropped != dropped || end.Last != last {
				t.Errorf("the end of the events = %+v, %v, want %d dropped of %d", end, err, dropped, last)
			}
			next := dropped
			if err := storage.Events.Scan(r, storage.Ascending, func(_ []byte, e record.Event) bool {
				next++
				return e.Number == next
			}, "e"); err != nil || next != last {
				t.Errorf("the events end with %d, %v, want %d without a gap", next, err, last)
			}
		})
	}
	trim := func(before time.Time, keep uint32, dropped int) {
		t.Helper()
		if n, err := storage.TrimEvents(context.Background(), store, "e", before, now, keep); n != dropped || err != nil {
			t.Errorf("TrimEvents() = %d, %v, want %d", n, err, dropped)
		}
	}
	trim(now, 1, 0)
	appendEvents(2300, now)
	trim(now, 2300, 0)
	trim(now, 100, 2200)
	want(2200, 2300)
	appendEvents(10, now.Add(time.Hour))
	trim(now.Add(time.Minute), 1000, 100)
	want(2300, 2310)
	trim(now.Add(2*time.Hour), 1000, 10)
	want(2310, 2310)
	appendEvents(1, now)
	trim(now, 1000, 0)
	want(2310, 2311)
}

func scanWhileWriting(t *testing.T, store storage.Store) {
	update(t, store, "e", write("Ka\x00", "1", "Kb\x00", "1"))
	update(t, store, "e", func(tx storage.Tx) (record.Change, error) {
		var seen []string
		var failed error
		err := tx.Scan([]byte("K"), storage.Ascending, func(key, _ []byte) bool {
			seen = append(seen, string(key))
			failed = errors.Join(failed, tx.Delete(key), tx.Set([]byte("Kz\x00"+string(key)), nil))
			return len(seen) < 10
		})
		if want := []string{"Ka\x00", "Kb\x00"}; !slices.Equal(seen, want) {
			t.Errorf("Scan saw %q, want %q", seen, want)
		}
		return record.Change{}, errors.Join(err, failed)
	})
	want := []pair{{"Kz\x00Ka\x00", ""}, {"Kz\x00Kb\x00", ""}}
	if got := stored(t, store); !slices.Equal(got, want) {
		t.Errorf("stored = %q, want %q", got, want)
	}
}

func refused(t *testing.T, store storage.Store) {
	update(t, store, "e", write("Ka\x00", "1"))
	before := stored(t, store)
	want := errors.New("the function's own")
	_, err := store.Update(context.Background(), "e", func(tx storage.Tx) (record.Change, error) {
		_, err := write("Kb\x00", "2")(tx)
		return record.Change{}, errors.Join(err, want)
	})
	if !errors.Is(err, want) {
		t.Errorf("Update() = %v, want %v", err, want)
	}
	unchanged(t, store, before, 1)
}

func nothingWritten(t *testing.T, store storage.Store) {
	at := update(t, store, "e", write("Ka\x00", "1"))
	before := stored(t, store)
	got := update(t, store, "e", func(tx storage.Tx) (record.Change, error) {
		_, err := tx.Get([]byte("Ka\x00"))
		return record.Change{ThemeID: "unused"}, err
	})
	if got != at {
		t.Errorf("Update() that wrote nothing = %s, want what it read, %s", got, at)
	}
	unchanged(t, store, before, 1)
}

func deleteAbsent(t *testing.T, store storage.Store) {
	update(t, store, "e", func(tx storage.Tx) (record.Change, error) { return record.Change{}, tx.Delete([]byte("Ka\x00")) })
	update(t, store, "e", func(tx storage.Tx) (record.Change, error) { return record.Change{}, tx.DeletePrefix([]byte("K")) })
	unchanged(t, store, nil, 2)
}

func cancelledBefore(t *testing.T, store storage.Store) {
	ctx, cancel := context.WithCancel(context.Background())
	_, err := store.Update(ctx, "e", func(tx storage.Tx) (record.Change, error) {
		cancel()
		return write("Ka\x00", "1")(tx)
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Update() with a context that ended in the function = %v, want %v", err, context.Canceled)
	}
	_, err = store.Update(ctx, "e", write("Ka\x00", "1"))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Update() with a context that had ended = %v, want %v", err, context.Canceled)
	}
	unchanged(t, store, nil, 0)
	update(t, store, "e", write("Ka\x00", "1"))
}

func panicking(t *testing.T, store storage.Store) {
	for _, scope := range []string{"e", storage.Global} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("Update swallowed a panic")
				}
			}()
			_, _ = store.Update(context.Background(), scope, func(storage.Tx) (record.Change, error) { panic("a bug") })
		}()
	}
	unchanged(t, store, nil, 0)
	update(t, store, "e", write("Ka\x00", "1"))
}

func changeKept(t *testing.T, store storage.Store) {
	want := record.Change{EnvironmentID: "env_1", ThemeID: "thm_1", At: time.Unix(1_700_000_000, 123_456_000).UTC()}
	at := update(t, store, "e", func(tx storage.Tx) (record.Change, error) {
		return want, tx.Set([]byte("Ka\x00"), nil)
	})
	got := logged(t, store, storage.Cursor{})
	if len(got) != 1 || got[0] != (storage.LoggedChange{Cursor: at, Change: want}) {
		t.Errorf("the log = %v, want one entry %s %v", got, at, want)
	}
}

// unchanged checks what is stored and how many entries the log has.
func unchanged(t *testing.T, store storage.Store, want []pair, entries int) {
	t.Helper()
	if got := stored(t, store); !slices.Equal(got, want) {
		t.Errorf("stored = %q, want %q", got, want)
	}
	if got := len(logged(t, store, storage.Cursor{})); got != entries {
		t.Errorf("%d entries in the log, want %d", got, entries)
	}
}
