package derive

import (
	"context"
	"fmt"

	"example.com/livery/renderer"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/renderer/plan"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
	"example.com/livery/wasm"
)

// compiler makes the derived blobs of one Theme version with the module that it names.
type compiler struct {
	plans    func(ctx context.Context) ([]byte, error)
	overlays func(ctx context.Context, overrides []byte) ([]byte, error)
	overlay  func(ctx context.Context, overrides *jsontree.Node, f renderer.File) ([]byte, error) // of one file
}

// compile calls fn with the compiler of a version in an Environment once a lets it. The module is started before: that may take seconds, in
// which others may compile.
func (d *Deriver) compile(ctx context.Context, a acquire, environmentID string, v record.ThemeVersion, fn func(c compiler) error) error {
	if v.Module != d.native {
		if _, err := d.modules.load(ctx, v.Module); err != nil {
			return err
		}
	}
	return a.run(ctx, environmentID, func() error {
		c, err := d.compiler(ctx, v)
		if err != nil {
			return err
		}
		return fn(c)
	})
}

// compiler reads the version's document, and compiles it if that is done natively.
func (d *Deriver) compiler(ctx context.Context, v record.ThemeVersion) (compiler, error) {
	if v.Module != d.native {
		return d.foreign(ctx, v)
	}
	c, err := d.compiled(ctx, v)
	if err != nil {
		return compiler{}, err
	}
	return compiler{
		plans:    func(context.Context) ([]byte, error) { return planBundle(c), nil },
		overlays: func(_ context.Context, overrides []byte) ([]byte, error) { return overlayBundle(c, overrides) },
		overlay:  overlayOf(c),
	}, nil
}

// overlayOf compiles the overlay of one file natively.
func overlayOf(c *renderer.CompiledTheme) func(context.Context, *jsontree.Node, renderer.File) ([]byte, error) {
	return func(_ context.Context, overrides *jsontree.Node, f renderer.File) ([]byte, error) {
		return c.Overlay(c.Load(overrides), f), nil
	}
}

// foreign compiles with a module of another release.
func (d *Deriver) foreign(ctx context.Context, v record.ThemeVersion) (compiler, error) {
	document, err := d.store.Blob(ctx, v.Document)
	if err != nil {
		return compiler{}, fmt.Errorf("document %s: %w", v.Document, err)
	}
	module := string(v.Module)
	overlays := func(ctx context.Context, overrides []byte) ([]byte, error) {
		runtime, err := d.modules.load(ctx, v.Module)
		if err != nil {
			return nil, err
		}
		return runtime.CompileOverlay(ctx, module, wasm.Source{Theme: document, Overrides: overrides, Prefix: v.Prefix})
	}
	return compiler{
		plans: func(ctx context.Context) ([]byte, error) {
			runtime, err := d.modules.load(ctx, v.Module)
			if err != nil {
				return nil, err
			}
			return runtime.CompilePlan(ctx, module, wasm.Source{Theme: document, Prefix: v.Prefix})
		},
		overlays: overlays,
		overlay: func(ctx context.Context, overrides *jsontree.Node, f renderer.File) ([]byte, error) {
			blob, err := overlays(ctx, jsontree.Append(nil, overrides))
			if err != nil {
				return nil, err
			}
			bundle, err := plan.OpenBundle(blob)
			return bundle.Part(uint8(f)), err
		},
	}, nil
}

// themeKey names what a Theme is compiled from.
type themeKey struct {
	document record.Hash
	prefix   string
}

// compiled returns a version's Theme, compiled natively.
func (d *Deriver) compiled(ctx context.Context, v record.ThemeVersion) (*renderer.CompiledTheme, error) {
	return d.compiledOf(v, func() ([]byte, error) { return d.store.Blob(ctx, v.Document) })
}

// compiledOf is compiled with the document that read returns, if it is needed.
func (d *Deriver) compiledOf(v record.ThemeVersion, read func() ([]byte, error)) (*renderer.CompiledTheme, error) {
	key := themeKey{v.Document, v.Prefix}
	if c := d.themes.Get(key); c != nil {
		return c, nil
	}
	document, err := read()
	if err != nil {
		return nil, fmt.Errorf("document %s: %w", v.Document, err)
	}
	root, err := parse(document)
	if err != nil {
		return nil, fmt.Errorf("document %s: %w", v.Document, err)
	}
	c := renderer.Compile(root, v.Prefix)
	d.themes.Add(key, c, int64(c.MemoryBytes(len(document))))
	return c, nil
}

// parse reads a stored object, with the bounds that the module has.
func parse(text []byte) (*jsontree.Node, error) {
	root, err := jsontree.Parse(string(text))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", storage.ErrCorrupt, err)
	case !root.IsObject():
		return nil, fmt.Errorf("%w: it is not an object", storage.ErrCorrupt)
	}
	return root, nil
}

func planBundle(c *renderer.CompiledTheme) []byte {
	return bundle(c.Plan)
}

func overlayBundle(c *renderer.CompiledTheme, overrides []byte) ([]byte, error) {
	root, err := parse(overrides)
	if err != nil {
		return nil, err
	}
	set := c.Load(root)
	return bundle(func(f renderer.File) []byte { return c.Overlay(set, f) }), nil
}

// bundle puts the parts of all files into one blob.
func bundle(part func(renderer.File) []byte) []byte {
	parts := make([][]byte, renderer.FileCount)
	size := 0
	for f := range renderer.File(renderer.FileCount) {
		parts[f] = part(f)
		size += len(parts[f])
	}
	const head = 64 // more than that of a bundle of so few parts
	return plan.AppendBundle(make([]byte, 0, head+size), parts)
}
