package edge_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"example.com/livery/edge/policy"
	"example.com/livery/storage/record"
)

// serving changes a Theme's serving settings.
func (f *feed) serving(themeID string, s record.Serving) {
	f.edit(themeID, func(t *fedTheme) { t.Serving = s })
}

func TestErrorsHaveTheErrorBody(t *testing.T) { // S228 to S231, S244, S245, decisions 7.2
	r := run(t, publishedFeed(t))
	for _, tt := range []struct {
		name, method, path string
		status             int
		cause, caching     string
	}{
		{"no address", "GET", "/", 404, "notFound", "no-cache"},
		{"slugs", "GET", "/sandbox/brand/-/latest/tokens.css", 404, "notFound", "no-cache"},
		{"leading zero", "GET", path("-", "01", "tokens.css"), 404, "notFound", "no-cache"},
		{"trailing slash", "GET", path("-", "1", "tokens.css") + "/", 404, "notFound", "no-cache"},
		{"unknown version", "GET", path("-", "2", "tokens.css"), 404, "notFound", "no-cache"},
		{"unknown variant", "GET", path("var_99999999999999999999999999", "1", "tokens.css"), 404, "notFound", "no-cache"},
		{"unknown theme", "GET", strings.Replace(path("-", "1", "tokens.css"), thm, "thm_99999999999999999999999999", 1), 404, "notFound", "no-cache"},
		{"other method", "POST", path("-", "1", "tokens.css"), 405, "payload", "no-store"},
		{"other method at no address", "DELETE", "/x", 404, "notFound", "no-cache"},
	} {
		got := r.do(tt.method, tt.path)
		var body struct {
			Status, Cause string
			Messages      []string
		}
		if err := json.Unmarshal([]byte(got.body), &body); err != nil || got.status != tt.status || body.Status != "error" || body.Cause != tt.cause || body.Messages == nil {
			t.Errorf("%s: %d %s, want %d with cause %s", tt.name, got.status, got.body, tt.status, tt.cause)
		}
		if tt.status == 404 && len(body.Messages) != 0 {
			t.Errorf("%s: messages = %q, want none", tt.name, body.Messages)
		}
		if got.header.Get("Cache-Control") != tt.caching || got.header.Get("Content-Type") != "application/json" || got.header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: headers %v", tt.name, got.header)
		}
		if tt.status == 405 && got.header.Get("Allow") != "GET, HEAD, OPTIONS" {
			t.Errorf("%s: Allow = %q", tt.name, got.header.Get("Allow"))
		}
		if got.header.Get("X-Request-Id") == "" {
			t.Errorf("%s: no X-Request-Id", tt.name)
		}
	}
}

func TestHeadHasTheHeadOfGet(t *testing.T) { // A67
	r := run(t, publishedFeed(t))
	get := r.get(path("-", "1", "tokens.css"))
	head := r.do("HEAD", path("-", "1", "tokens.css"))
	if head.status != 200 || head.body != "" || head.header.Get("Content-Length") != fmt.Sprint(len(get.body)) || head.header.Get("Etag") != get.header.Get("Etag") {
		t.Errorf("HEAD = %d %q %v, GET has %d bytes", head.status, head.body, head.header, len(get.body))
	}
	if missing := r.do("HEAD", path("-", "9", "tokens.css")); missing.status != 404 || missing.body != "" {
		t.Errorf("HEAD of nothing = %d %q", missing.status, missing.body)
	}
}

// bigTheme is long enough to be worth encoding.
func bigTheme() string {
	var b strings.Builder
	b.WriteString(`{"space":{"$type":"dimension"`)
	for i := range 200 {
		fmt.Fprintf(&b, `,"s%d":{"$value":"%dpx"}`, i, i)
	}
	return b.String() + "}}"
}

