package origin_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/andybalholm/brotli"

	"example.com/livery/docs/site"
	"example.com/livery/origin"
	"example.com/livery/origin/auth"
)

// consoleFiles stand for the built files of the console.
func consoleFiles() fstest.MapFS {
	return fstest.MapFS{
		"index.html":            {Data: []byte("<!doctype html><title>Livery</title>" + strings.Repeat("<p>the page</p>", 100))},
		"assets/app-1234.js":    {Data: []byte(strings.Repeat("export const a = 1;\n", 200))},
		"assets/app-1234.css":   {Data: []byte("a{}")},
		"sources.sha256":        {Data: []byte("not for browsers")},
		"assets/font-12.woff2":  {Data: []byte("wOF2")},
		"assets/packed-9.js.gz": {Data: gzipped(strings.Repeat("export const b = 2;\n", 200))},
	}
}

// gzipped returns a text in gzip, stored, so that no server would have made the same bytes.
func gzipped(text string) []byte {
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.NoCompression) // a level that is known
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return out.Bytes()
}

func withConsole(c *origin.Config) { c.Console = consoleFiles() }

// browser is a person's browser at the console: it keeps the cookie.
type browser struct {
	h      *testOrigin
	base   string // of the origin; empty: h's
	cookie string // name=value; empty: none
}

// ask sends a request as a page of the console does; header are names and values, of which "" leaves the name out.
func (b *browser) ask(method, path, body string, header ...string) reply {
	b.h.t.Helper()
	base := b.base
	if base == "" {
		base = b.h.base
	}
	request, err := http.NewRequest(method, base+path, strings.NewReader(body))
	if err != nil {
		b.h.t.Fatal(err)
	}
	request.Header.Set("X-Livery-Console", "1")
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	if b.cookie != "" {
		request.Header.Set("Cookie", b.cookie)
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Del(header[i])
		if header[i+1] != "" {
			request.Header.Set(header[i], header[i+1])
		}
	}
	client := &http.Client{
		Transport:     &http.Transport{DisableCompression: true, DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	answer, err := client.Do(request)
	if err != nil {
		b.h.t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		b.h.t.Fatal(err)
	}
	for _, c := range answer.Cookies() {
		if b.cookie = c.Name + "=" + c.Value; c.MaxAge < 0 {
			b.cookie = ""
		}
	}
	return reply{answer.StatusCode, answer.Header, string(text)}
}

// logIn begins a session of the subject.
func (b *browser) logIn(subject string) reply {
	b.h.t.Helper()
	r := b.ask("POST", "/console/session", fmt.Sprintf(`{"token":%q}`, b.h.token(subject)))
	if r.status != 204 || r.body != "" || b.cookie == "" {
		b.h.t.Fatalf("a session of %s = %d %s %v", subject, r.status, r.body, r.header)
	}
	return r
}

// A132: the page is served at the address of every view, its assets for ever, and every file in the coding that the browser
// likes, with what keeps other content out.
func TestConsoleIsServed(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t, withConsole)
	b := &browser{h: h}
	page := string(consoleFiles()["index.html"].Data)
	for _, path := range []string{"/console/", "/console/e/sandbox/t/brand?x=1", "/console/index.html", "/console/../public/v1/environments", "/console/public/v1/me", "/console/sources.sha256"} {
		r := b.ask("GET", path, "", "X-Livery-Console", "", "Sec-Fetch-Site", "none")
		if r.status != 200 || r.body != page || r.header.Get("Content-Type") != "text/html; charset=utf-8" || r.header.Get("Cache-Control") != "no-cache" {
			t.Errorf("GET %s = %d %s %v, want the page", path, r.status, short(r.body), r.header)
		}
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin",
			"Content-Security-Policy": "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self' " +
				testCDNURL + "; worker-src 'self'; frame-src *; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
		} {
			if got := r.header.Get(name); got != want {
				t.Errorf("GET %s has %s %q, want %q", path, name, got, want)
			}
		}
		if !strings.Contains(r.header.Get("Permissions-Policy"), "camera=()") || r.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("GET %s = %v", path, r.header)
		}
		if again := b.ask("GET", path, "", "If-None-Match", r.header.Get("Etag")); again.status != 304 || again.body != "" {
			t.Errorf("GET %s with its ETag = %d", path, again.status)
		}
		if head := b.ask("HEAD", path, ""); head.status != 200 || head.body != "" || head.header.Get("Content-Length") != fmt.Sprint(len(page)) || head.header.Get("Etag") != r.header.Get("Etag") {
			t.Errorf("HEAD %s = %d %v", path, head.status, head.header)
		}
	}
	if r := b.ask("GET", "/console", ""); r.status != 308 || r.header.Get("Location") != "/console/" {
		t.Errorf("GET /console = %d %v, want the way to /console/", r.status, r.header)
	}
	for path, want := range map[string][2]string{
		"assets/app-1234.js": {"text/javascript; charset=utf-8", "public, max-age=31536000, immutable"}, "assets/app-1234.css": {"text/css; charset=utf-8", "public, max-age=31536000, immutable"},
		"assets/font-12.woff2": {"font/woff2", "public, max-age=31536000, immutable"},
		"assets/renderer.wasm": {"application/wasm", "no-cache"}, "assets/livery.mjs": {"text/javascript; charset=utf-8", "no-cache"},
	} {
		r := b.ask("GET", "/console/"+path, "")
		if r.status != 200 || r.header.Get("Content-Type") != want[0] || r.header.Get("Cache-Control") != want[1] || r.header.Get("X-Content-Type-Options") != "nosniff" || r.header.Get("Etag") == "" {
			t.Errorf("GET %s = %d %v, want %v", path, r.status, r.header, want)
		}
	}
	if r := b.ask("GET", "/console/assets/renderer.wasm", ""); r.body != testModule {
		t.Errorf("the module is %q, want this build's", r.body)
	}
	for _, path := range []string{"/console/assets/app-0000.js", "/console/assets/", "/console/assets/../session"} {
		b.ask("GET", path, "").refuses(t, 404, "notFound")
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "OPTIONS"} {
		if r := b.ask(method, "/console/", ""); r.status != 405 || r.header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s of the page = %d %v, want 405", method, r.status, r.header)
		}
	}
	if r := b.ask("GET", "/consoles", ""); r.status != 404 || strings.Contains(r.body, "the page") {
		t.Errorf("GET /consoles = %d %s", r.status, r.body)
	}
}

