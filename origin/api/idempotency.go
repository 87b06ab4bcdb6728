package api

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/valyala/fasthttp"

	"example.com/livery/origin/auth"
	"example.com/livery/origin/httpserver"
	"example.com/livery/origin/theming"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

const (
	replayFor         = 24 * time.Hour // how long the answer to an idempotency key is stored
	maxIdempotencyKey = 255            // characters
)

var errIdempotencyKey = invalid("Idempotency-Key: must be sent once, with 1 to 255 characters")

// replayName is the name under which the answer to the request's key is stored.
func (q *request) replayName() string {
	what := q.variantID
	if q.webhookID != "" {
		what = q.webhookID + "\x00" + q.deliveryID
	}
	return string(record.HashOf([]byte(q.caller.Subject + "\x00" + q.themeID + "\x00" + what + "\x00" + q.route.Path + "\x00" + q.key)))
}

// bodyHash is equal for two requests with one idempotency key if they ask for the same. That of a POST has no method: it is
// as it was when no other request could carry a key.
func (q *request) bodyHash() record.Hash {
	asked := q.rawQuery + "\n" + q.body
	if q.route.Method != fasthttp.MethodPost {
		asked = q.route.Method + " " + asked
	}
	return record.HashOf([]byte(asked))
}

// replayed returns a first answer, which is stored under the name, once more.
func replayed(m *auth.Master, name string, first record.Replay) (a httpserver.Answer, err error) {
	a = httpserver.Answer{Status: first.Status, Body: first.Answer, Secret: first.Sealed}
	switch {
	case first.Packed:
		a.Body, err = httpserver.Unpack(first.Answer)
	case first.Sealed:
		a.Body, err = m.OpenAnswer(name, first.Answer)
	}
	for _, name := range slices.Sorted(maps.Keys(first.Headers)) {
		a = a.With(name, first.Headers[name])
	}
	return a.With("Idempotency-Replayed", "true"), err
}

// smallestPacked is how long an answer is at least that is stored compressed.
const smallestPacked = 16 << 10 // bytes

// storeAnswer stores a request's answer under its idempotency key, and deletes some that have expired.
func (h *Handler) storeAnswer(tx storage.Tx, q *request, a httpserver.Answer) error {
	name := q.replayName()
	if err := h.sweepReplays(tx, q.environmentID, name); err != nil {
		return err
	}
	replay := record.Replay{BodyHash: q.bodyHash(), Status: a.Status, Answer: a.Body, ExpiresAt: h.config.Now().Add(replayFor)}
	switch {
	case a.Secret:
		replay.Answer, replay.Sealed = h.config.Master.SealAnswer(name, a.Body), true
	case len(a.Body) >= smallestPacked:
		replay.Answer, replay.Packed = httpserver.Pack(a.Body), true
	}
	for _, header := range a.Headers {
		if replay.Headers == nil {
			replay.Headers = map[string]string{}
		}
		replay.Headers[header.Name] = header.Value
	}
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
