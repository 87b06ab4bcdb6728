package listing

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// Window is a page of ids.
type Window struct {
	IDs   []string
	Total int    // of the whole list; right if the query asks for totals
	Next  string // the cursor of the page after this one; empty if it is the last
}

// List is a list in the store.
type List struct {
	Index   storage.Index
	Entries storage.Entries
	Records storage.Table[record.Listed]
	Parts   []string // of all three, before slug and id
	Cache   *Cache
	Refresh bool // what is in Cache may be brought up to date, which takes a while if it is not there at all
}

// Page finds a page. In the order of slugs and without a filter the first page, and one after a place, read their own keys
// alone, and with a sparse index any page and totals do but for a part of one block. All else is found in the catalog of the
// list, which is in memory; without Refresh it is ErrStale if something was written since it was used last.
func (l List) Page(r storage.Reader, q Query) (Window, error) {
	switch {
	case q.Filter.Slug != nil:
		return l.exact(r, q)
	case q.ByTime || !q.Filter.isEmpty():
		return l.search(r, q)
	case q.After != nil || q.Number == 1 && !q.Totals:
		return l.after(r, q)
	}
	return l.seek(r, q)
}

// exact finds the one item of a slug. A slug with a zero byte is not valid, and must not become part of a key.
func (l List) exact(r storage.Reader, q Query) (Window, error) {
	if strings.IndexByte(*q.Filter.Slug, 0) >= 0 {
		return Window{}, nil
	}
	id, err := storage.Optional(l.Index.Read(r, *q.Filter.Slug, l.Parts...))
	if err != nil || id == "" {
		return Window{}, err
	}
	item, err := l.Records.Read(r, append(slices.Clip(l.Parts), id)...)
	return Choose([]record.Listed{item}, q), err
}

// collector takes the entries of a page in turn, and one more, which says that there is a next page.
type collector struct {
	query Query
	w     Window
	last  Place // of the last entry taken
}

// add takes an entry and reports whether the page lacks another.
func (c *collector) add(slug, id string) (more bool) { return c.addAt(Place{false, slug, id}) }

// addAt takes the entry at p and reports whether the page lacks another.
func (c *collector) addAt(p Place) (more bool) {
	if len(c.w.IDs) == c.query.Size {
		c.w.Next = c.query.cursor(c.last)
		return false
	}
	c.w.IDs = append(c.w.IDs, p.id)
	c.last = p
	return true
}

// seek finds a page and totals by the sparse index, in the catalog if there is none.
func (l List) seek(r storage.Reader, q Query) (Window, error) {
	blocks, err := l.Index.Blocks(r, l.Parts...)
	if errors.Is(err, storage.ErrNotFound) {
		return l.search(r, q)
	}
	if err != nil {
		return Window{}, err
	}
	c := collector{query: q}
	for _, b := range blocks.Blocks {
		c.w.Total += b.Count
	}
	err = l.Index.ScanFrom(r, blocks, order(q), (q.Number-1)*q.Size, c.add, l.Parts...)
	return c.w, err
}

// after goes on after a place, or at the beginning.
func (l List) after(r storage.Reader, q Query) (w Window, err error) {
	if q.Totals {
		first := q
		first.After, first.Number, first.Size = nil, 1, 1
		if w, err = l.seek(r, first); err != nil {
			return w, err
		}
	}
	place := q.firstPlace()
	if q.After != nil {
		place = *q.After
	}
	c := collector{query: q}
	err = l.Index.ScanAfter(r, order(q), place.key, c.add, l.Parts...)
	c.w.Total = w.Total
	return c.w, err
}

// search finds a page in the catalog. No item has a label that is not UTF-8, whose form may be that of two labels.
func (l List) search(r storage.Reader, q Query) (Window, error) {
	if slices.ContainsFunc(q.Filter.Labels, func(o Label) bool { return !utf8.ValidString(o.Key) || !utf8.ValidString(o.Value) }) {
		return Window{}, nil
	}
	c, err := l.Cache.read(r, l.Entries, l.Parts, l.Refresh)
	if err != nil {
		return Window{}, err
	}
	return c.page(q), nil
}

// Choose finds a page among items in any order.
func Choose(items []record.Listed, q Query) (w Window) {
	var places []Place
	for _, i := range items {
		if q.Filter.allows(i) {
			places = append(places, q.placeOf(i))
		}
	}
	slices.SortFunc(places, q.compare)
	w.Total = len(places)
	start := min((q.Number-1)*q.Size, len(places))
	if q.After != nil {
		var stands bool
		if start, stands = slices.BinarySearchFunc(places, *q.After, q.compare); stands {
			start++
		}
	}
	end := min(start+q.Size, len(places))
	for _, p := range places[start:end] {
		w.IDs = append(w.IDs, p.id)
	}
	if end < len(places) && end > start {
		w.Next = q.cursor(places[end-1])
	}
	return w
}

func order(q Query) storage.Order { return storage.Order(q.Descending) }
