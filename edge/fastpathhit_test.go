package edge

import (
	"bytes"
	"net"
	"net/netip"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/livery/edge/policy"
	"example.com/livery/feedproto"
	"example.com/livery/httpd/loop"
	"example.com/livery/internal/test/race"
	"example.com/livery/storage/record"
	"github.com/valyala/fasthttp"
)

var dateLine = regexp.MustCompile(`Date: [^\r]*\r\n`)

// fullAnswer is what the full server sends, without its date.
func fullAnswer(t *testing.T, e *Edge, path string, lines []string) []byte {
	var ctx fasthttp.RequestCtx
	ctx.Init(&fasthttp.Request{}, &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 1}, nil)
	ctx.Request.SetRequestURI(path)
	ctx.Request.Header.SetHost("edge.example")
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		ctx.Request.Header.Add(name, value)
	}
	front{e}.Serve(&ctx)
	var sent bytes.Buffer
	if _, err := ctx.Response.WriteTo(&sent); err != nil {
		t.Fatal(err)
	}
	return dateLine.ReplaceAll(sent.Bytes(), nil)
}

// scannedRequest is the same request as the fast path reads it.
func scannedRequest(path string, lines []string) *loop.Request {
	path, query, asked := strings.Cut(path, "?")
	r := &loop.Request{
		Path: []byte(path), Host: []byte("edge.example"), Remote: netip.MustParseAddrPort("192.0.2.1:1"), Now: time.Now(),
		Scratch: make([]byte, 0, 4<<10),
	}
	if asked {
		r.Query = []byte(query)
	}
	fields := map[string]*[]byte{
		"Range": &r.Range, "If-Range": &r.IfRange,
		"Accept-Encoding": &r.AcceptEncoding, "If-None-Match": &r.IfNoneMatch, "Origin": &r.Origin, "Referer": &r.Referer, "Sec-Fetch-Site": &r.SecFetchSite,
		"Sec-Fetch-Dest": &r.SecFetchDest, "Sec-Fetch-Mode": &r.SecFetchMode, "Available-Dictionary": &r.AvailableDictionary, "Sec-CH-UA": &r.SecCHUA, "User-Agent": &r.UserAgent, "X-Forwarded-For": &r.ForwardedFor,
	}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		*fields[name] = []byte(value)
	}
	return r
}

var (
	signingKey    = record.SigningKey{ID: "key_1", Secret: []byte("secret")}
	signedServing = record.Serving{Mode: "signed", SigningKeys: []record.SigningKey{signingKey}}
)

// signature returns the query that signs a path behind the Theme's.
func signature(path string) string {
	return "?" + policy.Sign("/"+testEnv+"/"+testTheme+path, time.Now().Add(time.Hour), signingKey)
}

// signatureOf returns the query that signs a path with modes.
func signatureOf(path string) string {
	_, modes, _ := strings.Cut(path, "?")
	return "?" + modes + "&" + signature(path)[1:]
}

// escapedModes are testModes as URLSearchParams writes them.
var escapedModes = strings.ReplaceAll(testModes, ",", "%2C")

