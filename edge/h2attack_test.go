package edge_test

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

// h2Attack is a flood of HTTP/2 against the address of a running edge. It knows the edge by its sockets alone.
type h2Attack struct {
	name           string
	conns, streams int
	windows        bool                                 // the client takes answers; else it leaves its windows closed
	head           func(n int) (block []string)         // of request n of a connection, as HPACK, in as many frames; nil: no requests
	frames         func(c io.Writer, path string) error // sent once on each connection instead
	deaf           bool                                 // the client reads nothing at all
}

const h2Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

const closedWindow = "\x00\x00\x06\x04\x00\x00\x00\x00\x00" + "\x00\x04\x00\x00\x00\x00" // SETTINGS_INITIAL_WINDOW_SIZE = 0

// dialFrom opens a connection of HTTP/2 from a client's address.
func dialFrom(client, address string, protocols ...string) (*tls.Conn, error) {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(client)}, Timeout: 10 * time.Second}
	return tls.DialWithDialer(&d, "tcp", address, &tls.Config{InsecureSkipVerify: true, NextProtos: protocols})
}

// open opens the flood's connections, sends what it sends and waits until the edge has read all of it. What it returns ends
// the flood.
func (a *h2Attack) open(address, path string) (end func()) {
	var conns []net.Conn
	var mu sync.Mutex
	var working sync.WaitGroup
	gate := make(chan struct{}, 16)
	for range a.conns {
		working.Go(func() {
			gate <- struct{}{}
			defer func() { <-gate }()
			c, err := dialFrom("127.0.0.1", address, "h2", "http/1.1")
			if err != nil {
				return // turned away
			}
			mu.Lock()
			conns = append(conns, c)
			mu.Unlock()
			if c.ConnectionState().NegotiatedProtocol == "h2" {
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
func (a *h2Attack) send(c *tls.Conn, path string) error {
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	settings := closedWindow
	if a.windows {
		settings = "\x00\x00\x00\x04\x00\x00\x00\x00\x00"
	}
	done := make(chan struct{})
	if a.deaf {
		close(done)
		_ = c.SetDeadline(time.Now().Add(2 * time.Second))
	} else {
		go func() {
			defer close(done)
			awaitPong(c)
		}()
	}
	w := bufio.NewWriterSize(c, 16<<10)
	_, _ = w.WriteString(h2Preface + settings)
	if a.frames != nil {
		if err := a.frames(w, path); err != nil {
			return err
		}
	}
	for n := 0; a.head != nil && n < a.streams; n++ {
		for _, f := range headFrames(uint32(2*n+1), a.head(n), path) {
			if _, err := w.WriteString(f); err != nil {
				return err
			}
		}
	}
	_, _ = w.WriteString(frame(6, 0, 0, "flooded!"))
	if err := w.Flush(); err != nil {
		return err
	}
	<-done
	return nil
}

// headFrames are the frames of a GET with more fields.
func headFrames(stream uint32, blocks []string, path string) (frames []string) {
	first := "\x82\x87\x04" + hpackText(path) + "\x01\x01a"
	for i, block := range blocks {
		kind, flags := byte(9), byte(0)
		if i == 0 {
			kind, flags, block = frameHeaders, endStream, first+block
		}
		if i == len(blocks)-1 {
			flags |= endHeaders
		}
		frames = append(frames, frame(kind, flags, stream, block))
	}
	return frames
}

// hpackText is a string literal (RFC 7541 section 5.2).
func hpackText(s string) string {
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

// indexedOnce names a field in full in the first request of a connection and by its index, times times, in all.
func indexedOnce(name, value string, times int) func(n int) []string {
	return func(n int) []string {
		block := strings.Repeat("\xbe", times)
		if n == 0 {
			block = "\x40" + hpackText(name) + hpackText(value) + strings.Repeat("\xbe", times-1)
		}
		return []string{block}
	}
}

// awaitPong reads until the answer to the last PING or the end.
func awaitPong(c io.Reader) {
	r := bufio.NewReader(c)
	for {
		f, err := hear(r)
		if err != nil || f.kind == 6 && string(f.payload) == "flooded!" {
			return
		}
	}
}

func trailerNames(n int) string {
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
			block.WriteString("\x40" + hpackText(fmt.Sprintf("x-%d", i)) + "\x01a")
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
		head := "\x82\x87\x04" + hpackText(path) + "\x01\x01a"
		for n := range times {
			stream := uint32(2*n + 1)
			if _, err := io.WriteString(w, frame(frameHeaders, flags, stream, head)+behind(stream)); err != nil {
				return err
			}
		}
		return nil
	}
}

// endlessHead begins a request whose head never ends.
func endlessHead(w io.Writer, path string) error {
	if _, err := io.WriteString(w, frame(frameHeaders, endStream, 1, "\x82\x87\x04"+hpackText(path))); err != nil {
		return err
	}
	return storm(200_000, frame(9, 0, 1, ""))(w, path)
}

// h2Attacks are the floods that an edge withstands.
var h2Attacks = []h2Attack{
	{name: "trailers", conns: 20, streams: 100, head: indexedOnce("trailer", trailerNames(700), 1)},
	{name: "cookies", conns: 40, streams: 100, head: indexedOnce("cookie", "a", 1500)},
	{name: "many trailers", conns: 150, streams: 100, head: indexedOnce("trailer", trailerNames(700), 1)},
	{name: "short heads", conns: 40, streams: 100, head: indexedOnce("accept", "a", 1)},
	{name: "names", conns: 40, streams: 100, head: manyNames},
	{name: "long referers", conns: 40, streams: 100, head: indexedOnce("referer", strings.Repeat("a", 3900), 1)},
	{name: "deaf clients", conns: 40, streams: 100, deaf: true, windows: true, head: indexedOnce("trailer", trailerNames(700), 1)},
	{name: "deaf clients of long files", conns: 40, streams: 100, deaf: true, windows: true, head: indexedOnce("accept", "a", 1)},
	{name: "PING", conns: 20, frames: storm(100_000, frame(6, 0, 0, "12345678"))},
	{name: "SETTINGS", conns: 20, frames: storm(100_000, frame(4, 0, 0, "\x00\x04\x00\x00\x00\x00"))},
	{name: "endless heads", conns: 20, frames: endlessHead},
	{name: "resets", conns: 20, frames: requests(20_000, endStream|endHeaders, func(stream uint32) string { return frame(3, 0, stream, "\x00\x00\x00\x08") })},
	{name: "resets that the server makes", conns: 20, frames: requests(20_000, endStream|endHeaders, func(stream uint32) string { return frame(8, 0, stream, "\x00\x00\x00\x00") })},
	{name: "WINDOW_UPDATE", conns: 20, frames: storm(100_000, frame(8, 0, 0, "\x00\x00\x00\x01"))},
	{name: "empty DATA", conns: 20, frames: requests(100, endHeaders, func(stream uint32) string { return strings.Repeat(frame(0, 0, stream, ""), 1000) })},
	{name: "bodies that do not end", conns: 40, frames: requests(100, endHeaders, func(stream uint32) string { return frame(0, 0, stream, "a") })},
	{name: "idle connections", conns: 300},
}

// witness asks a running edge from another address than the flood, over both protocols, and returns how many answers were
// wrong and how long the slowest took.
func witness(address, path string, asks int) (wrong []string, slowest time.Duration) {
	for n := range asks {
		start := time.Now()
		if err := askOnce(address, path, n%2 == 0); err != nil {
			wrong = append(wrong, err.Error())
		}
		slowest = max(slowest, time.Since(start))
	}
	return wrong, slowest
}

// askOnce asks for a file on a connection of its own.
func askOnce(address, path string, h2 bool) error {
	protocol := map[bool]string{true: "h2", false: "http/1.1"}[h2]
	c, err := dialFrom("127.0.0.2", address, protocol)
	if err != nil {
		return err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	if !h2 {
		if _, err := io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"); err != nil {
			return err
		}
		answer, err := io.ReadAll(c)
		if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 200 ") {
			return fmt.Errorf("HTTP/1.1: %v, %.40q", err, answer)
		}
		return nil
	}
	if _, err := io.WriteString(c, preface+headersOf(1, path)); err != nil {
		return err
	}
	for {
		f, err := hear(c)
		switch {
		case err != nil:
			return fmt.Errorf("HTTP/2: %w", err)
		case f.kind == frameHeaders && f.payload[0] != 0x88: // ":status: 200" in the static table
			return fmt.Errorf("HTTP/2: the head is %q", f.payload)
		case f.kind == frameReset || f.kind == frameGoAway:
			return fmt.Errorf("HTTP/2: frame %d, error %d", f.kind, binary.BigEndian.Uint32(f.payload[len(f.payload)-4:]))
		case f.stream == 1 && f.flags&endStream != 0:
			return nil
		}
	}
}
