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

// largeBytes is the size from which brotli's best trade costs more than it saves: encoding is done
// while somebody waits.
const largeBytes = 256 << 10

// encode returns content in that coding. The same content gives the same bytes.
func encode(content []byte, enc encoding) ([]byte, error) {
	var out bytes.Buffer
	out.Grow(len(content) / 4)
	w, err := newEncoder(&out, enc, len(content))
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

func newEncoder(out io.Writer, enc encoding, size int) (io.WriteCloser, error) {
	switch enc {
	case gzipped:
		return gzip.NewWriterLevel(out, gzip.BestCompression)
	case zstandard:
		return zstd.NewWriter(out, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBetterCompression))
	case brotlied:
		if size > largeBytes {
			return brotli.NewWriterLevel(out, 5), nil
		}
		return brotli.NewWriterLevel(out, 9), nil
	}
	return nil, fmt.Errorf("there is no coding %d", enc)
}