// The page may read what edges serve, at any path of theirs, and an address that is odd cannot add to the policy.
func TestConsoleReadsFromEdges(t *testing.T) {
	t.Parallel()
	for cdn, want := range map[string]string{
		"https://cdn.example:8443/brands": "connect-src 'self' https://cdn.example:8443;", "http://[::1]:8090": "connect-src 'self';",
		"https://a;script-src": "connect-src 'self';",
	} {
		b := &browser{h: newTestOrigin(t, withConsole, func(c *origin.Config) { c.CDNURL = cdn })}
		if got := b.ask("GET", "/console/", "").header.Get("Content-Security-Policy"); !strings.Contains(got, want) {
			t.Errorf("with edges at %s: %s, want %s", cdn, got, want)
		}
	}
}

// A compressed file is the file, and says that it depends on what the browser likes.
func TestConsoleIsCompressed(t *testing.T) {
	t.Parallel()
	b := &browser{h: newTestOrigin(t, withConsole)}
	file := string(consoleFiles()["assets/app-1234.js"].Data)
	for accept, coding := range map[string]string{"gzip": "gzip", "gzip, deflate, br, zstd": "br", "br;q=0, gzip": "gzip", "": "", "identity": ""} {
		for range 2 { // made, and made before
			r := b.ask("GET", "/console/assets/app-1234.js", "", "Accept-Encoding", accept)
			body := io.Reader(strings.NewReader(r.body))
			switch coding {
			case "br":
				body = brotli.NewReader(body)
			case "gzip":
				var err error
				if body, err = gzip.NewReader(body); err != nil {
					t.Fatal(err)
				}
			}
			text, err := io.ReadAll(body)
			if err != nil || string(text) != file || r.header.Get("Content-Encoding") != coding || r.header.Get("Vary") != "Accept-Encoding" {
				t.Errorf("accepting %q: %v %d bytes %v, want the file as %q", accept, err, len(text), r.header, coding)
			}
			if coding != "" && len(r.body) >= len(file) {
				t.Errorf("accepting %q: %d bytes of %d", accept, len(r.body), len(file))
			}
		}
	}
	if r := b.ask("GET", "/console/assets/app-1234.css", "", "Accept-Encoding", "br"); r.body != "a{}" || r.header.Get("Content-Encoding") != "" {
		t.Errorf("a file of 3 bytes = %q %v", r.body, r.header)
	}
}

