package auth_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/livery/origin/auth"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// signer is a private key of an issuer.
type signer struct {
	id, algorithm string
	private       crypto.Signer
}

var rsaOfTests = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

func newSigner(t *testing.T, id, algorithm string) signer {
	t.Helper()
	var private crypto.Signer
	var err error
	switch algorithm {
	case "RS256":
		private, err = rsaOfTests()
	case "ES256":
		private, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	default:
		_, private, err = ed25519.GenerateKey(rand.Reader)
	}
	if err != nil {
		t.Fatal(err)
	}
	return signer{id, algorithm, private}
}

// sign returns the token of that header and those claims.
func (s signer) sign(t *testing.T, header, claims any) string {
	t.Helper()
	text := encode(header) + "." + encode(claims)
	sum := sha256.Sum256([]byte(text))
	var sig []byte
	var err error
	switch key := s.private.(type) {
	case *ecdsa.PrivateKey:
		r, v, signErr := ecdsa.Sign(rand.Reader, key, sum[:])
		err = signErr
		if err == nil {
			sig = append(r.FillBytes(make([]byte, 32)), v.FillBytes(make([]byte, 32))...)
		}
	case *rsa.PrivateKey:
		sig, err = rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	case ed25519.PrivateKey:
		sig = ed25519.Sign(key, []byte(text))
	}
	if err != nil {
		t.Fatal(err)
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(sig)
}

func (s signer) header() object { return object{"alg": s.algorithm, "typ": "JWT", "kid": s.id} }

// jwk is the public half as a key set holds it.
func (s signer) jwk(t *testing.T) object {
	t.Helper()
	b64 := base64.RawURLEncoding.EncodeToString
	switch key := s.private.Public().(type) {
	case *rsa.PublicKey:
		return object{"kty": "RSA", "kid": s.id, "use": "sig", "alg": "RS256", "n": b64(key.N.Bytes()), "e": b64(big.NewInt(int64(key.E)).Bytes())}
	case *ecdsa.PublicKey:
		point, err := key.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		return object{"kty": "EC", "crv": "P-256", "kid": s.id, "key_ops": []string{"verify"}, "x": b64(point[1:33]), "y": b64(point[33:])}
	case ed25519.PublicKey:
		return object{"kty": "OKP", "crv": "Ed25519", "kid": s.id, "x": b64(key)}
	}
	t.Fatal("no such key")
	return nil
}

// oidc is a small OpenID Connect issuer: it has a key set at an address, and may rotate or go away.
type oidc struct {
	*httptest.Server
	t       *testing.T
	fetches atomic.Int64
	answer  atomic.Pointer[http.HandlerFunc]
}

func newOIDC(t *testing.T, signers ...signer) *oidc {
	t.Helper()
	o := &oidc{t: t}
	o.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.fetches.Add(1)
		(*o.answer.Load())(w, r)
	}))
	o.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	t.Cleanup(o.Close)
	o.publish(signers...)
	return o
}

// publish makes the keys of the signers the key set.
func (o *oidc) publish(signers ...signer) {
	o.t.Helper()
	keys := []object{}
	for _, s := range signers {
		keys = append(keys, s.jwk(o.t))
	}
	o.say(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(mustJSON(object{"keys": keys})) })
}

func (o *oidc) say(answer http.HandlerFunc) { o.answer.Store(&answer) }

// keySetURL is the address of the key set.
func (o *oidc) keySetURL() string { return o.URL + "/keys" }

// claims are those of a good token of the issuer.
func (o *oidc) claims(s *fixture) object { return s.claims().with("iss", o.URL) }

// entry is the issuer as the operator names it.
func (o *oidc) entry() record.Issuer {
	return record.Issuer{Name: "idp", URL: o.URL, KeySet: o.keySetURL()}
}

