package modes

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/livery/bench/internal/world"
	"example.com/livery/client"
)

// Sizes of the measurement.
const (
	rounds = 8
	misses = 3   // of a kind in a round: a Team may have a hundred Variants of a Theme
	hits   = 400 // of a kind in a round
)

// The kinds of requests that are measured beside each other, by their queries; the first is the one that others are
// compared with.
var (
	missed = []string{"", "?modes=scheme", "?modes=scheme.dark,contrast.more", "?modes=scheme,contrast"}
	served = []string{"", "?modes=scheme.dark,contrast.more", "?modes=scheme~light-dark"}
)

// speed measures what an edge uses for requests with modes and without, each kind in turn, and returns the report.
func speed(t *testing.T) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	dir := t.TempDir()
	o, err := world.StartOrigin(ctx, "../../bin/livery", dir, world.AnyCore)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = o.Kill() })
	theme, brands := fill(ctx, t, o)
	e, err := world.StartEdge(ctx, o, dir, "edge", world.AnyCore, 512<<20)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Stop() })
	s := site{t: t, edge: e, origin: o, base: e.URL() + "/" + o.Environment + "/" + theme + "/"}
	for _, query := range append(slices.Clone(missed), served...) { // has the module compiled, and the Theme's own plan loaded
		s.get(brands[0] + "/1/tokens.css" + query)
		s.get("-/1/tokens.css" + query)
	}
	brands = brands[1:]
	var b strings.Builder
	b.WriteString("\nWhat the processes take of the processor for `tokens.css`, uncompressed, of Variants that the edge was never asked for, from the question upstream to the answer, ")
	b.WriteString("and for files that the edge holds, of nearly the same length. The kinds of requests take turns; each figure is the median of eight turns.\n\n")
	b.WriteString("| | edge, µs | ratio | origin, µs |\n|---|---:|---:|---:|\n")
	edge, origin := s.turns(missed, misses, func(query string) string {
		brand := brands[0]
		brands = brands[1:]
		return brand + "/1/tokens.css" + query
	})
	for k, query := range missed {
		fmt.Fprintf(&b, "| a miss, `tokens.css%s` | %.0f | %.2f | %.0f |\n", query, edge[k], edge[k]/edge[0], origin[k])
	}
	if last := edge[len(missed)-1] / edge[0]; last > 3 {
		t.Errorf("a miss of two dimensions takes %.2f times one of none: want at most 3", last)
	}
	edge, _ = s.turns(served, hits, func(query string) string { return "-/1/tokens.css" + query })
	for k, query := range served {
		fmt.Fprintf(&b, "| a hit, `tokens.css%s` | %.1f | %.2f | |\n", query, edge[k], edge[k]/edge[0])
	}
	return b.String()
}

// turns has the kinds of requests take turns, and returns the median of the microseconds of the processor that edge and
// origin took for one of each kind.
func (s site) turns(kinds []string, requests int, path func(query string) string) (edge, origin []float64) {
	s.t.Helper()
	all := make([][2][]float64, len(kinds))
	for round := range rounds {
		for j := range kinds {
			k := (round + j) % len(kinds)
			edgeBefore, originBefore := s.quiet()
			for range requests {
				s.get(path(kinds[k]))
			}
			edgeAfter, originAfter := s.quiet()
			for i, took := range []time.Duration{edgeAfter - edgeBefore, originAfter - originBefore} {
				all[k][i] = append(all[k][i], float64(took.Nanoseconds())/1e3/float64(requests))
			}
		}
	}
	for _, took := range all {
		edge, origin = append(edge, median(took[0])), append(origin, median(took[1]))
	}
	return edge, origin
}

func median(of []float64) float64 {
	slices.Sort(of)
	return (of[(len(of)-1)/2] + of[len(of)/2]) / 2
}

