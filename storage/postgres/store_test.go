package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"example.com/livery/internal/test/postgrestest"
	"example.com/livery/internal/test/storagetest"
	"example.com/livery/storage"
	"example.com/livery/storage/dump"
	"example.com/livery/storage/pebble"
	"example.com/livery/storage/postgres"
	"example.com/livery/storage/record"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var quiet = slog.New(slog.DiscardHandler)

// alone is a server that the stores of a test share; each store has a schema of its own.
type alone struct {
	*postgrestest.Node
	schemas atomic.Int64
}

// needServer skips loudly without a PostgreSQL, or if it was not asked for.
func needServer(t testing.TB) {
	t.Helper()
	if why := postgrestest.Why(); why != "" {
		t.Skip(why)
	}
}

// one returns a running server without standbys.
func one(t *testing.T) *alone {
	t.Helper()
	needServer(t)
	n, err := postgrestest.Start("alone")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Close)
	return &alone{Node: n}
}

func (a *alone) run(t *testing.T, statements ...string) {
	t.Helper()
	if err := a.Execute(statements...); err != nil {
		t.Fatal(err)
	}
}

// open opens a store in a schema of its own.
func (a *alone) open(t *testing.T, opts postgres.Options) *postgres.Store {
	t.Helper()
	return a.reopen(t, a.schema(t), opts)
}

func (a *alone) schema(t *testing.T) string {
	t.Helper()
	name := fmt.Sprintf("s%d", a.schemas.Add(1))
	a.run(t, "CREATE SCHEMA "+name)
	return name
}

func (a *alone) reopen(t *testing.T, schema string, opts postgres.Options) *postgres.Store {
	t.Helper()
	opts.Alone, opts.Logger = true, quiet
	s, err := postgres.Open(context.Background(), a.URL("&search_path="+schema), opts)
	if err != nil {
		t.Fatalf("Open() = %v", err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestStoreKeepsTheContract(t *testing.T) {
	a := one(t)
	storagetest.Run(t, func(t *testing.T) storage.Store { return a.open(t, postgres.Options{MaxConnections: 40}) })
}

func TestStoreCollectsWhatNothingNames(t *testing.T) {
	a := one(t)
	storagetest.RunCollect(t, func(t *testing.T, clock func() time.Time) storage.Store {
		return a.open(t, postgres.Options{}.Timed(clock))
	})
}

// Several origins write to one database: together they lose nothing, skip nothing, and count exactly.
func TestSeveralStoresAreOne(t *testing.T) {
	a := one(t)
	schema := a.schema(t)
	const stores, writers, each = 3, 4, 15
	acks, mu := map[storagetest.Step]storage.Cursor{}, sync.Mutex{}
	var wg sync.WaitGroup
	var all []*postgres.Store
	for i := range stores {
		s := a.reopen(t, schema, postgres.Options{})
		all = append(all, s)
		for w := range writers {
			wg.Go(func() {
				for n := range each {
					step := storagetest.Step{Writer: i*writers + w, Number: n}
					at, err := step.Do(context.Background(), s)
					if err != nil {
						t.Errorf("step %s: %v", step, err)
						return
					}
					mu.Lock()
					acks[step] = at
					mu.Unlock()
				}
			})
		}
	}
	wg.Wait()
	for _, s := range all {
		if n := storagetest.Verify(t, s, acks); n != stores*writers*each {
			t.Errorf("%d entries in the log, want %d", n, stores*writers*each)
		}
		if s.ID() != all[0].ID() {
			t.Errorf("ID() = %s, and another origin has %s", s.ID(), all[0].ID())
		}
	}
	waited, head := make(chan error, 1), at(t, all[0])
	go func() { waited <- all[1].Wait(context.Background(), head) }()
	if _, err := all[2].Update(context.Background(), "e", set("K", "1")); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-waited:
		if err != nil {
			t.Errorf("Wait() for another origin's commit = %v", err)
		}
	case <-time.After(30 * time.Second):
		t.Error("Wait() never heard of another origin's commit")
	}
}

func at(t *testing.T, s storage.Store) (c storage.Cursor) {
	t.Helper()
	if err := s.View(context.Background(), func(r storage.Reader) error { c = r.Cursor(); return nil }); err != nil {
		t.Errorf("View() = %v", err)
	}
	return c
}

func set(key, value string) func(storage.Tx) (record.Change, error) {
	return func(tx storage.Tx) (record.Change, error) {
		return record.Change{}, tx.Set([]byte(key), []byte(value))
	}
}

// A server that was killed comes back: what was acknowledged is there, and callers saw no error.
func TestAServerThatComesBackLosesNothing(t *testing.T) {
	a := one(t)
	s := a.open(t, postgres.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	all := &load{acks: map[storagetest.Step]storage.Cursor{}, last: time.Now()}
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				step := storagetest.Step{Writer: w, Number: n}
				at, err := step.Do(context.Background(), s)
				all.note(step, at, err)
			}
		})
	}
	for range 5 {
		all.await(t, 50)
		a.Kill()
		if err := a.Run(); err != nil {
			t.Fatal(err)
		}
	}
	all.await(t, 50)
	cancel()
	wg.Wait()
	for _, err := range all.errs {
		t.Errorf("shown to a caller: %v", err)
	}
	if n := storagetest.Verify(t, s, all.acks); n != len(all.acks) {
		t.Errorf("%d entries in the log, and %d were acknowledged", n, len(all.acks))
	}
}

