package webhooks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"example.com/livery/origin/events"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// The bounds of a round.
const (
	mostEvents   = 64              // messages that a round begins, and events in one; if the process dies, so many are sent again at most
	mostRead     = 5000            // events that are looked at for what is new, and for what is late
	roundFor     = time.Second     // then no further message is begun, so that other webhooks have their turn
	mostAtOnce   = 8               // Themes
	mostLate     = 100             // Themes of a webhook; with so many no new events are begun
	tryFor       = 24 * time.Hour  // from the first attempt to the last
	firstBackoff = 5 * time.Second // between the first two attempts; three times as long after each more
	mostBackoff  = 6 * time.Hour
	commitEvery  = 1000 // events that a webhook does not want may pass before that is written
)

// chain is the events of one Theme that a round sends, in their order, up to the first message that is not taken.
type chain struct {
	late    *record.LateTheme // as it was before the round; nil: the Theme was not late
	theme   string            // empty of a delivery by hand
	byHand  *record.Delivery  // nil: the events below
	events  []record.Event
	names   []names
	more    uint32    // number of the event to go on with, whichever Theme it is of; 0: the chain is all there is
	results []outcome // of the first events; the last may be a failure
}

// plan is what a round is to do.
type plan struct {
	webhook record.Webhook
	chains  []*chain
	end     uint32 // number of the last event that was looked at
	dropped uint32 // number of the newest event that is not kept any more
	missed  string // what is not there any more; empty: nothing
	secrets [][]byte
	halted  atomic.Bool // the receiver is gone, or asks for a pause
}

// round sends what is due of a webhook, which has read the events up to from, and commits what came of it. It returns the
// number of the event up to which nothing more is due, and whether there may be more to send.
func (d *Deliverer) round(ctx context.Context, environment, id string, from uint32) (read uint32, more bool, err error) {
	var p *plan
	err = d.config.Store.View(ctx, func(r storage.Reader) (err error) {
		p, err = d.plan(r, environment, id, from)
		return err
	})
	if errors.Is(err, storage.ErrNotFound) { // it was deleted
		return from, false, nil
	}
	if err != nil {
		return from, false, err
	}
	d.send(ctx, p)
	if len(p.chains) == 0 && p.missed == "" && len(p.webhook.Queue) == 0 && p.end < p.webhook.Cursor+commitEvery {
		return p.end, p.end > from && p.end > p.webhook.Cursor, nil
	}
	if applied, err := d.commit(ctx, p); !applied {
		return from, err == nil, err
	}
	return p.end, true, nil
}

// plan reads what is due. The events of one Theme make a chain each; those of a late Theme that is not due yet make none. What
// is due by hand comes first, and then what is late for the longest time.
func (d *Deliverer) plan(r storage.Reader, environment, id string, from uint32) (p *plan, err error) {
	w, err := storage.Webhooks.Read(r, environment, id)
	if err != nil {
		return nil, err
	}
	if w.Identities {
		environment, err := storage.Environments.Read(r, w.EnvironmentID)
		if err != nil {
			return nil, err
		}
		w.Identities = environment.Identities == record.IdentitiesFull
	}
	p = &plan{webhook: w, end: max(w.Cursor, from)}
	now := d.config.Now()
	for _, s := range w.Secrets {
		if s.RetiresAt.IsZero() || now.Before(s.RetiresAt) {
			secret, err := d.config.Master.OpenWebhook(w.ID, s.Secret)
			if err != nil {
				return p, err
			}
			p.secrets = append(p.secrets, secret)
		}
	}
	if err = p.byHand(r); err == nil && w.EndedAt.IsZero() && !now.Before(w.PausedUntil) {
		err = p.log(r, now)
	}
	for _, c := range p.chains {
		for _, e := range c.events {
			n := names{}
			if err == nil && w.Format == FormatChat {
				n, err = readNames(r, w.EnvironmentID, e)
			}
			c.names = append(c.names, n)
		}
	}
	return p, err
}

// log adds what is due of the log of events.
func (p *plan) log(r storage.Reader, now time.Time) error {
	if err := p.findMissed(r); err != nil {
		return err
	}
	var fresh []*chain
	if len(p.webhook.Late) < mostLate {
		var err error
		if fresh, err = p.newEvents(r); err != nil {
			return err
		}
	}
	err := p.lateEvents(r, now)
	p.chains = append(p.chains, fresh...)
	return err
}

