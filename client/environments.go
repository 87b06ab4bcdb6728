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
	Slug          string            // exact match; Themes and Variants only
	Text          string            // a part of slug or display name, whatever the case; empty means any
	Unpublished   *bool             // whether there is a draft; nil means any; Themes and Variants only
	Labels        map[string]string // what the labels must hold
	ByTime        bool              // ordered by updatedAt; else by slug
	Descending    bool
	PageNumber    int    // from 1; 0 means 1
	After         string // Page.Next of the page before: nothing is skipped if an item is deleted; not beside PageNumber
	PageSize      int    // 1 to 1000; 0 means 100
	IncludeTotals bool
}

func (o ListOptions) query() url.Values {
	q := queryOf("slug", o.Slug, "q", o.Text, "after", o.After, "pageNumber", o.PageNumber, "pageSize", o.PageSize, "includeTotals", o.IncludeTotals)
	if o.Unpublished != nil {
		q.Set("hasUnpublishedChanges", strconv.FormatBool(*o.Unpublished))
	}
	for key, value := range o.Labels {
		q.Set("label."+key, value)
	}
	if o.ByTime {
		q.Set("orderBy", "updatedAt")
	}
	if o.Descending {
		q.Set("orderDir", "descending")
	}
	return q
}

// Page is one page of a list.
type Page[T any] struct {
	Items      []T    `json:"items"`
	PageNumber int    `json:"pageNumber"` // that was asked for, else 1
	PageSize   int    `json:"pageSize"`
	PageCount  int    `json:"pageCount"`  // items on this page
	TotalCount *int   `json:"totalCount"` // nil unless asked for
	TotalPages *int   `json:"totalPages"` // nil unless asked for
	Next       string `json:"next"`       // ListOptions.After of the next page; empty on the last, and of a page by its number
}

// Environments returns a page of the Environments on which the caller has a grant. The slug filter
// and the filter by draft do not apply.
func (c *Client) Environments(ctx context.Context, o ListOptions) (Page[Environment], error) {
	o.Slug, o.Unpublished = "", nil
	return get[Page[Environment]](ctx, c, []string{"environments"}, o.query())
}

// EveryEnvironment goes through all Environments on which the caller has a grant, by slug. It
// ends after the first error.
func (c *Client) EveryEnvironment(ctx context.Context) iter.Seq2[Environment, error] {
	return every(func(o ListOptions) (Page[Environment], error) { return c.Environments(ctx, o) })
}

// Environment returns one Environment.
func (c *Client) Environment(ctx context.Context, environmentID string) (Environment, error) {
	return fetch[Environment](ctx, c, request{method: http.MethodGet, path: []string{"environments", environmentID}})
}

// every turns the pages of a list into one sequence.
func every[T any](list func(ListOptions) (Page[T], error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for o := (ListOptions{PageSize: 1000}); ; {
			page, err := list(o)
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
			if o.After = page.Next; o.After == "" {
				return
			}
		}
	}
}

// Login is an OpenID Connect issuer at which people log in with the device authorization grant (RFC 8628).
type Login struct {
	Name       string            `json:"name"`
	Issuer     string            `json:"issuer"`
	ClientID   string            `json:"clientID"`
	Scopes     []string          `json:"scopes"`
	Parameters map[string]string `json:"parameters"` // to be sent beside, as they are
}

// Logins returns the issuers at which people log in, by name. It needs no token; often there is nothing.
func (c *Client) Logins(ctx context.Context) ([]Login, error) {
	var said struct {
		Issuers []Login `json:"issuers"`
	}
	err := c.call(ctx, request{method: http.MethodGet, path: []string{"login"}}, &said)
	return said.Issuers, err
}
