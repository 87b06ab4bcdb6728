package edge

import (
	"errors"
	"fmt"
	"time"

	"example.com/livery/edge/coding"
	"example.com/livery/edge/content"
	"example.com/livery/edge/records"
	"example.com/livery/edge/upstream"
	"example.com/livery/storage/record"
	"example.com/livery/wasm/abi"
)

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
		e.metrics.Asked("blob", err)
		if err == nil {
			e.logDiskError(e.disk.PutBlob(name, blob))
		}
		return blob, err
	})
	if err != nil {
		return nil, err
	}
	return fetched.([]byte), nil
}

// hasBlob reports whether a blob is here, as far as is known without reading it.
func (e *Edge) hasBlob(name record.Hash) bool {
	if !name.Valid() {
		return false
	}
	_, ok := e.postponed.Blob(name)
	return ok || e.disk.HasBlob(name)
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
func (e *Edge) awaitInputs(s *records.PairState, q *records.Lookup) error {
	if e.content.HasInputs(&s.Inputs) {
		return nil
	}
	_, err := e.records.Share(q, "inputs/"+string(s.Inputs.ID[:]), func() (any, error) { return nil, e.content.FetchInputs(s.Inputs.Pair()) })
	return err
}

// bodyOf returns a file in the coding asked for, or in identity if coding is not worth its while, and how it came
// about. It is made once for all requests that wait.
func (e *Edge) bodyOf(s *records.PairState, f abi.File, enc coding.Encoding, q *records.Lookup) (*content.Body, records.Outcome, error) {
	b, held, err := e.content.Cached(&s.Inputs, f, enc, q.Now)
	if b != nil || err != nil {
		return b, records.Hit, err
	}
	if !e.records.Acquire(q) {
		return nil, records.Miss, records.ErrBusy
	}
	b, err = records.RetryWhileDown(e.records, q, func() (*content.Body, error) {
		if !held {
			if err := e.awaitInputs(s, q); err != nil {
				return nil, err
			}
		}
		return e.content.Make(&s.Inputs, f, enc)
	})
	if held {
		return b, records.Recoded, err
	}
	return b, records.Miss, err
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
	if err := e.content.Load(newest.Digest); err != nil {
		e.log.Warn("the newest renderer module cannot be loaded ahead", "module", newest.Digest, "error", err)
	}
}
