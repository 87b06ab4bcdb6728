package edge

import (
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/livery/edge/coding"
	"example.com/livery/edge/content"
	"example.com/livery/edge/policy"
	"example.com/livery/edge/upstream"
	"example.com/livery/feedproto"
	"example.com/livery/storage/record"
	"example.com/livery/wasm"
	"example.com/livery/wasm/abi"
	"github.com/valyala/fasthttp"
)

const (
	testEnv     = "env_0123456789abcdefghijklmnop"
	testTheme   = "thm_0123456789abcdefghijklmnop"
	testVariant = "var_0123456789abcdefghijklmnop"
)

// warmed returns an edge that holds one published pair and its files, and follows nothing.
func warmed(t testing.TB, serving record.Serving) *Edge {
	runtime, err := wasm.NewRuntime(t.Context(), wasm.Config{CacheDir: filepath.Join("..", ".cache", "wazero")})
	if err != nil {
		t.Fatal(err)
	}
	e, err := New(t.Context(), Config{DataDir: t.TempDir(), Upstreams: []string{"http://127.0.0.1:1"}, Runtime: runtime})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if err := runtime.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	th := e.cache.makeTheme(testEnv + "/" + testTheme)
	fed := feedproto.Theme{EnvironmentID: testEnv, ThemeID: testTheme, CacheLifetime: 3600, Files: []string{"tokens.css"}, Serving: serving}
	ahead := time.Now().Add(time.Hour) // as if confirmed all along
	th.state.Store(newThemeState(learned{change: th.change.Load(), at: ahead}, fed))
	for _, version := range []string{"1", "latest"} {
		p := e.cache.makePair(th.key + "/-/" + version)
		p.state.Store(newPairState(learned{change: th.change.Load(), at: ahead}, feedproto.Pair{Version: 1, Plan: record.HashOf([]byte("p")), Module: record.HashOf([]byte("m")), Sealed: true}))
		text := []byte(strings.Repeat("--a: 1px;", 300))
		plain := content.NewBody(abi.TokensCSS, text, coding.Identity, coding.Identity, false, nil)
		for enc := coding.Gzip; enc < coding.Count; enc++ {
			e.content.Put(cssOf(p), content.NewBody(abi.TokensCSS, text, enc, enc, false, plain.Plain))
		}
		e.content.Put(cssOf(p), plain) // the last, so that it stays
	}
	return e
}

// cssOf names the style sheet of a pair.
func cssOf(p *pair) content.Key {
	return content.Key{Inputs: p.state.Load().inputs.ID, File: abi.TokensCSS}
}

// A hit allocates nothing: every path that a browser takes is counted.
func TestHitDoesNotAllocate(t *testing.T) {
	open := record.Serving{Mode: "public"}
	key := record.SigningKey{ID: "key_1", Secret: []byte("secret")}
	const address = "/" + testEnv + "/" + testTheme + "/-/"
	signed := address + "1/tokens.css"
	for _, tt := range []struct {
		name    string
		serving record.Serving
		uri     string
		lines   []string
		status  int
		allowed float64
	}{
		{"pinned", open, address + "1/tokens.css", nil, 200, 0},
		{"pinned with a query", open, address + "1/tokens.css?x=1", nil, 200, 0},
		{"latest", open, address + "latest/tokens.css", nil, 200, 0},
		{"a browser", open, address + "latest/tokens.css", []string{
			"Accept-Encoding: gzip, deflate, br, zstd", "User-Agent: Mozilla/5.0", "Sec-Fetch-Site: cross-site", "Origin: https://good.example",
		}, 200, 0},
		{"not modified", open, address + "1/tokens.css", []string{"If-None-Match: *"}, 304, 0},
		{"a range", open, address + "1/tokens.css", []string{"Range: bytes=0-99"}, 206, 0},
		{
			"an origin list",
			record.Serving{AllowedOrigins: []string{"https://good.example"}},
			address + "latest/tokens.css",
			[]string{"Origin: https://good.example"},
			200, 0,
		},
		{"an address range", record.Serving{AllowedIPRanges: []string{"0.0.0.0/0"}}, address + "1/tokens.css", nil, 200, 0},
		{
			"signed",
			record.Serving{Mode: "signed", SigningKeys: []record.SigningKey{key}},
			signed + "?" + policy.Sign(signed, time.Now().Add(time.Hour), key), nil, 200, 20, // the price of an HMAC and its texts
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := warmed(t, tt.serving)
			var ctx fasthttp.RequestCtx
			ctx.Init(&fasthttp.Request{}, &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 1}, nil)
			once := func() {
				ctx.Response.Reset()
				e.handle(&ctx)
			}
			ctx.Request.Header.SetMethod(fasthttp.MethodGet)
			ctx.Request.SetRequestURI(tt.uri)
			for _, line := range tt.lines {
				name, value, _ := strings.Cut(line, ": ")
				ctx.Request.Header.Set(name, value)
			}
			once()
			if got := ctx.Response.StatusCode(); got != tt.status {
				t.Fatalf("status %d, want %d: %s", got, tt.status, ctx.Response.Body())
			}
			if n := testing.AllocsPerRun(2000, once); n > tt.allowed {
				t.Errorf("a hit allocates %v times, want %v at most", n, tt.allowed)
			}
		})
	}
}

