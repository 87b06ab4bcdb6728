// Package respond decides what an edge answers to a request for a file, and writes it: for fasthttp, or as the bytes that
// the event loop sends. It also has the refusals.
package respond

// header is a header of answers, in the canonical spelling that fasthttp need not normalise.
type header struct {
	name  []byte
	value []byte // the only one; nil: each answer has its own
	line  []byte // with the value and CRLF, or up to the first byte of the value
}

func newHeader(name, value string) *header {
	if value == "" {
		return &header{name: []byte(name), line: []byte(name + ": ")}
	}
	return &header{[]byte(name), []byte(value), []byte(name + ": " + value + "\r\n")}
}

var (
	acceptRanges       = newHeader("Accept-Ranges", "bytes")
	age                = newHeader("Age", "")
	allow              = newHeader("Allow", methods)
	allowAnyHeader     = newHeader("Access-Control-Allow-Headers", "*")
	allowMethods       = newHeader("Access-Control-Allow-Methods", methods)
	allowAnyOrigin     = newHeader("Access-Control-Allow-Origin", "*")
	allowOrigin        = newHeader("Access-Control-Allow-Origin", "")
	cacheControl       = newHeader("Cache-Control", "")
	cacheStatus        = newHeader("Cache-Status", "")
	contentRange       = newHeader("Content-Range", "")
	contentTypeOptions = newHeader("X-Content-Type-Options", "nosniff")
	etag               = newHeader("ETag", "")
	eventStream        = newHeader("Content-Type", "text/event-stream")
	exposeHeaders      = newHeader("Access-Control-Expose-Headers", "Age, Cache-Status, ETag, Repr-Digest")
	maxAge             = newHeader("Access-Control-Max-Age", "600")
	reprDigest         = newHeader("Repr-Digest", "")
	resourcePolicy     = newHeader("Cross-Origin-Resource-Policy", "cross-origin")
	serverTiming       = newHeader("Server-Timing", "")
	timingAnyOrigin    = newHeader("Timing-Allow-Origin", "*")
	timingOrigin       = newHeader("Timing-Allow-Origin", "")
	unbuffered         = newHeader("X-Accel-Buffering", "no") // nginx passes each event on at once
	useAsDictionary    = newHeader("Use-As-Dictionary", "")
	varyEncoding       = newHeader("Vary", "Accept-Encoding")
	varyOrigin         = newHeader("Vary", "Accept-Encoding, Origin")
	varyDictionary     = newHeader("Vary", "Accept-Encoding, Available-Dictionary")
	varyDelta          = newHeader("Vary", "Accept-Encoding, Available-Dictionary, Sec-Fetch-Mode, Sec-Fetch-Site")
)

var noStore = []byte("no-store")

const methods = "GET, HEAD, OPTIONS"

// JSONType is the content type of refusals.
var JSONType = []byte("application/json")
