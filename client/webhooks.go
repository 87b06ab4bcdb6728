package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
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

func (w Webhooks) call(ctx context.Context, method string, body, out any, query url.Values, segments ...string) error {
	return w.client.call(ctx, request{method: method, path: append(w.path[:len(w.path):len(w.path)], segments...), query: query, body: body}, out)
}

// List returns all of them, the oldest first.
func (w Webhooks) List(ctx context.Context) (all []Webhook, err error) {
	pages := every(func(o ListOptions) (page Page[Webhook], err error) {
		err = w.call(ctx, http.MethodGet, nil, &page, o.query())
		return page, err
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
	var made struct{ Resource Webhook }
	err := w.call(ctx, http.MethodPost, of, &made, nil)
	return made.Resource, err
}

// Delete deletes a webhook. What was due is not sent any more.
func (w Webhooks) Delete(ctx context.Context, id string) error {
	return w.call(ctx, http.MethodDelete, nil, nil, nil, id)
}

// Rotate gives a webhook a new secret and returns it with that. The one before signs beside it for 24 hours.
func (w Webhooks) Rotate(ctx context.Context, id string) (Webhook, error) {
	var rotated Webhook
	err := w.call(ctx, http.MethodPost, nil, &rotated, nil, id, "rotate")
	return rotated, err
}

// Test makes a test of a webhook due, and returns its delivery.
func (w Webhooks) Test(ctx context.Context, id string) (Delivery, error) {
	var d Delivery
	err := w.call(ctx, http.MethodPost, nil, &d, nil, id, "test")
	return d, err
}

// Deliveries returns a page of what a webhook was sent, newest first.
func (w Webhooks) Deliveries(ctx context.Context, id string, o DeliveryOptions) (Page[Delivery], error) {
	var page Page[Delivery]
	query := url.Values{}
	for name, value := range map[string]string{"after": o.After, "state": o.State} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if o.PageSize != 0 {
		query.Set("pageSize", strconv.Itoa(o.PageSize))
	}
	err := w.call(ctx, http.MethodGet, nil, &page, query, id, "deliveries")
	return page, err
}

// Redeliver makes a delivery due once more.
func (w Webhooks) Redeliver(ctx context.Context, id, deliveryID string) (Delivery, error) {
	var d Delivery
	err := w.call(ctx, http.MethodPost, nil, &d, nil, id, "deliveries", deliveryID, "redeliver")
	return d, err
}
