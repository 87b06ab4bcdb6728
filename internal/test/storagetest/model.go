package storagetest

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// memory is what a store holds, as small as it can be said. It is a storage.Tx that writes at once.
type memory struct {
	keys map[string]string
	at   storage.Cursor
}

func newMemory() *memory { return &memory{keys: map[string]string{}} }

func (m *memory) clone() *memory { return &memory{maps.Clone(m.keys), m.at} }

// Get returns the value at key, or storage.ErrNotFound.
func (m *memory) Get(key []byte) ([]byte, error) {
	value, ok := m.keys[string(key)]
	if !ok {
		return nil, storage.ErrNotFound
	}
	return []byte(value), nil
}

// Scan calls each for every key that begins with prefix.
func (m *memory) Scan(prefix []byte, order storage.Order, each func(key, value []byte) bool) error {
	for _, p := range m.pairs(string(prefix), order) {
		if !each([]byte(p.key), []byte(p.value)) {
			break
		}
	}
	return nil
}

// ScanRange calls each for every key from start on that comes before end.
func (m *memory) ScanRange(start, end []byte, order storage.Order, each func(key, value []byte) bool) error {
	return m.Scan(nil, order, func(key, value []byte) bool {
		return bytes.Compare(key, start) < 0 || bytes.Compare(key, end) >= 0 || each(key, value)
	})
}

// Cursor returns the place of the newest change.
func (m *memory) Cursor() storage.Cursor { return m.at }

// Set writes value at key.
func (m *memory) Set(key, value []byte) error {
	m.keys[string(key)] = string(value)
	return nil
}

// Delete removes key.
func (m *memory) Delete(key []byte) error {
	delete(m.keys, string(key))
	return nil
}

// DeletePrefix removes every key that begins with prefix.
func (m *memory) DeletePrefix(prefix []byte) error {
	maps.DeleteFunc(m.keys, func(key, _ string) bool { return strings.HasPrefix(key, string(prefix)) })
	return nil
}

// DeleteRange removes every key from start on that comes before end.
func (m *memory) DeleteRange(start, end []byte) error {
	maps.DeleteFunc(m.keys, func(key, _ string) bool { return key >= string(start) && key < string(end) })
	return nil
}

func (m *memory) pairs(prefix string, order storage.Order) []pair {
	var all []pair
	for key, value := range m.keys {
		if strings.HasPrefix(key, prefix) {
			all = append(all, pair{key, value})
		}
	}
	slices.SortFunc(all, func(a, b pair) int { return strings.Compare(a.key, b.key) })
	if order == storage.Descending {
		slices.Reverse(all)
	}
	return all
}

// runModel compares a store with memory over random operations.
func runModel(t *testing.T, open Open) {
	rapid.Check(t, func(rt *rapid.T) {
		store := open(t)
		rt.Cleanup(func() { _ = store.Close() })
		m := &machine{store: store, now: newMemory(), blobs: map[record.Hash][]byte{}}
		rt.Cleanup(m.releaseAll)
		rt.Repeat(map[string]func(*rapid.T){
			"":        m.compare,
			"update":  m.update,
			"changes": m.changes,
			"trim":    m.trim,
			"putBlob": m.putBlob,
			"hold":    m.hold,
			"release": m.release,
		})
	})
}

// machine is a store beside its model.
type machine struct {
	store storage.Store
	now   *memory
	log   []storage.LoggedChange // all ever, from number 1
	begin int                    // entries trimmed
	blobs map[record.Hash][]byte
	views []*openView
}

// operation is one call within a transaction.
type operation struct {
	kind       string
	key, value string
	end        string // of deleteRange
	order      storage.Order
}

func operations() *rapid.Generator[[]operation] {
	part := rapid.StringOfN(rapid.SampledFrom([]rune("ab\u00ff")), 0, 2, -1)
	key := rapid.Custom(func(t *rapid.T) string {
		letter := rapid.SampledFrom([]byte("AKk")).Draw(t, "table")
		return string(storage.Key(letter, rapid.SliceOfN(part, 0, 2).Draw(t, "parts")...))
	})
	kinds := []string{"set", "set", "set", "delete", "deletePrefix", "deleteRange", "get", "scan"}
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) operation {
		return operation{
			kind:  rapid.SampledFrom(kinds).Draw(t, "kind"),
			key:   key.Draw(t, "key"),
			end:   key.Draw(t, "end"),
			value: rapid.StringN(0, 3, -1).Draw(t, "value"),
			order: storage.Order(rapid.Bool().Draw(t, "descending")),
		}
	}), 0, 8)
}

// run makes the call on both, and compares what a read returns.
func (op operation) run(t tester, tx, model storage.Tx) (wrote bool, err error) {
	key, value := []byte(op.key), []byte(op.value)
	switch op.kind {
	case "set":
		return true, errors.Join(tx.Set(key, value), model.Set(key, value))
	case "delete":
		return true, errors.Join(tx.Delete(key), model.Delete(key))
	case "deletePrefix":
		return true, errors.Join(tx.DeletePrefix(key), model.DeletePrefix(key))
	case "deleteRange":
		return true, errors.Join(tx.DeleteRange(key, []byte(op.end)), model.DeleteRange(key, []byte(op.end)))
	case "get":
		got, err := tx.Get(key)
		want, wantErr := model.Get(key)
		if !bytes.Equal(got, want) || !errors.Is(err, wantErr) {
			t.Fatalf("Get(%q) in a transaction = %q, %v, want %q, %v", key, got, err, want, wantErr)
		}
	case "scan":
		got, want := pairs(t, tx, op.key, op.order), pairs(t, model, op.key, op.order)
		if !slices.Equal(got, want) {
			t.Fatalf("Scan(%q) in a transaction = %q, want %q", key, got, want)
		}
	}
	return false, nil
}

