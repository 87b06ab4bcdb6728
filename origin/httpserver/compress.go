package httpserver

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/valyala/fasthttp"
)

// smallestCompressed is how long a body is at least that is compressed: a shorter one fits into a packet anyway.
const smallestCompressed = 1024 // bytes

// Compressed returns the answer in the coding that the Accept-Encoding lines prefer. An answer that holds a secret stays as
// it is, because how well it is compressed would tell of the secret (BREACH). The entity tag stays too: it names the state
// that was answered, nothing is read in ranges, and the client sends it back in If-Match.
func (a Answer) Compressed(accept []string) Answer {
	if a.Status == fasthttp.StatusNotModified || a.Body != nil {
		a = a.Varying(fasthttp.HeaderAcceptEncoding)
	}
	coding := preferred(accept)
	if coding == "" || a.Secret || len(a.Body) < smallestCompressed {
		return a
	}
	a.Body = compressors[coding](a.Body)
	return a.With(fasthttp.HeaderContentEncoding, coding)
}

// codings are those that answers are compressed in; of several that a client likes the same the first is taken.
var codings = []string{"br", "zstd", "gzip"}

// preferred returns the coding that the Accept-Encoding lines prefer (RFC 9110 section 12.5.3); "" for none.
func preferred(accept []string) string {
	weights := map[string]float64{}
	for item := range strings.SplitSeq(strings.ToLower(strings.Join(accept, ",")), ",") {
		name, parameter, weighted := strings.Cut(item, ";")
		weight := 1.0
		if weighted {
			weight, _ = strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(parameter), "q="), 64) // 0 if it is not a weight
		}
		weights[strings.TrimSpace(name)] = weight
	}
	best, bestWeight := "", 0.0
	for _, name := range codings {
		weight, named := weights[name]
		if !named {
			weight = weights["*"]
		}
		if weight > bestWeight {
			best, bestWeight = name, weight
		}
	}
	if weights["identity"] > bestWeight {
		return ""
	}
	return best
}

// compressors compress a body in each coding, at a level that costs some 2 ms for a megabyte.
var compressors = map[string]func([]byte) []byte{
	"br":   written(func() resetWriter { return brotli.NewWriterLevel(nil, 1) }),
	"gzip": written(func() resetWriter { return gzip.NewWriter(nil) }),
	"zstd": Pack,
}

// resetWriter is a compressor that is used again and again.
type resetWriter interface {
	io.WriteCloser
	Reset(io.Writer)
}

func written(newWriter func() resetWriter) func([]byte) []byte {
	pool := sync.Pool{New: func() any { return newWriter() }}
	return func(body []byte) []byte {
		var out bytes.Buffer
		out.Grow(len(body) / 8)
		w := pool.Get().(resetWriter)
		defer pool.Put(w)
		w.Reset(&out)
		_, _ = w.Write(body) // a buffer takes everything
		_ = w.Close()
		return out.Bytes()
	}
}

var (
	packer   = sync.OnceValue(func() *zstd.Encoder { return must(zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest))) })
	unpacker = sync.OnceValue(func() *zstd.Decoder { return must(zstd.NewReader(nil, zstd.WithDecoderConcurrency(0))) })
)

// must returns v: the options above are right.
func must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("httpserver: zstd: %v", err))
	}
	return v
}

// Pack compresses a body with zstd.
func Pack(body []byte) []byte { return packer().EncodeAll(body, nil) }

// Unpack returns what Pack packed, or an error if it is damaged.
func Unpack(packed []byte) ([]byte, error) {
	body, err := unpacker().DecodeAll(packed, nil)
	if err != nil {
		return nil, fmt.Errorf("httpserver: unpack a body: %w", err)
	}
	return body, nil
}
