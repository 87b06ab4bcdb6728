package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strconv"
)

// ListOptions selects a page of a list. The zero value asks for the first 100 items.
type ListOptions struct {
	Slug          string // exact match; Themes and Variants only
	Descending    bool   // by slug
	PageNumber    int    // from 1; 0 means 1
	PageSize      int    // 1 to 1000; 0 means 100
	IncludeTotals bool
}

func (o ListOptions) query() url.Values {
	q := url.Values{}
	if o.Slug != "" {
		q.Set("slug", o.Slug)
	}
	if o.Descending {
		q.Set("orderDir", "descending")
	}
	if o.PageNumber != 0 {
		q.Set("pageNumber", strconv.Itoa(o.PageNumber))
	}
	if o.PageSize != 0 {
		q.Set("pageSize", strconv.Itoa(o.PageSize))
	}
	if o.IncludeTotals {
		q.Set("includeTotals", "true")
	}
	return q
}

// Page is one page of a list.
type Page[T any] struct {
	Items      []T  `json:"items"`
	PageNumber int  `json:"pageNumber"`
	PageSize   int  `json:"pageSize"`
	PageCount  int  `json:"pageCount"`  // items on this page
	TotalCount *int `json:"totalCount"` // nil unless asked for
	TotalPages *int `json:"totalPages"` // nil unless asked for
}

// Environments returns a page of the Environments on which the caller has a grant. The slug filter
// does not apply.
func (c *Client) Environments(ctx context.Context, o ListOptions) (Page[Environment], error) {
	var page Page[Environment]
	o.Slug = ""
	err := c.call(ctx, request{method: http.MethodGet, path: []string{"environments"}, query: o.query()}, &page)
	return page, err
}

// EveryEnvironment goes through all Environments on which the caller has a grant, by slug. It
// ends after the first error.
func (c *Client) EveryEnvironment(ctx context.Context) iter.Seq2[Environment, error] {
	return every(func(o ListOptions) (Page[Environment], error) { return c.Environments(ctx, o) })
}

// Environment returns one Environment.
func (c *Client) Environment(ctx context.Context, environmentID string) (Environment, error) {
	var e Environment
	err := c.call(ctx, request{method: http.MethodGet, path: []string{"environments", environmentID}}, &e)
	return e, err
}

// every turns pages into one sequence.
func every[T any](list func(ListOptions) (Page[T], error)) iter.Seq2[T, error] {
	const size = 1000
	return func(yield func(T, error) bool) {
		for number := 1; ; number++ {
			page, err := list(ListOptions{PageNumber: number, PageSize: size})
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range page.Items {
				if !yield(item, nil) {
					return
				}
			}
			if len(page.Items) < size {
				return
			}
		}
	}
}
