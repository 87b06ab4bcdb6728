package listing

import (
	"bytes"
	"errors"
	"slices"
	"strings"

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
	Entries bool                         // the index has entries, by slug and by time, and a sparse index
	Records storage.Table[record.Listed] // what an order by time or a filter reads, unless there are entries
	Parts   []string                     // of the index and of the table, before slug and id
}

// Page finds a page. In the order of slugs and without a filter it reads keys alone: with a sparse index those of the page and of a part
// of one block, after a place those of the page, and otherwise those before the page too. An order by time and a filter read the entries before the end of the page, with totals those of the whole list; a list
// without entries is read whole.
func (l List) Page(r storage.Reader, q Query) (Window, error) {
	switch {
	case q.After == nil && !q.ByTime && q.Filter.onlySlug():
		return l.exact(r, q)
	case q.ByTime || !q.Filter.isEmpty():
		if l.Entries {
			return l.scan(r, q)
		}
		return l.search(r, q)
	case q.After != nil:
		return l.after(r, q)
	}
	if l.Entries {
		if w, err := l.seek(r, q); !errors.Is(err, storage.ErrNotFound) {
			return w, err
		}
	}
	return l.walk(r, q)
}

// exact finds the one entry of a slug. A slug with a zero byte is not valid, and must not become part of a key.
func (l List) exact(r storage.Reader, q Query) (Window, error) {
	if strings.IndexByte(*q.Filter.Slug, 0) >= 0 {
		return Window{}, nil
	}
	id, err := l.Index.Read(r, *q.Filter.Slug, l.Parts...)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return Window{}, nil
	case err != nil:
		return Window{}, err
	case q.Number > 1:
		return Window{Total: 1}, nil
	}
	return Window{IDs: []string{id}, Total: 1}, nil
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

// walk goes over the list from its beginning.
func (l List) walk(r storage.Reader, q Query) (Window, error) {
	skip, c := (q.Number-1)*q.Size, collector{query: q}
	total := 0
	err := l.Index.Scan(r, order(q), func(slug, id string) bool {
		total++
		wanted := total <= skip || c.w.Next != "" || c.add(slug, id)
		return q.Totals || wanted
	}, l.Parts...)
	c.w.Total = total
	return c.w, err
}

// seek is walk by a sparse index: storage.ErrNotFound if there is none.
func (l List) seek(r storage.Reader, q Query) (Window, error) {
	blocks, err := l.Index.Blocks(r, l.Parts...)
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

// after goes on after a place.
func (l List) after(r storage.Reader, q Query) (w Window, err error) {
	if q.Totals {
		first := q
		first.After, first.Number, first.Size = nil, 1, 1
		if w, err = l.Page(r, first); err != nil {
			return w, err
		}
	}
	c := collector{query: q}
	err = l.Index.ScanAfter(r, order(q), q.After.key, c.add, l.Parts...)
	c.w.Total = w.Total
	return c.w, err
}

// scan reads entries until the page is full, with totals all of them.
func (l List) scan(r storage.Reader, q Query) (Window, error) {
	counted := 0
	if q.Totals && q.Filter.isEmpty() { // the sparse index tells
		first, err := l.seek(r, Query{Number: 1, Size: 1})
		if err != nil && !errors.Is(err, storage.ErrNotFound) {
			return Window{}, err
		}
		counted, q.Totals = first.Total, false
	}
	c := collector{query: q}
	skip, text := (q.Number-1)*q.Size, []byte(strings.ToLower(q.Filter.Text))
	var from []string
	if q.After != nil {
		skip = 0
		if !q.Totals {
			from = q.After.keyParts()
		}
	}
	err := l.Index.ScanEntries(r, q.ByTime, order(q), from, func(slug string, e record.Entry) bool {
		if !q.Filter.allowsEntry(e, text) || q.Filter.Slug != nil && !l.isSlugOf(r, *q.Filter.Slug, e) {
			return true
		}
		c.w.Total++
		p := q.entryPlace(slug, e)
		wanted := c.w.Total <= skip || c.w.Next != "" || q.After != nil && q.compare(p, *q.After) <= 0 || c.addAt(p)
		return q.Totals || wanted
	}, l.Parts...)
	if counted > 0 {
		c.w.Total = counted
	}
	return c.w, err
}

// allowsEntry reports whether an entry passes; text is Filter.Text in lower case.
func (f Filter) allowsEntry(e record.Entry, text []byte) bool {
	return (f.Unpublished == nil || *f.Unpublished == e.Unpublished) && e.Contains(text) &&
		!slices.ContainsFunc(f.Labels, func(l Label) bool { return !e.HasLabel(l.Key, l.Value) })
}

// isSlugOf reports whether slug is that of an entry. Of an entry the text alone has the slug, in lower case.
func (l List) isSlugOf(r storage.Reader, slug string, e record.Entry) bool {
	if !bytes.HasPrefix(e.Text, append([]byte(strings.ToLower(slug)), 0)) {
		return false
	}
	id, err := l.Index.Read(r, slug, l.Parts...)
	return err == nil && id == string(e.ID)
}

// entryPlace returns where an entry stands.
func (q Query) entryPlace(slug string, e record.Entry) Place {
	if q.ByTime {
		return Place{true, storage.Nanoseconds(e.UpdatedAt), string(e.ID)}
	}
	return Place{false, slug, string(e.ID)}
}

// search reads every record of the list.
func (l List) search(r storage.Reader, q Query) (Window, error) {
	var found []record.Listed
	err := l.Records.Scan(r, storage.Ascending, func(_ []byte, i record.Listed) bool {
		found = append(found, i)
		return true
	}, l.Parts...)
	return Choose(found, q), err
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
