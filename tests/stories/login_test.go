package stories

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/livery/internal/test/race"
)

// issuer is an OpenID Connect issuer with a key set, the device authorization grant (RFC 8628) and refresh
// tokens that are good for once.
type issuer struct {
	*httptest.Server
	t      *testing.T
	signer ed25519.PrivateKey
	folder string // holds ca.pem and jwks.json

	mu        sync.Mutex // guards what is below
	audience  string     // of the tokens
	life      time.Duration
	answer    string // to a question for tokens: "" waits, "yes" gives them, anything else is the error
	refresh   string // the one that is good; empty: none
	refreshed int
	reused    bool
}

// startIssuer starts an issuer over TLS, and writes what its clients and the origin need to know of it.
func startIssuer(t *testing.T) *issuer {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	i := &issuer{t: t, signer: private, folder: t.TempDir(), life: time.Hour}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]string{"issuer": i.URL, "device_authorization_endpoint": i.URL + "/device", "token_endpoint": i.URL + "/token"})
	})
	mux.HandleFunc("POST /device", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("client_id") != "livery-cli" || r.FormValue("scope") != "openid offline_access" || r.FormValue("audience") == "" {
			http.Error(w, `{"error":"invalid_request"}`, http.StatusBadRequest)
			return
		}
		_, _ = fmt.Fprintf(w, `{"device_code":"dc","user_code":"WDJB-MJHT","verification_uri":%q,"expires_in":60,"interval":1}`, i.URL+"/go")
	})
	mux.HandleFunc("POST /token", i.token)
	i.Server = httptest.NewTLSServer(mux)
	t.Cleanup(i.Close)
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: i.Certificate().Raw})
	keys := fmt.Sprintf(`{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"k1","x":%q}]}`, base64.RawURLEncoding.EncodeToString(public))
	for name, text := range map[string][]byte{"ca.pem": ca, "jwks.json": []byte(keys)} {
		if err := os.WriteFile(filepath.Join(i.folder, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return i
}

// token is the token endpoint.
func (i *issuer) token(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	refuse := func(code string) { http.Error(w, `{"error":"`+code+`"}`, http.StatusBadRequest) }
	switch {
	case r.FormValue("grant_type") == "refresh_token" && r.FormValue("refresh_token") != i.refresh:
		i.reused = i.reused || i.refresh != ""
		refuse("invalid_grant")
		return
	case r.FormValue("grant_type") == "refresh_token":
		i.refreshed++
	case i.answer == "":
		refuse("authorization_pending")
		return
	case i.answer != "yes":
		refuse(i.answer)
		return
	}
	i.refresh = rand.Text()
	_ = json.NewEncoder(w).Encode(map[string]any{
		"access_token": i.sign(), "refresh_token": i.refresh, "token_type": "Bearer", "expires_in": int(i.life.Seconds()),
	})
}

// sign returns an access token of a person whose role is editor.
func (i *issuer) sign() string {
	b64 := base64.RawURLEncoding.EncodeToString
	claims := fmt.Sprintf(`{"iss":%q,"aud":%q,"sub":"ann","role":"editor","exp":%d}`, i.URL, i.audience, time.Now().Add(i.life).Unix())
	text := b64([]byte(`{"alg":"EdDSA","typ":"at+jwt","kid":"k1"}`)) + "." + b64([]byte(claims))
	return text + "." + b64(ed25519.Sign(i.signer, []byte(text)))
}

// set changes how the issuer answers.
func (i *issuer) set(change func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	change()
}

// person is a user on another machine than the origin's: nothing there is known but what they log in to.
type person struct {
	t      *testing.T
	dir    string
	issuer *issuer
}

// command is a command line of the person.
func (p *person) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "livery", args...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "LIVERY_CREDENTIALS="+p.credentials(), "SSL_CERT_FILE="+filepath.Join(p.issuer.folder, "ca.pem"), "CI=")
	return cmd
}

func (p *person) credentials() string { return filepath.Join(p.dir, "kept", "credentials.json") }

// run runs a command line to its end.
func (p *person) run(args ...string) (code int, said string) {
	p.t.Helper()
	out, err := p.command(p.t.Context(), args...).CombinedOutput()
	if _, ended := err.(*exec.ExitError); err != nil && !ended {
		p.t.Fatal(err)
	}
	if err != nil {
		code = err.(*exec.ExitError).ExitCode()
	}
	return code, string(out)
}

// wants runs a command line and wants an exit code, and a text in what it says.
func (p *person) wants(code int, text string, args ...string) {
	p.t.Helper()
	if got, said := p.run(args...); got != code || !strings.Contains(said, text) {
		p.t.Errorf("livery %s = %d, %s\nwant %d, and %q in it", strings.Join(args, " "), got, said, code, text)
	}
}

// login logs in, does something once the code is shown, and returns what came of it.
func (p *person) login(origin string, onCode func(*exec.Cmd)) (code int, said string) {
	p.t.Helper()
	cmd := p.command(p.t.Context(), "login", "--issuer", "people", "--url", origin)
	shown, err := os.CreateTemp(p.dir, "said")
	if err != nil {
		p.t.Fatal(err)
	}
	defer shown.Close()
	cmd.Stdout, cmd.Stderr = shown, shown
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	pattern := regexp.MustCompile(`(?m)^Open +` + regexp.QuoteMeta(p.issuer.URL) + `/go\nCode +WDJB-MJHT\nWaiting until it is confirmed there, for \S+ at most\.`)
	var text []byte
	for deadline := time.Now().Add(patience); !pattern.Match(text) && time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		text, _ = os.ReadFile(shown.Name())
	}
	if !pattern.Match(text) {
		p.t.Errorf("login shows %s", text)
	}
	onCode(cmd)
	err = cmd.Wait()
	text, _ = os.ReadFile(shown.Name())
	if err != nil {
		code = cmd.ProcessState.ExitCode()
	}
	return code, string(bytes.TrimSpace(text))
}

