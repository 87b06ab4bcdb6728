// Package upstream asks the feeds that an edge has its records, blobs and changes from: of an origin or of other edges.
// A Pool knows which of them answer. A failing one is asked by fewer and fewer questions, a single endpoint that gives
// wrong answers likewise, and a feed that cannot be followed is polled after growing pauses.
package upstream

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// Pool is the upstreams of an edge in the order of preference. The feed of one of them is
// followed; questions go there first, and to the others if it gives no answer. What another
// one answered is not covered by the feed that is followed: it may know more, or less. It may be used
// concurrently.
type Pool struct {
	clients        []*Client
	followed       atomic.Pointer[Client] // nil while no feed can be followed
	share          time.Duration          // how long one is waited for before the next one is asked beside it
	recoveredNanos atomic.Int64           // Unix nanoseconds: when a feed could be followed anew, or an upstream answered while none could

	mu       sync.Mutex    // guards recovery
	recovery chan struct{} // closed when an upstream answers again
}

// Config configures the upstreams.
type Config struct {
	URLs  []string           // base URLs of feeds, the preferred ones first
	Token string             // bearer token of the feeds
	TLS   func() *tls.Config // asked for every new connection to an https upstream; nil: the system's roots
	Wait  time.Duration      // how long a request waits for upstreams
}

// New returns the upstreams of c, which are not asked anything yet; an error if there is none, or a URL is not valid.
func New(c Config, now func() time.Time) (*Pool, error) {
	if len(c.URLs) == 0 {
		return nil, errors.New("edge: an upstream is needed")
	}
	p := &Pool{recovery: make(chan struct{}), share: c.Wait / time.Duration(2*len(c.URLs))}
	for _, base := range c.URLs {
		u, err := newClient(base, c, now)
		if err != nil {
			return nil, err
		}
		u.onRecovery = func() { p.recovered(u) }
		if len(c.URLs) > 1 { // no request waits for this one alone: others answer
			for at := range u.endpoints {
				u.endpoints[at].most = maxBackoff
			}
		}
		p.clients = append(p.clients, u)
	}
	return p, nil
}

// Followed returns the upstream whose feed is followed; nil while none can be.
func (p *Pool) Followed() *Client { return p.followed.Load() }

// Following reports whether a feed is followed.
func (p *Pool) Following() bool { return p.Followed() != nil }

// RecoveredAt returns when a feed could be followed anew, or an upstream answered while none could; Unix nanoseconds.
func (p *Pool) RecoveredAt() int64 { return p.recoveredNanos.Load() }

// Close ends the idle connections.
func (p *Pool) Close() {
	for _, u := range p.clients {
		u.client.CloseIdleConnections()
	}
}

// Down reports whether the newest question to every upstream, polls included, got no answer.
func (p *Pool) Down() bool { return p.all((*Client).down) }

// EndpointDown reports whether no upstream gives right answers at an endpoint that are current.
func (p *Pool) EndpointDown(at Endpoint) bool {
	return p.all(func(u *Client) bool { return u.endpointDown(at) })
}

func (p *Pool) all(holds func(u *Client) bool) bool {
	for _, u := range p.clients {
		if !holds(u) {
			return false
		}
	}
	return true
}

// Backoff returns a BackoffError if asking an endpoint now is in vain, because every upstream gave no right
// answer there a moment ago, or is being asked for one; else nil. Of what is held, an upstream that is cut off itself has
// nothing newer.
func (p *Pool) Backoff(at Endpoint, held bool) error {
	if r := p.nextProbe(at, held); r.Next > p.clients[0].now().UnixNano() {
		return r
	}
	return nil
}

// nextProbe returns since when no upstream gives a right answer at an endpoint, and when one is asked again. held is as in
// Backoff.
func (p *Pool) nextProbe(at Endpoint, held bool) *BackoffError {
	r := &BackoffError{Next: math.MaxInt64}
	for _, u := range p.clients {
		r.Next = min(r.Next, u.next(at, held))
		r.Since = max(r.Since, u.outage.since(), u.endpoints[at].since())
	}
	return r
}

// Outage reports whether no upstream answers, since when, and from when on a question is let through.
func (p *Pool) Outage() (since, next time.Time, down bool) {
	var from, to int64
	for _, u := range p.clients {
		began, again := u.outage.since(), u.outage.next()
		if began == 0 {
			return since, next, false
		}
		if from = max(from, began); to == 0 || again < to {
			to = again
		}
	}
	return time.Unix(0, from), time.Unix(0, to), true
}

