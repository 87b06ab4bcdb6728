package storage_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/livery/storage"
)

// slugsFrom are those of a list behind the first skip, found by its sparse index.
func slugsFrom(t *testing.T, r storage.Reader, order storage.Order, skip, most int) (got []string) {
	t.Helper()
	blocks, err := storage.ThemeSlugs.Blocks(r, "env_1")
	if err == nil {
		err = storage.ThemeSlugs.ScanFrom(r, blocks, order, skip, func(slug, _ string) bool {
			got = append(got, slug)
			return len(got) < most
		}, "env_1")
	}
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// checkBlocks compares what the sparse index finds with the list.
func checkBlocks(t *testing.T, s storage.Store, want []string) {
	t.Helper()
	slices.Sort(want)
	on(t, s, func(r storage.Reader) error {
		if right, err := storage.ThemeSlugs.Counted(r, "env_1"); !right || err != nil {
			t.Fatalf("Counted() = %t, %v with %d slugs", right, err, len(want))
		}
		for _, order := range []storage.Order{storage.Ascending, storage.Descending} {
			for _, skip := range []int{0, 1, len(want) / 3, len(want) / 2, len(want) - 1, len(want), len(want) + 10} {
				skip = max(skip, 0)
				rest := want[min(skip, len(want)):]
				if got := slugsFrom(t, r, order, skip, 5); !slices.Equal(got, rest[:min(5, len(rest))]) {
					t.Fatalf("ScanFrom(%d, %v) = %q, want %q", skip, order, got, rest[:min(5, len(rest))])
				}
			}
			slices.Reverse(want)
		}
		return nil
	})
}

// Whatever is written and deleted, the sparse index leads to any place of the list, in blocks of a bounded size.
func TestASparseIndexFollowsItsList(t *testing.T) {
	s, random := open(t), rand.New(rand.NewPCG(1, 2))
	there := map[string]bool{}
	for round := range 30 {
		in(t, s, func(tx storage.Tx) error {
			for range 200 {
				slug := fmt.Sprintf("s%04d", random.IntN(4000))
				var err error
				if there[slug] = round < 20 && random.IntN(4) > 0 || round >= 20 && random.IntN(8) == 0; there[slug] {
					err = storage.ThemeSlugs.Write(tx, "thm", slug, "env_1")
				} else {
					err = storage.ThemeSlugs.Delete(tx, slug, "env_1")
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		var want []string
		for slug, is := range there {
			if is {
				want = append(want, slug)
			}
		}
		checkBlocks(t, s, want)
	}
	on(t, s, func(r storage.Reader) error {
		b, err := storage.ThemeSlugs.Blocks(r, "env_1")
		for i, block := range b.Blocks {
			if block.Count > 512 || i > 0 && block.Count+b.Blocks[i-1].Count == 0 {
				t.Errorf("block %d counts %d", i, block.Count)
			}
		}
		return err
	})
	in(t, s, func(tx storage.Tx) error { return storage.ThemeSlugs.DeleteAll(tx, "env_1") })
	in(t, s, func(tx storage.Tx) error { return storage.ThemeSlugs.Write(tx, "thm", "again", "env_1") })
	checkBlocks(t, s, []string{"again"})
}

// A list without a sparse index gets one, whole, with its next write.
func TestAListWithoutASparseIndexGetsOne(t *testing.T) {
	s := open(t)
	var want []string
	in(t, s, func(tx storage.Tx) error {
		for n := range 1500 {
			slug := fmt.Sprintf("s%04d", n)
			want = append(want, slug)
			if err := tx.Set(storage.ThemeSlugs.Key(slug, "env_1"), []byte("thm")); err != nil {
				return err
			}
		}
		return nil
	})
	on(t, s, func(r storage.Reader) error {
		if right, err := storage.ThemeSlugs.Counted(r, "env_1"); right || err != nil {
			t.Errorf("Counted() of a list without a sparse index = %t, %v", right, err)
		}
		return nil
	})
	in(t, s, func(tx storage.Tx) error { return storage.ThemeSlugs.Delete(tx, "s0700", "env_1") })
	checkBlocks(t, s, slices.DeleteFunc(want, func(slug string) bool { return slug == "s0700" }))
	in(t, s, func(tx storage.Tx) error {
		return tx.Set(storage.ThemeSlugs.Key("stray", "env_1"), []byte("thm"))
	})
	on(t, s, func(r storage.Reader) error {
		if right, err := storage.ThemeSlugs.Counted(r, "env_1"); right || err != nil {
			t.Errorf("Counted() beside a slug that was not counted = %t, %v", right, err)
		}
		return nil
	})
}
