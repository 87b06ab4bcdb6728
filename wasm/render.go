package wasm

import (
	"context"
	"fmt"

	"example.com/livery/renderer/plan"
	"example.com/livery/wasm/abi"
)

// Blob is derived data under its name. The zero value is none.
type Blob struct {
	Name  string // its SHA-256, hexadecimal: the maker of the Blob vouches for it; empty: it is computed
	Bytes []byte // not changed by anyone while a call uses it
}

// Request names one file and what it is made from.
type Request struct {
	Plan    Blob // the plans of all files of a Theme version (plan.Bundle)
	Overlay Blob // the overlays of all files of a Variant for that Plan; zero: the Theme alone
	File    abi.File
}

// Text returns the part of the Plan that belongs to the File, or nil.
func (r Request) Text() []byte {
	text, _ := part(r.Plan.Bytes, r.File, abi.StatusBadPlan)
	return text
}

// Edits returns the part of the Overlay that belongs to the File, or nil.
func (r Request) Edits() []byte {
	edits, _ := part(r.Overlay.Bytes, r.File, abi.StatusBadOverlay)
	return edits
}

// planKey names one plan of a bundle.
type planKey struct {
	bundle string
	file   abi.File
}

// job is a Request taken apart.
type job struct {
	key     planKey
	plan    []byte
	overlay []byte      // empty: the Theme alone
	spans   *[]abi.Span // what the file shares with plan is appended; nil: it is not asked for
	room    []byte      // for the file, if it is made of pieces
}

// Render renders one file with the module of that digest. The errors are ErrNotLoaded, ErrClosed,
// ErrTooLarge, a *RefusedError, ErrFailed if the module did not survive its input, or ctx's
// while waiting for an instance; a render that has begun is not interrupted. An instance keeps the
// plan for the next request: if ctx is done from the beginning, only one that is idle and has it renders, and nothing is
// waited for. The result is the caller's.
func (r *Runtime) Render(ctx context.Context, digest string, req Request) ([]byte, error) {
	return r.render(ctx, digest, req, nil, nil)
}

// RenderShared does what Render does, and returns what the file shares with req.Text, in the order of the file,
// as far as the module says. The file lies in room, if it fits there. It is slower with overlays that change much.
func (r *Runtime) RenderShared(ctx context.Context, digest string, req Request, room []byte) (file []byte, spans []abi.Span, err error) {
	file, err = r.render(ctx, digest, req, &spans, room)
	return file, spans, err
}

func (r *Runtime) render(ctx context.Context, digest string, req Request, spans *[]abi.Span, room []byte) ([]byte, error) {
	p, err := r.pool(digest)
	if err != nil {
		return nil, err
	}
	j, err := takeApart(req)
	if err != nil {
		return nil, err
	}
	j.spans, j.room = spans, room
	return p.render(ctx, j)
}

// Try renders an empty file with the module of that digest, so that the next render finds an instance that has run.
func (r *Runtime) Try(ctx context.Context, digest string) error {
	blob := plan.AppendBundle(nil, [][]byte{plan.Append(nil, 0, nil)})
	_, err := r.Render(ctx, digest, Request{Plan: Blob{Bytes: blob}})
	return err
}

// takeApart finds the parts of the file in the bundles.
func takeApart(req Request) (job, error) {
	if req.File >= abi.FileCount {
		return job{}, &RefusedError{Status: abi.StatusBadFile}
	}
	j := job{key: planKey{req.Plan.Name, req.File}}
	if j.key.bundle == "" {
		j.key.bundle = Digest(req.Plan.Bytes)
	}
	var err error
	if j.plan, err = part(req.Plan.Bytes, req.File, abi.StatusBadPlan); err != nil {
		return job{}, err
	}
	if len(req.Overlay.Bytes) == 0 {
		return j, nil
	}
	j.overlay, err = part(req.Overlay.Bytes, req.File, abi.StatusBadOverlay)
	return j, err
}

// part returns the part of a bundle that belongs to a file. A file that was too large to compile has
// none.
func part(blob []byte, f abi.File, damaged abi.Status) ([]byte, error) {
	bundle, err := plan.OpenBundle(blob)
	if err != nil {
		return nil, &RefusedError{Status: damaged}
	}
	part := bundle.Part(uint8(f))
	if part == nil {
		return nil, fmt.Errorf("wasm: %s: %w", f.Name(), ErrTooLarge)
	}
	return part, nil
}
