package edge

// encoding is a content coding. The zero value is identity.
type encoding uint8

// The encodings, the ones that are preferred at equal weight last.
const (
	identity encoding = iota
	gzipped
	zstandard
	brotlied
	deltified // of each file there are as many as clients have dictionaries
)

// encodingCount is the number of codings that there is one body of: all but deltified, the last.
const encodingCount = 4

// encodingNames are the codings' names in HTTP, and etagSuffixes what tells the validators of those of
// one body apart.
var (
	encodingNames = [...][]byte{
		identity: []byte("identity"), gzipped: []byte("gzip"), zstandard: []byte("zstd"), brotlied: []byte("br"), deltified: []byte("dcz"),
	}
	etagSuffixes = [encodingCount]string{"", "-gz", "-zst", "-br"}
)

// A body shorter than this fits into one packet with its head as it is.
const minEncodeBytes = 1 << 10

// effort is how long an encoding may take.
type effort uint8

const (
	quick effort = iota // somebody waits
	best                // nobody waits, and what is made is sent for ever
)

// bestBytes is the size up to which a file is encoded as small as it can be: brotli takes a second
// for it.
const bestBytes = 1 << 20
