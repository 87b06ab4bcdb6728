package device

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// The bounds of a grant.
const (
	defaultInterval = 5 * time.Second // if the issuer names none (RFC 8628 section 3.2)
	slowDown        = 5 * time.Second // what each "slow_down" adds (section 3.5)
	longestInterval = time.Minute
	longestLife     = time.Hour // of a code, whatever the issuer says
	longestToken    = 366 * 24 * time.Hour
)

// Grant is a login that waits for a person.
type Grant struct {
	UserCode    string    // to be typed
	URL         string    // of the page to type it on
	CompleteURL string    // the same with the code in it; empty if there is none
	Expires     time.Time // of the code

	code     string // that the client asks with
	interval time.Duration
}

// Start begins a login. It returns ErrUnsupported if the issuer has no such grant.
func (p *Provider) Start(ctx context.Context) (Grant, error) {
	if p.authorization == "" {
		return Grant{}, fmt.Errorf("%w: %s", ErrUnsupported, p.issuer.URL)
	}
	form := url.Values{"client_id": {p.issuer.ClientID}}
	if len(p.issuer.Scopes) > 0 {
		form.Set("scope", strings.Join(p.issuer.Scopes, " "))
	}
	for name, value := range p.issuer.Parameters {
		if !form.Has(name) {
			form.Set(name, value)
		}
	}
	var said struct {
		DeviceCode  string  `json:"device_code"`
		UserCode    string  `json:"user_code"`
		URL         string  `json:"verification_uri"`
		CompleteURL string  `json:"verification_uri_complete"`
		ExpiresIn   float64 `json:"expires_in"`
		Interval    float64 `json:"interval"`
	}
	if err := post(ctx, p.authorization, form, &said); err != nil {
		return Grant{}, err
	}
	g := Grant{said.UserCode, said.URL, said.CompleteURL, p.now().Add(seconds(said.ExpiresIn, longestLife)), said.DeviceCode, defaultInterval}
	if said.Interval > 0 {
		g.interval = seconds(said.Interval, longestInterval)
	}
	if g.code == "" || g.UserCode == "" || said.ExpiresIn <= 0 {
		return Grant{}, fmt.Errorf("device: %s answered without a code", p.authorization)
	}
	if g.CompleteURL != "" && checkAddress(g.CompleteURL, p.issuer.URL) != nil {
		g.CompleteURL = ""
	}
	return g, checkAddress(g.URL, p.issuer.URL)
}

// seconds is a number of seconds as a duration of at most that.
func seconds(n float64, most time.Duration) time.Duration {
	return time.Duration(min(max(n, 0), most.Seconds()) * float64(time.Second))
}

// Await returns the tokens once the person has confirmed the login: ErrDenied or ErrExpired if that
// will not happen. An issuer that does not answer for a while is asked ever more seldom.
func (p *Provider) Await(ctx context.Context, g Grant) (Tokens, error) {
	form := url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:device_code"}, "device_code": {g.code}, "client_id": {p.issuer.ClientID}}
	var silence error // why the issuer did not answer the last time
	for interval := g.interval; ; interval = min(interval, longestInterval) {
		if p.now().Add(interval).After(g.Expires) {
			return Tokens{}, errors.Join(ErrExpired, silence)
		}
		if err := p.pause(ctx, interval); err != nil {
			return Tokens{}, err
		}
		tokens, err := p.tokens(ctx, form)
		refusal, refused := errors.AsType[*refusal](err)
		silence = nil
		switch {
		case err == nil:
			return tokens, nil
		case ctx.Err() != nil:
			return Tokens{}, ctx.Err()
		case !refused:
			interval, silence = 2*interval, err // RFC 8628 section 3.5
		case refusal.Code == "authorization_pending":
		case refusal.Code == "slow_down":
			interval += slowDown
		case refusal.Code == "access_denied":
			return Tokens{}, ErrDenied
		case refusal.Code == "expired_token":
			return Tokens{}, ErrExpired
		default:
			return Tokens{}, err
		}
	}
}

// Refresh returns new tokens for a refresh token, or ErrEnded if the issuer does not take it any more. A
// new refresh token takes the place of the old one; if there is none the old one stays good.
func (p *Provider) Refresh(ctx context.Context, refresh string) (Tokens, error) {
	tokens, err := p.tokens(ctx, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {refresh}, "client_id": {p.issuer.ClientID}})
	if refusal, ok := errors.AsType[*refusal](err); ok && refusal.Code == "invalid_grant" {
		return Tokens{}, fmt.Errorf("%w: %w", ErrEnded, err)
	}
	if tokens.Refresh == "" {
		tokens.Refresh = refresh
	}
	return tokens, err
}

// tokens asks the token endpoint.
func (p *Provider) tokens(ctx context.Context, form url.Values) (Tokens, error) {
	start := p.now()
	var said struct {
		Access    string  `json:"access_token"`
		Refresh   string  `json:"refresh_token"`
		Type      string  `json:"token_type"`
		ExpiresIn float64 `json:"expires_in"`
	}
	if err := post(ctx, p.token, form, &said); err != nil {
		return Tokens{}, err
	}
	if said.Access == "" || strings.ContainsAny(said.Access, " \t\r\n") || !strings.EqualFold(said.Type, "Bearer") {
		return Tokens{}, &refusal{Code: "invalid_response", Description: "the issuer gave no bearer token"}
	}
	tokens := Tokens{Access: said.Access, Refresh: said.Refresh}
	if claims, err := Read(said.Access); err == nil {
		tokens.Expires = claims.Expires
	}
	if until := start.Add(seconds(said.ExpiresIn, longestToken)); said.ExpiresIn > 0 && (tokens.Expires.IsZero() || until.Before(tokens.Expires)) {
		tokens.Expires = until
	}
	return tokens, nil
}
