package maintenance

import (
	"context"
	"time"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// ListsCounted reports whether the sparse indexes of all lists of Themes count right.
func (s *Service) ListsCounted() bool { return s.counted.Load() }

// countLists finds out whether the sparse indexes of all lists of Themes count right, and writes those anew that do
// not: a store of an earlier release has none, and an earlier release that wrote to this store left them as they
// were. Until then lists are walked.
func (s *Service) countLists(ctx context.Context) error {
	var environments []string
	err := s.config.Metered.View(ctx, func(r storage.Reader) error {
		environments = environments[:0]
		return storage.Environments.Scan(r, storage.Ascending, func(_ []byte, e record.Environment) bool {
			environments = append(environments, e.ID)
			return true
		})
	})
	for _, id := range environments {
		if err == nil {
			err = s.countList(ctx, id)
		}
	}
	if err == nil {
		s.counted.Store(true)
	}
	return err
}

func (s *Service) countList(ctx context.Context, environment string) error {
	var right bool
	err := s.config.Metered.View(ctx, func(r storage.Reader) (err error) {
		right, err = storage.ThemeSlugs.Counted(r, environment)
		return err
	})
	if err != nil || right {
		return err
	}
	_, err = s.config.Metered.Update(ctx, environment, func(tx storage.Tx) (record.Change, error) {
		return record.Change{At: s.now()}, storage.ThemeSlugs.Rebuild(tx, environment)
	})
	return err
}

// countListsUntil is countLists, tried until it succeeds or ctx ends.
func (s *Service) countListsUntil(ctx context.Context) {
	for pause := retryAfter; ; pause = min(2*pause, time.Minute) {
		err := s.countLists(ctx)
		if err == nil || ctx.Err() != nil {
			return
		}
		s.config.Logger.Warn("origin: the lists of Themes cannot be counted, so that far pages are slow; it is tried again", "error", err)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}