var readyCases = []struct {
	name    string
	serving record.Serving
	path    string // behind the Theme's
	lines   []string
	ready   bool
}{
	{"pinned", openServing, "/-/1/tokens.css", nil, true},
	{"latest", openServing, "/-/latest/tokens.css", nil, true},
	{"a browser", openServing, "/-/latest/tokens.css", []string{"Accept-Encoding: gzip, deflate, br, zstd", "User-Agent: Mozilla/5.0", "Origin: https://a.example"}, true},
	{"by weight", openServing, "/-/1/tokens.css", []string{"Accept-Encoding: br;q=0.1, gzip"}, true},
	{"not modified", openServing, "/-/1/tokens.css", []string{"If-None-Match: *", "Accept-Encoding: zstd"}, true},
	{"modified", openServing, "/-/latest/tokens.css", []string{`If-None-Match: "x"`}, true},
	{"a weak validator that is none", openServing, "/-/latest/tokens.css", []string{`If-None-Match: W/`}, true},
	{"an origin of the list", record.Serving{AllowedOrigins: []string{"https://good.example"}}, "/-/latest/tokens.css", []string{"Origin: https://good.example"}, true},
	{"by referer", record.Serving{AllowedOrigins: []string{"https://good.example"}}, "/-/1/tokens.css", []string{"Referer: https://good.example/x"}, true},
	{"the edge's own origin", record.Serving{AllowedOrigins: []string{"https://edge.example"}}, "/-/1/tokens.css", []string{"Sec-Fetch-Site: same-origin"}, true},
	{"no browser", record.Serving{AllowedOrigins: []string{"https://good.example"}, MissingOrigin: "allowNonBrowsers"}, "/-/1/tokens.css", []string{"User-Agent: curl/8"}, true},
	{"an address of the range", record.Serving{AllowedIPRanges: []string{"192.0.2.0/24"}}, "/-/latest/tokens.css", nil, true},

	{"a range", openServing, "/-/1/tokens.css", []string{"Range: bytes=0-99"}, true},
	{"the last bytes", openServing, "/-/latest/tokens.css", []string{"Range: bytes=-5", "Accept-Encoding: br"}, true},
	{"a range of many", openServing, "/-/1/tokens.css", []string{"Range: bytes=0-1,3-4"}, true},
	{"a range of another file", openServing, "/-/1/tokens.css", []string{"Range: bytes=0-99", `If-Range: "x"`}, true},
	{"a range of a current file", openServing, "/-/1/tokens.css", []string{"Range: bytes=0-99", "If-None-Match: *"}, true},
	{"If-Range alone", openServing, "/-/1/tokens.css", []string{`If-Range: "x"`}, true},
	{"a signed address", signedServing, "/-/1/tokens.css" + signature("/-/1/tokens.css"), nil, true},
	{"a range at a signed address", signedServing, "/-/latest/tokens.css" + signature("/-/latest/tokens.css"), []string{"Range: bytes=7-"}, true},
	{"modes", openServing, "/-/1/tokens.css?modes=" + testModes, nil, true},
	{"modes of latest", openServing, "/-/latest/tokens.css?modes=" + testModes, []string{"Accept-Encoding: br"}, true},
	{"modes and more", openServing, "/-/latest/tokens.css?modes=" + testModes + "&v=3", []string{"Accept-Encoding: zstd"}, true},
	{"modes, not modified", openServing, "/-/1/tokens.css?modes=" + testModes, []string{"If-None-Match: *"}, true},
	{"a range of modes", openServing, "/-/1/tokens.css?modes=" + testModes, []string{"Range: bytes=0-99"}, true},
	{"modes that are escaped", openServing, "/-/1/tokens.css?modes=" + escapedModes, nil, true},
	{"signed modes that are escaped", signedServing, "/-/1/tokens.css" + strings.Replace(signatureOf("/-/1/tokens.css?modes="+testModes), testModes, escapedModes, 1), nil, true},
	{"signed modes", signedServing, "/-/1/tokens.css" + signatureOf("/-/1/tokens.css?modes="+testModes), nil, true},
	{"signed, a query of today", openServing, "/-/1/tokens.css?v=1&w=modes", nil, true},

	{"modes that are not held", openServing, "/-/1/tokens.css?modes=scheme.light", nil, false},
	{"modes behind another parameter", openServing, "/-/1/tokens.css?v=1&modes=" + testModes, nil, false},
	{"modes that are escaped twice", openServing, "/-/1/tokens.css?modes=" + strings.ReplaceAll(escapedModes, "%", "%25"), nil, false},
	{"escaped modes that nobody signed", signedServing, "/-/1/tokens.css?modes=" + escapedModes + "&" + signature("/-/1/tokens.css")[1:], nil, false},
	{"signed without the modes", signedServing, "/-/1/tokens.css?modes=" + testModes + "&" + signature("/-/1/tokens.css")[1:], nil, false},
	{"signed with other modes", signedServing, "/-/1/tokens.css" + strings.Replace(signatureOf("/-/1/tokens.css?modes="+testModes), "more", "less", 1), nil, false},
	{"a range outside", openServing, "/-/1/tokens.css", []string{"Range: bytes=9999999-"}, false},
	{"a signature of another address", signedServing, "/-/1/tokens.css" + signature("/-/latest/tokens.css"), nil, false},
	{"another origin", record.Serving{AllowedOrigins: []string{"https://good.example"}}, "/-/1/tokens.css", []string{"Origin: https://evil.example"}, false},
	{"another address", record.Serving{AllowedIPRanges: []string{"10.0.0.0/8"}}, "/-/1/tokens.css", nil, false},
	{"an address that the client claims", record.Serving{AllowedIPRanges: []string{"10.0.0.0/8"}}, "/-/1/tokens.css", []string{"X-Forwarded-For: 10.0.0.1"}, false},
	{"signed", record.Serving{Mode: "signed"}, "/-/1/tokens.css", nil, false},
	{"a version that is not there", openServing, "/-/2/tokens.css", nil, false},
	{"a file of no integration", openServing, "/-/1/tokens.json", nil, false},
	{"a Variant that is not held", openServing, "/" + testVariant + "/1/tokens.css", nil, false},
	{"no address", openServing, "/-/1/tokens.css/", nil, false},
}

