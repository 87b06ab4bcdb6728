package guard

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"

	"example.com/livery/origin/patch"
	"example.com/livery/renderer"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/renderer/plan"
	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
	"example.com/livery/storage/record"
	"example.com/livery/wasm"
)

// path is one hot path.
type path struct {
	name    string
	counted int // runs whose instructions are counted: enough to stand out of a process; 0: several threads, or no native code, do the work
	prepare func() (run func() error, end func() error, err error)
	plain   string // the path of the same request without the client's headers; "": it is no such request
}

var paths = []path{
	{name: hit, counted: 5000, prepare: hitOf("", nil)},
	{name: "hit on the fast path, a client's headers", counted: 5000, prepare: hitOf("", clientHeaders), plain: hit},
	{name: "hit on the fast path, in modes", prepare: hitOf(hitModes, nil)},
	{name: hit2, counted: 5000, prepare: hit2Of(nil)},
	{name: "hit in HTTP/2, a client's headers", counted: 5000, prepare: hit2Of(clientHeaders), plain: hit2},
	{name: "render, native", counted: 1000, prepare: prepareRender},
	{name: "render, WASM", prepare: prepareGuest},
	{name: "plan and overlay opened", counted: 2000, prepare: prepareOpen},
	{name: "overlays compiled", counted: 5, prepare: prepareOverlay},
	{name: "plans compiled", counted: 5, prepare: prepareCompile},
	{name: "patch of one value applied", counted: 50, prepare: preparePatch},
	{name: "commit of one record, in memory", prepare: prepareCommit},
}

const (
	hit  = "hit on the fast path"
	hit2 = "hit in HTTP/2"
)

func nothing() error { return nil }

// The document that is rendered.
const (
	tokens    = 2000
	overrides = 50
)

// document is a Theme with every second token an alias, compiled, and a Variant of it.
type document struct {
	theme, changed  *jsontree.Node
	compiled        *renderer.CompiledTheme
	plans, overlays [renderer.FileCount][]byte
}

func newDocument() (d document, err error) {
	text, changed := []byte(`{"color":{"$type":"color"`), []byte(`{"none":0`)
	for i := range tokens / 2 {
		text = fmt.Appendf(text, `,"c%d":{"$value":"#%06x"}`, i, i*37)
	}
	text = append(text, `},"alias":{"$type":"color"`...)
	for i := range tokens / 2 {
		text = fmt.Appendf(text, `,"a%d":{"$value":"{color.c%d}"}`, i, i*7%(tokens/2))
	}
	for i := range overrides {
		changed = fmt.Appendf(changed, `,"color.c%d":"#%06x"`, i*(tokens/2)/overrides, i+0xab0000)
	}
	if d.theme, err = jsontree.Parse(string(append(text, "}}"...))); err != nil {
		return d, err
	}
	if d.changed, err = jsontree.Parse(string(append(changed, '}'))); err != nil {
		return d, err
	}
	d.compiled = renderer.Compile(d.theme, "lv")
	set := d.compiled.Load(d.changed)
	for f := range renderer.File(renderer.FileCount) {
		d.plans[f], d.overlays[f] = d.compiled.Plan(f), d.compiled.Overlay(set, f)
	}
	return d, nil
}

func prepareRender() (func() error, func() error, error) {
	d, err := newDocument()
	if err != nil {
		return nil, nil, err
	}
	p, err := plan.Open(d.plans[renderer.TokensCSS])
	if err != nil {
		return nil, nil, err
	}
	o, err := plan.OpenOverlay(p, d.overlays[renderer.TokensCSS])
	if err != nil {
		return nil, nil, err
	}
	out := make([]byte, 0, o.Size())
	return func() error { out = o.Append(out[:0]); return nil }, nothing, nil
}

func prepareOpen() (func() error, func() error, error) {
	d, err := newDocument()
	return func() error {
		p, err := plan.Open(d.plans[renderer.TokensCSS])
		if err != nil {
			return err
		}
		_, err = plan.OpenOverlay(p, d.overlays[renderer.TokensCSS])
		return err
	}, nothing, err
}

func prepareOverlay() (func() error, func() error, error) {
	d, err := newDocument()
	return func() error {
		set := d.compiled.Load(d.changed)
		for f := range renderer.File(renderer.FileCount) {
			d.compiled.Overlay(set, f)
		}
		return nil
	}, nothing, err
}

func prepareCompile() (func() error, func() error, error) {
	d, err := newDocument()
	return func() error { renderer.Compile(d.theme, "lv"); return nil }, nothing, err
}

// prepareGuest renders in the module, through the pool, into new bytes, as an edge does.
func prepareGuest() (func() error, func() error, error) {
	d, err := newDocument()
	if err != nil {
		return nil, nil, err
	}
	module, err := wasm.Guest()
	if err != nil {
		return nil, nil, err
	}
	ctx := context.Background()
	r, err := wasm.NewRuntime(ctx, wasm.Config{CacheDir: filepath.Join("..", "..", ".cache", "guard"), Instances: 1})
	if err != nil {
		return nil, nil, err
	}
	digest := wasm.Digest(module)
	end := func() error { return r.Close(ctx) }
	if err := r.Load(ctx, digest, module); err != nil {
		return nil, nil, err
	}
	named := func(parts [][]byte) wasm.Blob {
		blob := plan.AppendBundle(nil, parts)
		return wasm.Blob{Name: wasm.Digest(blob), Bytes: blob}
	}
	request := wasm.Request{Plan: named(d.plans[:]), Overlay: named(d.overlays[:])}
	return func() error { _, err := r.Render(ctx, digest, request); return err }, end, nil
}

func preparePatch() (func() error, func() error, error) {
	d, err := newDocument()
	operations := []patch.Operation{{Op: "replace", Path: "/color/c7/$value", Value: jsontree.NewString("#fedcba98")}}
	return func() error {
		if _, _, faults := patch.Apply(d.theme, operations, patch.Limits{MaxBytes: 8 << 20, MaxDepth: 64, MaxName: 256}); len(faults) > 0 {
			return fmt.Errorf("the patch is refused: %v", faults[0])
		}
		return nil
	}, nothing, err
}

func prepareCommit() (func() error, func() error, error) {
	store, err := pebble.Open("", pebble.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, nil, err
	}
	key, value := storage.Key('H', "env", storage.Number(1)), make([]byte, 500)
	return func() error {
		_, err := store.Update(context.Background(), "env", func(tx storage.Tx) (record.Change, error) {
			return record.Change{EnvironmentID: "env"}, tx.Set(key, value)
		})
		return err
	}, store.Close, nil
}