// A file that is there in gzip is served so as it is, and in other codings as what it holds.
func TestConsoleServesWhatIsPacked(t *testing.T) {
	t.Parallel()
	b := &browser{h: newTestOrigin(t, withConsole)}
	text := strings.Repeat("export const b = 2;\n", 200)
	for accept, read := range map[string]func(string) (string, error){
		"gzip": func(body string) (string, error) {
			if body != string(gzipped(text)) {
				return "", errors.New("these are other bytes than those that are there")
			}
			return text, nil
		},
		"br": func(body string) (string, error) {
			file, err := io.ReadAll(brotli.NewReader(strings.NewReader(body)))
			return string(file), err
		},
		"": func(body string) (string, error) { return body, nil },
	} {
		r := b.ask("GET", "/console/assets/packed-9.js", "", "Accept-Encoding", accept)
		file, err := read(r.body)
		if err != nil || file != text || r.header.Get("Content-Encoding") != accept || r.header.Get("Content-Type") != "text/javascript; charset=utf-8" {
			t.Errorf("accepting %q: %v %d bytes %v", accept, err, len(file), r.header)
		}
	}
	b.ask("GET", "/console/assets/packed-9.js.gz", "").refuses(t, 404, "notFound")
}

// Without the console its addresses are not there, and a cookie of it is worth nothing.
func TestConsoleCanBeOff(t *testing.T) {
	t.Parallel()
	on := newTestOrigin(t, withConsole)
	b := &browser{h: on}
	b.logIn(owner)
	off := &testOrigin{t: t, clock: on.clock, store: on.store}
	config := on.config
	config.Console = nil
	off.start(config)
	t.Cleanup(off.end)
	b.base = off.base
	for _, path := range []string{"/console", "/console/", "/console/assets/renderer.wasm", "/console/session", "/console/settings"} {
		if r := b.ask("GET", path, ""); r.status != 404 {
			t.Errorf("GET %s = %d, want 404", path, r.status)
		}
	}
	if r := b.ask("GET", apiPath+"/environments", ""); r.status != 401 {
		t.Errorf("a session without a console = %d, want 401", r.status)
	}
	if r := b.ask("POST", "/console/session", `{"code":"x"}`); r.status != 404 {
		t.Errorf("POST = %d, want 404", r.status)
	}
}