// A panic is a bug of this program; it costs one answer and says nothing of itself (A102).
func TestPanicIsAnsweredWithoutDetails(t *testing.T) {
	e := warmed(t, record.Serving{})
	e.cache.theme([]byte(testEnv + "/" + testTheme)).state.Load().rules = nil
	var ctx fasthttp.RequestCtx
	ctx.Init(&fasthttp.Request{}, &net.TCPAddr{}, nil)
	ctx.Request.SetRequestURI("/" + testEnv + "/" + testTheme + "/-/1/tokens.css")
	e.handle(&ctx)
	if got := string(ctx.Response.Body()); ctx.Response.StatusCode() != 500 || got != `{"status":"error","cause":"internal","messages":[]}` {
		t.Errorf("answer = %d %s", ctx.Response.StatusCode(), got)
	}
}

func BenchmarkHit(b *testing.B) {
	e := warmed(b, record.Serving{Mode: "public"})
	for _, version := range []string{"1", "latest"} {
		b.Run(version, func(b *testing.B) {
			var ctx fasthttp.RequestCtx
			ctx.Init(&fasthttp.Request{}, &net.TCPAddr{}, nil)
			ctx.Request.SetRequestURI("/" + testEnv + "/" + testTheme + "/-/" + version + "/tokens.css")
			ctx.Request.Header.Set("Accept-Encoding", "gzip, deflate, br, zstd")
			b.ReportAllocs()
			for b.Loop() {
				ctx.Response.Reset()
				e.handle(&ctx)
			}
		})
	}
}

// A flood of unknown addresses stays within the memory budget, and what is asked for often outlives
// it (decisions 7.8).
func TestFloodStaysWithinTheBudget(t *testing.T) {
	const budget = 16 << 20
	c, err := newCache(budget)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	hot := []byte(testEnv + "/" + testTheme)
	dropped := -1 // the first look-up finds nothing
	for i := range 50_000 {
		key := fmt.Sprintf("%s/thm_%026d", testEnv, i)
		c.makeTheme(key)
		c.makePair(key + "/-/latest")
		if c.theme(hot) == nil {
			dropped++
			c.makeTheme(string(hot))
		}
	}
	if dropped > 5 { // chance has a word in what is dropped, so that nobody can aim at an entry
		t.Errorf("a Theme that is asked for all the time was dropped %d times", dropped)
	}
	c.themes.CleanUp()
	c.pairs.CleanUp()
	if held := c.bytes(); held > budget {
		t.Errorf("%d bytes are held, the budget is %d", held, budget)
	}
}

// What is made ready after a change is no more than what is held: a Theme forgets pairs that made
// place for others.
func TestDroppedPairIsForgotten(t *testing.T) {
	c, err := newCache(1 << 19) // room for some 190 pairs
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	th := c.makeTheme(testEnv + "/" + testTheme)
	for i := range maxPairs {
		th.remember(c.makePair(fmt.Sprintf("%s/-/%d", th.key, i+1)))
	}
	deadline := time.Now().Add(10 * time.Second)
	for c.pairs.CleanUp(); ; c.pairs.CleanUp() {
		th.mu.Lock()
		remembered := len(th.pairs)
		th.mu.Unlock()
		if remembered == c.pairs.EstimatedSize() && remembered < maxPairs/2 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d pairs are remembered, %d held", remembered, c.pairs.EstimatedSize())
		}
	}
}

