package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"example.com/livery/bench/figures"
	"example.com/livery/bench/markdown"
	"example.com/livery/renderer/plan"
	"example.com/livery/wasm"
)

// way is one way to render a document.
type way struct {
	once func() ([]byte, error)
	took []float64 // ns each, by round
}

// renders measures one render, native and under WebAssembly in turn.
func (b *bench) renders(ctx context.Context) (table, error) {
	r, err := b.loaded(ctx, 1)
	if err != nil {
		return table{}, err
	}
	defer r.Close(ctx)
	held := make([]byte, heldBytes)
	defer runtime.KeepAlive(held)
	t := table{head: []string{"tokens", "overrides", "edits", "file", "native", "native, kept buffer", "WASM", "times native", "25% to 75%", "times kept buffer", "reach"}}
	reach := map[[2]int]string{{2000, 50}: "at most 5", {10000, 10}: "at most 2"}
	for _, c := range b.cases() {
		d, err := compile(c[0], c[1], "lv")
		if err != nil {
			return table{}, err
		}
		ways, err := b.inTurn(ctx, r, d)
		if err != nil {
			return table{}, err
		}
		ratios, kept := ratio(ways[2], ways[0]), ratio(ways[2], ways[1])
		b.tellRender(d, ways, ratios)
		t.add(
			markdown.Grouped(d.tokens), markdown.Grouped(d.overrides), markdown.Grouped(d.edits), markdown.Grouped(len(d.planPart)),
			micro(quantile(ways[0].took, 0.5)), micro(quantile(ways[1].took, 0.5)), micro(quantile(ways[2].took, 0.5)),
			fmt.Sprintf("%.2f", quantile(ratios, 0.5)), fmt.Sprintf("%.2f to %.2f", quantile(ratios, 0.25), quantile(ratios, 0.75)),
			fmt.Sprintf("%.2f", quantile(kept, 0.5)), reach[c],
		)
	}
	return t, nil
}

// inTurn renders one document natively into new bytes, natively into a kept buffer, and with the module
// into new bytes; first all must give the same.
func (b *bench) inTurn(ctx context.Context, r *wasm.Runtime, d document) ([]*way, error) {
	kept := make([]byte, 0, 2*len(d.planPart))
	ways := []*way{
		{once: func() ([]byte, error) { return native(d, nil) }},
		{once: func() ([]byte, error) { return native(d, kept) }},
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

// tellRender adds one document's renders to the figures, of 50 overrides by tokens and of 2,000 tokens by
// overrides.
func (b *bench) tellRender(d document, ways []*way, ratios []float64) {
	add := func(name, over string, at int) {
		for _, of := range []struct {
			subject string
			way     *way
		}{{"native", ways[0]}, {"WASM", ways[2]}} {
			var micros []float64
			for _, ns := range of.way.took {
				micros = append(micros, ns/1e3)
			}
			b.told.AddRounds(figures.Figure{Name: name, Subject: of.subject, Unit: "µs", Over: over, At: float64(at)}, micros)
		}
		b.told.AddRounds(figures.Figure{Name: name, Subject: "WASM", Unit: "times native", Over: over, At: float64(at)}, ratios)
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
func (w *way) measure(slice time.Duration) error {
	began, n := cpuTime(), 0
	for cpuTime()-began < slice {
		for range 16 {
			if _, err := w.once(); err != nil {
				return err
			}
		}
		n += 16
	}
	w.took = append(w.took, float64((cpuTime()-began).Nanoseconds())/float64(n))
	return nil
}

// ratio compares two ways round by round.
func ratio(a, b *way) []float64 {
	ratios := make([]float64, len(a.took))
	for i := range ratios {
		ratios[i] = a.took[i] / b.took[i]
	}
	return ratios
}