// trusting opens the keys of a fixture anew with the issuers in its store.
func (s *fixture) trusting(o *oidc, issuers ...record.Issuer) {
	s.t.Helper()
	_, err := s.store.Update(context.Background(), storage.Global, func(tx storage.Tx) (record.Change, error) {
		for _, issuer := range issuers {
			if err := storage.Issuers.Write(tx, issuer, issuer.Name); err != nil {
				return record.Change{}, err
			}
		}
		return record.Change{At: s.now}, nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	config := s.config
	if o != nil {
		config.Roots = x509.NewCertPool()
		config.Roots.AddCert(o.Certificate())
	}
	config.Logger = slog.New(slog.DiscardHandler)
	if s.keys, err = auth.Open(context.Background(), s.store, config); err != nil {
		s.t.Fatal(err)
	}
}

func (s *fixture) verify(token string) (auth.Caller, error) {
	return s.keys.Verify([]string{"Bearer " + token})
}

// A4-A15 with a real issuer: each algorithm takes its own kind of key and nothing else gets in.
func TestIssuersTokensAreJudgedAsStrictly(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	signers := map[string]signer{}
	for _, algorithm := range []string{"RS256", "ES256", "EdDSA"} {
		signers[algorithm] = newSigner(t, "key-"+algorithm, algorithm)
	}
	o := newOIDC(t, signers["RS256"], signers["ES256"], signers["EdDSA"])
	s.trusting(o, o.entry())
	for algorithm, key := range signers {
		for name, token := range map[string]string{
			"good": key.sign(t, key.header(), o.claims(s)), "A7 a list": key.sign(t, key.header(), o.claims(s).with("aud", []string{"x", ourAudience})),
			"at+jwt": key.sign(t, key.header().with("typ", "at+jwt"), o.claims(s)), "no typ": key.sign(t, key.header().with("typ", nil), o.claims(s)),
			"application/at+jwt": key.sign(t, key.header().with("typ", "application/AT+JWT"), o.claims(s)), "application/jwt": key.sign(t, key.header().with("typ", "application/jwt"), o.claims(s)),
			"a clock that is ahead": key.sign(t, key.header(), o.claims(s).with("nbf", s.now.Unix()+20).with("iat", s.now.Unix()+20)),
			"fractions":             key.sign(t, key.header(), o.claims(s).with("exp", float64(s.now.Unix())+600.25).with("nbf", float64(s.now.Unix())-0.5)),
			"x5t is ignored":        key.sign(t, key.header().with("x5t", "abc"), o.claims(s)),
		} {
			if caller, err := s.verify(token); err != nil || !reflect.DeepEqual(caller, auth.Caller{Subject: "someone", Issuer: o.URL}) {
				t.Errorf("%s %s: Verify() = %v, %v, want someone", algorithm, name, caller, err)
			}
		}
		for name, token := range hostile(t, s, o, key) {
			if caller, err := s.verify(token); !errors.Is(err, auth.ErrUnauthorized) {
				t.Errorf("%s %s: Verify() = %v, %v, want ErrUnauthorized", algorithm, name, caller, err)
			}
		}
	}
	ed := signers["EdDSA"]
	if caller, err := s.verify(ed.sign(t, ed.header().with("alg", "Ed25519"), o.claims(s))); err != nil || caller.Subject != "someone" {
		t.Errorf("Ed25519: Verify() = %v, %v, want someone", caller, err)
	}
	if n := o.fetches.Load(); n != 1 {
		t.Errorf("the key set was fetched %d times, want 1", n)
	}
}

// hostile are tokens that nothing must take.
func hostile(t *testing.T, s *fixture, o *oidc, key signer) map[string]string {
	der, err := x509.MarshalPKIXPublicKey(key.private.Public())
	if err != nil {
		t.Fatal(err)
	}
	claims, now := o.claims(s), s.now.Unix()
	hs256 := func(secret []byte) string {
		text := encode(key.header().with("alg", "HS256")) + "." + encode(claims)
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(text))
		return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
	}
	good := key.sign(t, key.header(), claims)
	parts := strings.Split(good, ".")
	unsigned := encode(key.header().with("alg", "none")) + "." + encode(claims) + "."
	tokens := map[string]string{
		"A4 none": unsigned, "A4 nOnE": encode(key.header().with("alg", "nOnE")) + "." + encode(claims) + ".",
		"A5 HS256 with the DER": hs256(der), "A5 HS256 with the PEM": hs256(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})),
		"A11 swapped payload": parts[0] + "." + encode(claims.with("sub", "admin")) + "." + parts[2], "A11 cut signature": good[:len(good)-8],
		"A11 two parts": parts[0] + "." + parts[1], "A11 empty signature": parts[0] + "." + parts[1] + ".", "A16 a megabyte": strings.Repeat("a", 1<<20),
		"another signature": parts[0] + "." + parts[1] + "." + strings.Repeat("A", len(parts[2])),
	}
	stranger := newSigner(t, key.id, "EdDSA")
	tokens["A15 embedded key"] = stranger.sign(t, stranger.header().with("jwk", stranger.jwk(t)), claims)
	tokens["a stranger's key under our id"] = stranger.sign(t, stranger.header().with("alg", key.algorithm), claims)
	for _, other := range []string{"RS256", "ES256", "EdDSA", "PS256", "ES384", "RS512"} {
		if other != key.algorithm {
			tokens["the key under "+other] = key.sign(t, key.header().with("alg", other), claims)
		}
	}
	for name, header := range map[string]object{
		"A12 kid missing": key.header().with("kid", nil), "A12 kid unknown": key.header().with("kid", "x"), "A12 kid is a path": key.header().with("kid", "../../dev/null"),
		"A12 kid is a number": key.header().with("kid", 7), "A13 crit": key.header().with("crit", []string{"x"}), "A13 empty crit": key.header().with("crit", []string{}),
		"A14 b64": key.header().with("b64", false), "A15 jwk": key.header().with("jwk", key.jwk(t)), "A15 jku": key.header().with("jku", o.URL), "A15 x5u": key.header().with("x5u", o.URL),
		"an id token of another kind": key.header().with("typ", "logout+jwt"), "typ is a number": key.header().with("typ", 1),
	} {
		tokens[name] = key.sign(t, header, claims)
	}
	for name, c := range map[string]object{
		"A6 other audience": claims.with("aud", "https://x"), "A6 longer audience": claims.with("aud", ourAudience+"/x"), "A6 shorter audience": claims.with("aud", issuer),
		"A6 no audience": claims.with("aud", nil), "A6 empty list": claims.with("aud", []string{}), "A8 expired": claims.with("exp", now-60), "A8 no expiry": claims.with("exp", nil),
		"A8 negative": claims.with("exp", -1), "A8 1e300": claims.with("exp", 1e300), "A8 a string": claims.with("exp", fmt.Sprint(now+60)), "A9 nbf": claims.with("nbf", now+61), "iat": claims.with("iat", now+61),
		"A10 wrong issuer": claims.with("iss", "https://evil.example"), "A10 our own issuer": claims.with("iss", issuer), "A10 issuer and a slash": claims.with("iss", o.URL+"/"),
		"A10 no issuer": claims.with("iss", nil), "no subject": claims.with("sub", nil), "subject with a control": claims.with("sub", "a\nb"),
	} {
		tokens[name] = key.sign(t, key.header(), c)
	}
	return tokens
}

