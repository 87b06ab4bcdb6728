package origin

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"example.com/livery/origin/operator"
	"example.com/livery/storage"
)

// losing is a Store that notices where it does not hold any more what it once held.
type losing interface {
	// Lost returns the place of a durable commit that is gone, and whether there is one.
	Lost() (storage.Cursor, bool)
}

// Lost returns the place of a commit that was acknowledged once and that the store does not hold any more,
// and whether there is one. A store that cannot tell has lost nothing.
func (o *Origin) Lost() (storage.Cursor, bool) {
	if s, ok := o.config.Store.(losing); ok {
		return s.Lost()
	}
	return storage.Cursor{}, false
}

// watchHistory registers whether history was lost.
func (o *Origin) watchHistory(registry *prometheus.Registry) {
	if registry == nil {
		return
	}
	registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "livery_origin_lost_history", Help: "1 where the store does not hold any more what was acknowledged once, until the next start; else 0.",
	}, func() float64 {
		if _, lost := o.Lost(); lost {
			return 1
		}
		return 0
	}))
}

// patientFor is how long to wait before the store is asked again after a failure.
const patientFor = time.Second

// heedOthers reads the token keys and issuers again whenever something above Environments has changed,
// until ctx ends: another origin on the same store may have changed them.
func (o *Origin) heedOthers(ctx context.Context) {
	at, err := o.catchUp(ctx)
	for ctx.Err() == nil {
		if err == nil {
			at, err = o.heed(ctx, at)
		}
		if err == nil || ctx.Err() != nil {
			continue
		}
		o.log.Warn("origin: what other origins change cannot be read; it is tried again", "error", err)
		select {
		case <-time.After(patientFor):
		case <-ctx.Done():
		}
		at, err = o.catchUp(ctx)
	}
}

// catchUp reads the keys and issuers, and returns a place in the change log from which on changes to them
// are not in what was read.
func (o *Origin) catchUp(ctx context.Context) (at storage.Cursor, err error) {
	if at, err = o.logEnd(ctx); err == nil {
		err = o.keys.Reload(ctx, o.config.Store)
	}
	return at, err
}

// heed waits for the next changes, reads the keys and issuers again where one is above Environments, and
// returns the place after them.
func (o *Origin) heed(ctx context.Context, after storage.Cursor) (storage.Cursor, error) {
	err := o.config.Store.Wait(ctx, after)
	var entries []storage.LoggedChange
	if err == nil {
		entries, err = o.config.Store.Changes(ctx, after, 1000)
	}
	if errors.Is(err, storage.ErrTrimmed) || errors.Is(err, storage.ErrDiverged) {
		return o.catchUp(ctx)
	}
	if err != nil {
		return after, err
	}
	changed := false
	for _, e := range entries {
		after = e.Cursor
		changed = changed || e.Change.EnvironmentID == ""
	}
	if changed {
		err = o.keys.Reload(ctx, o.config.Store)
	}
	return after, err
}

// logEnd is the end of the change log.
func (o *Origin) logEnd(ctx context.Context) (at storage.Cursor, err error) {
	err = o.config.Store.View(ctx, func(r storage.Reader) error {
		at = r.Cursor()
		return nil
	})
	return at, err
}

// readAttempts is how often a request reads where the store goes away in the midst of it. A store that is
// away before waits by itself for it to come back.
const readAttempts = 3

// view runs fn on one snapshot, and again on a later one where the store went away in between. fn must be
// able to run again.
func (o *Origin) view(ctx context.Context, fn func(storage.Reader) error) (err error) {
	for range readAttempts {
		err = o.store.View(ctx, fn)
		if !errors.Is(err, storage.ErrUnavailable) {
			break
		}
	}
	return err
}

// status is what the operator is told of the origin and its store.
func (o *Origin) status(ctx context.Context) operator.Status {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	s := operator.Status{Store: "embedded"}
	if _, ok := o.config.Store.(shared); ok {
		s.Store = "shared"
	}
	at, err := o.logEnd(ctx)
	if err != nil {
		s.NotReady = err.Error()
		return s
	}
	s.Cursor = at.String()
	if lost, ok := o.Lost(); ok {
		s.Lost = lost.String()
	}
	if err := o.Ready(); err != nil {
		s.NotReady = err.Error()
	}
	return s
}
