package origin_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/livery/origin"
	"example.com/livery/origin/operator"
	"example.com/livery/storage"
)

// linkTo asks for a link of the subject and returns its code.
func linkTo(t *testing.T, call func(int, string, string, string) string, subject string) string {
	t.Helper()
	var link operator.ConsoleLink
	if err := json.Unmarshal([]byte(call(200, "POST", "/console/link", fmt.Sprintf(`{"subject":%q}`, subject))), &link); err != nil {
		t.Fatal(err)
	}
	code, found := strings.CutPrefix(link.URL, testPublicURL+"/console/#login=")
	if !found || len(code) != 32 || link.ExpiresAt.IsZero() {
		t.Fatalf("the link is %+v", link)
	}
	return code
}

func (b *browser) useCode(code string) int {
	b.h.t.Helper()
	b.h.clock.move(time.Second) // failures are limited
	return b.ask("POST", "/console/session", fmt.Sprintf(`{"code":%q}`, code)).status
}

// A133: a link logs one person in, once, for 5 minutes, with the subject's grants, at any origin of the store. The store has
// only its digest, and the audit log for whom it was made.
func TestALinkLogsInOnce(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t, withConsole)
	call := h.operator()
	b := &browser{h: h}
	code := linkTo(t, call, designer)
	if got := b.useCode(code); got != 204 {
		t.Fatalf("the code = %d, want 204", got)
	}
	if r := b.ask("GET", apiPath+"/me", ""); r.status != 200 || !strings.Contains(r.body, `"designer"`) {
		t.Errorf("GET /me = %d %s", r.status, r.body)
	}
	for name, wrong := range map[string]string{"used": code, "cut": code[:31], "upper case": strings.ToUpper(linkTo(t, call, owner)), "another": strings.Repeat("0", 32)} {
		if got := b.useCode(wrong); got != 401 {
			t.Errorf("a code that is %s = %d, want 401", name, got)
		}
	}
	code = linkTo(t, call, owner)
	h.clock.move(5 * time.Minute)
	if got := b.useCode(code); got != 401 {
		t.Errorf("a code after 5 minutes = %d, want 401", got)
	}
	code = linkTo(t, call, owner)
	other := &testOrigin{t: t, clock: h.clock, store: h.store}
	other.start(h.config)
	t.Cleanup(other.end)
	at := &browser{h: h, base: other.base}
	if got := at.useCode(code); got != 204 {
		t.Errorf("a code at another origin of the store = %d, want 204", got)
	}
	if got := b.useCode(code); got != 401 {
		t.Errorf("a code that another origin took = %d, want 401", got)
	}
	last := auditLines(auditOf(t, call, `{}`))
	if line := last[len(last)-1]; !strings.Contains(line, "console link subject owner: a link that works once is valid until ") || strings.Contains(line, code) {
		t.Errorf("the audit log ends with %s", line)
	}
	code = linkTo(t, call, owner)
	if all := h.everyRecord('O'); !bytes.Contains(all, []byte(owner)) || shows(all, []byte(code)) != "" {
		t.Errorf("the store holds %q", all)
	}
	for _, body := range []string{``, `{}`, `{"subject":""}`, `{"subject":"a\u0000"}`, `{"subject":"a","ttl":1}`} {
		call(400, "POST", "/console/link", body)
	}
}

