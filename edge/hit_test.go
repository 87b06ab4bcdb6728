package edge

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/livery/edge/coding"
	"example.com/livery/edge/content"
	"example.com/livery/edge/policy"
	"example.com/livery/edge/records"
	"example.com/livery/edge/upstream"
	"example.com/livery/feedproto"
	"example.com/livery/internal/test/race"
	"example.com/livery/renderer"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/renderer/plan"
	"example.com/livery/storage/record"
	"example.com/livery/wasm"
	"example.com/livery/wasm/abi"
	"github.com/valyala/fasthttp"
)

const (
	testEnv     = "env_0123456789abcdefghijklmnop"
	testTheme   = "thm_0123456789abcdefghijklmnop"
	testVariant = "var_0123456789abcdefghijklmnop"
	testModes   = "scheme.dark,contrast.more"
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
		if err := runtime.Close(context.Background()); err != nil { // that of t is done
			t.Error(err)
		}
	})
	th := e.records.ThemeEntry(testEnv + "/" + testTheme)
	fed := feedproto.Theme{EnvironmentID: testEnv, ThemeID: testTheme, CacheLifetime: 3600, Files: []string{"tokens.css"}, Serving: serving}
	ahead := time.Now().Add(time.Hour) // as if confirmed all along
	known := records.Freshness{Change: th.Change(), At: ahead}
	e.records.HoldTheme(th, known, fed)
	for version, overlay := range map[string]record.Hash{"1": "", "latest": "", "1/" + testModes: record.HashOf([]byte("o")), "latest/" + testModes: record.HashOf([]byte("o"))} {
		p := e.records.PairEntry(th.Key + "/-/" + version)
		e.records.HoldPair(p, known, feedproto.Pair{Version: 1, Plan: record.HashOf([]byte("p")), Overlay: overlay, Module: record.HashOf([]byte("m")), Sealed: true})
		text := []byte(strings.Repeat("--a: 1px;", 300) + string(overlay))
		plain := content.NewBody(abi.TokensCSS, text, coding.Identity, coding.Identity, false, nil)
		for enc := coding.Gzip; enc < coding.Count; enc++ {
			e.content.Put(cssOf(p), content.NewBody(abi.TokensCSS, text, enc, enc, false, plain.Plain))
		}
		e.content.Put(cssOf(p), plain) // the last, so that it stays
	}
	return e
}

// cssOf names the style sheet of a pair.
func cssOf(p *records.Pair) content.Key {
	return content.Key{Inputs: p.State().Inputs.ID, File: abi.TokensCSS}
}

// A hit allocates nothing: every path that a browser takes is counted.
func TestHitDoesNotAllocate(t *testing.T) {
	race.Skip(t)
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
		{"modes", open, address + "latest/tokens.css?modes=" + testModes, nil, 200, 0},
		{"modes and a query", open, address + "1/tokens.css?modes=" + testModes + "&x=1", []string{"If-None-Match: *"}, 304, 0},
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
				front{e}.Serve(&ctx)
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
	e.records.ThemeEntry(testEnv + "/" + testTheme).State().Rules = nil
	var ctx fasthttp.RequestCtx
	ctx.Init(&fasthttp.Request{}, &net.TCPAddr{}, nil)
	ctx.Request.SetRequestURI("/" + testEnv + "/" + testTheme + "/-/1/tokens.css")
	front{e}.Serve(&ctx)
	if got := string(ctx.Response.Body()); ctx.Response.StatusCode() != 500 || got != `{"status":"error","cause":"internal","messages":[]}` {
		t.Errorf("answer = %d %s", ctx.Response.StatusCode(), got)
	}
}

func BenchmarkHit(b *testing.B) {
	e := warmed(b, record.Serving{Mode: "public"})
	for _, file := range []string{"1/tokens.css", "latest/tokens.css", "latest/tokens.css?modes=" + testModes} {
		b.Run(file, func(b *testing.B) {
			var ctx fasthttp.RequestCtx
			ctx.Init(&fasthttp.Request{}, &net.TCPAddr{}, nil)
			ctx.Request.SetRequestURI("/" + testEnv + "/" + testTheme + "/-/" + file)
			ctx.Request.Header.Set("Accept-Encoding", "gzip, deflate, br, zstd")
			b.ReportAllocs()
			for b.Loop() {
				ctx.Response.Reset()
				front{e}.Serve(&ctx)
			}
		})
	}
}

// A page that more follows says nothing of what follows it: only the end of the feed confirms. How
// many Themes it names does not count: entries that name none are left out of it.
func TestPageBeforeTheLastConfirmsNothing(t *testing.T) {
	e := warmed(t, record.Serving{})
	fed := feedproto.Changes{Changes: make([]feedproto.Change, 3), Cursor: "1000.a", More: true}
	e.follower.apply(fed, upstream.ResponseMeta{}, time.Unix(1000, 0), upstream.PollSeconds)
	if at := e.records.ConfirmedAt(); at != 0 || e.follower.heard.Load() {
		t.Errorf("a page before the last confirmed what is held as of %d", at)
	}
	fed.More = false
	e.follower.apply(fed, upstream.ResponseMeta{}, time.Unix(1000, 0), upstream.PollSeconds)
	if at := e.records.ConfirmedAt(); at != time.Unix(1000, 0).UnixNano() {
		t.Errorf("the end of the feed confirmed as of %d, want when it was asked for", at)
	}
}

