package wasm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/renderer/plan"
	"example.com/livery/wasm"
)

// renderPath is one way to render a document.
type renderPath struct {
	once func() ([]byte, error)
	took []float64 // µs each, by round
}

// renders measures one render, native and under WebAssembly in turn.
func (b *bench) renders(ctx context.Context) error {
	r, err := b.loaded(ctx, 1)
	if err != nil {
		return err
	}
	defer r.Close(ctx)
	reserved := make([]byte, reservedBytes)
	defer runtime.KeepAlive(reserved)
	for _, c := range b.cases() {
		d, err := compile(c[0], c[1], "lv")
		if err != nil {
			return err
		}
		ways, err := b.inTurn(ctx, r, d)
		if err != nil {
			return err
		}
		b.addRender(d, ways)
	}
	return nil
}

// inTurn renders one document natively into new bytes, natively into the same buffer again and again, and with the module
// into new bytes; first all must give the same.
func (b *bench) inTurn(ctx context.Context, r *wasm.Runtime, d document) ([]*renderPath, error) {
	same := make([]byte, 0, 2*len(d.planPart))
	ways := []*renderPath{
		{once: func() ([]byte, error) { return native(d, nil) }},
		{once: func() ([]byte, error) { return native(d, same) }},
		{once: func() ([]byte, error) {
			return r.Render(ctx, b.digest, wasm.Request{Plan: d.plan, Overlay: d.overlay})
		}},
	}
	want, err := ways[0].once()
	for _, w := range ways {
		got, onceErr := w.once()
		if err = errors.Join(err, onceErr); err != nil || !bytes.Equal(got, want) {
			return nil, errors.Join(err, errors.New("the ways to render do not agree"))
		}
	}
	for range b.size.rounds {
		for _, w := range ways {
			if err := w.measure(b.size.slice); err != nil {
				return nil, err
			}
		}
		b.bar.Step()
	}
	return ways, nil
}

// addRender adds one document's renders to the figures, of 50 and 10 overrides by tokens and of 2,000 tokens by
// overrides.
func (b *bench) addRender(d document, ways []*renderPath) {
	add := func(name, over string, at int) {
		for i, subject := range []string{"native", "native, same buffer", "WASM"} {
			b.figures.AddRounds(figures.Figure{Name: name, Subject: subject, Unit: "µs", Over: over, At: float64(at)}, ways[i].took)
		}
		b.figures.AddRounds(figures.Figure{Name: name, Subject: "WASM", Unit: "times native", Over: over, At: float64(at)}, ratio(ways[2], ways[0]))
	}
	if d.overrides == 50 || d.overrides == 10 {
		add(fmt.Sprintf("one render, %d overrides", d.overrides), "tokens", d.tokens)
	}
	if d.tokens == 2000 {
		add("one render, 2,000 tokens", "overrides", d.overrides)
	}
}

func native(d document, dst []byte) ([]byte, error) {
	overlay, err := plan.OpenOverlay(d.opened, d.overlayPart)
	return overlay.Append(dst), err
}

// measure renders again and again for a while of processor time.
func (w *renderPath) measure(slice time.Duration) error {
	began, n := figures.ProcessorTime(), 0
	for figures.ProcessorTime()-began < slice {
		for range 16 {
			if _, err := w.once(); err != nil {
				return err
			}
		}
		n += 16
	}
	w.took = append(w.took, float64((figures.ProcessorTime()-began).Nanoseconds())/1e3/float64(n))
	return nil
}

// ratio compares two ways round by round.
func ratio(a, b *renderPath) []float64 {
	ratios := make([]float64, len(a.took))
	for i := range ratios {
		ratios[i] = a.took[i] / b.took[i]
	}
	return ratios
}