// everyRecord returns the keys and records of a table.
func (h *testOrigin) everyRecord(letter byte) (all []byte) {
	h.t.Helper()
	err := h.store.View(context.Background(), func(r storage.Reader) error {
		return r.Scan([]byte{letter}, storage.Ascending, func(key, value []byte) bool {
			all = append(append(all, key...), value...)
			return true
		})
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return all
}

// gatedStore lets as many reads as are expected end together.
type gatedStore struct {
	storage.Store
	expected atomic.Int32 // 0: none is held up
	ended    sync.WaitGroup
}

func (s *gatedStore) View(ctx context.Context, fn func(storage.Reader) error) error {
	err := s.Store.View(ctx, fn)
	if s.expected.Add(-1) >= 0 {
		s.ended.Done()
		s.ended.Wait()
	}
	return err
}

// Of many who use one code at one time, and all see that it counts, one is logged in.
func TestALinkLogsOnePersonIn(t *testing.T) {
	t.Parallel()
	gate := &gatedStore{}
	h := newTestOrigin(t, withConsole, func(c *origin.Config) {
		gate.Store = c.Store
		c.Store = gate
	})
	code := linkTo(t, h.operator(), owner)
	answers := make([]int, 8)
	gate.ended.Add(len(answers))
	gate.expected.Store(int32(len(answers)))
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() {
			answers[i] = (&browser{h: h}).ask("POST", "/console/session", fmt.Sprintf(`{"code":%q}`, code)).status
		})
	}
	all.Wait()
	in := 0
	for _, status := range answers {
		if status == 204 {
			in++
		} else if status != 401 {
			t.Errorf("an answer is %d", status)
		}
	}
	if in != 1 {
		t.Errorf("%d were logged in, want one: %v", in, answers)
	}
}

// A134: however many guess, whoever has a right link or token is let in, and only guesses are answered 429. A proxy that is
// trusted says who guesses; X-Forwarded-For of anybody else counts for nothing.
func TestGuessesRefuseNobodyElse(t *testing.T) {
	t.Parallel()
	for name, trusted := range map[string]bool{"no proxy is trusted": false, "the proxy is trusted": true} {
		h := newTestOrigin(t, withConsole, func(c *origin.Config) {
			at := time.Now() // stands still, so that no guess is forgotten
			c.Now = func() time.Time { return at }
			if trusted {
				c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
			}
		})
		call := h.operator()
		b := &browser{h: h}
		guess := func(client string) int {
			return b.ask("POST", "/console/session", fmt.Sprintf(`{"code":%q}`, strings.Repeat("0", 32)), "X-Forwarded-For", client).status
		}
		limited := 0
		for range 40 {
			if status := guess("192.0.2.1"); status == 429 {
				limited++
			} else if status != 401 {
				t.Fatalf("%s: a guess = %d", name, status)
			}
		}
		if limited != 30 {
			t.Errorf("%s: %d of 40 guesses are answered 429, want 30", name, limited)
		}
		for n := range 20 {
			for what, body := range map[string]string{"link": fmt.Sprintf(`{"code":%q}`, linkTo(t, call, designer)), "token": fmt.Sprintf(`{"token":%q}`, h.token(owner))} {
				if r := (&browser{h: h}).ask("POST", "/console/session", body, "X-Forwarded-For", "192.0.2.1"); r.status != 204 {
					t.Errorf("%s: the right %s %d = %d %s, want 204", name, what, n, r.status, r.body)
				}
			}
		}
		want := 429
		if trusted {
			want = 401
		}
		if got := guess("192.0.2.2"); got != want {
			t.Errorf("%s: a guess of another client = %d, want %d", name, got, want)
		}
	}
}

// One client does not take the places of all who log in at an issuer that is slow.
func TestSlowLoginsRefuseNobodyElse(t *testing.T) {
	t.Parallel()
	i, h := newCodeIssuer(t)
	h.end()
	c := h.config
	c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	h.start(c)
	asked, goOn := make(chan struct{}), make(chan struct{})
	i.set(func() { i.wait = func() { asked <- struct{}{}; <-goOn } })
	body, _ := i.send(&browser{h: h}, "")
	guess := strings.Replace(body, "the-code", "a guess", 1)
	ask := func(client string) int {
		return (&browser{h: h}).ask("POST", "/console/session", guess, "X-Forwarded-For", client).status
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if got := ask("192.0.2.1"); got != 401 {
				t.Errorf("a guess = %d, want 401", got)
			}
		})
	}
	for range 4 {
		<-asked
	}
	for range 3 {
		if got := ask("192.0.2.1"); got != 503 {
			t.Errorf("one more at one time = %d, want 503", got)
		}
	}
	all.Go(func() {
		if got := ask("192.0.2.2"); got != 401 {
			t.Errorf("a login of another client = %d, want 401", got)
		}
	})
	<-asked
	close(goOn)
	all.Wait()
}

