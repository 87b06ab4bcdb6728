package feed

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

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

// ageHeader says since how many milliseconds what is answered has been known to be so.
const ageHeader = "Livery-Age"

// weight is what bytes take on a shelf.
func weight(b []byte) int { return cap(b) + shelvedBytes }

// refreshing is a question of an edge that heard of a change.
type refreshing struct {
	environment, theme string
	since              string // the cursor up to which the edge has heard; empty: it says nothing
	pairs              []string
	has                map[record.Hash]bool
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
	if q.since == "" {
		notBefore = time.Now()
	}
	working := context.WithoutCancel(h.ctx)
	text, begun, err := h.refreshes.take(key, notBefore, func() ([]byte, error) { return h.refreshed(working, q) })
	if err != nil {
		h.answer(ctx, nil, err)
		return
	}
	ctx.Response.Header.Set(ageHeader, strconv.FormatInt((time.Since(begun)+time.Millisecond-1).Milliseconds(), 10))
	ctx.SetContentType("application/octet-stream")
	ctx.Response.SetBodyRaw(text)
}

// parseRefreshing reads "since", and any number of "pair" and "has".
func parseRefreshing(ctx *fasthttp.RequestCtx) (q refreshing, fault string) {
	arguments := ctx.QueryArgs()
	q = refreshing{environment: param(ctx, "environment"), theme: param(ctx, "theme"), since: string(arguments.Peek("since")), has: map[record.Hash]bool{}}
	if _, err := storage.ParseCursor(q.since); err != nil {
		return q, "since: must be a cursor of this feed"
	}
	for _, pair := range arguments.PeekMulti("pair") {
		q.pairs = append(q.pairs, string(pair))
	}
	for _, name := range arguments.PeekMulti("has") {
		q.has[record.Hash(name)] = true
	}
	switch {
	case len(q.pairs) > record.MaxRefreshPairs:
		return q, "pair: must be at most " + strconv.Itoa(record.MaxRefreshPairs)
	case len(q.has) > record.MaxRefreshHas:
		return q, "has: must be at most " + strconv.Itoa(record.MaxRefreshHas)
	}
	return q, ""
}

// refreshed makes an answer. Pairs that are not there, or whose overlay would have to be compiled
// first, are left out: the edge asks for each of them, and waits only for what it asked.
func (h *Handler) refreshed(ctx context.Context, q refreshing) ([]byte, error) {
	var fed record.RefreshFed
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
	fed.AddBlobs(q.has, func(name record.Hash) ([]byte, error) { return h.blobOf(ctx, name) })
	return record.AppendRefresh(nil, fed)
}

func (q refreshing) pairsFed(r storage.Reader) ([]record.RefreshedPair, error) {
	all := []record.RefreshedPair{}
	for _, at := range q.pairs {
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
		all = append(all, record.RefreshedPair{Address: at, Pair: fed})
	}
	return all, nil
}

// blobOf returns a blob, read and checked once for all who ask in a while.
func (h *Handler) blobOf(ctx context.Context, name record.Hash) ([]byte, error) {
	blob, _, err := h.blobs.take(string(name), time.Time{}, func() ([]byte, error) { return h.derive.Blob(ctx, name) })
	return blob, err
}
