package maintenance

import (
	"context"
	"time"

	"example.com/livery/origin/events"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// TrimAudit drops what is older than keep from the audit log of every Environment and the global one, and returns how
// many entries that were.
func (s *Service) TrimAudit(ctx context.Context, keep time.Duration) (dropped int, err error) {
	environments, err := storage.Snapshot(ctx, s.config.Metered, func(r storage.Reader) ([]record.Environment, error) { return storage.Environments.All(r) })
	scopes := []string{storage.Global}
	for _, e := range environments {
		scopes = append(scopes, e.ID)
	}
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