// A18: keys of strangers' choice cost one fetch in 30 s; a rotated key is found, a withdrawn one is
// refused, and while the issuer is down the last good keys hold.
func TestKeySetsFollowRotationAndSurviveAnOutage(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	first, second := newSigner(t, "first", "ES256"), newSigner(t, "second", "EdDSA")
	o := newOIDC(t, first)
	s.trusting(o, o.entry())
	good := func(key signer) bool {
		_, err := s.verify(key.sign(t, key.header(), o.claims(s)))
		return err == nil
	}
	if !good(first) {
		t.Fatal("the first token is refused")
	}
	var wait sync.WaitGroup
	for i := range 200 {
		wait.Go(func() {
			if _, err := s.verify(first.sign(t, first.header().with("kid", fmt.Sprint("unknown-", i)), o.claims(s))); !errors.Is(err, auth.ErrUnauthorized) {
				t.Errorf("an unknown key: Verify() = %v", err)
			}
		})
	}
	wait.Wait()
	if n := o.fetches.Load(); n != 1 {
		t.Errorf("A18: 200 unknown keys within 30 s made %d fetches in all, want 1", n)
	}
	o.publish(first, second)
	s.now = s.now.Add(30 * time.Second)
	if !good(second) || !good(first) {
		t.Error("a key that the issuer added is refused after 30 s")
	}
	o.say(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	for range 3 {
		s.now = s.now.Add(10 * time.Minute)
		if !good(first) || !good(second) {
			t.Error("the last good keys do not hold while the issuer is down")
		}
	}
	if n := o.fetches.Load(); n != 5 {
		t.Errorf("%d fetches, want 2 and one for each attempt of the outage", n)
	}
	o.publish(second)
	s.now = s.now.Add(30 * time.Second)
	if good(first) || !good(second) {
		t.Error("after the outage a withdrawn key is taken, or a good one refused")
	}
}

// A121 A122 and what else a key set may be: redirects, large bodies and nonsense leave the last set.
func TestAKeySetThatIsNoneIsNotTaken(t *testing.T) {
	t.Parallel()
	key := newSigner(t, "k", "EdDSA")
	canary, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = canary.Close() }()
	set := string(mustJSON(object{"keys": []object{key.jwk(t)}}))
	for name, answer := range map[string]http.HandlerFunc{
		"A121 a redirect elsewhere": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://"+canary.Addr().String()+"/keys", http.StatusFound)
		},
		"A121 a redirect to itself": func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/other" {
				_, _ = w.Write([]byte(set))
				return
			}
			http.Redirect(w, r, "/other", http.StatusTemporaryRedirect)
		},
		"A122 a large body": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(set + strings.Repeat(" ", 256<<10)))
		},
		"an error with a set": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = w.Write([]byte(set))
		},
		"no JSON":    func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) },
		"no list":    func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"keys":{}}`)) },
		"no object":  func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`[]`)) },
		"keys twice": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"keys":[],` + set[1:])) },
	} {
		s := newFixture(t)
		o := newOIDC(t)
		o.say(answer)
		s.trusting(o, o.entry())
		if caller, err := s.verify(key.sign(t, key.header(), o.claims(s))); !errors.Is(err, auth.ErrUnauthorized) {
			t.Errorf("%s: Verify() = %v, %v, want ErrUnauthorized", name, caller, err)
		}
	}
	own, err := net.Dial("tcp", canary.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = own.Close() }()
	if c, err := canary.Accept(); err != nil {
		t.Error(err)
	} else if _ = c.Close(); c.RemoteAddr().String() != own.LocalAddr().String() {
		t.Error("A121: somebody followed the redirect")
	}
}

