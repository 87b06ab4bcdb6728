package operator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/fasthttp/router"
	"github.com/go-json-experiment/json"
	"github.com/valyala/fasthttp"

	"example.com/livery/origin/auth"
	"example.com/livery/origin/httpserver"
	"example.com/livery/origin/theming"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// Refuse answers a request with an error: a *theming.Error as the refusal it is, anything else as a
// failure that shows nothing of itself.
type Refuse func(ctx *fasthttp.RequestCtx, err error)

// Config is what a Handler needs. Every field but Master, AuditLogged and Settings must be given.
type Config struct {
	Store       storage.Store
	Master      *auth.Master // seals signing keys; nil refuses to make them
	Keys        *auth.Keys
	Module      record.Hash // renderer module of this build
	Refuse      Refuse
	Now         func() time.Time
	Status      func(context.Context) Status
	AuditLogged func(record.Audit) // called with each entry of the audit log that was committed; nil does nothing

	Settings []Setting // what the origin was started with, no secret among them; may be empty
	Console  string    // address of the web console; empty: it is not served
}

// Handler answers the operator's requests. A client that can connect may do everything: the socket's
// file mode is the check.
type Handler struct {
	config Config
	router *router.Router
}

// TokenOrder is the body of a request for an access token.
type TokenOrder struct {
	Subject    string `json:"subject"`
	TTLSeconds int64  `json:"ttlSeconds"`         // 0 means 12 hours
	Audience   string `json:"audience,omitempty"` // empty means the public API of this origin
}

// Token is the answer to a TokenOrder.
type Token struct {
	Token     string    `json:"token"`
	ExpiresAt time.Time `json:"expiresAt"`
	Grants    int       `json:"grants"` // on how many Environments its subject has a role now
}

// Changes is the answer to a teams file: one sentence for each change.
type Changes struct {
	Changes []string `json:"changes"`
}

const defaultTTLSeconds = 12 * 3600

// NewHandler returns a Handler over the store.
func NewHandler(c Config) *Handler {
	c.Settings = append([]Setting{}, c.Settings...)
	h := &Handler{config: c, router: httpserver.NewRouter(func(ctx *fasthttp.RequestCtx) { c.Refuse(ctx, errNotFound) })}
	h.handle("POST", "/operator/v1/teams", withBody(h.applyTeams))
	h.handle("GET", "/operator/v1/teams", h.showTeams)
	h.handle("POST", "/operator/v1/token", withBody(h.issueToken))
	h.handle("POST", "/operator/v1/token-keys/rotate", withBody(h.rotateTokenKeys))
	h.handle("POST", "/operator/v1/console/link", withBody(h.linkConsole))
	h.handle("GET", "/operator/v1/themes/{theme}/serving", h.showServing)
	h.handle("PUT", "/operator/v1/themes/{theme}/serving", withBody(h.setServing))
	h.handle("GET", "/operator/v1/themes/{theme}/keys", h.listKeys)
	h.handle("POST", "/operator/v1/themes/{theme}/keys", h.addKey)
	h.handle("DELETE", "/operator/v1/themes/{theme}/keys/{key}", h.removeKey)
	h.handle("GET", "/operator/v1/status", h.showStatus)
	h.handle("POST", "/operator/v1/audit/query", withBody(h.audit))
	return h
}

// Serve answers one request. It keeps nothing of ctx.
func (h *Handler) Serve(ctx *fasthttp.RequestCtx) { h.router.Handler(ctx) }

var errNotFound error = &theming.Error{Cause: theming.NotFound}

// AsHeader carries the name that the operator goes by in the audit log, beside what the system says.
const AsHeader = "Livery-As"

// call is one request, copied from memory of the server.
type call struct {
	theme, key, dryRun string
	body               []byte
}

// answer returns the body of the answer to a request.
type answer func(ctx context.Context, c call) (any, error)

// withBody reads the body of a request strictly, since an unknown member is most likely a slip, and passes it on.
func withBody[T any](then func(context.Context, call, T) (any, error)) answer {
	return func(ctx context.Context, c call) (any, error) {
		var body T
		if err := json.Unmarshal(c.body, &body, json.RejectUnknownMembers(true)); err != nil {
			return nil, &theming.Error{Cause: theming.Payload, Messages: []string{err.Error()}}
		}
		return then(ctx, c, body)
	}
}

