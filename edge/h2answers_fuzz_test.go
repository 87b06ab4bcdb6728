package edge_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http/httpguts"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"example.com/livery/internal/test/floods"
)

// oneRequest is a request as every protocol can carry it.
type oneRequest struct {
	method, target string
	fields         [][2]string
	split          int // bytes of the head in each frame but the last
}

// readRequest makes a request of what a fuzzer invents: of lines, those that a client may send in both protocols. It reports
// false if no client can send such a request in both.
func readRequest(method, target, lines string, split uint16) (r oneRequest, ok bool) {
	r = oneRequest{method: method, target: target, split: int(split)}
	if !httpguts.ValidHeaderFieldName(method) || method == http.MethodConnect || !strings.HasPrefix(target, "/") || strings.ContainsFunc(target, func(c rune) bool { return c <= ' ' || c == 0x7f }) {
		return r, false
	}
	if len(method)+len(target)+len(lines) > 8<<10 || strings.Count(lines, "\n") > 64 {
		return r, false // the bounds of a head differ
	}
	agents := 0
	for line := range strings.SplitSeq(lines, "\n") {
		name, value, _ := strings.Cut(line, ":")
		value = strings.Trim(value, " \t")
		switch strings.ToLower(name) {
		case "host", "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade", "te", "trailer", "content-length", "http2-settings":
			continue // of the connection or the body
		case "user-agent":
			if agents++; agents > 1 {
				continue // net/http sends one
			}
		}
		if httpguts.ValidHeaderFieldName(name) && httpguts.ValidHeaderFieldValue(value) {
			r.fields = append(r.fields, [2]string{name, value})
		}
	}
	return r, true
}

// oneAnswer is what came for it, without what names the moment or the connection.
type oneAnswer struct {
	status int
	header http.Header
	body   string
	marks  [2]bool // it has a request id, an age
}

func newAnswer(status int, header http.Header, body []byte) oneAnswer {
	return oneAnswer{status, lasting(header), string(body), [2]bool{header.Get("X-Request-Id") != "", header.Get("Age") != ""}}
}

// threeClients ask one edge over one connection each, which they open again if it has ended.
type threeClients struct {
	s      *secured
	plain  net.Conn // of HTTP/1.1
	reader *bufio.Reader
	secure net.Conn // of frames
	framer *http2.Framer
	stream uint32
}

// http1 asks over HTTP/1.1.
func (c *threeClients) http1(r oneRequest) (oneAnswer, error) {
	if c.plain == nil {
		conn, err := net.Dial("tcp", c.s.address())
		if err != nil {
			return oneAnswer{}, err
		}
		c.plain, c.reader = conn, bufio.NewReader(conn)
	}
	text := r.method + " " + r.target + " HTTP/1.1\r\nHost: files.example\r\n"
	for _, f := range r.fields {
		text += f[0] + ": " + f[1] + "\r\n"
	}
	_ = c.plain.SetDeadline(time.Now().Add(9 * time.Second))
	if _, err := io.WriteString(c.plain, text+"\r\n"); err != nil {
		return oneAnswer{}, errors.Join(err, c.endPlain())
	}
	for {
		res, err := http.ReadResponse(c.reader, &http.Request{Method: r.method})
		if err != nil {
			return oneAnswer{}, errors.Join(err, c.endPlain())
		}
		body, err := io.ReadAll(res.Body)
		if err != nil {
			return oneAnswer{}, errors.Join(err, c.endPlain())
		}
		if res.StatusCode == http.StatusContinue {
			continue
		}
		if res.Close {
			err = c.endPlain()
		}
		return newAnswer(res.StatusCode, res.Header, body), err
	}
}

func (c *threeClients) endPlain() error {
	err := c.plain.Close()
	c.plain = nil
	return err
}

// errNotSent says that a client does not send such a request.
var errNotSent = errors.New("not sent")

// netHTTP asks with x/net/http2's client, which is net/http's.
func (c *threeClients) netHTTP(r oneRequest) (oneAnswer, error) {
	at, err := url.Parse(c.s.h2.url)
	if err != nil {
		return oneAnswer{}, err
	}
	at.Opaque = "//" + at.Host + r.target
	header := http.Header{"User-Agent": {""}} // none of its own
	for _, f := range r.fields {
		name := textproto.CanonicalMIMEHeaderKey(f[0])
		if name == "User-Agent" {
			header[name] = nil
		}
		header[name] = append(header[name], f[1])
	}
	if agent := header["User-Agent"]; len(agent) == 1 && agent[0] == "" {
		for _, f := range r.fields {
			if strings.EqualFold(f[0], "User-Agent") {
				return oneAnswer{}, errNotSent // it sends no empty one
			}
		}
	}
	res, err := c.s.h2.client.Transport.RoundTrip(&http.Request{Method: r.method, URL: at, Host: "files.example", Header: header})
	var reset http2.StreamError
	if err != nil && !errors.As(err, &reset) && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return oneAnswer{}, errNotSent
	}
	if err != nil {
		return oneAnswer{}, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return newAnswer(res.StatusCode, res.Header, body), err
}