// findMissed notes events that were dropped before they were sent, and passes them.
func (p *plan) findMissed(r storage.Reader) error {
	end, err := storage.Optional(storage.EventEnds.Read(r, p.webhook.EnvironmentID))
	p.dropped = end.Dropped
	from := p.end + 1
	for _, l := range p.webhook.Late {
		from = min(from, l.Event)
	}
	if p.dropped >= from {
		p.missed = fmt.Sprintf("events %d to %d were dropped before all of them could be sent", from, p.dropped)
		p.end = max(p.end, p.dropped)
	}
	return err
}

// newEvents returns the chains of what happened after the cursor.
func (p *plan) newEvents(r storage.Reader) (chains []*chain, err error) {
	themes := map[string]*chain{}
	for _, l := range p.webhook.Late {
		themes[l.ThemeID] = nil
	}
	sent, looked, most := 0, 0, mostEvents
	if p.webhook.Format == FormatEvents {
		most *= mostAtOnce
	}
	err = storage.Events.ScanBetween(r, storage.Ascending, storage.Number(p.end), "", func(_ []byte, e record.Event) bool {
		c, known := themes[e.ThemeID]
		if wants(p.webhook, e.Kind) && (!known || c != nil) {
			if !known && len(themes) >= mostLate || sent == most {
				return false // each of them may be late after this round
			}
			if !known {
				c = &chain{theme: e.ThemeID}
				themes[e.ThemeID], chains = c, append(chains, c)
			}
			c.events = append(c.events, e)
			sent++
		}
		p.end = e.Number
		looked++
		return looked < mostRead
	}, p.webhook.EnvironmentID)
	return chains, err
}

// lateEvents adds the chains of the late Themes that are due. After a failure a chain is one event long. What is not reached is
// for the next round.
func (p *plan) lateEvents(r storage.Reader, now time.Time) error {
	late := slices.Clone(p.webhook.Late)
	slices.SortStableFunc(late, func(a, b record.LateTheme) int { return a.NextAt.Compare(b.NextAt) })
	looked := 0
	for i := range late {
		l := &late[i]
		if l.Event > p.dropped && (l.NextAt.After(now) || looked >= mostRead) {
			continue
		}
		c := &chain{theme: l.ThemeID, late: l}
		p.chains = append(p.chains, c)
		most := mostEvents
		if l.Attempts > 0 {
			most = 1
		}
		err := storage.Events.ScanBetween(r, storage.Ascending, storage.Number(max(l.Event-1, p.dropped)), storage.Number(p.end+1), func(_ []byte, e record.Event) bool {
			if looked++; len(c.events) == most || looked > mostRead {
				c.more = e.Number
				return false
			}
			if e.ThemeID == l.ThemeID && wants(p.webhook, e.Kind) {
				c.events = append(c.events, e)
			}
			return true
		}, p.webhook.EnvironmentID)
		if err != nil {
			return err
		}
	}
	return nil
}

// byHand adds a chain for each delivery that is due by hand.
func (p *plan) byHand(r storage.Reader) error {
	for _, number := range p.webhook.Queue {
		delivery, err := storage.Deliveries.Read(r, p.webhook.EnvironmentID, p.webhook.ID, storage.Number(number))
		if errors.Is(err, storage.ErrNotFound) {
			continue // so old that it is not there any more; commit takes it from the queue
		}
		if err != nil {
			return err
		}
		p.chains = append(p.chains, &chain{byHand: &delivery, events: []record.Event{delivery.Event}})
	}
	return nil
}

// send sends the chains, some at one time, until the time of the round is over or the receiver wants no more.
func (d *Deliverer) send(ctx context.Context, p *plan) {
	until := time.Now().Add(roundFor)
	over := func() bool { return p.halted.Load() || time.Now().After(until) }
	var wg sync.WaitGroup
	defer wg.Wait()
	turns := make(chan struct{}, mostAtOnce)
	for _, c := range p.chains {
		turns <- struct{}{}
		if over() {
			return
		}
		wg.Go(func() {
			defer func() { <-turns }()
			d.sendChain(ctx, p, c, over)
		})
	}
}

// sendChain sends the events of a chain up to the first that is not taken. An attempt that the end of ctx ended is none.
func (d *Deliverer) sendChain(ctx context.Context, p *plan, c *chain, over func() bool) {
	size := 1
	if p.webhook.Format == FormatEvents {
		size = mostEvents
	}
	for from := 0; from < len(c.events) && (from == 0 || !over()); from += size {
		batch := c.events[from:min(from+size, len(c.events))]
		body, err := bodyOf(p.webhook, batch, c.names[from])
		o := outcome{text: "the body of the message cannot be made"}
		if err == nil {
			// The last event names the message: a message that ends with another event is another message, so that a receiver
			// which drops what it has seen loses nothing.
			o = d.config.Sender.send(ctx, message{p.webhook.URL, events.IDOf(batch[len(batch)-1]), body, p.secrets}, d.config.Now())
		}
		if ctx.Err() != nil && !o.delivered {
			return
		}
		d.config.Metrics.count(p.webhook.EnvironmentID, o)
		if !o.delivered {
			c.results = append(c.results, o)
			if o.gone() || o.wait > 0 {
				p.halted.Store(true)
			}
			return
		}
		for range batch {
			c.results = append(c.results, o)
		}
	}
}