func TestEncodingsHaveTheirOwnValidators(t *testing.T) { // A91, decisions 7.3, 7.4
	f := newFeed(t)
	f.publish(thm, bigTheme())
	r := run(t, f)
	address := path("-", "1", "tokens.css")
	plain := r.get(address)
	seen := map[string]string{}
	for _, enc := range []string{"", "gzip", "zstd", "br"} {
		got := r.get(address, "Accept-Encoding: "+enc)
		etag := got.header.Get("Etag")
		if got.header.Get("Content-Encoding") != enc || got.header.Get("Vary") != "Accept-Encoding, Available-Dictionary" {
			t.Errorf("asked for %q: headers %v", enc, got.header)
		}
		if enc != "" && len(got.body) >= len(plain.body) {
			t.Errorf("%s has %d bytes, identity %d", enc, len(got.body), len(plain.body))
		}
		if other, twice := seen[etag]; twice || !strings.HasPrefix(etag, `"`) {
			t.Errorf("ETag %s of %q is also that of %q, or not strong", etag, enc, other)
		}
		seen[etag] = enc
		for _, match := range []string{etag, "W/" + etag, `"x", ` + etag, "*"} {
			again := r.get(address, "Accept-Encoding: "+enc, "If-None-Match: "+match)
			if again.status != 304 || again.body != "" || match != "*" && again.header.Get("Etag") != etag || again.header.Get("Cache-Control") == "" {
				t.Errorf("If-None-Match %s with %q = %d %v", match, enc, again.status, again.header)
			}
		}
	}
	if got := r.get(address, "If-None-Match: "+plain.header.Get("Etag"), "Accept-Encoding: gzip"); got.status != 200 {
		t.Errorf("the validator of identity matches gzip: %d", got.status)
	}
}

func TestSmallFilesAreNotEncoded(t *testing.T) {
	r := run(t, publishedFeed(t))
	for range 2 { // made, and from memory
		got := r.get(path("-", "1", "tokens.css"), "Accept-Encoding: gzip, br")
		if got.status != 200 || got.header.Get("Content-Encoding") != "" || got.header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("answer = %d %v", got.status, got.header)
		}
	}
}

func TestRangesAreOfIdentity(t *testing.T) { // A89
	f := newFeed(t)
	f.publish(thm, bigTheme())
	r := run(t, f)
	address := path("-", "1", "tokens.css")
	plain := r.get(address)
	size := len(plain.body)
	got := r.get(address, "Range: bytes=10-19", "Accept-Encoding: gzip")
	if got.status != 206 || got.body != plain.body[10:20] || got.header.Get("Content-Range") != fmt.Sprintf("bytes 10-19/%d", size) || got.header.Get("Content-Encoding") != "" || got.header.Get("Etag") != plain.header.Get("Etag") {
		t.Errorf("range = %d %q %v", got.status, got.body, got.header)
	}
	if got := r.get(address, "Range: bytes=-5"); got.status != 206 || got.body != plain.body[size-5:] {
		t.Errorf("suffix = %d %q", got.status, got.body)
	}
	if got := r.get(address, fmt.Sprintf("Range: bytes=%d-", size)); got.status != 416 || got.header.Get("Content-Range") != fmt.Sprintf("bytes */%d", size) || !strings.Contains(got.body, `"cause":"payload"`) {
		t.Errorf("outside = %d %q %v", got.status, got.body, got.header)
	}
	for _, lines := range [][]string{
		{"Range: bytes=0-1,5-6"},
		{"Range: bytes=0-1", `If-Range: "other"`},
		{"Range: bytes=0-1", "If-Range: Wed, 21 Oct 2015 07:28:00 GMT"},
	} {
		if got := r.get(address, lines...); got.status != 200 || got.body != plain.body {
			t.Errorf("%q = %d with %d bytes, want the whole file", lines, got.status, len(got.body))
		}
	}
	if got := r.get(address, "Range: bytes=0-1", "If-Range: "+plain.header.Get("Etag")); got.status != 206 {
		t.Errorf("If-Range with the validator = %d", got.status)
	}
	if got := r.do("HEAD", address, "Range: bytes=0-1"); got.status != 200 {
		t.Errorf("HEAD with a range = %d, want it ignored", got.status)
	}
}

