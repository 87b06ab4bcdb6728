//go:build linux

package edge

import (
	"cmp"
	"context"
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
