// Package road measures the road from a push to a served file on one machine: it starts the built binary, publishes a
// real document again and again, and measures what a person waits for.
package road

import (
	"context"
	"errors"
	"flag"
	"path/filepath"
	"time"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/bench/internal/frame"
	"example.com/livery/bench/internal/world"
)

// Part is the part of the benchmarks.
var Part = frame.Part{
	Name: "road", Title: "What a person waits for", Binary: true,
	Needs: []string{"../shared/corpus"}, Quick: []string{"-publishes", "6", "-hits", "2000"},
	New: func(flags *flag.FlagSet) func(context.Context, *frame.Run) error {
		var b bench
		flags.StringVar(&b.document, "document", "../shared/corpus/github-primer.tokens.json", "the DTCG document to publish")
		flags.StringVar(&b.token, "token", "/base/color/black/$value", "pointer of the value that each publish changes")
		flags.IntVar(&b.publishes, "publishes", 20, "how many times to publish")
		flags.IntVar(&b.hits, "hits", 20000, "how many requests for a file that the edge has cached")
		return b.run
	},
}

// bench is one run.
type bench struct {
	binary, document, token string
	publishes, hits         int
	bar                     *frame.Bar
}

func (b *bench) run(ctx context.Context, r *frame.Run) (err error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	b.binary = r.Livery
	d, err := world.StartDev(ctx, r.Livery, filepath.Join(r.Dir, "data"), world.AnyCore)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Stop()) }()
	b.bar = frame.StartBar("requests", b.publishes/2*len(world.Files)+b.hits)
	defer b.bar.End()
	road, err := b.measure(ctx, d)
	if err != nil {
		return err
	}
	for _, s := range append([]samples{{"first start to first served byte", figures.Times{d.Ready()}}}, road...) {
		r.Figures.AddRounds(figures.Figure{Name: s.name, Unit: "ms"}, s.took.Milliseconds())
		if len(s.took) > 1 {
			r.Figures.AddTimes(figures.Figure{Name: s.name}, s.took, 0.99)
		}
	}
	return nil
}
