package maintenance

import (
	"context"
	"time"

	"example.com/livery/storage"
)

// trimEvery is how often the change log is trimmed.
const trimEvery = time.Hour

// trimUntil trims the change log every so often until ctx ends.
func (s *Service) trimUntil(ctx context.Context, keep uint64) {
	for wait := jitter(trimEvery/12, 1); ; wait = jitter(trimEvery, 0.1) {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
		if err := s.TrimChanges(ctx, keep); err != nil && ctx.Err() == nil {
			s.config.Logger.Warn("origin: the change log cannot be trimmed; it is tried again", "error", err)
		}
	}
}

// TrimChanges drops all but the newest keep entries of the change log. An edge that is further behind asks again for
// everything it serves.
func (s *Service) TrimChanges(ctx context.Context, keep uint64) error {
	var last uint64
	err := s.config.Metered.View(ctx, func(r storage.Reader) error {
		last = r.Cursor().Seq
		return nil
	})
	if err != nil || last <= keep {
		return err
	}
	return s.config.Metered.Trim(ctx, last-keep)
}
