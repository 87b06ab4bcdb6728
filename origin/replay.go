package origin

import (
	"errors"
	"time"
	"unicode/utf8"

	"example.com/livery/origin/theming"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

const (
	replayFor         = 24 * time.Hour // how long the answer to an idempotency key is kept
	maxIdempotencyKey = 255            // characters
)

// replayKey returns the request's Idempotency-Key: empty where it has none, and a refusal where what
// it has is no key.
func (q *request) replayKey() (string, error) {
	if len(q.idempotencyKeys) == 0 {
		return "", nil
	}
	key := q.idempotencyKeys[0]
	if n := utf8.RuneCountInString(key); len(q.idempotencyKeys) > 1 || n == 0 || n > maxIdempotencyKey {
		return "", invalid("Idempotency-Key: must be sent once, with 1 to 255 characters")
	}
	return key, nil
}

// replayName is the name under which the answer to the key is stored.
func (q *request) replayName(key string) string {
	return string(record.HashOf([]byte(q.caller.Subject + "\x00" + q.themeID + "\x00" + q.variantID + "\x00" + q.route.Path + "\x00" + key)))
}

// replay returns the first answer to the key; known is false where there is none, or no longer.
func (o *Origin) replay(r storage.Reader, q *request, key string) (old record.Replay, known bool, err error) {
	if key == "" {
		return old, false, nil
	}
	old, err = storage.Replays.Read(r, q.environmentID, q.replayName(key))
	if isMissing(err) {
		return old, false, nil
	}
	return old, err == nil && o.now().Before(old.ExpiresAt), err
}

// once lets a POST with an Idempotency-Key happen once: the answer is stored in the commit that it
// tells of, and given again to the same caller, path and key. The same key with another body is a
// conflict, after everything that is wrong with that body itself. A refused request has changed
// nothing and is judged anew.
func (o *Origin) once(q *request, do write) (write, error) {
	key, err := q.replayKey()
	if err != nil || key == "" {
		return do, err
	}
	name := q.replayName(key)
	body := record.HashOf([]byte(q.rawQuery + "\n" + q.body))
	return func(tx storage.Tx, p place) (answer, record.Change, error) {
		old, known, err := o.replay(tx, q, key)
		if err != nil {
			return answer{}, record.Change{}, err
		}
		if known && old.BodyHash == body {
			return answer{status: old.Status, body: old.Answer, headers: []header{{"Idempotency-Replayed", "true"}}}, record.Change{}, nil
		}
		a, change, err := do(tx, p)
		if known && !isFault(err) {
			return answer{}, record.Change{}, errConflict
		}
		if err != nil {
			return a, change, err
		}
		if err := o.sweepReplays(tx, q.environmentID, name); err != nil {
			return a, change, err
		}
		replay := record.Replay{BodyHash: body, Status: a.status, Answer: a.body, ExpiresAt: o.now().Add(replayFor)}
		return a, change, storage.Replays.Write(tx, replay, q.environmentID, name)
	}, nil
}

// isFault reports whether err comes before a conflict: the request or the plan is at fault, or the
// server.
func isFault(err error) bool {
	var refusal *theming.Error
	return err != nil && (!errors.As(err, &refusal) || refusal.Cause != theming.Conflict)
}

// sweptReplays is how many replays a sweep looks at in one place.
const sweptReplays = 8

// sweepReplays deletes expired replays whose names begin as name does. Names are hashes, so each request looks in
// another place, and deeper where a place is crowded: at a few dozen of any number. What has expired is found by the
// requests to come, so that fewer stay than are current.
func (o *Origin) sweepReplays(tx storage.Tx, environmentID, name string) error {
	var expired []string
	for digits := 2; ; digits++ {
		looked := 0
		err := tx.Scan(append(storage.Key('I', environmentID), name[:digits]...), storage.Ascending, func(key, value []byte) bool {
			var r record.Replay
			if looked++; record.Decode(value, &r) == nil && !o.now().Before(r.ExpiresAt) {
				expired = append(expired, storage.LastPart(key))
			}
			return looked < sweptReplays
		})
		if err != nil {
			return err
		}
		if looked < sweptReplays || digits == len(name) {
			break
		}
	}
	for _, old := range expired {
		if err := storage.Replays.Delete(tx, environmentID, old); err != nil {
			return err
		}
	}
	return nil
}