// A Theme that was dropped and comes back cannot take pairs of before for current: it may have
// missed a change in between.
func TestDroppedThemeDoubtsItsPairs(t *testing.T) {
	c, err := newCache(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	key := testEnv + "/" + testTheme
	before := c.makeTheme(key).change.Load()
	c.themes.Invalidate(key)
	if after := c.makeTheme(key).change.Load(); after == before {
		t.Errorf("change number %d was given out twice", after)
	}
}

// What is confirmed is what is not in doubt: a change and the confirmation after it never mix.
func TestDoubtIsNotConfirmed(t *testing.T) {
	e := warmed(t, record.Serving{})
	th := e.cache.theme([]byte(testEnv + "/" + testTheme))
	asked := time.Unix(1000, 0)
	number := th.change.Load()
	e.confirmedAt.Store(time.Unix(2000, 0).UnixNano())
	q, l := question{now: time.Unix(2001, 0)}, learned{change: number, at: asked, covered: true}
	if at, current := e.known(th, l, &q); !current || !at.Equal(time.Unix(2000, 0)) {
		t.Errorf("known = %v, %t, want the confirmation", at, current)
	}
	e.doubt(th)
	if at, current := e.known(th, l, &q); current || !at.Equal(asked) {
		t.Errorf("in doubt: known = %v, %t, want when it was asked for", at, current)
	}
}

// A page that more follows says nothing of what follows it: only the end of the feed confirms. How
// many Themes it names does not count: entries that name none are left out of it.
func TestPageBeforeTheLastConfirmsNothing(t *testing.T) {
	e := warmed(t, record.Serving{})
	fed := feedproto.Changes{Changes: make([]feedproto.Change, 3), Cursor: "1000.a", More: true}
	e.apply(fed, upstream.ResponseMeta{}, time.Unix(1000, 0), upstream.PollSeconds)
	if at := e.confirmedAt.Load(); at != 0 || e.heard.Load() {
		t.Errorf("a page before the last confirmed what is held as of %d", at)
	}
	fed.More = false
	e.apply(fed, upstream.ResponseMeta{}, time.Unix(1000, 0), upstream.PollSeconds)
	if at := e.confirmedAt.Load(); at != time.Unix(1000, 0).UnixNano() {
		t.Errorf("the end of the feed confirmed as of %d, want when it was asked for", at)
	}
}

// Age is rounded up, but for a tenth of a second.
func TestAgeIsRoundedUp(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0", 0: "0", 99 * time.Millisecond: "0", 100 * time.Millisecond: "1", time.Second: "1", 1500 * time.Millisecond: "2", time.Hour: "3600",
	} {
		if got := string(appendSeconds(nil, age(d))); got != want {
			t.Errorf("the age of %v is %s, want %s", d, got, want)
		}
	}
}

// A pair that is being asked for the first time is refreshed ahead too, and not forgotten because
// its request has not been counted yet.
func TestPairOnItsWayIsHot(t *testing.T) {
	now := time.Unix(10_000, 0)
	th := &theme{}
	onItsWay, cold, warm := &pair{key: "a"}, &pair{key: "b"}, &pair{key: "c"}
	cold.askedAt.Store(now.Add(-time.Hour).Unix())
	warm.askedAt.Store(now.Unix())
	for _, p := range []*pair{onItsWay, cold, warm} {
		th.remember(p)
	}
	for range 2 {
		hot := map[string]bool{}
		for _, p := range th.hot(now.Add(-hotFor)) {
			hot[p.key] = true
		}
		if !hot["a"] || hot["b"] || !hot["c"] {
			t.Errorf("hot = %v, want a and c", hot)
		}
	}
}

// openServing is what most Themes have: everybody may have the files.
var openServing = record.Serving{Mode: "public"}
