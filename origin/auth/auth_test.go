package auth_test

import (
	"context"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/livery/origin/auth"
	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
	"example.com/livery/storage/record"
	"github.com/golang-jwt/jwt/v5"
)

const (
	issuer      = "https://api.livery.example"
	ourAudience = issuer + "/public/v1"
)

// fixture is a store with keys and a time that the test sets.
type fixture struct {
	t      *testing.T
	store  storage.Store
	config auth.Config
	keys   *auth.Keys
	now    time.Time
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	store, err := pebble.Open("", pebble.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	s := &fixture{t: t, store: store, now: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)}
	s.config = auth.Config{Issuer: issuer, Audience: ourAudience, Now: func() time.Time { return s.now }}
	s.keys = s.open()
	return s
}

func (s *fixture) open() *auth.Keys {
	s.t.Helper()
	keys, err := auth.Open(context.Background(), s.store, s.config)
	if err != nil {
		s.t.Fatal(err)
	}
	return keys
}

// tokenKeys returns the stored token keys, the newest last.
func (s *fixture) tokenKeys() (keys []record.TokenKey) {
	s.t.Helper()
	err := s.store.View(context.Background(), func(r storage.Reader) error {
		return storage.TokenKeys.Scan(r, storage.Ascending, func(_ []byte, key record.TokenKey) bool {
			keys = append(keys, key)
			return true
		})
	})
	if err != nil {
		s.t.Fatal(err)
	}
	slices.SortFunc(keys, func(a, b record.TokenKey) int { return a.CreatedAt.Compare(b.CreatedAt) })
	return keys
}

// signing returns the token key that signs.
func (s *fixture) signing() record.TokenKey {
	keys := s.tokenKeys()
	return keys[len(keys)-1]
}

// signerOf returns the id of the key that signs the tokens of keys.
func (s *fixture) signerOf(keys *auth.Keys) string {
	s.t.Helper()
	token, _, err := keys.Issue(auth.Order{Subject: "someone", TTL: time.Minute})
	parsed, _, parseErr := jwt.NewParser().ParseUnverified(token, jwt.MapClaims{})
	if err := errors.Join(err, parseErr); err != nil {
		s.t.Fatal(err)
	}
	return fmt.Sprint(parsed.Header["kid"])
}

func (s *fixture) issue(order auth.Order) string {
	s.t.Helper()
	token, _, err := s.keys.Issue(order)
	if err != nil {
		s.t.Fatal(err)
	}
	return token
}

// object is a part of a token before it is encoded.
type object map[string]any

func (o object) with(name string, value any) object {
	c := object{}
	for k, v := range o {
		c[k] = v
	}
	if c[name] = value; value == nil {
		delete(c, name)
	}
	return c
}

func encode(part any) string {
	text, ok := part.(string)
	if !ok {
		b, err := json.Marshal(part)
		if err != nil {
			panic(err)
		}
		text = string(b)
	}
	return base64.RawURLEncoding.EncodeToString([]byte(text))
}

// forge signs any header and claims with the fixture's own key.
func (s *fixture) forge(header, claims any) string {
	text := encode(header) + "." + encode(claims)
	sig := ed25519.Sign(ed25519.NewKeyFromSeed(s.signing().Seed), []byte(text))
	return text + "." + base64.RawURLEncoding.EncodeToString(sig)
}

func (s *fixture) header() object {
	return object{"alg": "EdDSA", "typ": "JWT", "kid": s.signing().ID}
}

func (s *fixture) claims() object {
	return object{"iss": issuer, "aud": ourAudience, "sub": "someone", "exp": s.now.Unix() + 60, "iat": s.now.Unix()}
}

