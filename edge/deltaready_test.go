package edge

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"example.com/livery/edge/coding"
	"example.com/livery/edge/content"
	"example.com/livery/feedproto"
	"example.com/livery/internal/test/race"

	"example.com/livery/httpd/loop"
	"example.com/livery/storage/record"
	"example.com/livery/wasm/abi"
	"github.com/valyala/fasthttp"
)

// dictionaryOf spells a digest as Available-Dictionary does.
func dictionaryOf(content []byte) string {
	sum := sha256.Sum256(content)
	return ":" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
}

// The pattern is of the same file at every version of one line.
func TestOfferNamesTheLine(t *testing.T) {
	line := testEnv + "/" + testTheme + "/" + testVariant
	for modes, query := range map[string]string{"": "", "scheme.dark,touch.on": "?modes=scheme.dark,touch.on"} {
		got := string(coding.AppendOffer(nil, line, modes, abi.TokensValuesJSON))
		if want := `match="/` + line + `/*/tokens.values.json` + query + `"`; got != want {
			t.Errorf("offer = %s, want %s", got, want)
		}
	}
}

// deltaEdge returns a warmed edge, whose client may have three files: from one there is a delta, from
// one a delta does not pay, from one none was made so far.
func deltaEdge(t testing.TB, serving record.Serving) (e *Edge, made, refused, unmade string) {
	e = warmed(t, serving)
	p := e.records.PairEntry(testEnv + "/" + testTheme + "/-/1")
	offer := func(text string) content.DictionaryKey {
		old := content.NewInputs(feedproto.Pair{Plan: record.HashOf([]byte(text))})
		b := content.NewBody(abi.TokensCSS, []byte(text), coding.Identity, coding.Identity, false, nil)
		e.content.Put(content.Key{Inputs: old.ID, File: abi.TokensCSS}, b)
		e.content.Offer(p.Line(), &old, abi.TokensCSS)
		return content.DictionaryKey{Line: p.Line(), File: abi.TokensCSS, Digest: sha256.Sum256(b.Bytes)}
	}
	files := [3]string{strings.Repeat("--a: 1px;", 299) + "--a: 2px;", "--a: 1px;", strings.Repeat("--a: 1px;", 299)} // too small a file is not a dictionary
	for i, text := range files {
		from := offer(text)
		if i == 2 {
			break
		}
		if b := e.content.MakeDelta(from, &p.State().Inputs, time.Now()); (b != nil) != (i == 0) {
			t.Fatalf("a delta from file %d is made: %t", i, b != nil)
		}
	}
	return e, dictionaryOf([]byte(files[0])), dictionaryOf([]byte(files[1])), dictionaryOf([]byte(files[2]))
}

// isDelta reports whether an answer's body is a delta.
func isDelta(body []byte) bool { return bytes.HasPrefix(body, []byte("\x5e\x2a\x4d\x18")) }

// The fast path answers with a delta that is held, or as ever if none is to be had, byte for byte as
// the full server; what needs work it leaves alone. Neither allocates anything.
func TestReadyDeltasAreTheFullServers(t *testing.T) {
	accept, cors := "Accept-Encoding: gzip, deflate, br, zstd, dcb, dcz", []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: cors", "Origin: https://a.example"}
	listed := record.Serving{AllowedOrigins: []string{"https://a.example"}}
	e, made, refused, unmade := deltaEdge(t, openServing)
	walled, _, _, _ := deltaEdge(t, listed)
	latest := e.records.PairEntry(testEnv + "/" + testTheme + "/-/latest")
	for _, version := range []string{"1", "latest"} { // clients may have what is answered, whose digest is not known yet
		fullAnswer(t, e, "/"+testEnv+"/"+testTheme+"/-/"+version+"/tokens.css", []string{accept})
	}
	e.content.MakeDelta(content.DictionaryKey{Line: latest.Line(), File: abi.TokensCSS, Digest: sha256.Sum256([]byte("?"))}, &latest.State().Inputs, time.Now())
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
			got, ok := front{tt.edge}.Ready(request)
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
			if is := isDelta(got.Body); is != tt.delta {
				t.Errorf("a delta is sent: %t, want %t", is, tt.delta)
			}
			if race.Enabled {
				return // pools drop what they hold then
			}
			if n := fewestAllocations(func() { front{tt.edge}.Ready(request) }); n != 0 {
				t.Errorf("%v allocations, want none", n)
			}
			if n := handleAllocates(tt.edge, path, tt.lines); n != 0 {
				t.Errorf("the full server allocates %v times, want none", n)
			}
		})
	}
}

// fewestAllocations returns how often a function allocates in the quietest of three runs: what goroutines of the edges do
// meanwhile counts too.
func fewestAllocations(f func()) float64 {
	fewest := testing.AllocsPerRun(1000, f)
	for range 2 {
		if fewest > 0 {
			fewest = min(fewest, testing.AllocsPerRun(1000, f))
		}
	}
	return fewest
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
	return fewestAllocations(func() {
		ctx.Response.Reset()
		front{e}.Serve(&ctx)
	})
}

func BenchmarkReadyDelta(b *testing.B) {
	e, made, _, _ := deltaEdge(b, openServing)
	request := scannedRequest("/"+testEnv+"/"+testTheme+"/-/1/tokens.css", []string{"Accept-Encoding: gzip, deflate, br, zstd, dcb, dcz", "Available-Dictionary: " + made})
	var s loop.Source = front{e}
	b.ReportAllocs()
	for b.Loop() {
		s.Ready(request)
	}
}
