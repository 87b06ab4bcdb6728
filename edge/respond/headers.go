// Package respond has what the edge answers: headers, refusals.
package respond

// The heads of answers, in the canonical spelling that fasthttp need not normalise.
var (
	KeyAcceptRanges       = []byte("Accept-Ranges")
	KeyAge                = []byte("Age")
	KeyAllow              = []byte("Allow")
	KeyAllowHeaders       = []byte("Access-Control-Allow-Headers")
	KeyAllowMethods       = []byte("Access-Control-Allow-Methods")
	KeyAllowOrigin        = []byte("Access-Control-Allow-Origin")
	KeyCacheControl       = []byte("Cache-Control")
	KeyCacheStatus        = []byte("Cache-Status")
	KeyContentRange       = []byte("Content-Range")
	KeyContentTypeOptions = []byte("X-Content-Type-Options")
	KeyETag               = []byte("ETag")
	KeyExposeHeaders      = []byte("Access-Control-Expose-Headers")
	KeyMaxAge             = []byte("Access-Control-Max-Age")
	KeyResourcePolicy     = []byte("Cross-Origin-Resource-Policy")
	KeyServerTiming       = []byte("Server-Timing")
	KeyUseAsDictionary    = []byte("Use-As-Dictionary")
	KeyVary               = []byte("Vary")

	ValueAny         = []byte("*")
	ValueBytes       = []byte("bytes")
	ValueCrossOrigin = []byte("cross-origin")
	ValueMethods     = []byte("GET, HEAD, OPTIONS")
	ValueNosniff     = []byte("nosniff")
	ValueNotStored   = []byte("livery; fwd=uri-miss")
	ValueTenMinutes  = []byte("600")
	ValueExposed     = []byte("Age, Cache-Status, ETag")
	VaryEncoding     = []byte("Accept-Encoding")
	VaryOrigin       = []byte("Accept-Encoding, Origin")
	VaryDictionary   = []byte("Accept-Encoding, Available-Dictionary")
	VaryDelta        = []byte("Accept-Encoding, Available-Dictionary, Sec-Fetch-Mode, Sec-Fetch-Site")

	JSONType = []byte("application/json")
)
