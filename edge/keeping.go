package edge

import (
	"math"
	"strconv"
	"time"

	"example.com/livery/edge/records"
)

// keeping is how long an answer may be kept, and by whom.
type keeping struct {
	immutable bool  // a sealed pair at its number: it never changes
	private   bool  // nobody but the browser may keep it
	lifetime  int64 // seconds, of what may change
	left      int64 // seconds until the request's signature ends
}

// The seconds that Cache-Control speaks of.
const (
	immutableSeconds    = 31536000
	staleIfErrorSeconds = 86400
	unsigned            = math.MaxInt64 // seconds left where there is no signature
)

// keepingOf returns how long an answer may be kept that was found under a version; 0 is latest.
func keepingOf(t *records.ThemeState, p *records.PairState, version uint32) keeping {
	return keeping{
		immutable: version != 0 && p.Inputs.Sealed,
		private:   t.Rules.Private(),
		lifetime:  int64(t.Lifetime / time.Second),
		left:      unsigned,
	}
}

// append spells k. Nothing is kept beyond a signature's expiry, not even for when the edge cannot be
// reached.
func (k keeping) append(dst []byte) []byte {
	switch {
	case k.immutable && !k.private:
		return append(dst, "public, max-age=31536000, immutable"...)
	case k.immutable:
		dst = strconv.AppendInt(append(dst, "private, max-age="...), min(immutableSeconds, k.left), 10)
		return append(dst, ", immutable"...)
	case k.private:
		dst = append(dst, "private, max-age="...)
	default:
		dst = append(dst, "public, max-age="...)
	}
	fresh := min(k.lifetime, k.left)
	dst = strconv.AppendInt(dst, fresh, 10)
	return strconv.AppendInt(append(dst, ", stale-if-error="...), min(staleIfErrorSeconds, k.left-fresh), 10)
}
