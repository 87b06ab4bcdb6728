package coding

import "bytes"

// Negotiate returns the coding that an Accept-Encoding field prefers (RFC 9110 section 12.5.3): the
// highest weight wins, and among equal ones br, zstd, gzip, identity. If even identity is refused
// it is sent all the same: there is nothing better. deltas reports whether the client would have a
// delta at least as much; it must be named, as "*" stands for what needs no dictionary.
func Negotiate(accept []byte) (enc Encoding, deltas bool) {
	const unset = -1
	weights := [len(Names)]int{unset, unset, unset, unset, 0}
	any := unset
	for len(accept) > 0 {
		var item []byte
		item, accept, _ = bytes.Cut(accept, comma)
		name, parameters, _ := bytes.Cut(item, semicolon)
		name = bytes.TrimSpace(name)
		weight := parseWeight(bytes.TrimSpace(parameters))
		if string(name) == "*" {
			any = weight
		} else if enc, ok := codingByName(name); ok {
			weights[enc] = weight
		}
	}
	best, bestWeight := Identity, 0
	for enc := Brotli; enc > Identity; enc-- {
		weight := weights[enc]
		if weight == unset {
			weight = any
		}
		if weight > bestWeight {
			best, bestWeight = enc, weight
		}
	}
	if weights[Identity] > bestWeight {
		best, bestWeight = Identity, weights[Identity]
	}
	return best, weights[Delta] > 0 && weights[Delta] >= bestWeight
}

var (
	comma     = []byte{','}
	semicolon = []byte{';'}
)

func codingByName(name []byte) (Encoding, bool) {
	for enc := range Names {
		if len(name) == len(Names[enc]) && bytes.EqualFold(name, Names[enc]) {
			return Encoding(enc), true
		}
	}
	if bytes.EqualFold(name, xGzip) {
		return Gzip, true
	}
	return 0, false
}

var xGzip = []byte("x-gzip")

// parseWeight reads "q=0.5" as 500, and nothing as 1000. What is not a weight counts as 0: a coding
// that was not clearly asked for is not sent.
func parseWeight(s []byte) int {
	if len(s) == 0 {
		return 1000
	}
	if len(s) < 3 || s[0]|0x20 != 'q' || s[1] != '=' || len(s) > 7 || s[2] != '0' && s[2] != '1' {
		return 0
	}
	weight := int(s[2]-'0') * 1000
	if len(s) == 3 {
		return weight
	}
	if s[3] != '.' {
		return 0
	}
	place := 100
	for _, c := range s[4:] {
		if c < '0' || c > '9' {
			return 0
		}
		weight += int(c-'0') * place
		place /= 10
	}
	return min(weight, 1000)
}
