package device

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// issuer is a small OpenID Connect issuer with the device authorization grant. Its token endpoint gives the
// answers of a list, one after the other.
type issuer struct {
	*httptest.Server
	t        *testing.T
	began    url.Values   // the form that a login began with
	requests []url.Values // the forms of the token endpoint
	answers  []string     // "STATUS BODY"
	grant    map[string]any
	changes  map[string]any // of the discovery document
}

func newIssuer(t *testing.T, answers ...string) *issuer {
	t.Helper()
	i := &issuer{t: t, answers: answers}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		document := map[string]any{"issuer": i.URL, "device_authorization_endpoint": i.URL + "/device", "token_endpoint": i.URL + "/token"}
		maps.Copy(document, i.changes)
		_ = json.NewEncoder(w).Encode(document)
	})
	mux.HandleFunc("POST /device", func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		i.began = r.PostForm
		_ = json.NewEncoder(w).Encode(i.grant)
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		i.requests = append(i.requests, r.PostForm)
		var status int
		var body string
		_, _ = fmt.Sscan(i.answers[0], &status)
		_, body, _ = strings.Cut(i.answers[0], " ")
		i.answers = i.answers[1:]
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	})
	i.Server = httptest.NewServer(mux)
	t.Cleanup(i.Close)
	i.grant = map[string]any{"device_code": "dc", "user_code": "WDJB-MJHT", "verification_uri": i.URL + "/go", "verification_uri_complete": i.URL + "/go?c=1", "expires_in": 60, "interval": 5}
	return i
}

func (i *issuer) client() Issuer {
	return Issuer{URL: i.URL, ClientID: "cli", Scopes: []string{"openid", "offline_access"}, Parameters: map[string]string{"audience": "api", "scope": "more"}}
}

// clock is the time of a test: to wait is to move it.
type clock struct {
	now    time.Time
	pauses []time.Duration
}

func (c *clock) pause(ctx context.Context, d time.Duration) error {
	c.now, c.pauses = c.now.Add(d), append(c.pauses, d)
	return ctx.Err()
}

// provider is that of the issuer, on a clock that stands at noon.
func (i *issuer) provider() (*Provider, *clock) {
	i.t.Helper()
	p, err := Discover(i.t.Context(), i.client())
	if err != nil {
		i.t.Fatal(err)
	}
	c := &clock{now: time.Date(2025, 1, 1, 12, 0, 0, 0, time.UTC)}
	p.now, p.pause = func() time.Time { return c.now }, c.pause
	return p, c
}

const granted = `200 {"access_token":"at","refresh_token":"rt","token_type":"bearer","expires_in":300}`

// RFC 8628 section 3.5: the client waits for the interval before each question, 5 s longer after each
// slow_down and twice as long after each silence, until there is a token, a refusal, or no time left.
func TestALoginIsAwaitedAtThePaceOfTheIssuer(t *testing.T) {
	for rule, c := range map[string]struct {
		interval any
		answers  []string
		pauses   []time.Duration
		want     error
	}{
		"at once":        {5, []string{granted}, []time.Duration{5}, nil},
		"no interval":    {nil, []string{granted}, []time.Duration{5}, nil},
		"pending":        {1, []string{`400 {"error":"authorization_pending"}`, `400 {"error":"authorization_pending"}`, granted}, []time.Duration{1, 1, 1}, nil},
		"slow down":      {2, []string{`400 {"error":"slow_down"}`, `400 {"error":"authorization_pending"}`, `429 {"error":"slow_down"}`, granted}, []time.Duration{2, 7, 7, 12}, nil},
		"silence":        {3, []string{"502 <html>", "400 not JSON", granted}, []time.Duration{3, 6, 12}, nil},
		"denied":         {5, []string{`403 {"error":"access_denied"}`}, []time.Duration{5}, ErrDenied},
		"expired":        {5, []string{`400 {"error":"expired_token"}`}, []time.Duration{5}, ErrExpired},
		"out of time":    {25, []string{`400 {"error":"authorization_pending"}`, `400 {"error":"authorization_pending"}`}, []time.Duration{25, 25}, ErrExpired},
		"longest pause":  {4000, nil, []time.Duration{60}, nil},
		"another fault":  {5, []string{`400 {"error":"invalid_client","error_description":"no such"}`}, []time.Duration{5}, &refusal{"invalid_client", "no such"}},
		"no bearer":      {5, []string{`200 {"access_token":"at","token_type":"mac"}`}, []time.Duration{5}, &refusal{"invalid_response", "the issuer gave no bearer token"}},
		"token of lines": {5, []string{`200 {"access_token":"a\nb","token_type":"Bearer"}`}, []time.Duration{5}, &refusal{"invalid_response", "the issuer gave no bearer token"}},
	} {
		i := newIssuer(t, append(c.answers, granted)...)
		delete(i.grant, "interval")
		if c.interval != nil {
			i.grant["interval"] = c.interval
		}
		p, at := i.provider()
		g, err := p.Start(t.Context())
		if err != nil {
			t.Fatal(rule, err)
		}
		got, err := p.Await(t.Context(), g)
		var pauses []time.Duration
		for _, d := range at.pauses {
			pauses = append(pauses, d/time.Second)
		}
		if !slices.Equal(pauses, c.pauses) {
			t.Errorf("%s: paused %v s, want %v s", rule, pauses, c.pauses)
		}
		if refused, ok := errors.AsType[*refusal](c.want); ok {
			if err == nil || err.Error() != refused.Error() {
				t.Errorf("%s: Await() = %v, want %v", rule, err, refused)
			}
			continue
		}
		want := Tokens{"at", "rt", at.now.Add(300 * time.Second)}
		if !errors.Is(err, c.want) || c.want == nil && got != want {
			t.Errorf("%s: Await() = %v, %v, want %v, %v", rule, got, err, want, c.want)
		}
	}
}

