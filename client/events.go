package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Event tells of one change to a Theme or a Variant.
type Event struct {
	ID          string    `json:"id"`
	At          time.Time `json:"at"`
	By          string    `json:"by"`   // subject of the token that made the change; empty if the caller is not told
	Kind        string    `json:"kind"` // such as theme.published
	Environment string    `json:"environment"`
	Theme       string    `json:"theme"`              // id
	Variant     *string   `json:"variant"`            // id; nil of an event of the Theme itself
	Version     *int      `json:"version"`            // that was published; nil if none was
	Note        *string   `json:"note"`               // of the version; nil without one
	ETag        *string   `json:"etag"`               // of the draft that was made; nil if none was
	Count       int       `json:"count,omitempty"`    // of the Variants, of variants.published and variants.discarded; else 0
	Variants    []string  `json:"variants,omitempty"` // ids of the first of them
}

// EventPage is one page of events, oldest first. Next is the id of its last event.
type EventPage struct {
	Page[Event]
	Missed bool `json:"missed"` // events after EventOptions.After are not kept any more
}

// EventOptions selects events.
type EventOptions struct {
	After string // id of an event; empty begins with the oldest that is kept
	Limit int    // 1 to 1000; 0 means 100
}

// ListEvents returns the events of an Environment after one of them. The contract of the service does not have it: another
// implementation of it may lack it.
func ListEvents(ctx context.Context, c *Client, environmentID string, o EventOptions) (EventPage, error) {
	var page EventPage
	query := url.Values{}
	if o.After != "" {
		query.Set("after", o.After)
	}
	if o.Limit != 0 {
		query.Set("limit", strconv.Itoa(o.Limit))
	}
	err := c.call(ctx, request{method: http.MethodGet, path: []string{"environments", environmentID, "events"}, query: query}, &page)
	return page, err
}
