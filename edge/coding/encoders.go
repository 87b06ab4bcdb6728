package coding

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

// Encoders encode, as many contents at once as there are slots for those that requests wait for.
// An encoder takes megabytes, so it is used again: of the idle ones those used last are kept, up to
// a bound of bytes. It may be used concurrently.
type Encoders struct {
	slots        chan struct{} // one element for each encoding that a request waits for
	maxIdleBytes int           // of idle encoders, at most

	mu        sync.Mutex // guards all below
	idle      []*encoder // the one used last at the end
	idleBytes int        // bytes of these
}

// idleEncoderBytes is how many bytes of encoders are kept for each slot: one of each coding for the
// sizes that files usually have.
const idleEncoderBytes = 8 << 20

// NewEncoders returns encoders with so many slots.
func NewEncoders(slots int) *Encoders {
	return &Encoders{slots: make(chan struct{}, slots), maxIdleBytes: (slots + 1) * idleEncoderBytes}
}

// encoderKind is what tells encoders apart.
type encoderKind struct {
	coding Encoding
	effort Effort
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

// EncodeFast encodes while a request waits: it takes a slot.
func (p *Encoders) EncodeFast(content []byte, enc Encoding) ([]byte, error) {
	p.slots <- struct{}{}
	defer func() { <-p.slots }()
	return p.Encode(content, enc, Fast)
}

// Encode returns content in that coding. The same content and effort give the same bytes.
func (p *Encoders) Encode(content []byte, enc Encoding, how Effort) ([]byte, error) {
	e, err := p.take(encoderKind{enc, how, windowOf(len(content))})
	if err != nil {
		return nil, fmt.Errorf("coding: encode: %w", err)
	}
	encoded, err := e.encode(content)
	if err != nil {
		return nil, fmt.Errorf("coding: encode: %w", err) // whatever it is like now, it is not kept
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

// Decode returns what was encoded, which is so long. What takes part in it is made anew each time: it is a small part of
// an encoder, in whose slot it works.
func (p *Encoders) Decode(encoded []byte, enc Encoding, length int) ([]byte, error) {
	p.slots <- struct{}{}
	defer func() { <-p.slots }()
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
		return nil, fmt.Errorf("coding: decode %s: %w", Names[enc], err)
	}
	return content.Bytes(), nil
}

// newDecoder returns what reads the content of r, and what to call at the end.
func newDecoder(r io.Reader, enc Encoding) (decoded io.Reader, end func(), err error) {
	end = func() {}
	switch enc {
	case Gzip:
		decoded, err = gzip.NewReader(r)
	case Zstd:
		var d *zstd.Decoder
		d, err = zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
		if err == nil {
			decoded, end = d, d.Close
		}
	case Brotli:
		decoded = brotli.NewReader(r)
	default:
		err = fmt.Errorf("there is no decoder for coding %d", enc)
	}
	return decoded, end, err
}

// take returns an idle encoder, or a new one.
func (p *Encoders) take(kind encoderKind) (*encoder, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, e := range slices.Backward(p.idle) {
		if e.encoderKind == kind {
			p.remove(i)
			return e, nil
		}
	}
	return newEncoder(kind)
}

// put keeps an idle encoder in the place of those that are idle for longest. One for long contents, which takes
// the room of many others, is not kept: what it does takes so long that making it does not show.
func (p *Encoders) put(e *encoder) {
	if e.bytes() > p.maxIdleBytes/2 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, e)
	p.idleBytes += e.bytes()
	for p.idleBytes > p.maxIdleBytes {
		p.remove(0)
	}
}

// remove takes an idle one out. p.mu is held.
func (p *Encoders) remove(i int) {
	p.idleBytes -= p.idle[i].bytes()
	p.idle = slices.Delete(p.idle, i, i+1)
}

// levels are what Fast and Best mean for a coding, and what an encoder takes, roughly: so many bytes,
// and so many for each of its window.
type levels struct {
	level, bytes, windows int
}

// zstd's very best takes 36 MiB and makes files a twentieth smaller than what is used: few clients
// that take zstd do not prefer brotli.
var effortLevels = [Count][2]levels{
	Gzip:   {Fast: {6, 1200 << 10, 0}, Best: {gzip.BestCompression, 1500 << 10, 0}},
	Zstd:   {Fast: {int(zstd.SpeedDefault), 1500 << 10, 2}, Best: {int(zstd.SpeedBetterCompression), 6 << 20, 2}},
	Brotli: {Fast: {5, 900 << 10, 4}, Best: {brotli.BestCompression, 64 << 10, 15}},
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
	case Gzip:
		e.writer, err = gzip.NewWriterLevel(nil, level)
	case Zstd:
		e.writer, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.EncoderLevel(level)), zstd.WithWindowSize(1<<kind.window))
	case Brotli:
		e.writer = brotli.NewWriterOptions(nil, brotli.WriterOptions{Quality: level, LGWin: int(kind.window)})
	default:
		err = fmt.Errorf("there is no coding %d", kind.coding)
	}
	return e, err
}