// Host and forwarding headers change no byte; query strings neither, and split no cache (A84, A85).
func TestRequestsChangeNoByte(t *testing.T) {
	f := publishedFeed(t)
	r := run(t, f)
	r.settle()
	plain := r.get(path("-", "1", "tokens.css"))
	questions := func() int { return f.count("themes/") + f.count("pairs/") }
	asked := questions()
	for _, lines := range [][]string{
		{"Host: evil.example"}, {"X-Forwarded-Host: evil.example"}, {"X-Forwarded-Proto: https"}, {"Forwarded: host=evil.example"}, {"X-HTTP-Method-Override: DELETE"},
	} {
		if got := r.get(path("-", "1", "tokens.css"), lines...); got.body != plain.body || got.header.Get("Etag") != plain.header.Get("Etag") {
			t.Errorf("%q changes the answer", lines)
		}
	}
	for i := range 20 {
		got := r.get(fmt.Sprintf("%s?x=%d&Signature=y", path("-", "1", "tokens.css"), i))
		if got.body != plain.body || got.header.Get("Cache-Status") != "livery; hit" {
			t.Errorf("query %d: %d %v", i, got.status, got.header)
		}
	}
	if now := questions(); now != asked {
		t.Errorf("upstream was asked %d more times", now-asked)
	}
}

func TestOriginsAreEnforced(t *testing.T) { // S60 to S63, A80, A81, A82, A88
	f := publishedFeed(t)
	f.serving(thm, record.Serving{Mode: "public", AllowedOrigins: []string{"https://good.example"}, MissingOrigin: "allowNonBrowsers"})
	r := run(t, f)
	address := path("-", "1", "tokens.css")
	for _, tt := range []struct {
		name    string
		lines   []string
		status  int
		allowed string
	}{
		{"allowed", []string{"Origin: https://good.example"}, 200, "https://good.example"},
		{"other", []string{"Origin: https://evil.example"}, 403, ""},
		{"null", []string{"Origin: null"}, 403, ""},
		{"two", []string{"Origin: https://good.example", "Origin: https://evil.example"}, 403, ""},
		{"by referer", []string{"Referer: https://good.example/page"}, 200, ""},
		{"two referers", []string{"Referer: https://good.example/page", "Referer: https://evil.example/"}, 403, ""},
		{"the same referer twice", []string{"Referer: https://good.example/", "Referer: https://good.example/"}, 403, ""},
		{"allowed, with two referers", []string{"Origin: https://good.example", "Referer: https://good.example/", "Referer: https://good.example/"}, 403, ""},
		{"allowed, with a referer", []string{"Origin: https://good.example", "Referer: https://evil.example/"}, 200, "https://good.example"},
		{"a program", nil, 200, ""},
		{"a browser", []string{"User-Agent: Mozilla/5.0"}, 403, ""},
		{"a browser by its hints", []string{`Sec-CH-UA: "Chromium"`}, 403, ""},
		{"a browser without a referer", []string{"Sec-Fetch-Dest: style"}, 403, ""},
		{"a server that fetches", []string{"Sec-Fetch-Mode: cors", "User-Agent: node"}, 200, ""},
	} {
		got := r.get(address, tt.lines...)
		if got.status != tt.status || got.header.Get("Access-Control-Allow-Origin") != tt.allowed || got.header.Get("Vary") != "Accept-Encoding, Origin" {
			t.Errorf("%s: %d %v", tt.name, got.status, got.header)
		}
		caching := "private, max-age=31536000, immutable"
		if tt.status == 403 {
			caching = "no-store"
		}
		if got.header.Get("Cache-Control") != caching {
			t.Errorf("%s: Cache-Control = %q, want %q", tt.name, got.header.Get("Cache-Control"), caching)
		}
	}
	missing := r.get(path("-", "7", "tokens.css"), "Origin: https://good.example")
	if missing.status != 404 || missing.header.Get("Vary") != "Accept-Encoding, Origin" || missing.header.Get("Access-Control-Allow-Origin") != "https://good.example" {
		t.Errorf("404 of an allowed origin: %d %v", missing.status, missing.header)
	}
	if hidden := r.get(path("-", "7", "tokens.css"), "Origin: https://evil.example"); hidden.status != 403 {
		t.Errorf("another origin learns that a version is missing: %d", hidden.status)
	}
}

