package origin_test

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"example.com/livery/internal/test/race"
	"example.com/livery/origin"
	"example.com/livery/origin/operator"
	"example.com/livery/origin/theming"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// readsStore counts what views read.
type readsStore struct {
	storage.Store
	gets, scanned atomic.Int64
}

func (s *readsStore) View(ctx context.Context, fn func(storage.Reader) error) error {
	return s.Store.View(ctx, func(r storage.Reader) error { return fn(countedReads{r, s}) })
}

// countedReads is a snapshot of a readsStore.
type countedReads struct {
	storage.Reader
	of *readsStore
}

func (r countedReads) Get(key []byte) ([]byte, error) {
	r.of.gets.Add(1)
	return r.Reader.Get(key)
}

func (r countedReads) Scan(prefix []byte, order storage.Order, each func(key, value []byte) bool) error {
	return r.Reader.Scan(prefix, order, r.counting(each))
}

func (r countedReads) ScanRange(start, end []byte, order storage.Order, each func(key, value []byte) bool) error {
	return r.Reader.ScanRange(start, end, order, r.counting(each))
}

func (r countedReads) counting(each func(key, value []byte) bool) func(key, value []byte) bool {
	return func(key, value []byte) bool {
		r.of.scanned.Add(1)
		return each(key, value)
	}
}

// manyThemes leaves Themes in a store and returns the slugs in order.
func manyThemes(t *testing.T, store storage.Store, environment string, count int) (slugs []string) {
	t.Helper()
	_, err := store.Update(context.Background(), environment, func(tx storage.Tx) (record.Change, error) {
		slugs = nil
		for n := range count {
			slug := fmt.Sprintf("theme-%05d", n)
			id := operator.NewID("thm_", time.Unix(int64(n), 0))
			theme, err := theming.NewTheme(id, environment, theming.ThemeInput{
				Slug: &slug, DisplayName: &slug, Integration: &record.Integration{Framework: "react", Library: "plainCSS"},
			}, time.Unix(int64(n), 0))
			if err != nil {
				return record.Change{}, err
			}
			if err := storage.Themes.Write(tx, theme, environment, id); err != nil {
				return record.Change{}, err
			}
			slugs = append(slugs, slug)
		}
		return record.Change{}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return slugs
}

// wantPages reads a list page by page, there and back.
func (h *testOrigin) wantPages(slugs []string, size int) {
	h.t.Helper()
	for _, order := range []string{"ascending", "descending"} {
		for number := 1; (number-2)*size < len(slugs); number++ {
			body := h.want(200, "GET", fmt.Sprintf("/environments/%s/themes?includeTotals=true&orderDir=%s&pageSize=%d&pageNumber=%d", h.sandbox, order, size, number), "").object(h.t)
			var got []string
			for _, item := range body["items"].([]any) {
				got = append(got, item.(map[string]any)["slug"].(string))
			}
			want := slugs[min((number-1)*size, len(slugs)):min(number*size, len(slugs))]
			if !slices.Equal(got, want) || body["totalCount"] != float64(len(slugs)) {
				h.t.Fatalf("page %d, %s, of %v slugs = %q, want %d: %q", number, order, body["totalCount"], got, len(slugs), want)
			}
		}
		slices.Reverse(slugs)
	}
}

// The last page of a long list reads as many records as the first and the sparse index, walks over a part of one block more,
// and allocates as much.
func TestTheLastPageCostsWhatTheFirstCosts(t *testing.T) {
	race.Skip(t)
	reads := &readsStore{}
	h := newTestOrigin(t, func(c *origin.Config) { reads.Store, c.Store = c.Store, reads })
	slugs := manyThemes(t, h.store, h.sandbox, 5000)
	h.wantPages(slugs, 333)
	cost := func(query string) (gets, scanned int64, allocations float64) {
		get := func() { h.want(200, "GET", "/environments/"+h.sandbox+"/themes?pageSize=50&"+query, "") }
		reads.gets.Store(0)
		reads.scanned.Store(0)
		get()
		gets, scanned = reads.gets.Load(), reads.scanned.Load()
		return gets, scanned, testing.AllocsPerRun(20, get)
	}
	gets, scanned, allocations := cost("pageNumber=1")
	for _, query := range []string{"pageNumber=100", "pageNumber=100&includeTotals=true", "pageNumber=57&orderDir=descending", "pageNumber=1&includeTotals=true"} {
		g, s, a := cost(query)
		if g > gets+1 || s > scanned+512 || a > 1.3*allocations {
			t.Errorf("%s reads %d records, walks over %d keys and makes %.0f allocations; the first page %d, %d and %.0f", query, g, s, a, gets, scanned, allocations)
		}
	}
}

// A start reads as much with many Themes as with none, and of signed Themes only those that another master key sealed.
func TestAStartReadsNoThemes(t *testing.T) {
	race.Skip(t)
	reads := &readsStore{}
	h := newTestOrigin(t, func(c *origin.Config) { reads.Store, c.Store = c.Store, reads })
	restart := func() (read int64) {
		h.end()
		reads.gets.Store(0)
		reads.scanned.Store(0)
		h.start(h.config)
		if err := h.origin.Ready(); err != nil {
			t.Fatal(err)
		}
		return reads.gets.Load() + reads.scanned.Load()
	}
	restart()
	few := restart()
	manyThemes(t, h.store, h.sandbox, 3000)
	if many := restart(); many > few+10 {
		t.Errorf("a start with 3,000 Themes reads %d records and keys, and %d without", many, few)
	}
	master := testMaster(t)
	_, err := h.store.Update(context.Background(), h.sandbox, func(tx storage.Tx) (record.Change, error) {
		for n := range 300 {
			theme := record.Theme{ID: fmt.Sprint("thm_", n), EnvironmentID: h.sandbox, Slug: fmt.Sprint("signed-", n), Serving: record.Serving{Mode: "signed"}}
			theme.Serving.SigningKeys = []record.SigningKey{master.SealKey(theme.ID, record.SigningKey{ID: "key_1", Secret: []byte("secret")})}
			if err := storage.Themes.Write(tx, theme, h.sandbox, theme.ID); err != nil {
				return record.Change{}, err
			}
		}
		return record.Change{}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if many := restart(); many > few+10 {
		t.Errorf("a start with 300 signed Themes reads %d records and keys, and %d without", many, few)
	}
}

func environmentsOf(t *testing.T, store storage.Store) (ids []string) {
	t.Helper()
	err := store.View(context.Background(), func(r storage.Reader) error {
		return storage.Environments.Scan(r, storage.Ascending, func(_ []byte, e record.Environment) bool {
			ids = append(ids, e.ID)
			return true
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids
}
