package api

import (
	"context"
	"strings"

	"example.com/livery/origin/share"
)

// heavyBytes is the size from which a document or a body takes milliseconds to work with.
const heavyBytes = 64 << 10

// Estimates of what a JSON text becomes.
const (
	parsedBytes = 56 // bytes of memory for each byte of a text of short values
	answerBytes = 2  // bytes of an answer for each byte of a document
)

// isHeavy reports whether what q asks for needs a turn: work below the tokens of a Theme or a Variant, such as previews,
// comparisons and publishes, and whatever has a large document or body.
func (q *request) isHeavy(t target) bool {
	inTokens := strings.Contains(q.route.Path, "/tokens")
	return strings.Contains(q.route.Path, "/tokens/") ||
		len(q.body) >= heavyBytes || inTokens && documentBytes(t) >= heavyBytes
}

// documentBytes is the size of the largest document that what the path names has or had.
func documentBytes(t target) int { return max(t.theme.Bytes, t.variant.Bytes) }

// takeTurn waits for the turn of q's heavy work, for as long as requests may wait and the origin runs, and then reserves
// memory for its answer: share.ErrFull if one of them cannot be had. What waits takes no memory.
func (h *Handler) takeTurn(q *request, t target) (err error) {
	ctx, cancel := context.WithTimeout(h.config.Streams, h.config.Limits.TurnTimeout)
	defer cancel()
	if q.turn, err = h.config.Turns.Take(ctx, q.sharer, parsedBytes*int64(max(documentBytes(t), len(q.body)))); err != nil {
		return share.ErrFull
	}
	return q.room.Resize(answerBytes * int64(documentBytes(t)))
}
