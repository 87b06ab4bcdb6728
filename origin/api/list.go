package api

import (
	"cmp"
	"slices"
	"strings"

	"github.com/valyala/fasthttp"

	"example.com/livery/origin/auth"
	"example.com/livery/origin/httpserver"
	"example.com/livery/storage"
)

// The bounds and defaults of lists.
const (
	defaultPageSize = 100
	maxPageSize     = 1000
	maxPageNumber   = 1<<31 - 1
)

// page is the part of a list that a request names.
type page struct {
	order  storage.Order
	number int
	size   int
	totals bool
	slug   *string // nil means every slug
}

// page reads the list parameters. filtered says whether the list knows the slug filter.
func (q *request) page(filtered bool) (page, error) {
	params := q.params()
	p := page{totals: params.boolean("includeTotals")}
	direction, given := params.text("orderDir")
	if given && direction != "ascending" && direction != "descending" {
		params.fault("orderDir", "must be ascending or descending")
	}
	p.order = storage.Order(direction == "descending")
	number, _ := params.integer("pageNumber", 1)
	size, _ := params.integer("pageSize", defaultPageSize)
	if slug, given := params.text("slug"); given && filtered {
		p.slug = &slug
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
	p.number, p.size = int(number), int(size)
	return p, invalid(faults...)
}

// window is a page of ids.
type window struct {
	ids   []string
	total int // of the whole list; right if the page asks for totals
}

// walk collects the page from an index without reading a record. parts are those of the index. If the list has
// a sparse index that counts right, it goes to the page without walking over those before it.
func (p page) walk(r storage.Reader, index storage.Index, counted bool, parts ...string) (w window, err error) {
	if p.slug != nil {
		return p.exact(r, index, parts)
	}
	if counted {
		if w, err = p.seek(r, index, parts); !isMissing(err) {
			return w, err
		}
	}
	skip := (p.number - 1) * p.size
	err = index.Scan(r, p.order, func(_, id string) bool {
		if w.total >= skip && len(w.ids) < p.size {
			w.ids = append(w.ids, id)
		}
		w.total++
		return p.totals || len(w.ids) < p.size
	}, parts...)
	return w, err
}

// seek is walk by a sparse index: storage.ErrNotFound if there is none.
func (p page) seek(r storage.Reader, index storage.Index, parts []string) (w window, err error) {
	blocks, err := index.Blocks(r, parts...)
	if err != nil {
		return w, err
	}
	for _, b := range blocks.Blocks {
		w.total += b.Count
	}
	err = index.ScanFrom(r, blocks, p.order, (p.number-1)*p.size, func(_, id string) bool {
		w.ids = append(w.ids, id)
		return len(w.ids) < p.size
	}, parts...)
	return w, err
}

// exact finds the one entry of a slug. A slug with a zero byte is not valid, and must not become
// part of a key.
func (p page) exact(r storage.Reader, index storage.Index, parts []string) (window, error) {
	if strings.IndexByte(*p.slug, 0) >= 0 {
		return window{}, nil
	}
	id, err := index.Read(r, *p.slug, parts...)
	switch {
	case isMissing(err):
		return window{}, nil
	case err != nil:
		return window{}, err
	case p.number > 1:
		return window{total: 1}, nil
	}
	return window{[]string{id}, 1}, nil
}

// listBody is the envelope of every list.
type listBody struct {
	TotalCount *int `json:"totalCount,omitzero"`
	TotalPages *int `json:"totalPages,omitzero"`
	PageSize   int  `json:"pageSize"`
	PageNumber int  `json:"pageNumber"`
	PageCount  int  `json:"pageCount"` // items on this page
	Items      any  `json:"items"`
}

// listAnswer returns one page of a list.
func listAnswer[T any](p page, items []T, total int) (httpserver.Answer, error) {
	body := listBody{PageSize: p.size, PageNumber: p.number, PageCount: len(items), Items: items}
	if p.totals {
		pages := (total + p.size - 1) / p.size
		body.TotalCount, body.TotalPages = &total, &pages
	}
	return bare(fasthttp.StatusOK, body)
}

// prefetch reads the records of a page together if that is cheaper. parts are those of the table before the id.
func prefetch[T any](r storage.Reader, ids []string, t storage.Table[T], parts ...string) error {
	keys := make([][]byte, len(ids))
	for i, id := range ids {
		keys[i] = t.Key(append(slices.Clip(parts), id)...)
	}
	return storage.Prefetch(r, keys...)
}

// list lists the Environments on which the caller has a grant, and counts no others.
func (h environments) list(r storage.Reader, q *request, _ target) (httpserver.Answer, error) {
	p, err := q.page(false)
	if err != nil {
		return httpserver.Answer{}, err
	}
	granted, err := q.caller.Environments(r)
	if err != nil {
		return httpserver.Answer{}, err
	}
	slices.SortFunc(granted, func(a, b auth.Granted) int {
		return cmp.Or(strings.Compare(a.Environment.Slug, b.Environment.Slug), strings.Compare(a.Environment.ID, b.Environment.ID))
	})
	if p.order == storage.Descending {
		slices.Reverse(granted)
	}
	start := min((p.number-1)*p.size, len(granted))
	end := min(start+p.size, len(granted))
	items := []environmentBody{}
	for _, g := range granted[start:end] {
		items = append(items, newEnvironmentBody(g.Environment, g.Role))
	}
	return listAnswer(p, items, len(granted))
}

func (h environments) show(_ storage.Reader, _ *request, t target) (httpserver.Answer, error) {
	return bare(fasthttp.StatusOK, newEnvironmentBody(t.environment, t.role))
}
