package httpserver

import (
	"bytes"
	"fmt"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/valyala/fasthttp"
)

// Static answers with a file that stays the same as long as the process runs. It compresses the file once for each
// coding, when a client first likes that one. Its methods may be called concurrently.
type Static struct {
	answer Answer
	coded  map[string]func() []byte // the file by coding
}

// NewStatic returns the Static of a file. headers stand in every answer.
func NewStatic(file []byte, contentType string, headers ...Header) *Static {
	a := Answer{Status: fasthttp.StatusOK, Body: file, ContentType: contentType, Headers: headers}
	s := &Static{answer: a.With(fasthttp.HeaderETag, ETag(file)).Varying(fasthttp.HeaderAcceptEncoding)}
	if len(file) >= smallestCompressed {
		s.coded = map[string]func() []byte{}
		for coding, compress := range staticCompressors {
			s.coded[coding] = sync.OnceValue(func() []byte { return compress(file) })
		}
	}
	return s
}

// NewStaticGzip returns the Static of a file that is there in gzip, which answers in that coding are made of as it is. It
// fails if the bytes are not gzip.
func NewStaticGzip(packed []byte, contentType string, headers ...Header) (*Static, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("httpserver: open a file in gzip: %w", err)
	}
	file, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("httpserver: read a file in gzip: %w", err)
	}
	s := NewStatic(file, contentType, headers...)
	if s.coded != nil {
		s.coded["gzip"] = func() []byte { return packed }
	}
	return s, nil
}

// Answer returns the file in the coding that the Accept-Encoding lines prefer, or 304 if the If-None-Match lines name
// its entity tag.
func (s *Static) Answer(accept, ifNoneMatch []string) Answer {
	a := s.answer.Validated(ifNoneMatch)
	coded := s.coded[preferred(accept)]
	if coded == nil || a.Status != fasthttp.StatusOK {
		return a
	}
	a.Body = coded()
	return a.With(fasthttp.HeaderContentEncoding, preferred(accept))
}

// staticCompressors compress harder than compressors do, at some 60 ms for a megabyte: a file is compressed once, while
// its first client waits.
var staticCompressors = map[string]func([]byte) []byte{
	"br": written(func() resetWriter { return brotli.NewWriterLevel(nil, 5) }), "gzip": compressors["gzip"], "zstd": Pack,
}