// A132: a session is what its token is: the same rights, answers, audit and end. The browser keeps it where no script reads it.
func TestSessionsStandForTokens(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t, withConsole, func(c *origin.Config) { c.PublicURL = "http://origin.example" })
	b := &browser{h: h}
	if r := b.ask("GET", "/console/session", ""); r.status != 401 || !strings.Contains(r.body, `"cause":"unauthorized"`) {
		t.Errorf("GET without a session = %d %s, want 401", r.status, r.body)
	}
	begun := b.logIn(owner)
	line := begun.header.Get("Set-Cookie")
	if rest, _, _ := strings.Cut(strings.TrimPrefix(line, b.cookie), "; HttpOnly"); !strings.HasPrefix(line, "livery_session=") || !strings.HasSuffix(line, "; HttpOnly; SameSite=Strict") || !strings.HasPrefix(rest, "; Path=/; Max-Age=3") {
		t.Errorf("Set-Cookie = %s", line)
	}
	if begun.header.Get("Cache-Control") == "" && begun.body != "" {
		t.Error("the answer may be stored")
	}
	r := b.ask("GET", "/console/session", "")
	if r.status != 200 || !strings.HasPrefix(r.body, `{"subject":"owner","expires":"20`) || !strings.HasSuffix(r.body, `Z"}`) || r.header.Get("Cache-Control") != "no-store" {
		t.Errorf("GET = %d %s %v", r.status, r.body, r.header)
	}
	theme := h.theme("brand")
	for _, path := range []string{"/me", "/environments", theme} {
		got, want := b.ask("GET", apiPath+path, ""), h.do(owner, "GET", path, "")
		if got.status != 200 || got.body != want.body || got.header.Get("Etag") != want.header.Get("Etag") {
			t.Errorf("GET %s = %d %s, want %s", path, got.status, short(got.body), short(want.body))
		}
	}
	if r := b.ask("PATCH", apiPath+theme+"/tokens", `{"operations":`+red+`}`); r.status != 200 {
		t.Errorf("an edit = %d %s", r.status, r.body)
	}
	if r := b.ask("POST", apiPath+theme+"/tokens/publish", ""); r.status != 200 {
		t.Errorf("a publish = %d %s", r.status, r.body)
	}
	page := auditOf(t, h.operator(), `{}`)
	if last := page.Entries[len(page.Entries)-1]; last.Action != "theme publish" || last.Actor.Subject != owner {
		t.Errorf("the audit log ends with %+v", last)
	}
	weak := &browser{h: h}
	weak.logIn(reader)
	if r := weak.ask("DELETE", apiPath+theme, ""); r.status != 403 {
		t.Errorf("a viewer deletes: %d, want 403", r.status)
	}
	if r := weak.ask("DELETE", apiPath+theme, "", "Authorization", "Bearer x.y.z"); r.status != 401 {
		t.Errorf("a bad token beside a session = %d, want 401: the header wins", r.status)
	}
	if r := weak.ask("GET", apiPath+"/me", "", "Authorization", "Bearer "+h.token(owner)); !strings.Contains(r.body, `"owner"`) {
		t.Errorf("a good token beside a session = %s, want the token's", r.body)
	}
	if r := b.ask("DELETE", "/console/session", ""); r.status != 204 || b.cookie != "" || !strings.Contains(r.header.Get("Set-Cookie"), "livery_session=; Path=/; Max-Age=0; HttpOnly") {
		t.Errorf("DELETE = %d %v", r.status, r.header)
	}
}

// The cookie of a request that comes over TLS is for https and this host alone, whatever address the origin was given.
func TestSessionsOverTLSAreForThisHostAlone(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t, withConsole, func(c *origin.Config) { c.PublicURL = "http://origin.example" })
	secure := httptest.NewUnstartedServer(nil)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	config := &tls.Config{Certificates: secure.TLS.Certificates, MinVersion: tls.VersionTLS13}
	b := &browser{h: h, base: "https://" + h.serve(func(l net.Listener) error { return h.origin.ServePublic(tls.NewListener(l, config)) })}
	if line := b.logIn(owner).header.Get("Set-Cookie"); !strings.HasPrefix(line, "__Host-livery_session=") || !strings.HasSuffix(line, "; Secure") {
		t.Errorf("Set-Cookie = %s", line)
	}
	if r := b.ask("GET", apiPath+"/me", ""); r.status != 200 {
		t.Errorf("GET /me = %d, want 200", r.status)
	}
	b.base = ""
	if r := b.ask("GET", apiPath+"/me", ""); r.status != 401 {
		t.Errorf("the same without TLS = %d, want 401", r.status)
	}
}

// The cookie of an origin that is reached over https is for https and this host alone.
func TestSessionsOverHTTPSAreForThisHostAlone(t *testing.T) {
	t.Parallel()
	b := &browser{h: newTestOrigin(t, withConsole)}
	line := b.logIn(owner).header.Get("Set-Cookie")
	if !strings.HasPrefix(line, "__Host-livery_session=") || !strings.Contains(line, "; Path=/; ") || !strings.HasSuffix(line, "; HttpOnly; SameSite=Strict; Secure") || strings.Contains(line, "Domain") {
		t.Errorf("Set-Cookie = %s", line)
	}
	b.cookie = strings.TrimPrefix(b.cookie, "__Host-")
	if r := b.ask("GET", apiPath+"/me", ""); r.status != 401 {
		t.Errorf("a cookie of the other name = %d, want 401", r.status)
	}
}

