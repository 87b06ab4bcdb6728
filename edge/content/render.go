package content

import (
	"context"
	"errors"
	"strconv"
	"time"

	"example.com/livery/edge/coding"
	"example.com/livery/storage/record"
	"example.com/livery/wasm"
	"example.com/livery/wasm/abi"
)

// failureLifetime is how long a file that could not be made is not made again.
const failureLifetime = time.Second

// Cached returns a file in the coding asked for, or in Identity if coding is not worth its while, if it is held or
// could not be made a moment ago. held reports whether it is held in any coding.
func (s *Store) Cached(in *Inputs, f abi.File, enc coding.Encoding, now time.Time) (b *Body, held bool, err error) {
	key := Key{in.ID, f}
	file, ok := s.files.Get(key)
	switch {
	case !ok:
		return nil, false, nil
	case file.bodies[enc] != nil:
		s.Recompress(in, f, file.bodies[enc])
		return file.bodies[enc], true, nil
	case file.failed != nil && now.Sub(file.failedAt) < failureLifetime:
		return nil, true, file.failed
	}
	return nil, file.failed == nil, nil
}

// Make renders and encodes a file, once for all that wait. A failure is held for a moment.
func (s *Store) Make(in *Inputs, f abi.File, enc coding.Encoding) (*Body, error) {
	return s.make(in, Key{in.ID, f}, enc, true)
}

// make makes a body and holds it. requested reports whether a request is for it, or another is to be made of it.
func (s *Store) make(in *Inputs, key Key, enc coding.Encoding, requested bool) (*Body, error) {
	flight := string(key.Inputs[:]) + strconv.Itoa(int(key.File)*coding.Count+int(enc))
	made, err, _ := s.flights.Do(flight, func() (any, error) {
		if held, ok := s.files.Peek(key); ok && held.bodies[enc] != nil { // since it was looked for
			return held.bodies[enc], nil
		}
		b, err := s.encode(in, key, enc)
		switch {
		case err == nil:
			b.requested = requested
			s.putOf(in, key, b)
		case !s.config.IsTemporary(err) && s.ctx.Err() == nil:
			p := in.Pair()
			s.config.Logger.Error("a file cannot be made", "file", key.File.Name(), "plan", p.Plan, "overlay", p.Overlay, "module", p.Module, "error", err)
			s.files.Set(key, &File{failed: err, failedAt: s.config.Now()})
		}
		return b, err
	})
	if err != nil {
		return nil, err
	}
	return made.(*Body), nil
}

// encode returns a file in a coding, or in Identity if the coding makes it no shorter.
func (s *Store) encode(in *Inputs, key Key, enc coding.Encoding) (*Body, error) {
	if enc == coding.Identity {
		if b := s.heldPlain(key); b != nil {
			return NewBody(key.File, b.Bytes, enc, enc, false, b.Plain), nil
		}
		return s.renders.plain(in, key.File)
	}
	if b, err := s.parses.encode(in, key, enc); b != nil || err != nil {
		return b, err
	}
	plain, err := s.plainBody(in, key)
	if err != nil {
		return nil, err
	}
	content, coded := plain.Bytes, coding.Identity
	if len(plain.Bytes) >= coding.MinBytes {
		encoded, err := s.encoders.EncodeFast(plain.Bytes, enc)
		if err != nil {
			return nil, err
		}
		if len(encoded) < len(plain.Bytes) {
			content, coded = encoded, enc
		}
	}
	return NewBody(key.File, content, enc, coded, coded != coding.Identity, plain.Plain), nil
}

// plainBody returns the file as it is, from memory or made.
func (s *Store) plainBody(in *Inputs, key Key) (*Body, error) {
	if b := s.heldPlain(key); b != nil {
		return b, nil
	}
	return s.make(in, key, coding.Identity, false)
}

// heldPlain returns a file as it is from memory, or nil.
func (s *Store) heldPlain(key Key) *Body {
	held, ok := s.files.Peek(key)
	if !ok {
		return nil
	}
	return s.decode(key.File, held)
}

