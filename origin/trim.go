package origin

import (
	"context"
	"time"

	"example.com/livery/storage"
)

// trimEvery is how often the change log is trimmed.
const trimEvery = time.Hour

// keepTrimming trims the change log every so often until ctx ends.
func (o *Origin) keepTrimming(ctx context.Context, keep uint64) {
	for wait := jitter(trimEvery/12, 1); ; wait = jitter(trimEvery, 0.1) {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
		if err := o.trimChanges(ctx, keep); err != nil && ctx.Err() == nil {
			o.log.Warn("origin: the change log cannot be trimmed; it is tried again", "error", err)
		}
	}
}

// trimChanges drops all but the newest entries of the change log. An edge that is further behind marks
// what it holds as doubtful and asks again for what is asked of it.
func (o *Origin) trimChanges(ctx context.Context, keep uint64) error {
	var last uint64
	err := o.store.View(ctx, func(r storage.Reader) error {
		last = r.Cursor().Seq
		return nil
	})
	if err != nil || last <= keep {
		return err
	}
	return o.store.Trim(ctx, last-keep)
}