// fill publishes Primer with its modes, and Variants enough for the misses. It returns the ids.
func fill(ctx context.Context, t *testing.T, o *world.Origin) (theme string, brands []string) {
	t.Helper()
	document, overrides := read(t)
	created, err := o.API.CreateTheme(ctx, o.Environment, client.NewTheme{
		Slug: "primer", DisplayName: "Primer", Integration: &client.Integration{Framework: "react", Library: "plainCSS"},
	})
	var groups map[string]json.RawMessage
	if err = cmp.Or(err, json.Unmarshal(document, &groups)); err != nil {
		t.Fatal(err)
	}
	var batch []client.Operation
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		batch = append(batch, client.Operation{Operation: "add", Path: "/" + name, Value: groups[name]})
	}
	_, err = o.API.EditThemeTokens(ctx, o.Environment, created.ID, client.EditOptions{}, batch)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{}
	for _, name := range []string{dark, more} {
		ids[name] = variant(ctx, t, o, created.ID, name, overrides[name])
	}
	darkID, moreID := ids[dark], ids[more]
	if _, err := o.API.Scope(o.Environment, created.ID).SetModes(ctx, []client.Mode{
		{Dimension: "scheme", Mode: "light"},
		{Dimension: "scheme", Mode: dark, Variant: &darkID, When: "(prefers-color-scheme: dark)"},
		{Dimension: "contrast", Mode: more, Variant: &moreID, When: "(prefers-contrast: more)"},
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := o.API.PublishTheme(ctx, o.Environment, created.ID, client.PublishOptions{}); err != nil {
		t.Fatal(err)
	}
	for i := range rounds*misses*len(missed) + 1 {
		own := map[string]any{}
		for n := range 20 {
			own[fmt.Sprintf("base.color.blue.%d", n%10)] = fmt.Sprintf("#%06x", (i*997+n*7919)%(1<<24))
		}
		brands = append(brands, variant(ctx, t, o, created.ID, fmt.Sprintf("brand-%d", i), own))
	}
	for id := range maps.Values(ids) {
		publish(ctx, t, o, created.ID, id)
	}
	return created.ID, brands
}

// variant makes a Variant and publishes it, if the Theme is published.
func variant(ctx context.Context, t *testing.T, o *world.Origin, theme, slug string, overrides map[string]any) string {
	t.Helper()
	v, err := o.API.CreateVariant(ctx, o.Environment, theme, client.NewVariant{Slug: slug, DisplayName: slug})
	if err != nil {
		t.Fatal(err)
	}
	var batch []client.VariantOperation
	for _, path := range slices.Sorted(maps.Keys(overrides)) {
		value, err := json.Marshal(overrides[path])
		if err != nil {
			t.Fatal(err)
		}
		batch = append(batch, client.VariantOperation{Operation: "set", Path: path, Value: value})
	}
	if _, err := o.API.EditVariantTokens(ctx, o.Environment, theme, v.ID, client.EditOptions{}, batch); err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(slug, "brand") {
		publish(ctx, t, o, theme, v.ID)
	}
	return v.ID
}

func publish(ctx context.Context, t *testing.T, o *world.Origin, theme, variant string) {
	t.Helper()
	if _, err := o.API.PublishVariant(ctx, o.Environment, theme, variant, client.PublishOptions{}); err != nil {
		t.Fatal(err)
	}
}

// site is where files are asked for.
type site struct {
	t      *testing.T
	edge   *world.Edge
	origin *world.Origin
	base   string
}

func (s site) get(path string) {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.base+path, http.NoBody)
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Accept-Encoding", "identity")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != http.StatusOK {
		s.t.Fatalf("%s: %d, %v", path, response.StatusCode, err)
	}
}

// quiet waits until edge and origin do next to nothing, and returns what they have used.
func (s site) quiet() (edge, origin time.Duration) {
	s.t.Helper()
	busy := func() time.Duration {
		var err, other error
		edge, err = s.edge.Busy()
		origin, other = s.origin.Busy()
		if err = cmp.Or(err, other); err != nil {
			s.t.Fatal(err)
		}
		return edge + origin
	}
	last := busy()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		time.Sleep(200 * time.Millisecond)
		now := busy()
		if now-last < 3*time.Millisecond {
			return edge, origin
		}
		last = now
	}
	s.t.Fatal("the processes are not quiet")
	return 0, 0
}
