package maintenance

import (
	"context"
	"errors"
	"time"

	"example.com/livery/origin/events"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// trimAuditEvery is how often old entries of the audit log are looked for.
const trimAuditEvery = time.Hour

// trimAuditUntil drops what is older than keep from the audit log, now and then until ctx ends.
func (s *Service) trimAuditUntil(ctx context.Context, keep time.Duration) {
	ticker := time.NewTicker(trimAuditEvery)
	defer ticker.Stop()
	for {
		dropped, err := s.TrimAudit(ctx, keep)
		switch {
		case errors.Is(err, context.Canceled):
		case err != nil:
			s.config.Logger.Warn("origin: old entries of the audit log cannot be dropped", "error", err)
		case dropped > 0:
			s.config.Logger.Info("origin: old entries of the audit log are dropped", "entries", dropped, "olderThan", keep)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// TrimAudit drops what is older than keep from the audit log of every Environment and the global one, and returns how
// many entries that were.
func (s *Service) TrimAudit(ctx context.Context, keep time.Duration) (dropped int, err error) {
	scopes := []string{storage.Global}
	err = s.config.Metered.View(ctx, func(r storage.Reader) error {
		return storage.Environments.Scan(r, storage.Ascending, func(_ []byte, e record.Environment) bool {
			scopes = append(scopes, e.ID)
			return true
		})
	})
	for _, scope := range scopes {
		if err != nil {
			break
		}
		var n int
		n, err = storage.TrimAudit(ctx, s.config.Metered, scope, s.now().Add(-keep), s.now())
		dropped += n
	}
	return dropped, err
}

// trimEventsUntil drops the events that are not kept any longer, now and then until ctx ends.
func (s *Service) trimEventsUntil(ctx context.Context) {
	for wait := jitter(trimAuditEvery/12, 1); ; wait = jitter(trimAuditEvery, 0.1) {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
		if err := s.TrimEvents(ctx); err != nil && ctx.Err() == nil {
			s.config.Logger.Warn("origin: old events cannot be dropped; it is tried again", "error", err)
		}
	}
}

// TrimEvents drops the events of every Environment that are not kept any longer.
func (s *Service) TrimEvents(ctx context.Context) error {
	var scopes []string
	err := s.config.Metered.View(ctx, func(r storage.Reader) error {
		scopes = nil
		return storage.EventEnds.Scan(r, storage.Ascending, func(key []byte, _ record.EventEnd) bool {
			scopes = append(scopes, storage.LastPart(key))
			return true
		})
	})
	for _, scope := range scopes {
		if err != nil {
			break
		}
		_, err = storage.TrimEvents(ctx, s.config.Metered, scope, s.now().Add(-events.KeepFor), s.now(), events.KeepMost)
	}
	return err
}
