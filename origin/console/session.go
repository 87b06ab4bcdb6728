package console

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/valyala/fasthttp"

	"example.com/livery/origin/auth"
	"example.com/livery/origin/httpserver"
	"example.com/livery/origin/session"
)

// maxBody is how many bytes a request may have at most that begins a session.
const maxBody = 16 << 10

// errFailures says that too many logins of a client failed.
var errFailures = errors.New("too many logins of this client failed")

// errBody refuses a body that does not say how to log in.
var errBody = errors.New("the body must be an object with token, with code, or with issuer, code, verifier and redirectURI")

// session answers the routes of sessions. A request that no page of the console can have sent is refused unread.
func (h *Handler) session(ctx *fasthttp.RequestCtx) (httpserver.Answer, error) {
	switch {
	case !slices.Contains([]string{"GET", "HEAD", "POST", "DELETE"}, string(ctx.Method())):
		return httpserver.NotAllowed("DELETE, GET, HEAD, POST"), nil
	case !session.FromConsole(&ctx.Request.Header):
		return foreign(), nil
	case ctx.IsPost():
		return h.begin(ctx)
	case ctx.IsDelete():
		return h.config.Sessions.Clear(ctx, httpserver.Answer{Status: fasthttp.StatusNoContent}), nil
	}
	return h.show(ctx)
}

// sessionBody is a session as the page knows it: without its token.
type sessionBody struct {
	Subject string `json:"subject"`
	Expires string `json:"expires"`
	Issuer  string `json:"issuer,omitempty"` // empty: the origin itself
}

func (h *Handler) show(ctx *fasthttp.RequestCtx) (httpserver.Answer, error) {
	s, err := h.config.Sessions.Of(ctx)
	if err != nil {
		return httpserver.Answer{}, err
	}
	body := sessionBody{Subject: s.Caller.Subject, Expires: s.Expires.Format("2006-01-02T15:04:05Z")}
	if !h.config.Keys.IsOwn(s.Caller) {
		body.Issuer = s.Caller.Issuer
	}
	return answerJSON(body)
}

func answerJSON(body any) (httpserver.Answer, error) {
	text, err := json.Marshal(body, json.Deterministic(true))
	return httpserver.Answer{Status: fasthttp.StatusOK, Body: text}, err
}

// order is the body of a request for a session: a token, a code of livery console, or what a person came back with from
// an issuer.
type order struct {
	Token       string `json:"token"`
	Issuer      string `json:"issuer"`
	Code        string `json:"code"`
	Verifier    string `json:"verifier"`
	RedirectURI string `json:"redirectURI"`
	Replace     bool   `json:"replace"` // with a code of livery console: also a session of someone else
}

func (h *Handler) begin(ctx *fasthttp.RequestCtx) (a httpserver.Answer, err error) {
	body, err := httpserver.ReadBody(ctx, maxBody, nil)
	if err != nil {
		a = httpserver.Unread(err)
		a.Closes = true
		return a, nil
	}
	var o order
	if json.Unmarshal([]byte(body), &o, json.RejectUnknownMembers(true)) != nil {
		return a, errBody
	}
	client := httpserver.ClientOf(ctx, h.config.TrustedProxies).String()
	s, value, err := h.logIn(ctx, client, o)
	// What is right is never refused because others guess: a failure is counted when it is known to be one.
	if (errors.Is(err, session.ErrCode) || errors.Is(err, auth.ErrUnauthorized)) && !h.failures.Take(client, h.config.Now()).Allowed {
		err = errFailures
	}
	if err != nil {
		return a, err
	}
	return h.config.Sessions.Set(ctx, httpserver.Answer{Status: fasthttp.StatusNoContent}, s, value), nil
}

// logIn returns the session that the order begins, and the value of its cookie.
func (h *Handler) logIn(ctx *fasthttp.RequestCtx, client string, o order) (s session.Session, value string, err error) {
	token, err := h.token(ctx, client, o)
	if err != nil {
		return s, "", err
	}
	return h.config.Sessions.Begin(token)
}

// token returns the access token that the order stands for.
func (h *Handler) token(ctx *fasthttp.RequestCtx, client string, o order) (string, error) {
	switch {
	case o.Token != "" && o == (order{Token: o.Token}):
		return o.Token, nil
	case o.Code != "" && o == (order{Code: o.Code, Replace: o.Replace}):
		return h.redeem(ctx, o)
	case o.Token != "" || o.Issuer == "" || o.Code == "" || o.Replace:
		return "", errBody
	case !comesBack(ctx, o.RedirectURI):
		return "", fmt.Errorf("%w: redirectURI must be an address of this console", errBody)
	case !h.failures.Take(client, h.config.Now()).Allowed: // before the issuer is asked
		return "", errFailures
	}
	grant := session.Grant{Issuer: o.Issuer, Code: o.Code, Verifier: o.Verifier, RedirectURI: o.RedirectURI, Client: client}
	return h.config.Issuers.Exchange(h.config.Context, grant)
}

// redeem returns the access token of a code of livery console. Without Replace a live session of someone else stays.
func (h *Handler) redeem(ctx *fasthttp.RequestCtx, o order) (string, error) {
	var stays string
	if !o.Replace {
		if live, err := h.config.Sessions.Of(ctx); err == nil {
			stays = live.Caller.Subject
		}
	}
	return h.config.Sessions.Redeem(h.config.Context, h.config.Store, o.Code, stays)
}

// comesBack reports whether an address is one of the console at the host that was asked.
func comesBack(ctx *fasthttp.RequestCtx, address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host == string(ctx.Host()) && strings.HasPrefix(u.Path, root+"/") &&
		u.RawQuery == "" && u.Fragment == "" && u.User == nil
}

// settingsBody is what the page must know before anyone is logged in.
type settingsBody struct {
	Version string       `json:"version"` // of the page: another one means that a newer build is served
	Issuers []issuerBody `json:"issuers"`
	Edges   []string     `json:"edges"`
}

// issuerBody is an issuer at which people log in.
type issuerBody struct {
	auth.Login

	AuthorizationEndpoint *string `json:"authorizationEndpoint"` // null: the issuer does not say where it is
}

func (h *Handler) settings(ctx *fasthttp.RequestCtx) (httpserver.Answer, error) {
	if !session.FromConsole(&ctx.Request.Header) {
		return foreign(), nil
	}
	logins := h.config.Keys.Logins()
	body := settingsBody{Version: h.version, Issuers: make([]issuerBody, len(logins)), Edges: append([]string{}, h.config.Edges...)}
	var all sync.WaitGroup
	for n, i := range logins {
		body.Issuers[n] = issuerBody{Login: i}
		all.Go(func() {
			if found, err := h.config.Issuers.Addresses(h.config.Context, i.Issuer); err == nil {
				body.Issuers[n].AuthorizationEndpoint = &found.Authorization
			}
		})
	}
	all.Wait()
	return answerJSON(body)
}
