package listen

import (
	"cmp"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"example.com/livery/edge/ratelimit"

	"golang.org/x/net/http/httpguts"
	"golang.org/x/net/http2/hpack"
)

// The frames and flags that an h2Guard knows (RFC 9113 section 6).
const (
	frameHeader       = 9 // bytes before the payload
	frameData         = 0x0
	frameHeaders      = 0x1
	framePing         = 0x6
	frameWindowUpdate = 0x8
	frameContinuation = 0x9
	flagEndStream     = 0x1
	flagEndHeaders    = 0x4
	flagPadded        = 0x8
	flagPriority      = 0x20

	h2Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
)

// The bounds of what a client may have net/http do.
const (
	maxH2Fields        = 256                   // in a head, each crumb of a cookie counted
	maxH2Continuations = 16                    // frames of one head, behind the first
	controlEvery       = 10 * time.Millisecond // frames that ask for nothing: one in this time on the average
	controlBurst       = 1000                  // and so many at once
)

// h2Guard is a connection of HTTP/2 as net/http reads it: the head of each request is decoded here, measured, and
// passed on with those fields alone that the edge reads or that net/http must judge. So the memory that net/http
// takes for a head is what the edge needs of it, however many fields a few bytes of HPACK name. A head
// that is refused goes on with the field faultField, which no client can send. All other frames pass as they come,
// counted if they ask for nothing. One goroutine reads.
type h2Guard struct {
	net.Conn
	limit   int // of a head, in bytes of HTTP/1.1
	left    func()
	once    sync.Once
	control ratelimit.Bucket
	decoder *hpack.Decoder

	frame   [frameHeader]byte
	ready   []byte // to be read next
	pass    int    // bytes to be read from the connection behind ready
	refused bool   // nothing is read behind ready

	fields int    // of the head under way
	size   int    // of it, in bytes of HTTP/1.1
	fault  string // why it is refused
	block  []byte // what is passed on of it
}

// newH2Guard returns c for net/http. left is called once when the connection is closed.
func newH2Guard(c net.Conn, limit int, left func()) *h2Guard {
	g := &h2Guard{Conn: c, limit: limit, left: left, pass: len(h2Preface), control: ratelimit.New(controlEvery, controlBurst)}
	g.decoder = hpack.NewDecoder(h2TableBytes, g.field)
	g.decoder.SetMaxStringLength(h2HeadRoom * limit)
	return g
}

// Close closes the connection.
func (g *h2Guard) Close() error {
	g.once.Do(g.left)
	return g.Conn.Close()
}

// Read reads frames.
func (g *h2Guard) Read(p []byte) (int, error) {
	for len(g.ready) == 0 && g.pass == 0 {
		if err := g.next(); err != nil {
			return 0, err
		}
	}
	if len(g.ready) > 0 {
		n := copy(p, g.ready)
		g.ready = g.ready[n:]
		return n, nil
	}
	n, err := g.Conn.Read(p[:min(len(p), g.pass)])
	g.pass -= n
	return n, err
}

// refuse has net/http end the connection of a client that sends what only costs: with a PING that is too short.
func (g *h2Guard) refuse() {
	g.ready, g.refused = appendFrame(nil, framePing, 0, 0, nil), true
}

// next reads the head of the next frame, and what of a request's head is behind it.
func (g *h2Guard) next() error {
	if g.refused {
		_, err := io.Copy(io.Discard, g.Conn) // closed too early, the client would not see why
		return cmp.Or(err, io.EOF)
	}
	g.block = nil
	kind, flags, stream, length, err := g.readFrame()
	switch {
	case err != nil:
		return err
	case kind == frameHeaders && stream != 0 && length <= h2FrameBytes:
		return g.readHead(flags, stream, length)
	case kind != frameWindowUpdate && (kind != frameData || length == 0 && flags&flagEndStream == 0) && !g.control.Take(time.Now()):
		g.refuse()
		return nil
	}
	g.ready, g.pass = g.frame[:], length
	return nil
}

// readFrame reads the head of a frame into g.frame.
func (g *h2Guard) readFrame() (kind, flags byte, stream uint32, length int, err error) {
	f := g.frame[:]
	_, err = io.ReadFull(g.Conn, f)
	return f[3], f[4], uint32(f[5])<<24 | uint32(f[6])<<16 | uint32(f[7])<<8 | uint32(f[8]), int(f[0])<<16 | int(f[1])<<8 | int(f[2]), err
}

var h2Payloads = sync.Pool{New: func() any { return new([h2FrameBytes]byte) }}

// readHead reads the rest of a HEADERS frame and the CONTINUATION frames behind it, and makes of them what
// net/http reads. What is not well formed is left for net/http to refuse.
func (g *h2Guard) readHead(flags byte, stream uint32, length int) error {
	room := h2Payloads.Get().(*[h2FrameBytes]byte)
	defer h2Payloads.Put(room)
	payload := room[:length]
	if _, err := io.ReadFull(g.Conn, payload); err != nil {
		return err
	}
	priority, fragment, ok := splitHeaders(flags, payload)
	if !ok {
		g.ready = append(append(g.ready, g.frame[:]...), payload...)
		return nil
	}
	kept := flags & (flagEndStream | flagPriority)
	lead := append([]byte(nil), priority...)
	g.fields, g.size, g.fault = 0, len(" HTTP/1.1\r\n\r\n"), ""
	g.decoder.SetEmitEnabled(true)
	_, err := g.decoder.Write(fragment)
	for count, total := 0, length; flags&flagEndHeaders == 0; count++ {
		kind, more, id, n, failed := g.readFrame()
		switch total += n; {
		case failed != nil:
			return failed
		case kind != frameContinuation || id != stream || n > h2FrameBytes:
			g.ready = append(appendFrame(nil, frameHeaders, kept, stream, lead), g.frame[:]...)
			g.pass = n
			return nil
		case count == maxH2Continuations || total > h2HeadRoom*g.limit:
			g.refuse()
			return nil
		}
		flags |= more & flagEndHeaders
		if _, failed := io.ReadFull(g.Conn, room[:n]); failed != nil {
			return failed
		}
		if err == nil {
			_, err = g.decoder.Write(room[:n])
		}
	}
	if closed := g.decoder.Close(); err != nil || closed != nil {
		g.block = []byte{0x80} // names no field, so that net/http says what is wrong with the connection
	} else if g.fault != "" {
		g.block = appendField(g.block, faultField, g.fault)
	}
	g.ready = headFrames(kept, stream, lead, g.block)
	return nil
}

