// Package listing finds the items on one page of a list: by the page's number, or after the last item of the page
// before. It reads keys, and keeps in memory what orders and filters look at. It decides nothing about who may see a list.
package listing

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// Query is the page that a request asks for.
type Query struct {
	List       string // names the list among all lists; a cursor holds for this list, its order and its filter
	ByTime     bool   // ordered by updatedAt, and by id among equals; else by slug
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
	Labels      []Label // all of them, in any order
}

// Label is a label that an item must have, with exactly this value.
type Label struct{ Key, Value string }

// isEmpty reports whether every item passes.
func (f Filter) isEmpty() bool {
	return f.Slug == nil && f.Text == "" && f.Unpublished == nil && len(f.Labels) == 0
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

// ErrPlace says that a text is not a cursor of a query.
var ErrPlace = errors.New("is not the next of this list with this order and these filters; send it as it was answered")

// sumBytes is how many bytes of the digest of its query a cursor begins with.
const sumBytes = 8

// cursor returns a place as an opaque cursor, which only a query of the same list, order and filter takes.
func (q Query) cursor(p Place) string {
	return base64.RawURLEncoding.EncodeToString(append(q.sum(p), p.key+"\x00"+p.id...))
}

// sum returns the beginning of a digest of all that a cursor depends on.
func (q Query) sum(p Place) []byte {
	labels := slices.SortedFunc(slices.Values(q.Filter.Labels), func(a, b Label) int {
		return cmp.Or(strings.Compare(a.Key, b.Key), strings.Compare(a.Value, b.Value))
	})
	h := sha256.New()
	fmt.Fprintf(h, "%q %t %t %q %q %q %q %q", q.List, q.ByTime, q.Descending, word(q.Filter.Slug), q.Filter.Text, word(q.Filter.Unpublished), labels, []string{p.key, p.id})
	return h.Sum(nil)[:sumBytes]
}

// word spells an optional value.
func word[T any](v *T) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint("=", *v)
}

// ParseCursor reads what cursor wrote for the same query, or returns ErrPlace. The empty text is before the first item.
func (q Query) ParseCursor(s string) (Place, error) {
	if s == "" {
		return q.firstPlace(), nil
	}
	text, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil || len(text) < sumBytes {
		return Place{}, ErrPlace
	}
	key, id, _ := strings.Cut(string(text[sumBytes:]), "\x00")
	p := Place{q.ByTime, key, id}
	if !bytes.Equal(text[:sumBytes], q.sum(p)) {
		return Place{}, ErrPlace
	}
	return p, nil
}

// firstPlace is before every item; no slug, time or id reaches its key if the list descends.
func (q Query) firstPlace() Place {
	if q.Descending {
		return Place{byTime: q.ByTime, key: "\xff"}
	}
	return Place{byTime: q.ByTime}
}

// placeOf returns where an item stands.
func (q Query) placeOf(i record.Listed) Place {
	if q.ByTime {
		return Place{true, storage.Nanoseconds(i.UpdatedAt.UnixNano()), i.ID}
	}
	return Place{false, i.Slug, i.ID}
}

// CursorAfter returns the cursor of the page that begins after an item.
func (q Query) CursorAfter(i record.Listed) string { return q.cursor(q.placeOf(i)) }

// CursorAfterKey returns the cursor of the page that begins after the item with a key, of a list that has no slugs and one
// order.
func (q Query) CursorAfterKey(key string) string { return q.cursor(Place{key: key}) }

// AfterKey returns the key of the item that the page begins after, empty for the first page, of a list that has no slugs and
// one order.
func (q Query) AfterKey() string {
	if q.After == nil {
		return ""
	}
	return q.After.key
}

func (q Query) compare(a, b Place) int {
	order := cmp.Or(strings.Compare(a.key, b.key), strings.Compare(a.id, b.id))
	if q.Descending {
		return -order
	}
	return order
}
