//go:build linux && (amd64 || arm64)

package loop

import (
	"bufio"
	"context"
	"io"
	"math"
	"net"
	"net/netip"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
	"golang.org/x/sys/unix"

	"example.com/livery/internal/test/race"
)

// TestProcessorsAreGivenBack: the process has more of them while Loops run, as many as the largest has threads and not as
// all have together. A Loop without a number of threads does not count what other Loops added.
func TestProcessorsAreGivenBack(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	serve := func(threads int) *testServer {
		h := openServer(t, ways[0].wrap, func(c *Config) { c.Threads = threads })
		c := h.dial(t)
		ask(t, c, bufio.NewReader(c), get("/2k.css"))
		return h
	}
	want := func(when string, n int) {
		t.Helper()
		if got := runtime.GOMAXPROCS(0); got != n {
			t.Errorf("%s GOMAXPROCS = %d, want %d", when, got, n)
		}
	}
	first, second := serve(2), serve(1)
	want("with two Loops", before+2)
	byDefault := serve(0)
	want("with one that chose its threads", before+max(2, before-1))
	largest := serve(before + 3)
	want("with one that has more threads", before+before+3)
	for _, h := range []*testServer{first, largest, byDefault} {
		h.close(t)
	}
	want("while a Loop runs", before+before+3)
	second.close(t)
	want("after all", before)
}

// changes are numbers, each of which is sent to all followers as a line. Of those that came since the last line a follower
// is sent the newest, as with event streams.
type changes struct {
	tb     testing.TB
	number atomic.Int64
	limit  atomic.Int64 // until a follower expires, as a time.Duration; 0: never
	caught atomic.Pointer[catch]

	newest, expired, drained, closed, received atomic.Int64 // newest: followers that were sent the newest number

	mu  sync.Mutex // guards all
	all []*follower
}

// catch stops the worker while it has a follower.
type catch struct {
	behind   bool // the first one, which the worker has as well
	first    atomic.Pointer[follower]
	taken    atomic.Bool
	by       chan *follower
	released chan struct{}
}

// follower is a session that a change is sent to.
type follower struct {
	changes *changes
	remote  string
	wake    func()
	used    atomic.Bool  // by a call under way
	bytes   atomic.Int64 // of a line, if that is more than its number has
	since   time.Time
	sent    int64
	rest    []byte
	ended   atomic.Bool
	drains  atomic.Int64
}

func (c *changes) begin(remote netip.AddrPort, _ Source, wake func()) Session {
	f := &follower{changes: c, remote: remote.String(), wake: wake, since: time.Now()}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, f)
	return f
}

// next makes a change.
func (c *changes) next() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.newest.Store(0)
	n := c.number.Add(1)
	for _, f := range c.all {
		f.wake()
	}
	return n
}

// catch makes a change, and returns a follower that the worker has until release is called: the one that it is with, or
// the one before that.
func (s *followed) catch(behind bool) (f *follower, release func()) {
	for range 50 {
		stop := &catch{behind: behind, by: make(chan *follower, 1), released: make(chan struct{})}
		s.caught.Store(stop)
		n := s.next()
		eventually(s.tb, "all are sent it, or the worker is stopped", func() bool {
			return stop.taken.Load() || s.newest.Load() == many
		})
		if stop.taken.Swap(true) {
			return <-stop.by, sync.OnceFunc(func() { close(stop.released) })
		}
		s.hear(n) // the thread was quicker
	}
	s.tb.Fatal("the worker has no follower")
	return nil, nil
}

// use notes that a call is under way, and complains if another one is.
func (f *follower) use() (done func()) {
	if f.used.Swap(true) {
		f.changes.tb.Error("a session is called twice at one time")
	}
	return func() { f.used.Store(false) }
}

// Receive implements Session.
func (f *follower) Receive(p []byte, _ time.Time) {
	defer f.use()()
	f.changes.received.Add(int64(len(p)))
}

// Append implements Session.
func (f *follower) Append(dst []byte, _ time.Time) []byte {
	defer f.use()()
	if n := f.changes.number.Load(); len(f.rest) == 0 && n != f.sent {
		f.sent = n
		f.changes.newest.Add(1)
		text := strconv.FormatInt(n, 10)
		f.rest = []byte(text + strings.Repeat(" ", max(0, int(f.bytes.Load())-len(text))) + "\n")
	}
	n := min(len(f.rest), cap(dst)-len(dst))
	dst = append(dst, f.rest[:n]...)
	f.rest = f.rest[n:]
	if stop := f.changes.caught.Load(); stop != nil && onWorker() {
		stop.at(f)
	}
	return dst
}

