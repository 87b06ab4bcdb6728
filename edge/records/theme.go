package records

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"example.com/livery/edge/content"
	"example.com/livery/edge/diskcache"
	"example.com/livery/edge/memcache"
	"example.com/livery/edge/policy"
	"example.com/livery/edge/upstream"
	"example.com/livery/feedproto"
	"example.com/livery/httpd/guard"
	"example.com/livery/wasm/abi"
)

// Theme is the entry of one Theme, under "{env}/{theme}".
type Theme struct {
	entry[ThemeState]
	// change is the number of the newest change heard of. Numbers are never used twice in a process:
	// a state that was asked for under another number is invalid.
	change          atomic.Uint64
	stale           atomic.Pointer[staleWindow] // nil unless what is hot is being refreshed after a change
	negativeLookups guard.Bucket                // questions for pairs that were not there
	manifest        atomic.Pointer[Manifest]    // nil: it was not asked for

	mu            sync.Mutex // guards all below
	pairs         map[*Pair]struct{}
	refreshed     chan struct{} // closed when the refresh is done that waits or is under way; nil: there is none
	invalidatedAt time.Time     // by the first change since the newest refresh began
}

// Change returns the number of the newest change heard of.
func (t *Theme) Change() uint64 { return t.change.Load() }

// What an entry takes besides its bytes: structures, keys, the table's own. A test weighs them.
const (
	themeCost      = 896
	signingKeyCost = 1 << 10
	pairCost       = 1<<9 + 32 + content.ReferenceCost // with its place among those of its Theme
)

// cost returns the memory that the Theme takes; rules take about as much as what they are made of.
func (t *Theme) cost() uint32 {
	s := t.State()
	if s == nil {
		return themeCost
	}
	listed := 0
	for _, list := range [][]string{s.Record.Serving.AllowedOrigins, s.Record.Serving.AllowedIPRanges} {
		for _, text := range list {
			listed += 2 * (len(text) + 32)
		}
	}
	return themeCost + memcache.Allocated(listed) + uint32(len(s.Record.Serving.SigningKeys))*signingKeyCost + t.manifest.Load().cost()
}

// maxPairs bounds the pairs of a Theme that are refreshed after a change.
const maxPairs = 512

// remember makes p one of the pairs of t.
func (t *Theme) remember(p *Pair) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p.theme.Store(t)
	if p.gone.Load() { // it was evicted already, and would never be forgotten
		return
	}
	if t.pairs == nil {
		t.pairs = map[*Pair]struct{}{}
	}
	t.pairs[p] = struct{}{}
}

// hasPairs reports whether any pair of t is remembered.
func (t *Theme) hasPairs() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.pairs) > 0
}

// forget makes p, which was evicted, none of the pairs of t.
func (t *Theme) forget(p *Pair) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.pairs, p)
}

// hot returns the pairs that were requested since then, and those whose first request is still under way, maxPairs
// at most, besides those that event streams wait for. Those that follow latest come first: they are what a change concerns most.
func (t *Theme) hot(since time.Time) (hot []*Pair) {
	type ranked struct {
		pair      *Pair
		requested int64
	}
	var all []ranked
	for _, p := range t.all() {
		if p.followed() {
			hot = append(hot, p)
		} else if requested := p.requestedAt.Load(); requested == 0 || requested >= since.Unix() {
			all = append(all, ranked{p, requested})
		}
	}
	slices.SortFunc(all, func(a, b ranked) int {
		if a.pair.Pinned != b.pair.Pinned {
			return map[bool]int{false: -1, true: 1}[a.pair.Pinned]
		}
		return cmp.Compare(b.requested, a.requested)
	})
	for _, p := range all[:min(len(all), maxPairs)] {
		hot = append(hot, p.pair)
	}
	return hot
}

// all returns the pairs of t.
func (t *Theme) all() []*Pair {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Collect(maps.Keys(t.pairs))
}

