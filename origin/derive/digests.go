package derive

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"example.com/livery/renderer"
	"example.com/livery/renderer/plan"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
	"example.com/livery/wasm"
	"example.com/livery/wasm/abi"
)

// FileDigest is the hash of a served file as it is, without a coding, and its length.
type FileDigest struct {
	SHA256 [sha256.Size]byte
	Bytes  int
}

// Digests are those of the files of a pair.
type Digests [renderer.FileCount]FileDigest

// digestCacheBytes is the memory for Digests: a file is rendered for its hash once, as its inputs never change.
const digestCacheBytes = 4 << 20

// Digests returns those of the files of a pair, as every edge serves them: rendered by the module that the version names.
func (d *Deriver) Digests(ctx context.Context, p Pair) (*Digests, error) {
	overlay, err := d.Overlay(ctx, p)
	if err != nil {
		return nil, err
	}
	key := strings.Join([]string{string(p.Version.Module), string(p.Version.Plan), string(overlay)}, "/")
	if known := d.digests.Get(key); known != nil {
		return known, nil
	}
	return shared(ctx, d, "digests "+key, func(ctx context.Context) (*Digests, error) {
		made, err := d.digestsOf(ctx, p, overlay)
		if err != nil {
			return nil, fmt.Errorf("derive: digests of version %d: %w", p.Version.Number, err)
		}
		d.digests.Add(key, made, int64(len(key))+int64(len(made)*(sha256.Size+8)))
		return made, nil
	})
}

// digestsOf renders the files of a pair. A plan or an overlay that is lost is compiled again first, in a turn of its own.
func (d *Deriver) digestsOf(ctx context.Context, p Pair, overlay record.Hash) (*Digests, error) {
	made, err := d.renderDigests(ctx, p, overlay)
	if !errors.Is(err, storage.ErrNotFound) && !errors.Is(err, storage.ErrCorrupt) {
		return made, err
	}
	if _, err = d.Blob(ctx, p.Version.Plan); err == nil && overlay != "" {
		_, err = d.Blob(ctx, overlay)
	}
	if err != nil {
		return nil, err
	}
	return d.renderDigests(ctx, p, overlay)
}

func (d *Deriver) renderDigests(ctx context.Context, p Pair, overlay record.Hash) (*Digests, error) {
	module := p.Version.Module
	render := renderNatively
	if module != d.native {
		runtime, err := d.modules.load(ctx, module)
		if err != nil {
			return nil, err
		}
		render = func(q wasm.Request) ([]byte, error) { return runtime.Render(ctx, string(module), q) }
	}
	request := wasm.Request{Plan: wasm.Blob{Name: string(p.Version.Plan)}, Overlay: wasm.Blob{Name: string(overlay)}}
	made := new(Digests)
	return made, d.foreground.run(ctx, p.EnvironmentID, func() (err error) {
		if request.Plan.Bytes, err = d.store.Blob(ctx, p.Version.Plan); err == nil && overlay != "" {
			request.Overlay.Bytes, err = d.store.Blob(ctx, overlay)
		}
		if err != nil {
			return err
		}
		for f := range made {
			request.File = abi.File(f)
			content, err := render(request)
			if err != nil {
				return fmt.Errorf("%s: %w", request.File.Name(), err)
			}
			made[f] = FileDigest{sha256.Sum256(content), len(content)}
		}
		return nil
	})
}

// renderNatively returns the file that the module of this binary renders.
func renderNatively(q wasm.Request) ([]byte, error) {
	p, err := plan.Open(q.Text())
	if err != nil || q.Edits() == nil {
		return p.File(), err
	}
	o, err := plan.OpenOverlay(p, q.Edits())
	if err != nil {
		return nil, err
	}
	return o.Append(make([]byte, 0, o.Size())), nil
}
