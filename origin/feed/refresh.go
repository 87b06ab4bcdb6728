package feed

import (
	"context"
	"errors"
	"time"

	"github.com/valyala/fasthttp"

	"example.com/livery/feedproto"
	"example.com/livery/origin/httpserver"
	"example.com/livery/origin/theming"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// How long, and how many bytes, are cached of what all edges ask for in the moments after a change.
const (
	keepRefresh      = 100 * time.Millisecond
	keepRefreshBytes = 16 << 20
	keepBlob         = 5 * time.Second
	keepBlobBytes    = 16 << 20
	entryBytes       = 512 // of an entry, beside its value
)

// CacheBytes is what the caches of a Handler take at most.
const CacheBytes = keepRefreshBytes + keepBlobBytes + keepPollBytes

// weight is what an answer takes in a cache, in bytes.
func weight(b []byte) int { return cap(b) + entryBytes }

// refreshRequest is the request of an edge that learned of a change.
type refreshRequest struct {
	environment, theme string
	feedproto.RefreshQuery
}

// refresh answers with a Theme, with pairs of it, and with what they are made from. Edges that have
// learned of the same change and cache the same send the same request, and get the same bytes.
func (h *Handler) refresh(ctx *fasthttp.RequestCtx) {
	key := string(ctx.RequestURI())
	q, fault := parseRefreshRequest(ctx)
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
	text, begun, err := h.refreshes.get(key, notBefore, func() ([]byte, error) { return h.makeRefresh(working, q) })
	if err != nil {
		h.answer(ctx, nil, err)
		return
	}
	ctx.Response.Header.Set(feedproto.AgeHeader, feedproto.FormatAge(time.Since(begun)))
	ctx.SetContentType("application/octet-stream")
	ctx.Response.SetBodyRaw(text)
}

func parseRefreshRequest(ctx *fasthttp.RequestCtx) (q refreshRequest, fault string) {
	query, fault := feedproto.ParseRefreshQuery(ctx.QueryArgs())
	if _, err := storage.ParseCursor(query.Since); err != nil {
		fault = badCursor("since")
	}
	return refreshRequest{httpserver.PathParam(ctx, "environment"), httpserver.PathParam(ctx, "theme"), query}, fault
}

// badCursor refuses the cursor in a parameter.
func badCursor(parameter string) string { return parameter + ": must be a cursor of this feed" }

// makeRefresh makes an answer. Pairs that are not there, or whose overlay would have to be compiled
// first, are left out: the edge requests each of them on its own.
func (h *Handler) makeRefresh(ctx context.Context, q refreshRequest) ([]byte, error) {
	var answer feedproto.Refresh
	var keysOf string
	err := h.store.View(ctx, func(r storage.Reader) (err error) {
		if answer.Theme, keysOf, err = readTheme(r, q.environment, q.theme); err != nil {
			return err
		}
		answer.Pairs, err = h.readPairs(r, q)
		return err
	})
	if err == nil {
		answer.Theme.Serving.SigningKeys, err = h.opened(keysOf, answer.Theme.Serving.SigningKeys)
	}
	if err != nil {
		return nil, err
	}
	answer.AddBlobs(q.Has, func(name record.Hash) ([]byte, error) { return h.blobOf(ctx, name) })
	return feedproto.AppendRefresh(nil, answer)
}

func (h *Handler) readPairs(r storage.Reader, q refreshRequest) ([]feedproto.RefreshPair, error) {
	all := []feedproto.RefreshPair{}
	for _, at := range q.Pairs {
		a, ok := parseAddress(q.environment, q.theme, at)
		if !ok {
			continue
		}
		answer, source, err := readPair(r, a)
		var part missing
		if errors.As(err, &part) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if answer.Overlay, ok = h.derive.Compiled(source); ok {
			all = append(all, feedproto.RefreshPair{Address: at, Pair: answer})
		}
	}
	return all, nil
}

// blobOf returns a blob, read and checked once for all requests of a while.
func (h *Handler) blobOf(ctx context.Context, name record.Hash) ([]byte, error) {
	blob, _, err := h.blobs.get(string(name), time.Time{}, func() ([]byte, error) { return h.derive.Blob(ctx, name) })
	return blob, err
}
