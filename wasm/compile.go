package wasm

import (
	"context"
	"errors"
	"fmt"

	"example.com/livery/renderer/plan"
	"example.com/livery/wasm/abi"
)

// Source is what plans and overlays are compiled from.
type Source struct {
	Theme     []byte // the document, JSON
	Overrides []byte // a flat JSON object, or empty for none
	Prefix    string // of custom properties; empty: none
}

func (s Source) size() int { return len(s.Theme) + len(s.Overrides) + len(s.Prefix) }

// largeBytes is the size of a Source from which only one is compiled at a time in a Runtime: it may
// need more memory than all others together.
const largeBytes = 2 << 20

// CompilePlan compiles the plans of all files of a Theme with the module of that digest and returns
// them as one bundle (plan.Bundle); the overrides are left alone. The bytes are the ones that the
// module's renderer gives on any machine. A file that is too large has an empty part. The errors are
// those of Render.
func (r *Runtime) CompilePlan(ctx context.Context, digest string, s Source) ([]byte, error) {
	s.Overrides = nil
	return r.compileBundle(ctx, digest, abi.KindPlan, s)
}

// CompileOverlay is CompilePlan for the overlays of all files of a Variant.
func (r *Runtime) CompileOverlay(ctx context.Context, digest string, s Source) ([]byte, error) {
	return r.compileBundle(ctx, digest, abi.KindOverlay, s)
}

func (r *Runtime) compileBundle(ctx context.Context, digest string, kind abi.Kind, s Source) ([]byte, error) {
	p, err := r.pool(digest)
	if err != nil {
		return nil, err
	}
	if s.size() > abi.MaxInputBytes {
		return nil, fmt.Errorf("wasm: compile: %w", ErrTooLarge)
	}
	if s.size() >= largeBytes {
		select {
		case r.large <- struct{}{}:
			defer func() { <-r.large }()
		case <-ctx.Done():
			return nil, fmt.Errorf("wasm: wait for another large document: %w", context.Cause(ctx))
		}
	}
	return p.compile(ctx, kind, s)
}

// compileBundle compiles the parts of a bundle one after the other; the module keeps what they have
// in common. A *RefusedError leaves the instance sound; after any other error it must not be used again.
func (in *instance) compileBundle(ctx context.Context, kind abi.Kind, s Source) ([]byte, error) {
	if err := in.write(ctx, s.Theme, s.Overrides, []byte(s.Prefix)); err != nil {
		return nil, err
	}
	var parts [abi.FileCount][]byte
	for f := range parts {
		status, err := in.call(ctx, in.compile, uint32(kind), uint32(f), uint32(len(s.Theme)), uint32(len(s.Overrides)), uint32(len(s.Prefix)))
		if err != nil {
			return nil, err
		}
		parts[f], err = in.answer(status)
		if err != nil && !errors.Is(err, ErrTooLarge) {
			return nil, err
		}
	}
	return plan.AppendBundle(nil, parts[:]), nil
}
