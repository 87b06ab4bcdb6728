// Package listing finds the items on one page of a list: by the page's number, or after the last item of the page
// before. It reads keys, and records only as far as an order or a filter needs them. It decides nothing about who
// may see a list.
package listing

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/livery/storage/record"
)

// Query is the page that a request asks for.
type Query struct {
	ByTime     bool // ordered by updatedAt, and by id among equals; else by slug
	Descending bool
	Number     int    // of the page, from 1; not looked at if After is given
	Size       int    // items on a page, at least 1
	After      *Place // the page begins after this place; nil: it is the one of Number
	Totals     bool   // Window.Total is wanted
	Filter     Filter
}

// Filter says which items a list holds. The zero Filter lets every item in.
type Filter struct {
	Slug        *string // exactly this slug
	Text        string  // a part of slug or display name, whatever the case; empty means any
	Unpublished *bool   // whether there is a draft
	Labels      []Label // all of them
}

// Label is a label that an item must have, with exactly this value.
type Label struct{ Key, Value string }

// isEmpty reports whether every item passes.
func (f Filter) isEmpty() bool {
	return f.Slug == nil && f.Text == "" && f.Unpublished == nil && len(f.Labels) == 0
}

// onlySlug reports whether the filter names a slug and nothing else.
func (f Filter) onlySlug() bool {
	slug := f.Slug
	f.Slug = nil
	return slug != nil && f.isEmpty()
}

// allows reports whether an item passes.
func (f Filter) allows(i record.Listed) bool {
	text := strings.ToLower(f.Text)
	return (f.Slug == nil || *f.Slug == i.Slug) &&
		(f.Unpublished == nil || *f.Unpublished == (i.DraftETag != "")) &&
		(text == "" || strings.Contains(strings.ToLower(i.Slug), text) || strings.Contains(strings.ToLower(i.DisplayName), text)) &&
		!slices.ContainsFunc(f.Labels, func(l Label) bool {
			value, labelled := i.Metadata[l.Key]
			return !labelled || value != l.Value
		})
}

// Place is where an item stands in a list. It is right after the item is deleted too.
type Place struct {
	byTime bool
	key    string // the item's slug, or its updatedAt in nanoseconds and 20 digits
	id     string
}

// Orders are the words for the orders of a list, as a cursor spells them.
const (
	ordersBySlug = 's'
	ordersByTime = 'u'
)

// ErrPlace says that a text is not a cursor of a list in this order.
var ErrPlace = errors.New("is not the next of a list in this order")

// String returns the place as an opaque cursor.
func (p Place) String() string {
	order := byte(ordersBySlug)
	if p.byTime {
		order = ordersByTime
	}
	return base64.RawURLEncoding.EncodeToString([]byte(string(order) + p.key + "\x00" + p.id))
}

// ParsePlace reads what String wrote of a list in this order, or returns ErrPlace. The empty text is before the first
// item.
func ParsePlace(s string, byTime, descending bool) (Place, error) {
	if s == "" {
		return firstPlace(byTime, descending), nil
	}
	text, err := base64.RawURLEncoding.DecodeString(s)
	key, id, found := strings.Cut(string(text), "\x00")
	if err != nil || !found || key == "" || (key[0] == ordersByTime) != byTime || (key[0] == ordersBySlug) == byTime {
		return Place{}, ErrPlace
	}
	return Place{byTime, key[1:], id}, nil
}

// firstPlace is before every item; no slug, time or id reaches its key if the list descends.
func firstPlace(byTime, descending bool) Place {
	if descending {
		return Place{byTime: byTime, key: "\xff"}
	}
	return Place{byTime: byTime}
}

// placeOf returns where an item stands.
func (q Query) placeOf(i record.Listed) Place {
	if q.ByTime {
		return Place{true, fmt.Sprintf("%020d", i.UpdatedAt.UnixNano()), i.ID}
	}
	return Place{false, i.Slug, i.ID}
}

// CursorAfter returns the cursor of the page that begins after an item.
func (q Query) CursorAfter(i record.Listed) string { return q.placeOf(i).String() }

func (q Query) compare(a, b Place) int {
	order := cmp.Or(strings.Compare(a.key, b.key), strings.Compare(a.id, b.id))
	if q.Descending {
		return -order
	}
	return order
}
