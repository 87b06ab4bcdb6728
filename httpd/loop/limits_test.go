package loop

import (
	"bufio"
	"context"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"example.com/livery/internal/test/race"
)

// short makes the limits of time short.
func short(read, write, idle time.Duration) func(*Config) {
	return func(c *Config) {
		c.Limits.Read, c.Limits.Write, c.Limits.Idle = read, write, idle
	}
}

const soon, late = 500 * time.Millisecond, time.Minute

// TestSlowHeadsEnd (A62): a head that does not arrive in time is answered as the server answers it,
// however steadily its bytes trickle in.
func TestSlowHeadsEnd(t *testing.T) {
	for _, tt := range []struct{ name, before, head string }{
		{"on a new connection", "", "GET /2k.css HTTP/1.1\r\nHost: a\r\nAcc"},
		{"on one that was used", get("/2k.css"), "GET /2k.css HTTP/1.1\r\nHost: a\r\nAcc"},
		{"of which one byte comes", get("/2k.css"), "G"},
		{"that the server has already", get("/2k.css"), "HEAD /2k.css HTTP/1.1\r\nHost: a\r\nAcc"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			eachWay(t, func(t *testing.T, open func(...func(*Config)) *testServer) {
				h := open(short(soon, late, late))
				c := h.dial(t)
				r := bufio.NewReader(c)
				if tt.before != "" {
					ask(t, c, r, tt.before)
				}
				stop := trickle(c, tt.head)
				defer stop()
				resp, _ := answer(t, r)
				if resp.StatusCode != http.StatusRequestTimeout && resp.StatusCode != http.StatusBadRequest || !resp.Close {
					t.Errorf("status %d, close %t; want 408 or 400, and an end", resp.StatusCode, resp.Close)
				}
				ended(t, r)
			})
		})
	}
}

// trickle sends a head, and then more of it without end, a byte at a time.
func trickle(c net.Conn, head string) (stop func()) {
	_, _ = io.WriteString(c, head)
	done := make(chan struct{})
	var sending sync.WaitGroup
	sending.Go(func() {
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				if strings.Contains(head, "\r\n") {
					_, _ = io.WriteString(c, "e")
				}
			}
		}
	})
	return func() {
		close(done)
		sending.Wait()
	}
}

// ended wants the end of a connection.
func ended(t testing.TB, r *bufio.Reader) {
	t.Helper()
	if b, err := io.ReadAll(r); err != nil && !errors.Is(err, syscall.ECONNRESET) || len(b) > 0 {
		t.Errorf("%d more bytes and %v; want the end of the connection", len(b), err)
	}
}

// TestSilentConnectionsEnd (A62): one that was used by IdleTimeout, a new one by ReadTimeout.
func TestSilentConnectionsEnd(t *testing.T) {
	eachWay(t, func(t *testing.T, open func(...func(*Config)) *testServer) {
		h := open(short(late, late, soon))
		c := h.dial(t)
		r := bufio.NewReader(c)
		ask(t, c, r, get("/2k.css"))
		ended(t, r)
		ask(t, h.dial(t), bufio.NewReader(strings.NewReader("HTTP/1.1 204 No Content\r\n\r\n")), "") // a connection more
		eventually(t, "the silent connection is counted", func() bool { return h.loop.Stats().Expired == 1 })
	})
}

// TestSlowReadersEnd (A62): a client that does not take an answer loses the connection, and no other waits.
func TestSlowReadersEnd(t *testing.T) {
	eachWay(t, func(t *testing.T, open func(...func(*Config)) *testServer) {
		h := open(short(late, soon, late))
		slow := h.dial(t)
		_ = socket(slow).SetReadBuffer(4 << 10)
		if _, err := io.WriteString(slow, strings.Repeat(get("/2m.css"), 8)); err != nil {
			t.Fatal(err)
		}
		c := h.dial(t)
		if resp, _ := ask(t, c, bufio.NewReader(c), get("/2k.css")); resp.StatusCode != http.StatusOK {
			t.Errorf("beside a slow reader: status %d", resp.StatusCode)
		}
		eventually(t, "the slow reader has gone", func() bool { return h.loop.Stats().Expired == 1 && h.loop.Stats().Connections == 1 })
	})
}