// at stops the worker, which is with f.
func (s *catch) at(f *follower) {
	first := s.first.CompareAndSwap(nil, f)
	if s.behind && (first || s.first.Load() == f) || s.taken.Swap(true) {
		return
	}
	s.by <- s.first.Load()
	<-s.released
}

// onWorker reports whether the caller runs on the worker of a fanout.
func onWorker() bool {
	pcs := make([]uintptr, 16)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	for {
		f, more := frames.Next()
		if strings.HasSuffix(f.Function, "(*fanout).work") {
			return true
		}
		if !more {
			return false
		}
	}
}

// Bytes implements Session.
func (f *follower) Bytes() int { return 0 }

// Ended implements Session.
func (f *follower) Ended() bool { return f.ended.Load() && len(f.rest) == 0 }

// Deadline implements Session.
func (f *follower) Deadline() time.Time {
	defer f.use()()
	if limit := time.Duration(f.changes.limit.Load()); limit > 0 {
		return f.since.Add(limit)
	}
	return time.Time{}
}

// Expire implements Session.
func (f *follower) Expire(time.Time) {
	defer f.use()()
	f.changes.expired.Add(1)
	f.ended.Store(true)
}

// Drain implements Session.
func (f *follower) Drain(time.Time) {
	defer f.use()()
	f.drains.Add(1)
	f.changes.drained.Add(1)
	f.ended.Store(true)
}

// Close implements Session.
func (f *follower) Close() {
	defer f.use()()
	f.changes.closed.Add(1)
}

// followed is a server whose clients follow changes.
type followed struct {
	*testServer
	*changes
	clients map[string]*client // by their address
}

// client is the other end of a follower.
type client struct {
	net.Conn
	*bufio.Reader
}

// many is how many clients follow: more than a turn serves.
const many = 2*turnsAtOnce + 10

// follow opens a server whose clients follow changes.
func follow(t *testing.T, wrap func(net.Listener) net.Listener) *followed {
	s := &followed{changes: &changes{tb: t}, clients: map[string]*client{}}
	s.testServer = openSecureServer(t, wrap, map[string]SessionFunc{"follow": s.begin})
	s.dialAll(t)
	return s
}

// dialAll has the clients follow, until each has the first number.
func (s *followed) dialAll(t *testing.T) {
	s.trusted.NextProtos = []string{"follow"}
	for range many {
		conn := s.dial(t)
		s.clients[conn.LocalAddr().String()] = &client{conn, bufio.NewReader(conn)}
	}
	s.trusted.NextProtos = nil
	eventually(t, "all follow", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.all) == many
	})
	s.hear(s.next())
}

// hear waits until every client has the newest line, and fails if one comes twice or in another order.
func (s *followed) hear(before int64) {
	s.tb.Helper()
	for _, one := range s.clients {
		for last := before - 1; last < s.number.Load(); {
			last = one.hear(s.tb, last)
		}
	}
}

// hear returns the next number, which must be larger than the last.
func (c *client) hear(tb testing.TB, last int64) int64 {
	tb.Helper()
	text, err := c.ReadString('\n')
	n, failed := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil || failed != nil || n <= last {
		tb.Errorf("%.40q comes after %d: %v", text, last, err)
		return math.MaxInt64
	}
	return n
}

// TestAChangeReachesEverySession once, by the thread or by the worker, and one that comes meanwhile does too.
func TestAChangeReachesEverySession(t *testing.T) {
	s := follow(t, ways[0].wrap)
	for range 20 {
		s.hear(s.next())
	}
	_, release := s.catch(true) // the worker has asked the one before for all that it has
	defer release()
	s.next()
	eventually(t, "the thread has sent it to others", func() bool { return s.newest.Load() >= many-workerTurns })
	release()
	s.hear(s.number.Load() - 1)
	s.hear(s.next()) // and none twice
}

