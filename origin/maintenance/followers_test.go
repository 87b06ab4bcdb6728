package maintenance

import (
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
)

// An edge that waits for changes misses none; one that was answered and comes back no more is behind by what
// happened since, until it is forgotten.
func TestFollowersAreBehindWhileTheyAreAway(t *testing.T) {
	var f Followers
	near, far := netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("10.0.0.2")
	want := func(when string, newest uint64, waits int, lag uint64) {
		t.Helper()
		if w, l := f.State(newest); w != waits || l != lag {
			t.Errorf("%s: state(%d) = %d, %d, want %d, %d", when, newest, w, l, waits, lag)
		}
	}
	want("nobody", 9, 0, 0)
	f.change(near, func(e *follower) { e.waits++ })
	f.change(far, func(e *follower) { e.waits++ })
	want("both wait", 9, 2, 0)
	answered := func(seq uint64, at time.Time) func(*follower) {
		return func(e *follower) { e.waits, e.seq, e.at = e.waits-1, seq, at }
	}
	f.change(near, answered(9, time.Now()))
	want("one is away and has seen all", 9, 1, 0)
	want("and more happened", 12, 1, 3)
	f.change(far, answered(5, time.Now().Add(-forgetAfter-time.Second)))
	want("the other has been away too long", 12, 0, 3)
	f.change(near, func(e *follower) { e.waits++ })
	want("it is back", 12, 1, 0)
}

// A client that requests changes without the feed's token is refused, and not remembered.
func TestStrangersAreNoFollowers(t *testing.T) {
	var f Followers
	stranger := &fasthttp.RequestCtx{}
	stranger.Request.SetRequestURI("/feed/v1/changes")
	for i := range 1000 {
		stranger.SetRemoteAddr(&net.TCPAddr{IP: net.IPv4(10, 1, byte(i>>8), byte(i))})
		f.Follow(stranger, func(ctx *fasthttp.RequestCtx) { ctx.SetStatusCode(fasthttp.StatusUnauthorized) })
	}
	if len(f.seen) != 0 {
		t.Errorf("%d strangers are remembered, want none", len(f.seen))
	}
}
