package edge

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"example.com/livery/edge/coding"
	"example.com/livery/edge/upstream"
	"example.com/livery/feedproto"
	"example.com/livery/storage/record"
	"example.com/livery/wasm"
	"example.com/livery/wasm/abi"
)

// bodyOf returns a file in the coding asked for, or in identity if coding is not worth its while.
// It is rendered and encoded once for everybody who waits, and a failure is kept for a moment.
func (e *Edge) bodyOf(s *pairState, f abi.File, enc coding.Encoding, q *question) (*body, outcome, error) {
	key := fileKey{s.content, f}
	held, ok := e.cache.files.GetIfPresent(key)
	if ok {
		if b := held.bodies[enc]; b != nil {
			if b.rough && s.fed.Sealed {
				e.improve(key, b)
			}
			return b, hit, nil
		}
		if held.failed != nil && q.now.Sub(held.failedAt) < negativeLifetime {
			return nil, hit, held.failed
		}
	}
	if !e.admit(q) {
		return nil, miss, errBusy
	}
	b, err := persist(e, q, func() (*body, error) {
		if !ok || held.failed != nil {
			if err := e.awaitInputs(s, q); err != nil {
				return nil, err
			}
		}
		return e.makeBody(s, key, enc, true)
	})
	if ok && held.failed == nil {
		return b, recoded, err
	}
	return b, miss, err
}

// makeBody makes a body and keeps it. asked reports whether somebody asked for it, or another is to be made of it.
func (e *Edge) makeBody(s *pairState, key fileKey, enc coding.Encoding, asked bool) (*body, error) {
	flight := "body/" + string(key.content[:]) + strconv.Itoa(bitOf(key.file, enc))
	made, err, _ := e.flights.Do(flight, func() (any, error) {
		if held, ok := e.cache.files.GetIfPresent(key); ok && held.bodies[enc] != nil { // since it was looked for
			return held.bodies[enc], nil
		}
		b, err := e.newBody(s, key, enc)
		switch {
		case err == nil:
			b.asked = asked
			e.cache.putBody(key, b)
		case !errors.Is(err, upstream.ErrUnreachable) && e.ctx.Err() == nil:
			fed := s.fed.record()
			e.log.Error("a file cannot be made", "file", key.file.Name(), "plan", fed.Plan, "overlay", fed.Overlay, "module", fed.Module, "error", err)
			e.cache.files.Set(key, &file{failed: err, failedAt: e.now()})
		}
		return b, err
	})
	if err != nil {
		return nil, err
	}
	return made.(*body), nil
}

func (e *Edge) newBody(s *pairState, key fileKey, enc coding.Encoding) (*body, error) {
	if enc == coding.Identity {
		content, err := e.contentOf(s, key)
		if err != nil {
			return nil, err
		}
		return newBody(content, coding.Identity, coding.Identity, false).withHead(key.file), nil
	}
	plain, err := e.plainBody(s, key)
	if err != nil {
		return nil, err
	}
	content, coded := plain.bytes, coding.Identity
	if len(plain.bytes) >= coding.MinBytes {
		encoded, err := e.encoders.EncodeFast(plain.bytes, enc)
		if err != nil {
			return nil, err
		}
		if len(encoded) < len(plain.bytes) {
			content, coded = encoded, enc
		}
	}
	return newBody(content, enc, coded, coded != coding.Identity).saying(plain.says).withHead(key.file), nil
}

// contentOf returns the bytes of a file, from memory or rendered.
func (e *Edge) contentOf(s *pairState, key fileKey) ([]byte, error) {
	if b := e.heldPlain(key); b != nil {
		return b.bytes, nil
	}
	return e.render(s.fed.record(), key.file)
}

// plainBody returns the file as it is, from memory or made.
func (e *Edge) plainBody(s *pairState, key fileKey) (*body, error) {
	if b := e.heldPlain(key); b != nil {
		return b, nil
	}
	return e.makeBody(s, key, coding.Identity, false)
}

// heldPlain returns a file as it is from memory, or nil.
func (e *Edge) heldPlain(key fileKey) *body {
	held, ok := e.cache.files.GetIfPresent(key)
	if !ok {
		return nil
	}
	return e.plainOf(held)
}