// S235 S236 S237, A1-A17 of the security document: all but one well-formed token of ours is refused.
func TestVerifyRefusesWhatIsNoTokenOfOurs(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	public := ed25519.NewKeyFromSeed(s.signing().Seed).Public().(ed25519.PublicKey)
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	hs256 := func(key []byte) string {
		text := encode(s.header().with("alg", "HS256")) + "." + encode(s.claims())
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(text))
		return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
	}
	unsigned := func(alg string) string { return encode(s.header().with("alg", alg)) + "." + encode(s.claims()) + "." }
	otherPublic, other, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	foreign := func(header object) string {
		text := encode(header) + "." + encode(s.claims())
		return text + "." + base64.RawURLEncoding.EncodeToString(ed25519.Sign(other, []byte(text)))
	}
	jwk := object{"kty": "OKP", "crv": "Ed25519", "x": base64.RawURLEncoding.EncodeToString(otherPublic)}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	good := s.forge(s.header(), s.claims())
	parts := strings.Split(good, ".")
	cases := map[string]string{
		"A2 Basic": "Basic " + good, "A3 Bearer alone": "Bearer", "A3 Bearer and a space": "Bearer ",
		"A4 none": "Bearer " + unsigned("none"), "A4 nOnE": "Bearer " + unsigned("nOnE"),
		"A5 HS256 with the DER": "Bearer " + hs256(der), "A5 HS256 with the raw key": "Bearer " + hs256(public),
		"A5 HS256 with the PEM": "Bearer " + hs256(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})),
		"A11 swapped payload":   "Bearer " + parts[0] + "." + encode(s.claims().with("sub", "admin")) + "." + parts[2],
		"A11 cut signature":     "Bearer " + good[:len(good)-4], "A11 two parts": "Bearer " + parts[0] + "." + parts[1],
		"A11 four parts": "Bearer " + good + ".x", "A15 embedded key": "Bearer " + foreign(s.header().with("jwk", jwk)),
		"A15 key by address":     "Bearer " + foreign(s.header().with("jku", "http://"+listener.Addr().String())),
		"another key of that id": "Bearer " + foreign(s.header()), "trailing bits in the encoding": "Bearer " + looseEncoding(good),
		"a space after the token": "Bearer " + good + " ", "padding": "Bearer " + good + "=", "A16 a megabyte": "Bearer " + strings.Repeat("a", 1<<20),
	}
	for name, header := range map[string]any{
		"A12 kid unknown": s.header().with("kid", "key_0"), "A12 kid missing": s.header().with("kid", nil), "A12 kid is a path": s.header().with("kid", "../../dev/null"),
		"A12 kid is a number": s.header().with("kid", 1), "A13 unknown crit": s.header().with("crit", []string{"x"}).with("x", 1), "A13 empty crit": s.header().with("crit", []string{}),
		"A14 b64 false": s.header().with("b64", false).with("crit", []string{"b64"}), "A14 b64 without crit": s.header().with("b64", false),
		"A15 embedded jwk, our key": s.header().with("jwk", jwk), "another typ": s.header().with("typ", "at+jwt"), "typ is a number": s.header().with("typ", 1),
		"header is no object": `[]`,
	} {
		cases[name] = "Bearer " + s.forge(header, s.claims())
	}
	now := s.now.Unix()
	for name, claims := range map[string]any{
		"A6 other audience": s.claims().with("aud", "https://x"), "A6 longer audience": s.claims().with("aud", ourAudience+"/x"), "A6 no audience": s.claims().with("aud", nil),
		"A6 empty list": s.claims().with("aud", []string{}), "A6 audience is a number": s.claims().with("aud", 1), "A6 list with a number": s.claims().with("aud", []any{ourAudience, 1}),
		"A8 expired": s.claims().with("exp", now-61), "A8 expired just now": s.claims().with("exp", now-60), "A8 no expiry": s.claims().with("exp", nil),
		"A8 negative": s.claims().with("exp", -1), "A8 1e300": strings.Replace(string(mustJSON(s.claims())), fmt.Sprint(now+60), "1e300", 1),
		"A8 a string": s.claims().with("exp", fmt.Sprint(now+60)), "A8 null": strings.Replace(string(mustJSON(s.claims())), fmt.Sprint(now+60), "null", 1),
		"A8 beyond all dates": s.claims().with("exp", int64(1)<<60), "A9 not yet": s.claims().with("nbf", now+61), "A9 not yet by a fraction": s.claims().with("nbf", float64(now)+60.25), "A9 nbf is a string": s.claims().with("nbf", "0"),
		"nbf beyond all dates": s.claims().with("nbf", 1e300), "issued in the future": s.claims().with("iat", now+61), "issued a year ahead": s.claims().with("iat", now+31536000),
		"iat is a string": s.claims().with("iat", fmt.Sprint(now)), "iat beyond all dates": s.claims().with("iat", -1e300),
		"A10 another issuer": s.claims().with("iss", "https://evil.example"), "A10 no issuer": s.claims().with("iss", nil), "no subject": s.claims().with("sub", nil),
		"empty subject": s.claims().with("sub", ""), "subject with a zero byte": s.claims().with("sub", "a\x00b"), "subject too long": s.claims().with("sub", strings.Repeat("a", 256)),
		"a claim twice": strings.Replace(string(mustJSON(s.claims())), `{`, `{"sub":"admin",`, 1), "claims are no object": `"x"`, "claims are no JSON": `{`,
	} {
		cases[name] = "Bearer " + s.forge(s.header(), claims)
	}
	for name, authorization := range cases {
		if caller, err := s.keys.Verify([]string{authorization}); !errors.Is(err, auth.ErrUnauthorized) {
			t.Errorf("%s: Verify() = %v, %v, want ErrUnauthorized", name, caller, err)
		}
	}
	for name, lines := range map[string][]string{"A1 none": nil, "A17 two headers": {"Bearer " + good, "Bearer " + good}} {
		if _, err := s.keys.Verify(lines); !errors.Is(err, auth.ErrUnauthorized) {
			t.Errorf("%s: Verify() = %v, want ErrUnauthorized", name, err)
		}
	}
	own, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = own.Close() }()
	if c, err := listener.Accept(); err != nil {
		t.Error(err)
	} else if _ = c.Close(); c.RemoteAddr().String() != own.LocalAddr().String() {
		t.Error("somebody looked at the address of a key")
	}
}

