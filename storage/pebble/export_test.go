package pebble

import (
	"context"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// Tuned returns o with the last word on the engine's options.
func (o Options) Tuned(tune func(*pebble.Options)) Options {
	o.tune = tune
	return o
}

// Timed returns o with a clock.
func (o Options) Timed(clock func() time.Time) Options {
	o.clock = clock
	return o
}

// Watched returns o with a watch that looks often.
func (o Options) Watched(every time.Duration) Options {
	o.every = every
	return o
}

// Flush writes what is in memory to tables.
func (s *Store) Flush() error { return s.db.Flush() }

// Compact settles all tables in the lowest level.
func (s *Store) Compact() error {
	return s.db.Compact(context.Background(), []byte{ownSpace}, []byte{endKeyByte}, false)
}

// Sublevels returns how deep level 0 is.
func (s *Store) Sublevels() int { return int(s.db.Metrics().Levels[0].Sublevels) }
