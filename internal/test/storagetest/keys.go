package storagetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

func runKeys(t *testing.T, open Open) {
	prove(t, open, []rule{
		{"what was set is read back, the empty value too", readBack},
		{"an absent or deleted key is ErrNotFound", absent},
		{"Get returns a copy", getCopies},
		{"Set copies its arguments", setCopies},
		{"a scan is bytewise and holds to its prefix, in both orders", scanOrder},
		{"a scan stops when told", scanStops},
		{"a scan of a range holds to its bounds, in both orders, with the writes of the transaction", scanRange},
		{"keys that are announced are read as they are", announced},
		{"a View shows what it was expected to read, and more", viewExpected},
		{"View returns the function's error", viewError},
		{"View on a context that ended runs nothing", viewCancelled},
		{"a view shows one snapshot to its end", isolation},
		{"a large transaction is one commit", large},
	})
}

func readBack(t *testing.T, store storage.Store) {
	update(t, store, "e", write("Ka\x00", "1", "Kb\x00", ""))
	view(t, store, func(r storage.Reader) {
		for key, want := range map[string]string{"Ka\x00": "1", "Kb\x00": ""} {
			if got, err := r.Get([]byte(key)); err != nil || got == nil || string(got) != want {
				t.Errorf("Get(%q) = %q, %v, want %q", key, got, err, want)
			}
		}
	})
}

func absent(t *testing.T, store storage.Store) {
	update(t, store, "e", write("Ka\x00", "1"))
	update(t, store, "e", func(tx storage.Tx) (record.Change, error) {
		return record.Change{}, tx.Delete([]byte("Ka\x00"))
	})
	view(t, store, func(r storage.Reader) {
		for _, key := range []string{"Ka\x00", "Kb\x00", "K", ""} {
			if got, err := r.Get([]byte(key)); !errors.Is(err, storage.ErrNotFound) {
				t.Errorf("Get(%q) = %q, %v, want ErrNotFound", key, got, err)
			}
		}
	})
}

func getCopies(t *testing.T, store storage.Store) {
	update(t, store, "e", write("Ka\x00", "one"))
	view(t, store, func(r storage.Reader) {
		first, _ := r.Get([]byte("Ka\x00"))
		copy(first, "two")
		if again, _ := r.Get([]byte("Ka\x00")); string(again) != "one" {
			t.Errorf("Get after its result was changed = %q, want %q", again, "one")
		}
	})
}

func setCopies(t *testing.T, store storage.Store) {
	update(t, store, "e", func(tx storage.Tx) (record.Change, error) {
		key, value := []byte("Ka\x00"), []byte("one")
		err := tx.Set(key, value)
		copy(key, "Kb")
		copy(value, "two")
		return record.Change{}, err
	})
	if got, want := stored(t, store), []pair{{"Ka\x00", "one"}}; !slices.Equal(got, want) {
		t.Errorf("stored = %q, want %q", got, want)
	}
}

func scanOrder(t *testing.T, store storage.Store) {
	update(t, store, "e", write("Kb\x00", "2", "Ka\xff\xff", "1", "Ka\x00", "0", "Ka", "-", "L\x00", "9", "J\xff", "8"))
	want := map[string][]pair{
		"K":       {{"Ka", "-"}, {"Ka\x00", "0"}, {"Ka\xff\xff", "1"}, {"Kb\x00", "2"}},
		"Ka":      {{"Ka", "-"}, {"Ka\x00", "0"}, {"Ka\xff\xff", "1"}},
		"Ka\xff":  {{"Ka\xff\xff", "1"}},
		"Ka\x00":  {{"Ka\x00", "0"}},
		"Kc":      nil,
		"Ka\x00a": nil,
		"": {
			{"J\xff", "8"},
			{"Ka", "-"},
			{"Ka\x00", "0"},
			{"Ka\xff\xff", "1"},
			{"Kb\x00", "2"},
			{"L\x00", "9"},
		},
	}
	view(t, store, func(r storage.Reader) {
		for prefix, up := range want {
			if got := pairs(t, r, prefix, storage.Ascending); !slices.Equal(got, up) {
				t.Errorf("Scan(%q, Ascending) = %q, want %q", prefix, got, up)
			}
			down := slices.Clone(up)
			slices.Reverse(down)
			if got := pairs(t, r, prefix, storage.Descending); !slices.Equal(got, down) {
				t.Errorf("Scan(%q, Descending) = %q, want %q", prefix, got, down)
			}
		}
	})
}

