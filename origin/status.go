package origin

import (
	"context"
	"time"

	"example.com/livery/origin/operator"
	"example.com/livery/storage"
)

// Lost returns the place of a commit that was acknowledged once and that the store has lost,
// and whether there is one. A store that does not know has lost nothing.
func (o *Origin) Lost() (storage.Cursor, bool) { return o.maintenance.Lost() }

// Collect drops the blobs that nothing names, as storage.Collect does; maintenance.ErrCollecting if another origin does
// just now.
func (o *Origin) Collect(ctx context.Context, c storage.Collection) (storage.CollectResult, error) {
	return o.maintenance.Collect(ctx, c)
}

// status returns the state of the origin and its store for the operator.
func (o *Origin) status(ctx context.Context) operator.Status {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	s := operator.Status{Store: "embedded"}
	if o.maintenance.Shares() {
		s.Store = "shared"
	}
	at, err := storage.LogEnd(ctx, o.store)
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