// commit writes what a round came to, and tries it until it is written or ctx ends. It reports false if that does not count: the
// webhook was deleted, or another origin sent the same.
func (d *Deliverer) commit(ctx context.Context, p *plan) (applied bool, err error) {
	environment, id := p.webhook.EnvironmentID, p.webhook.ID
	for {
		_, err = d.config.Store.Update(context.WithoutCancel(ctx), environment, func(tx storage.Tx) (record.Change, error) {
			now := d.config.Now()
			w, err := storage.Webhooks.Read(tx, environment, id)
			if applied = err == nil && w.Commits == p.webhook.Commits; applied {
				err = p.apply(tx, &w, now)
			}
			if errors.Is(err, storage.ErrNotFound) {
				err = nil
			}
			return record.Change{At: now, Internal: true}, err
		})
		if err == nil || ctx.Err() != nil {
			return applied && err == nil, err
		}
		d.config.Logger.Warn("origin: what webhooks were sent cannot be written; it is tried again", "webhook", id, "error", err)
		select {
		case <-time.After(retryAfter):
		case <-ctx.Done():
		}
	}
}

// apply writes the deliveries of a round and the state of the webhook after it.
func (p *plan) apply(tx storage.Tx, w *record.Webhook, now time.Time) error {
	if p.missed != "" {
		d := record.Delivery{State: storage.DeliveryMissed, CreatedAt: now, Answer: p.missed}
		if err := storage.AppendDelivery(tx, w, &d); err != nil {
			return err
		}
	}
	w.Cursor, w.Commits, w.Late = p.end, w.Commits+1, slices.Clone(w.Late)
	w.Queue = slices.DeleteFunc(slices.Clone(w.Queue), func(n uint32) bool { return slices.Contains(p.webhook.Queue, n) })
	gone, taken := false, false
	for _, c := range p.chains {
		if err := c.apply(tx, w, now); err != nil {
			return err
		}
		for _, o := range c.results {
			gone, taken = gone || o.gone(), taken || o.delivered
			if o.wait > 0 {
				w.PausedUntil = now.Add(o.wait)
			}
		}
	}
	var err error
	switch {
	case gone && w.EndedAt.IsZero():
		err = end(tx, w, now)
	case taken && !gone && !w.EndedAt.IsZero():
		err = goOn(tx, w, now)
	}
	if err != nil {
		return err
	}
	return storage.WriteDelivered(tx, *w, now)
}

// end ends a webhook whose receiver is gone: nothing more is sent, but by hand.
func end(tx storage.Tx, w *record.Webhook, now time.Time) error {
	for _, l := range w.Late {
		w.Cursor = min(w.Cursor, l.Event-1)
		if l.Delivery == 0 {
			continue
		}
		d, err := storage.Optional(storage.Deliveries.Read(tx, w.EnvironmentID, w.ID, storage.Number(l.Delivery)))
		if err == nil && d.Number == 0 {
			continue
		}
		d.State, d.NextAt = storage.DeliveryDead, time.Time{}
		if err = cmp.Or(err, write(tx, w, &d)); err != nil {
			return err
		}
	}
	w.EndedAt, w.Late, w.PausedUntil = now, nil, time.Time{}
	return nil
}

// goOn lets a webhook that had ended go on with what happens from now on. Its log says what it missed.
func goOn(tx storage.Tx, w *record.Webhook, now time.Time) error {
	last, err := events.Last(tx, w.EnvironmentID)
	if err == nil && last > w.Cursor {
		missed := fmt.Sprintf("of events %d to %d, those that were not sent before the receiver was gone are not sent", w.Cursor+1, last)
		err = storage.AppendDelivery(tx, w, &record.Delivery{State: storage.DeliveryMissed, CreatedAt: now, Answer: missed})
	}
	w.EndedAt, w.Cursor = time.Time{}, last
	return err
}