func TestPreflightsFollowTheOriginRule(t *testing.T) { // decisions 7.5
	f := publishedFeed(t)
	r := run(t, f)
	open := r.do("OPTIONS", path("-", "1", "tokens.css"), "Origin: https://any.example", "Access-Control-Request-Method: GET")
	if open.status != 204 || open.header.Get("Access-Control-Allow-Origin") != "*" || open.header.Get("Access-Control-Allow-Methods") == "" {
		t.Errorf("open: %d %v", open.status, open.header)
	}
	f.serving(thm, record.Serving{Mode: "public", AllowedOrigins: []string{"https://good.example"}, MissingOrigin: "refuse"})
	eventually(t, "the origin list", func() bool {
		return r.do("OPTIONS", path("-", "1", "tokens.css"), "Origin: https://evil.example").status == 403
	})
	good := r.do("OPTIONS", path("-", "latest", "tokens.css"), "Origin: https://good.example", "Access-Control-Request-Method: GET")
	if good.status != 204 || good.header.Get("Access-Control-Allow-Origin") != "https://good.example" || good.body != "" {
		t.Errorf("good: %d %v", good.status, good.header)
	}
	if missing := r.do("OPTIONS", "/nothing"); missing.status != 404 {
		t.Errorf("OPTIONS of no address = %d", missing.status)
	}
}

func TestAddressRangesAreEnforced(t *testing.T) { // S64, A83
	f := publishedFeed(t)
	f.serving(thm, record.Serving{Mode: "public", AllowedIPRanges: []string{"192.0.2.0/24"}})
	direct := run(t, f)
	address := path("-", "1", "tokens.css")
	if got := direct.get(address, "X-Forwarded-For: 192.0.2.7"); got.status != 403 {
		t.Errorf("an untrusted peer's X-Forwarded-For is believed: %d", got.status)
	}
	behind := run(t, f, trusting(netip.MustParsePrefix("127.0.0.0/8")))
	for _, tt := range []struct {
		forwarded string
		status    int
	}{
		{"192.0.2.7", 200}, {"192.0.2.7, 127.0.0.9", 200}, {"::ffff:192.0.2.7", 200}, {"198.51.100.1", 403}, {"192.0.2.7, 198.51.100.1", 403}, {"nonsense", 403},
	} {
		got := behind.get(address, "X-Forwarded-For: "+tt.forwarded)
		if got.status != tt.status {
			t.Errorf("X-Forwarded-For %q = %d, want %d", tt.forwarded, got.status, tt.status)
		}
		if got.status == 200 && !strings.HasPrefix(got.header.Get("Cache-Control"), "private") {
			t.Errorf("Cache-Control = %q, want it private", got.header.Get("Cache-Control"))
		}
	}
}

