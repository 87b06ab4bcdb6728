package listing_test

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.com/livery/internal/test/race"
	"example.com/livery/origin/api/listing"
	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
	"example.com/livery/storage/record"
)

// lists are a store with a list of Themes and one of Variants, of the same items.
type lists struct {
	store storage.Store
	at    int64 // time of the change before
}

var environment, theme = "env_1", "thm_1"

func open(t testing.TB) *lists {
	t.Helper()
	store, err := pebble.Open("", pebble.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return &lists{store: store}
}

// themes is the list of Themes of the store.
func themes(cache *listing.Cache) listing.List {
	return listing.List{
		Index: storage.ThemeSlugs, Entries: storage.ThemeEntries, Records: storage.ListedThemes,
		Parts: []string{environment}, Cache: cache, Refresh: true,
	}
}

// variants is the list of Variants of the store.
func variants(cache *listing.Cache) listing.List {
	return listing.List{
		Index: storage.VariantSlugs, Entries: storage.VariantEntries, Records: storage.ListedVariants,
		Parts: []string{environment, theme}, Cache: cache, Refresh: true,
	}
}

// commit runs fn as one transaction.
func (l *lists) commit(fn func(tx storage.Tx) error) error {
	_, err := l.store.Update(context.Background(), environment, func(tx storage.Tx) (record.Change, error) {
		return record.Change{}, fn(tx)
	})
	return err
}

// put writes an item in place of the one that was, which is of no id if there was none.
func put(tx storage.Tx, was, is record.Listed) error {
	if was.ID != "" && was.Slug != is.Slug {
		if err := free(tx, was); err != nil {
			return err
		}
	}
	for _, err := range []error{
		storage.Themes.Write(tx, record.Theme{
			ID: is.ID, EnvironmentID: environment, Slug: is.Slug, DisplayName: is.DisplayName, Metadata: is.Metadata, DraftETag: is.DraftETag, UpdatedAt: is.UpdatedAt,
		}, environment, is.ID),
		storage.Variants.Write(tx, record.Variant{
			ID: is.ID, EnvironmentID: environment, ThemeID: theme, Slug: is.Slug, DisplayName: is.DisplayName, Metadata: is.Metadata, DraftETag: is.DraftETag, UpdatedAt: is.UpdatedAt,
		}, environment, theme, is.ID),
		storage.VariantSlugs.Write(tx, is.ID, is.Slug, environment, theme),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

func free(tx storage.Tx, i record.Listed) error {
	if err := storage.ThemeSlugs.Delete(tx, i.Slug, environment); err != nil {
		return err
	}
	return storage.VariantSlugs.Delete(tx, i.Slug, environment, theme)
}

func remove(tx storage.Tx, i record.Listed) error {
	if err := free(tx, i); err != nil {
		return err
	}
	if err := storage.Themes.Delete(tx, environment, i.ID); err != nil {
		return err
	}
	return storage.Variants.Delete(tx, environment, theme, i.ID)
}

// model is the items of both lists, by id.
type model map[string]record.Listed

func (m model) items() (items []record.Listed) {
	for _, i := range m {
		items = append(items, i)
	}
	return items
}

// change makes one random change to the store and the model, in a transaction of several.
func (m model) change(t *rapid.T, l *lists, tx storage.Tx) error {
	words := []string{"acme", "Brand", "core", "dark", "zebra", "été", "x"}
	id := fmt.Sprintf("thm_%03d", rapid.IntRange(0, 300).Draw(t, "id"))
	was, exists := m[id]
	is := was
	is.ID = id
	l.at += int64(rapid.IntRange(0, 2).Draw(t, "milliseconds"))
	is.UpdatedAt = time.UnixMilli(l.at).UTC()
	switch what := rapid.SampledFrom([]string{"edit", "edit", "publish", "name", "label", "delete", "same"}).Draw(t, "what"); {
	case exists && what == "delete":
		delete(m, id)
		return remove(tx, was)
	case exists && what == "same":
		is = was
	case exists && what == "edit":
		is.DraftETag = "etag"
	case exists && what == "publish":
		is.DraftETag = ""
	case exists && what == "label":
		is.Metadata = map[string]string{}
		for _, key := range rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "ab"}), 0, 3).Draw(t, "keys") {
			is.Metadata[key] = rapid.SampledFrom([]string{"", "a", "b", "ab", "\x00", "é"}).Draw(t, "value")
		}
	default:
		is.DisplayName = strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 3).Draw(t, "words"), " ")
		slug := rapid.SampledFrom(words[:5]).Draw(t, "word") + rapid.StringMatching("-[a-cX]{1,2}").Draw(t, "slug")
		if taken := slices.ContainsFunc(m.items(), func(i record.Listed) bool { return i.Slug == slug && i.ID != id }); !taken {
			is.Slug = slug
		}
		if is.Slug == "" {
			return nil
		}
	}
	m[id] = is
	return put(tx, was, is)
}