// A store moves from one engine to the other and back, and is the same.
func TestAStoreMovesBetweenEngines(t *testing.T) {
	a := one(t)
	from, err := pebble.Open("", pebble.Options{Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = from.Close() }()
	for n := range uint32(50) {
		name, err := from.PutBlob(context.Background(), []byte(strings.Repeat("document", int(n*n))))
		if err != nil {
			t.Fatal(err)
		}
		_, err = from.Update(context.Background(), "e", func(tx storage.Tx) (record.Change, error) {
			v := record.ThemeVersion{Number: n, Document: name, Modes: listOfModes}
			return record.Change{}, errors.Join(storage.ThemeVersions.Write(tx, v, "e", "t", storage.Number(n)), storage.Themes.Write(tx, record.Theme{ID: "t", Modes: listOfModes}, "e", "t"))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	middle := a.open(t, postgres.Options{})
	_, there, err := dump.Migrate(context.Background(), from, middle, nil)
	if err != nil || there.Keys != 54 { // with the list of Themes
		t.Fatalf("Migrate() = %+v, %v", there, err)
	}
	to, err := pebble.Open("", pebble.Options{Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = to.Close() }()
	if _, back, err := dump.Migrate(context.Background(), middle, to, nil); err != nil || back.Summary != there.Summary {
		t.Errorf("Migrate() back = %+v, %v, want %+v", back, err, there)
	}
	for name, s := range map[string]storage.Store{"PostgreSQL": middle, "Pebble": to} {
		err := s.View(t.Context(), func(r storage.Reader) error {
			theme, err := storage.Themes.Read(r, "e", "t")
			if err != nil {
				return err
			}
			v, err := storage.ThemeVersions.Read(r, "e", "t", storage.Number(49))
			if !slices.Equal(theme.Modes, listOfModes) || !slices.Equal(v.Modes, listOfModes) {
				t.Errorf("in %s the Theme has the modes %+v, its version %+v", name, theme.Modes, v.Modes)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// listOfModes has every member that an entry can have.
var listOfModes = []record.Mode{
	{Dimension: "scheme", Mode: "light"},
	{Dimension: "scheme", Mode: "dark", Variant: "v", When: "(prefers-color-scheme: dark)"},
	{Dimension: "scheme", Mode: "dark", Variant: "w", When: "(prefers-color-scheme: dark)", For: "b"},
}