func TestSignedFilesNeedASignature(t *testing.T) { // S58, A86, decisions 7.7
	f := publishedFeed(t)
	key := record.SigningKey{ID: "key_1", Secret: []byte("canary-secret-canary-secret")}
	f.serving(thm, record.Serving{Mode: "signed", SigningKeys: []record.SigningKey{key}})
	r := run(t, f)
	r.settle()
	address := path("-", "1", "tokens.css")
	query := "?" + policy.Sign(address, time.Now().Add(100*time.Second), key)
	got := r.get(address + query)
	want(t, got, 200, "4px")
	var age int
	if _, err := fmt.Sscanf(got.header.Get("Cache-Control"), "private, max-age=%d, immutable", &age); err != nil || age > 100 || age < 60 {
		t.Errorf("Cache-Control = %q, want no more than the signature's 100 seconds", got.header.Get("Cache-Control"))
	}
	if again := r.get(address + "?" + policy.SignFolder("/"+env+"/"+thm+"/", time.Now().Add(time.Hour), key)); again.header.Get("Cache-Status") != "livery; hit" {
		t.Errorf("another signature splits the cache: %v", again.header)
	}
	latest := path("-", "latest", "tokens.css")
	soon := r.get(latest + "?" + policy.Sign(latest, time.Now().Add(30*time.Second), key))
	var kept int
	if _, err := fmt.Sscanf(soon.header.Get("Cache-Control"), "private, max-age=%d, stale-if-error=%d", &age, &kept); err != nil || age+kept > 30 {
		t.Errorf("Cache-Control = %q, want nothing kept beyond the signature's 30 seconds", soon.header.Get("Cache-Control"))
	}
	for name, url := range map[string]string{
		"no signature":       address,
		"another file":       path("-", "1", "tokens.json") + query,
		"another version":    path("-", "2", "tokens.css") + query,
		"an extra parameter": address + query + "&x=1",
	} {
		if got := r.get(url); got.status != 403 || got.header.Get("Cache-Control") != "no-store" || strings.Contains(got.body, "canary") {
			t.Errorf("%s: %d %v", name, got.status, got.header)
		}
	}
}

// The first check that fails answers (decisions 7.1): existence, address range, signature, origin,
// version.
func TestChecksKeepTheirOrder(t *testing.T) {
	f := publishedFeed(t)
	key := record.SigningKey{ID: "key_1", Secret: []byte("secret")}
	f.edit(thm, func(th *fedTheme) {
		th.Files = []string{"tokens.css"}
		th.Serving = record.Serving{Mode: "signed", SigningKeys: []record.SigningKey{key}, AllowedIPRanges: []string{"192.0.2.0/24"}, AllowedOrigins: []string{"https://good.example"}}
	})
	r := run(t, f, trusting(netip.MustParsePrefix("127.0.0.0/8")))
	query := func(p string) string { return p + "?" + policy.Sign(p, time.Now().Add(time.Hour), key) }
	const inside, good = "X-Forwarded-For: 192.0.2.7", "Origin: https://good.example"
	for _, tt := range []struct {
		name, url string
		lines     []string
		status    int
	}{
		{"a file of no integration is 404 to anybody", path("-", "1", "tokens.json"), nil, 404},
		{"a Variant that does not exist is 404 to anybody", path("var_99999999999999999999999999", "1", "tokens.css"), nil, 404},
		{"outside the range", path("-", "9", "tokens.css"), nil, 403},
		{"without a signature", path("-", "9", "tokens.css"), []string{inside}, 403},
		{"without an origin", query(path("-", "9", "tokens.css")), []string{inside}, 403},
		{"all is well but the version", query(path("-", "9", "tokens.css")), []string{inside, good}, 404},
		{"all is well", query(path("-", "1", "tokens.css")), []string{inside, good}, 200},
	} {
		if got := r.get(tt.url, tt.lines...); got.status != tt.status {
			t.Errorf("%s: %d, want %d", tt.name, got.status, tt.status)
		}
	}
}

// raw sends bytes and returns everything that comes back until the connection is closed.
func raw(t *testing.T, r *running, request string) string {
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	conn.SetReadDeadline(time.Now().Add(8 * time.Second)) // less than the edge's limit for a head
	answer, _ := io.ReadAll(bufio.NewReader(conn))
	return string(answer)
}

