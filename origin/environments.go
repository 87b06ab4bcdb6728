package origin

import (
	"cmp"
	"slices"
	"strings"

	"example.com/livery/origin/httpserver"

	"github.com/valyala/fasthttp"

	"example.com/livery/origin/auth"
	"example.com/livery/storage"
)

// listEnvironments lists the Environments on which the caller has a grant, and counts no others.
func (o *Origin) listEnvironments(r storage.Reader, q *request, _ target) (httpserver.Answer, error) {
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
	return listed(p, items, len(granted))
}

func (o *Origin) showEnvironment(_ storage.Reader, _ *request, t target) (httpserver.Answer, error) {
	return bare(fasthttp.StatusOK, newEnvironmentBody(t.environment, t.role))
}