// A server whose certificate is not trusted is not an issuer.
func TestKeySetsNeedATrustedCertificate(t *testing.T) {
	t.Parallel()
	s, key := newFixture(t), newSigner(t, "k", "EdDSA")
	o := newOIDC(t, key)
	s.trusting(nil, o.entry())
	if _, err := s.verify(key.sign(t, key.header(), o.claims(s))); !errors.Is(err, auth.ErrUnauthorized) {
		t.Errorf("Verify() = %v, want ErrUnauthorized", err)
	}
}

// Keys that are too weak, malformed, for another use or contradict themselves are left out; the rest
// of their set is taken.
func TestKeySetsLeaveOutWhatIsNoKey(t *testing.T) {
	t.Parallel()
	s, good, path := newFixture(t), newSigner(t, "good", "EdDSA"), filepath.Join(t.TempDir(), "keys.json")
	s.trusting(nil, record.Issuer{Name: "file", URL: "https://file.example", KeySet: path})
	ec, ed := newSigner(t, "ec", "ES256").jwk(t), newSigner(t, "ed", "EdDSA").jwk(t)
	rsaKey := newSigner(t, "rsa", "RS256").jwk(t)
	weak := base64.RawURLEncoding.EncodeToString(append([]byte{0x80}, append(make([]byte, 126), 1)...))
	for name, key := range map[string]any{
		"no id": ec.with("kid", nil), "id is a number": ec.with("kid", 1), "off the curve": ec.with("x", ed["x"]), "another curve": ec.with("crv", "P-384"),
		"short coordinate": ec.with("x", "AAAA"), "for encryption": rsaKey.with("use", "enc"), "PS256": rsaKey.with("alg", "PS256"), "HS256": rsaKey.with("alg", "HS256"),
		"1024 bits": rsaKey.with("n", weak), "even exponent": rsaKey.with("e", "AAQ"), "exponent 1": rsaKey.with("e", "AQ"), "no exponent": rsaKey.with("e", nil),
		"to sign only": ed.with("key_ops", []string{"sign"}), "symmetric": object{"kty": "oct", "kid": "o", "k": "AAAA"}, "short Ed25519": ed.with("x", "AAAA"),
		"no object": "x", "padding": ed.with("x", fmt.Sprint(ed["x"], "=")),
	} {
		if err := os.WriteFile(path, mustJSON(object{"keys": []any{key, good.jwk(t)}}), 0o600); err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		s.config.Logger = slog.New(slog.NewTextHandler(&log, nil))
		_, err := s.open().Verify([]string{"Bearer " + good.sign(t, good.header(), s.claims().with("iss", "https://file.example"))})
		if err != nil || !strings.Contains(log.String(), "keys=1\n") {
			t.Errorf("%s: Verify() = %v, the log says %q, want the good key alone", name, err, log.String())
		}
	}
}

