package edge

import (
	"bytes"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// encoding is a content coding. The zero value is identity.
type encoding uint8

// The encodings, the ones that are preferred at equal weight last.
const (
	identity encoding = iota
	gzipped
	zstandard
	brotlied
)

const encodingCount = 4

// encodingNames are the codings' names in HTTP, and etagSuffixes what tells their validators apart.
var (
	encodingNames = [encodingCount][]byte{[]byte("identity"), []byte("gzip"), []byte("zstd"), []byte("br")}
	etagSuffixes  = [encodingCount]string{"", "-gz", "-zst", "-br"}
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

// encode returns content in that coding. The same content and effort give the same bytes.
func encode(content []byte, enc encoding, how effort) ([]byte, error) {
	var out bytes.Buffer
	out.Grow(len(content) / 4)
	w, err := newEncoder(&out, enc, how)
	if err != nil {
		return nil, fmt.Errorf("edge: encode: %w", err)
	}
	if _, err = w.Write(content); err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("edge: encode: %w", err)
	}
	return bytes.Clone(out.Bytes()), nil // to its own length: it is kept
}

// levels are what quick and best mean for the coding.
type levels struct {
	gzip, brotli int
	zstd         zstd.EncoderLevel
}

var effortLevels = [...]levels{
	quick: {gzip: 6, brotli: 5, zstd: zstd.SpeedDefault},
	best:  {gzip: gzip.BestCompression, brotli: brotli.BestCompression, zstd: zstd.SpeedBestCompression},
}

func newEncoder(out io.Writer, enc encoding, how effort) (io.WriteCloser, error) {
	at := effortLevels[how]
	switch enc {
	case gzipped:
		return gzip.NewWriterLevel(out, at.gzip)
	case zstandard:
		return zstd.NewWriter(out, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(at.zstd))
	case brotlied:
		return brotli.NewWriterLevel(out, at.brotli), nil
	}
	return nil, fmt.Errorf("there is no coding %d", enc)
}
