// Package floods sends what hostile clients of HTTP/2 send. Tests hold an edge to its bounds with it, and benchmarks measure
// edges and other servers under it.
package floods

import (
	"bufio"
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"
)

// Flood is what one client sends to the address of a running server, over TLS.
type Flood struct {
	Name           string
	Conns, Streams int
	Windows        bool                                 // the client takes answers; else it leaves its windows closed
	Head           func(n int) (block []string)         // of request n of a connection, as HPACK, in as many frames; nil: no requests
	Frames         func(c io.Writer, path string) error // sent once on each connection instead
	Deaf           bool                                 // the client reads nothing at all
	HTTP1          func(path string) string             // sent once on each connection, which speaks HTTP/1.1 then
}

// Preface is what a client of HTTP/2 begins with, before its settings (RFC 9113 section 3.4).
const Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// ClosedWindow are settings with which no answer's body may be sent.
const ClosedWindow = "\x00\x00\x06\x04\x00\x00\x00\x00\x00" + "\x00\x04\x00\x00\x00\x00" // SETTINGS_INITIAL_WINDOW_SIZE = 0

// Dial opens a connection of HTTP/2 from a client's address.
func Dial(client, address string, protocols ...string) (*tls.Conn, error) {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(client)}, Timeout: 10 * time.Second}
	return tls.DialWithDialer(&d, "tcp", address, &tls.Config{InsecureSkipVerify: true, NextProtos: protocols})
}

// Open opens the flood's connections, sends what it sends and waits until the server has read all of it. What it returns
// ends the flood.
func (a *Flood) Open(address, path string) (end func()) {
	var conns []net.Conn
	var mu sync.Mutex
	var working sync.WaitGroup
	gate := make(chan struct{}, 16)
	protocols := []string{"h2", "http/1.1"}
	if a.HTTP1 != nil {
		protocols = protocols[1:]
	}
	for range a.Conns {
		working.Go(func() {
			gate <- struct{}{}
			defer func() { <-gate }()
			c, err := Dial("127.0.0.1", address, protocols...)
			if err != nil {
				return // turned away
			}
			mu.Lock()
			conns = append(conns, c)
			mu.Unlock()
			switch {
			case a.HTTP1 != nil:
				_ = c.SetWriteDeadline(time.Now().Add(2 * time.Second))
				_, _ = io.WriteString(c, a.HTTP1(path))
			case c.ConnectionState().NegotiatedProtocol == "h2":
				_ = a.send(c, path)
			}
		})
	}
	working.Wait()
	return func() {
		for _, c := range conns {
			_ = c.Close()
		}
	}
}

// send sends the flood of one connection and waits for the answer to a last PING.
func (a *Flood) send(c *tls.Conn, path string) error {
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	settings := ClosedWindow
	if a.Windows {
		settings = "\x00\x00\x00\x04\x00\x00\x00\x00\x00"
	}
	done := make(chan struct{})
	if a.Deaf {
		close(done)
		_ = c.SetDeadline(time.Now().Add(2 * time.Second))
	} else {
		go func() {
			defer close(done)
			awaitPong(c)
		}()
	}
	w := bufio.NewWriterSize(c, 16<<10)
	_, _ = w.WriteString(Preface + settings)
	if a.Frames != nil {
		if err := a.Frames(w, path); err != nil {
			return err
		}
	}
	for n := 0; a.Head != nil && n < a.Streams; n++ {
		for _, f := range HeadFrames(uint32(2*n+1), a.Head(n), path) {
			if _, err := w.WriteString(f); err != nil {
				return err
			}
		}
	}
	_, _ = w.WriteString(FrameOf(6, 0, 0, "flooded!"))
	if err := w.Flush(); err != nil {
		return err
	}
	<-done
	return nil
}

// HeadFrames are the frames of a GET with more fields.
func HeadFrames(stream uint32, blocks []string, path string) (frames []string) {
	first := "\x82\x87\x04" + Text(path) + "\x01\x01a"
	for i, block := range blocks {
		kind, flags := byte(9), byte(0)
		if i == 0 {
			kind, flags, block = frameHeaders, endStream, first+block
		}
		if i == len(blocks)-1 {
			flags |= endHeaders
		}
		frames = append(frames, FrameOf(kind, flags, stream, block))
	}
	return frames
}

// Text is a string literal (RFC 7541 section 5.2).
func Text(s string) string {
	n := len(s)
	if n < 127 {
		return string([]byte{byte(n)}) + s
	}
	b := []byte{127}
	for n -= 127; n >= 128; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return string(append(b, byte(n))) + s
}

// IndexedOnce names a field in full in the first request of a connection and by its index, times times, in all.
func IndexedOnce(name, value string, times int) func(n int) []string {
	return func(n int) []string {
		block := strings.Repeat("\xbe", times)
		if n == 0 {
			block = "\x40" + Text(name) + Text(value) + strings.Repeat("\xbe", times-1)
		}
		return []string{block}
	}
}

// awaitPong reads until the answer to the last PING or the end.
func awaitPong(c io.Reader) {
	r := bufio.NewReader(c)
	for {
		f, err := ReadFrame(r)
		if err != nil || f.Kind == 6 && string(f.Payload) == "flooded!" {
			return
		}
	}
}

// TrailerNames are n names.
func TrailerNames(n int) string {
	var names strings.Builder
	for i := range n {
		fmt.Fprintf(&names, "%c%c%c,", 'a'+i/676, 'a'+i/26%26, 'a'+i%26)
	}
	return strings.TrimSuffix(names.String(), ",")
}

// manyNames are fields of as many names as the table of a connection holds, all of them in each request.
func manyNames(n int) []string {
	var block strings.Builder
	for i := range 100 {
		if n == 0 {
			block.WriteString("\x40" + Text(fmt.Sprintf("x-%d", i)) + "\x01a")
		} else {
			block.WriteByte(byte(0x80 | 62 + i%60))
		}
	}
	return []string{block.String()}
}