// plainOf returns a file as it is: what is held of it, or what a coding that is held says; nil if there is none. A
// coding that does not say what it was made from is none.
func (e *Edge) plainOf(f *file) *body {
	if b := f.bodies[coding.Identity]; b != nil {
		return b
	}
	for _, b := range f.bodies { // gzip first, which takes least
		if b == nil || b.says == nil {
			continue
		}
		if b.encoding == coding.Identity {
			return newBody(b.bytes, coding.Identity, coding.Identity, false)
		}
		content, err := e.encoders.Decode(b.bytes, b.encoding, b.says.length)
		if err == nil {
			if plain := newBody(content, coding.Identity, coding.Identity, false); plain.says.sum == b.says.sum {
				return plain
			}
			err = errNotAsMade
		}
		e.log.Error("a body in memory is not what was kept", "coding", string(coding.Names[b.encoding]), "error", err)
	}
	return nil
}

// errNotAsMade says that memory has changed.
var errNotAsMade = errors.New("it does not say what it was made from")

// improvement is a body that can be made smaller, by its name: what waits keeps no body in memory.
type improvement struct {
	key    fileKey
	wanted coding.Encoding
}

// improve has a body made smaller in the background, once. Where too many wait for that it is left
// to a later request.
func (e *Edge) improve(key fileKey, b *body) {
	if b.improving.Load() || len(b.bytes) > coding.MaxBestBytes || !b.improving.CompareAndSwap(false, true) {
		return
	}
	select {
	case e.improvements <- improvement{key, b.wanted}:
	default:
		b.improving.Store(false)
	}
}

// improveAll makes bodies smaller, one at a time, until the edge is stopped.
func (e *Edge) improveAll() {
	for {
		select {
		case next := <-e.improvements:
			e.improveOne(next)
		case <-e.ctx.Done():
			return
		}
	}
}

func (e *Edge) improveOne(i improvement) {
	entry, ok := e.cache.files.GetEntryQuietly(i.key)
	if !ok {
		return
	}
	old := entry.Value.bodies[i.wanted]
	if old == nil || !old.rough || old.says == nil || old.says.length > coding.MaxBestBytes {
		return
	}
	plain := e.plainOf(entry.Value)
	if plain == nil {
		return
	}
	smaller, err := e.encoders.Encode(plain.bytes, old.encoding, coding.Best)
	if err != nil {
		return
	}
	if len(smaller) >= len(old.bytes) { // it is as small as it gets
		e.cache.replaceBody(i.key, old, newBody(old.bytes, old.wanted, old.encoding, false).saying(old.says).withHead(i.key.file))
		return
	}
	b := newBody(smaller, old.wanted, old.encoding, false).saying(old.says).withHead(i.key.file)
	b.roughTag = old.etag
	e.cache.replaceBody(i.key, old, b)
	e.metrics.improved.Inc()
}

// render makes a file from a pair's inputs, with the module that the pair names.
func (e *Edge) render(fed feedproto.Pair, f abi.File) ([]byte, error) {
	request, err := e.inputs(fed, f)
	if err != nil {
		return nil, err
	}
	content, err := e.renderWith(fed.Module, request)
	if errors.Is(err, wasm.ErrNotLoaded) { // dropped between the two: it was unused for long
		content, err = e.renderWith(fed.Module, request)
	}
	return content, err
}

func (e *Edge) renderWith(module record.Hash, request wasm.Request) ([]byte, error) {
	if err := e.load(module); err != nil {
		return nil, err
	}
	started := time.Now()
	e.metrics.working.Inc()
	defer e.metrics.working.Dec()
	content, err := e.config.Runtime.Render(e.ctx, string(module), request)
	e.metrics.rendered(time.Since(started), err)
	return content, err
}

// inputs brings what a file is rendered from together.
func (e *Edge) inputs(fed feedproto.Pair, f abi.File) (wasm.Request, error) {
	plan, err := e.input(fed.Plan)
	if err != nil {
		return wasm.Request{}, err
	}
	request := wasm.Request{Plan: wasm.Blob{Name: string(fed.Plan), Bytes: plan}, File: f}
	if fed.Overlay != "" {
		overlay, err := e.input(fed.Overlay)
		if err != nil {
			return wasm.Request{}, err
		}
		request.Overlay = wasm.Blob{Name: string(fed.Overlay), Bytes: overlay}
	}
	return request, nil
}

