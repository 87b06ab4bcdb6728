package loop

// Field is what the loop does with a header of a name. The zero Field is that of a header which is ignored.
type Field uint8

const (
	fieldIgnored Field = iota // no answer depends on it
	fieldServers              // a request that has it goes to the full server
	fieldHost
	fieldConnection
	fieldContentLength
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

// Ignored reports whether no answer to a GET for a file depends on such a header.
func (f Field) Ignored() bool { return f == fieldIgnored }

// fieldNames lists, in lower case, every header that the answer to a GET for a file depends on. Source and handler
// ignore all others. A header that the edge begins to read must be added: TestFullServerReadsListedHeaders.
var fieldNames = map[string]Field{
	// Where the request ends, and what happens to its connection.
	"host":              fieldHost,          // a request without exactly one is answered 400; rules compare it with the allowed origins
	"content-length":    fieldContentLength, // a body follows unless it is 0
	"transfer-encoding": fieldServers,       // a body follows
	"trailer":           fieldServers,       // naming a field that cannot be a trailer is answered 400
	"expect":            fieldServers,       // 100 (Continue) precedes the answer
	"connection":        fieldConnection,    // "close" ends the connection

	// Which bytes are sent.
	"accept-encoding":      fieldAcceptEncoding,      // selects the coding
	"available-dictionary": fieldAvailableDictionary, // selects the delta
	"sec-fetch-mode":       fieldSecFetchMode,        // whether the page may read a delta
	"range":                fieldRange,               // selects a part
	"if-range":             fieldIfRange,             // whether Range holds
	"if-none-match":        fieldIfNoneMatch,         // 304 (Not Modified)
	"if-match":             fieldServers,             // 412 (Precondition Failed)
	"want-repr-digest":     fieldServers,             // adds a Repr-Digest that may have to be computed

	// Whether the rules of the Theme allow them.
	"origin":          fieldOrigin,       // compared with the allowed origins, and echoed
	"referer":         fieldReferer,      // names the origin if Origin does not
	"sec-fetch-site":  fieldSecFetchSite, // same-origin; marks a browser; whether the page may read a delta
	"sec-fetch-dest":  fieldSecFetchDest, // marks a browser
	"sec-ch-ua":       fieldSecCHUA,      // marks a browser
	"user-agent":      fieldUserAgent,    // marks a browser
	"x-forwarded-for": fieldForwardedFor, // names the client behind a trusted proxy
}

// maxFieldName is the length of the longest name in fieldNames.
const maxFieldName = len("available-dictionary")

type namedField struct {
	name  string
	field Field
}

// fieldsByLength has the entries of fieldNames by the lengths of their names.
var fieldsByLength = func() (byLength [maxFieldName + 1][]namedField) {
	for name, f := range fieldNames {
		byLength[len(name)] = append(byLength[len(name)], namedField{name, f})
	}
	return byLength
}()

// FieldOf returns the Field of the header with a name, which is a token (RFC 9110, section 5.6.2) in any case.
func FieldOf(name []byte) Field {
	if len(name) > maxFieldName {
		return fieldIgnored
	}
	for _, named := range fieldsByLength[len(name)] {
		if equalFold(name, named.name) {
			return named.field
		}
	}
	return fieldIgnored
}

// equalFold compares a token with lower-case letters and "-" of the same length: in a token no other byte than an
// upper-case letter becomes one of these with bit 5 set.
func equalFold(token []byte, lower string) bool {
	for i, c := range token {
		if c|0x20 != lower[i] {
			return false
		}
	}
	return true
}
