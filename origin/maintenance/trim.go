package maintenance

import (
	"context"
	"math/rand/v2"
	"time"

	"example.com/livery/storage"
)

// trimEvery is how often the change log, the audit log and events are trimmed.
const trimEvery = time.Hour

// repeat calls work about every so often until ctx ends. The first time comes early, so that an origin that is restarted
// every day works too, and never at once, so that several origins do not all begin.
func repeat(ctx context.Context, every time.Duration, work func()) {
	for wait := jitter(every/12, 1); ; wait = jitter(every, 0.1) {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
		work()
	}
}

// jitter returns a time at random around d, up to spread of it more or less.
func jitter(d time.Duration, spread float64) time.Duration {
	return max(time.Millisecond, time.Duration(float64(d)*(1+spread*(2*rand.Float64()-1))))
}

// dropping returns what calls trim, and logs that what cannot be dropped if it fails before ctx ends.
func (s *Service) dropping(ctx context.Context, what string, trim func() error) func() {
	return func() {
		if err := trim(); err != nil && ctx.Err() == nil {
			s.config.Logger.Warn("origin: "+what+" cannot be dropped; it is tried again", "error", err)
		}
	}
}

// TrimChanges drops all but the newest keep entries of the change log. An edge that is further behind asks again for
// everything it serves.
func (s *Service) TrimChanges(ctx context.Context, keep uint64) error {
	end, err := storage.LogEnd(ctx, s.config.Metered)
	if err != nil || end.Seq <= keep {
		return err
	}
	return s.config.Metered.Trim(ctx, end.Seq-keep)
}