// query draws a query of a page of the items.
func (m model) query(t *rapid.T) listing.Query {
	q := listing.Query{
		List: "list", ByTime: rapid.Bool().Draw(t, "by time"), Descending: rapid.Bool().Draw(t, "descending"), Totals: rapid.Bool().Draw(t, "totals"),
		Number: rapid.IntRange(1, 12).Draw(t, "number"), Size: rapid.IntRange(1, 40).Draw(t, "size"),
	}
	if rapid.IntRange(0, 3).Draw(t, "has text") == 0 {
		q.Filter.Text = rapid.SampledFrom([]string{"a", "ACME", "brand-", "core dark", "-", "nothing", "ÉT", "a\x00", "a\xff", "e", " "}).Draw(t, "text")
	}
	if rapid.IntRange(0, 3).Draw(t, "has flag") == 0 {
		q.Filter.Unpublished = new(rapid.Bool().Draw(t, "flag"))
	}
	for range rapid.IntRange(0, 8).Draw(t, "labels") / 7 {
		q.Filter.Labels = append(q.Filter.Labels, listing.Label{
			Key: rapid.SampledFrom([]string{"a", "b", "ab", "a\xfea\xff\xffb"}).Draw(t, "key"), Value: rapid.SampledFrom([]string{"", "a", "b", "ab", "\x00"}).Draw(t, "value"),
		})
	}
	if rapid.IntRange(0, 6).Draw(t, "has slug") == 0 && len(m) > 0 {
		items := m.items()
		slices.SortFunc(items, func(a, b record.Listed) int { return strings.Compare(a.ID, b.ID) })
		q.Filter.Slug = new(rapid.SampledFrom(items).Draw(t, "item").Slug)
	}
	return q
}

// hold compares what the lists find with what the model does, page after page by their cursors too.
func (m model) hold(t *rapid.T, r storage.Reader, q listing.Query, list listing.List) {
	for pages := 0; pages < 4; pages++ {
		want := listing.Choose(m.items(), q)
		got, err := list.Page(r, q)
		if !q.Totals {
			got.Total, want.Total = 0, 0
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("Page(%+v) = %+v, %v, want %+v", q, got, err, want)
		}
		if want.Next == "" {
			return
		}
		place, err := q.ParseCursor(want.Next)
		if err != nil {
			t.Fatalf("ParseCursor(%q) = %v", want.Next, err)
		}
		q.After = &place
	}
}