// apply writes the deliveries of a chain, and makes its Theme late if an event is left of it.
func (c *chain) apply(tx storage.Tx, w *record.Webhook, now time.Time) error {
	if c.byHand != nil {
		return c.applyByHand(tx, w, now)
	}
	left := record.LateTheme{ThemeID: c.theme, Event: c.more, NextAt: now}
	known, err := c.known(tx, w)
	if err != nil {
		return err
	}
	if c.late != nil {
		left.Since = c.late.Since
	}
	for i, o := range c.results {
		delivery := record.Delivery{Event: c.events[i], CreatedAt: now}
		if i == 0 && known.Number != 0 {
			delivery = known
		}
		note(&delivery, o, now)
		switch {
		case o.delivered:
			left.Since = time.Time{}
		case o.gone():
			left.Event = c.events[i].Number // the webhook ends
		default:
			left = retried(left, &delivery, c.events[i], o.wait, now)
		}
		if err := write(tx, w, &delivery); err != nil {
			return err
		}
		if delivery.State == storage.DeliveryRetrying {
			left.Delivery = delivery.Number
		}
	}
	if n := len(c.results); n < len(c.events) && (n == 0 || c.results[n-1].delivered) { // the round was ended
		if n == 0 && c.late != nil {
			return nil
		}
		left.Event = c.events[n].Number
	}
	w.Late = slices.DeleteFunc(w.Late, func(l record.LateTheme) bool { return l.ThemeID == c.theme })
	if left.Event != 0 {
		w.Late = append(w.Late, left)
	}
	return nil
}

// known returns the delivery of the first event of a chain that was tried before; the zero Delivery if there is none. If the
// event was dropped meanwhile, its delivery says so.
func (c *chain) known(tx storage.Tx, w *record.Webhook) (d record.Delivery, err error) {
	if c.late == nil || c.late.Delivery == 0 {
		return d, nil
	}
	d, err = storage.Optional(storage.Deliveries.Read(tx, w.EnvironmentID, w.ID, storage.Number(c.late.Delivery)))
	if err == nil && d.Number != 0 && (len(c.events) == 0 || c.events[0].Number != d.Event.Number) {
		d.State, d.NextAt, d.Answer = storage.DeliveryMissed, time.Time{}, "the event was dropped before it was taken"
		err = write(tx, w, &d)
		d = record.Delivery{}
	}
	return d, err
}

// note writes what came of an attempt into its delivery.
func note(d *record.Delivery, o outcome, now time.Time) {
	d.Attempts++
	d.TriedAt, d.NextAt, d.Status, d.Answer, d.Duration = now, time.Time{}, o.status, o.text, o.took.Milliseconds()
	if d.State = storage.DeliveryDead; o.delivered {
		d.State = storage.DeliveryDelivered
	}
}

// retried returns what is left of a Theme after an event was not taken: it is tried again until a day after its first attempt,
// or after it happened if that was while the Theme was late already; the next one follows then. The receiver asks to wait for
// some time; 0: it does not.
func retried(left record.LateTheme, d *record.Delivery, e record.Event, wait time.Duration, now time.Time) record.LateTheme {
	if left.Since.IsZero() {
		left.Since = now
	}
	until := left.Since
	if e.At.After(until) {
		until = e.At
	}
	until = until.Add(tryFor)
	if !now.Before(until) {
		left.Event, left.Attempts = e.Number+1, 0
		return left
	}
	left.Event, left.Attempts, left.NextAt = e.Number, d.Attempts, now.Add(max(backoff(d.Attempts), wait))
	if left.NextAt.After(until) {
		left.NextAt = until
	}
	d.State, d.NextAt = storage.DeliveryRetrying, left.NextAt
	return left
}

// backoff returns how long to wait after so many attempts, up to a quarter more or less.
func backoff(attempts int) time.Duration {
	wait := firstBackoff
	for n := 1; n < attempts && wait < mostBackoff; n++ {
		wait *= 3
	}
	wait = min(wait, mostBackoff)
	return wait*3/4 + rand.N(wait/2)
}

// applyByHand writes what came of a delivery by hand. One that was not sent stays in the queue.
func (c *chain) applyByHand(tx storage.Tx, w *record.Webhook, now time.Time) error {
	delivery := *c.byHand
	if len(c.results) == 0 {
		w.Queue = append(w.Queue, delivery.Number)
		return nil
	}
	note(&delivery, c.results[0], now)
	return write(tx, w, &delivery)
}

// write writes a delivery, with the next number if it has none.
func write(tx storage.Tx, w *record.Webhook, d *record.Delivery) error {
	if d.Number == 0 {
		return storage.AppendDelivery(tx, w, d)
	}
	return storage.Deliveries.Write(tx, *d, w.EnvironmentID, w.ID, storage.Number(d.Number))
}
