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
		end = record.EventEnd{Last: end.Last + 1, At: e.At}
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
// many they were. Events that may all stay cost no commit.
func TrimEvents(ctx context.Context, store Store, environment string, before, now time.Time, keep uint32) (dropped int, err error) {
	for {
		old, err := oldEvents(ctx, store, environment, before, keep)
		if err != nil || len(old) == 0 {
			return dropped, err
		}
		_, err = store.Update(ctx, environment, func(tx Tx) (record.Change, error) {
			for _, number := range old {
				if err := Events.Delete(tx, environment, number); err != nil {
					return record.Change{}, err
				}
			}
			return record.Change{At: now, Internal: true}, nil
		})
		if err != nil {
			return dropped, fmt.Errorf("storage: trim the events of %q: %w", environment, err)
		}
		dropped += len(old)
	}
}

// oldEvents returns the numbers of the oldest events that are to go, trimStep at most.
func oldEvents(ctx context.Context, store Store, environment string, before time.Time, keep uint32) (old []string, err error) {
	err = store.View(ctx, func(r Reader) error {
		old = old[:0]
		end, err := EventEnds.Read(r, environment)
		if err != nil {
			if errors.Is(err, ErrNotFound) {
				return nil
			}
			return err
		}
		return Events.Scan(r, Ascending, func(_ []byte, e record.Event) bool {
			if end.Last-e.Number < keep && !e.At.Before(before) || len(old) == trimStep {
				return false
			}
			old = append(old, Number(e.Number))
			return true
		}, environment)
	})
	return old, err
}

// ScanAfter is Scan, ascending, for the records of the keys under parts that come after that of last.
func (t Table[T]) ScanAfter(r Reader, last string, each func(key []byte, v T) (more bool), parts ...string) error {
	_, end := Span(Key(t.letter, parts...))
	start := append(append(Key(t.letter, parts...), last...), 0, 0)
	return t.decoding(each, func(each func(key, value []byte) bool) error { return r.ScanRange(start, end, Ascending, each) })
}

// events reports events whose content is not what their key says, and those after the end of their Environment's.
func (c *checker) events() error {
	return each(c, Events, 2, func(at string, p []string, e record.Event) {
		end, err := EventEnds.Read(c.r, p[0])
		if Number(e.Number) != p[1] || err != nil || e.Number > end.Last {
			c.report(Finding{at, "it is not one of the events of its Environment", RepairDelete})
		}
	})
}