func (h *Handler) handle(method, path string, answer answer) {
	h.router.Handle(method, path, func(ctx *fasthttp.RequestCtx) {
		c := call{
			theme: httpserver.PathParam(ctx, "theme"), key: httpserver.PathParam(ctx, "key"),
			dryRun: string(ctx.QueryArgs().Peek("dryRun")), body: append([]byte{}, ctx.PostBody()...),
		}
		if env := ctx.QueryArgs().Peek("env"); len(env) > 0 {
			c.theme = string(env) + "/" + c.theme
		}
		by := PeerOf(ctx.Conn())
		by.As = string(ctx.Request.Header.Peek(AsHeader))
		var body any
		err := checkClaimedName(by.As)
		if err == nil {
			body, err = answer(On(context.Background(), Behalf{By: by, AuditLogged: h.config.AuditLogged}), c)
		}
		if errors.Is(err, storage.ErrNotFound) {
			err = errNotFound
		}
		var text []byte
		if err == nil {
			text, err = json.Marshal(body, json.Deterministic(true), record.AnswerTimes)
		}
		if err != nil {
			h.config.Refuse(ctx, err)
			return
		}
		ctx.SetContentType("application/json")
		ctx.SetBody(text)
	})
}

func (h *Handler) applyTeams(ctx context.Context, c call, file TeamsFile) (any, error) {
	if c.dryRun != "" && c.dryRun != "true" && c.dryRun != "false" {
		return nil, &theming.Error{Cause: theming.Payload, Messages: []string{"dryRun: must be true or false"}}
	}
	changes, err := Apply(ctx, h.config.Store, file, c.dryRun == "true", h.config.Now())
	// Also after a failure: a part of the file may be in force.
	return Changes{changes}, errors.Join(err, h.config.Keys.Reload(ctx, h.config.Store))
}

func (h *Handler) showTeams(ctx context.Context, _ call) (any, error) {
	return Teams(ctx, h.config.Store)
}

func (h *Handler) issueToken(ctx context.Context, _ call, order TokenOrder) (any, error) {
	if order.TTLSeconds == 0 {
		order.TTLSeconds = defaultTTLSeconds
	}
	// Beyond this a Duration would overflow; Issue refuses what is left of too much.
	ttl := time.Duration(max(-1, min(order.TTLSeconds, int64(auth.MaxTTL/time.Second)+1))) * time.Second
	token, expires, err := h.config.Keys.Issue(auth.Order{Subject: order.Subject, Audience: order.Audience, TTL: ttl})
	if errors.Is(err, auth.ErrOrder) {
		return nil, invalid([]string{err.Error()})
	}
	if err == nil {
		// Before anybody has the token: one that was issued and not noted must not be.
		err = Note(ctx, h.config.Store, h.config.Now(), record.Audit{
			Action: ActionToken, Target: "subject " + order.Subject,
			Changes: []string{fmt.Sprintf("a token for %s is valid until %s", cmp.Or(order.Audience, "the public API"), expires.Format(time.RFC3339))},
		})
	}
	var granted []auth.Granted
	if err == nil {
		granted, err = storage.Snapshot(ctx, h.config.Store, auth.Caller{Subject: order.Subject}.Environments)
	}
	if err != nil {
		return nil, err
	}
	return Token{token, expires, len(granted)}, nil
}

func (h *Handler) showServing(ctx context.Context, c call) (any, error) {
	return ShowServing(ctx, h.config.Store, c.theme)
}

func (h *Handler) setServing(ctx context.Context, c call, update ServingUpdate) (any, error) {
	if update.Mode != nil && *update.Mode == "signed" && h.config.Master == nil {
		return nil, errKeyless // the next start would refuse a store with a signed Theme
	}
	return SetServing(ctx, h.config.Store, c.theme, update, h.config.Now())
}

// KeyList is the answer to a list of signing keys.
type KeyList struct {
	Keys []SigningKey `json:"keys"`
}

func (h *Handler) listKeys(ctx context.Context, c call) (any, error) {
	keys, err := SigningKeys(ctx, h.config.Store, c.theme)
	return KeyList{keys}, err
}

func (h *Handler) addKey(ctx context.Context, c call) (any, error) {
	return AddSigningKey(ctx, h.config.Store, h.config.Master, c.theme, h.config.Now())
}

func (h *Handler) removeKey(ctx context.Context, c call) (any, error) {
	err := RemoveSigningKey(ctx, h.config.Store, c.theme, c.key, h.config.Now())
	if err != nil {
		return nil, err
	}
	return h.listKeys(ctx, c)
}

// Listen opens the operator socket at path for this user alone; PeerOf says whose its connections
// are. A socket that a process left
// behind when it ended is replaced; one on which a process answers is not.
func Listen(path string) (net.Listener, error) {
	if c, err := net.Dial("unix", path); err == nil {
		_ = c.Close()
		return nil, fmt.Errorf("operator: listen on %s: another process answers there", path)
	} else if errors.Is(err, syscall.ECONNREFUSED) {
		if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("operator: listen on %s: %w", path, err)
		}
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("operator: listen on %s: %w", path, err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		_ = listener.Close()
		return nil, fmt.Errorf("operator: listen on %s: %w", path, err)
	}
	return peerListener{listener}, nil
}
