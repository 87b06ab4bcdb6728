package storage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/livery/storage/record"
)

// Events of an Environment are numbered, and written in the commit that they tell of: a crash leaves both or neither.

// Events is the table of events. Its parts are the Environment and the event's number.
var Events = Table[record.Event]{'L', "event"}

// EventEnds is the table of where the events of an Environment end.
var EventEnds = Table[record.EventEnd]{'l', "end of events"}

// AppendEvents gives the events their numbers, tags of their own and times that are not before those of the events before,
// and writes them. The scope of the commit must be the Environment. It costs the read of one record.
func AppendEvents(tx Tx, environment string, events []record.Event, tag func() string) error {
	end, err := EventEnds.Read(tx, environment)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	for _, e := range events {
		if e.At.Before(end.At) {
			e.At = end.At
		}
		end.Last, end.At = end.Last+1, e.At
		e.Number, e.Tag = end.Last, tag()
		if err := Events.Write(tx, e, environment, Number(e.Number)); err != nil {
			return err
		}
	}
	if len(events) == 0 {
		return nil
	}
	return EventEnds.Write(tx, end, environment)
}

// TrimEvents drops the events of an Environment from before a time, and all but the newest keep of them, and returns how
// many they were. Events that may all stay cost no commit. EventEnd.Dropped tells readers where the rest begins, so that they
// do not search through what an engine has still to clear away.
func TrimEvents(ctx context.Context, store Store, environment string, before, now time.Time, keep uint32) (dropped int, err error) {
	for {
		from, to, err := oldEvents(ctx, store, environment, before, keep)
		if err != nil || from == to {
			return dropped, err
		}
		_, err = store.Update(ctx, environment, func(tx Tx) (record.Change, error) {
			end, err := EventEnds.Read(tx, environment)
			if err != nil {
				return record.Change{}, err
			}
			end.Dropped = to
			return record.Change{At: now, Internal: true}, errors.Join(
				tx.DeleteRange(Events.Key(environment, Number(from+1)), Events.Key(environment, Number(to+1))),
				EventEnds.Write(tx, end, environment))
		})
		if err != nil {
			return dropped, fmt.Errorf("storage: trim the events of %q: %w", environment, err)
		}
		dropped += int(to - from)
	}
}

// oldEvents returns which events are to go: those after the number from, up to the number to, trimStep at most.
func oldEvents(ctx context.Context, store Store, environment string, before time.Time, keep uint32) (from, to uint32, err error) {
	err = store.View(ctx, func(r Reader) error {
		end, err := EventEnds.Read(r, environment)
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		from, to = end.Dropped, end.Dropped
		if err != nil {
			return err
		}
		return Events.ScanBetween(r, Ascending, Number(from), "", func(_ []byte, e record.Event) bool {
			if end.Last-e.Number < keep && !e.At.Before(before) || e.Number-from > trimStep {
				return false
			}
			to = e.Number
			return true
		}, environment)
	})
	return from, to, err
}

// events reports events whose content is not what their key says, and those outside of what is kept of their Environment's.
func (c *checker) events() error {
	return each(c, Events, 2, func(at string, p []string, e record.Event) {
		end, err := EventEnds.Read(c.r, p[0])
		if Number(e.Number) != p[1] || err != nil || e.Number > end.Last || e.Number <= end.Dropped {
			c.report(Finding{at, "it is not one of the events of its Environment", RepairDelete})
		}
	})
}
