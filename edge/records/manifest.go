package records

import (
	"bytes"
	"context"
	"time"

	"example.com/livery/edge/content"
	"example.com/livery/edge/diskcache"
	"example.com/livery/edge/upstream"
	"example.com/livery/feedproto"
)

// Manifest is the entry of the manifest of one Theme, which has it.
type Manifest struct{ entry[ManifestState] }

// ManifestState is one answer to a question for a manifest. It is not changed.
type ManifestState struct {
	answer // Missing: nothing of the below

	Body *content.Body
}

// manifestCost is what a manifest takes besides its bytes.
const manifestCost = 192

// cost returns the memory that m takes; m may be nil.
func (m *Manifest) cost() uint32 {
	if m == nil {
		return 0
	}
	if s := m.State(); s != nil && s.Body != nil {
		return manifestCost + s.Body.Cost()
	}
	return manifestCost
}

func newManifestState(f Freshness, fed feedproto.Manifest) *ManifestState {
	return &ManifestState{answer{Freshness: f}, content.NewJSON(fed.Content)}
}

// Manifest returns the manifest of t, which s has, as l wants it, like Store.Theme. It lives as long as the Environment says, like latest.
func (t *Theme) Manifest(s *Store, ts *ThemeState, l *Lookup) (*ManifestState, Outcome, error) {
	m := t.manifest.Load()
	if m == nil {
		t.manifest.CompareAndSwap(nil, &Manifest{entry[ManifestState]{Key: t.Key}})
		m = t.manifest.Load()
	}
	k := manifestRecord{s, t, ts, m}
	held := m.State()
	if held != nil && k.fresh(held, l) {
		return held, Hit, nil
	}
	if !s.Acquire(l) {
		return nil, Miss, ErrBusy
	}
	return lookUp(s, &m.entry, k, held, l)
}

// manifestRecord is the kind of manifests.
type manifestRecord struct {
	store      *Store
	theme      *Theme
	themeState *ThemeState
	manifest   *Manifest
}

func (r manifestRecord) endpoint() upstream.Endpoint { return upstream.ManifestEndpoint }
func (r manifestRecord) flight() string              { return "manifest/" + r.theme.Key }
func (r manifestRecord) owner() *Theme               { return r.theme }
func (r manifestRecord) onDisk() bool                { return r.store.Disk.HasManifest(r.theme.Key) }

func (r manifestRecord) fresh(state *ManifestState, l *Lookup) bool {
	lifetime := r.themeState.Lifetime
	if state.Missing != "" {
		lifetime = NegativeLifetime
	}
	return r.store.fresh(r.theme, state.Freshness, l, lifetime)
}

func (r manifestRecord) takeNegative(now time.Time) bool { return r.store.negativeLookups.Take(now) }
func (r manifestRecord) refundNegative()                 { r.store.negativeLookups.Refund() }

func (r manifestRecord) fetch(ctx context.Context, change uint64, now time.Time) (*ManifestState, error) {
	fed, missing, meta, err := r.store.Upstream.Manifest(ctx, r.theme.Key)
	f := newFreshness(meta, change, now)
	switch {
	case err != nil:
		return nil, err
	case missing != "":
		return &ManifestState{answer: answer{f, missing}}, nil
	}
	return newManifestState(f, fed), nil
}

func (r manifestRecord) load() *ManifestState {
	onDisk, ok := r.store.Disk.Manifest(r.theme.Key)
	if !ok {
		return nil
	}
	return newManifestState(Freshness{At: onDisk.KnownAt}, onDisk.Value)
}

// hold holds a state in memory, and counts what the Theme takes now.
func (r manifestRecord) hold(state *ManifestState) {
	r.manifest.state.Store(state)
	r.store.themes.Update(r.theme.Key, func(held *Theme, _ bool) (*Theme, bool) { return held, held == r.theme })
}

// put writes what is new to disk: with a lifetime of nothing every request asks.
func (r manifestRecord) put(state *ManifestState) {
	before := r.manifest.State()
	r.hold(state)
	switch {
	case state.Missing != "":
		r.store.LogDiskError(r.store.Disk.DropManifest(r.theme.Key))
	case before == nil || before.Body == nil || !bytes.Equal(before.Body.Bytes, state.Body.Bytes):
		r.store.LogDiskError(r.store.Disk.PutManifest(r.theme.Key, diskcache.Record[feedproto.Manifest]{KnownAt: state.At, Value: state.Fed(r.theme.Key)}))
	}
}

// Fed returns what upstream said of a manifest that exists; key is that of its Theme.
func (s *ManifestState) Fed(key string) feedproto.Manifest {
	return feedproto.NewManifest(key, s.Body.Bytes)
}