// Every answer of an origin whose address is https tells browsers to come over https alone; that of another origin does
// not, since its host may serve other programs over http.
func TestBrowsersComeOverHTTPSAlone(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{testPublicURL: "max-age=31536000", "http://origin.example": ""} {
		h := newTestOrigin(t, withConsole, func(c *origin.Config) {
			c.PublicURL = address
			c.Documents = func(bool) (map[string]site.File, error) {
				return site.Build(site.Source{Version: "1.2.3", Files: fstest.MapFS{"docs/index.md": {Data: []byte("# First\n")}}})
			}
		})
		b := &browser{h: h}
		for _, path := range []string{"/console/", "/console/assets/app-1234.js", "/console/assets/none.js", "/console/session", "/docs/", "/docs/none", apiPath + "/environments", apiPath + "/openapi.json", apiPath + "/none", "/"} {
			if r := b.ask("GET", path, ""); r.header.Get("Strict-Transport-Security") != want {
				t.Errorf("%s: GET %s = %d, Strict-Transport-Security %q, want %q", address, path, r.status, r.header.Get("Strict-Transport-Security"), want)
			}
		}
	}
}

// A130: a page of another origin can send the cookie at most, and what it sends counts as if it had none.
func TestSessionsCountFromTheConsoleAlone(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t, withConsole, func(c *origin.Config) { c.CORSOrigins = []string{"https://app.example.com"} })
	b := &browser{h: h}
	b.logIn(owner)
	theme := h.theme("brand")
	kept := b.cookie
	for name, header := range map[string][]string{
		"without the header":      {"X-Livery-Console", ""},
		"another value":           {"X-Livery-Console", "true"},
		"from another site":       {"Sec-Fetch-Site", "cross-site"},
		"from another subdomain":  {"Sec-Fetch-Site", "same-site"},
		"from the address bar":    {"Sec-Fetch-Site", "none"},
		"a form":                  {"X-Livery-Console", "", "Content-Type", "application/x-www-form-urlencoded", "Sec-Fetch-Site", "cross-site"},
		"a listed page":           {"Sec-Fetch-Site", "cross-site", "Origin", "https://app.example.com"},
		"an older browser's form": {"X-Livery-Console", "", "Sec-Fetch-Site", "", "Content-Type", "text/plain"},
	} {
		for _, method := range []string{"GET", "POST", "DELETE"} {
			if r := b.ask(method, apiPath+theme, "{}", header...); r.status != 401 || r.body != "" || r.header.Get("WWW-Authenticate") != "Bearer" {
				t.Errorf("%s: %s = %d %s, want 401 as without credentials", name, method, r.status, r.body)
			}
			if r := b.ask(method, "/console/session", `{"token":"x"}`, header...); r.status != 403 || r.header.Get("Set-Cookie") != "" {
				t.Errorf("%s: %s of the session = %d %v, want 403", name, method, r.status, r.header)
			}
		}
		if r := b.ask("GET", "/console/settings", "", header...); r.status != 403 {
			t.Errorf("%s: the settings = %d, want 403", name, r.status)
		}
	}
	if b.cookie != kept {
		t.Error("a page of another origin changed the session")
	}
	for _, path := range []string{apiPath + theme, "/console/session"} {
		r := b.ask("OPTIONS", path, "", "Origin", "https://app.example.com", "Access-Control-Request-Method", "DELETE", "Access-Control-Request-Headers", "x-livery-console")
		if allowed := r.header.Get("Access-Control-Allow-Headers"); strings.Contains(strings.ToLower(allowed), "console") || r.header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("a preflight of %s = %d %v", path, r.status, r.header)
		}
	}
	h.want(200, "GET", theme, "")
}

