package maintenance

import (
	"maps"
	"net/netip"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"example.com/livery/feedproto"
	"example.com/livery/origin/httpserver"
	"example.com/livery/storage"
)

// Followers knows which edges follow the feed, by their addresses: behind one proxy all are one. The zero Followers is ready.
type Followers struct {
	mu      sync.Mutex // guards all below
	seen    map[netip.Addr]follower
	sweptAt time.Time // when those that went away were forgotten last
}

// follower is an edge that requests changes.
type follower struct {
	waits int       // requests that are not answered yet: it misses nothing
	seq   uint64    // number of the newest change that it had seen at its last request
	at    time.Time // when it was answered last
}

// forgetAfter is how long an edge that went away is counted as behind.
const forgetAfter = 2 * time.Minute

// Follow runs answer, and remembers the client of a request for changes.
func (f *Followers) Follow(ctx *fasthttp.RequestCtx, answer fasthttp.RequestHandler) {
	cursor, err := storage.ParseCursor(string(ctx.QueryArgs().Peek("after")))
	if string(ctx.Path()) != feedproto.ChangesPath || err != nil {
		answer(ctx)
		return
	}
	address := httpserver.AddressOf(ctx.RemoteAddr())
	f.change(address, func(e *follower) { e.waits++ })
	status := 0
	defer func() {
		f.change(address, func(e *follower) {
			e.waits--
			if status == fasthttp.StatusOK {
				e.seq, e.at = cursor.Seq, time.Now()
			}
		})
	}()
	answer(ctx)
	status = ctx.Response.StatusCode()
}

// change changes what is known of an edge, and forgets those that went away now and then: looking
// at all of them at every request would cost the square of their number.
func (f *Followers) change(address netip.Addr, how func(*follower)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.seen == nil {
		f.seen = map[netip.Addr]follower{}
	}
	e := f.seen[address]
	how(&e)
	if e == (follower{}) { // it was refused: clients without the token are not remembered
		delete(f.seen, address)
	} else {
		f.seen[address] = e
	}
	if now := time.Now(); now.Sub(f.sweptAt) > forgetAfter/2 {
		f.sweptAt = now
		maps.DeleteFunc(f.seen, func(_ netip.Addr, e follower) bool { return e.waits == 0 && now.Sub(e.at) > forgetAfter })
	}
}

// State returns how many requests for changes wait, and how many changes up to the newest were made
// since the last request of the edge that has been away from the feed longest.
func (f *Followers) State(newest uint64) (waits int, lag uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range f.seen {
		waits += e.waits
		if e.waits == 0 && time.Since(e.at) <= forgetAfter && newest > e.seq {
			lag = max(lag, newest-e.seq)
		}
	}
	return waits, lag
}