// storm sends frames of one kind, as many as times.
func storm(times int, text string) func(io.Writer, string) error {
	return func(w io.Writer, _ string) error {
		chunk := strings.Repeat(text, 100)
		for range times / 100 {
			if _, err := io.WriteString(w, chunk); err != nil {
				return err
			}
		}
		return nil
	}
}

// requests sends requests of new streams, each followed by what behind returns for its stream.
func requests(times int, flags byte, behind func(stream uint32) string) func(io.Writer, string) error {
	return func(w io.Writer, path string) error {
		head := "\x82\x87\x04" + Text(path) + "\x01\x01a"
		for n := range times {
			stream := uint32(2*n + 1)
			if _, err := io.WriteString(w, FrameOf(frameHeaders, flags, stream, head)+behind(stream)); err != nil {
				return err
			}
		}
		return nil
	}
}

// endlessHead begins a request whose head never ends.
func endlessHead(w io.Writer, path string) error {
	if _, err := io.WriteString(w, FrameOf(frameHeaders, endStream, 1, "\x82\x87\x04"+Text(path))); err != nil {
		return err
	}
	return storm(200_000, FrameOf(9, 0, 1, ""))(w, path)
}

// All are the floods that an edge withstands.
var All = []Flood{
	{Name: "trailers", Conns: 20, Streams: 100, Head: IndexedOnce("trailer", TrailerNames(700), 1)},
	{Name: "cookies", Conns: 40, Streams: 100, Head: IndexedOnce("cookie", "a", 1500)},
	{Name: "many trailers", Conns: 150, Streams: 100, Head: IndexedOnce("trailer", TrailerNames(700), 1)},
	{Name: "short heads", Conns: 40, Streams: 100, Head: IndexedOnce("accept", "a", 1)},
	{Name: "names", Conns: 40, Streams: 100, Head: manyNames},
	{Name: "long referers", Conns: 40, Streams: 100, Head: IndexedOnce("referer", strings.Repeat("a", 3900), 1)},
	{Name: "deaf clients", Conns: 40, Streams: 100, Deaf: true, Windows: true, Head: IndexedOnce("trailer", TrailerNames(700), 1)},
	{Name: "deaf clients of long files", Conns: 40, Streams: 100, Deaf: true, Windows: true, Head: IndexedOnce("accept", "a", 1)},
	{Name: "PING", Conns: 20, Frames: storm(100_000, FrameOf(6, 0, 0, "12345678"))},
	{Name: "SETTINGS", Conns: 20, Frames: storm(100_000, FrameOf(4, 0, 0, "\x00\x04\x00\x00\x00\x00"))},
	{Name: "endless heads", Conns: 20, Frames: endlessHead},
	{Name: "resets", Conns: 20, Frames: requests(20_000, endStream|endHeaders, func(stream uint32) string { return FrameOf(3, 0, stream, "\x00\x00\x00\x08") })},
	{Name: "resets that the server makes", Conns: 20, Frames: requests(20_000, endStream|endHeaders, func(stream uint32) string { return FrameOf(8, 0, stream, "\x00\x00\x00\x00") })},
	{Name: "WINDOW_UPDATE", Conns: 20, Frames: storm(100_000, FrameOf(8, 0, 0, "\x00\x00\x00\x01"))},
	{Name: "empty DATA", Conns: 20, Frames: requests(100, endHeaders, func(stream uint32) string { return strings.Repeat(FrameOf(0, 0, stream, ""), 1000) })},
	{Name: "bodies that do not end", Conns: 40, Frames: requests(100, endHeaders, func(stream uint32) string { return FrameOf(0, 0, stream, "a") })},
	{Name: "idle connections", Conns: 300},
}

// Waiting are those of clients that let a server wait, in HTTP/1.1.
var Waiting = []Flood{
	{Name: "half heads", Conns: 1000, HTTP1: func(path string) string { return "GET " + path + " HTTP/1.1\r\nHost: a\r\n" + longField }},
	{Name: "half bodies", Conns: 1000, HTTP1: func(path string) string {
		return "POST " + path + " HTTP/1.1\r\nHost: a\r\nContent-Length: 16000\r\n" + longField + "\r\n\r\n" + longField
	}},
	{Name: "answers that are not taken", Conns: 300, HTTP1: func(path string) string {
		return strings.Repeat("GET "+path+" HTTP/1.1\r\nHost: a\r\n\r\n", 10_000)
	}},
}

var longField = "X-Long: " + strings.Repeat("a", 7000) // as long as every server takes it

// FrameOf spells a frame (RFC 9113 section 4.1).
func FrameOf(kind, flags byte, stream uint32, payload string) string {
	head := []byte{0, 0, 0, kind, flags}
	head[0], head[1], head[2] = byte(len(payload)>>16), byte(len(payload)>>8), byte(len(payload))
	return string(binary.BigEndian.AppendUint32(head, stream)) + payload
}

// Frame is one frame that came.
type Frame struct {
	Kind, Flags byte
	Stream      uint32
	Payload     []byte
}

// ReadFrame reads one frame.
func ReadFrame(r io.Reader) (f Frame, err error) {
	var head [9]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return f, err
	}
	f = Frame{head[3], head[4], binary.BigEndian.Uint32(head[5:]) & (1<<31 - 1), make([]byte, int(head[0])<<16|int(head[1])<<8|int(head[2]))}
	_, err = io.ReadFull(r, f.Payload)
	return f, err
}

// What frames of requests are made of (RFC 9113 section 6).
const (
	frameHeaders = 1
	endStream    = 0x1
	endHeaders   = 0x4
)
