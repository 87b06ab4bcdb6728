package maintenance

import (
	"context"
	"time"

	"example.com/livery/origin/operator"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// BackupTaken remembers when the newest backup was taken.
func (s *Service) BackupTaken(at time.Time) { s.backedUp.Store(at.Unix()) }

// NewestBackup returns when the newest backup was taken that the audit log knows, in seconds since 1970; 0: none.
func (s *Service) NewestBackup() int64 { return s.backedUp.Load() }

// lookBack is how many entries are searched for the newest backup.
const lookBack = 10_000

// readNewestBackup reads from the audit log when the newest backup was taken.
func (s *Service) readNewestBackup(ctx context.Context) {
	read := 0
	_ = s.config.Metered.View(ctx, func(r storage.Reader) error {
		return storage.Audits.Scan(r, storage.Descending, func(_ []byte, a record.Audit) bool {
			if a.Action == operator.ActionBackup {
				s.BackupTaken(a.At)
			}
			read++
			return a.Action != operator.ActionBackup && read < lookBack
		}, storage.Global)
	}) // livery store check reports a log that cannot be read
}
