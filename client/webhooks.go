package client

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"
)

// Webhook is an address that is sent the events of an Environment.
type Webhook struct {
	ID          string     `json:"id"`
	URL         string     `json:"url"`
	Kinds       []string   `json:"kinds"`  // of the events that are sent; empty means all that the format is for
	Format      string     `json:"format"` // event, events, purge or chat
	Description string     `json:"description"`
	Identities  bool       `json:"identities"` // its events say who made the change
	CreatedAt   time.Time  `json:"createdAt"`
	RotatedAt   *time.Time `json:"rotatedAt"`        // when its secret took the place of another; nil if it is the first
	EndedAt     *time.Time `json:"endedAt"`          // when the receiver answered 410; nil if it did not
	LateThemes  []string   `json:"lateThemes"`       // ids of the Themes with an event that it did not take yet
	Secret      string     `json:"secret,omitempty"` // of CreateWebhook and RotateWebhook alone
}

// NewWebhook is what a Webhook is made of.
type NewWebhook struct {
	URL         string   `json:"url"`
	Kinds       []string `json:"kinds,omitempty"`  // empty means all that the format is for
	Format      string   `json:"format,omitempty"` // empty means event
	Description string   `json:"description,omitempty"`
	Identities  bool     `json:"identities,omitempty"` // say who made the change
}

// Delivery is one event for one Webhook.
type Delivery struct {
	ID            string     `json:"id"`
	Event         *Event     `json:"event"` // nil if it stands for events that were not sent
	State         string     `json:"state"` // waiting, delivered, retrying, dead or missed
	Attempts      int        `json:"attempts"`
	CreatedAt     time.Time  `json:"createdAt"`
	LastAttemptAt *time.Time `json:"lastAttemptAt"` // nil before the first
	NextAttemptAt *time.Time `json:"nextAttemptAt"` // nil if there is none
	Status        *int       `json:"status"`        // of the last answer; nil if there was none
	Result        *string    `json:"result"`        // what came of the last attempt
	Milliseconds  *int       `json:"milliseconds"`  // that the last attempt took
}

// DeliveryOptions selects deliveries.
type DeliveryOptions struct {
	After    string // Page.Next of the page before, with the same State; empty begins with the newest
	State    string // empty means any
	PageSize int    // 1 to 1000; 0 means 100
}

// Webhooks are those of one Environment. The contract of the service does not have them: another implementation of it may
// lack them.
type Webhooks struct {
	client *Client
	path   []string
}

// WebhooksOf returns the webhooks of an Environment. It requests nothing yet.
func WebhooksOf(c *Client, environmentID string) Webhooks {
	return Webhooks{c, []string{"environments", environmentID, "webhooks"}}
}

// callWebhooks sends a request below those of an Environment.
func callWebhooks[T any](ctx context.Context, w Webhooks, method string, body any, query url.Values, below ...string) (T, error) {
	return fetch[T](ctx, w.client, request{method: method, path: slices.Concat(w.path, below), query: query, body: body})
}

// List returns all of them, the oldest first.
func (w Webhooks) List(ctx context.Context) (all []Webhook, err error) {
	pages := every(func(o ListOptions) (Page[Webhook], error) {
		return callWebhooks[Page[Webhook]](ctx, w, http.MethodGet, nil, o.query())
	})
	for webhook, err := range pages {
		if err != nil {
			return nil, err
		}
		all = append(all, webhook)
	}
	return all, nil
}

// Create makes a webhook and returns it with its secret, which no other answer has.
func (w Webhooks) Create(ctx context.Context, of NewWebhook) (Webhook, error) {
	made, err := callWebhooks[resource[Webhook]](ctx, w, http.MethodPost, of, nil)
	return made.Resource, err
}

// Delete deletes a webhook. What was due is not sent any more.
func (w Webhooks) Delete(ctx context.Context, id string) error {
	return w.client.call(ctx, request{method: http.MethodDelete, path: slices.Concat(w.path, []string{id})}, nil)
}

// Rotate gives a webhook a new secret and returns it with that. The one before signs beside it for 24 hours.
func (w Webhooks) Rotate(ctx context.Context, id string) (Webhook, error) {
	return callWebhooks[Webhook](ctx, w, http.MethodPost, nil, nil, id, "rotate")
}

// Test makes a test of a webhook due, and returns its delivery.
func (w Webhooks) Test(ctx context.Context, id string) (Delivery, error) {
	return callWebhooks[Delivery](ctx, w, http.MethodPost, nil, nil, id, "test")
}

// Deliveries returns a page of what a webhook was sent, newest first.
func (w Webhooks) Deliveries(ctx context.Context, id string, o DeliveryOptions) (Page[Delivery], error) {
	query := queryOf("after", o.After, "state", o.State, "pageSize", o.PageSize)
	return callWebhooks[Page[Delivery]](ctx, w, http.MethodGet, nil, query, id, "deliveries")
}

// Redeliver makes a delivery due once more.
func (w Webhooks) Redeliver(ctx context.Context, id, deliveryID string) (Delivery, error) {
	return callWebhooks[Delivery](ctx, w, http.MethodPost, nil, nil, id, "deliveries", deliveryID, "redeliver")
}

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
	query := queryOf("after", o.After, "limit", o.Limit)
	return get[EventPage](ctx, c, []string{"environments", environmentID, "events"}, query)
}
