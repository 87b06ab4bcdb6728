package edge

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"time"

	"example.com/livery/storage/record"
	"example.com/livery/wasm"
	"example.com/livery/wasm/abi"
)

// bodyOf returns a file in the coding asked for, or in identity where coding is not worth its while.
// It is rendered and encoded once for everybody who waits, and a failure is kept for a moment.
func (e *Edge) bodyOf(s *pairState, file abi.File, enc encoding, now time.Time) (*body, outcome, error) {
	key := bodyKey{s.content, file, enc}
	if b, ok := e.cache.bodies.GetIfPresent(key); ok && (b.failed == nil || now.Sub(b.failedAt) < negativeLifetime) {
		return b, hit, b.failed
	}
	b, err := e.makeBody(s, key, now)
	return b, miss, err
}

func (e *Edge) makeBody(s *pairState, key bodyKey, now time.Time) (*body, error) {
	flight := "body/" + string(key.content[:]) + strconv.Itoa(bitOf(key.file, key.enc))
	made, err, _ := e.flights.Do(flight, func() (any, error) {
		b, err := e.newBody(s, key, now)
		if err != nil && !errors.Is(err, errUnreachable) {
			e.log.Error("a file cannot be made", "file", key.file.Name(), "document", s.fed.Document, "overrides", s.fed.Overrides, "error", err)
			b = &body{failed: err, failedAt: e.now()}
		}
		if b != nil {
			e.cache.bodies.Set(key, b)
		}
		return b, err
	})
	if err != nil {
		return nil, err
	}
	return made.(*body), nil
}

func (e *Edge) newBody(s *pairState, key bodyKey, now time.Time) (*body, error) {
	if key.enc == identity {
		content, err := e.render(s.fed, key.file)
		if err != nil {
			return nil, err
		}
		return &body{bytes: content, etag: etagOf(content, identity)}, nil
	}
	plain, _, err := e.bodyOf(s, key.file, identity, now)
	if err != nil || len(plain.bytes) < minEncodeBytes {
		return plain, err
	}
	encoded, err := encode(plain.bytes, key.enc)
	if err != nil || len(encoded) >= len(plain.bytes) {
		return plain, err
	}
	return &body{bytes: encoded, etag: etagOf(plain.bytes, key.enc), encoding: key.enc}, nil
}

// etagOf returns the strong validator of content in a coding, quoted.
func etagOf(content []byte, enc encoding) []byte {
	sum := sha256.Sum256(content)
	return []byte(`"` + base64.RawURLEncoding.EncodeToString(sum[:18]) + etagSuffixes[enc] + `"`)
}

// render makes a file from a pair's inputs, with the module that the pair names.
func (e *Edge) render(fed record.PairFed, file abi.File) ([]byte, error) {
	document, err := e.blob(fed.Document)
	if err != nil {
		return nil, err
	}
	var overrides []byte
	if fed.Overrides != "" {
		if overrides, err = e.blob(fed.Overrides); err != nil {
			return nil, err
		}
	}
	if err := e.load(fed.Module); err != nil {
		return nil, err
	}
	started := time.Now()
	content, err := e.config.Runtime.Render(e.ctx, string(fed.Module), wasm.Request{Theme: document, Overrides: overrides, Prefix: fed.Prefix, File: file})
	e.metrics.rendered(time.Since(started), err)
	return content, err
}

// load makes a renderer module ready.
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

// blob returns content by its name, from disk or from upstream.
func (e *Edge) blob(name record.Hash) ([]byte, error) {
	if !name.Valid() {
		return nil, fmt.Errorf("edge: %q names no content", name)
	}
	if blob, ok := e.disk.blob(name); ok {
		return blob, nil
	}
	return e.fetchBlob(name)
}

func (e *Edge) fetchBlob(name record.Hash) ([]byte, error) {
	fetched, err, _ := e.flights.Do("blob/"+string(name), func() (any, error) {
		blob, err := e.upstream.blob(e.ctx, name)
		e.metrics.asked("blob", err)
		if err == nil {
			e.keep(e.disk.putBlob(name, blob))
		}
		return blob, err
	})
	if err != nil {
		return nil, err
	}
	return fetched.([]byte), nil
}

// fetchInputs brings what a pair is rendered from onto the disk.
func (e *Edge) fetchInputs(fed record.PairFed) error {
	for _, name := range []record.Hash{fed.Document, fed.Overrides, fed.Module} {
		if name == "" || e.disk.hasBlob(name) {
			continue
		}
		if _, err := e.fetchBlob(name); err != nil {
			return err
		}
	}
	return nil
}

// preload readies the newest renderer module, so that the first request need not wait for its
// compilation. It tries once; a request that needs a module loads it itself.
func (e *Edge) preload() {
	modules, err := e.upstream.modules(e.ctx)
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