// What is sent is what the grant asks for: the client, the scopes, the parameters, and never a parameter in
// the place of one of its own.
func TestTheFormsOfALogin(t *testing.T) {
	i := newIssuer(t, granted, `200 {"access_token":"at2","token_type":"Bearer"}`, `400 {"error":"invalid_grant"}`)
	p, at := i.provider()
	g, err := p.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want := "audience=api&client_id=cli&scope=openid+offline_access"; i.began.Encode() != want {
		t.Errorf("Start() sent %s, want %s", i.began.Encode(), want)
	}
	if g.UserCode != "WDJB-MJHT" || g.URL != i.URL+"/go" || g.CompleteURL != i.URL+"/go?c=1" || !g.Expires.Equal(at.now.Add(time.Minute)) {
		t.Errorf("Start() = %+v", g)
	}
	if _, err := p.Await(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	if got, err := p.Refresh(t.Context(), "rt"); err != nil || got != (Tokens{Access: "at2", Refresh: "rt"}) {
		t.Errorf("Refresh() = %v, %v, want the old refresh token where no new one is given", got, err)
	}
	if _, err := p.Refresh(t.Context(), "rt"); !errors.Is(err, ErrEnded) {
		t.Errorf("Refresh() of a token that is taken back = %v, want ErrEnded", err)
	}
	var sent []string
	for _, form := range i.requests {
		sent = append(sent, form.Encode())
	}
	want := []string{
		"client_id=cli&device_code=dc&grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code",
		"client_id=cli&grant_type=refresh_token&refresh_token=rt", "client_id=cli&grant_type=refresh_token&refresh_token=rt",
	}
	if !slices.Equal(sent, want) {
		t.Errorf("the token endpoint was sent\n%q\nwant\n%q", sent, want)
	}
}

// A login ends with its context, and does not go on asking.
func TestALoginEndsWithItsContext(t *testing.T) {
	i := newIssuer(t)
	p, _ := i.provider()
	p.pause = sleep
	g, err := p.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Await(ctx, g); !errors.Is(err, context.Canceled) || len(i.requests) > 0 {
		t.Errorf("Await() = %v after %d questions, want context.Canceled after none", err, len(i.requests))
	}
}

// An issuer that names another, an address that is not safe, or no grant is not logged in at.
func TestAnIssuerIsAskedOnlyWhereItIsSafe(t *testing.T) {
	for rule, c := range map[string]struct {
		changes map[string]any
		want    string
	}{
		"another issuer":                 {map[string]any{"issuer": "https://other.example"}, "is that of"},
		"a slash more":                   {map[string]any{"issuer": "SELF/"}, "is that of"},
		"http elsewhere":                 {map[string]any{"token_endpoint": "http://login.example/token"}, "is not https"},
		"a file":                         {map[string]any{"token_endpoint": "file:///etc/passwd"}, "not a valid address"},
		"a user":                         {map[string]any{"device_authorization_endpoint": "https://a:b@login.example/"}, "not a valid address"},
		"no token endpoint":              {map[string]any{"token_endpoint": ""}, "names no token endpoint"},
		"no device authorization":        {map[string]any{"device_authorization_endpoint": ""}, ErrUnsupported.Error()},
		"a redirect of the document":     {map[string]any{"device_authorization_endpoint": "SELF/redirected"}, "redirects are not followed"},
		"an endless answer":              {map[string]any{"device_authorization_endpoint": "SELF/endless"}, "larger than"},
		"an answer that is no JSON":      {map[string]any{"device_authorization_endpoint": "SELF/html"}, "does not answer with JSON"},
		"an address that answers nobody": {map[string]any{"device_authorization_endpoint": "SELF/nothing"}, "404"},
	} {
		i := newIssuer(t)
		mux := i.Config.Handler.(*http.ServeMux)
		mux.HandleFunc("POST /redirected", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/device", http.StatusTemporaryRedirect)
		})
		mux.HandleFunc("POST /endless", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, maxAnswerBytes+1)) })
		mux.HandleFunc("POST /html", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) })
		for name, value := range c.changes {
			c.changes[name] = strings.ReplaceAll(value.(string), "SELF", i.URL)
		}
		i.changes = c.changes
		p, err := Discover(t.Context(), i.client())
		if err == nil {
			_, err = p.Start(t.Context())
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || i.began != nil {
			t.Errorf("%s: %v, want %q and no login begun", rule, err, c.want)
		}
	}
	for address, fine := range map[string]bool{
		"https://login.example": true, "https://login.example/a/b": true, "http://127.0.0.1:1": true, "http://localhost:1": true, "http://[::1]:1": true,
		"http://login.example": false, "http://127.0.0.1.example": false, "ftp://127.0.0.1": false, "login.example": false, "https://": false, "https://a@b": false, "https://a/#b": false,
	} {
		if err := checkAddress(address, address); (err == nil) != fine {
			t.Errorf("checkAddress(%q) = %v, want fine: %t", address, err, fine)
		}
	}
	if err := checkAddress("http://127.0.0.1:1/token", "https://login.example"); err == nil {
		t.Error("an issuer elsewhere may name this machine over http")
	}
}

