// Package events reads the events of an Environment from the store, as a list and as a stream of server-sent events. Who
// may see them is for the caller to say, and they are written by the commits that they tell of.
package events

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// How long events are kept, whichever ends first.
const (
	KeepFor  = 30 * 24 * time.Hour
	KeepMost = 200_000 // of an Environment
)

// The kinds of events.
const (
	ThemeCreated     = "theme.created"
	ThemeChanged     = "theme.changed"
	ThemeDeleted     = "theme.deleted"
	ThemeDrafted     = "theme.drafted"
	ThemeDiscarded   = "theme.discarded"
	ThemePublished   = "theme.published"
	VariantCreated   = "variant.created"
	VariantChanged   = "variant.changed"
	VariantDeleted   = "variant.deleted"
	VariantDrafted   = "variant.drafted"
	VariantDiscarded = "variant.discarded"
	VariantPublished = "variant.published"

	// Of a commit over more than MostListed Variants, in place of an event for each.
	VariantsDiscarded = "variants.discarded"
	VariantsPublished = "variants.published"

	WebhookPing = "webhook.ping" // a test of a webhook, which is sent to that one alone and is not in the log of events
)

// Kinds returns the kinds of the events in the log.
func Kinds() []string {
	return []string{
		ThemeCreated, ThemeChanged, ThemeDeleted, ThemeDrafted, ThemeDiscarded, ThemePublished,
		VariantCreated, VariantChanged, VariantDeleted, VariantDrafted, VariantDiscarded, VariantPublished,
		VariantsDiscarded, VariantsPublished,
	}
}

// MostListed is how many Variants an event lists.
const MostListed = 20

// Joined returns one event of a kind in place of those that a commit has for each Variant, if they are more than MostListed.
func Joined(kind string, all []record.Event) []record.Event {
	if len(all) <= MostListed {
		return all
	}
	joined := all[0]
	joined.Kind, joined.VariantID, joined.Count = kind, "", len(all)
	for _, e := range all[:MostListed] {
		joined.Variants = append(joined.Variants, e.VariantID)
	}
	return []record.Event{joined}
}

// Body is an event as the API shows it.
type Body struct {
	ID          string    `json:"id"`
	At          time.Time `json:"at"`
	By          *string   `json:"by"` // null if the reader is not told
	Kind        string    `json:"kind"`
	Environment string    `json:"environment"`
	Theme       *string   `json:"theme"`   // null of a test of a webhook
	Variant     *string   `json:"variant"` // null if it is about the Theme itself
	Version     *uint32   `json:"version"` // that was published; null if none was
	Note        *string   `json:"note"`    // of the version; null without one
	ETag        *string   `json:"etag"`    // of the draft that was made; null if none was
	Count       int       `json:"count,omitzero"`
	Variants    []string  `json:"variants,omitzero"` // the first of Count
}

// BodyOf returns an event of an Environment as the API shows it, with who made the change if the reader is told that.
func BodyOf(environment string, e record.Event, identities bool) Body {
	b := Body{ID: IDOf(e), At: e.At.UTC(), Kind: e.Kind, Environment: environment, Count: e.Count, Variants: e.Variants}
	if identities {
		b.By = &e.By
	}
	if e.ThemeID != "" {
		b.Theme = &e.ThemeID
	}
	if e.VariantID != "" {
		b.Variant = &e.VariantID
	}
	if e.Version != 0 {
		b.Version = &e.Version
	}
	if e.Note != "" {
		b.Note = &e.Note
	}
	if e.ETag != "" {
		b.ETag = &e.ETag
	}
	return b
}

const idPrefix = "evt_"

// IDOf returns the id of an event, which is the cursor after it too.
func IDOf(e record.Event) string { return Cursor{e.Number, e.Tag}.String() }

// ErrCursor says that a text is not the id of an event.
var ErrCursor = errors.New("is not the id of an event")

// Cursor is a place among the events of an Environment: after the event that it names. The zero Cursor is before the first.
type Cursor struct {
	number uint32
	tag    string
}

// String returns the id of the event that the place is after; that of the zero Cursor is the id of no event.
func (c Cursor) String() string { return idPrefix + storage.Number(c.number) + "_" + c.tag }

