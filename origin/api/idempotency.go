package api

import (
	"errors"
	"time"
	"unicode/utf8"

	"example.com/livery/origin/httpserver"
	"example.com/livery/origin/theming"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

const (
	replayFor         = 24 * time.Hour // how long the answer to an idempotency key is stored
	maxIdempotencyKey = 255            // characters
)

// idempotencyKey returns the request's Idempotency-Key: empty if it has none, and a refusal if what it has is not a valid
// key.
func (q *request) idempotencyKey() (string, error) {
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

// bodyHash is equal for two requests with one idempotency key if they ask for the same.
func (q *request) bodyHash() record.Hash { return record.HashOf([]byte(q.rawQuery + "\n" + q.body)) }

// firstAnswer returns the answer to the first request with the key; known is false if there was none, or it has expired,
// or key is empty. An answer is stored in the commit that it reports, so that a POST with an Idempotency-Key happens
// once. A refused request has changed nothing and is decided anew.
func (h *Handler) firstAnswer(r storage.Reader, q *request, key string) (first record.Replay, known bool, err error) {
	if key == "" {
		return first, false, nil
	}
	first, err = storage.Replays.Read(r, q.environmentID, q.replayName(key))
	if isMissing(err) {
		return first, false, nil
	}
	return first, err == nil && h.config.Now().Before(first.ExpiresAt), err
}

// replayed is the decision to give the first answer again and to change nothing.
func replayed(first record.Replay) decision {
	return decision{answer: httpserver.Answer{Status: first.Status, Body: first.Answer, Headers: []httpserver.Header{{Name: "Idempotency-Replayed", Value: "true"}}}}
}

// storeAnswer stores a request's answer under its idempotency key, and deletes some that have expired. It does nothing if
// key is empty.
func (h *Handler) storeAnswer(tx storage.Tx, q *request, key string, a httpserver.Answer) error {
	if key == "" {
		return nil
	}
	name := q.replayName(key)
	if err := h.sweepReplays(tx, q.environmentID, name); err != nil {
		return err
	}
	replay := record.Replay{BodyHash: q.bodyHash(), Status: a.Status, Answer: a.Body, ExpiresAt: h.config.Now().Add(replayFor)}
	return storage.Replays.Write(tx, replay, q.environmentID, name)
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
// another place, and deeper if a place is crowded: at a few dozen of any number. What has expired is found by the
// requests to come, so that fewer stay than are current.
func (h *Handler) sweepReplays(tx storage.Tx, environmentID, name string) error {
	var expired []string
	for digits := 2; ; digits++ {
		looked := 0
		err := tx.Scan(append(storage.Key('I', environmentID), name[:digits]...), storage.Ascending, func(key, value []byte) bool {
			var r record.Replay
			if looked++; record.Decode(value, &r) == nil && !h.config.Now().Before(r.ExpiresAt) {
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
