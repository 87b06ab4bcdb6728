// Package coding has the content codings of HTTP: which one a client prefers, and the encoders, that of
// deltas to a file which the client has among them.
package coding

// Encoding is a content coding. The zero value is Identity.
type Encoding uint8

// The encodings, the ones that are preferred at equal weight last.
const (
	Identity Encoding = iota
	Gzip
	Zstd
	Brotli
	Delta // of each file there are as many as clients have dictionaries
)

// Count is the number of codings that there is one body of: all but Delta, the last.
const Count = 4

// Names are the codings' names in HTTP.
var Names = [...][]byte{
	Identity: []byte("identity"), Gzip: []byte("gzip"), Zstd: []byte("zstd"), Brotli: []byte("br"), Delta: []byte("dcz"),
}

// MinBytes is the length from which coding pays: a shorter body fits into one packet with its head.
const MinBytes = 1 << 10

// Effort is how long an encoding may take.
type Effort uint8

// The efforts.
const (
	Fast Effort = iota // a request waits
	Best               // no request waits, and what is made is sent for ever
)

// MaxBestBytes is the size up to which a file is encoded as small as it can be: brotli takes a second
// for it.
const MaxBestBytes = 1 << 20
