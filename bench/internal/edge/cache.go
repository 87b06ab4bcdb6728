//go:build linux

package edge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/bench/internal/world"
)

// What is asked for that a server has not seen: pinned files of 20 KB.
const (
	missTokens   = 640
	missVariants = 20
	missRounds   = 5
)

// misses measures what the first answer for a file costs: livery renders and encodes it, the others read a file that they
// have not seen, and encode it. A round is a version of a Theme with its Variants.
func (b *bench) misses(ctx context.Context, p *phase) error {
	o, subjects := p.origin, p.subjects
	codings := []string{"identity", "gzip", "br"}
	themes, err := o.Fill(ctx, "miss", 0, 1, world.Size{Tokens: missTokens, Variants: missVariants, Versions: (missRounds + 1) * len(codings)}, nil)
	if err != nil {
		return err
	}
	costs := map[[2]string][]float64{}
	for version := range themes[0].Versions {
		coding := codings[version%len(codings)]
		for _, s := range subjects {
			cost, ok, err := s.firstAnswers(o, themes[0], version+1, coding)
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			if version >= len(codings) && ok { // the first round warms up; not every server has every coding
				costs[[2]string{coding, s.name}] = append(costs[[2]string{coding, s.name}], cost)
			}
		}
	}
	for _, coding := range codings {
		for _, s := range subjects {
			b.figures.AddRounds(figures.Figure{Name: "a miss, 20 KB as " + coding, Subject: s.name, Unit: "µs of processor a request"}, costs[[2]string{coding, s.name}])
		}
	}
	return nil
}

// firstAnswers asks for a file of each pair of a version, and returns the processor time of each in µs, and whether all came
// in the coding.
func (s *subject) firstAnswers(o *world.Origin, t *world.Theme, version int, coding string) (cost float64, ok bool, err error) {
	before, err := s.busy()
	for pair := range t.Pairs {
		path := o.Path(t, pair, version, world.Files[0])
		if s.edge == nil && err == nil {
			path, err = s.unseen(path)
		}
		if err != nil {
			return 0, false, err
		}
		response, _, err := s.ask(insecure, scenario{path: path, headers: []string{"Accept-Encoding: " + coding}})
		if err != nil || response.StatusCode != http.StatusOK {
			return 0, false, fmt.Errorf("%s is not answered: %w", path, err)
		}
		ok = cmp.Or(response.Header.Get("Content-Encoding"), "identity") == coding
	}
	after, err := s.busy()
	return float64((after - before).Microseconds()) / float64(len(t.Pairs)), ok, err
}

// unseen writes a file for another server, with the content of the one of 20 KB, and returns its path.
func (s *subject) unseen(path string) (string, error) {
	name := "fresh" + strings.ReplaceAll(path, "/", "-")
	content, err := os.ReadFile(filepath.Join(s.dir, "20k.css"))
	if err != nil {
		return "", err
	}
	return "/fresh/" + name, os.WriteFile(filepath.Join(s.dir, "fresh", name), content, 0o644)
}

// What is published while a cache is full.
const (
	fullBytes    = 8 << 20
	fullThemes   = 4
	hotAddresses = 50
	fullRounds   = 12
)

// publishes measures how many hot addresses have to be made again after a publish that replaces others, at an edge whose
// cache is full of what was asked for once.
func (b *bench) publishes(ctx context.Context, p *phase) (err error) {
	o := p.origin
	e, err := world.StartEdge(ctx, o, p.dir, "full", serverCore, fullBytes)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Stop()) }()
	themes, err := o.Fill(ctx, "full", 0, fullThemes+1, world.Size{Tokens: missTokens, Variants: missVariants, Versions: 8}, nil)
	if err != nil {
		return err
	}
	s := &subject{address: e.Host()}
	misses := 0
	ask := func(t *world.Theme, pair, version int, file string) {
		response, _, failed := s.ask(insecure, scenario{path: o.Path(t, pair, version, file), headers: asGzip})
		if err = errors.Join(err, failed); failed == nil && response.Header.Get("Cache-Status") != "livery; hit" {
			misses++
		}
	}
	scan := func(t *world.Theme, versions ...int) {
		for _, version := range versions {
			for n := range 4 * len(t.Pairs) {
				ask(t, n/4, version, world.Files[n%4])
			}
		}
	}
	hot := func() float64 {
		misses = 0
		for n := range hotAddresses {
			ask(themes[fullThemes], n%len(themes[0].Pairs), 1+n%8, world.Files[n%2])
		}
		return 100 * float64(misses) / hotAddresses
	}
	var missed []float64
	for round := range fullRounds + fullThemes {
		t := themes[round%fullThemes]
		if round < fullThemes {
			scan(t, 1, 2, 3, 4, 5, 6, 7, 8) // these fill the cache
			hot()
		} else if err = o.Publish(ctx, t, 1_000_000+round); err == nil {
			scan(t, 0)
			missed = append(missed, hot())
		}
		if hot(); err != nil {
			return err
		}
	}
	evicted, err := e.Metric(ctx, `livery_edge_cache_evictions_total{kind="file"}`)
	if err != nil {
		return err
	}
	b.figures.AddRounds(figures.Figure{Name: "after a publish at a full cache", Subject: "livery", Unit: "% of the hot addresses miss"}, missed)
	b.figures.Note("While %d publishes replaced 84 files each, %.0f files made place in a cache of %d MiB.", fullRounds, evicted, fullBytes>>20)
	return nil
}