// What the fast path answers is what the full server answers, byte for byte; what is not a plain hit it
// leaves alone.
func TestReadyAnswersAreTheFullServers(t *testing.T) {
	for _, tt := range readyCases {
		t.Run(tt.name, func(t *testing.T) {
			e := warmed(t, tt.serving)
			path := "/" + testEnv + "/" + testTheme + tt.path
			got, ok := front{e}.Ready(scannedRequest(path, tt.lines))
			if ok != tt.ready {
				t.Fatalf("ready = %t, want %t", ok, tt.ready)
			}
			thread := front{e}.ForThread()
			for i := range 4 { // the first are worked out, the others remembered
				again, remembered := thread.Ready(scannedRequest(path, tt.lines))
				if remembered != ok || string(again.Head)+string(again.Body) != string(got.Head)+string(got.Body) {
					t.Errorf("time %d of a loop: %t, %.700q, want %t, %.700q", i, remembered, again.Head, ok, got.Head)
				}
			}
			if !ok {
				return
			}
			want := fullAnswer(t, e, path, tt.lines)
			if sent := string(got.Head) + "\r\n" + string(got.Body); sent != string(want) {
				t.Errorf("the fast path answers %.700q, the full server %.700q", sent, want)
			}
		})
	}
}

// What may be out of date is not ready.
func TestReadyAnswersAreCurrent(t *testing.T) {
	path := "/" + testEnv + "/" + testTheme + "/-/latest/tokens.css"
	e := warmed(t, openServing)
	request := scannedRequest(path, nil)
	if _, ok := (front{e}).Ready(request); !ok {
		t.Fatal("what is current is not ready")
	}
	late := *request
	late.Now = late.Now.Add(3 * time.Hour)
	if _, ok := (front{e}).Ready(&late); ok {
		t.Error("what is older than its lifetime is ready")
	}
	e.records.Heard(feedproto.Changes{Changes: []feedproto.Change{{EnvironmentID: testEnv, ThemeID: testTheme}}}, time.Time{})
	if _, ok := (front{e}).Ready(request); ok {
		t.Error("what is in doubt is ready")
	}
}

// An answer of the fast path allocates nothing, but for what verifies a signature.
func TestReadyDoesNotAllocate(t *testing.T) {
	race.Skip(t)
	for _, tt := range readyCases {
		if !tt.ready {
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			e := warmed(t, tt.serving)
			request := scannedRequest("/"+testEnv+"/"+testTheme+tt.path, tt.lines)
			for name, s := range map[string]loop.Source{"worked out": front{e}, "remembered": front{e}.ForThread()} {
				allowed := 0.0
				if tt.serving.Mode == "signed" {
					allowed = 12
				}
				if n := testing.AllocsPerRun(1000, func() { s.Ready(request) }); n > allowed {
					t.Errorf("%s: %v allocations, want at most %v", name, n, allowed)
				}
			}
		})
	}
}

func BenchmarkReady(b *testing.B) {
	e := warmed(b, openServing)
	for _, file := range []string{"1/tokens.css", "latest/tokens.css", "latest/tokens.css?modes=" + testModes, "latest/tokens.css?modes=" + escapedModes} {
		b.Run(file, func(b *testing.B) {
			request := scannedRequest("/"+testEnv+"/"+testTheme+"/-/"+file, []string{"Accept-Encoding: gzip, deflate, br, zstd"})
			for name, s := range map[string]loop.Source{"worked out": front{e}, "remembered": front{e}.ForThread()} {
				b.Run(name, func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						s.Ready(request)
					}
				})
			}
		})
	}
}
