package session

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"example.com/livery/origin/auth"
)

// The bounds of what issuers are asked.
const (
	discoverEvery   = 30 * time.Second // at most one discovery of an issuer in this time, whatever clients send
	discoveredLife  = 10 * time.Minute
	exchangesAtOnce = 32
	exchangesOfOne  = 4 // client, of them
)

// The errors that callers branch on.
var (
	ErrNoIssuer = errors.New("people do not log in at an issuer of this name")
	ErrIssuer   = errors.New("the issuer does not answer as it should")
	ErrDenied   = errors.New("the issuer refuses the code")
	ErrVerifier = errors.New("the verifier must have 43 to 128 letters, digits, dots, dashes, underscores and tildes")
	ErrBusy     = errors.New("too many logins at one time")
)

// Issuers asks the OpenID Connect issuers at which people log in: for their addresses, and for the token of a person who
// came back from there with a code (RFC 6749 section 4.1, with PKCE, RFC 7636). It asks the addresses that the discovery
// document of an issuer of the operator names and no others, over https, and follows no redirect. Its methods may be
// called concurrently.
type Issuers struct {
	keys *auth.Keys
	now  func() time.Time

	mu        sync.Mutex // guards all below
	known     map[string]*provider
	exchanges map[string]int // that go on, by client
	total     int            // of them
}

// NewIssuers returns Issuers that know of none yet.
func NewIssuers(keys *auth.Keys, now func() time.Time) *Issuers {
	return &Issuers{keys: keys, now: now, known: map[string]*provider{}, exchanges: map[string]int{}}
}

// provider is what is known of an issuer.
type provider struct {
	mu        sync.Mutex // locked during a discovery; guards all below
	tried     time.Time  // when the last discovery began
	found     time.Time  // when the addresses were read; zero: they are not known
	addresses Addresses
}

// Addresses are the endpoints of an issuer.
type Addresses struct {
	Authorization string `json:"authorization_endpoint"`
	Token         string `json:"token_endpoint"`
}

// Addresses returns the endpoints of an issuer, or ErrIssuer. What was read once stays in use while the issuer is away.
func (i *Issuers) Addresses(ctx context.Context, issuerURL string) (Addresses, error) {
	i.mu.Lock()
	p := i.known[issuerURL]
	if p == nil {
		p = &provider{}
		i.known[issuerURL] = p
	}
	i.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	now := i.now()
	since := now.Sub(p.tried)
	if (p.found.IsZero() || now.Sub(p.found) >= discoveredLife) && (since < 0 || since >= discoverEvery) {
		p.tried = now
		if found, err := i.discover(ctx, issuerURL); err == nil {
			p.addresses, p.found = found, now
		} else if p.found.IsZero() {
			return Addresses{}, err
		}
	}
	if p.found.IsZero() {
		return Addresses{}, fmt.Errorf("%w: %s was asked just now", ErrIssuer, issuerURL)
	}
	return p.addresses, nil
}

// discover reads the discovery document of an issuer (OpenID Connect Discovery 1.0 section 4).
func (i *Issuers) discover(ctx context.Context, issuerURL string) (Addresses, error) {
	var document struct {
		Issuer string `json:"issuer"`
		Addresses
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(issuerURL, "/")+"/.well-known/openid-configuration", nil)
	if err == nil {
		_, err = i.fetch(req, &document)
	}
	if err != nil {
		return Addresses{}, fmt.Errorf("%w: %w", ErrIssuer, err)
	}
	if document.Issuer != issuerURL || !secure(document.Authorization) || !secure(document.Token) {
		return Addresses{}, fmt.Errorf("%w: the discovery document of %s does not name that issuer, or not its endpoints over https", ErrIssuer, issuerURL)
	}
	return document.Addresses, nil
}

func secure(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Scheme == "https" && u.Host != "" && u.User == nil && u.Fragment == ""
}

// Grant is what a person came back with from an issuer.
type Grant struct {
	Issuer      string // its name, or its address: then the first by name at that address
	Code        string
	Verifier    string // of the code challenge that the person was sent with
	RedirectURI string // to which the person came back
	Client      string // that asks: one client does not take the places of all
}

var verifierForm = regexp.MustCompile(`^[A-Za-z0-9._~-]{43,128}$`)

// Exchange returns the access token that an issuer gives for a grant: ErrNoIssuer, ErrVerifier, ErrDenied, ErrIssuer or
// ErrBusy. Whether the token counts here is for Sessions.Begin to say.
func (i *Issuers) Exchange(ctx context.Context, g Grant) (token string, err error) {
	issuer, ok := i.named(g.Issuer)
	if !ok {
		return "", ErrNoIssuer
	}
	if !verifierForm.MatchString(g.Verifier) {
		return "", ErrVerifier
	}
	if !i.enter(g.Client) {
		return "", ErrBusy
	}
	defer i.leave(g.Client)
	addresses, err := i.Addresses(ctx, issuer.Issuer)
	if err != nil {
		return "", err
	}
	form := url.Values{
		"grant_type": {"authorization_code"}, "client_id": {issuer.ClientID},
		"code": {g.Code}, "code_verifier": {g.Verifier}, "redirect_uri": {g.RedirectURI},
	}
	return i.redeem(ctx, addresses.Token, form)
}

// enter counts an exchange of the client in, unless there are too many; then leave must follow.
func (i *Issuers) enter(client string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.total >= exchangesAtOnce || i.exchanges[client] >= exchangesOfOne {
		return false
	}
	i.total++
	i.exchanges[client]++
	return true
}

func (i *Issuers) leave(client string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.total--
	if i.exchanges[client]--; i.exchanges[client] == 0 {
		delete(i.exchanges, client)
	}
}

func (i *Issuers) named(name string) (auth.Login, bool) {
	logins := i.keys.Logins()
	at := slices.IndexFunc(logins, func(l auth.Login) bool { return l.Name == name })
	if at < 0 {
		at = slices.IndexFunc(logins, func(l auth.Login) bool { return l.Issuer == name })
	}
	if at < 0 {
		return auth.Login{}, false
	}
	return logins[at], true
}

func (i *Issuers) redeem(ctx context.Context, address string, form url.Values) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrIssuer, err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	var said struct {
		Token string `json:"access_token"`
		Error string `json:"error"`
	}
	status, err := i.fetch(req, &said)
	switch {
	case status >= http.StatusBadRequest && status < http.StatusInternalServerError:
		return "", ErrDenied
	case err != nil:
		return "", fmt.Errorf("%w: %w", ErrIssuer, err)
	case said.Token == "":
		return "", fmt.Errorf("%w: it gives no access token", ErrIssuer)
	}
	return said.Token, nil
}

// fetch sends a request and reads the JSON of an answer of 200 into v. It returns the status of any answer.
func (i *Issuers) fetch(req *http.Request, v any) (status int, err error) {
	req.Header.Set("Accept", "application/json")
	status, body, err := i.keys.Fetch(req)
	if err == nil {
		err = json.Unmarshal(body, v)
	}
	return status, err
}
