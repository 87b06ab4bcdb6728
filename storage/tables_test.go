package storage_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"

	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
	"example.com/livery/storage/record"
)

func open(t *testing.T) storage.Store {
	t.Helper()
	s, err := pebble.Open("", pebble.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatalf("Open() = %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
	})
	return s
}

// in runs fn as one transaction.
func in(t *testing.T, s storage.Store, fn func(storage.Tx) error) {
	t.Helper()
	_, err := s.Update(context.Background(), "env_1", func(tx storage.Tx) (record.Change, error) {
		return record.Change{}, fn(tx)
	})
	if err != nil {
		t.Fatalf("Update() = %v", err)
	}
}

// on runs fn on a snapshot.
func on(t *testing.T, s storage.Store, fn func(storage.Reader) error) {
	t.Helper()
	if err := s.View(context.Background(), fn); err != nil {
		t.Fatalf("View() = %v", err)
	}
}

func TestTableReadsWhatItWrote(t *testing.T) {
	s := open(t)
	want := record.Team{ID: "team_1", Slug: "one", Plan: record.Pro, Members: []string{"a", "b"}}
	in(t, s, func(tx storage.Tx) error { return storage.Teams.Write(tx, want, want.ID) })
	on(t, s, func(r storage.Reader) error {
		got, err := storage.Teams.Read(r, "team_1")
		if err != nil || got.ID != want.ID || got.Plan != want.Plan || !slices.Equal(got.Members, want.Members) {
			t.Errorf("Read() = %+v, %v, want %+v", got, err, want)
		}
		if got, err := storage.Teams.Read(r, "team_2"); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("Read() of an absent team = %+v, %v, want ErrNotFound", got, err)
		}
		return nil
	})
	in(t, s, func(tx storage.Tx) error { return storage.Teams.Delete(tx, "team_1") })
	on(t, s, func(r storage.Reader) error {
		if got, err := storage.Teams.Read(r, "team_1"); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("Read() of a deleted team = %+v, %v, want ErrNotFound", got, err)
		}
		return nil
	})
}

func TestTableThatCannotBeDecodedIsCorrupt(t *testing.T) {
	s := open(t)
	in(t, s, func(tx storage.Tx) error { return tx.Set(storage.Key('T', "team_1"), []byte("garbage")) })
	on(t, s, func(r storage.Reader) error {
		if got, err := storage.Teams.Read(r, "team_1"); !errors.Is(err, storage.ErrCorrupt) {
			t.Errorf("Read() = %+v, %v, want ErrCorrupt", got, err)
		}
		err := storage.Teams.Scan(r, storage.Ascending, func([]byte, record.Team) bool { return true })
		if !errors.Is(err, storage.ErrCorrupt) {
			t.Errorf("Scan() = %v, want ErrCorrupt", err)
		}
		return nil
	})
}

// numbers scans the versions below parts.
func numbers(t *testing.T, r storage.Reader, order storage.Order, most int, parts ...string) []uint32 {
	t.Helper()
	var got []uint32
	err := storage.ThemeVersions.Scan(r, order, func(key []byte, v record.ThemeVersion) bool {
		if storage.LastPart(key) != storage.Number(v.Number) {
			t.Errorf("LastPart(%q) of version %d", key, v.Number)
		}
		got = append(got, v.Number)
		return len(got) < most
	}, parts...)
	if err != nil {
		t.Errorf("Scan(%q) = %v", parts, err)
	}
	return got
}

