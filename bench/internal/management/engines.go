package management

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/internal/test/postgrestest"
	"example.com/livery/storage/postgres"
)

const (
	ownServer     = "own" // the value of -postgres that starts a server of this machine's installation
	engineWriters = 20
)

// engine is one way to run origins, with a Theme for each writer. All Themes are of one Environment.
type engine struct {
	what   string
	themes []*theme
	took   []figures.Times // by load
	rates  [][]float64     // by load, commits a second of each slice
}

// engineLoads are what writers do again and again; each is one commit or more.
var engineLoads = []struct {
	what string
	once func(*theme, context.Context) (time.Duration, error)
}{
	{"an edit", (*theme).edit},
	{"an edit and a publish", (*theme).editAndPublish},
}

// engines measures the same writers over the embedded engine and over PostgreSQL, in turn.
func (b *bench) engines(ctx context.Context) (rows []row, err error) {
	if b.postgres == "" {
		return nil, nil
	}
	embedded, err := b.open(ctx, nil, 1)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, embedded.close(ctx)) }()
	origins, end, err := b.openShared(ctx, 2)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, end()) }()
	all := []*engine{
		{what: "embedded", themes: make([]*theme, engineWriters)},
		{what: "PostgreSQL, one origin", themes: make([]*theme, engineWriters)},
		{what: "PostgreSQL, two origins", themes: make([]*theme, engineWriters)},
	}
	for i, origins := range [][]*server{{embedded}, origins[:1], origins} {
		if err := all[i].makeThemes(ctx, origins, fmt.Sprint("engine-", i), b.size.tokens[0]); err != nil {
			return nil, err
		}
	}
	for range b.size.slices {
		for load := range engineLoads {
			for _, e := range all {
				took, rate, err := writeAtOnce(ctx, e.themes, engineLoads[load].once, b.size.slice)
				if err != nil {
					return nil, err
				}
				e.took[load], e.rates[load] = append(e.took[load], took...), append(e.rates[load], rate)
			}
		}
	}
	return engineRows(all, b.size.tokens[0]), nil
}

// openShared starts so many origins over one PostgreSQL. end closes them.
func (b *bench) openShared(ctx context.Context, count int) (origins []*server, end func() error, err error) {
	closers := []func() error{}
	end = func() (err error) {
		for i := len(closers) - 1; i >= 0; i-- {
			err = errors.Join(err, closers[i]())
		}
		return err
	}
	url := b.postgres
	if url == ownServer {
		node, err := postgrestest.Start("bench")
		if err != nil {
			return nil, nil, err
		}
		closers = append(closers, func() error { node.Close(); return nil })
		url = node.URL("")
	}
	for range count {
		store, err := postgres.Open(ctx, url, postgres.Options{Alone: true, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			return nil, nil, errors.Join(err, end())
		}
		h := &server{store: store}
		closers = append(closers, func() error { return h.close(ctx) })
		if len(origins) == 0 {
			err = h.start(ctx, 1)
		} else {
			err = h.join(ctx, origins[0])
		}
		if err != nil {
			return nil, nil, errors.Join(err, end())
		}
		origins = append(origins, h)
	}
	return origins, end, nil
}

// makeThemes makes a Theme for each writer, who ask the origins in turn.
func (e *engine) makeThemes(ctx context.Context, origins []*server, slug string, tokens int) (err error) {
	e.took, e.rates = make([]figures.Times, len(engineLoads)), make([][]float64, len(engineLoads))
	for i := range e.themes {
		h := origins[i%len(origins)]
		if e.themes[i], err = h.newTheme(ctx, h.environments[0], fmt.Sprint(slug, "-", i), tokens); err != nil {
			return err
		}
	}
	return nil
}

// engineRows compares each engine with the first of its load.
func engineRows(all []*engine, tokens int) (rows []row) {
	for load, l := range engineLoads {
		for i, e := range all {
			r := row{what: fmt.Sprintf("%s in %s tokens by %d writers, %s", l.what, figures.Grouped(tokens), engineWriters, e.what), took: e.took[load]}
			r.rate = middle(e.rates[load])
			if i > 0 {
				r.ratio = ratio(e.took[load], all[0].took[load])
				r.of = "time, to embedded"
			}
			rows = append(rows, r)
		}
	}
	return rows
}
