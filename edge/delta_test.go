package edge

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/livery/edge/loop"
	"example.com/livery/storage/record"
	"example.com/livery/wasm/abi"
	"github.com/klauspost/compress/zstd"
	"github.com/valyala/fasthttp"
)

// stylesheet returns a file of some length as it is served, and the same with some of its lines changed.
func stylesheet(length, changed int) (before, after []byte) {
	random := rand.New(rand.NewPCG(1, uint64(length)))
	var lines []string
	for n := 0; n < length; n += len(lines[len(lines)-1]) + 1 {
		lines = append(lines, fmt.Sprintf("  --group-%d-step%d-%x: %d.%dpx;", len(lines)/10, len(lines), random.Uint32()&0xff, random.IntN(900), random.IntN(99)))
	}
	before = []byte(strings.Join(lines, "\n"))
	for i := range changed {
		at := i * len(lines) / changed
		name, _, _ := strings.Cut(lines[at], ":")
		lines[at] = fmt.Sprintf("%s: %dpx;", name, 1000+i*37)
	}
	return before, []byte(strings.Join(lines, "\n"))
}

// undelta decodes a delta as a client does.
func undelta(t testing.TB, dictionary, delta []byte) []byte {
	t.Helper()
	sum := sha256.Sum256(dictionary)
	frame, ok := bytes.CutPrefix(delta, append([]byte(deltaMagic), sum[:]...))
	if !ok {
		t.Fatalf("a delta begins with %x", delta[:min(len(delta), 40)])
	}
	var head zstd.Header
	if err := head.Decode(frame); err != nil || head.WindowSize > 8<<20 || head.DictionaryID != 0 {
		t.Fatalf("the frame has the window %d and the dictionary %d (%v)", head.WindowSize, head.DictionaryID, err)
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderDictRaw(0, dictionary))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	content, err := d.DecodeAll(frame, nil)
	if err != nil {
		t.Fatalf("a delta of %d bytes to %d does not decode: %v", len(delta), len(dictionary), err)
	}
	return content
}

// A delta says the file again, whatever the sizes, and is the same each time (RFC 9842 section 5).
func TestDeltaSaysTheFile(t *testing.T) {
	for _, tt := range []struct{ length, changed int }{{minDeltaBytes, 1}, {20 << 10, 0}, {20 << 10, 7}, {300 << 10, 200}, {maxDeltaBytes - 100, 3}} {
		before, after := stylesheet(tt.length, tt.changed)
		delta, err := encodeDelta(before, sha256.Sum256(before), after)
		if err != nil {
			t.Fatal(err)
		}
		if got := undelta(t, before, delta); !bytes.Equal(got, after) {
			t.Errorf("%d bytes with %d lines changed: the delta says %d others", tt.length, tt.changed, len(got))
		}
		if again, err := encodeDelta(before, sha256.Sum256(before), after); err != nil || !bytes.Equal(again, delta) {
			t.Errorf("%d bytes with %d lines changed: another delta the second time (%v)", tt.length, tt.changed, err)
		}
	}
}

// The zstd command decodes a delta behind its head of 40 bytes, and the whole of it too, with the
// dictionary as it is.
func TestZstdDecodesDeltas(t *testing.T) {
	program, err := exec.LookPath("zstd")
	if err != nil {
		t.Skip("there is no zstd command to decode with: apt-get install zstd")
	}
	before, after := stylesheet(20<<10, 7)
	delta, err := encodeDelta(before, sha256.Sum256(before), after)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, content := range map[string][]byte{"old": before, "frame.zst": delta[40:], "whole.zst": delta} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"frame.zst", "whole.zst"} {
		out, err := exec.Command(program, "-d", "-c", "-D", filepath.Join(dir, "old"), filepath.Join(dir, name)).Output()
		if err != nil || !bytes.Equal(out, after) {
			t.Errorf("zstd -d of %s = %d bytes (%v), want the file's %d", name, len(out), err, len(after))
		}
	}
}

// An edit of seven lines in a file of 20 KB is a twentieth of what the best encoding takes.
func TestDeltaIsSmall(t *testing.T) {
	before, after := stylesheet(20<<10, 7)
	delta, err := encodeDelta(before, sha256.Sum256(before), after)
	if err != nil {
		t.Fatal(err)
	}
	shortest := len(after)
	for enc := gzipped; enc < encodingCount; enc++ {
		encoded, err := newEncoders(1).encode(after, enc, best)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d bytes of %d", encodingNames[enc], len(encoded), len(after))
		shortest = min(shortest, len(encoded))
	}
	t.Logf("dcz: %d bytes", len(delta))
	if len(delta) > shortest/20 {
		t.Errorf("a delta takes %d bytes, the best encoding %d", len(delta), shortest)
	}
}