// Recovered returns what is closed when an upstream that gave no answer gives one again.
func (p *Pool) Recovered() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.recovery
}

// wakeWaiters has every request that waits for an upstream ask again.
func (p *Pool) wakeWaiters() {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.recovery)
	p.recovery = make(chan struct{})
}

// recovered is called when u answers again. Its feed is tried soon: only following it confirms what is held.
func (p *Pool) recovered(u *Client) {
	now := u.now().UnixNano()
	if p.followed.Load() == nil {
		p.recoveredNanos.Store(now)
	}
	if hastened := u.hastenedAt.Load(); now-hastened >= int64(hastenEvery) && u.hastenedAt.CompareAndSwap(hastened, now) {
		u.retryAt.Store(now)
	}
	p.wakeWaiters()
}

// The pauses of an upstream whose feed cannot be read. The first is short: most outages are a restart.
const (
	minBackoff  = 100 * time.Millisecond
	maxBackoff  = 5 * time.Second
	hastenEvery = time.Second // how often an answer to a question may cut a pause short
)

// choose returns the upstream to follow now: the first that is healthy, or, if none is, the one
// whose pause ends first, and how long that still lasts.
func (p *Pool) choose(now time.Time) (u *Client, pause time.Duration) {
	for _, candidate := range p.clients {
		if candidate.healthy.Load() {
			return candidate, 0
		}
		if u == nil || candidate.retryAt.Load() < u.retryAt.Load() {
			u = candidate
		}
	}
	return u, time.Duration(u.retryAt.Load() - now.UnixNano())
}

// Next waits until an upstream is to be followed, and returns it.
func (p *Pool) Next(ctx context.Context, now func() time.Time) *Client {
	for {
		recovered := p.Recovered()
		u, pause := p.choose(now())
		if Sleep(ctx, min(pause, maxBackoff), recovered) {
			return u
		}
	}
}

// Sleep waits, or less if ctx ends; it reports false if it was woken.
func Sleep(ctx context.Context, d time.Duration, wake <-chan struct{}) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-wake:
		return false
	case <-timer.C:
	case <-ctx.Done():
	}
	return true
}

// Polled notes how a poll of u went that ended at now. Pauses become short again only after progress: a poll that waited
// for changes, or brought some.
func (p *Pool) Polled(u *Client, err error, progress bool, now time.Time) {
	if err == nil {
		u.healthy.Store(true)
		if progress {
			u.backoff.Store(0)
		}
		if p.followed.Swap(u) != u {
			p.recoveredNanos.Store(now.UnixNano())
			p.wakeWaiters()
		}
		return
	}
	p.followed.CompareAndSwap(u, nil)
	u.holdBack(now)
}

// holdBack holds following u back for a while, twice as long each time. Edges that lost one upstream do
// not all come back at once.
func (u *Client) holdBack(now time.Time) {
	u.retryAt.Store(now.Add(u.BackOff()).UnixNano())
	u.healthy.Store(false)
}

// BackOff returns for how long to hold back, twice as long each time, give or take a half.
func (u *Client) BackOff() time.Duration {
	backoff := min(max(2*u.backoff.Load(), int64(minBackoff)), int64(maxBackoff))
	u.backoff.Store(backoff)
	return time.Duration(backoff/2 + rand.Int64N(backoff))
}

// Probe asks whether u can be followed again, while another one is followed.
func (u *Client) Probe(ctx context.Context) {
	defer u.probing.Store(false)
	if _, _, err := u.Changes(ctx, "", 0, 1); err != nil {
		u.holdBack(u.now())
		return
	}
	u.healthy.Store(true)
}

// Probes returns the upstreams preferred to u whose pause has ended; the caller must Probe them.
func (p *Pool) Probes(u *Client, now time.Time) (list []*Client) {
	for _, candidate := range p.clients {
		if candidate == u {
			break
		}
		if !candidate.healthy.Load() && candidate.retryAt.Load() <= now.UnixNano() && candidate.probing.CompareAndSwap(false, true) {
			list = append(list, candidate)
		}
	}
	return list
}

// Name returns how logs and metrics call an upstream: by its place, which is not a secret.
func (p *Pool) Name(u *Client) string {
	for i := range p.clients {
		if p.clients[i] == u {
			return fmt.Sprint(i + 1)
		}
	}
	return ""
}