func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// looseEncoding sets bits of the last character that carry nothing: another spelling of the same signature.
func looseEncoding(token string) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	i := strings.IndexByte(alphabet, token[len(token)-1])
	return token[:len(token)-1] + string(alphabet[i^1])
}

// A7 and the forms that are right.
func TestVerifyAcceptsTokensOfOurs(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	for name, authorization := range map[string]string{
		"issued":       "Bearer " + s.issue(auth.Order{Subject: "someone", TTL: time.Minute}),
		"lower case":   "bearer " + s.issue(auth.Order{Subject: "someone", TTL: time.Minute}),
		"A7 a list":    "Bearer " + s.forge(s.header(), s.claims().with("aud", []string{"x", ourAudience})),
		"without typ":  "Bearer " + s.forge(s.header().with("typ", nil), s.claims()),
		"other claims": "Bearer " + s.forge(s.header(), s.claims().with("jti", "x").with("nbf", s.now.Unix())),
		"two spaces":   "Bearer  " + s.issue(auth.Order{Subject: "someone", TTL: time.Minute}),

		"expired within the leeway":    "Bearer " + s.forge(s.header(), s.claims().with("exp", s.now.Unix()-59)),
		"nbf within the leeway":        "Bearer " + s.forge(s.header(), s.claims().with("nbf", s.now.Unix()+60)),
		"iat within the leeway":        "Bearer " + s.forge(s.header(), s.claims().with("iat", s.now.Unix()+60)),
		"fractions":                    "Bearer " + s.forge(s.header(), s.claims().with("exp", float64(s.now.Unix())+60.25).with("nbf", float64(s.now.Unix())-0.5).with("iat", float64(s.now.Unix())-3.5)),
		"a fraction within the leeway": "Bearer " + s.forge(s.header(), s.claims().with("exp", float64(s.now.Unix())-59.75)),
		"exponents":                    "Bearer " + s.forge(s.header(), strings.Replace(string(mustJSON(s.claims())), fmt.Sprint(s.now.Unix()+60), "2.0E9", 1)),
		"dates before 1970":            "Bearer " + s.forge(s.header(), s.claims().with("nbf", -1).with("iat", -1.5)),
	} {
		if caller, err := s.keys.Verify([]string{authorization}); err != nil || caller.Subject != "someone" {
			t.Errorf("%s: Verify() = %v, %v, want someone", name, caller, err)
		}
	}
}

