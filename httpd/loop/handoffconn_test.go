//go:build linux && (amd64 || arm64)

package loop

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
)

// TestTheServerSeesAConnection: who it is from and where it came to, and limits of time in both
// directions.
func TestTheServerSeesAConnection(t *testing.T) {
	type seen struct {
		local, remote       net.Addr
		read, write, closed error
	}
	saw := make(chan seen, 1)
	h := openServer(t, ways[0].wrap, func(c *Config) {
		c.Server.Handler = func(ctx *fasthttp.RequestCtx) {
			conn := ctx.Conn()
			s := seen{local: conn.LocalAddr(), remote: conn.RemoteAddr()}
			_ = conn.SetDeadline(time.Now().Add(20 * time.Millisecond))
			_, s.read = conn.Read(make([]byte, 1))
			for s.write == nil {
				_, s.write = conn.Write([]byte(strings.Repeat("x", 1<<20)))
			}
			s.closed = errors.Join(conn.Close(), conn.SetDeadline(time.Time{}))
			_, err := conn.Read(make([]byte, 1))
			_, err2 := conn.Write([]byte("x"))
			if !errors.Is(err, net.ErrClosed) || !errors.Is(err2, net.ErrClosed) || !errors.Is(conn.Close(), net.ErrClosed) {
				s.closed = errors.New("a closed connection can be used")
			}
			saw <- s
		}
	})
	c := h.dial(t)
	if _, err := io.WriteString(c, get("/nothing")); err != nil {
		t.Fatal(err)
	}
	s := <-saw
	if s.local.String() != h.address || s.remote.String() != c.LocalAddr().String() {
		t.Errorf("from %v to %v, want from %v to %v", s.remote, s.local, c.LocalAddr(), h.address)
	}
	if !errors.Is(s.read, os.ErrDeadlineExceeded) || !errors.Is(s.write, os.ErrDeadlineExceeded) || s.closed != nil {
		t.Errorf("reading ends with %v, writing with %v, closing with %v", s.read, s.write, s.closed)
	}
	eventually(t, "the connection has ended", func() bool { return h.loop.Stats().Connections == 0 })
}

// TestLimitsMoveUnderAWait: what was set later counts for who waits already.
func TestLimitsMoveUnderAWait(t *testing.T) {
	s := direction{happened: make(chan struct{}, 1)}
	s.limit(time.Now().Add(time.Hour))
	done := make(chan struct{})
	go func() {
		defer close(done)
		for !s.passed() {
			s.wait()
		}
	}()
	s.limit(time.Now().Add(10 * time.Millisecond))
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Error("the earlier limit is not seen")
	}
}

// TestAConnectionOfOddRequestsStaysWithTheServer: to give it back each time would cost more than it
// saves, and to keep it for ever would take it from the loop.
func TestAConnectionOfOddRequestsStaysWithTheServer(t *testing.T) {
	h := openServer(t, ways[0].wrap)
	c := h.dial(t)
	r := bufio.NewReader(c)
	for range 300 {
		ask(t, c, r, get("/nothing"))
	}
	if n := h.loop.Stats().Handovers; n > 20 {
		t.Errorf("%d handovers for 300 requests", n)
	}
	for range 2 * maxKeepFor {
		if resp, _ := ask(t, c, r, get("/2k.css")); resp.StatusCode != http.StatusOK {
			t.Fatalf("status %d", resp.StatusCode)
		}
	}
	eventually(t, "the loop answers again", func() bool { return h.loop.Stats().Answers > maxKeepFor/2 })
}
