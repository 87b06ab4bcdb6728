package edge

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// encoders encode, as many contents at once as there are places for those that somebody waits for.
// An encoder takes megabytes, so it is used again: of those at rest the ones used last are kept, up to
// a bound of bytes. It may be used concurrently.
type encoders struct {
	places    chan struct{} // one element for each encoding that somebody waits for
	restBytes int           // of encoders at rest, at most

	mu      sync.Mutex // guards all below
	atRest  []*encoder // the one used last at the end
	resting int        // bytes of these
}

// encoderRest is how many bytes of encoders are kept for each place: one of each coding for the
// sizes that files usually have.
const encoderRest = 8 << 20

func newEncoders(places int) *encoders {
	return &encoders{places: make(chan struct{}, places), restBytes: (places + 1) * encoderRest}
}

// encoderKind is what tells encoders apart.
type encoderKind struct {
	coding encoding
	effort effort
	window uint8 // the logarithm of the longest content that is seen whole
}

// The windows that encoders are made for. A larger one makes nothing smaller, and brotli's best takes
// eight bytes for each of its window.
var windows = [...]uint8{17, 20, 22}

func windowOf(length int) uint8 {
	for _, w := range windows {
		if length <= 1<<w-16 { // brotli's window is that much shorter
			return w
		}
	}
	return windows[len(windows)-1]
}

// encoder is one that is used again.
type encoder struct {
	encoderKind
	writer resetWriter
	out    bytes.Buffer
}

// resetWriter is what the codings' libraries have in common.
type resetWriter interface {
	io.WriteCloser
	Reset(io.Writer)
}

// quick encodes while somebody waits.
func (p *encoders) quick(content []byte, enc encoding) ([]byte, error) {
	p.places <- struct{}{}
	defer func() { <-p.places }()
	return p.encode(content, enc, quick)
}

// encode returns content in that coding. The same content and effort give the same bytes.
func (p *encoders) encode(content []byte, enc encoding, how effort) ([]byte, error) {
	e, err := p.take(encoderKind{enc, how, windowOf(len(content))})
	if err != nil {
		return nil, fmt.Errorf("edge: encode: %w", err)
	}
	encoded, err := e.encode(content)
	if err != nil {
		return nil, fmt.Errorf("edge: encode: %w", err) // whatever it is like now, it is not kept
	}
	p.put(e)
	return encoded, nil
}

func (e *encoder) encode(content []byte) ([]byte, error) {
	e.out.Reset()
	e.writer.Reset(&e.out)
	if _, err := e.writer.Write(content); err != nil {
		return nil, err
	}
	if err := e.writer.Close(); err != nil {
		return nil, err
	}
	return bytes.Clone(e.out.Bytes()), nil // to its own length: it is kept
}

// decode returns what was encoded, which is so long. What takes part in it is made anew each time: it is a small part of
// an encoder, in whose place it works.
func (p *encoders) decode(encoded []byte, enc encoding, length int) ([]byte, error) {
	p.places <- struct{}{}
	defer func() { <-p.places }()
	content := bytes.NewBuffer(make([]byte, 0, length+bytes.MinRead)) // it need not grow
	r, end, err := newDecoder(bytes.NewReader(encoded), enc)
	if err == nil {
		_, err = content.ReadFrom(io.LimitReader(r, int64(length)+1))
		end()
	}
	if err == nil && content.Len() != length {
		err = fmt.Errorf("%d bytes came out, not %d", content.Len(), length)
	}
	if err != nil {
		return nil, fmt.Errorf("edge: decode %s: %w", encodingNames[enc], err)
	}
	return content.Bytes(), nil
}

// newDecoder returns what reads the content of r, and what to call at the end.
func newDecoder(r io.Reader, enc encoding) (decoded io.Reader, end func(), err error) {
	end = func() {}
	switch enc {
	case gzipped:
		decoded, err = gzip.NewReader(r)
	case zstandard:
		var d *zstd.Decoder
		d, err = zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
		if err == nil {
			decoded, end = d, d.Close
		}
	case brotlied:
		decoded = brotli.NewReader(r)
	default:
		err = fmt.Errorf("there is no decoder for coding %d", enc)
	}
	return decoded, end, err
}

// take returns an encoder at rest, or a new one.
func (p *encoders) take(kind encoderKind) (*encoder, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, e := range slices.Backward(p.atRest) {
		if e.encoderKind == kind {
			p.remove(i)
			return e, nil
		}
	}
	return newEncoder(kind)
}

// put lets an encoder rest; the ones that rest for longest make place. One for long contents, in the
// place of many others, is not kept: what it does takes so long that making it does not show.
func (p *encoders) put(e *encoder) {
	if e.bytes() > p.restBytes/2 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.atRest = append(p.atRest, e)
	p.resting += e.bytes()
	for p.resting > p.restBytes {
		p.remove(0)
	}
}

// remove takes one out of those at rest. p.mu is held.
func (p *encoders) remove(i int) {
	p.resting -= p.atRest[i].bytes()
	p.atRest = slices.Delete(p.atRest, i, i+1)
}

// levels are what quick and best mean for a coding, and what an encoder takes, roughly: so many bytes,
// and so many for each of its window.
type levels struct {
	level, bytes, windows int
}

// zstd's very best takes 36 MiB and makes files a twentieth smaller than what is used: few clients
// that take zstd do not prefer brotli.
var effortLevels = [encodingCount][2]levels{
	gzipped:   {quick: {6, 1200 << 10, 0}, best: {gzip.BestCompression, 1500 << 10, 0}},
	zstandard: {quick: {int(zstd.SpeedDefault), 1500 << 10, 2}, best: {int(zstd.SpeedBetterCompression), 6 << 20, 2}},
	brotlied:  {quick: {5, 900 << 10, 4}, best: {brotli.BestCompression, 64 << 10, 15}},
}

// bytes returns what the encoder takes, roughly.
func (e *encoder) bytes() int {
	l := effortLevels[e.coding][e.effort]
	return l.bytes + l.windows<<e.window + e.out.Cap()
}

func newEncoder(kind encoderKind) (*encoder, error) {
	e := &encoder{encoderKind: kind}
	level := effortLevels[kind.coding][kind.effort].level
	var err error
	switch kind.coding {
	case gzipped:
		e.writer, err = gzip.NewWriterLevel(nil, level)
	case zstandard:
		e.writer, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.EncoderLevel(level)), zstd.WithWindowSize(1<<kind.window))
	case brotlied:
		e.writer = brotli.NewWriterOptions(nil, brotli.WriterOptions{Quality: level, LGWin: int(kind.window)})
	default:
		err = fmt.Errorf("there is no coding %d", kind.coding)
	}
	return e, err
}