// The key set of an issuer may be a file, with a byte order mark too, which is read again as an address is.
func TestKeySetsMayBeFiles(t *testing.T) {
	t.Parallel()
	s, first, second := newFixture(t), newSigner(t, "a", "RS256"), newSigner(t, "b", "ES256")
	path := filepath.Join(t.TempDir(), "keys.json")
	write := func(key signer) {
		text := append([]byte("\uFEFF"), mustJSON(object{"keys": []object{key.jwk(t)}})...)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(first)
	s.trusting(nil, record.Issuer{Name: "file", URL: "https://file.example", KeySet: path})
	claims := s.claims().with("iss", "https://file.example")
	if _, err := s.verify(first.sign(t, first.header(), claims)); err != nil {
		t.Errorf("Verify() = %v, want nil", err)
	}
	write(second)
	s.now = s.now.Add(30 * time.Second)
	claims = claims.with("exp", s.now.Unix()+60)
	if _, err := s.verify(second.sign(t, second.header(), claims)); err != nil {
		t.Errorf("Verify() after the file changed = %v, want nil", err)
	}
}

// An issuer that is bound to a Team reaches no other, and a claim names the role; what it lacks of the
// claims it is bound by makes it a stranger. An unbound one speaks of members, with its prefix.
func TestClaimsOfABoundIssuerNameTheRole(t *testing.T) {
	t.Parallel()
	s, key := newFixture(t), newSigner(t, "k", "ES256")
	o := newOIDC(t, key)
	bound := o.entry()
	bound.TeamID, bound.Claims, bound.RoleClaim = "team_1", map[string]string{"repository": "acme/tokens"}, "environment"
	bound.Roles = map[string]record.Role{"production": record.Admin, "ci": record.Editor}
	plainRole := o.entry()
	plainRole.Name, plainRole.TeamID, plainRole.RoleClaim, plainRole.Claims = "plain", "team_2", "livery_role", map[string]string{"repository": "acme/other"}
	perEnvironment := o.entry()
	perEnvironment.Name, perEnvironment.TeamID, perEnvironment.Claims = "pull", "team_1", map[string]string{"event": "pull"}
	perEnvironment.Environments = map[string]record.Role{"production": record.Viewer, "preview": record.Editor}
	scoped := o.entry()
	scoped.Name, scoped.TeamID, scoped.RoleClaim, scoped.Roles = "scoped", "team_3", "scope", map[string]record.Role{"tokens.write": record.Editor}
	scoped.Claims = map[string]string{"scp": "tokens", "verified": "true", "project": "42"}
	people := o.entry()
	people.Name, people.SubjectPrefix, people.Claims = "people", "sso:", map[string]string{"kind": "person"}
	s.trusting(o, bound, plainRole, perEnvironment, scoped, people)
	ci := o.claims(s).with("repository", "acme/tokens")
	other := o.claims(s).with("repository", "acme/other")
	for name, c := range map[string]struct {
		claims object
		want   auth.Caller
	}{
		"a mapped value":                      {ci.with("environment", "ci"), auth.Caller{"idp:someone", "team_1", record.Editor, o.URL, nil}},
		"the highest of a list":               {ci.with("environment", []any{"ci", 1, "production"}), auth.Caller{"idp:someone", "team_1", record.Admin, o.URL, nil}},
		"a role that a mapping does not have": {ci.with("environment", "admin"), auth.Caller{"idp:someone", "team_1", "", o.URL, nil}},
		"no role claim":                       {ci, auth.Caller{"idp:someone", "team_1", "", o.URL, nil}},
		"the value is the role":               {other.with("livery_role", "viewer"), auth.Caller{"plain:someone", "team_2", record.Viewer, o.URL, nil}},
		"no such role":                        {other.with("livery_role", "king"), auth.Caller{"plain:someone", "team_2", "", o.URL, nil}},
		"roles by Environment":                {o.claims(s).with("event", "pull").with("livery_role", "admin"), auth.Caller{"pull:someone", "team_1", "", o.URL, perEnvironment.Environments}},
		"scopes in one string, a truth value, a number": {
			o.claims(s).with("scope", "openid tokens.write").with("scp", "tokens profile").with("verified", true).with("project", 42),
			auth.Caller{"scoped:someone", "team_3", record.Editor, o.URL, nil},
		},
		"scopes in a list": {
			o.claims(s).with("scope", []string{"openid", "tokens.write"}).with("scp", []string{"tokens"}).with("verified", true).with("project", 42),
			auth.Caller{"scoped:someone", "team_3", record.Editor, o.URL, nil},
		},
		"a person": {o.claims(s).with("kind", "person"), auth.Caller{Subject: "sso:someone", Issuer: o.URL}},
	} {
		if caller, err := s.verify(key.sign(t, key.header(), c.claims)); err != nil || !reflect.DeepEqual(caller, c.want) {
			t.Errorf("%s: Verify() = %v, %v, want %v", name, caller, err, c.want)
		}
	}
	for name, c := range map[string]object{
		"none of the claims": o.claims(s), "another repository": o.claims(s).with("repository", "evil/tokens"), "two in one string": o.claims(s).with("repository", "x acme/tokens"), "a number": o.claims(s).with("repository", 1),
		"a longer name": o.claims(s).with("repository", "acme/tokens2"), "a prefix beyond a subject": o.claims(s).with("kind", "person").with("sub", strings.Repeat("a", 255)),
	} {
		if caller, err := s.verify(key.sign(t, key.header(), c)); !errors.Is(err, auth.ErrUnauthorized) {
			t.Errorf("%s: Verify() = %v, %v, want ErrUnauthorized", name, caller, err)
		}
	}
}

// S49 S242: a caller of a bound issuer has its role in its Team, and other Teams do not exist for it,
// whatever grants name its subject; it costs the reads of any other caller.
func TestABoundCallerReachesItsTeamAlone(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	_, err := s.store.Update(context.Background(), storage.Global, func(tx storage.Tx) (record.Change, error) {
		for _, team := range []string{"1", "2"} {
			e := record.Environment{ID: "env_" + team, TeamID: "team_" + team, Grants: map[string]record.Role{"ci:x": record.Admin}}
			err := errors.Join(storage.Environments.Write(tx, e, e.ID), storage.EnvironmentSlugs.Write(tx, e.ID, "slug", e.TeamID), storage.Memberships.Write(tx, "", e.TeamID, "ci:x"))
			if err != nil {
				return record.Change{}, err
			}
		}
		return record.Change{At: s.now}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		role record.Role
		id   string
		want error
	}{{record.Viewer, "env_1", nil}, {record.Viewer, "env_2", storage.ErrNotFound}, {"", "env_1", auth.ErrForbidden}, {record.Viewer, "env_3", storage.ErrNotFound}} {
		err := s.store.View(context.Background(), func(r storage.Reader) error {
			counted := &counting{Reader: r}
			caller := auth.Caller{Subject: "ci:x", TeamID: "team_1", Role: c.role}
			granted, err := caller.Environment(counted, c.id)
			if counted.gets != 2 || err == nil && granted.Role != c.role {
				t.Errorf("%q on %s: role %q after %d reads", c.role, c.id, granted.Role, counted.gets)
			}
			all, listErr := caller.Environments(r)
			if listErr != nil || (len(all) == 1) != (c.role != "") {
				t.Errorf("Environments() = %v, %v", all, listErr)
			}
			return err
		})
		if !errors.Is(err, c.want) {
			t.Errorf("%q on %s: Environment() = %v, want %v", c.role, c.id, err, c.want)
		}
	}
}

// A caller with roles by Environment has these, in its own Team alone, and none in an Environment that its issuer does not name.
func TestABoundCallerHasRolesByEnvironment(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	_, err := s.store.Update(context.Background(), storage.Global, func(tx storage.Tx) (record.Change, error) {
		for _, e := range []record.Environment{
			{ID: "env_1", TeamID: "team_1", Slug: "production", Grants: map[string]record.Role{"ci:x": record.Admin}},
			{ID: "env_2", TeamID: "team_1", Slug: "preview"},
			{ID: "env_3", TeamID: "team_1", Slug: "staging", Grants: map[string]record.Role{"ci:x": record.Admin}},
			{ID: "env_4", TeamID: "team_2", Slug: "preview"},
		} {
			if err := errors.Join(storage.Environments.Write(tx, e, e.ID), storage.EnvironmentSlugs.Write(tx, e.ID, e.Slug, e.TeamID)); err != nil {
				return record.Change{}, err
			}
		}
		return record.Change{At: s.now}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	caller := auth.Caller{
		Subject: "ci:x", TeamID: "team_1", Role: record.Admin,
		Roles: map[string]record.Role{"production": record.Viewer, "preview": record.Editor},
	}
	err = s.store.View(context.Background(), func(r storage.Reader) error {
		for id, want := range map[string]record.Role{"env_1": record.Viewer, "env_2": record.Editor} {
			if granted, err := caller.Environment(r, id); err != nil || granted.Role != want {
				t.Errorf("Environment(%s) = %q, %v, want %q", id, granted.Role, err, want)
			}
		}
		for id, want := range map[string]error{"env_3": auth.ErrForbidden, "env_4": storage.ErrNotFound} {
			if granted, err := caller.Environment(r, id); !errors.Is(err, want) {
				t.Errorf("Environment(%s) = %q, %v, want %v", id, granted.Role, err, want)
			}
		}
		all, err := caller.Environments(r)
		if len(all) != 2 {
			t.Errorf("Environments() = %v, want the two that the issuer names", all)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A token of a key before is honoured until it expires, and its key is deleted when none can be left.
func TestRotateKeepsOldTokens(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	old, oldID := s.issue(auth.Order{Subject: "someone", TTL: time.Hour}), s.signing().ID
	rotated, err := s.keys.Rotate(context.Background(), s.store, false)
	if err != nil || rotated.ID == oldID || !rotated.Until.Equal(s.now.Add(auth.MaxTTL)) {
		t.Fatalf("Rotate() = %+v, %v", rotated, err)
	}
	fresh := s.issue(auth.Order{Subject: "someone", TTL: time.Hour})
	for name, keys := range map[string]*auth.Keys{"at once": s.keys, "after a restart": s.open()} {
		for what, token := range map[string]string{"old": old, "fresh": fresh} {
			if _, err := keys.Verify([]string{"Bearer " + token}); err != nil {
				t.Errorf("%s: Verify(%s) = %v, want nil", name, what, err)
			}
		}
		if id := s.signerOf(keys); id != rotated.ID {
			t.Errorf("%s: %s signs, want %s", name, id, rotated.ID)
		}
	}
	s.now = s.now.Add(auth.MaxTTL + time.Second)
	if _, err := s.keys.Rotate(context.Background(), s.store, false); err != nil {
		t.Fatal(err)
	}
	if kept := s.tokenKeys(); len(kept) != 2 || kept[0].ID != rotated.ID {
		t.Errorf("%v are kept, want the newest two", kept)
	}
	last := s.issue(auth.Order{Subject: "someone", TTL: time.Hour})
	dropped, err := s.keys.Rotate(context.Background(), s.store, true)
	if err != nil || !dropped.Until.IsZero() {
		t.Fatalf("Rotate(drop) = %+v, %v", dropped, err)
	}
	if _, err := s.verify(last); !errors.Is(err, auth.ErrUnauthorized) {
		t.Errorf("Verify() of a dropped key = %v, want ErrUnauthorized", err)
	}
}