// A138: a link asks before it takes the place of a session of someone else, and still counts then.
func TestALinkReplacesNobodyUnasked(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t, withConsole)
	call := h.operator()
	b := &browser{h: h}
	b.logIn(owner)
	kept := b.cookie
	code := linkTo(t, call, designer)
	r := b.ask("POST", "/console/session", fmt.Sprintf(`{"code":%q}`, code))
	if r.status != 409 || !strings.Contains(r.body, "someone else") || strings.Contains(r.body, designer) || b.cookie != kept {
		t.Errorf("a link of someone else = %d %s, want 409", r.status, r.body)
	}
	if r := b.ask("POST", "/console/session", fmt.Sprintf(`{"code":%q,"replace":true}`, code)); r.status != 204 || b.cookie == kept {
		t.Errorf("the link, once it is confirmed = %d %s, want 204", r.status, r.body)
	}
	if r := b.ask("POST", "/console/session", fmt.Sprintf(`{"code":%q}`, linkTo(t, call, designer))); r.status != 204 {
		t.Errorf("a link of the same person = %d %s, want 204", r.status, r.body)
	}
	b.cookie = "__Host-livery_session=stale"
	if r := b.ask("POST", "/console/session", fmt.Sprintf(`{"code":%q}`, linkTo(t, call, owner))); r.status != 204 {
		t.Errorf("a link beside a session that ended = %d %s, want 204", r.status, r.body)
	}
}

// Links that are not used do not fill the store: those that expired go, and the oldest give way.
func TestLinksAreBounded(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t, withConsole)
	call := h.operator()
	first := linkTo(t, call, owner)
	var last string
	for range 256 {
		h.clock.move(time.Millisecond)
		last = linkTo(t, call, owner)
	}
	if n := bytes.Count(h.everyRecord('O'), []byte(`"subject"`)); n != 256 {
		t.Errorf("%d codes are kept, want 256", n)
	}
	b := &browser{h: h}
	if got := []int{b.useCode(first), b.useCode(last)}; got[0] != 401 || got[1] != 204 {
		t.Errorf("the first and the last = %v, want 401 and 204", got)
	}
	h.clock.move(time.Hour)
	linkTo(t, call, owner)
	if n := bytes.Count(h.everyRecord('O'), []byte(`"subject"`)); n != 1 {
		t.Errorf("%d codes are kept an hour later, want 1", n)
	}
}

// An origin without a console makes no links, and says why.
func TestNoConsoleNoLinks(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	if said := h.operator()(400, "POST", "/console/link", `{"subject":"owner"}`); !strings.Contains(said, operator.NoConsole) {
		t.Errorf("it says %s", said)
	}
}

// codeIssuer is an OpenID Connect issuer with the authorization code grant and PKCE.
type codeIssuer struct {
	*httptest.Server
	signer ed25519.PrivateKey
	now    func() time.Time

	mu        sync.Mutex // guards all below
	challenge string     // of the person who was sent; empty: the code was used
	claims    string     // more of the token
	broken    string     // what is wrong with it now
	asked     int        // for its discovery document
	redirect  string     // that the person was sent with
	wait      func()     // called before a code is exchanged; nil does nothing
}