// A person logs in at the issuer that the operator named, with a code on any device, and goes on with a token
// that is renewed by itself until the issuer ends it. No token is sent to an origin that it is not for.
func TestAPersonLogsInWithACode(t *testing.T) {
	race.Skip(t)
	i, d := startIssuer(t), startDev(t)
	origin := d.client.BaseURL()
	i.audience = origin + "/public/v1"
	p := &person{t: t, dir: t.TempDir(), issuer: i}
	p.wants(1, "names no issuer to log in at", "login", "--issuer", "people", "--url", origin)
	teams := fmt.Sprintf("teams: []\nissuers:\n  - name: people\n    issuer: %s\n    jwks: %s\n    team: demo\n    roleClaim: role\n"+
		"    login: {clientID: livery-cli, scopes: [openid, offline_access], parameters: {audience: %q}}\n", i.URL, filepath.Join(i.folder, "jwks.json"), i.audience)
	file := filepath.Join(p.dir, "teams.yaml")
	if err := os.WriteFile(file, []byte(teams), 0o644); err != nil {
		t.Fatal(err)
	}
	d.livery(t, "teams", "apply", file)

	denied := func(*exec.Cmd) { i.set(func() { i.answer = "access_denied" }) }
	if code, said := p.login(origin, denied); code != 5 || !strings.Contains(said, "the login was denied at "+i.URL) {
		t.Errorf("a login that is denied = %d, %s", code, said)
	}
	i.set(func() { i.answer = "" })
	if code, said := p.login(origin, func(cmd *exec.Cmd) { _ = cmd.Process.Signal(os.Interrupt) }); code != 1 || !strings.Contains(said, "livery: interrupted.") {
		t.Errorf("a login that is given up = %d, %s", code, said)
	}
	i.set(func() { i.audience = "https://other.example/public/v1" })
	confirm := func(*exec.Cmd) { i.set(func() { i.answer = "yes" }) }
	if code, said := p.login(origin, confirm); code != 1 || !strings.Contains(said, "the issuer gave a token for https://other.example/public/v1, and not for "+origin) {
		t.Errorf("a login with a token for another origin = %d, %s", code, said)
	}
	if _, err := os.Stat(p.credentials()); err == nil {
		t.Error("a login that came to nothing left credentials")
	}
	i.set(func() { i.answer, i.audience, i.life = "", origin+"/public/v1", 30*time.Second }) // so short that each command renews it
	code, said := p.login(origin, confirm)
	if code != 0 || !strings.Contains(said, "Logged in to "+origin+": 3 Environments to work on.") || !strings.Contains(said, "renewed automatically") {
		t.Fatalf("login = %d, %s", code, said)
	}
	if info, err := os.Stat(p.credentials()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the credentials are %v, %v, want mode 0600", info, err)
	}
	renews(t, p)
	ends(t, p, origin)
}

// renews shows that a token is renewed by itself, once for each process that needs it, and never with a
// refresh token that is spent.
func renews(t *testing.T, p *person) {
	p.wants(0, "sandbox", "env", "list")
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { p.wants(0, "editor", "env", "list") })
	}
	all.Wait()
	p.issuer.set(func() {
		if p.issuer.refreshed != 5 || p.issuer.reused {
			t.Errorf("the token was renewed %d times, with a spent refresh token: %t; want 5 times without", p.issuer.refreshed, p.issuer.reused)
		}
		p.issuer.life = time.Hour
	})
	p.wants(0, "sandbox", "env", "list")
	p.wants(0, "sandbox", "env", "list")
	p.issuer.set(func() {
		if p.issuer.refreshed != 6 {
			t.Errorf("the token was renewed %d times, want 6: it is good for an hour", p.issuer.refreshed)
		}
	})
}

// ends shows that a login goes on without its issuer while the token is good, and then says what to do.
func ends(t *testing.T, p *person, origin string) {
	p.issuer.set(func() { p.issuer.life = 10 * time.Second })
	p.wants(0, "Logged in", "login", "--issuer", "people")
	p.issuer.set(func() { p.issuer.refresh = "" })
	p.wants(0, "sandbox", "env", "list")
	said, code := "", 0
	for deadline := time.Now().Add(patience); !strings.Contains(said, "has ended") && time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		code, said = p.run("env", "list")
	}
	if want := "livery: the login at " + origin + " has ended.\n        Log in again with livery login --url " + origin + ".\n"; code != 5 || said != want {
		t.Errorf("env list = %d, %q, want 5, %q", code, said, want)
	}
	p.issuer.Close()
	p.wants(5, "ended, and cannot be renewed: no server answers at "+strings.TrimPrefix(p.issuer.URL, "https://"), "env", "list")
	p.wants(0, "is removed", "logout")
	p.wants(0, `"forgotten": false`, "logout", "--json")
	p.wants(1, "no livery dev is running", "env", "list")
	kept, err := os.ReadFile(p.credentials())
	if err != nil || strings.Contains(string(kept), "eyJ") || strings.Contains(string(kept), "refreshToken\"") {
		t.Errorf("after logout %s holds %s, %v", p.credentials(), kept, err)
	}
}
