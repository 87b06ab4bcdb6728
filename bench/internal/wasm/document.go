package wasm

import (
	"fmt"

	"example.com/livery/renderer"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/renderer/plan"
	"example.com/livery/wasm"
)

// document is one Theme with one Variant, compiled.
type document struct {
	tokens, overrides int
	prefix            string
	plan, overlay     wasm.Blob
	planPart          []byte // of tokens.css
	overlayPart       []byte
	edits             int
	opened            plan.Plan
}

// cases are the documents that are rendered.
func (b *bench) cases() (all [][2]int) {
	for _, tokens := range b.size.tokens {
		for _, overrides := range b.size.overrides {
			if overrides <= tokens/2 {
				all = append(all, [2]int{tokens, overrides})
			}
		}
	}
	return all
}

// compile makes a Theme of colours, every second one an alias of another, and overrides of colours that
// lie evenly in it, so that every override changes two declarations.
func compile(tokens, overrides int, prefix string) (document, error) {
	theme, changed := []byte(`{"color":{"$type":"color"`), []byte(`{"none":0`)
	for i := range tokens / 2 {
		theme = fmt.Appendf(theme, `,"c%d":{"$value":"#%06x"}`, i, i*37)
	}
	theme = append(theme, `},"alias":{"$type":"color"`...)
	for i := range tokens / 2 {
		theme = fmt.Appendf(theme, `,"a%d":{"$value":"{color.c%d}"}`, i, i*7%(tokens/2))
	}
	for i := range overrides {
		changed = fmt.Appendf(changed, `,"color.c%d":"#%06x"`, i*(tokens/2)/overrides, i+0xab0000)
	}
	root, err := jsontree.Parse(string(append(theme, "}}"...)))
	if err != nil {
		return document{}, err
	}
	over, err := jsontree.Parse(string(append(changed, '}')))
	if err != nil {
		return document{}, err
	}
	compiled := renderer.Compile(root, prefix)
	set := compiled.Load(over)
	var plans, overlays [renderer.FileCount][]byte
	for f := range renderer.File(renderer.FileCount) {
		plans[f], overlays[f] = compiled.Plan(f), compiled.Overlay(set, f)
	}
	d := document{
		tokens: tokens, overrides: overrides, prefix: prefix, planPart: plans[0], overlayPart: overlays[0],
		plan: named(plan.AppendBundle(nil, plans[:])), overlay: named(plan.AppendBundle(nil, overlays[:])),
	}
	if d.opened, err = plan.Open(d.planPart); err != nil {
		return document{}, err
	}
	overlay, err := plan.OpenOverlay(d.opened, d.overlayPart)
	if err != nil {
		return document{}, err
	}
	d.edits = (overlay.MaxPieces() - 1) / 2
	return d, nil
}

func named(blob []byte) wasm.Blob { return wasm.Blob{Name: wasm.Digest(blob), Bytes: blob} }
