package edge

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"example.com/livery/edge/coding"

	"example.com/livery/edge/loop"
	"example.com/livery/storage/record"
	"example.com/livery/wasm/abi"
	"github.com/valyala/fasthttp"
)

// dictionaryOf spells a digest as Available-Dictionary does.
func dictionaryOf(content []byte) string {
	sum := sha256.Sum256(content)
	return ":" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
}

// Whoever has a delta to a file has the file, and is told so by the validator that it names.
func TestDeltaValidators(t *testing.T) {
	p := newPlain([]byte("the file"))
	tag := string(p.deltaTag([]byte("a delta")))
	other := string(newPlain([]byte("another")).deltaTag([]byte("a delta")))
	if tag == string(p.deltaTag([]byte("a second delta"))) {
		t.Error("two deltas have one validator")
	}
	for _, tt := range []struct{ field, want string }{
		{tag, tag},
		{"W/" + tag, tag},
		{`"x", ` + tag, tag},
		{other + "," + tag, tag},
		{other, ""},
		{tag[:len(tag)-2] + `"`, ""},
		{tag[:len(tag)-1] + `a"`, ""},
		{tag[:len(tag)-2] + `="`, ""},
		{strings.Replace(tag, deltaMark, "-dcb-", 1), ""},
		{tag[:len(tag)-1], ""},
		{"*", ""},
		{"", ""},
	} {
		if got := string(p.matched([]byte(tt.field))); got != tt.want {
			t.Errorf("matched(%s) = %s, want %s", tt.field, got, tt.want)
		}
	}
	b := newBody([]byte("the file"), coding.Identity, coding.Identity, false)
	if got := string(b.matched([]byte(tag))); got != tag {
		t.Errorf("who has a delta and is sent the file as it is: %q, want %q", got, tag)
	}
}

// The pattern is of the same file at every version of one line, and fits the exchange's scratch.
func TestOfferNamesTheLine(t *testing.T) {
	line := testEnv + "/" + testTheme + "/" + testVariant
	got := string(coding.AppendOffer(nil, line, abi.TokensValuesJSON))
	if want := `match="/` + line + `/*/tokens.values.json"`; got != want || len(got) > len(exchange{}.scratch) {
		t.Errorf("offer = %s, want %s", got, want)
	}
	if p := (&pair{key: line + "/latest"}); p.line() != line {
		t.Errorf("line = %s", p.line())
	}
}

// What one file is sent by is bounded, and the oldest makes place.
func TestDeltasOfAFileAreBounded(t *testing.T) {
	f := &file{}
	key := func(i int) offerKey { return offerKey{"line", abi.TokensCSS, coding.Digest{byte(i)}} }
	for i := range 100 {
		f = f.withDelta(delta{from: key(i), body: &body{bytes: make([]byte, 100)}})
	}
	if len(f.deltas) != maxDeltas || f.cost() < (&file{}).cost()+maxDeltas*100 {
		t.Errorf("%d deltas are held, and weigh %d", len(f.deltas), f.cost())
	}
	last, first := key(99), key(0)
	if _, known := f.delta(&last); !known {
		t.Error("the newest is not held")
	}
	if _, known := f.delta(&first); known {
		t.Error("the oldest is held")
	}
	elsewhere := last
	elsewhere.line = "another"
	if _, known := f.delta(&elsewhere); known {
		t.Error("another line's delta is sent")
	}
	if f = f.withDelta(delta{from: last}); len(f.deltas) != maxDeltas {
		t.Errorf("one that is made again leaves %d", len(f.deltas))
	}
}

// deltaEdge returns a warmed edge, whose client may have three files: from one there is a delta, from
// one a delta does not pay, from one none was made so far.
func deltaEdge(t testing.TB, serving record.Serving) (e *Edge, made, refused, unmade string) {
	e = warmed(t, serving)
	p := e.cache.pair([]byte(testEnv + "/" + testTheme + "/-/1"))
	s := p.state.Load()
	key := fileKey{s.content, abi.TokensCSS}
	held, _ := e.cache.files.GetIfPresent(key)
	keys := [3]offerKey{}
	for i, name := range []string{"made", "refused", "unmade"} {
		keys[i] = offerKey{p.line(), abi.TokensCSS, sha256.Sum256([]byte(name))}
		e.cache.offers.Set(keys[i], s)
	}
	e.cache.putDelta(key, delta{from: keys[0], body: newDelta([]byte("a delta"), held.says()).withHead(abi.TokensCSS)})
	e.cache.putDelta(key, delta{from: keys[1]})
	return e, dictionaryOf([]byte("made")), dictionaryOf([]byte("refused")), dictionaryOf([]byte("unmade"))
}

