package guard

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/valyala/fasthttp"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"example.com/livery/edge/address"
	"example.com/livery/httpd/h2"
	"example.com/livery/httpd/loop"
)

// ready is a source that has one answer to every address. What an edge looks up for a hit is counted by
// its own tests.
type ready struct {
	answer loop.Answer
	room   []byte
}

// Serve implements loop.Handler.
func (ready) Serve(ctx *fasthttp.RequestCtx) { ctx.SetStatusCode(fasthttp.StatusTeapot) }

// limits are those of an edge.
var limits = loop.Limits{Head: 16 << 10, Body: 16 << 10, Read: time.Minute, Write: time.Minute, Idle: time.Minute}

// Ready implements loop.Source.
func (r ready) Ready(q *loop.Request) (loop.Answer, bool) {
	_, ok := address.Parse(q.Path, q.Query, r.room)
	return r.answer, ok
}

// plainHeaders are what every HTTP client sends.
var plainHeaders = [][2]string{{"accept", "text/css, */*"}, {"accept-encoding", "gzip"}, {"user-agent", "client/1.0"}}

// clientHeaders are what many HTTP clients send besides, and no answer depends on.
var clientHeaders = [][2]string{
	{"authorization", "Bearer " + strings.Repeat("a", 40)}, {"content-type", "application/json"}, {"tenant", "a"}, {"content-language", "en"},
}

const (
	hitPath      = "/env_00000000000000000000000001/thm_00000000000000000000000001/-/1/tokens.css"
	hitModes     = "?modes=scheme.dark,contrast.more"
	hitBodyBytes = 2 << 10
)

func newReady() ready {
	return ready{loop.Answer{
		Head: fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: text/css; charset=utf-8\r\nContent-Length: %d\r\n", hitBodyBytes),
		Body: make([]byte, hitBodyBytes),
	}, make([]byte, 0, address.MaxKeyBytes)}
}

// hitOf prepares requests for a file over one connection on the loopback; neither side may allocate.
func hitOf(query string, headers [][2]string) func() (run, end func() error, err error) {
	request := fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: files.example\r\n", hitPath+query)
	headers = slices.Concat(plainHeaders, headers)
	for _, h := range headers {
		request = fmt.Appendf(request, "%s: %s\r\n", h[0], h[1])
	}
	request = append(request, "\r\n"...)
	return func() (func() error, func() error, error) { return prepareHit(request) }
}

func prepareHit(request []byte) (func() error, func() error, error) {
	l := loop.New(loop.Config{Handler: newReady(), Limits: limits, MaxConns: 1000, Threads: 1})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	served := make(chan error, 1)
	go func() { served <- l.Serve(listener) }()
	c, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		return nil, nil, err
	}
	end := func() error {
		return errors.Join(c.Close(), l.Shutdown(context.Background()), <-served)
	}
	answer := make([]byte, 0, hitBodyBytes+512)
	return func() error {
		if _, err := c.Write(request); err != nil {
			return err
		}
		for answer = answer[:0]; len(answer) <= hitBodyBytes || answer[len(answer)-1-hitBodyBytes] != '\n'; {
			n, err := c.Read(answer[len(answer):cap(answer)])
			if err != nil {
				return err
			}
			if answer = answer[:len(answer)+n]; len(answer) == cap(answer) {
				return io.ErrShortBuffer
			}
		}
		return nil
	}, end, nil
}

// hit2Of prepares requests for a file in HTTP/2, whose session is given frames and no connection.
func hit2Of(headers [][2]string) func() (run, end func() error, err error) {
	return func() (func() error, func() error, error) {
		server := h2.New(h2.Config{
			Handler: newReady(), Limits: limits, Requests: h2.NewLimiter(32<<20, 1000, nil), Shed: func() {}, Logger: slog.New(slog.DiscardHandler),
		})
		session := server.Begin(netip.MustParseAddrPort("192.0.2.1:1"), newReady(), func() {})
		var sent, block bytes.Buffer
		framer, encoder := http2.NewFramer(&sent, nil), hpack.NewEncoder(&block)
		write := func(stream uint32) error {
			block.Reset()
			for _, f := range slices.Concat([][2]string{
				{":method", "GET"}, {":scheme", "https"}, {":authority", "files.example"}, {":path", hitPath},
			}, plainHeaders, headers) {
				if err := encoder.WriteField(hpack.HeaderField{Name: f[0], Value: f[1]}); err != nil {
					return err
				}
			}
			return framer.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: block.Bytes(), EndStream: true, EndHeaders: true})
		}
		sent.WriteString(http2.ClientPreface)
		const most = 1<<31 - 1
		if err := errors.Join(framer.WriteSettings(), framer.WriteWindowUpdate(0, most-65535), write(1)); err != nil {
			return nil, nil, err
		}
		now, answer, stream := time.Now(), make([]byte, 0, 64<<10), uint32(1)
		session.Receive(sent.Bytes(), now)
		session.Append(answer, now)
		sent.Reset()
		if err := write(3); err != nil { // by the places of its fields in the table, as every further request
			return nil, nil, err
		}
		request := sent.Bytes()
		end := func() error { session.Close(); return nil }
		return func() error {
			stream += 2
			binary.BigEndian.PutUint32(request[5:], stream)
			session.Receive(request, now)
			if n := len(session.Append(answer, now)); n <= hitBodyBytes {
				return fmt.Errorf("an answer of %d bytes", n)
			}
			return nil
		}, end, nil
	}
}