func scanRange(t *testing.T, store storage.Store) {
	var all []string
	for n := range 40 {
		all = append(all, fmt.Sprintf("K%02d\x00", n))
	}
	update(t, store, "e", func(tx storage.Tx) (record.Change, error) {
		var errs []error
		for _, key := range all {
			errs = append(errs, tx.Set([]byte(key), nil))
		}
		return record.Change{}, errors.Join(errs...)
	})
	check := func(r storage.Reader, all []string) {
		for _, bounds := range [][2]string{{"K", "L"}, {"K05\x00", "K30\x00"}, {"K05", "K06"}, {"K39\x00", "K39\x00"}, {"K40", "Z"}, {"A", "K02"}} {
			for _, order := range []storage.Order{storage.Ascending, storage.Descending} {
				want := slices.DeleteFunc(slices.Clone(all), func(key string) bool { return key < bounds[0] || key >= bounds[1] })
				if order == storage.Descending {
					slices.Reverse(want)
				}
				var got []string
				err := r.ScanRange([]byte(bounds[0]), []byte(bounds[1]), order, func(key, _ []byte) bool {
					got = append(got, string(key))
					return true
				})
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("ScanRange(%q, %v) = %q, %v, want %q", bounds, order, got, err, want)
				}
			}
		}
	}
	view(t, store, func(r storage.Reader) { check(r, all) })
	update(t, store, "e", func(tx storage.Tx) (record.Change, error) {
		err := errors.Join(tx.Delete([]byte(all[7])), tx.Set([]byte("K05a\x00"), nil), tx.DeletePrefix([]byte("K2")))
		changed := append(slices.Clone(all[:7]), append(slices.Clone(all[8:20]), all[30:]...)...)
		check(tx, slices.Insert(changed, 6, "K05a\x00"))
		return record.Change{}, err
	})
}

func announced(t *testing.T, store storage.Store) {
	update(t, store, "e", write("Ka\x00", "1", "Kb\x00", ""))
	keys := [][]byte{[]byte("Ka\x00"), []byte("Kb\x00"), []byte("Kc\x00")}
	check := func(r storage.Reader, want ...string) {
		for n := range 2 {
			for i, key := range keys {
				got, err := r.Get(key)
				if want[i] == "-" != errors.Is(err, storage.ErrNotFound) || want[i] != "-" && (err != nil || string(got) != want[i]) {
					t.Errorf("Get(%q), time %d = %q, %v, want %q", key, n, got, err, want[i])
				}
			}
			if err := storage.Prefetch(r, keys...); err != nil {
				t.Errorf("Prefetch() = %v", err)
			}
		}
	}
	if err := store.View(storage.WithReads(context.Background(), storage.Reads{Keys: keys}), func(r storage.Reader) error {
		check(r, "1", "", "-")
		return nil
	}); err != nil {
		t.Errorf("View() = %v", err)
	}
	update(t, store, "e", func(tx storage.Tx) (record.Change, error) {
		err := errors.Join(storage.Prefetch(tx, keys...), tx.Set(keys[2], []byte("3")), tx.Delete(keys[0]))
		check(tx, "-", "", "3")
		return record.Change{}, err
	})
}

// The function may run again, so its last run counts.
func viewExpected(t *testing.T, store storage.Store) {
	const count = 100
	var written []string
	for n := range count {
		written = append(written, fmt.Sprintf("K%02d\x00", n), strconv.Itoa(n))
	}
	update(t, store, "e", write(written...))
	keys := [][]byte{[]byte("K07\x00"), []byte("L\x00"), []byte("K93\x00")}
	for _, reads := range []storage.Reads{
		{},
		{All: true},
		{Keys: keys},
		{Keys: keys, All: true},
		{Keys: keys[:2], All: true},
		{Keys: keys, Prefixes: [][]byte{[]byte("K0"), []byte("L")}, All: true},
		{Prefixes: [][]byte{[]byte("K")}},
	} {
		for prefix, values := range map[string]int{"K0": 10, "K": count, "L": 0} {
			var got []string
			err := store.View(storage.WithReads(context.Background(), reads), func(r storage.Reader) error {
				got = nil
				for _, key := range keys {
					value, err := r.Get(key)
					if err != nil && !errors.Is(err, storage.ErrNotFound) {
						return err
					}
					got = append(got, string(value))
				}
				return r.Scan([]byte(prefix), storage.Ascending, func(_, value []byte) bool {
					got = append(got, string(value))
					return true
				})
			})
			want := []string{"7", "", "93"}
			for n := range values {
				want = append(want, strconv.Itoa(n))
			}
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%+v, prefix %q: %q, %v, want %q", reads, prefix, got, err, want)
			}
		}
	}
}

