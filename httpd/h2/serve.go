package h2

import (
	"context"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"example.com/livery/httpd/loop"
)

// Conns serves connections that no event loop carries, each by two goroutines. The zero value has none. It may be
// used concurrently.
type Conns struct {
	mu      sync.Mutex // guards open and draining
	open    map[*carrier]struct{}
	drained bool
	working sync.WaitGroup
}

// carrier carries the session of one connection.
type carrier struct {
	net.Conn
	woken chan struct{} // one element: the session has something to send
	write time.Duration

	draining atomic.Bool // the session is to take no new requests

	mu      sync.Mutex // guards session and out
	session loop.Session
	out     []byte
	timer   *time.Timer
	ended   bool
	drained bool // the session has heard of draining
}

// Serve begins to serve c, which it closes in the end.
func (s *Conns) Serve(c net.Conn, server *Server) {
	k := &carrier{Conn: c, woken: make(chan struct{}, 1), write: server.config.WriteTimeout, out: make([]byte, 0, carrierBytes)}
	remote := loop.AddrPortOf(c.RemoteAddr())
	if k.session = server.Begin(remote, nil, k.wake); k.session == nil {
		_ = c.Close()
		return
	}
	k.timer = time.AfterFunc(time.Hour, k.wake)
	s.add(k)
	go func() {
		defer s.remove(k)
		k.serve()
	}()
}

// serve serves the connection until it ends.
func (k *carrier) serve() {
	var sending sync.WaitGroup
	sending.Go(k.sendWhenWoken)
	k.read()
	k.end()
	sending.Wait()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.timer.Stop()
	k.session.Close()
}

// carrierBytes are read, and collected to be written, at a time.
const carrierBytes = 32 << 10

// wake has the session's frames sent soon.
func (k *carrier) wake() {
	select {
	case k.woken <- struct{}{}:
	default:
	}
}

// read gives the session what comes, until nothing more does.
func (k *carrier) read() {
	in := make([]byte, carrierBytes)
	k.wake() // the server's settings
	for {
		n, err := k.Read(in)
		if n > 0 {
			k.mu.Lock()
			k.session.Receive(in[:n], time.Now())
			ended := k.flush()
			k.mu.Unlock()
			if ended {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// end has sendWhenWoken return.
func (k *carrier) end() {
	k.mu.Lock()
	k.ended = true
	k.mu.Unlock()
	k.wake()
}

// sendWhenWoken sends what the session has to send whenever it says so or its time is up, until the end.
func (k *carrier) sendWhenWoken() {
	for range k.woken {
		k.mu.Lock()
		now := time.Now()
		if k.draining.Load() && !k.drained {
			k.drained = true
			k.session.Drain(now)
		}
		if at := k.session.Deadline(); !at.IsZero() && !now.Before(at) && !k.ended {
			k.session.Expire(now)
		}
		ended := k.ended || k.flush()
		k.mu.Unlock()
		if ended {
			_ = k.Close()
			return
		}
	}
}

// flush sends what the session has to send, and reports whether the connection ends. k.mu is locked.
func (k *carrier) flush() (ended bool) {
	now := time.Now()
	for {
		k.out = k.session.Append(k.out[:0], now)
		if len(k.out) == 0 {
			break
		}
		_ = k.SetWriteDeadline(now.Add(k.write))
		if _, err := k.Write(k.out); err != nil {
			return true
		}
	}
	if k.session.Ended() {
		return true
	}
	if at := k.session.Deadline(); !at.IsZero() {
		k.timer.Reset(max(0, time.Until(at)) + time.Millisecond)
	}
	return false
}

// add counts k in, and has it end if all do.
func (s *Conns) add(k *carrier) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[*carrier]struct{}{}
	}
	s.open[k] = struct{}{}
	s.working.Add(1)
	if s.drained {
		k.drain()
	}
}

func (s *Conns) remove(k *carrier) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, k)
	s.working.Done()
}

// drain has the session take no new requests. It does not wait for a write under way.
func (k *carrier) drain() {
	k.draining.Store(true)
	k.wake()
}

// Shutdown ends every connection after the requests under way, or at once when ctx is done, whose error it returns then.
func (s *Conns) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	s.drained = true
	for k := range s.open {
		k.drain()
	}
	none := len(s.open) == 0
	s.mu.Unlock()
	if none {
		return nil
	}
	ended := make(chan struct{})
	go func() {
		s.working.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	for k := range s.open {
		_ = k.Close()
	}
	s.mu.Unlock()
	<-ended
	return fmt.Errorf("h2: shutdown: %w", ctx.Err())
}
