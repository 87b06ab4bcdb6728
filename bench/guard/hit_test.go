package guard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/valyala/fasthttp"

	"example.com/livery/edge/address"
	"example.com/livery/edge/loop"
)

// ready is a source that has one answer to every address. What an edge looks up for a hit is counted by
// its own tests.
type ready struct {
	answer loop.Answer
	room   []byte
}

// Ready implements loop.Source.
func (r ready) Ready(q *loop.Request) (loop.Answer, bool) {
	_, ok := address.Parse(q.Path, q.Query, r.room)
	return r.answer, ok
}

func prepareHit() (func() error, func() error, error) { return hitOf("") }

func prepareModesHit() (func() error, func() error, error) {
	return hitOf("?modes=scheme.dark,contrast.more")
}

// hitOf asks for a file with a query over one connection on the loopback; neither side may allocate.
func hitOf(query string) (func() error, func() error, error) {
	const body = 2 << 10
	source := ready{loop.Answer{
		Head: fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: text/css; charset=utf-8\r\nContent-Length: %d\r\n", body),
		Body: make([]byte, body),
	}, make([]byte, 0, address.MaxKeyBytes)}
	server := &fasthttp.Server{Handler: func(ctx *fasthttp.RequestCtx) { ctx.SetStatusCode(fasthttp.StatusTeapot) }, NoDefaultServerHeader: true}
	l, err := loop.New(loop.Config{Source: source, Server: server, Threads: 1})
	if err != nil {
		return nil, nil, err
	}
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
	const path = "/env_00000000000000000000000001/thm_00000000000000000000000001/-/1/tokens.css"
	request := []byte("GET " + path + query + " HTTP/1.1\r\nHost: files.example\r\nAccept-Encoding: gzip\r\n\r\n")
	answer := make([]byte, 0, body+512)
	return func() error {
		if _, err := c.Write(request); err != nil {
			return err
		}
		for answer = answer[:0]; len(answer) <= body || answer[len(answer)-1-body] != '\n'; {
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