func BenchmarkDelta(b *testing.B) {
	for _, length := range []int{20 << 10, 128 << 10, 1 << 20} {
		b.Run(fmt.Sprint(length), func(b *testing.B) {
			before, after := stylesheet(length, 7)
			sum := sha256.Sum256(before)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := encodeDelta(before, sum, after); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func FuzzDelta(f *testing.F) {
	before, after := stylesheet(2<<10, 3)
	f.Add(before, after)
	f.Add(after, before)
	f.Add([]byte{}, []byte{})
	f.Add([]byte("a"), []byte("aaaaaaaa"))
	f.Fuzz(func(t *testing.T, dictionary, content []byte) {
		delta, err := encodeDelta(dictionary, sha256.Sum256(dictionary), content)
		if err != nil {
			t.Fatal(err)
		}
		if got := undelta(t, dictionary, delta); !bytes.Equal(got, content) {
			t.Errorf("the delta from %q to %q says %q", dictionary, content, got)
		}
	})
}

// named spells a digest as Available-Dictionary does.
func named(content []byte) string {
	sum := sha256.Sum256(content)
	return ":" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
}

// Available-Dictionary is one byte sequence of 32 bytes, in its one spelling.
func TestDigestIsReadInOneSpelling(t *testing.T) {
	right := named([]byte("a"))
	if got, ok := parseDigest([]byte(right)); !ok || got != sha256.Sum256([]byte("a")) {
		t.Errorf("parseDigest(%s) = %x, %t", right, got, ok)
	}
	for _, wrong := range []string{
		"", "::", ":", right[1:], right[:len(right)-1], right + ";a=1", " " + right, right + "," + right, strings.Replace(right, "=", "", 1),
		":" + base64.StdEncoding.EncodeToString(make([]byte, 31)) + ":", ":" + base64.StdEncoding.EncodeToString(make([]byte, 33)) + ":",
		":" + strings.Repeat("A", 42) + "B=:", ":" + strings.Repeat("_", 43) + "=:", ":" + strings.Repeat("A", 42) + "==:", `"` + right[1:],
	} {
		if got, ok := parseDigest([]byte(wrong)); ok {
			t.Errorf("parseDigest(%q) = %x, want nothing", wrong, got)
		}
	}
}

// Who cannot read the answer is not told its length by a delta (RFC 9842 section 9.3.3).
func TestDeltasAreForWhoReadsThem(t *testing.T) {
	for _, tt := range []struct {
		site, mode, origin string
		want               bool
	}{
		{"", "", "", true},
		{"", "no-cors", "", true},
		{"same-origin", "no-cors", "", true},
		{"cross-site", "", "", true},
		{"cross-site", "navigate", "", true},
		{"cross-site", "same-origin", "", true},
		{"cross-site", "cors", "https://a.example", true},
		{"cross-site", "cors", "null", true},
		{"cross-site", "cors", "", false},
		{"cross-site", "no-cors", "", false},
		{"cross-site", "no-cors", "https://a.example", false},
		{"same-site", "no-cors", "", false},
		{"none", "no-cors", "", false},
		{"cross-site", "websocket", "https://a.example", false},
		{"cross-site", "CORS", "https://a.example", false},
	} {
		h := dictionaryHint{available: []byte(named(nil)), site: []byte(tt.site), mode: []byte(tt.mode), origin: []byte(tt.origin)}
		if _, got := h.dictionary(); got != tt.want {
			t.Errorf("%q %q of %q: a delta may answer = %t, want %t", tt.site, tt.mode, tt.origin, got, tt.want)
		}
	}
}

// A delta is for who names it, and weighs it no less than what it would be sent in the place of.
func TestDeltasAreNegotiated(t *testing.T) {
	for _, tt := range []struct {
		accept string
		enc    encoding
		deltas bool
	}{
		{"gzip, deflate, br, zstd, dcb, dcz", brotlied, true},
		{"gzip, deflate, br, zstd", brotlied, false},
		{"dcz", identity, true},
		{"DCZ, gzip", gzipped, true},
		{"dcb", identity, false},
		{"*", brotlied, false},
		{"dcz;q=0", identity, false},
		{"dcz;q=0.5, br", brotlied, false},
		{"dcz;q=0.5, br;q=0.5", brotlied, true},
		{"dcz;q=0.9, identity", identity, false},
		{"dcz;q=0.001", identity, true},
		{"dcz;q=x", identity, false},
	} {
		if enc, deltas := negotiate([]byte(tt.accept)); enc != tt.enc || deltas != tt.deltas {
			t.Errorf("negotiate(%q) = %s, %t, want %s, %t", tt.accept, encodingNames[enc], deltas, encodingNames[tt.enc], tt.deltas)
		}
	}
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
	b := newBody([]byte("the file"), identity, identity, false)
	if got := string(b.matched([]byte(tag))); got != tag {
		t.Errorf("who has a delta and is sent the file as it is: %q, want %q", got, tag)
	}
}

// The pattern is of the same file at every version of one line, and fits the exchange's scratch.
func TestOfferNamesTheLine(t *testing.T) {
	line := testEnv + "/" + testTheme + "/" + testVariant
	got := string(appendOffer(nil, line, abi.TokensValuesJSON))
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
	key := func(i int) offerKey { return offerKey{"line", abi.TokensCSS, digest{byte(i)}} }
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
	return e, named([]byte("made")), named([]byte("refused")), named([]byte("unmade"))
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
		{"one that may be found", "1", e, []string{accept, "Available-Dictionary: " + named([]byte("?"))}, false, false},
		{"one that was not found", "latest", e, []string{accept, "Available-Dictionary: " + named([]byte("?"))}, true, false},
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
	for e.deltas.making.take(now) {
	}
	for available, want := range map[string]bool{made: true, unmade: false} {
		got, ok := ready{e}.Ready(request(available))
		if is := string(got.Body) == "a delta"; !ok || is != want {
			t.Errorf("%s: ready = %t, a delta = %t, want %t", available, ok, is, want)
		}
	}
}