// ThemeState is one answer to a question for a Theme. It is not changed.
type ThemeState struct {
	answer // Missing: the Theme does not exist, and nothing of the below

	Record        feedproto.Theme
	Lifetime      time.Duration // of latest and unsealed answers
	Files         [abi.FileCount]bool
	Rules         *policy.Rules
	SecretsAbsent bool // signed, and read from disk, which holds no secrets
}

func newThemeState(f Freshness, fed feedproto.Theme) *ThemeState {
	s := &ThemeState{
		answer:   answer{Freshness: f},
		Record:   fed,
		Lifetime: time.Duration(fed.CacheLifetime) * time.Second,
		Rules:    policy.Compile(fed.Serving),
	}
	s.SecretsAbsent = f.Change == 0 && s.Rules.Signed() && !s.Rules.HasKeys()
	for _, name := range fed.Files {
		if file, ok := abi.FileByName(name); ok {
			s.Files[file] = true
		}
	}
	return s
}

// themeRecord is the kind of Themes.
type themeRecord struct {
	store *Store
	theme *Theme
}

func (r themeRecord) endpoint() upstream.Endpoint { return upstream.ThemeEndpoint }
func (r themeRecord) flight() string              { return "theme/" + r.theme.Key }
func (r themeRecord) owner() *Theme               { return r.theme }
func (r themeRecord) fresh(state *ThemeState, l *Lookup) bool {
	return r.store.themeFresh(r.theme, state, l)
}
func (r themeRecord) onDisk() bool                    { return r.store.Disk.HasTheme(r.theme.Key) }
func (r themeRecord) takeNegative(now time.Time) bool { return r.store.negativeLookups.Take(now) }
func (r themeRecord) refundNegative()                 { r.store.negativeLookups.Refund() }

func (r themeRecord) fetch(ctx context.Context, change uint64, now time.Time) (*ThemeState, error) {
	fed, missing, meta, err := r.store.Upstream.Theme(ctx, r.theme.Key)
	f := newFreshness(meta, change, now)
	switch {
	case err != nil:
		return nil, err
	case missing:
		return &ThemeState{answer: answer{f, feedproto.MissingTheme}}, nil
	}
	return newThemeState(f, fed), nil
}

func (r themeRecord) load() *ThemeState {
	onDisk, ok := r.store.Disk.Theme(r.theme.Key)
	if !ok {
		return nil
	}
	return newThemeState(Freshness{At: onDisk.KnownAt}, onDisk.Value)
}

func (r themeRecord) hold(state *ThemeState) { r.store.holdTheme(r.theme, state) }

// HoldTheme holds what upstream said of a Theme in memory, and returns the state.
func (s *Store) HoldTheme(t *Theme, f Freshness, fed feedproto.Theme) *ThemeState {
	state := newThemeState(f, fed)
	s.holdTheme(t, state)
	return state
}

// holdTheme holds a state in memory, and counts what the Theme takes now.
func (s *Store) holdTheme(t *Theme, state *ThemeState) {
	if old := t.state.Swap(state); old != nil && !old.Rules.Equal(state.Rules) {
		t.endStreams()
	}
	s.themes.Update(t.Key, func(held *Theme, _ bool) (*Theme, bool) { return held, held == t })
}

func (r themeRecord) put(state *ThemeState) {
	r.hold(state)
	if state.Missing != "" {
		r.dropPairs()
		r.store.LogDiskError(r.store.Disk.DropTheme(r.theme.Key))
		return
	}
	r.store.LogDiskError(r.store.Disk.PutTheme(r.theme.Key, state.onDisk()))
}

// dropPairs drops the pairs of the Theme, which does not exist any more.
func (r themeRecord) dropPairs() {
	for _, p := range r.theme.all() {
		p.hold(r.store, &PairState{answer: answer{Missing: feedproto.MissingTheme}})
		r.store.pairs.Delete(p.Key)
	}
}

// onDisk returns what the disk holds of the state.
func (s *ThemeState) onDisk() diskcache.Record[feedproto.Theme] {
	return diskcache.Record[feedproto.Theme]{KnownAt: s.At, Value: s.Record}
}