// frames asks with x/net/http2's framer, the head in frames of r.split bytes.
func (c *threeClients) frames(r oneRequest) (a oneAnswer, err error) {
	if c.secure == nil {
		if c.secure, err = floods.Dial("127.0.0.1", strings.TrimPrefix(c.s.h2.url, "https://"), "h2"); err != nil {
			return a, err
		}
		if _, err := io.WriteString(c.secure, preface); err != nil {
			return a, err
		}
		c.framer, c.stream = http2.NewFramer(c.secure, c.secure), 1
		c.framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	}
	defer func() {
		if c.stream += 2; err != nil || c.stream > 20_000 {
			err = errors.Join(err, c.secure.Close())
			c.secure = nil
		}
	}()
	_ = c.secure.SetDeadline(time.Now().Add(9 * time.Second))
	if err := c.writeHead(r); err != nil {
		return a, err
	}
	return c.readAnswer()
}

// writeHead sends the frames of a request.
func (c *threeClients) writeHead(r oneRequest) error {
	var block bytes.Buffer
	e := hpack.NewEncoder(&block)
	e.SetMaxDynamicTableSize(0) // so that an answer that fails leaves nothing behind
	for _, f := range append([][2]string{{":method", r.method}, {":scheme", "https"}, {":authority", "files.example"}, {":path", r.target}}, r.fields...) {
		if err := e.WriteField(hpack.HeaderField{Name: strings.ToLower(f[0]), Value: f[1]}); err != nil {
			return err
		}
	}
	rest := block.Bytes()
	size := max(r.split, (len(rest)+9)/10, 1) // in ten frames at most
	part := rest[:min(size, len(rest))]
	rest = rest[len(part):]
	err := c.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: c.stream, BlockFragment: part, EndStream: true, EndHeaders: len(rest) == 0})
	for err == nil && len(rest) > 0 {
		part = rest[:min(size, len(rest))]
		rest = rest[len(part):]
		err = c.framer.WriteContinuation(c.stream, len(rest) == 0, part)
	}
	return err
}

// readAnswer reads the frames of the answer.
func (c *threeClients) readAnswer() (a oneAnswer, err error) {
	header := http.Header{}
	var body []byte
	for {
		frame, err := c.framer.ReadFrame()
		if err != nil {
			return a, err
		}
		ended := false
		switch f := frame.(type) {
		case *http2.MetaHeadersFrame:
			_, err = fmt.Sscan(f.PseudoValue("status"), &a.status)
			for _, field := range f.RegularFields() {
				header.Add(field.Name, field.Value)
			}
			ended = f.StreamEnded()
		case *http2.DataFrame:
			body = append(body, f.Data()...)
			if ended = f.StreamEnded(); len(f.Data()) > 0 {
				err = errors.Join(c.framer.WriteWindowUpdate(0, uint32(len(f.Data()))), c.framer.WriteWindowUpdate(c.stream, uint32(len(f.Data()))))
			}
		case *http2.RSTStreamFrame:
			err = http2.StreamError{StreamID: f.StreamID, Code: f.ErrCode}
		case *http2.GoAwayFrame:
			err = fmt.Errorf("GOAWAY %v", f.ErrCode)
		}
		if err != nil || ended {
			return newAnswer(a.status, header, body), err
		}
	}
}

// difference says how the answers to a request differ, or "".
func (c *threeClients) difference(r oneRequest) string {
	want, err := c.http1(r)
	if err != nil {
		return fmt.Sprintf("HTTP/1.1: %v", err)
	}
	for name, ask := range map[string]func(oneRequest) (oneAnswer, error){"x/net/http2": c.netHTTP, "frames": c.frames} {
		got, err := ask(r)
		if errors.Is(err, errNotSent) {
			continue
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			return fmt.Sprintf("%s: %d %v %v %.200q %v, want %d %v %v %.200q", name, got.status, got.marks, got.header, got.body, err, want.status, want.marks, want.header, want.body)
		}
	}
	return ""
}

// FuzzHTTP2AnswersAsHTTP1: the same request gets the same status, head and body over HTTP/1.1, from x/net/http2's client and
// in frames of any size, whatever its method, address and header lines are. What differs is asked again: an edge may have
// packed a file smaller meanwhile.
func FuzzHTTP2AnswersAsHTTP1(f *testing.F) {
	s := runSecured(f, fuzzedFeed(f))
	s.settle()
	c := &threeClients{s: s}
	f.Cleanup(func() {
		for _, conn := range []net.Conn{c.plain, c.secure} {
			if conn != nil {
				_ = conn.Close()
			}
		}
	})
	for _, seed := range append(wholeSeeds(), deltaSeeds(s.running)...) {
		line, lines, _ := strings.Cut(seed, "\r\n")
		method, target, _ := strings.Cut(line, " ")
		target, _, _ = strings.Cut(target, " ")
		lines, _, _ = strings.Cut(lines, "\r\n\r\n")
		f.Add(method, target, strings.ReplaceAll(lines, "\r\n", "\n"), uint16(len(lines)%60))
	}
	f.Add("GET", path("-", "latest", "tokens.css"), "Cookie: a=b; c=d\ncookie: e\nAccept: text/css\nX-Forwarded-For: 192.0.2.7\nDNT: 1", uint16(3))
	f.Fuzz(func(t *testing.T, method, target, lines string, split uint16) {
		r, ok := readRequest(method, target, lines, split)
		if !ok {
			return
		}
		differs := c.difference(r)
		for deadline := time.Now().Add(time.Minute); differs != "" && time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
			differs = c.difference(r)
		}
		if differs != "" {
			t.Errorf("%+v: %s", r, differs)
		}
	})
}
