package management

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/bench/internal/frame"
	"example.com/livery/origin/operator"
	"example.com/livery/origin/theming"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// pageSize is that of every list that is measured.
const pageSize = 100

// lists measures the same lists of Themes in a small and in a large Environment.
func (b *bench) lists(ctx context.Context) (rows []row, err error) {
	h, err := b.open(ctx, nil, len(b.size.themes))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, h.close(ctx)) }()
	var arms []*frame.Arm
	for i, count := range b.size.themes {
		if err := h.addThemes(ctx, h.environments[i], count); err != nil {
			return nil, err
		}
	}
	for _, l := range listings {
		for i, count := range b.size.themes {
			what := l.what + ", " + figures.Grouped(count) + " Themes"
			arms = append(arms, &frame.Arm{Name: what, Once: h.list(h.environments[i], l.query(count), min(l.items, count))})
		}
	}
	if err := frame.InTurn(ctx, b.size.reads, b.size.budget, arms...); err != nil {
		return nil, err
	}
	for i, a := range arms {
		r := row{what: a.Name, took: a.Took}
		if first := i - i%len(b.size.themes); i > first {
			r.ratio, r.of = ratio(a.Took, arms[first].Took), "time, to "+figures.Grouped(b.size.themes[0])+" Themes"
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// listing is a list with what it must answer.
type listing struct {
	what  string
	items int // that it answers, if there are as many
	query func(count int) string
}

var listings = []listing{
	{"one slug", 1, func(count int) string { return "slug=" + themeSlug(count/2) }},
	{"first page of 100", pageSize, func(int) string { return "pageSize=100" }},
	{"last page of 100", pageSize, func(count int) string {
		return fmt.Sprintf("pageSize=100&pageNumber=%d", max(1, count/pageSize))
	}},
	{"page of 1,000", 1000, func(int) string { return "pageSize=1000" }},
	{"last page of 100, descending with totals", pageSize, func(count int) string {
		return fmt.Sprintf("pageSize=100&orderDir=descending&includeTotals=true&pageNumber=%d", max(1, count/pageSize))
	}},
	{"q of one Theme", 1, func(count int) string { return "pageSize=100&q=" + themeSlug(count/2) }},
	{"q of no Theme", 0, func(int) string { return "pageSize=100&q=nothing" }},
	{"q of all Themes, with totals", pageSize, func(int) string { return "pageSize=100&includeTotals=true&q=theme" }},
	{"a label of no Theme", 0, func(int) string { return "pageSize=100&label.none=none" }},
	{"hasUnpublishedChanges of no Theme", 0, func(int) string { return "pageSize=100&hasUnpublishedChanges=true" }},
	{"first page of 100 by time", pageSize, func(int) string { return "pageSize=100&orderBy=updatedAt" }},
	{"last page of 100 by time", pageSize, func(count int) string {
		return fmt.Sprintf("pageSize=100&orderBy=updatedAt&pageNumber=%d", max(1, count/pageSize))
	}},
}

func themeSlug(i int) string { return fmt.Sprintf("theme-%05d", i) }

// envelopeBytes is what an answer takes at most beside its items.
const envelopeBytes = 300

// list returns what lists Themes once. That the answer has its items is seen from its size: a Theme
// takes several hundred bytes.
func (h *server) list(environment, query string, items int) func(context.Context) (time.Duration, error) {
	return func(ctx context.Context) (time.Duration, error) {
		a, err := h.send(ctx, http.MethodGet, environment+"/themes?"+query, nil)
		if err == nil && (a.size < int64(300*items) || a.size > int64(2000*items+envelopeBytes)) {
			err = fmt.Errorf("the list %s of %d Themes answered %d bytes", query, items, a.size)
		}
		return a.took, err
	}
}

// addThemes leaves in the store what creating so many Themes over the API does.
func (h *server) addThemes(ctx context.Context, environment string, count int) error {
	const perCommit = 1000
	for first := 0; first < count; first += perCommit {
		_, err := h.store.Update(ctx, environment, func(tx storage.Tx) (record.Change, error) {
			for i := first; i < min(first+perCommit, count); i++ {
				if err := addTheme(tx, environment, themeSlug(i)); err != nil {
					return record.Change{}, err
				}
			}
			return record.Change{At: time.Now().UTC()}, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func addTheme(tx storage.Tx, environment, slug string) error {
	now := time.Now().UTC()
	t, err := theming.NewTheme(operator.NewID("thm_", now), environment, theming.ThemeInput{
		Slug: &slug, DisplayName: &slug, Integration: &record.Integration{Framework: "react", Library: "plainCSS"},
	}, now)
	if err != nil {
		return err
	}
	return storage.Themes.Write(tx, t, environment, t.ID)
}