// Whatever is written, renamed and deleted, each page of each list is what a plain search among all items finds: through a cache
// that was used all the while, through one that was used sometimes, as by another origin, and on a snapshot of before.
func TestPagesAreWhatAPlainSearchFinds(t *testing.T) {
	race.Skip(t)
	rapid.Check(t, func(t *rapid.T) {
		store, err := pebble.Open("", pebble.Options{Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = store.Close() }()
		l, m := &lists{store: store, at: 1_700_000_000_000}, model{}
		often, seldom := listing.NewCache(), listing.NewCache()
		for range rapid.IntRange(1, 8).Draw(t, "rounds") {
			before := model{}
			for id, i := range m {
				before[id] = i
			}
			err := store.View(context.Background(), func(old storage.Reader) error {
				next := model{}
				err := l.commit(func(tx storage.Tx) error {
					next = model{}
					for id, i := range before {
						next[id] = i
					}
					for range rapid.IntRange(0, 60).Draw(t, "changes") {
						if err := next.change(t, l, tx); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil {
					return err
				}
				m = next
				err = store.View(context.Background(), func(r storage.Reader) error {
					for range 3 {
						q := m.query(t)
						for _, list := range []listing.List{themes(often), variants(often)} {
							m.hold(t, r, q, list)
						}
					}
					if rapid.IntRange(0, 2).Draw(t, "seldom") == 0 {
						m.hold(t, r, m.query(t), themes(seldom))
						m.hold(t, r, m.query(t), variants(seldom))
					}
					return nil
				})
				if err == nil && rapid.Bool().Draw(t, "of before") {
					before.hold(t, old, before.query(t), themes(often))
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if _, err := storage.CheckStore(context.Background(), store, nil, func(f storage.Finding) {
			if strings.Contains(f.Problem, "list") || strings.Contains(f.Problem, "index") || strings.Contains(f.Problem, "leads") || strings.Contains(f.Problem, "count") {
				t.Errorf("CheckStore() found %v", f)
			}
		}); err != nil {
			t.Fatal(err)
		}
	})
}

// counted counts what is read of a snapshot.
type counted struct {
	storage.Reader
	keys int
}

func (c *counted) Get(key []byte) ([]byte, error) {
	c.keys++
	return c.Reader.Get(key)
}

func (c *counted) Scan(prefix []byte, order storage.Order, each func(key, value []byte) bool) error {
	return c.Reader.Scan(prefix, order, c.counting(each))
}

func (c *counted) ScanRange(start, end []byte, order storage.Order, each func(key, value []byte) bool) error {
	return c.Reader.ScanRange(start, end, order, c.counting(each))
}

func (c *counted) counting(each func(key, value []byte) bool) func(key, value []byte) bool {
	return func(key, value []byte) bool {
		c.keys++
		return each(key, value)
	}
}

// A page of a list of 10,000 items, of any filter and order, reads the revision of the list alone, and after a change those of
// the buckets and the bucket of what changed: all Variants are one. Only the first page reads every Theme's entry.
func TestAPageReadsWhatChanged(t *testing.T) {
	race.Skip(t)
	const count = 10_000
	l := open(t)
	item := func(n int) record.Listed {
		return record.Listed{ID: fmt.Sprintf("thm_%05d", n), Slug: fmt.Sprintf("slug-%05d", n*7919%count), DisplayName: "Item", UpdatedAt: time.UnixMilli(int64(n))}
	}
	write := func(from, to int, was, is func(n int) record.Listed) {
		t.Helper()
		if err := l.commit(func(tx storage.Tx) error {
			for n := from; n < to; n++ {
				if err := put(tx, was(n), is(n)); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	none := func(int) record.Listed { return record.Listed{} }
	write(0, count, none, item)
	var items []record.Listed
	for n := range count {
		items = append(items, item(n))
	}
	renamed := func(n int) record.Listed {
		i := item(n)
		i.Slug, i.UpdatedAt = "renamed", time.UnixMilli(count)
		return i
	}
	for name, tt := range map[string]struct {
		list   listing.List
		bucket int // items that one has at most, likely
	}{
		"Themes": {themes(listing.NewCache()), 2 * count / storage.Buckets}, "Variants": {variants(listing.NewCache()), count},
	} {
		read := func(q listing.Query) (w listing.Window, keys int) {
			t.Helper()
			q.Size = 50
			err := l.store.View(t.Context(), func(r storage.Reader) (err error) {
				c := &counted{Reader: r}
				w, err = tt.list.Page(c, q)
				keys = c.keys
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return w, keys
		}
		if _, keys := read(listing.Query{Number: 1, ByTime: true}); keys > count+storage.Buckets+2 {
			t.Errorf("the first page of %s by time reads %d keys, want %d entries and %d revisions", name, keys, count, storage.Buckets+1)
		}
		for what, q := range map[string]listing.Query{
			"rare":        {Number: 1, Filter: listing.Filter{Text: "-00077"}, Totals: true},
			"none":        {Number: 1, Filter: listing.Filter{Text: "nothing"}},
			"all":         {Number: 100, Filter: listing.Filter{Text: "item"}, Totals: true},
			"many":        {Number: 2, Filter: listing.Filter{Text: "-0"}},
			"late":        {Number: 1, Filter: listing.Filter{Text: "slug-09"}},
			"label":       {Number: 1, Filter: listing.Filter{Labels: []listing.Label{{Key: "a", Value: "b"}}}},
			"unpublished": {Number: 1, Filter: listing.Filter{Unpublished: new(true)}},
			"by time":     {Number: 100, ByTime: true, Totals: true},
		} {
			q.Size = 50
			want := listing.Choose(items, q)
			w, keys := read(q)
			if keys > 1 || !slices.Equal(w.IDs, want.IDs) || w.Next != want.Next || q.Totals && w.Total != want.Total {
				t.Errorf("a page of %s (%s) reads %d keys and is %+v, want 1 and %+v", name, what, keys, w, want)
			}
		}
		write(5, 6, item, renamed)
		w, keys := read(listing.Query{Number: 1, Filter: listing.Filter{Text: "renamed"}})
		if most := 1 + storage.Buckets + tt.bucket; len(w.IDs) != 1 || keys > most {
			t.Errorf("a page of %s after a change finds %q and reads %d keys, want one item and at most %d keys", name, w.IDs, keys, most)
		}
		write(5, 6, renamed, item)
	}
}

// A label that is spelled as the stored form of two is neither.
func TestALabelThatIsNoTextIsNone(t *testing.T) {
	l := open(t)
	is := record.Listed{ID: "thm_1", Slug: "slug", DisplayName: "Name", Metadata: map[string]string{"a": "b", "c": "d"}}
	if err := l.commit(func(tx storage.Tx) error { return put(tx, record.Listed{}, is) }); err != nil {
		t.Fatal(err)
	}
	for label, want := range map[listing.Label]int{{Key: "a", Value: "b"}: 1, {Key: "c", Value: "d"}: 1, {Key: "a", Value: "b\xff\xffc\xfed"}: 0, {Key: "b", Value: "a"}: 0} {
		err := l.store.View(t.Context(), func(r storage.Reader) error {
			w, err := themes(listing.NewCache()).Page(r, listing.Query{Number: 1, Size: 10, Filter: listing.Filter{Labels: []listing.Label{label}}})
			if len(w.IDs) != want {
				t.Errorf("%q finds %q, want %d items", label, w.IDs, want)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
