package webhooks

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"example.com/livery/origin/auth"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// The pace of a Deliverer.
const (
	mostRounds = 16                     // of webhooks at one time
	pause      = 100 * time.Millisecond // between two looks at the store, whatever is written to it meanwhile
	lookEvery  = time.Second            // while an attempt is due later: the clock may be set, and the machine may sleep
	idleEvery  = time.Minute            // while none is
	retryAfter = time.Second            // after a failure of the store
	term       = time.Minute            // then another origin on the store may deliver
	askEvery   = 5 * time.Second        // while another origin delivers
)

// Config is what a Deliverer needs. Metrics alone may be missing.
type Config struct {
	Store   storage.Store
	Alone   func(ctx context.Context, fn func(context.Context) error) (ran bool, err error) // runs fn while no other origin does; nil without others
	Sender  *Sender
	Master  *auth.Master // opens the secrets; nil without secrets
	Logger  *slog.Logger
	Now     func() time.Time // in UTC, to the millisecond
	Metrics *Metrics
}

// Deliverer sends what is due, in the background.
type Deliverer struct {
	config Config
	rounds sync.WaitGroup

	mu    sync.Mutex         // guards all below
	busy  map[string]bool    // webhooks that have a round now, by id
	ahead map[string]uint32  // number of the event up to which a webhook wants none, if that is after its cursor
	wake  context.CancelFunc // ends the wait for something to do; nil: nothing waits
}

// New returns a Deliverer that does nothing yet.
func New(c Config) *Deliverer {
	return &Deliverer{config: c, busy: map[string]bool{}, ahead: map[string]uint32{}}
}

// Run delivers until ctx ends. What is being sent then is sent again by the next Run.
func (d *Deliverer) Run(ctx context.Context) {
	for ctx.Err() == nil {
		wait := askEvery/2 + rand.N(askEvery)
		ran, err := true, error(nil)
		if d.config.Alone == nil {
			err = d.deliver(ctx, ctx)
		} else {
			ran, err = d.config.Alone(ctx, func(ctx context.Context) error {
				limited, cancel := context.WithTimeout(ctx, term)
				defer cancel()
				return d.deliver(ctx, limited)
			})
		}
		if err != nil && ctx.Err() == nil {
			d.config.Logger.Warn("origin: webhooks cannot be delivered; it is tried again", "error", err)
			wait = retryAfter
		}
		if err == nil && ran {
			continue
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
}

// deliver begins rounds until limited ends, and returns when the last has ended. ctx ends the attempts of rounds.
func (d *Deliverer) deliver(ctx, limited context.Context) error {
	defer d.rounds.Wait()
	clear(d.ahead) // another origin may have delivered since, or the store may be another
	for limited.Err() == nil {
		waiting, stop := context.WithCancel(limited)
		d.setWake(stop) // before the look, so that a round that ends after it is noticed
		at, next, err := d.look(ctx)
		if err != nil {
			stop()
			return err
		}
		err = d.wait(waiting, at, next)
		stop()
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *Deliverer) setWake(stop context.CancelFunc) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.wake = stop
}

// wait returns once something was written to the store, a round ended, or next has come.
func (d *Deliverer) wait(ctx context.Context, at storage.Cursor, next time.Time) error {
	wait := idleEvery
	if !next.IsZero() {
		wait = min(max(next.Sub(d.config.Now()), 0), lookEvery)
	}
	limited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	err := d.config.Store.Wait(limited, at)
	if err != nil && limited.Err() == nil && !errors.Is(err, storage.ErrDiverged) {
		return err
	}
	select {
	case <-time.After(pause):
	case <-ctx.Done():
	}
	return nil
}

// look begins the rounds of the webhooks that have something due. It returns the place in the change log that it saw, and when
// something is due next; zero: nothing is.
func (d *Deliverer) look(ctx context.Context) (at storage.Cursor, next time.Time, err error) {
	var due []record.Webhook
	late := 0
	err = d.config.Store.View(ctx, func(r storage.Reader) error {
		due, next, late, at = due[:0], time.Time{}, 0, r.Cursor()
		all, ends, err := readAll(r)
		for _, w := range all {
			when := d.dueAt(w, ends[w.EnvironmentID])
			late += len(w.Late)
			if !when.IsZero() && !when.After(d.config.Now()) {
				due = append(due, w)
			} else if !when.IsZero() && (next.IsZero() || when.Before(next)) {
				next = when
			}
		}
		return err
	})
	d.config.Metrics.setLate(late)
	for _, w := range due {
		if err == nil && !d.begin(ctx, w) {
			break
		}
	}
	return at, next, err
}

// readAll returns every webhook, and the number of the newest event of each of their Environments.
func readAll(r storage.Reader) (all []record.Webhook, ends map[string]uint32, err error) {
	ends = map[string]uint32{}
	var keys [][]byte
	err = storage.Webhooks.Scan(r, storage.Ascending, func(_ []byte, w record.Webhook) bool {
		if _, known := ends[w.EnvironmentID]; !known {
			ends[w.EnvironmentID] = 0
			keys = append(keys, storage.EventEnds.Key(w.EnvironmentID))
		}
		all = append(all, w)
		return true
	})
	if err == nil {
		err = storage.Prefetch(r, keys...)
	}
	for environment := range ends {
		end, missing := storage.EventEnds.Read(r, environment)
		if ends[environment] = end.Last; !errors.Is(missing, storage.ErrNotFound) {
			err = errors.Join(err, missing)
		}
	}
	return all, ends, err
}

// dueAt returns when something of a webhook is due; zero: nothing is. One that has a round is looked at after it.
func (d *Deliverer) dueAt(w record.Webhook, end uint32) (at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.busy[w.ID] {
		return at
	}
	if len(w.Queue) > 0 || end > max(w.Cursor, d.ahead[w.ID]) && len(w.Late) < mostLate {
		return d.config.Now()
	}
	for _, l := range w.Late {
		if at.IsZero() || l.NextAt.Before(at) {
			at = l.NextAt
		}
	}
	return at
}

// begin begins a round of a webhook, unless too many go on.
func (d *Deliverer) begin(ctx context.Context, w record.Webhook) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.busy) >= mostRounds {
		return false // the end of one of them wakes
	}
	d.busy[w.ID] = true
	ahead := d.ahead[w.ID]
	d.rounds.Go(func() {
		read, err := d.round(ctx, w, ahead)
		if err != nil && ctx.Err() == nil {
			d.config.Logger.Warn("origin: a webhook cannot be delivered; it is tried again", "webhook", w.ID, "error", err)
			select {
			case <-time.After(retryAfter):
			case <-ctx.Done():
			}
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.busy, w.ID)
		d.ahead[w.ID] = read
		d.wake()
	})
	return true
}
