package feed

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/fasthttp/router"
	"github.com/go-json-experiment/json"
	"github.com/valyala/fasthttp"

	"example.com/livery/origin/auth"
	"example.com/livery/origin/derive"
	"example.com/livery/origin/theming"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// The bounds of a request for changes.
const (
	maxWait      = 55 * time.Second
	defaultLimit = 1000
	maxLimit     = 10000
)

// Refuse answers a request with an error: a *theming.Error as the refusal it is, anything else as a
// failure that shows nothing of itself.
type Refuse func(ctx *fasthttp.RequestCtx, err error)

// Handler answers edges that carry the feed token. Its methods may be called concurrently.
type Handler struct {
	ctx    context.Context // ends every wait
	store  storage.Store
	master *auth.Master
	derive *derive.Deriver
	token  [sha256.Size]byte
	refuse Refuse
	router *router.Router

	told      *changes
	refreshes *shelf[[]byte] // answers, by the words of the question
	blobs     *shelf[[]byte] // by their names
}

// Config is what a Handler needs. Every field but Master must be given.
type Config struct {
	Store  storage.Store
	Master *auth.Master // opens signing keys
	Derive *derive.Deriver
	Token  string // what edges must carry
	Refuse Refuse
}

// NewHandler returns a Handler over the store for edges that carry the token. Requests that wait for
// changes are answered when ctx ends.
func NewHandler(ctx context.Context, c Config) *Handler {
	h := &Handler{
		ctx: ctx, store: c.Store, master: c.Master, derive: c.Derive, token: sha256.Sum256([]byte(c.Token)), refuse: c.Refuse, router: router.New(),
		told: newChanges(c.Store), refreshes: newShelf(keepRefreshBytes, keepRefresh, weight), blobs: newShelf(keepBlobBytes, keepBlob, weight),
	}
	refuse := c.Refuse
	h.router.RedirectTrailingSlash, h.router.RedirectFixedPath = false, false
	h.router.HandleOPTIONS, h.router.HandleMethodNotAllowed = false, false
	h.router.NotFound = func(ctx *fasthttp.RequestCtx) { refuse(ctx, &theming.Error{Cause: theming.NotFound}) }
	h.router.GET("/feed/v1/changes", h.changes)
	h.router.GET("/feed/v1/refresh/{environment}/{theme}", h.refresh)
	h.router.GET("/feed/v1/themes/{environment}/{theme}", h.theme)
	h.router.GET("/feed/v1/pairs/{environment}/{theme}/{variant}/{version}", h.pair)
	h.router.GET("/feed/v1/blobs/{digest}", h.blob)
	h.router.GET("/feed/v1/modules", h.modules)
	return h
}

// Serve answers one request. It keeps nothing of ctx.
func (h *Handler) Serve(ctx *fasthttp.RequestCtx) {
	if !h.authorized(ctx) {
		h.refuse(ctx, auth.ErrUnauthorized)
		return
	}
	h.router.Handler(ctx)
}

// authorized compares digests, so that neither content nor length of the token shows in the time.
func (h *Handler) authorized(ctx *fasthttp.RequestCtx) bool {
	lines := ctx.Request.Header.PeekAll("Authorization")
	if len(lines) != 1 {
		return false
	}
	scheme, token, _ := strings.Cut(string(lines[0]), " ")
	sum := sha256.Sum256([]byte(token))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(sum[:], h.token[:]) == 1
}

func (h *Handler) changes(ctx *fasthttp.RequestCtx) {
	p, wait, fault := parsePoll(string(ctx.QueryArgs().Peek("after")), string(ctx.QueryArgs().Peek("wait")), string(ctx.QueryArgs().Peek("limit")))
	if fault != "" {
		h.refuse(ctx, &theming.Error{Cause: theming.Payload, Messages: []string{fault}})
		return
	}
	waiting, cancel := context.WithTimeout(h.ctx, wait)
	defer cancel()
	fed, err := h.told.fed(waiting, p)
	if err != nil {
		h.answer(ctx, nil, err)
		return
	}
	ctx.SetContentType("application/json")
	ctx.Response.SetBodyRaw(fed.text)
}

