package respond

import (
	"math"
	"strconv"
)

// CacheControl is how long an answer may be stored, and by which caches.
type CacheControl struct {
	Immutable bool  // a sealed pair at its number: it never changes
	Private   bool  // only the browser may store it
	Lifetime  int64 // seconds, of what may change
	Left      int64 // seconds until the request's signature ends, or Unsigned
}

// The seconds that Cache-Control speaks of.
const (
	immutableSeconds    = 31536000
	staleIfErrorSeconds = 86400
)

// Unsigned are the seconds left to a request without a signature.
const Unsigned = math.MaxInt64

// append spells c. Nothing is stored beyond a signature's expiry, not even for when the edge cannot be
// reached.
func (c CacheControl) append(dst []byte) []byte {
	switch {
	case c.Immutable && !c.Private:
		return append(dst, "public, max-age=31536000, immutable"...)
	case c.Immutable:
		dst = strconv.AppendInt(append(dst, "private, max-age="...), min(immutableSeconds, c.Left), 10)
		return append(dst, ", immutable"...)
	case c.Private:
		dst = append(dst, "private, max-age="...)
	default:
		dst = append(dst, "public, max-age="...)
	}
	fresh := min(c.Lifetime, c.Left)
	dst = strconv.AppendInt(dst, fresh, 10)
	return strconv.AppendInt(append(dst, ", stale-if-error="...), min(staleIfErrorSeconds, c.Left-fresh), 10)
}
