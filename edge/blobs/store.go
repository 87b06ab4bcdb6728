// Package blobs has plans, overlays and renderer modules by their hash: on disk, waiting to be written to it, or of upstream.
package blobs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/livery/edge/diskcache"
	"example.com/livery/edge/upstream"
	"example.com/livery/feedproto"
	"example.com/livery/storage/record"
	"golang.org/x/sync/singleflight"
)

// Config configures a Store. All members must be set.
type Config struct {
	Context      context.Context // ends questions
	Disk         *diskcache.Cache
	WriteBehind  *diskcache.WriteBehind
	Upstream     *upstream.Pool
	Asked        func(kind string, err error) // counts a question to upstream
	LogDiskError func(error)                  // is called with nil too
	Now          func() time.Time
}

// Store has blobs. It may be used concurrently.
type Store struct {
	Config
	flights singleflight.Group
}

// New returns a Store.
func New(c Config) *Store { return &Store{Config: c} }

// Get returns content by its name, from disk or from upstream. The error is upstream.ErrUnreachable, unless name is not valid.
func (s *Store) Get(name record.Hash) ([]byte, error) {
	if !name.Valid() {
		return nil, fmt.Errorf("edge: %q names no content", name)
	}
	if blob, ok := s.WriteBehind.Blob(name); ok {
		return blob, nil
	}
	if blob, ok := s.Disk.Blob(name); ok {
		return blob, nil
	}
	fetched, err, _ := s.flights.Do(string(name), func() (any, error) {
		blob, err := s.ask(name)
		s.Asked(upstream.BlobEndpoint.String(), err)
		if err == nil {
			s.keep(name, blob)
		}
		return blob, err
	})
	if err != nil {
		return nil, err
	}
	return fetched.([]byte), nil
}

// keep has a blob written with the pair that it was asked for, which is about to be added, or writes a long one at once.
func (s *Store) keep(name record.Hash, blob []byte) {
	if len(blob) <= feedproto.MaxPairInputs {
		if release, ok := s.WriteBehind.Hold(name, blob); ok {
			release()
			return
		}
	}
	s.LogDiskError(s.Disk.PutBlob(name, blob))
}

// ask asks upstream for a blob; if none is asked for just now, because others were not answered right, when one is.
func (s *Store) ask(name record.Hash) (blob []byte, err error) {
	for until := time.Now().Add(upstream.ProbeWithin); ; {
		blob, err = s.Upstream.Blob(s.Context, name)
		backoff := (*upstream.BackoffError)(nil)
		if !errors.As(err, &backoff) || s.Upstream.Down() || !time.Now().Before(until) || s.Context.Err() != nil {
			return blob, err
		}
		upstream.Sleep(s.Context, max(time.Unix(0, backoff.Next).Sub(s.Now()), time.Millisecond), nil)
	}
}

// Has reports whether a blob is here, as far as is known without reading it.
func (s *Store) Has(name record.Hash) bool {
	if !name.Valid() {
		return false
	}
	_, ok := s.WriteBehind.Blob(name)
	return ok || s.Disk.HasBlob(name)
}

// Hold takes a blob that came with another answer until release is called, if it is that of the name and not on disk: a pair
// that is written to disk before takes it along. It returns a copy of the blob, or nil if it was not taken.
func (s *Store) Hold(name record.Hash, blob []byte) (own []byte, release func()) {
	if blob == nil || s.Disk.HasBlob(name) {
		return nil, func() {}
	}
	if release, held := s.WriteBehind.HoldAgain(name); held { // of another pair
		return nil, release
	}
	if record.HashOf(blob) != name {
		return nil, func() {}
	}
	own = bytes.Clone(blob) // one part does not hold the whole answer
	release, ok := s.WriteBehind.Hold(name, own)
	if !ok {
		s.LogDiskError(s.Disk.PutBlob(name, own))
		release = func() {}
	}
	return own, release
}

// Modules lists the renderer modules that upstream has, or had when it was last asked.
func (s *Store) Modules() ([]record.Module, error) {
	listed, err := s.Upstream.Modules(s.Context)
	if err != nil {
		onDisk, ok := s.Disk.Modules()
		if !ok {
			return nil, err
		}
		return onDisk, nil
	}
	s.LogDiskError(s.Disk.PutModules(listed.Modules))
	return listed.Modules, nil
}