// decode returns a file as it is: what is held of it, or what a coding that is held says; nil if there is none. A
// coding that does not say what it was made from is none.
func (s *Store) decode(name abi.File, f *File) *Body {
	if b := f.bodies[coding.Identity]; b != nil {
		return b
	}
	for _, b := range f.bodies { // gzip first, which takes least
		if b == nil || b.Plain == nil {
			continue
		}
		if b.Encoding == coding.Identity {
			return NewBody(name, b.Bytes, coding.Identity, coding.Identity, false, b.Plain)
		}
		content, err := s.encoders.Decode(b.Bytes, b.Encoding, b.Plain.length)
		if err == nil {
			if b.Plain.says(content) {
				return NewBody(name, content, coding.Identity, coding.Identity, false, b.Plain)
			}
			err = errNotAsMade
		}
		s.config.Logger.Error("a body in memory is not what was kept", "coding", string(coding.Names[b.Encoding]), "error", err)
	}
	return nil
}

// errNotAsMade says that memory has changed.
var errNotAsMade = errors.New("it does not say what it was made from")

// renders renders files with the modules that their pairs name.
type renders struct {
	store *Store
	ctx   context.Context                   // if it is done nothing is waited for, as wasm.Runtime.Render says
	input func(record.Hash) ([]byte, error) // returns a plan or an overlay
}

// request returns what a file is rendered from.
func (r renders) request(in *Inputs, f abi.File) (q wasm.Request, err error) {
	p := in.Pair()
	q = wasm.Request{Plan: wasm.Blob{Name: string(p.Plan)}, Overlay: wasm.Blob{Name: string(p.Overlay)}, File: f}
	if q.Plan.Bytes, err = r.input(p.Plan); err == nil && p.Overlay != "" {
		q.Overlay.Bytes, err = r.input(p.Overlay)
	}
	return q, err
}

// plain returns a file as it is.
func (r renders) plain(in *Inputs, f abi.File) (*Body, error) {
	request, err := r.request(in, f)
	if err != nil {
		return nil, err
	}
	content, plain, err := r.render(in, request, nil)
	if err != nil {
		return nil, err
	}
	return NewBody(f, content, coding.Identity, coding.Identity, false, plain), nil
}

// render returns a file and what it is. shared is told what the file shares with its plan; nil: that is not asked for.
func (r renders) render(in *Inputs, request wasm.Request, shared *coding.Shared) ([]byte, *PlainInfo, error) {
	module := in.module.Value()
	content, err := r.renderWith(module, request, shared)
	if errors.Is(err, wasm.ErrNotLoaded) && r.ctx.Err() == nil { // dropped between the two: it was unused for long
		content, err = r.renderWith(module, request, shared)
	}
	if err != nil {
		return nil, nil, err
	}
	edits := request.Edits()
	if edits == nil {
		return content, newPlainInfo(content), nil
	}
	known := r.store.parses.text(parseKey{in.plan, request.File}, request.Text())
	return content, namedInfo(content, variantTag(module, request.File, known.sum, edits)), nil
}

func (r renders) renderWith(module record.Hash, request wasm.Request, shared *coding.Shared) (content []byte, err error) {
	c := &r.store.config
	if r.ctx.Err() == nil {
		err = r.store.Load(module)
	}
	if err != nil {
		return nil, err
	}
	done := c.Rendering()
	if shared == nil {
		content, err = c.Runtime.Render(r.ctx, string(module), request)
	} else {
		shared.Text = request.Text()
		content, shared.Spans, err = c.Runtime.RenderShared(r.ctx, string(module), request, shared.Room)
	}
	done(err)
	return content, err
}

// Load makes a renderer module ready. Several may be at once: each version names its own.
func (s *Store) Load(digest record.Hash) error {
	if s.config.Runtime.Loaded(string(digest)) {
		return nil
	}
	module, err := s.config.Blob(digest)
	if err != nil {
		return err
	}
	return s.config.Runtime.Load(s.ctx, string(digest), module)
}
