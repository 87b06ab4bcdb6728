package api

import (
	"context"
	"fmt"
	"testing"
	"time"

	"example.com/livery/internal/test/race"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// lookedTx counts what scans look at.
type lookedTx struct {
	storage.Tx
	looked *int
}

// Scan implements storage.Reader.
func (tx lookedTx) Scan(prefix []byte, order storage.Order, each func(key, value []byte) bool) error {
	return tx.Tx.Scan(prefix, order, func(key, value []byte) bool {
		*tx.looked++
		return each(key, value)
	})
}

// Replays go when their day is over, and a request looks at a few of them alone, however many there are.
func TestExpiredReplaysGoAFewAtATime(t *testing.T) {
	race.Skip(t)
	for _, aDay := range []int{100, 1500, 3000} {
		t.Run(fmt.Sprint(aDay), func(t *testing.T) {
			const days, aCommit = 3, 100
			h, now := newHandler(t)
			most, sum := 0, 0
			for n := 0; n < days*aDay; n += aCommit {
				_, err := h.config.Store.Update(context.Background(), "env_a", func(tx storage.Tx) (record.Change, error) {
					for i := range aCommit {
						looked := 0
						name := string(record.HashOf(fmt.Append(nil, n+i)))
						if err := h.sweepReplays(lookedTx{tx, &looked}, "env_a", name); err != nil {
							return record.Change{}, err
						}
						most, sum = max(most, looked), sum+looked
						replay := record.Replay{BodyHash: record.HashOf(nil), Status: 200, ExpiresAt: h.config.Now().Add(replayFor)}
						if err := storage.Replays.Write(tx, replay, "env_a", name); err != nil {
							return record.Change{}, err
						}
						*now = now.Add(24 * time.Hour / time.Duration(aDay))
					}
					return record.Change{At: h.config.Now()}, nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			count := 0
			err := h.config.Store.View(context.Background(), func(r storage.Reader) error {
				return storage.Replays.Scan(r, storage.Ascending, func([]byte, record.Replay) bool {
					count++
					return true
				})
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d a day: %d stored; looked at %d at most, %.1f on average", aDay, count, most, float64(sum)/float64(days*aDay))
			if count < aDay || count > 2*aDay+256 {
				t.Errorf("%d replays are stored after %d days, want %d that are current and at most as many more", count, days, aDay)
			}
			if most > 6*sweptReplays {
				t.Errorf("a request looked at %d replays, want a few", most)
			}
		})
	}
}