func TestTableScansInTheOrderOfNumbersWithinItsParts(t *testing.T) {
	s := open(t)
	in(t, s, func(tx storage.Tx) error {
		var err error
		for _, n := range []uint32{10, 9, 2, 100, 1} {
			err = errors.Join(err, storage.ThemeVersions.Write(tx, record.ThemeVersion{Number: n}, "env_1", "thm_1", storage.Number(n)))
		}
		// Another Theme whose id begins alike, another Environment, and another table.
		return errors.Join(err,
			storage.ThemeVersions.Write(tx, record.ThemeVersion{Number: 7}, "env_1", "thm_10", storage.Number(7)),
			storage.ThemeVersions.Write(tx, record.ThemeVersion{Number: 8}, "env_10", "thm_1", storage.Number(8)),
			storage.VariantVersions.Write(tx, record.VariantVersion{Number: 5}, "env_1", "thm_1", "var_1", storage.Number(5)))
	})
	on(t, s, func(r storage.Reader) error {
		tests := []struct {
			order storage.Order
			most  int
			parts []string
			want  []uint32
		}{
			{storage.Ascending, 100, []string{"env_1", "thm_1"}, []uint32{1, 2, 9, 10, 100}},
			{storage.Descending, 100, []string{"env_1", "thm_1"}, []uint32{100, 10, 9, 2, 1}},
			{storage.Descending, 2, []string{"env_1", "thm_1"}, []uint32{100, 10}},
			{storage.Ascending, 100, []string{"env_1"}, []uint32{1, 2, 9, 10, 100, 7}},
			{storage.Ascending, 100, nil, []uint32{1, 2, 9, 10, 100, 7, 8}},
			{storage.Ascending, 100, []string{"env_2"}, nil},
		}
		for _, tt := range tests {
			if got := numbers(t, r, tt.order, tt.most, tt.parts...); !slices.Equal(got, tt.want) {
				t.Errorf("Scan(%v, %q) = %v, want %v", tt.order, tt.parts, got, tt.want)
			}
		}
		return nil
	})
	in(t, s, func(tx storage.Tx) error { return storage.ThemeVersions.DeleteAll(tx, "env_1", "thm_1") })
	on(t, s, func(r storage.Reader) error {
		if got := numbers(t, r, storage.Ascending, 100); !slices.Equal(got, []uint32{7, 8}) {
			t.Errorf("after DeleteAll of one Theme: %v, want [7 8]", got)
		}
		return nil
	})
}

// entries scans an index below parts.
func entries(t *testing.T, r storage.Reader, x storage.Index, order storage.Order, parts ...string) []string {
	t.Helper()
	var got []string
	err := x.Scan(r, order, func(slug, id string) bool {
		got = append(got, slug+"="+id)
		return true
	}, parts...)
	if err != nil {
		t.Errorf("Scan(%q) = %v", parts, err)
	}
	return got
}

func TestIndexFindsIDsBySlugWithinItsParts(t *testing.T) {
	s := open(t)
	x := storage.ThemeSlugs
	in(t, s, func(tx storage.Tx) error {
		return errors.Join(
			x.Write(tx, "thm_2", "brand-b", "env_1"), x.Write(tx, "thm_1", "brand", "env_1"),
			x.Write(tx, "thm_3", "brand", "env_2"), storage.Memberships.Write(tx, "", "team_1", "subject"))
	})
	on(t, s, func(r storage.Reader) error {
		if id, err := x.Read(r, "brand", "env_1"); err != nil || id != "thm_1" {
			t.Errorf("Read() = %q, %v, want thm_1", id, err)
		}
		if id, err := x.Read(r, "bran", "env_1"); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("Read() of the beginning of a slug = %q, %v, want ErrNotFound", id, err)
		}
		if got, want := entries(t, r, x, storage.Ascending, "env_1"), []string{"brand=thm_1", "brand-b=thm_2"}; !slices.Equal(got, want) {
			t.Errorf("Scan() = %q, want %q", got, want)
		}
		if got, want := entries(t, r, x, storage.Descending, "env_1"), []string{"brand-b=thm_2", "brand=thm_1"}; !slices.Equal(got, want) {
			t.Errorf("Scan() down = %q, want %q", got, want)
		}
		if got, want := entries(t, r, storage.Memberships, storage.Ascending, "subject"), []string{"team_1="}; !slices.Equal(got, want) {
			t.Errorf("Scan() of memberships = %q, want %q", got, want)
		}
		return nil
	})
	in(t, s, func(tx storage.Tx) error {
		return errors.Join(x.Delete(tx, "brand", "env_1"), x.DeleteAll(tx, "env_2"))
	})
	on(t, s, func(r storage.Reader) error {
		if got, want := entries(t, r, x, storage.Ascending), []string{"brand-b=thm_2"}; !slices.Equal(got, want) {
			t.Errorf("Scan() after deletions = %q, want %q", got, want)
		}
		return nil
	})
}