// openServing is what most Themes have: everybody may have the files.
var openServing = record.Serving{Mode: "public"}

// An edge that does not hold the overlay of modes any more asks for the pair again, with its inputs, and serves what that
// says: upstream keeps no such overlay, and may have made another since. The pair is fresh all the while.
func TestOverlaysOfModesComeAgainWithTheirPair(t *testing.T) {
	tree, err := jsontree.Parse(`{"space":{"$type":"dimension","small":{"$value":"4px"}}}`)
	changed, err2 := jsontree.Parse(`{"space.small":"9px"}`)
	module, err3 := wasm.Guest()
	for _, err := range []error{err, err2, err3} {
		if err != nil {
			t.Fatal(err)
		}
	}
	compiled := renderer.Compile(tree, "")
	set := compiled.Load(changed)
	var plans, overlays [][]byte
	for f := range renderer.File(renderer.FileCount) {
		plans, overlays = append(plans, compiled.Plan(f)), append(overlays, compiled.Overlay(set, f))
	}
	fed := feedproto.PairInputs{PlanBytes: plan.AppendBundle(nil, plans), OverlayBytes: plan.AppendBundle(nil, overlays)}
	fed.Pair = feedproto.Pair{Version: 1, Plan: record.HashOf(fed.PlanBytes), Overlay: record.HashOf(fed.OverlayBytes), Module: record.HashOf(module), Sealed: true}
	blobs := map[string][]byte{string(fed.Plan): fed.PlanBytes, string(fed.Module): module}

	const key = testEnv + "/" + testTheme + "/-/1/scheme.dark"
	var pairs, lost atomic.Int32
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		blob, ok := blobs[strings.TrimPrefix(r.URL.Path, feedproto.BlobsPath)]
		switch {
		case strings.HasPrefix(r.URL.Path, feedproto.PairsPath+key):
			pairs.Add(1)
			_ = json.NewEncoder(w).Encode(fed)
		case ok:
			_, _ = w.Write(blob)
		default:
			if strings.HasPrefix(r.URL.Path, feedproto.BlobsPath) {
				lost.Add(1)
			}
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(origin.Close)
	runtime, err := wasm.NewRuntime(t.Context(), wasm.Config{CacheDir: filepath.Join("..", ".cache", "wazero")})
	if err != nil {
		t.Fatal(err)
	}
	e, err := New(t.Context(), Config{DataDir: t.TempDir(), Upstreams: []string{origin.URL}, UpstreamToken: "token", Runtime: runtime})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if err := runtime.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	th := e.records.ThemeEntry(testEnv + "/" + testTheme)
	known := records.Freshness{Change: th.Change(), At: time.Now().Add(time.Hour)}
	e.records.HoldTheme(th, known, feedproto.Theme{EnvironmentID: testEnv, ThemeID: testTheme, CacheLifetime: 3600, Files: []string{"tokens.css"}, LatestVersion: 1})
	before := fed.Pair
	before.Overlay = record.HashOf([]byte("an overlay of before"))
	e.records.HoldPair(e.records.PairEntry(key), known, before)
	feed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = e.ServeFeed(feed) }()
	request, err := http.NewRequest("GET", "http://"+feed.Addr().String()+feedproto.PairsPath+key+"?"+feedproto.InputsParameter+"="+feedproto.OverlayInput, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", feedproto.Authorization("token"))
	request.Close = true
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var told feedproto.PairInputs
	if err := json.NewDecoder(answer.Body).Decode(&told); err != nil || record.HashOf(told.OverlayBytes) != fed.Overlay {
		t.Errorf("an edge behind is told %s, %v", answer.Status, err)
	}
	e.records.HoldPair(e.records.PairEntry(key+",touch.on"), known, before)
	var ctx fasthttp.RequestCtx
	ctx.Init(&fasthttp.Request{}, &net.TCPAddr{}, nil)
	ctx.Request.SetRequestURI("/" + testEnv + "/" + testTheme + "/-/1/tokens.css?modes=scheme.dark,touch.on")
	front{e}.Serve(&ctx)
	if status := ctx.Response.StatusCode(); status != 200 || !strings.Contains(string(ctx.Response.Body()), "9px") {
		t.Fatalf("answer = %d %s", status, ctx.Response.Body())
	}
	if pairs.Load() != 2 || lost.Load() != 0 {
		t.Errorf("the pairs were asked for %d times, overlays %d times, want once each and never", pairs.Load(), lost.Load())
	}
}
