package storage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/livery/storage/record"
)

// Webhooks is the table of webhooks. Its parts are the Environment and the webhook.
var Webhooks = Table[record.Webhook]{'W', "webhook"}

// Deliveries is the table of what webhooks were sent, their logs. Its parts are those of Webhooks and the delivery's number.
var Deliveries = Table[record.Delivery]{'w', "delivery"}

// The states of a Delivery.
const (
	DeliveryWaiting   = "waiting"   // to be sent once, by hand
	DeliveryDelivered = "delivered" // the receiver took it
	DeliveryRetrying  = "retrying"  // it is sent again at NextAt
	DeliveryDead      = "dead"      // it is not sent again but by hand
	DeliveryMissed    = "missed"    // it stands for events that are not sent: they were not there any more, or not to be sent
)

// DeliveryStates returns the states of a Delivery.
func DeliveryStates() []string {
	return []string{DeliveryWaiting, DeliveryDelivered, DeliveryRetrying, DeliveryDead, DeliveryMissed}
}

// How many deliveries of a webhook are kept, and for how long at most.
const (
	KeepDeliveries = 1000  // the newest, whatever their state
	KeepDead       = 10000 // of the newest, those that were not delivered
	KeepDelivery   = 30 * 24 * time.Hour
)

// AppendDelivery gives the delivery the next number of its webhook and writes it. The webhook must be written after it, by
// WriteDelivered.
func AppendDelivery(tx Tx, w *record.Webhook, d *record.Delivery) error {
	w.Last++
	d.Number = w.Last
	return Deliveries.Write(tx, *d, w.EnvironmentID, w.ID, Number(d.Number))
}

// WriteDelivered writes a webhook after some deliveries were appended, and deletes deliveries that are not kept any longer.
func WriteDelivered(tx Tx, w record.Webhook, now time.Time) error {
	old, looked := w.Dropped, 0
	if w.Last > KeepDead {
		old = max(old, w.Last-KeepDead)
	}
	dropped := old // passes gaps, so that the next search does not
	err := Deliveries.ScanBetween(tx, Ascending, Number(old), "", func(_ []byte, d record.Delivery) bool {
		if looked++; looked > trimStep || !d.CreatedAt.Before(now.Add(-KeepDelivery)) {
			dropped = d.Number - 1
			return false
		}
		old, dropped = d.Number, d.Number
		return true
	}, w.EnvironmentID, w.ID)
	if err == nil && old > w.Dropped {
		err = tx.DeleteRange(Deliveries.Key(w.EnvironmentID, w.ID, Number(w.Dropped+1)), Deliveries.Key(w.EnvironmentID, w.ID, Number(old+1)))
	}
	w.Dropped = dropped
	if err == nil {
		err = thinDeliveries(tx, &w)
	}
	if err != nil {
		return err
	}
	return Webhooks.Write(tx, w, w.EnvironmentID, w.ID)
}

// thinDeliveries deletes what was delivered of the deliveries that are not among the newest any more.
func thinDeliveries(tx Tx, w *record.Webhook) error {
	if w.Last <= KeepDeliveries {
		return nil
	}
	var delivered []uint32
	to := w.Last - KeepDeliveries
	err := Deliveries.ScanBetween(tx, Ascending, Number(max(w.Thinned, w.Dropped)), Number(to+1), func(_ []byte, d record.Delivery) bool {
		if d.State == DeliveryDelivered {
			delivered = append(delivered, d.Number)
		}
		return true
	}, w.EnvironmentID, w.ID)
	for _, number := range delivered {
		err = errors.Join(err, Deliveries.Delete(tx, w.EnvironmentID, w.ID, Number(number)))
	}
	w.Thinned = to
	return err
}

// SkipDeliveries makes every webhook go on after the newest event: what was due is not sent. Each that had something due
// says so in its log. It is for a store that was restored from a backup, whose webhooks may have sent all that long ago.
func SkipDeliveries(ctx context.Context, store Store, now time.Time) error {
	var all []record.Webhook
	err := store.View(ctx, func(r Reader) error {
		all = all[:0]
		return Webhooks.Scan(r, Ascending, func(_ []byte, w record.Webhook) bool {
			all = append(all, w)
			return true
		})
	})
	for _, w := range all {
		if err == nil {
			_, err = store.Update(ctx, w.EnvironmentID, func(tx Tx) (record.Change, error) {
				return record.Change{At: now, Internal: true}, skipDeliveries(tx, w, now)
			})
		}
	}
	if err != nil {
		return fmt.Errorf("storage: skip deliveries: %w", err)
	}
	return nil
}

func skipDeliveries(tx Tx, w record.Webhook, now time.Time) error {
	end, err := EventEnds.Read(tx, w.EnvironmentID)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	err = nil
	var unsent []record.Delivery
	if scan := Deliveries.Scan(tx, Ascending, func(_ []byte, d record.Delivery) bool {
		if d.State == DeliveryRetrying || d.State == DeliveryWaiting {
			unsent = append(unsent, d)
		}
		return true
	}, w.EnvironmentID, w.ID); scan != nil {
		return scan
	}
	for _, d := range unsent {
		d.State, d.NextAt = DeliveryDead, time.Time{}
		err = errors.Join(err, Deliveries.Write(tx, d, w.EnvironmentID, w.ID, Number(d.Number)))
	}
	if w.Cursor != end.Last || len(w.Late) > 0 || len(w.Queue) > 0 {
		d := record.Delivery{State: DeliveryMissed, CreatedAt: now, Answer: "the store was restored from a backup: events from before are not sent"}
		err = errors.Join(err, AppendDelivery(tx, &w, &d))
	}
	w.Cursor, w.Late, w.Queue = end.Last, nil, nil
	w.Commits++
	return errors.Join(err, WriteDelivered(tx, w, now))
}

// webhooks reports webhooks whose content is not what their key says, and deliveries of webhooks that are not there.
func (c *checker) webhooks() error {
	return errors.Join(
		each(c, Webhooks, 2, func(at string, p []string, w record.Webhook) {
			c.same(at, "environment", p[0], w.EnvironmentID)
			c.same(at, "id", p[1], w.ID)
			exists(c, Environments, at, p[0])
		}),
		each(c, Deliveries, 3, func(at string, p []string, d record.Delivery) {
			if _, err := Webhooks.Read(c.r, p[0], p[1]); Number(d.Number) != p[2] || err != nil {
				c.report(Finding{at, "it is not one of the deliveries of its webhook", RepairDelete})
			}
		}))
}
