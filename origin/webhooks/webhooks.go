// Package webhooks sends the events of an Environment to the addresses that its admins name, by the Standard Webhooks
// convention: signed, at least once, and in order for each Theme. It reads the log of events and keeps how far each webhook
// is in the store, so that a crash neither loses nor invents a message. Who may change a webhook is for the caller to say.
package webhooks

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"example.com/livery/origin/auth"
	"example.com/livery/origin/events"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// The formats of bodies.
const (
	FormatEvent  = "event"  // the event, as the API shows it
	FormatEvents = "events" // some events of one Theme, in their order
	FormatPurge  = "purge"  // the surrogate keys of the files that changed
	FormatChat   = "chat"   // a sentence
)

// Formats returns the formats of bodies.
func Formats() []string { return []string{FormatEvent, FormatEvents, FormatPurge, FormatChat} }

// The bounds of webhooks.
const (
	MaxPerEnvironment = 20
	maxDescription    = 256            // characters
	maxQueue          = 100            // deliveries of a webhook that are due by hand at one time
	secretBytes       = 32             // of a signing secret
	signsOnFor        = 24 * time.Hour // how long a secret signs beside its successor
	secretPrefix      = "whsec_"
)

// Input is the body of a new webhook as it came.
type Input struct {
	URL, Format, Description string
	Kinds                    []string // none: all that the format is for
	Identities               bool     // say who made the change
}

// Faults lists what is wrong with the input. A name of a host is not resolved: it is looked at when it is connected to.
func (s *Sender) Faults(in Input) (faults []string) {
	if fault := s.CheckURL(in.URL); fault != "" {
		faults = append(faults, "url: "+fault)
	}
	for _, kind := range in.Kinds {
		if !slices.Contains(events.Kinds(), kind) {
			faults = append(faults, fmt.Sprintf("kinds: must be some of %s", strings.Join(events.Kinds(), ", ")))
			break
		}
	}
	if len(in.Kinds) > len(events.Kinds()) {
		faults = append(faults, "kinds: names a kind twice")
	}
	if !slices.Contains(Formats(), in.Format) {
		faults = append(faults, "format: must be one of "+strings.Join(Formats(), ", "))
	}
	if utf8.RuneCountInString(in.Description) > maxDescription || strings.ContainsFunc(in.Description, unicode.IsControl) {
		faults = append(faults, fmt.Sprintf("description: must have at most %d characters, none a control character", maxDescription))
	}
	return faults
}

// Create returns a webhook that is sent what happens after now, and its secret, which is stored sealed. m must not be nil.
func Create(r storage.Reader, m *auth.Master, id, environment string, in Input, now time.Time) (w record.Webhook, secret string, err error) {
	end, err := events.Last(r, environment)
	if err != nil {
		return w, "", err
	}
	w = record.Webhook{
		ID: id, EnvironmentID: environment, URL: in.URL, Kinds: append([]string{}, in.Kinds...), Format: in.Format, Description: in.Description,
		Identities: in.Identities, CreatedAt: now, Cursor: end,
	}
	secret = addSecret(&w, m, now)
	return w, secret, nil
}

// Rotate gives a webhook a new secret, and returns it. The one before signs beside it for a day; those before that no longer.
func Rotate(w record.Webhook, m *auth.Master, now time.Time) (rotated record.Webhook, secret string) {
	w.Secrets = slices.Clone(w.Secrets[:1])
	w.Secrets[0].RetiresAt = now.Add(signsOnFor)
	secret = addSecret(&w, m, now)
	return w, secret
}

// addSecret puts a new secret before those of the webhook.
func addSecret(w *record.Webhook, m *auth.Master, now time.Time) string {
	secret := make([]byte, secretBytes)
	_, _ = rand.Read(secret) // never fails
	w.Secrets = append([]record.WebhookSecret{{Secret: m.SealWebhook(w.ID, secret), CreatedAt: now}}, w.Secrets...)
	return secretPrefix + base64.StdEncoding.EncodeToString(secret)
}

// Due is a delivery that is due by hand, and its webhook.
type Due struct {
	Webhook  record.Webhook
	Delivery record.Delivery
	Now      time.Time
}

// Ping makes a test of the webhook due. tag is a random text. It reports false if too much is due by hand already.
func Ping(w record.Webhook, by, tag string, now time.Time) (Due, bool) {
	d := record.Delivery{
		Number: w.Last + 1, State: storage.DeliveryWaiting, CreatedAt: now, NextAt: now,
		Event: record.Event{Number: w.Last + 1, Tag: tag, At: now, By: by, Kind: events.WebhookPing},
	}
	w.Queue = append(slices.Clone(w.Queue), d.Number)
	return Due{w, d, now}, len(w.Queue) <= maxQueue
}

// Redeliver makes a delivery due once more: one that is retried at its own place in the order, any other beside it. It
// reports false if too much is due by hand already.
func Redeliver(w record.Webhook, d record.Delivery, now time.Time) (Due, bool) {
	d.NextAt = now
	if d.State == storage.DeliveryRetrying {
		w.Late = slices.Clone(w.Late)
		for i := range w.Late {
			if w.Late[i].Delivery == d.Number {
				w.Late[i].NextAt, w.PausedUntil = now, time.Time{}
			}
		}
	} else if !slices.Contains(w.Queue, d.Number) {
		d.State, w.Queue = storage.DeliveryWaiting, append(slices.Clone(w.Queue), d.Number)
	}
	return Due{w, d, now}, len(w.Queue) <= maxQueue
}

// Write writes both.
func (d Due) Write(tx storage.Tx) error {
	w := d.Webhook
	var err error
	if d.Delivery.Number > w.Last {
		err = storage.AppendDelivery(tx, &w, &d.Delivery)
	} else {
		err = storage.Deliveries.Write(tx, d.Delivery, w.EnvironmentID, w.ID, storage.Number(d.Delivery.Number))
	}
	return errors.Join(err, storage.WriteDelivered(tx, w, d.Now))
}

// Describe says in a sentence what a new webhook does, without what may be a secret.
func Describe(w record.Webhook) string {
	kinds := "what happens"
	if len(w.Kinds) > 0 {
		kinds = strings.Join(w.Kinds, ", ")
	}
	if w.Identities {
		kinds += ", with who did it,"
	}
	return fmt.Sprintf("%s is sent %s as %s", hostOf(w.URL), kinds, w.Format)
}

// wants reports whether an event is sent to the webhook.
func wants(w record.Webhook, kind string) bool {
	if len(w.Kinds) > 0 {
		return slices.Contains(w.Kinds, kind)
	}
	return w.Format != FormatPurge || purges(kind)
}