var errRefused = errors.New("refused by the test")

func (m *machine) update(t *rapid.T) {
	ops := operations().Draw(t, "operations")
	scope := rapid.SampledFrom([]string{storage.Global, "e1", "e2"}).Draw(t, "scope")
	refuse := rapid.IntRange(0, 5).Draw(t, "refuse at 0") == 0
	change := record.Change{EnvironmentID: scope, ThemeID: rapid.StringN(0, 3, -1).Draw(t, "theme")}
	var after *memory
	var wrote bool
	cursor, err := m.store.Update(context.Background(), scope, func(tx storage.Tx) (record.Change, error) {
		after, wrote = m.now.clone(), false // the function may run again
		for _, op := range ops {
			w, err := op.run(t, tx, after)
			if err != nil {
				return record.Change{}, err
			}
			wrote = wrote || w
		}
		if refuse {
			return record.Change{}, errRefused
		}
		return change, nil
	})
	switch {
	case refuse && !errors.Is(err, errRefused):
		t.Fatalf("Update() that refused = %v", err)
	case refuse:
	case err != nil:
		t.Fatalf("Update() = %v", err)
	case !wrote && cursor != m.now.at:
		t.Fatalf("Update() that wrote nothing = %s, want %s", cursor, m.now.at)
	case wrote:
		after.at = cursor
		m.now = after
		m.log = append(m.log, storage.LoggedChange{Cursor: cursor, Change: change})
	}
}

func (m *machine) compare(t *rapid.T) {
	view(t, m.store, func(r storage.Reader) {
		if r.Cursor() != m.now.at {
			t.Fatalf("Cursor() = %s, want %s", r.Cursor(), m.now.at)
		}
		for _, order := range []storage.Order{storage.Ascending, storage.Descending} {
			if got, want := pairs(t, r, "", order), m.now.pairs("", order); !slices.Equal(got, want) {
				t.Fatalf("the store holds %q, want %q", got, want)
			}
		}
	})
	for name, want := range m.blobs {
		if got, err := m.store.Blob(context.Background(), name); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("Blob(%s) = %q, %v, want %q", name, got, err, want)
		}
	}
}

func (m *machine) changes(t *rapid.T) {
	i := rapid.IntRange(0, len(m.log)).Draw(t, "after")
	limit := rapid.IntRange(0, 10).Draw(t, "limit")
	var after storage.Cursor
	if i > 0 {
		after = m.log[i-1].Cursor
	}
	wrongTag := i > 0 && rapid.Bool().Draw(t, "wrong tag")
	if wrongTag {
		after.Tag = "not a tag"
	}
	got, err := m.store.Changes(context.Background(), after, limit)
	switch {
	case i < m.begin:
		if !errors.Is(err, storage.ErrTrimmed) {
			t.Fatalf("Changes(%s) = %v, want ErrTrimmed", after, err)
		}
	case wrongTag:
		if !errors.Is(err, storage.ErrDiverged) {
			t.Fatalf("Changes(%s) = %v, want ErrDiverged", after, err)
		}
	default:
		if want := m.log[i:min(i+limit, len(m.log))]; err != nil || !slices.Equal(got, want) {
			t.Fatalf("Changes(%s, %d) = %v, %v, want %v", after, limit, got, err, want)
		}
	}
}

func (m *machine) trim(t *rapid.T) {
	seq := rapid.IntRange(0, len(m.log)+2).Draw(t, "seq")
	trim(t, m.store, uint64(seq))
	m.begin = max(m.begin, min(seq, len(m.log)))
}

func (m *machine) putBlob(t *rapid.T) {
	blob := bytes.Repeat(rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "blob"), rapid.IntRange(1, 50).Draw(t, "times"))
	name, err := m.store.PutBlob(context.Background(), blob)
	if err != nil || name != record.HashOf(blob) {
		t.Fatalf("PutBlob() = %s, %v, want %s", name, err, record.HashOf(blob))
	}
	m.blobs[name] = blob
}

// openView is a view that stays open while the store moves on.
type openView struct {
	want  *memory
	check chan func(storage.Reader) // closed to end the view
	done  chan error
}

func (m *machine) hold(t *rapid.T) {
	if len(m.views) == 3 {
		t.Skip("enough views are open")
	}
	h := &openView{m.now, make(chan func(storage.Reader)), make(chan error, 1)}
	begun := make(chan struct{}, 1)
	go func() {
		h.done <- m.store.View(context.Background(), func(r storage.Reader) error {
			begun <- struct{}{}
			for check := range h.check {
				check(r)
				begun <- struct{}{}
			}
			return nil
		})
	}()
	within(t, "the start of a view", begun)
	m.views = append(m.views, h)
}

func (m *machine) release(t *rapid.T) {
	if len(m.views) == 0 {
		t.Skip("no view is open")
	}
	i := rapid.IntRange(0, len(m.views)-1).Draw(t, "view")
	h := m.views[i]
	m.views = slices.Delete(m.views, i, i+1)
	seen := make(chan []pair, 1)
	h.check <- func(r storage.Reader) {
		var all []pair
		_ = r.Scan(nil, storage.Ascending, func(key, value []byte) bool {
			all = append(all, pair{string(key), string(value)})
			return true
		})
		seen <- all
	}
	got, want := within(t, "a scan of an old view", seen), h.want.pairs("", storage.Ascending)
	close(h.check)
	if err := within(t, "the end of a view", h.done); err != nil || !slices.Equal(got, want) {
		t.Fatalf("an old view holds %q, %v, want %q", got, err, want)
	}
}

func (m *machine) releaseAll() {
	for _, h := range m.views {
		close(h.check)
		<-h.done
	}
}
