//go:build linux

package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/livery/bench/plot"
	"example.com/livery/bench/progress"
	"example.com/livery/bench/world"
	"example.com/livery/client"
	"example.com/livery/origin"
	"example.com/livery/storage/pebble"
)

// originSoak is publishes of a few Themes, then many Themes more, and what becomes of the origin's memory meanwhile.
type originSoak struct {
	livery  string // the built binary
	results string // folder of soak_origin.svg and soak_origin.md
	count   int    // of publishes, and of Themes after them

	done    atomic.Int64 // publishes and Themes
	mu      sync.Mutex   // guards samples
	samples []originSample
}

// originSample is the origin's memory, in bytes, after so many publishes and Themes.
type originSample struct{ done, resident, heap float64 }

const (
	originWriters = 12
	originSamples = 200

	// maxOriginPart is how many times its stated budget an origin may take: the rest is garbage between two collections.
	maxOriginPart = 1.25
)

func originBudget() origin.Memory { return origin.MemoryFor(pebble.MemoryBytes) }

// run soaks, writes the results and returns an error if the origin ends with more memory than it may take.
func (s *originSoak) run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "livery-soak-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	o, err := world.StartOrigin(ctx, s.livery, dir, world.AnyCore)
	if err != nil {
		return err
	}
	began := time.Now()
	err = s.soak(ctx, o)
	if ended := o.Stop(); err == nil {
		err = ended
	}
	if err == nil {
		err = s.write(time.Since(began))
	}
	if err == nil {
		err = s.judge()
	}
	return err
}

// soak publishes, creates and lists, and samples until that is done.
func (s *originSoak) soak(ctx context.Context, o *world.Origin) error {
	size := world.Size{Tokens: 1, Versions: 1, OneFile: true}
	themes, err := o.Fill(ctx, "published", 0, originWriters, size, nil)
	if err != nil {
		return err
	}
	if err := s.sample(ctx, o); err != nil {
		return err
	}
	bar := progress.Start("origin", 2*s.count)
	defer bar.End()
	step := func() error {
		bar.Step()
		if s.done.Add(1)%int64(max(1, 2*s.count/originSamples)) != 0 {
			return nil
		}
		return s.sample(ctx, o)
	}
	if err := s.each(ctx, func(ctx context.Context, writer, i int) error { return o.Publish(ctx, themes[writer], originWriters+i) }, step); err != nil {
		return err
	}
	create := func(ctx context.Context, writer, i int) error {
		slug := fmt.Sprintf("created-%d-%d", writer, i)
		_, err := o.API.CreateTheme(ctx, o.Environment, client.NewTheme{
			Slug: slug, DisplayName: slug, Integration: &client.Integration{Framework: "react", Library: "plainCSS"},
		})
		if err == nil && i%100 == 0 {
			_, err = o.API.Themes(ctx, o.Environment, client.ListOptions{})
		}
		return err
	}
	if err := s.each(ctx, create, step); err != nil {
		return err
	}
	for _, err := range o.API.EveryTheme(ctx, o.Environment) {
		if err != nil {
			return err
		}
	}
	return s.sample(ctx, o)
}

// each has every writer do its share of the work, one piece after the other.
func (s *originSoak) each(ctx context.Context, do func(ctx context.Context, writer, i int) error, step func() error) error {
	group, ctx := errgroup.WithContext(ctx)
	for writer := range originWriters {
		group.Go(func() error {
			for i := writer; i < s.count; i += originWriters {
				if err := do(ctx, writer, i); err != nil {
					return err
				}
				if err := step(); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

func (s *originSoak) sample(ctx context.Context, o *world.Origin) error {
	taken := originSample{done: float64(s.done.Load())}
	var err error
	if taken.resident, err = o.Resident(); err != nil {
		return err
	}
	told, err := o.Metrics(ctx, "go_memstats_sys_bytes", "go_memstats_heap_released_bytes")
	if err != nil {
		return err
	}
	taken.heap = told[0] - told[1]
	s.mu.Lock()
	defer s.mu.Unlock()
	s.samples = append(s.samples, taken)
	return nil
}

// judge returns an error if the origin takes more than it may when all is done.
func (s *originSoak) judge() error {
	last, most := s.samples[len(s.samples)-1].resident, maxOriginPart*float64(originBudget().Total())
	if last > most {
		return fmt.Errorf("soak: %.0f MiB are resident after %d publishes and as many new Themes, want at most %.0f", last/mib, s.count, most/mib)
	}
	return nil
}

// write writes the plot and the page around it.
func (s *originSoak) write(took time.Duration) error {
	slices.SortFunc(s.samples, func(a, b originSample) int { return cmp.Compare(a.done, b.done) })
	m := originBudget()
	curve := func(name string, of func(originSample) float64) plot.Curve {
		c := plot.Curve{Name: name}
		for _, taken := range s.samples {
			y := of(taken) / mib
			c.Points = append(c.Points, plot.Point{X: taken.done, Y: y, Low: y, High: y})
		}
		return c
	}
	resident := func(t originSample) float64 { return t.resident }
	chart := plot.Chart{Title: "memory of the origin", X: fmt.Sprintf("publishes; from %d on, new Themes", s.count), Y: "MiB", Curves: []plot.Curve{
		curve("resident", resident), curve("of Go", func(t originSample) float64 { return t.heap }),
		curve("budget", func(originSample) float64 { return float64(m.Total()) }),
	}}
	if err := os.WriteFile(filepath.Join(s.results, "soak_origin.svg"), chart.SVG(), 0o644); err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# A soak of the origin\n\n%s, `go run ./bench/edge -soak-origin %d -livery bin/livery`, %s, %s/%s, %d cores, %v.\n\n",
		time.Now().UTC().Format(time.DateOnly), s.count, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), took.Round(time.Second))
	fmt.Fprintf(&b, "An origin with the embedded store: %d writers change and publish %d Themes of one token %d times, then create %d Themes and list them.\n\n"+
		"![memory](soak_origin.svg)\n\n| publishes and new Themes | resident, MiB | of Go, MiB |\n|-:|-:|-:|\n", originWriters, originWriters, s.count, s.count)
	for part := range 9 {
		taken := s.samples[part*(len(s.samples)-1)/8]
		fmt.Fprintf(&b, "| %.0f | %.0f | %.0f |\n", taken.done, taken.resident/mib, taken.heap/mib)
	}
	fmt.Fprintf(&b, "\nThe budget is %d MiB: %d of compiled Themes, %d of answers of the feed, %d of caches of the store, %d of all else.\n",
		m.Total()/mib, m.Themes/mib, m.Answers/mib, m.Store/mib, m.Base/mib)
	return os.WriteFile(filepath.Join(s.results, "soak_origin.md"), []byte(b.String()), 0o644)
}