func scanStops(t *testing.T, store storage.Store) {
	update(t, store, "e", write("Ka\x00", "1", "Kb\x00", "2", "Kc\x00", "3"))
	check := func(r storage.Reader) {
		for order, want := range map[storage.Order]string{storage.Ascending: "12", storage.Descending: "32"} {
			var got string
			err := r.Scan([]byte("K"), order, func(_, value []byte) bool {
				got += string(value)
				return len(got) < 2
			})
			if err != nil || got != want {
				t.Errorf("Scan(%v) saw %q, %v, want %q", order, got, err, want)
			}
		}
	}
	view(t, store, check)
	update(t, store, "e", func(tx storage.Tx) (record.Change, error) {
		check(tx)
		_, err := write("Kb\x00", "2", "Kd\x00", "4")(tx)
		return record.Change{}, errors.Join(err, tx.Delete([]byte("Kd\x00")))
	})
}

func viewError(t *testing.T, store storage.Store) {
	want := errors.New("the function's own")
	if err := store.View(context.Background(), func(storage.Reader) error { return want }); !errors.Is(err, want) {
		t.Errorf("View() = %v, want %v", err, want)
	}
}

func viewCancelled(t *testing.T, store storage.Store) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := store.View(ctx, func(storage.Reader) error {
		t.Error("View ran its function")
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("View() = %v, want %v", err, context.Canceled)
	}
}

func isolation(t *testing.T, store storage.Store) {
	at := update(t, store, "e", write("Ka\x00", "1", "Kb\x00", "1"))
	want := stored(t, store)
	view(t, store, func(r storage.Reader) {
		update(t, store, "e", write("Ka\x00", "2", "Kc\x00", "2"))
		update(t, store, storage.Global, func(tx storage.Tx) (record.Change, error) {
			return record.Change{}, tx.DeletePrefix([]byte("Kb"))
		})
		if got := pairs(t, r, "", storage.Ascending); !slices.Equal(got, want) {
			t.Errorf("snapshot after later commits = %q, want %q", got, want)
		}
		if got, err := r.Get([]byte("Ka\x00")); string(got) != "1" {
			t.Errorf("Get in the snapshot = %q, %v, want %q", got, err, "1")
		}
		if r.Cursor() != at {
			t.Errorf("Cursor of the snapshot = %s, want %s", r.Cursor(), at)
		}
	})
	if got, want := stored(t, store), []pair{{"Ka\x00", "2"}, {"Kc\x00", "2"}}; !slices.Equal(got, want) {
		t.Errorf("stored = %q, want %q", got, want)
	}
}

func large(t *testing.T, store storage.Store) {
	value := bytes.Repeat([]byte("0123456789abcdef"), 128<<10) // 2 MiB
	const n = 3000
	at := update(t, store, "e", func(tx storage.Tx) (record.Change, error) {
		for i := range n {
			if err := tx.Set(storage.Key('K', storage.Number(uint32(i))), value[:i]); err != nil {
				return record.Change{}, err
			}
		}
		return record.Change{}, tx.Set([]byte("L\x00"), value)
	})
	if at.Seq != 1 {
		t.Errorf("Update().Seq = %d, want 1", at.Seq)
	}
	view(t, store, func(r storage.Reader) {
		for i, p := range pairs(t, r, "K", storage.Ascending) {
			if p.value != string(value[:i]) {
				t.Fatalf("value %d has %d bytes, want the first %d", i, len(p.value), i)
			}
		}
		if got, err := r.Get([]byte("L\x00")); err != nil || !bytes.Equal(got, value) {
			t.Errorf("Get = %d bytes, %v, want the %d set", len(got), err, len(value))
		}
	})
	update(t, store, "e", func(tx storage.Tx) (record.Change, error) {
		return record.Change{}, tx.DeletePrefix([]byte("K"))
	})
	for _, p := range stored(t, store) {
		if strings.HasPrefix(p.key, "K") {
			t.Fatalf("key %q outlived DeletePrefix", p.key)
		}
	}
}
