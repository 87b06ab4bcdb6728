// Package policy decides whether a request may have a Theme's files: client address ranges, signed
// addresses, browser origins. It is pure: the clock, the client's address and the header values are
// arguments. It follows "Edge" 7.1 and 7.5 to 7.7 of the decisions that docs/api.md restates.
package policy

import (
	"bytes"
	"net/netip"
	"slices"
	"time"

	"example.com/livery/httpd/guard"
	"example.com/livery/storage/record"
)

// Rules is what a Theme's serving settings ask of a request, compiled. Rules are not changed after
// Compile and may be used concurrently. The zero value asks nothing.
type Rules struct {
	signed        bool
	keys          []record.SigningKey
	limitsOrigins bool // there is an allowlist, if only of entries that match nothing
	origins       []pattern
	missingOrigin string
	limitsIPs     bool // there are ranges, if only ones that match nothing
	ranges        []netip.Prefix
}

// Compile reads serving settings. An entry that is not well formed matches nothing: a list of such
// entries refuses every client.
func Compile(s record.Serving) *Rules {
	r := &Rules{
		signed:        s.Mode == "signed",
		keys:          s.SigningKeys,
		limitsOrigins: len(s.AllowedOrigins) > 0,
		missingOrigin: s.MissingOrigin,
		limitsIPs:     len(s.AllowedIPRanges) > 0,
	}
	for _, entry := range s.AllowedOrigins {
		if p, ok := parsePattern(entry); ok {
			r.origins = append(r.origins, p)
		}
	}
	for _, entry := range s.AllowedIPRanges {
		if p, ok := guard.ParseRange(entry); ok {
			r.ranges = append(r.ranges, p)
		}
	}
	return r
}

// Equal reports whether two Rules ask the same; nil is equal to nil alone.
func (r *Rules) Equal(other *Rules) bool {
	if r == nil || other == nil {
		return r == other
	}
	sameKey := func(a, b record.SigningKey) bool { return a.ID == b.ID && bytes.Equal(a.Secret, b.Secret) }
	return r.signed == other.signed && r.limitsOrigins == other.limitsOrigins && r.limitsIPs == other.limitsIPs &&
		r.missingOrigin == other.missingOrigin && slices.EqualFunc(r.keys, other.keys, sameKey) &&
		slices.Equal(r.origins, other.origins) && slices.Equal(r.ranges, other.ranges)
}

// Private reports whether any check is configured, so that only the browser itself may keep answers.
func (r *Rules) Private() bool { return r.signed || r.limitsOrigins || r.limitsIPs }

// ChecksOrigin reports whether there is an origin allowlist, so that answers depend on the origin.
func (r *Rules) ChecksOrigin() bool { return r.limitsOrigins }

// ChecksClient reports whether there are address ranges, so that Request.Client matters.
func (r *Rules) ChecksClient() bool { return r.limitsIPs }

// Signed reports whether addresses must be signed, so that Request.Query and Now matter.
func (r *Rules) Signed() bool { return r.signed }

// HasKeys reports whether any key can verify a signed address.
func (r *Rules) HasKeys() bool {
	for _, key := range r.keys {
		if len(key.Secret) > 0 {
			return true
		}
	}
	return false
}

// Request is what the rules look at. Byte slices are only read, and only during Decide.
type Request struct {
	Client netip.Addr // the zero Addr is in no range
	Path   []byte     // as sent, without query
	Modes  []byte     // that the query begins with, percent-decoded, which a signature covers; empty: none
	Query  []byte     // what follows them, as sent, without "?" or "&"
	Now    time.Time

	Origins      [][]byte // values of every Origin header
	Referers     [][]byte // values of every Referer header
	Host         []byte
	SecFetchSite []byte
	SecFetchDest []byte
	SecCHUA      []byte
	UserAgent    []byte
}

// Decision is the answer to one request.
type Decision struct {
	Allowed     bool
	Reason      string    // which check refused, for metrics: "ip", "signature", "origin"; empty when allowed
	Expires     time.Time // of the signature; zero if none was asked for
	AllowOrigin []byte    // the Origin header that an allowlist matched, part of Request; nil: there is none to echo
}

// Decide applies the rules in their order: address range, signature, origin.
func (r *Rules) Decide(req *Request) Decision {
	if r.limitsIPs && !guard.InRanges(r.ranges, req.Client) {
		return Decision{Reason: "ip"}
	}
	var d Decision
	if r.signed {
		expires, ok := r.verify(req)
		if !ok {
			return Decision{Reason: "signature"}
		}
		d.Expires = expires
	}
	if r.limitsOrigins {
		echo, ok := r.admits(req)
		if !ok {
			return Decision{Reason: "origin"}
		}
		d.AllowOrigin = echo
	}
	d.Allowed = true
	return d
}
