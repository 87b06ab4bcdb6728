package api

import (
	"bufio"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"example.com/livery/origin/api/listing"
	"example.com/livery/origin/auth"
	"example.com/livery/origin/events"
	"example.com/livery/origin/httpserver"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// The bounds and defaults of lists.
const (
	defaultPageSize = 100
	maxPageSize     = 1000
	maxPageNumber   = 1<<31 - 1
)

// page is the part of a list that a request names.
type page struct {
	listing.Query
	state    string // of the deliveries on a list of them; empty means any
	numbered bool   // the request names the page by its number
}

// page reads the list parameters. filtered says whether the list knows the filters by slug and by draft.
func (q *request) page(filtered bool) (page, error) {
	params := q.params()
	state, _ := params.text("state")
	p := page{state: state, Query: listing.Query{
		List:   strings.Join([]string{q.route.Path, q.environmentID, q.themeID, q.variantID, q.webhookID, state}, " "),
		Totals: params.boolean("includeTotals"),
	}}
	p.Descending = params.word("orderDir", "ascending", "descending") == "descending"
	p.ByTime = params.word("orderBy", "slug", "updatedAt") == "updatedAt"
	number, numbered := params.integer("pageNumber", 1)
	size, _ := params.integer("pageSize", defaultPageSize)
	p.Filter = params.filter(filtered)
	p.numbered = numbered
	if after, given := params.text("after"); given {
		place, err := p.ParseCursor(after)
		p.After = &place
		if err != nil {
			params.fault("after", err.Error())
		}
		if numbered {
			params.fault("after", "stands beside pageNumber; send one of them")
		}
	}
	if err := params.err(); err != nil {
		return p, err
	}
	var faults []string
	if number < 1 || number > maxPageNumber {
		faults = append(faults, "pageNumber: must be 1 to 2147483647")
	}
	if size < 1 || size > maxPageSize {
		faults = append(faults, "pageSize: must be 1 to 1000")
	}
	if states := storage.DeliveryStates(); state != "" && !slices.Contains(states, state) {
		faults = append(faults, "state: must be one of "+strings.Join(states, ", "))
	}
	p.Number, p.Size = int(number), int(size)
	return p, invalid(faults...)
}

// word reads one of two words; the first is the default.
func (p *params) word(name, first, second string) string {
	value, given := p.text(name)
	if given && value != first && value != second {
		p.fault(name, "must be "+first+" or "+second)
	}
	return value
}

// labelPrefix begins the names of the parameters that filter by a label.
const labelPrefix = "label."

// filter reads the filters of a list.
func (p *params) filter(filtered bool) (f listing.Filter) {
	f.Text, _ = p.text("q")
	for name, values := range p.q.query {
		if key, ok := strings.CutPrefix(name, labelPrefix); ok {
			for _, value := range values {
				f.Labels = append(f.Labels, listing.Label{Key: key, Value: value})
			}
		}
	}
	if !filtered {
		return f
	}
	if slug, given := p.text("slug"); given {
		f.Slug = &slug
	}
	if _, given := p.text("hasUnpublishedChanges"); given {
		unpublished := p.boolean("hasUnpublishedChanges")
		f.Unpublished = &unpublished
	}
	return f
}

// listBody is the envelope of every list.
type listBody struct {
	TotalCount *int   `json:"totalCount,omitzero"`
	TotalPages *int   `json:"totalPages,omitzero"`
	PageSize   int    `json:"pageSize"`
	PageNumber int    `json:"pageNumber"` // that the request names, else 1
	PageCount  int    `json:"pageCount"`  // items on this page
	Items      any    `json:"items"`
	Next       string `json:"next,omitzero"` // none on the last page, and if the request names a number
}

func newListBody[T any](p page, items []T, w listing.Window) listBody {
	body := listBody{PageSize: p.Size, PageNumber: p.Number, PageCount: len(items), Items: items}
	if !p.numbered {
		body.Next = w.Next
	}
	if p.Totals {
		pages := (w.Total + p.Size - 1) / p.Size
		body.TotalCount, body.TotalPages = &w.Total, &pages
	}
	return body
}

// listAnswer returns one page of a list.
func listAnswer[T any](p page, items []T, w listing.Window) (httpserver.Answer, error) {
	return bare(fasthttp.StatusOK, newListBody(p, items, w))
}

// rows collects a page of a list that is in the order of the keys of a table.
type rows[T any] struct {
	page
	items []T
	next  string
	last  string // key of the last item
}

// add adds the item of a row, and reports whether the page lacks another.
func (l *rows[T]) add(key string, item T) (more bool) {
	if len(l.items) == l.Size {
		l.next = l.CursorAfterKey(l.last)
		return false
	}
	l.items, l.last = append(l.items, item), key
	return true
}

// answer returns the page once the scan that called add has ended with err.
func (l *rows[T]) answer(err error) (httpserver.Answer, error) {
	if err != nil {
		return httpserver.Answer{}, err
	}
	return listAnswer(l.page, l.items, listing.Window{Next: l.next})
}

// prefetch reads the records of a page together if that is cheaper. parts are those of the table before the id.
func prefetch[T any](r storage.Reader, ids []string, t storage.Table[T], parts ...string) error {
	keys := make([][]byte, len(ids))
	for i, id := range ids {
		keys[i] = t.Key(append(slices.Clip(parts), id)...)
	}
	return storage.Prefetch(r, keys...)
}

// listEnvironments lists the Environments on which the caller has a grant, and counts no others.
func listEnvironments(r storage.Reader, q *request, _ target) (httpserver.Answer, error) {
	p, err := q.page(false)
	if err != nil {
		return httpserver.Answer{}, err
	}
	granted, err := q.caller.Environments(r)
	if err != nil {
		return httpserver.Answer{}, err
	}
	byID := make(map[string]auth.Granted, len(granted))
	listed := make([]record.Listed, len(granted))
	for i, g := range granted {
		e := g.Environment
		byID[e.ID] = g
		listed[i] = record.Listed{ID: e.ID, Slug: e.Slug, DisplayName: e.DisplayName, Metadata: e.Metadata, UpdatedAt: e.UpdatedAt}
	}
	w := listing.Choose(listed, p.Query)
	items := []environmentBody{}
	for _, id := range w.IDs {
		items = append(items, newEnvironmentBody(byID[id].Environment, byID[id].Role))
	}
	return listAnswer(p, items, w)
}

func showEnvironment(_ storage.Reader, _ *request, t target) (httpserver.Answer, error) {
	return bare(fasthttp.StatusOK, newEnvironmentBody(t.environment, t.role))
}

// eventLists answers about the events of an Environment.
type eventLists struct {
	store storage.Store
	now   func() time.Time
}

// eventList is a page of events.
type eventList struct {
	listBody
	Missed bool `json:"missed"` // events after the cursor are not kept any more, or the cursor is of another history
}

// list lists the events after the one that the query names, oldest first, or those before it, newest first, or goes on with
// them as they come.
func (h eventLists) list(r storage.Reader, q *request, t target) (httpserver.Answer, error) {
	params := q.params()
	after, given := params.text("after")
	streams := strings.Contains(q.accept, "text/event-stream") && !q.head
	name := "after"
	if streams && q.lastEventID != "" {
		after, given, name = q.lastEventID, true, "Last-Event-ID"
	}
	cursor, err := events.ParseCursor(after)
	if err != nil {
		params.fault(name, err.Error())
	}
	limit, _ := params.integer("limit", defaultPageSize)
	newestFirst := params.word("orderDir", "ascending", "descending") == "descending"
	if newestFirst && streams {
		params.fault("orderDir", "a stream goes on with the events as they come; ask for a list")
	}
	if err := params.err(); err != nil {
		return httpserver.Answer{}, err
	}
	if limit < 1 || limit > maxPageSize {
		return httpserver.Answer{}, invalid("limit: must be 1 to 1000")
	}
	if !streams {
		var p events.Page
		if newestFirst {
			p, err = events.ReadBack(r, t.environment.ID, cursor, int(limit), t.identifies(), h.now())
		} else {
			p, _, err = events.Read(r, t.environment.ID, cursor, int(limit), t.identifies(), h.now())
		}
		if err != nil {
			return httpserver.Answer{}, err
		}
		asked := page{Query: listing.Query{Number: 1, Size: int(limit)}}
		return bare(fasthttp.StatusOK, eventList{newListBody(asked, p.Items, listing.Window{Next: p.Next}), p.Missed})
	}
	if !given {
		if cursor, err = events.End(r, t.environment.ID); err != nil {
			return httpserver.Answer{}, err
		}
	}
	s := events.Stream{
		Store: h.store, Environment: t.environment.ID, After: cursor, Now: h.now,
		Allowed: func(r storage.Reader) (identities bool, err error) {
			t, err := resolve(r, q)
			return t.identifies(), err
		},
	}
	return httpserver.Answer{Status: fasthttp.StatusOK, Stream: func(ctx context.Context, w *bufio.Writer, flush func(*bufio.Writer) error) {
		s.Flush = flush
		s.Run(ctx, w)
	}}, nil
}

// admit counts the stream of an answer among those of the caller's Team while it lasts, and refuses it if the Team has too many.
// The stream ends with the origin, and when the caller has opened too many others since.
func (h *Handler) admit(q *request, a httpserver.Answer) httpserver.Answer {
	place := h.places.For(q.sharer)
	if place.Resize(1) != nil {
		return httpserver.Overloaded(fasthttp.StatusTooManyRequests, httpserver.CauseRateLimit)
	}
	open, end := h.streams.Begin(h.config.Streams, q.caller.Subject)
	run := a.Stream
	a.Stream = func(client context.Context, w *bufio.Writer, flush func(*bufio.Writer) error) {
		defer place.Release()
		defer end()
		defer context.AfterFunc(client, end)()
		defer func() {
			if p := recover(); p != nil {
				_ = h.refuse(q, httpserver.Panicked(p)) // logs it; the answer has begun
			}
		}()
		run(open, w, flush)
	}
	return a
}

// callerBody is what a caller is and may do.
type callerBody struct {
	Subject string      `json:"subject"`
	Issuer  string      `json:"issuer"` // of the token
	Teams   []teamBody  `json:"teams"`
	Grants  []grantBody `json:"grants"`
	Limits  limitsBody  `json:"limits"`
}

type teamBody struct {
	ID               string      `json:"id"`
	Slug             string      `json:"slug"`
	Plan             record.Plan `json:"plan"`
	VariantsPerTheme int         `json:"variantsPerTheme"`
}

type grantBody struct {
	EnvironmentID string      `json:"environmentID"`
	Slug          string      `json:"slug"` // of the Environment
	Role          record.Role `json:"role"`
}

// limitsBody are the limits of this server, as far as a client can meet them.
type limitsBody struct {
	BodyBytes          int      `json:"bodyBytes"`
	DocumentBytes      int      `json:"documentBytes"`
	NestingLevels      int      `json:"nestingLevels"`
	OperationsPerBatch int      `json:"operationsPerBatch"`
	NameCharacters     int      `json:"nameCharacters"`
	PageSize           int      `json:"pageSize"`
	RequestsPerSecond  *float64 `json:"requestsPerSecond"` // null means no limit
}

// showCaller answers who the caller is, the Teams that it reaches, and its grants, each as the list of Environments has them.
func showCaller(r storage.Reader, q *request, _ target) (httpserver.Answer, error) {
	teams, err := q.caller.Teams(r)
	if err != nil {
		return httpserver.Answer{}, err
	}
	granted, err := q.caller.Environments(r)
	if err != nil {
		return httpserver.Answer{}, err
	}
	l := q.limits
	body := callerBody{
		Subject: q.caller.Subject, Issuer: q.caller.Issuer, Teams: []teamBody{}, Grants: []grantBody{},
		Limits: limitsBody{l.BodyBytes, l.DocumentBytes, l.Depth, l.Operations, l.NameCharacters, maxPageSize, nil},
	}
	if l.RequestsPerSecond > 0 {
		body.Limits.RequestsPerSecond = &l.RequestsPerSecond
	}
	for _, t := range teams {
		body.Teams = append(body.Teams, teamBody{t.ID, t.Slug, t.Plan, t.Plan.VariantsPerTheme()})
	}
	for _, g := range granted {
		body.Grants = append(body.Grants, grantBody{g.Environment.ID, g.Environment.Slug, g.Role})
	}
	return bare(fasthttp.StatusOK, body)
}
