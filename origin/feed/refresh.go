package feed

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"example.com/livery/feedproto"
	"example.com/livery/origin/derive"
	"example.com/livery/origin/theming"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// How long, and how much, is kept of what all edges ask for in the moments after a change.
const (
	keepRefresh      = 100 * time.Millisecond
	keepRefreshBytes = 16 << 20
	keepBlob         = 5 * time.Second
	keepBlobBytes    = 16 << 20
	shelvedBytes     = 512 // of what is kept, besides its bytes
)

// CacheBytes is what a Handler keeps of answers at most.
const CacheBytes = keepRefreshBytes + keepBlobBytes + keepPollBytes

// weight is what bytes take on a shelf.
func weight(b []byte) int { return cap(b) + shelvedBytes }

// refreshing is a question of an edge that heard of a change.
type refreshing struct {
	environment, theme string
	feedproto.RefreshQuery
}

// refresh answers with a Theme, with pairs of it, and with what they are made from. Edges that have
// heard of the same change and hold the same ask with the same words, and get the same bytes.
func (h *Handler) refresh(ctx *fasthttp.RequestCtx) {
	key := string(ctx.RequestURI())
	q, fault := parseRefreshing(ctx)
	if fault != "" {
		h.refuse(ctx, &theming.Error{Cause: theming.Payload, Messages: []string{fault}})
		return
	}
	if !safe(q.environment, q.theme) {
		h.answer(ctx, nil, missingTheme)
		return
	}
	notBefore := time.Time{}
	if q.Since == "" {
		notBefore = time.Now()
	}
	working := context.WithoutCancel(h.ctx)
	text, begun, err := h.refreshes.take(key, notBefore, func() ([]byte, error) { return h.refreshed(working, q) })
	if err != nil {
		h.answer(ctx, nil, err)
		return
	}
	ctx.Response.Header.Set(feedproto.AgeHeader, feedproto.FormatAge(time.Since(begun)))
	ctx.SetContentType("application/octet-stream")
	ctx.Response.SetBodyRaw(text)
}

func parseRefreshing(ctx *fasthttp.RequestCtx) (q refreshing, fault string) {
	query, fault := feedproto.ParseRefreshQuery(ctx.QueryArgs())
	if _, err := storage.ParseCursor(query.Since); err != nil {
		fault = badCursor("since")
	}
	return refreshing{param(ctx, "environment"), param(ctx, "theme"), query}, fault
}

// badCursor refuses the cursor in a parameter.
func badCursor(parameter string) string { return parameter + ": must be a cursor of this feed" }

// refreshed makes an answer. Pairs that are not there, or whose overlay would have to be compiled
// first, are left out: the edge asks for each of them, and waits only for what it asked.
func (h *Handler) refreshed(ctx context.Context, q refreshing) ([]byte, error) {
	var fed feedproto.Refresh
	err := h.store.View(ctx, func(r storage.Reader) (err error) {
		if fed.Theme, err = themeFed(r, q.environment, q.theme); err != nil {
			return err
		}
		fed.Pairs, err = q.pairsFed(r)
		return err
	})
	if err == nil {
		fed.Theme.Serving.SigningKeys, err = h.opened(q.theme, fed.Theme.Serving.SigningKeys)
	}
	if err != nil {
		return nil, err
	}
	fed.AddBlobs(q.Has, func(name record.Hash) ([]byte, error) { return h.blobOf(ctx, name) })
	return feedproto.AppendRefresh(nil, fed)
}

func (q refreshing) pairsFed(r storage.Reader) ([]feedproto.RefreshPair, error) {
	all := []feedproto.RefreshPair{}
	for _, at := range q.Pairs {
		variant, version, _ := strings.Cut(at, "/")
		if !safe(variant, version) {
			continue
		}
		fed, of, err := pairFed(r, address{q.environment, q.theme, variant, version})
		var part missing
		if errors.As(err, &part) || err == nil && derive.Lacks(of.Record) {
			continue
		}
		if err != nil {
			return nil, err
		}
		fed.Overlay = of.Record.Overlay
		all = append(all, feedproto.RefreshPair{Address: at, Pair: fed})
	}
	return all, nil
}

// blobOf returns a blob, read and checked once for all who ask in a while.
func (h *Handler) blobOf(ctx context.Context, name record.Hash) ([]byte, error) {
	blob, _, err := h.blobs.take(string(name), time.Time{}, func() ([]byte, error) { return h.derive.Blob(ctx, name) })
	return blob, err
}