// The fast path answers with a delta that is held, or as ever if none is to be had, byte for byte as
// the full server; what needs work it leaves alone. Neither allocates anything.
func TestReadyDeltasAreTheFullServers(t *testing.T) {
	accept, cors := "Accept-Encoding: gzip, deflate, br, zstd, dcb, dcz", []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: cors", "Origin: https://a.example"}
	listed := record.Serving{AllowedOrigins: []string{"https://a.example"}}
	e, made, refused, unmade := deltaEdge(t, openServing)
	walled, _, _, _ := deltaEdge(t, listed)
	searched := e.cache.pair([]byte(testEnv + "/" + testTheme + "/-/latest")).state.Load()
	searched.searched.Store(^uint32(0))
	for _, tt := range []struct {
		name, version string
		edge          *Edge
		lines         []string
		ready, delta  bool
	}{
		{"a delta", "1", e, []string{accept, "Available-Dictionary: " + made}, true, true},
		{"of latest", "latest", e, []string{accept, "Available-Dictionary: " + made}, true, true},
		{"across origins", "1", e, append([]string{accept, "Available-Dictionary: " + made}, cors...), true, true},
		{"not modified", "1", e, []string{accept, "Available-Dictionary: " + made, "If-None-Match: *"}, true, false},
		{"for who cannot read", "1", e, []string{accept, "Available-Dictionary: " + made, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"}, true, false},
		{"of a coding that is not accepted", "1", e, []string{"Accept-Encoding: br", "Available-Dictionary: " + made}, true, false},
		{"of no digest", "1", e, []string{accept, "Available-Dictionary: :AAAA:"}, true, false},
		{"without a dictionary", "1", e, []string{accept}, true, false},
		{"one that does not pay", "1", e, []string{accept, "Available-Dictionary: " + refused}, true, false},
		{"one that is to be made", "1", e, []string{accept, "Available-Dictionary: " + unmade}, false, false},
		{"one that may be found", "1", e, []string{accept, "Available-Dictionary: " + dictionaryOf([]byte("?"))}, false, false},
		{"one that was not found", "latest", e, []string{accept, "Available-Dictionary: " + dictionaryOf([]byte("?"))}, true, false},
		{"of a restricted Theme", "1", walled, append([]string{accept, "Available-Dictionary: " + made}, cors...), true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := "/" + testEnv + "/" + testTheme + "/-/" + tt.version + "/tokens.css"
			request := scannedRequest(path, tt.lines)
			got, ok := ready{tt.edge}.Ready(request)
			if ok != tt.ready {
				t.Fatalf("ready = %t, want %t", ok, tt.ready)
			}
			if !ok {
				return
			}
			want := fullAnswer(t, tt.edge, path, tt.lines)
			if sent := string(got.Head) + "\r\n" + string(got.Body); sent != string(want) {
				t.Errorf("the fast path answers %.900q, the full server %.900q", sent, want)
			}
			if is := string(got.Body) == "a delta"; is != tt.delta {
				t.Errorf("a delta is sent: %t, want %t", is, tt.delta)
			}
			if n := testing.AllocsPerRun(1000, func() { ready{tt.edge}.Ready(request) }); n != 0 {
				t.Errorf("%v allocations, want none", n)
			}
			if n := handleAllocates(tt.edge, path, tt.lines); n != 0 {
				t.Errorf("the full server allocates %v times, want none", n)
			}
		})
	}
}

// handleAllocates returns how often the full server allocates for an answer.
func handleAllocates(e *Edge, path string, lines []string) float64 {
	var ctx fasthttp.RequestCtx
	ctx.Init(&fasthttp.Request{}, nil, nil)
	ctx.Request.SetRequestURI(path)
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		ctx.Request.Header.Set(name, value)
	}
	return testing.AllocsPerRun(1000, func() {
		ctx.Response.Reset()
		e.handle(&ctx)
	})
}

func BenchmarkReadyDelta(b *testing.B) {
	e, made, _, _ := deltaEdge(b, openServing)
	request := scannedRequest("/"+testEnv+"/"+testTheme+"/-/1/tokens.css", []string{"Accept-Encoding: gzip, deflate, br, zstd, dcb, dcz", "Available-Dictionary: " + made})
	var s loop.Source = ready{e}
	b.ReportAllocs()
	for b.Loop() {
		s.Ready(request)
	}
}

// Who has many versions can ask for the delta between any two, but not have the edge do nothing else.
func TestDeltasAreMadeAtABoundedRate(t *testing.T) {
	e, made, _, unmade := deltaEdge(t, openServing)
	path := "/" + testEnv + "/" + testTheme + "/-/1/tokens.css"
	request := func(available string) *loop.Request {
		return scannedRequest(path, []string{"Accept-Encoding: br, dcz", "Available-Dictionary: " + available})
	}
	if _, ok := (ready{e}).Ready(request(unmade)); ok {
		t.Fatal("a delta that can be made is not left to the full server")
	}
	now := time.Now().Add(time.Hour)
	for e.deltas.making.Take(now) {
	}
	for available, want := range map[string]bool{made: true, unmade: false} {
		got, ok := ready{e}.Ready(request(available))
		if is := string(got.Body) == "a delta"; !ok || is != want {
			t.Errorf("%s: ready = %t, a delta = %t, want %t", available, ok, is, want)
		}
	}
}