// TestWhatHappensToASessionOfTheWorker is done when the thread has it back: its client sends something, or leaves, or its
// time is up. The thread answers others meanwhile.
func TestWhatHappensToASessionOfTheWorker(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(t *testing.T, s *followed, f *follower)
		done func(s *followed, f *follower) bool
	}{
		{"its client sends", func(t *testing.T, s *followed, f *follower) {
			_, _ = io.WriteString(s.clients[f.remote], "more")
		}, func(s *followed, _ *follower) bool { return s.received.Load() == 4 }},
		{"its client leaves", func(t *testing.T, s *followed, f *follower) {
			_ = socket(s.clients[f.remote].Conn).Close()
		}, func(s *followed, _ *follower) bool { return s.closed.Load() == 1 }},
		{"its client fails", func(t *testing.T, s *followed, f *follower) {
			_ = socket(s.clients[f.remote].Conn).SetLinger(0)
			_ = socket(s.clients[f.remote].Conn).Close()
		}, func(s *followed, _ *follower) bool { return s.closed.Load() == 1 }},
		{"its time is up", func(t *testing.T, s *followed, f *follower) {
			eventually(t, "others have expired", func() bool { return s.expired.Load() >= many-2*workerTurns })
		}, func(s *followed, _ *follower) bool { return s.closed.Load() == many }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := follow(t, ways[0].wrap)
			if strings.Contains(t.Name(), "time_is_up") {
				s.mu.Lock()
				s.limit.Store(int64(time.Since(s.all[0].since) + 3*time.Second))
				s.mu.Unlock()
				s.hear(s.next())
			}
			f, release := s.catch(false)
			defer release()
			tt.do(t, s, f)
			other := s.dial(t)
			defer other.Close()
			if resp, _ := ask(t, other, bufio.NewReader(other), get("/2k.css")); resp.StatusCode != fasthttp.StatusOK {
				t.Errorf("another client is answered %d", resp.StatusCode)
			}
			if tt.done(s, f) {
				t.Error("it is done while the worker has the session")
			}
			release()
			eventually(t, "it is done", func() bool { return tt.done(s, f) })
		})
	}
}

// TestShutdownWaitsForTheWorker: sessions that it has are drained, or closed, when it has sent what they had to send.
func TestShutdownWaitsForTheWorker(t *testing.T) {
	for _, aborted := range []bool{false, true} {
		t.Run("aborted "+strconv.FormatBool(aborted), func(t *testing.T) {
			s := follow(t, ways[0].wrap)
			f, release := s.catch(false)
			defer release()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if aborted {
				cancel()
			}
			ended := make(chan error, 1)
			go func() { ended <- s.loop.Shutdown(ctx) }()
			if !aborted {
				eventually(t, "others are drained", func() bool { return s.drained.Load() >= many-workerTurns })
			}
			select {
			case err := <-ended:
				t.Errorf("it ends with %v while the worker has a session", err)
			case <-time.After(20 * time.Millisecond):
			}
			release()
			if err := <-ended; (err != nil) != aborted {
				t.Errorf("it ends with %v", err)
			}
			if n := f.drains.Load(); !aborted && (n != 1 || s.drained.Load() != many) {
				t.Errorf("%d are drained, the one of the worker %d times", s.drained.Load(), n)
			}
			if s.closed.Load() != many {
				t.Errorf("%d sessions are closed, want %d", s.closed.Load(), many)
			}
		})
	}
}

// TestSlowClientsOfAChange: clients that take a while for what they are sent, or do not read, keep nothing from others and
// have the newest line in the end.
func TestSlowClientsOfAChange(t *testing.T) {
	race.Skip(t)
	s := follow(t, ways[0].wrap)
	var slow []*client
	s.mu.Lock()
	some := s.all[:many/8]
	s.mu.Unlock()
	for _, f := range some {
		f.bytes.Store(1 << 19)
		slow = append(slow, s.clients[f.remote])
		delete(s.clients, f.remote)
	}
	const times = 5
	for range times {
		s.hear(s.next())
	}
	var reading sync.WaitGroup
	for _, one := range slow {
		reading.Go(func() {
			for last := int64(1); last < 2*times+1 && !t.Failed(); {
				last = one.hear(t, last)
			}
		})
	}
	for range times {
		s.hear(s.next())
	}
	reading.Wait()
}

// TestASocketTakesMoreWhileTheWorkerHasIt: epoll reports that once, and the rest of a line follows.
func TestASocketTakesMoreWhileTheWorkerHasIt(t *testing.T) {
	small := func(ln net.Listener) net.Listener {
		raw, err := ln.(*net.TCPListener).SyscallConn()
		if err == nil {
			err = raw.Control(func(fd uintptr) { _ = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_SNDBUF, 16<<10) })
		}
		if err != nil {
			t.Fatal(err)
		}
		return ln
	}
	s := follow(t, small)
	s.mu.Lock()
	for _, f := range s.all {
		f.bytes.Store(256 << 10)
	}
	s.mu.Unlock()
	s.hear(s.next()) // each socket was full once: epoll reports when it takes more from now on
	f, release := s.catch(true)
	defer release()
	one := s.clients[f.remote]
	_ = one.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	part, err := one.ReadString('\n')
	if err == nil {
		t.Skip("the socket takes the whole line")
	}
	release()
	_ = one.SetReadDeadline(time.Now().Add(50 * time.Second)) // before the limit of a client that takes nothing
	if rest, err := one.ReadString('\n'); err != nil || len(part)+len(rest) != 256<<10+1 {
		t.Errorf("%d and %d bytes have come: %v", len(part), len(rest), err)
	}
}
