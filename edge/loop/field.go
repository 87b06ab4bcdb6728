package loop

import (
	"encoding/binary"
	"math/bits"
)

// field is what the loop does with a header of a name.
type field uint8

const (
	fieldUnknown  field = iota // the request is the server's
	fieldHarmless              // its value changes no answer, and it may come several times
	fieldHost
	fieldConnection
	fieldAcceptEncoding
	fieldAvailableDictionary
	fieldIfNoneMatch
	fieldOrigin
	fieldReferer
	fieldSecFetchMode
	fieldSecFetchSite
	fieldSecFetchDest
	fieldSecCHUA
	fieldUserAgent
	fieldForwardedFor
	fieldRange
	fieldIfRange
)

// fieldNames are the known headers in lower case. What frames a request,
// expects something or changes the connection is not among them: serversPrefixes.
var fieldNames = map[string]field{
	"host":            fieldHost,
	"connection":      fieldConnection,
	"accept-encoding": fieldAcceptEncoding,
	"if-none-match":   fieldIfNoneMatch,
	"origin":          fieldOrigin,
	"referer":         fieldReferer,
	"sec-fetch-mode":  fieldSecFetchMode,
	"sec-fetch-site":  fieldSecFetchSite,
	"sec-fetch-dest":  fieldSecFetchDest,
	"sec-ch-ua":       fieldSecCHUA,
	"user-agent":      fieldUserAgent,
	"x-forwarded-for": fieldForwardedFor,
	"range":           fieldRange,
	"if-range":        fieldIfRange,

	"available-dictionary": fieldAvailableDictionary,

	// What browsers send.
	"accept":                        fieldHarmless,
	"accept-language":               fieldHarmless,
	"cache-control":                 fieldHarmless,
	"cookie":                        fieldHarmless,
	"device-memory":                 fieldHarmless,
	"dnt":                           fieldHarmless,
	"downlink":                      fieldHarmless,
	"dpr":                           fieldHarmless,
	"ect":                           fieldHarmless,
	"if-modified-since":             fieldHarmless,
	"pragma":                        fieldHarmless,
	"priority":                      fieldHarmless,
	"purpose":                       fieldHarmless,
	"rtt":                           fieldHarmless,
	"save-data":                     fieldHarmless,
	"sec-ch-prefers-color-scheme":   fieldHarmless,
	"sec-ch-prefers-reduced-motion": fieldHarmless,
	"sec-ch-ua-arch":                fieldHarmless,
	"sec-ch-ua-bitness":             fieldHarmless,
	"sec-ch-ua-form-factors":        fieldHarmless,
	"sec-ch-ua-full-version":        fieldHarmless,
	"sec-ch-ua-full-version-list":   fieldHarmless,
	"sec-ch-ua-mobile":              fieldHarmless,
	"sec-ch-ua-model":               fieldHarmless,
	"sec-ch-ua-platform":            fieldHarmless,
	"sec-ch-ua-platform-version":    fieldHarmless,
	"sec-ch-ua-wow64":               fieldHarmless,
	"sec-fetch-storage-access":      fieldHarmless,
	"sec-fetch-user":                fieldHarmless,
	"sec-gpc":                       fieldHarmless,
	"sec-purpose":                   fieldHarmless,
	"upgrade-insecure-requests":     fieldHarmless,
	"viewport-width":                fieldHarmless,
	"width":                         fieldHarmless,

	// What proxies and clouds add.
	"baggage":               fieldHarmless,
	"cdn-loop":              fieldHarmless,
	"cf-connecting-ip":      fieldHarmless,
	"cf-ipcountry":          fieldHarmless,
	"cf-ray":                fieldHarmless,
	"cf-visitor":            fieldHarmless,
	"fastly-client-ip":      fieldHarmless,
	"forwarded":             fieldHarmless,
	"traceparent":           fieldHarmless,
	"tracestate":            fieldHarmless,
	"true-client-ip":        fieldHarmless,
	"via":                   fieldHarmless,
	"x-amz-cf-id":           fieldHarmless,
	"x-amzn-trace-id":       fieldHarmless,
	"x-client-ip":           fieldHarmless,
	"x-cloud-trace-context": fieldHarmless,
	"x-forwarded-host":      fieldHarmless,
	"x-forwarded-port":      fieldHarmless,
	"x-forwarded-proto":     fieldHarmless,
	"x-forwarded-server":    fieldHarmless,
	"x-real-ip":             fieldHarmless,
	"x-request-id":          fieldHarmless,
	"x-requested-with":      fieldHarmless,
}

