package feed

import (
	"context"
	"errors"
	"fmt"

	"github.com/fasthttp/router"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/valyala/fasthttp"

	"example.com/livery/feedproto"
	"example.com/livery/origin/auth"
	"example.com/livery/origin/derive"
	"example.com/livery/origin/httpserver"
	"example.com/livery/origin/manifest"
	"example.com/livery/origin/theming"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
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
	token  feedproto.Token
	refuse Refuse
	router *router.Router

	log       *changes
	refreshes *responseCache[[]byte] // by the request's path and query
	blobs     *responseCache[[]byte] // by their names
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
		ctx: ctx, store: c.Store, master: c.Master, derive: c.Derive, token: feedproto.NewToken(c.Token), refuse: c.Refuse,
		log: newChanges(c.Store), refreshes: newResponseCache(keepRefreshBytes, keepRefresh, weight), blobs: newResponseCache(keepBlobBytes, keepBlob, weight),
	}
	h.router = httpserver.NewRouter(func(ctx *fasthttp.RequestCtx) { c.Refuse(ctx, &theming.Error{Cause: theming.NotFound}) })
	h.router.GET(feedproto.ChangesPath, h.changes)
	h.router.GET(feedproto.RefreshPath+"{environment}/{theme}", h.refresh)
	h.router.GET(feedproto.ThemesPath+"{environment}/{theme}", h.theme)
	h.router.GET(feedproto.ManifestsPath+"{environment}/{theme}", h.manifest)
	h.router.GET(feedproto.PairsPath+"{environment}/{theme}/{variant}/{version}", h.pair)
	h.router.GET(feedproto.PairsPath+"{environment}/{theme}/{variant}/{version}/{modes}", h.pair)
	h.router.GET(feedproto.BlobsPath+"{digest}", h.blob)
	h.router.GET(feedproto.ModulesPath, h.modules)
	return h
}

// Serve answers one request. It keeps nothing of ctx.
func (h *Handler) Serve(ctx *fasthttp.RequestCtx) {
	if !h.token.Authorizes(ctx.Request.Header.PeekAll(fasthttp.HeaderAuthorization)) {
		h.refuse(ctx, auth.ErrUnauthorized)
		return
	}
	h.router.Handler(ctx)
}

func (h *Handler) changes(ctx *fasthttp.RequestCtx) {
	cursor, err := storage.ParseCursor(string(ctx.QueryArgs().Peek("after")))
	query, fault := feedproto.ParsePoll(ctx.QueryArgs())
	if err != nil {
		fault = badCursor("after")
	}
	if fault != "" {
		h.refuse(ctx, &theming.Error{Cause: theming.Payload, Messages: []string{fault}})
		return
	}
	waiting, cancel := context.WithTimeout(h.ctx, query.Wait)
	defer cancel()
	answer, err := h.log.answer(waiting, poll{after: cursor, first: query.After == "", limit: query.Limit})
	if err != nil {
		h.answer(ctx, nil, err)
		return
	}
	ctx.SetContentType("application/json")
	ctx.Response.SetBodyRaw(answer.text)
}

func (h *Handler) theme(ctx *fasthttp.RequestCtx) {
	environment, theme := httpserver.PathParam(ctx, "environment"), httpserver.PathParam(ctx, "theme")
	if !safe(environment, theme) {
		h.answer(ctx, nil, missingTheme)
		return
	}
	var answer feedproto.Theme
	var keysOf string
	err := h.store.View(context.WithoutCancel(h.ctx), func(r storage.Reader) (err error) {
		answer, keysOf, err = readTheme(r, environment, theme)
		return err
	})
	if err == nil {
		answer.Serving.SigningKeys, err = h.opened(keysOf, answer.Serving.SigningKeys)
	}
	h.answer(ctx, answer, err)
}

// manifest answers with the manifest of a Theme.
func (h *Handler) manifest(ctx *fasthttp.RequestCtx) {
	answer := feedproto.Manifest{EnvironmentID: httpserver.PathParam(ctx, "environment"), ThemeID: httpserver.PathParam(ctx, "theme")}
	if !safe(answer.EnvironmentID, answer.ThemeID) {
		h.answer(ctx, nil, missingTheme)
		return
	}
	working := context.WithoutCancel(h.ctx)
	source, err := storage.Snapshot(working, h.store, func(r storage.Reader) (manifest.Source, error) {
		return readManifest(r, answer.EnvironmentID, answer.ThemeID)
	})
	if err == nil {
		var made manifest.Manifest
		if made, err = source.Make(working, h.derive); err == nil {
			answer.Content, err = json.Marshal(made, json.Deterministic(true), jsontext.EscapeForHTML(true), jsontext.EscapeForJS(true))
		}
	}
	h.answer(ctx, answer, err)
}

// readManifest reads what the manifest of a Theme is made from, or returns missing.
func readManifest(r storage.Reader, environmentID, themeID string) (s manifest.Source, err error) {
	environment, err := storage.Environments.Read(r, environmentID)
	if err != nil {
		return s, orMissing(err, missingTheme)
	}
	theme, err := storage.Themes.Read(r, environmentID, themeID)
	if err != nil {
		return s, orMissing(err, missingTheme)
	}
	s, err = manifest.Read(r, environment, theme)
	return s, orMissing(err, missingVersion)
}

// opened returns the signing keys with their secrets: edges have no master key.
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
	a := address{httpserver.PathParam(ctx, "environment"), httpserver.PathParam(ctx, "theme"), httpserver.PathParam(ctx, "variant"), httpserver.PathParam(ctx, "version"), httpserver.PathParam(ctx, "modes")}
	if !safe(a.environment, a.theme, a.variant, a.version) {
		h.answer(ctx, nil, missingTheme)
		return
	}
	working := context.WithoutCancel(h.ctx)
	var answer feedproto.PairInputs
	var source derive.Combination
	err := h.store.View(working, func(r storage.Reader) (err error) {
		answer.Pair, source, err = readPair(r, a)
		return err
	})
	if err == nil {
		answer.Overlay, err = h.derive.Combined(working, source)
	}
	if errors.Is(err, derive.ErrTooLarge) {
		err = missingModes
	}
	if err == nil {
		answer.Add(string(ctx.QueryArgs().Peek(feedproto.InputsParameter)), func(name record.Hash) ([]byte, error) { return h.blobOf(working, name) })
	}
	h.answer(ctx, answer, err)
}

func (h *Handler) blob(ctx *fasthttp.RequestCtx) {
	digest := record.Hash(httpserver.PathParam(ctx, "digest"))
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
	all, err := derive.Modules(context.WithoutCancel(h.ctx), h.store)
	h.answer(ctx, feedproto.Modules{Modules: all}, err)
}

// answer sends the body, or says which part of the address is missing, or refuses.
func (h *Handler) answer(ctx *fasthttp.RequestCtx, body any, err error) {
	var part missing
	if errors.As(err, &part) {
		body, err = feedproto.NotFound{Missing: string(part)}, nil
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
