package origin_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"example.com/livery/origin"
)

// ask sends a request as it is, with a token, and returns the answer.
func ask(t *testing.T, method, url, token string, body any) (status int, answer string) {
	t.Helper()
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		sent = bytes.NewReader(text)
	}
	req, err := http.NewRequest(method, url, sent)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	transport := &http.Transport{DisableKeepAlives: true}
	res, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// A job of a CI system works on its Team with the token of its issuer, and with no stored secret: from
// the moment the operator names the issuer until the moment the operator takes it away.
func TestATokenOfACISystemWorksWithoutASecret(t *testing.T) {
	t.Parallel()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	b64 := base64.RawURLEncoding.EncodeToString
	issuer := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"k1","x":%q}]}`, b64(public))
	}))
	t.Cleanup(issuer.Close)
	h := newTestOrigin(t, func(c *origin.Config) {
		c.Roots = x509.NewCertPool()
		c.Roots.AddCert(issuer.Certificate())
	})
	operatorURL := "http://" + h.serve(h.origin.ServeOperator) + "/operator/v1/"
	job := func(environment string) string {
		claims := fmt.Sprintf(`{"iss":%q,"aud":%q,"sub":"repo:acme/tokens","exp":%d,"environment":%q}`,
			issuer.URL, testPublicURL+"/public/v1", h.clock.Now().Add(time.Minute).Unix(), environment)
		text := b64([]byte(`{"alg":"EdDSA","typ":"JWT","kid":"k1"}`)) + "." + b64([]byte(claims))
		return text + "." + b64(ed25519.Sign(private, []byte(text)))
	}
	try := func(environment, id string) int {
		status, _ := ask(t, http.MethodGet, h.base+"/public/v1/environments/"+id, job(environment), nil)
		return status
	}
	create := func(environment, slug string) int {
		status, _ := ask(t, http.MethodPost, h.base+"/public/v1/environments/"+h.sandbox+"/themes", job(environment), map[string]string{"slug": slug, "displayName": slug})
		return status
	}
	applyIssuers := func(issuers ...map[string]any) {
		t.Helper()
		if status, answer := ask(t, http.MethodPost, operatorURL+"teams", "", map[string]any{"teams": []any{}, "issuers": append([]map[string]any{}, issuers...)}); status != 200 {
			t.Fatalf("teams apply = %d %s", status, answer)
		}
	}
	if status := try("release", h.sandbox); status != 401 {
		t.Errorf("before the issuer is named: %d, want 401", status)
	}
	applyIssuers(map[string]any{
		"name": "ci", "issuer": issuer.URL, "jwks": issuer.URL + "/keys", "team": "acme",
		"roleClaim": "environment", "roles": map[string]string{"release": "editor", "review": "viewer"},
	})
	got := []int{
		try("release", h.sandbox), try("review", h.staging), try("other", h.sandbox), try("release", h.foreign),
		create("release", "one"), create("review", "two"), create("other", "three"),
	}
	if want := []int{200, 200, 403, 404, 201, 403, 403}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("answers = %v, want %v", got, want)
	}
	applyIssuers()
	if status := try("release", h.sandbox); status != 401 {
		t.Errorf("after the issuer is taken away: %d, want 401", status)
	}
}

// The token keys are rotated through the operator's socket, and tokens that are out go on.
func TestTokenKeysAreRotatedByTheOperator(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	operatorURL := "http://" + h.serve(h.origin.ServeOperator) + "/operator/v1/"
	order := func() string {
		var token struct{ Token string }
		_, answer := ask(t, http.MethodPost, operatorURL+"token", "", map[string]any{"subject": owner})
		if err := json.Unmarshal([]byte(answer), &token); err != nil {
			t.Fatalf("%s: %v", answer, err)
		}
		return token.Token
	}
	old := order()
	for _, c := range []struct {
		drop bool
		want int
	}{{false, 200}, {true, 401}} {
		if status, answer := ask(t, http.MethodPost, operatorURL+"token-keys/rotate", "", map[string]any{"dropOld": c.drop}); status != 200 {
			t.Fatalf("rotate = %d %s", status, answer)
		}
		if status, _ := ask(t, http.MethodGet, h.base+"/public/v1/environments", old, nil); status != c.want {
			t.Errorf("an old token after a rotation with dropOld %t: %d, want %d", c.drop, status, c.want)
		}
		if status, _ := ask(t, http.MethodGet, h.base+"/public/v1/environments", order(), nil); status != 200 {
			t.Errorf("a new token: %d, want 200", status)
		}
	}
}