// Every error that fasthttp makes itself has the API's body too, and closes the connection: the
// request smuggled behind it is never answered.
func TestUnreadableRequestsAreRefusedWhole(t *testing.T) { // A50 to A62, A72
	r := run(t, publishedFeed(t))
	smuggled := "GET " + path("-", "1", "tokens.css") + " HTTP/1.1\r\nHost: a\r\n\r\n"
	target := "GET " + path("-", "1", "tokens.css")
	for _, tt := range []struct {
		name, request string
		status        int
	}{
		{"length and chunks", target + " HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
		{"chunks and length", target + " HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", 400},
		{"identity", target + " HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\n\r\n", 400},
		{"two lengths", target + " HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 5\r\n\r\n", 400},
		{"folded header", target + " HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n", 400},
		{"space in a name", target + " HTTP/1.1\r\nHost: a\r\nX Y: a\r\n\r\n", 400},
		{"HTTP/2.0", target + " HTTP/2.0\r\nHost: a\r\n\r\n", 505},
		{"HTTP/1.9", target + " HTTP/1.9\r\nHost: a\r\n\r\n", 505},
		{"no request line", "hello\r\n\r\n", 400},
		{"TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400},
		{"huge head", target + " HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("a", 200<<10) + "\r\n\r\n", 431},
		{"huge body", "POST " + path("-", "1", "tokens.css") + " HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n", 413},
	} {
		got := raw(t, r, tt.request+smuggled)
		if !strings.HasPrefix(got, fmt.Sprintf("HTTP/1.1 %d ", tt.status)) || !strings.Contains(got, `"status":"error"`) || !strings.Contains(got, `"cause":"payload"`) {
			t.Errorf("%s: %.300q, want %d with the error body", tt.name, got, tt.status)
		}
		if strings.Contains(got, "HTTP/1.1 200") || strings.Contains(got, "4px") || strings.Contains(got, "Server:") {
			t.Errorf("%s: the request behind it was answered, or the server names itself: %.600q", tt.name, got)
		}
	}
}

func TestAsteriskIsAnswered(t *testing.T) { // A66
	r := run(t, publishedFeed(t))
	got := raw(t, r, "OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
	if !strings.HasPrefix(got, "HTTP/1.1 200 ") || !strings.HasSuffix(got, "\r\n\r\n") {
		t.Errorf("OPTIONS * = %q", got)
	}
}

func TestAbsoluteFormCountsByItsPath(t *testing.T) { // A59
	r := run(t, publishedFeed(t))
	got := raw(t, r, "GET http://evil.example"+path("-", "1", "tokens.css")+" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
	if !strings.HasPrefix(got, "HTTP/1.1 200 ") || strings.Contains(got, "evil") {
		t.Errorf("absolute form = %q", got)
	}
}

func TestPipelinedRequestsAreAnsweredInTurn(t *testing.T) {
	r := run(t, publishedFeed(t))
	var request bytes.Buffer
	for i := range 16 {
		fmt.Fprintf(&request, "GET %s HTTP/1.1\r\nHost: a\r\n", path("-", "1", []string{"tokens.css", "tokens.json"}[i%2]))
		if i == 15 {
			request.WriteString("Connection: close\r\n")
		}
		request.WriteString("\r\n")
	}
	reader := bufio.NewReader(strings.NewReader(raw(t, r, request.String())))
	for i := range 16 {
		res, err := http.ReadResponse(reader, nil)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		if css := bytes.HasPrefix(body, []byte("/*")) || bytes.Contains(body, []byte(":root")); css != (i%2 == 0) {
			t.Errorf("answer %d is %q", i, body)
		}
	}
}

// Metrics count what was answered and hold no ids (A114).
func TestMetricsHoldNoIDs(t *testing.T) {
	r := run(t, publishedFeed(t))
	r.get(path("-", "1", "tokens.css"))
	r.get(path("-", "2", "tokens.css"))
	if got := r.counted("livery_edge_requests_total"); got != 2 {
		t.Errorf("%v requests were counted, want 2", got)
	}
	families, err := r.counts.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if text := family.String(); strings.Contains(text, "env_") || strings.Contains(text, "thm_") || strings.Contains(text, token) {
			t.Errorf("%s names an id or a secret: %s", family.GetName(), text)
		}
	}
}
