package postgres

import "time"

// Timed returns o with a clock.
func (o Options) Timed(clock func() time.Time) Options {
	o.clock = clock
	return o
}