// serversPrefixes begin the names, in lower case, that speak of a body, conditions, digests, the connection, the method or
// who asks: a request with such a header is the server's, unless it is one of fieldNames.
var serversPrefixes = []string{
	"access-control-", "authorization", "connection", "content", "expect", "host", "http", "if-", "keep-alive", "proxy-", "range", "te", "trailer", "transfer",
	"upgrade", "want-", "x-http-", "x-method",
}

// harmlessName reports whether a header of a name that is not known changes no answer: every reader takes such a
// name as it is written, and the server does nothing with it.
func harmlessName(name []byte) bool {
	for _, c := range name {
		if !nameBytes[c] {
			return false
		}
	}
	for _, prefix := range serversPrefixes {
		if len(name) >= len(prefix) && equalFold(name[:len(prefix)], prefix) {
			return false
		}
	}
	return true
}

// fieldTable finds a field by a hash of its name; a place that is taken sends the search to the next.
var fieldTable = tableOf(fieldNames)

// nameWords is the start of a header line as numbers, in lower case and zero behind the name: so names
// are compared eight letters at a time (BenchmarkScan).
type nameWords [4]uint64

type fieldEntry struct {
	name  nameWords
	field field // fieldUnknown: the place is free
}

const (
	fieldSlots   = 512
	maxFieldName = 8*len(nameWords{}) - 1
)

func tableOf(names map[string]field) *[fieldSlots]fieldEntry {
	var table [fieldSlots]fieldEntry
	for name, f := range names {
		words, _ := readName([]byte(name + ":"))
		slot := words.slot()
		for table[slot].field != fieldUnknown {
			slot = (slot + 1) % fieldSlots
		}
		table[slot] = fieldEntry{words, f}
	}
	return &table
}

func (w *nameWords) slot() uint64 {
	h := w[0]*0x9e3779b97f4a7c15 ^ w[1]*0xc2b2ae3d27d4eb4f ^ w[2]*0x165667b19e3779f9 ^ w[3]*0x27d4eb2f165667c5
	return (h ^ h>>29) >> 13 % fieldSlots
}

// fieldOf looks up the name that a header line, which holds no control character, begins with, and
// returns the position of its colon. A name that is neither known nor harmless is fieldUnknown.
func fieldOf(line []byte) (f field, colon int) {
	words, colon := readName(line)
	if colon <= 0 {
		return fieldUnknown, 0
	}
	for slot := words.slot(); ; slot = (slot + 1) % fieldSlots {
		e := &fieldTable[slot]
		if e.field == fieldUnknown && harmlessName(line[:colon]) {
			return fieldHarmless, colon
		}
		if e.name == words || e.field == fieldUnknown {
			return e.field, colon
		}
	}
}

const (
	ones    = 0x0101010101010101
	highs   = 0x8080808080808080
	colons  = ':' * ones
	lowered = 0x20 * ones // tells upper case from lower; no other character becomes one of a name
)

// readName reads the name before the first colon of line, and returns the position of that; -1: not within reach.
func readName(line []byte) (words nameWords, colon int) {
	const reach = maxFieldName + 1
	var short [reach]byte
	if len(line) < reach {
		copy(short[:], line)
		line = short[:]
	}
	for i := range words {
		word := binary.LittleEndian.Uint64(line[8*i:])
		found := word ^ colons
		if found = (found - ones) &^ found & highs; found != 0 {
			n := bits.TrailingZeros64(found) &^ 7
			words[i] = (word | lowered) & (1<<n - 1)
			return words, 8*i + n/8
		}
		words[i] = word | lowered
	}
	return words, -1
}

// equalFold compares b, which holds no control character, with a text of lower-case letters and "-".
func equalFold(b []byte, lower string) bool {
	if len(b) != len(lower) {
		return false
	}
	for i := range b {
		if b[i]|0x20 != lower[i] {
			return false
		}
	}
	return true
}