// newCodeIssuer starts an issuer and has the origin trust it.
func newCodeIssuer(t *testing.T) (*codeIssuer, *testOrigin) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	i := &codeIssuer{signer: private}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"k1","x":%q}]}`, base64.RawURLEncoding.EncodeToString(public))
	})
	mux.HandleFunc("GET /.well-known/openid-configuration", i.discovery)
	mux.HandleFunc("POST /token", i.token)
	i.Server = httptest.NewTLSServer(mux)
	t.Cleanup(i.Close)
	h := newTestOrigin(t, withConsole, func(c *origin.Config) {
		c.Roots = x509.NewCertPool()
		c.Roots.AddCert(i.Certificate())
	})
	i.now = h.clock.Now
	h.operator()(200, "POST", "/teams", fmt.Sprintf(`{"teams":[],"issuers":[{"name":"people","issuer":%q,"jwks":%q,"team":"acme","roleClaim":"role",
		"login":{"clientID":"console","scopes":["openid"],"parameters":{"audience":"x"}}}]}`, i.URL, i.URL+"/keys"))
	return i, h
}

func (i *codeIssuer) set(change func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	change()
}

func (i *codeIssuer) discovery(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.asked++
	document := map[string]string{"issuer": i.URL, "authorization_endpoint": i.URL + "/authorize", "token_endpoint": i.URL + "/token"}
	switch i.broken {
	case "away":
		http.Error(w, "", http.StatusBadGateway)
		return
	case "another issuer":
		document["issuer"] = "https://evil.example"
	case "plain http":
		document["token_endpoint"] = "http://" + r.Host + "/token"
	case "elsewhere":
		http.Redirect(w, r, "/keys", http.StatusFound)
		return
	}
	_ = json.NewEncoder(w).Encode(document)
}

// token is the token endpoint: the code counts once, for the client that was sent, who knows the verifier.
func (i *codeIssuer) token(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	wait := i.wait
	i.mu.Unlock()
	if wait != nil {
		wait()
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	if i.challenge != base64.RawURLEncoding.EncodeToString(sum[:]) || r.FormValue("code") != "the-code" || r.FormValue("client_id") != "console" ||
		r.FormValue("grant_type") != "authorization_code" || r.FormValue("redirect_uri") != i.redirect || r.FormValue("client_secret") != "" {
		http.Error(w, `{"error":"invalid_grant"}`, http.StatusBadRequest)
		return
	}
	i.challenge = ""
	b64 := base64.RawURLEncoding.EncodeToString
	claims := fmt.Sprintf(`{"iss":%q,"aud":%q,"sub":"ann","exp":%d%s}`, i.URL, testPublicURL+apiPath, i.now().Add(time.Hour).Unix(), i.claims)
	text := b64([]byte(`{"alg":"EdDSA","typ":"JWT","kid":"k1"}`)) + "." + b64([]byte(claims))
	_ = json.NewEncoder(w).Encode(map[string]any{"access_token": text + "." + b64(ed25519.Sign(i.signer, []byte(text))), "token_type": "Bearer"})
}

// send sends a person to the issuer, who comes back to the console, and returns what the page asks for then.
func (i *codeIssuer) send(b *browser, claims string) (body, verifier string) {
	verifier = rand.Text() + rand.Text()
	sum := sha256.Sum256([]byte(verifier))
	i.set(func() {
		i.challenge, i.redirect = base64.RawURLEncoding.EncodeToString(sum[:]), b.h.base+"/console/login"
		i.claims = claims
	})
	return fmt.Sprintf(`{"issuer":"people","code":"the-code","verifier":%q,"redirectURI":%q}`, verifier, b.h.base+"/console/login"), verifier
}

// A135: a person logs in at the issuer of the operator: the page is told where, the origin exchanges the code with the verifier,
// and the token counts as every token of that issuer.
func TestAPersonLogsInAtAnIssuer(t *testing.T) {
	t.Parallel()
	i, h := newCodeIssuer(t)
	b := &browser{h: h}
	settings := b.ask("GET", "/console/settings", "")
	want := fmt.Sprintf(`"issuers":[{"name":"people","issuer":%q,"clientID":"console","scopes":["openid"],"parameters":{"audience":"x"},"authorizationEndpoint":%q}],"edges":[%q]}`, i.URL, i.URL+"/authorize", testCDNURL)
	if settings.status != 200 || !strings.HasSuffix(settings.body, want) || !strings.HasPrefix(settings.body, `{"version":"`) || settings.header.Get("Cache-Control") != "no-store" {
		t.Fatalf("settings = %d %s %v, want %s", settings.status, settings.body, settings.header, want)
	}
	try := func(body string) reply {
		h.clock.move(time.Second)
		return b.ask("POST", "/console/session", body)
	}
	body, verifier := i.send(b, `,"role":"editor"`)
	if r := try(strings.Replace(body, verifier, strings.Repeat("v", 52), 1)); r.status != 401 {
		t.Errorf("with another verifier = %d %s, want 401", r.status, r.body)
	}
	if r := try(body); r.status != 204 || b.cookie == "" {
		t.Fatalf("a login = %d %s, want 204", r.status, r.body)
	}
	if r := b.ask("GET", "/console/session", ""); !strings.Contains(r.body, fmt.Sprintf(`"issuer":%q`, i.URL)) || !strings.Contains(r.body, `"subject":"people:ann"`) {
		t.Errorf("the session is %s", r.body)
	}
	if r := b.ask("POST", apiPath+"/environments/"+h.sandbox+"/themes", `{"slug":"one","displayName":"One"}`); r.status != 201 {
		t.Errorf("an editor creates: %d %s", r.status, r.body)
	}
	if r := try(body); r.status != 401 {
		t.Errorf("a code that was used = %d, want 401", r.status)
	}
	body, _ = i.send(b, `,"role":"editor"`)
	if r := try(strings.Replace(body, `"people"`, fmt.Sprintf("%q", i.URL), 1)); r.status != 204 {
		t.Errorf("a login at the address of the issuer = %d %s", r.status, r.body)
	}
	big, _ := i.send(b, `,"role":"editor","groups":"`+strings.Repeat("g", 3000)+`"`)
	if r := try(big); r.status != 400 || !strings.Contains(r.body, "too long") || r.header.Get("Set-Cookie") != "" {
		t.Errorf("a token that fits into no cookie = %d %s, want 400", r.status, r.body)
	}
	body, verifier = i.send(b, "")
	for name, wrong := range map[string]string{
		"an unknown issuer": strings.Replace(body, "people", "others", 1), "a short verifier": strings.Replace(body, verifier, "v", 1),
		"a verifier with a space": strings.Replace(body, verifier, strings.Repeat("v ", 30), 1), "an address elsewhere": strings.Replace(body, h.base, "https://evil.example", 1),
		"an address of the API": strings.Replace(body, "/console/login", "/public/v1/x", 1), "an address with a query": strings.Replace(body, "/console/login", "/console/?x", 1),
		"a token too": strings.Replace(body, "{", `{"token":"a",`, 1),
	} {
		if r := try(wrong); r.status != 400 {
			t.Errorf("%s = %d %s, want 400", name, r.status, r.body)
		}
	}
	if i.set(func() {}); i.asked != 1 {
		t.Errorf("the issuer was asked where it is %d times, want once", i.asked)
	}
	if log := h.logs.String(); strings.Contains(log, verifier) || strings.Contains(log, "the-code") {
		t.Error("the log shows a code or its verifier")
	}
}