// TestSlowReadersGetEverything: a reader who pauses gets every byte.
func TestSlowReadersGetEverything(t *testing.T) {
	eachWay(t, func(t *testing.T, open func(...func(*Config)) *testServer) {
		h := open()
		c := h.dial(t)
		_ = socket(c).SetReadBuffer(64 << 10)
		const n = 4
		go func() {
			_, _ = io.WriteString(c, strings.Repeat(get("/2m.css")+get("/nothing")+get("/20k.css"), n))
		}()
		r := bufio.NewReaderSize(&slowReader{r: c}, 64<<10)
		for i := range n {
			for _, want := range []int{2 << 20, -1, 20 << 10} {
				if resp, body := answer(t, r); want >= 0 && len(body) != want || want < 0 && resp.StatusCode != http.StatusNotFound {
					t.Fatalf("answer %d: status %d, %d bytes; want %d", i, resp.StatusCode, len(body), want)
				}
			}
		}
	})
}

// slowReader is a reader that rests between reads.
type slowReader struct {
	r io.Reader
	n int
}

func (p *slowReader) Read(b []byte) (int, error) {
	if p.n++; p.n%20 == 0 {
		time.Sleep(time.Millisecond)
	}
	return p.r.Read(b)
}

// TestPipelinesTakeTurns: a client with endless requests does not keep others waiting.
func TestPipelinesTakeTurns(t *testing.T) {
	eachWay(t, func(t *testing.T, open func(...func(*Config)) *testServer) {
		h := open()
		greedy := h.dial(t)
		var working sync.WaitGroup
		working.Go(func() { _, _ = io.Copy(io.Discard, greedy) })
		working.Go(func() {
			batch := strings.Repeat(get("/2k.css"), 1000)
			for {
				if _, err := io.WriteString(greedy, batch); err != nil {
					return
				}
			}
		})
		for range 20 {
			c := h.dial(t)
			ask(t, c, bufio.NewReader(c), get("/2k.css"))
		}
		_ = greedy.Close()
		working.Wait()
	})
}

// TestConnectionsBeyondTheMostAreSentAway: with an answer, and without
// harm to those that are open.
func TestConnectionsBeyondTheMostAreSentAway(t *testing.T) {
	eachWay(t, func(t *testing.T, open func(...func(*Config)) *testServer) {
		h := open(func(c *Config) { c.MaxConns = 2 })
		inside := h.dial(t)
		r := bufio.NewReader(inside)
		ask(t, inside, r, get("/2k.css"))
		second := h.dial(t)
		ask(t, second, bufio.NewReader(second), get("/2k.css"))
		third := h.dial(t)
		if resp, _ := ask(t, third, bufio.NewReader(third), get("/2k.css")); resp.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("status %d, want 503", resp.StatusCode)
		}
		ask(t, inside, r, get("/2k.css"))
		_ = second.Close()
		eventually(t, "there is room again", func() bool { return h.loop.Stats().Connections == 1 })
		fourth := h.dial(t)
		if resp, _ := ask(t, fourth, bufio.NewReader(fourth), get("/2k.css")); resp.StatusCode != http.StatusOK {
			t.Errorf("status %d, want 200", resp.StatusCode)
		}
		if n := h.loop.Stats().Refused; n != 1 {
			t.Errorf("%d refused, want 1", n)
		}
	})
}

// TestShutdownLosesNoRequest: whatever a client sent while Shutdown ran is answered, or was sent after
// an answer that said that the connection ends.
func TestShutdownLosesNoRequest(t *testing.T) {
	eachWay(t, func(t *testing.T, open func(...func(*Config)) *testServer) {
		h := open()
		var lost, answered atomic.Int64
		var clients sync.WaitGroup
		for i := range 16 {
			c := h.dial(t)
			path := []string{"/2k.css", "/200k.css", "/nothing", "/missed.css"}[i%4]
			clients.Go(func() {
				r := bufio.NewReader(c)
				for {
					if _, err := io.WriteString(c, get(path)); err != nil {
						lost.Add(1)
						return
					}
					resp, err := http.ReadResponse(r, nil)
					if err == nil {
						_, err = io.Copy(io.Discard, resp.Body)
					}
					if err != nil {
						lost.Add(1)
						return
					}
					answered.Add(1)
					if resp.Close {
						return
					}
				}
			})
		}
		eventually(t, "every client is at work", func() bool { return answered.Load() > 200 })
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := h.loop.Shutdown(ctx); err != nil {
			t.Errorf("Shutdown returned %v", err)
		}
		clients.Wait()
		if n := lost.Load(); n > 0 {
			t.Errorf("%d of %d requests were lost", n, answered.Load()+n)
		}
	})
}