// load makes a renderer module ready. Several may be at once: each version names its own.
func (e *Edge) load(digest record.Hash) error {
	if e.config.Runtime.Loaded(string(digest)) {
		return nil
	}
	module, err := e.blob(digest)
	if err != nil {
		return err
	}
	return e.config.Runtime.Load(e.ctx, string(digest), module)
}

// input returns a plan or an overlay by its name, from memory, from disk or from upstream.
func (e *Edge) input(name record.Hash) ([]byte, error) {
	if held, ok := e.cache.inputs.GetIfPresent(name); ok {
		return held, nil
	}
	blob, err := e.blob(name)
	if err == nil {
		e.cache.inputs.Set(name, blob)
	}
	return blob, err
}

// blob returns content by its name, from disk or from upstream.
func (e *Edge) blob(name record.Hash) ([]byte, error) {
	if !name.Valid() {
		return nil, fmt.Errorf("edge: %q names no content", name)
	}
	if blob, ok := e.postponed.Blob(name); ok {
		return blob, nil
	}
	if blob, ok := e.disk.Blob(name); ok {
		return blob, nil
	}
	return e.fetchBlob(name)
}

func (e *Edge) fetchBlob(name record.Hash) ([]byte, error) {
	fetched, err, _ := e.flights.Do("blob/"+string(name), func() (any, error) {
		blob, err := e.askBlob(name)
		e.metrics.asked("blob", err)
		if err == nil {
			e.keep(e.disk.PutBlob(name, blob))
		}
		return blob, err
	})
	if err != nil {
		return nil, err
	}
	return fetched.([]byte), nil
}

// askBlob asks for a blob; if none is asked for just now, because others were not answered right, when one is.
func (e *Edge) askBlob(name record.Hash) (blob []byte, err error) {
	for until := time.Now().Add(upstream.ProbeWithin); ; {
		blob, err = e.sources.Blob(e.ctx, name)
		resting := (*upstream.BackoffError)(nil)
		if !errors.As(err, &resting) || e.sources.Down() || !time.Now().Before(until) || e.ctx.Err() != nil {
			return blob, err
		}
		upstream.Sleep(e.ctx, max(time.Unix(0, resting.Next).Sub(e.now()), time.Millisecond), nil)
	}
}

// awaitInputs waits for what a pair is rendered from, if it has to come from upstream, as long as q may.
func (e *Edge) awaitInputs(s *pairState, q *question) error {
	fed := s.fed.record()
	if e.hasInputs(fed) {
		return nil
	}
	_, err := e.shared(q, "inputs/"+string(s.content[:]), func() (any, error) { return nil, e.fetchInputs(fed) })
	return err
}

// hasInputs reports whether what a pair is rendered from is here, as far as is known without reading it.
func (e *Edge) hasInputs(fed feedproto.Pair) bool {
	for _, name := range []record.Hash{fed.Plan, fed.Overlay} {
		if name != "" && !e.hasInput(name) {
			return false
		}
	}
	return e.config.Runtime.Loaded(string(fed.Module)) || e.disk.HasBlob(fed.Module)
}

func (e *Edge) hasInput(name record.Hash) bool {
	if _, ok := e.cache.inputs.GetIfPresent(name); ok {
		return true
	}
	_, ok := e.postponed.Blob(name)
	return ok || e.disk.HasBlob(name)
}

// fetchInputs makes sure that what a pair is rendered from is here, whole.
func (e *Edge) fetchInputs(fed feedproto.Pair) error {
	for _, name := range []record.Hash{fed.Plan, fed.Overlay} {
		if name == "" {
			continue
		}
		if _, err := e.input(name); err != nil {
			return err
		}
	}
	if e.config.Runtime.Loaded(string(fed.Module)) && e.disk.HasBlob(fed.Module) {
		return nil
	}
	_, err := e.blob(fed.Module)
	return err
}

// preload readies the newest renderer module, so that the first request need not wait for its
// compilation. It tries once; a request that needs a module loads it itself.
func (e *Edge) preload() {
	modules, err := e.modules()
	if err != nil {
		return
	}
	var newest record.Module
	for _, m := range modules {
		if m.ABIVersion == abi.Version && m.Digest.Valid() && m.RegisteredAt.After(newest.RegisteredAt) {
			newest = m
		}
	}
	if newest.Digest == "" {
		return
	}
	if err := e.load(newest.Digest); err != nil {
		e.log.Warn("the newest renderer module cannot be loaded ahead", "module", newest.Digest, "error", err)
	}
}