// A136: an issuer that is away, or that names addresses which are not its own or not safe, logs no person in and is not asked all
// the time; people can still log in with a token.
func TestAnIssuerThatAnswersWrong(t *testing.T) {
	t.Parallel()
	i, h := newCodeIssuer(t)
	b := &browser{h: h}
	for n, broken := range []string{"away", "another issuer", "plain http", "elsewhere"} {
		i.set(func() { i.broken = broken })
		body, _ := i.send(b, `,"role":"editor"`)
		h.clock.move(31 * time.Second)
		for range 3 {
			if r := b.ask("GET", "/console/settings", ""); !strings.Contains(r.body, `"authorizationEndpoint":null`) {
				t.Errorf("%s: the settings are %s", broken, r.body)
			}
			r := b.ask("POST", "/console/session", body)
			r.refuses(t, 503, "internal")
			if r.header.Get("Retry-After") != "30" || strings.Contains(r.body, "evil") {
				t.Errorf("%s: %s %v", broken, r.body, r.header)
			}
		}
		if i.set(func() {}); i.asked != n+1 {
			t.Errorf("%s: it was asked %d times, want %d", broken, i.asked, n+1)
		}
	}
	i.set(func() { i.broken = "" })
	h.clock.move(31 * time.Second)
	body, _ := i.send(b, `,"role":"editor"`)
	if r := b.ask("POST", "/console/session", body); r.status != 204 {
		t.Errorf("once it answers = %d %s", r.status, r.body)
	}
	h.clock.move(time.Second)
	b.logIn(owner)
}