// splitHeaders splits the payload of a HEADERS frame into its priority and its part of the head (RFC 9113 section 6.2).
func splitHeaders(flags byte, payload []byte) (priority, fragment []byte, ok bool) {
	padding := 0
	if flags&flagPadded != 0 {
		if len(payload) == 0 {
			return nil, nil, false
		}
		padding, payload = int(payload[0]), payload[1:]
	}
	if flags&flagPriority != 0 {
		if len(payload) < 5 {
			return nil, nil, false
		}
		priority, payload = payload[:5], payload[5:]
	}
	return priority, payload[:max(0, len(payload)-padding)], padding <= len(payload)
}

// headFrames returns the frames of a head: lead and block in a HEADERS frame and what CONTINUATION frames it takes.
func headFrames(flags byte, stream uint32, lead, block []byte) (frames []byte) {
	rest := append(lead, block...)
	for kind := byte(frameHeaders); ; kind, flags = frameContinuation, 0 {
		part := rest[:min(len(rest), h2FrameBytes)]
		if rest = rest[len(part):]; len(rest) == 0 {
			return appendFrame(frames, kind, flags|flagEndHeaders, stream, part)
		}
		frames = appendFrame(frames, kind, flags, stream, part)
	}
}

func appendFrame(dst []byte, kind, flags byte, stream uint32, payload []byte) []byte {
	n := len(payload)
	dst = append(dst, byte(n>>16), byte(n>>8), byte(n), kind, flags, byte(stream>>24), byte(stream>>16), byte(stream>>8), byte(stream))
	return append(dst, payload...)
}

// faultField says that the edge refuses a request for its head, and why: one of the faults below.
const (
	faultField   = "livery-fault"
	faultTooLong = "too long"
	faultTrailer = "names trailers"
)

// field measures a field of the head under way, and passes it on if it matters.
func (g *h2Guard) field(f hpack.HeaderField) {
	pseudo := strings.HasPrefix(f.Name, ":")
	g.fields++
	g.size += len(f.Name) + len(f.Value) + len(": \r\n")
	switch {
	case g.fields > maxH2Fields || g.size > g.limit:
		g.fault = faultTooLong
		g.decoder.SetEmitEnabled(false)
	case f.Name == "trailer":
		g.fault = faultTrailer
	}
	if pseudo && g.fields <= maxPseudo || g.fault == "" && matters(f) {
		g.block = appendField(g.block, f.Name, f.Value)
	}
}

// maxPseudo is more than the fields ":method", ":scheme", ":authority" and ":path" of a request are.
const maxPseudo = 8

// matters reports whether a field is one that the edge reads, or that net/http refuses or acts on.
func matters(f hpack.HeaderField) bool {
	_, known := h2Fields[f.Name]
	return known || !httpguts.ValidHeaderFieldName(f.Name) || f.Name != strings.ToLower(f.Name) || !httpguts.ValidHeaderFieldValue(f.Value)
}

// h2Fields are the fields that matter, with their index in the static table of HPACK (RFC 7541 appendix A); 0: they
// are not in it.
var h2Fields = map[string]byte{
	":authority": 1, ":method": 2, ":path": 4, ":scheme": 6, "accept-encoding": 16, "available-dictionary": 0, "content-length": 28, "expect": 35,
	"host": 38, "if-match": 39, "if-none-match": 41, "if-range": 42, "origin": 0, "range": 50, "referer": 51, "sec-ch-ua": 0, "sec-fetch-dest": 0,
	"sec-fetch-mode": 0, "sec-fetch-site": 0, "traceparent": 0, "user-agent": 58, "x-forwarded-for": 0,

	"connection": 0, "keep-alive": 0, "proxy-connection": 0, "te": 0, "transfer-encoding": 57, "upgrade": 0, // wrong in HTTP/2
}

// appendField appends a literal field that is not indexed (RFC 7541 section 6.2.2).
func appendField(dst []byte, name, value string) []byte {
	if index := h2Fields[name]; index != 0 {
		dst = appendInteger(dst, 4, int(index))
	} else {
		dst = appendText(append(dst, 0), name)
	}
	return appendText(dst, value)
}

// appendText appends a string literal without Huffman coding (RFC 7541 section 5.2).
func appendText(dst []byte, s string) []byte { return append(appendInteger(dst, 7, len(s)), s...) }

// appendInteger appends n with a prefix of so many bits, the others 0 (RFC 7541 section 5.1).
func appendInteger(dst []byte, bits, n int) []byte {
	most := 1<<bits - 1
	if n < most {
		return append(dst, byte(n))
	}
	dst = append(dst, byte(most))
	for n -= most; n >= 0x80; n >>= 7 {
		dst = append(dst, byte(n)|0x80)
	}
	return append(dst, byte(n))
}