// A token outlives a restart, but not its time, and one for another audience is of no use here.
func TestKeysAreKept(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	token := "Bearer " + s.issue(auth.Order{Subject: "someone", TTL: time.Minute})
	again := s.open()
	if first, second := s.signerOf(s.keys), s.signerOf(again); first != second || len(s.tokenKeys()) != 1 {
		t.Errorf("a second start made the key %s beside %s", second, first)
	}
	if _, err := again.Verify([]string{token}); err != nil {
		t.Errorf("Verify() after a restart = %v, want nil", err)
	}
	if _, err := again.Verify([]string{"Bearer " + s.issue(auth.Order{Subject: "a", Audience: "https://x", TTL: time.Minute})}); !errors.Is(err, auth.ErrUnauthorized) {
		t.Errorf("Verify() for another audience = %v, want ErrUnauthorized", err)
	}
	s.now = s.now.Add(2 * time.Minute)
	if _, err := again.Verify([]string{token}); !errors.Is(err, auth.ErrUnauthorized) {
		t.Errorf("Verify() after its time = %v, want ErrUnauthorized", err)
	}
}

func TestIssueRefusesBadOrders(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	for name, order := range map[string]auth.Order{
		"no subject": {TTL: time.Hour}, "control character": {Subject: "a\nb", TTL: time.Hour}, "too long": {Subject: strings.Repeat("a", 256), TTL: time.Hour},
		"invalid UTF-8": {Subject: "\xff", TTL: time.Hour}, "no life": {Subject: "a"}, "negative": {Subject: "a", TTL: -time.Hour}, "too long a life": {Subject: "a", TTL: auth.MaxTTL + 1},
	} {
		if _, _, err := s.keys.Issue(order); !errors.Is(err, auth.ErrOrder) {
			t.Errorf("%s: Issue() = %v, want ErrOrder", name, err)
		}
	}
}

// counting counts the reads of a snapshot.
type counting struct {
	storage.Reader
	gets int
}

func (c *counting) Get(key []byte) ([]byte, error) {
	c.gets++
	return c.Reader.Get(key)
}

// S49 S242 S243 A100: a missing Environment costs the reads of a foreign one, and is answered as it is.
func TestEnvironmentIsForMembersWithAGrant(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	const team, id = "team_1", "env_1"
	_, err := s.store.Update(context.Background(), storage.Global, func(tx storage.Tx) (record.Change, error) {
		e := record.Environment{ID: id, TeamID: team, Grants: map[string]record.Role{"editor": record.Editor, "outsider": record.Admin, "odd": "king"}}
		return record.Change{At: s.now}, errors.Join(
			storage.Environments.Write(tx, e, id), storage.EnvironmentSlugs.Write(tx, id, "slug", team),
			storage.Memberships.Write(tx, "", team, "editor"), storage.Memberships.Write(tx, "", team, "guest"), storage.Memberships.Write(tx, "", team, "odd"))
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		subject, id string
		role        record.Role
		err         error
	}{
		{"editor", id, record.Editor, nil},
		{"guest", id, "", auth.ErrForbidden},
		{"odd", id, "", auth.ErrForbidden},
		{"outsider", id, "", storage.ErrNotFound},
		{"editor", "env_2", "", storage.ErrNotFound},
		{"", id, "", storage.ErrNotFound},
	} {
		err := s.store.View(context.Background(), func(r storage.Reader) error {
			counted := &counting{Reader: r}
			granted, err := auth.Caller{Subject: c.subject}.Environment(counted, c.id)
			if granted.Role != c.role || counted.gets != 2 {
				t.Errorf("%s on %s: role %q after %d reads, want %q after 2", c.subject, c.id, granted.Role, counted.gets, c.role)
			}
			all, listErr := auth.Caller{Subject: c.subject}.Environments(r)
			if wantOne := c.role != ""; listErr != nil || (len(all) == 1) != (wantOne || c.subject == "editor") {
				t.Errorf("%s: Environments() = %v, %v", c.subject, all, listErr)
			}
			return err
		})
		if !errors.Is(err, c.err) {
			t.Errorf("%s on %s: Environment() = %v, want %v", c.subject, c.id, err, c.err)
		}
	}
}

// The header and the claims come from strangers: no bytes make Verify panic or pass.
func FuzzVerify(f *testing.F) {
	f.Add("Bearer a.b.c")
	f.Add(`Bearer eyJhbGciOiJFZERTQSJ9.eyJleHAiOjFlMzAwfQ.AA`)
	store, err := pebble.Open("", pebble.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = store.Close() })
	keys, err := auth.Open(context.Background(), store, auth.Config{Issuer: issuer, Audience: ourAudience})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, authorization string) {
		if _, err := keys.Verify([]string{authorization}); err == nil {
			t.Errorf("Verify(%q) = nil without a signature", authorization)
		}
	})
}