// A code that leads to an unsafe address is not shown.
func TestAnUnsafePageIsNotShown(t *testing.T) {
	i := newIssuer(t)
	p, _ := i.provider()
	i.grant["verification_uri_complete"] = "javascript:alert(1)"
	if g, err := p.Start(t.Context()); err != nil || g.CompleteURL != "" {
		t.Errorf("Start() = %+v, %v, want it without the unsafe address", g, err)
	}
	i.grant["verification_uri"] = "http://login.example/go"
	if _, err := p.Start(t.Context()); err == nil {
		t.Error("Start() shows an address that is not https")
	}
	i.grant["verification_uri"] = i.URL
	for _, name := range []string{"device_code", "user_code", "expires_in"} {
		value := i.grant[name]
		delete(i.grant, name)
		if _, err := p.Start(t.Context()); err == nil {
			t.Errorf("Start() takes an answer without %s", name)
		}
		i.grant[name] = value
	}
}

func TestWhatATokenSaysOfItself(t *testing.T) {
	jwt := func(claims string) string { return "h." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + ".s" }
	for token, want := range map[string]Claims{
		jwt(`{"aud":"a","exp":60}`):      {[]string{"a"}, time.Unix(60, 0)},
		jwt(`{"aud":["a","b"]}`):         {[]string{"a", "b"}, time.Time{}},
		jwt(`{"exp":1e300}`):             {nil, time.Unix(lastSecond, 0)},
		jwt(`{"exp":1.5,"aud":[]}`):      {[]string{}, time.Unix(1, 0)},
		jwt(`{"sub":"x","exp":-5e+300}`): {},
	} {
		got, err := Read(token)
		if err != nil || !slices.Equal(got.Audience, want.Audience) || !got.Expires.Equal(want.Expires) {
			t.Errorf("Read(%q) = %v, %v, want %v", token, got, err, want)
		}
	}
	for _, token := range []string{"", "opaque", "a.b", "a.%.c", jwt("no JSON"), jwt(`{"aud":5}`), jwt(`{"exp":"x"}`), "a.b.c.d"} {
		if got, err := Read(token); err == nil {
			t.Errorf("Read(%q) = %v, want an error", token, got)
		}
	}
}