// A131: a cookie that was changed, made by another store's origin or kept too long is worth nothing; one that another origin of
// the same store made, or the same before it was started again, counts.
func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t, withConsole)
	b := &browser{h: h}
	refused := func(name string, b *browser) {
		t.Helper()
		if r := b.ask("GET", apiPath+"/me", ""); r.status != 401 {
			t.Errorf("%s = %d %s, want 401", name, r.status, r.body)
		}
		if r := b.ask("GET", "/console/session", ""); r.status != 401 {
			t.Errorf("%s: GET session = %d %s, want 401", name, r.status, r.body)
		}
	}
	b.logIn(owner)
	kept := b.cookie
	name, value, _ := strings.Cut(kept, "=")
	raw, err := base64.RawURLEncoding.DecodeString(value)
	if err != nil {
		t.Fatal(err)
	}
	for at := range raw {
		if at%17 != 0 && at < len(raw)-3 {
			continue
		}
		changed := bytes.Clone(raw)
		changed[at] ^= 1
		refused(fmt.Sprint("byte ", at, " changed"), &browser{h: h, cookie: name + "=" + base64.RawURLEncoding.EncodeToString(changed)})
	}
	for _, value := range []string{"", "x", value[:20], value + "A", value + "=", strings.Repeat("A", 8000), h.token(owner), "%00"} {
		refused("the value "+short(value), &browser{h: h, cookie: name + "=" + value})
	}
	stranger := &browser{h: newTestOrigin(t, withConsole)}
	stranger.logIn(owner)
	refused("a session of another store", &browser{h: h, cookie: stranger.cookie})

	other := &testOrigin{t: t, clock: h.clock, store: h.store}
	other.start(h.config)
	t.Cleanup(other.end)
	if r := (&browser{h: h, base: other.base, cookie: kept}).ask("GET", apiPath+"/me", ""); r.status != 200 {
		t.Errorf("a session at another origin of the store = %d, want 200", r.status)
	}
	h.clock.move(59 * time.Minute)
	if r := b.ask("GET", apiPath+"/me", ""); r.status != 200 {
		t.Errorf("a session before its token's end = %d, want 200", r.status)
	}
	h.clock.move(2 * time.Minute)
	refused("a session after its token's end", b)

	long, _, err := h.origin.Keys().Issue(auth.Order{Subject: owner, TTL: 48 * time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	if r := b.ask("POST", "/console/session", fmt.Sprintf(`{"token":%q}`, long)); !strings.Contains(r.header.Get("Set-Cookie"), "; Max-Age=43") {
		t.Errorf("a session of a long token = %d %v, want 12 hours", r.status, r.header)
	}
	h.clock.move(12*time.Hour + time.Second)
	refused("a session after 12 hours", b)
	h.clock.move(-12 * time.Hour)
	if _, err := h.origin.Keys().Rotate(context.Background(), h.store, true); err != nil {
		t.Fatal(err)
	}
	refused("a session of a key that was dropped", b)
}

// A134: what does not log in says why, and nothing of it is kept.
func TestSessionsAreRefused(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t, withConsole)
	b := &browser{h: h}
	subject := strings.Repeat("😀", 255)
	long := `{"token":"` + h.token(subject) + `"}`
	for body, want := range map[string]int{
		``: 400, `[]`: 400, `{`: 400, `{}`: 400, `{"token":""}`: 400, `{"token":1}`: 400, `{"token":"a","code":"b"}`: 400, `{"other":1}`: 400,
		`{"issuer":"a"}`: 400, `{"token":"x.y.z"}`: 401, `{"code":"0123456789abcdef0123456789abcdef"}`: 401, `{"code":"` + strings.Repeat("a", 9000) + `"}`: 401,
		`{"token":"` + strings.Repeat("a", 15000) + `"}`: 401, strings.Repeat(" ", 20<<10): 413,
		`{"issuer":"none","code":"a","verifier":"` + strings.Repeat("v", 43) + `","redirectURI":"https://evil.example/console/"}`: 400,
		long: 204,
	} {
		h.clock.move(time.Second)
		r := b.ask("POST", "/console/session", body)
		if r.status != want || (want != 204) != (r.header.Get("Set-Cookie") == "") {
			t.Errorf("%s = %d %s, want %d", short(body), r.status, r.body, want)
		}
		if want != 204 {
			r.refuses(t, want, map[int]string{400: "validation", 401: "unauthorized", 413: "payload"}[want])
		}
	}
	for _, method := range []string{"PUT", "PATCH", "OPTIONS"} {
		if r := b.ask(method, "/console/session", ""); r.status != 405 || r.header.Get("Allow") != "DELETE, GET, HEAD, POST" {
			t.Errorf("%s = %d %v", method, r.status, r.header)
		}
	}
	limited := false
	for range 200 {
		r := b.ask("POST", "/console/session", `{"code":"00"}`)
		limited = limited || r.status == 429 && r.header.Get("Retry-After") != ""
	}
	if !limited {
		t.Error("200 attempts at once are not limited")
	}
}