// ParseCursor reads what String returned; the empty text is the zero Cursor.
func ParseCursor(s string) (Cursor, error) {
	if s == "" {
		return Cursor{}, nil
	}
	rest, isEvent := strings.CutPrefix(s, idPrefix)
	digits, tag, found := strings.Cut(rest, "_")
	number, err := strconv.ParseUint(digits, 10, 32)
	if !isEvent || !found || err != nil || len(digits) != 10 || number == 0 && tag != "" {
		return Cursor{}, ErrCursor
	}
	return Cursor{uint32(number), tag}, nil
}

// Page is some events in their order.
type Page struct {
	Items  []Body
	Next   string // id of the last event if others follow, else empty
	Missed bool   // events after the cursor are not kept any more, or the cursor is of another history
}

// add adds an event unless the page has limit already, and reports whether it was added. If not, another page follows.
func (p *Page) add(b Body, limit int) bool {
	if len(p.Items) == limit {
		p.Next = p.Items[limit-1].ID
		return false
	}
	p.Items = append(p.Items, b)
	return true
}

// End returns the place after the newest event.
func End(r storage.Reader, environment string) (Cursor, error) {
	number, err := Last(r, environment)
	if err != nil || number == 0 {
		return Cursor{}, err
	}
	last, err := storage.Optional(storage.Events.Read(r, environment, storage.Number(number))) // it may be so old that it is not kept
	return Cursor{number, last.Tag}, err
}

// Last returns the number of the newest event of an Environment; 0 if there never was one.
func Last(r storage.Reader, environment string) (uint32, error) {
	end, err := storage.Optional(storage.EventEnds.Read(r, environment))
	return end.Last, err
}

// Read returns the events after a place, at most limit, and the place after them. A place that cannot be continued is
// continued with the oldest event that is kept. identities is as BodyOf takes it.
func Read(r storage.Reader, environment string, after Cursor, limit int, identities bool, now time.Time) (p Page, next Cursor, err error) {
	p.Items = []Body{}
	end, err := storage.Optional(storage.EventEnds.Read(r, environment))
	if err != nil {
		return p, after, err
	}
	known, err := continues(r, environment, after, end)
	if err != nil {
		return p, after, err
	}
	next, first := after, true
	if !known {
		next, p.Missed = Cursor{}, true
	}
	err = storage.Events.ScanBetween(r, storage.Ascending, storage.Number(max(next.number, end.Dropped)), "", func(_ []byte, e record.Event) bool {
		if end.Last-e.Number >= KeepMost || e.At.Before(now.Add(-KeepFor)) {
			return true // it is about to be dropped
		}
		if first && after.number != 0 && e.Number != next.number+1 {
			p.Missed = true
		}
		first = false
		if !p.add(BodyOf(environment, e, identities), limit) {
			return false
		}
		next = Cursor{e.Number, e.Tag}
		return true
	}, environment)
	return p, next, err
}

// ReadBack returns the events before a place, newest first, at most limit; the zero Cursor is after the newest. A place that
// cannot be continued is continued with the newest event. identities is as BodyOf takes it.
func ReadBack(r storage.Reader, environment string, before Cursor, limit int, identities bool, now time.Time) (Page, error) {
	p := Page{Items: []Body{}}
	end, err := storage.Optional(storage.EventEnds.Read(r, environment))
	if err != nil || end.Last == 0 {
		return p, err
	}
	known, err := continues(r, environment, before, end)
	if err != nil {
		return p, err
	}
	if p.Missed = !known; p.Missed || before.number == 0 {
		before.number = end.Last + 1
	}
	err = storage.Events.ScanBetween(r, storage.Descending, storage.Number(end.Dropped), storage.Number(before.number), func(_ []byte, e record.Event) bool {
		if end.Last-e.Number >= KeepMost || e.At.Before(now.Add(-KeepFor)) {
			return false // it and those before are about to be dropped
		}
		return p.add(BodyOf(environment, e, identities), limit)
	}, environment)
	return p, err
}

// continues reports whether the events after a place are those that the reader of the place lacks.
func continues(r storage.Reader, environment string, after Cursor, end record.EventEnd) (bool, error) {
	if after.number == 0 {
		return true, nil
	}
	e, err := storage.Events.Read(r, environment, storage.Number(after.number))
	if errors.Is(err, storage.ErrNotFound) {
		return after.number <= end.Last, nil // it was dropped, and what follows may be there
	}
	return err == nil && e.Tag == after.tag, err
}