// TestShutdownWaitsForTheServer: what the server is at is answered first.
func TestShutdownWaitsForTheServer(t *testing.T) {
	eachWay(t, func(t *testing.T, open func(...func(*Config)) *testServer) {
		h := open()
		c := h.dial(t)
		if _, err := io.WriteString(c, get("/held.css")); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the server has the request", func() bool { return h.requests.Load() == 1 })
		done := make(chan error, 1)
		go func() { done <- h.loop.Shutdown(context.Background()) }()
		eventually(t, "nothing is accepted any more", func() bool {
			late, err := net.Dial("tcp", h.address)
			if err == nil {
				_ = late.Close()
			}
			return err != nil
		})
		close(h.hold)
		if resp, _ := answer(t, bufio.NewReader(c)); resp.StatusCode != http.StatusNotFound {
			t.Errorf("status %d, want 404", resp.StatusCode)
		}
		if err := <-done; err != nil {
			t.Errorf("Shutdown returned %v", err)
		}
	})
}

// TestShutdownEndsWhenItMust: connections of a client that never ends do not keep it.
func TestShutdownEndsWhenItMust(t *testing.T) {
	eachWay(t, func(t *testing.T, open func(...func(*Config)) *testServer) {
		h := open()
		half := h.dial(t)
		_, _ = io.WriteString(half, "GET /2k.css HT")
		second := h.dial(t)
		_, _ = io.WriteString(second, get("/held.css"))
		eventually(t, "the server has the request", func() bool { return h.requests.Load() == 1 })
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		context.AfterFunc(ctx, func() { close(h.hold) }) // goroutines wait for what the server is at
		if err := h.loop.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Shutdown returned %v", err)
		}
		if b, err := io.ReadAll(half); len(b) > 0 {
			t.Errorf("half a request is answered: %q, %v", b, err)
		}
		eventually(t, "nothing is open", func() bool { return h.loop.Stats().Connections == 0 })
	})
}

// TestServeAfterShutdown ends at once.
func TestServeAfterShutdown(t *testing.T) {
	l := New(Config{Handler: newSite(), Limits: limits, MaxConns: 1})
	if err := l.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Serve(ln); err != nil {
		t.Errorf("Serve returned %v", err)
	}
	if _, err := ln.Accept(); err == nil {
		t.Error("the listener is open")
	}
}

// TestNoAllocationAHit counts what the process allocates for answers, on the wire.
// testing.AllocsPerRun would take the processors away that the threads need.
func TestNoAllocationAHit(t *testing.T) {
	race.Skip(t)
	eachWay(t, func(t *testing.T, open func(...func(*Config)) *testServer) {
		h := open()
		for _, request := range []string{get("/2k.css"), chrome, get("/20k.css", `If-None-Match: "20480"`), get("/200k.css")} {
			c := h.dial(t)
			text, b := []byte(request), make([]byte, 256<<10)
			size := len(exchange(t, h.dial(t), request))
			allocated := func() uint64 {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				for range 300 {
					demand(t, c, text, b[:size])
				}
				runtime.ReadMemStats(&after)
				return after.Mallocs - before.Mallocs
			}
			least := uint64(math.MaxUint64)
			for range 5 { // others, such as the runtime itself, allocate at times
				least = min(least, allocated())
			}
			most := uint64(300)
			if h.trusted != nil { // crypto/tls allocates once for a read that finds its buffer empty: the server's, and the client's
				most += 300 * uint64(2+size>>14)
			}
			if least >= most {
				t.Errorf("%d allocations in 300 answers to %.40q, want less than %d", least, request, most)
			}
		}
	})
}

// demand sends a text and reads an answer into b.
func demand(t *testing.T, c net.Conn, text, b []byte) {
	if _, err := c.Write(text); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(c, b); err != nil {
		t.Fatal(err)
	}
}