func parsePoll(after, wait, limit string) (p poll, duration time.Duration, fault string) {
	cursor, err := storage.ParseCursor(after)
	if err != nil {
		return p, 0, "after: must be a cursor of this feed"
	}
	seconds, ok := bounded(wait, 0, 0, int(maxWait/time.Second))
	if !ok {
		return p, 0, "wait: must be 0 to 55 seconds"
	}
	p = poll{after: cursor, first: after == ""}
	if p.limit, ok = bounded(limit, defaultLimit, 1, maxLimit); !ok {
		return p, 0, "limit: must be 1 to 10000"
	}
	return p, time.Duration(seconds) * time.Second, ""
}

// bounded reads a number between least and most; an empty text is fallback.
func bounded(text string, fallback, least, most int) (int, bool) {
	if text == "" {
		return fallback, true
	}
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= least && n <= most
}

func (h *Handler) theme(ctx *fasthttp.RequestCtx) {
	environment, theme := param(ctx, "environment"), param(ctx, "theme")
	if !safe(environment, theme) {
		h.answer(ctx, nil, missingTheme)
		return
	}
	var fed record.ThemeFed
	err := h.store.View(context.WithoutCancel(h.ctx), func(r storage.Reader) (err error) {
		fed, err = themeFed(r, environment, theme)
		return err
	})
	if err == nil {
		fed.Serving.SigningKeys, err = h.opened(theme, fed.Serving.SigningKeys)
	}
	h.answer(ctx, fed, err)
}

// opened returns the signing keys with their secrets: edges hold no master key.
func (h *Handler) opened(themeID string, keys []record.SigningKey) ([]record.SigningKey, error) {
	opened := make([]record.SigningKey, len(keys))
	for i, key := range keys {
		var err error
		if opened[i], err = h.master.OpenKey(themeID, key); err != nil {
			return nil, fmt.Errorf("feed: theme %q: %w", themeID, err)
		}
	}
	return opened, nil
}

func (h *Handler) pair(ctx *fasthttp.RequestCtx) {
	a := address{param(ctx, "environment"), param(ctx, "theme"), param(ctx, "variant"), param(ctx, "version")}
	if !safe(a.environment, a.theme, a.variant, a.version) {
		h.answer(ctx, nil, missingTheme)
		return
	}
	working := context.WithoutCancel(h.ctx)
	var fed record.PairFed
	var of derive.Pair
	err := h.store.View(working, func(r storage.Reader) (err error) {
		fed, of, err = pairFed(r, a)
		return err
	})
	if err == nil {
		fed.Overlay, err = h.derive.Overlay(working, of)
	}
	h.answer(ctx, fed, err)
}

func (h *Handler) blob(ctx *fasthttp.RequestCtx) {
	digest := record.Hash(param(ctx, "digest"))
	if !digest.Valid() {
		h.answer(ctx, nil, missingBlob)
		return
	}
	blob, err := h.blobOf(context.WithoutCancel(h.ctx), digest)
	if err != nil {
		h.answer(ctx, nil, orMissing(err, missingBlob))
		return
	}
	ctx.SetContentType("application/octet-stream")
	ctx.Response.SetBodyRaw(blob)
}

func (h *Handler) modules(ctx *fasthttp.RequestCtx) {
	all, err := modules(context.WithoutCancel(h.ctx), h.store)
	h.answer(ctx, struct {
		Modules []record.Module `json:"modules"`
	}{all}, err)
}

// param returns a copy of a path parameter: the server lends it for this request only.
func param(ctx *fasthttp.RequestCtx, name string) string {
	value, _ := ctx.UserValue(name).(string)
	return strings.Clone(value)
}

// answer sends the body, or says which part of the address is missing, or refuses.
func (h *Handler) answer(ctx *fasthttp.RequestCtx, body any, err error) {
	var part missing
	if errors.As(err, &part) {
		body, err = struct {
			Missing missing `json:"missing"`
		}{part}, nil
		ctx.SetStatusCode(fasthttp.StatusNotFound)
	}
	var text []byte
	if err == nil {
		text, err = json.Marshal(body)
	}
	if err != nil {
		h.refuse(ctx, fmt.Errorf("feed: %w", err))
		return
	}
	ctx.SetContentType("application/json")
	ctx.SetBody(text)
}
