package webhooks

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"example.com/livery/origin/auth"
	"example.com/livery/origin/events"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// The pace of a Deliverer.
const (
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

	mu       sync.Mutex // guards schedule
	schedule *schedule
}

// New returns a Deliverer that does nothing yet.
func New(c Config) *Deliverer { return &Deliverer{config: c} }

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
		d.config.Metrics.setBacklogs(nil)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
}

// deliver begins rounds until limited ends, and returns when the last has ended. ctx ends the attempts of rounds.
func (d *Deliverer) deliver(ctx, limited context.Context) error {
	defer d.rounds.Wait()
	d.mu.Lock()
	d.schedule = newSchedule() // another origin may have delivered since, or the store may be another
	d.mu.Unlock()
	for limited.Err() == nil {
		at, next, err := d.look(ctx)
		if err != nil {
			return err
		}
		d.beginRounds(ctx, limited)
		if err := d.wait(limited, at, next); err != nil {
			return err
		}
	}
	return nil
}

// wait returns once something was written to the store, or next has come.
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

// look finds the webhooks that have something due. It returns the place in the change log that it saw, and when something is
// due next; zero: nothing is.
func (d *Deliverer) look(ctx context.Context) (at storage.Cursor, next time.Time, err error) {
	var all []record.Webhook
	var ends map[string]uint32
	err = d.config.Store.View(ctx, func(r storage.Reader) (err error) {
		at = r.Cursor()
		all, ends, err = readAll(r)
		return err
	})
	if err != nil {
		return at, next, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	now, backlogs := d.config.Now(), map[string]backlog{}
	d.schedule.keep(all)
	for _, w := range all {
		t := d.schedule.tasks[w.ID]
		when := dueAt(w, max(w.Cursor, t.read), ends[w.EnvironmentID], now)
		switch {
		case when.IsZero():
		case !when.After(now):
			d.schedule.setDue(t)
		case next.IsZero() || when.Before(next):
			next = when
		}
		backlogs[w.EnvironmentID] = backlogs[w.EnvironmentID].with(w, max(w.Cursor, t.read), ends[w.EnvironmentID])
	}
	d.config.Metrics.setBacklogs(backlogs)
	return at, next, nil
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
		last, failed := events.Last(r, environment)
		ends[environment], err = last, errors.Join(err, failed)
	}
	return all, ends, err
}

// dueAt returns when something of a webhook is due, which has read the events up to read of those up to end; zero: nothing is.
func dueAt(w record.Webhook, read, end uint32, now time.Time) (at time.Time) {
	if len(w.Queue) > 0 {
		return now
	}
	if !w.EndedAt.IsZero() {
		return at
	}
	if end > read && len(w.Late) < mostLate {
		at = now
	}
	for _, l := range w.Late {
		if at.IsZero() || l.NextAt.Before(at) {
			at = l.NextAt
		}
	}
	if !at.IsZero() && at.Before(w.PausedUntil) {
		at = w.PausedUntil
	}
	return at
}

// beginRounds begins the rounds that the schedule has a place for, unless limited has ended.
func (d *Deliverer) beginRounds(ctx, limited context.Context) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for limited.Err() == nil {
		t := d.schedule.begin()
		if t == nil {
			return
		}
		read := t.read
		d.rounds.Go(func() {
			read, more := d.tryRound(ctx, t.environment, t.id, read)
			d.mu.Lock()
			d.schedule.end(t, read, more)
			d.mu.Unlock()
			d.beginRounds(ctx, limited)
		})
	}
}

// tryRound is round, and waits a moment if the store fails.
func (d *Deliverer) tryRound(ctx context.Context, environment, id string, from uint32) (read uint32, more bool) {
	read, more, err := d.round(ctx, environment, id, from)
	if err == nil || ctx.Err() != nil {
		return read, more
	}
	d.config.Logger.Warn("origin: a webhook cannot be delivered; it is tried again", "webhook", id, "error", err)
	select {
	case <-time.After(retryAfter):
	case <-ctx.Done():
	}
	return read, true
}
