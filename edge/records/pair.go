package records

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"
	"time"

	"example.com/livery/edge/address"
	"example.com/livery/edge/content"
	"example.com/livery/edge/diskcache"
	"example.com/livery/edge/live"
	"example.com/livery/edge/memcache"
	"example.com/livery/edge/upstream"
	"example.com/livery/feedproto"
	"example.com/livery/storage/record"
)

// sealedRewrite is how long the disk's record of a sealed pair at its number says when it was last known.
const sealedRewrite = time.Hour

// Pair is the entry of one (Theme version, Variant), or of a Variant's latest, under
// "{env}/{theme}/{-|variant}/{latest|number}", or of that in modes, with "/{modes}" behind it.
type Pair struct {
	entry[PairState]
	Pinned      bool                       // the key names a number
	line        content.Line               // of parts of the key
	theme       atomic.Pointer[Theme]      // that remembers it; nil: none
	gone        atomic.Bool                // it was evicted
	requestedAt atomic.Int64               // Unix seconds of the newest request
	requests    atomic.Uint32              // seconds with a request that the disk was not told of
	topic       atomic.Pointer[live.Topic] // of event streams; nil: there was none

	Wanted atomic.Uint32 // a bit for each (file, coding) that was requested; Content's own
}

func newPair(key string) *Pair {
	files, version, modes := feedproto.SplitPair(key)
	return &Pair{entry: entry[PairState]{Key: key}, Pinned: version != "latest", line: content.Line{Files: files, Modes: modes}}
}

// Line names the files of the Theme or Variant, in the modes of the pair, under all versions.
func (p *Pair) Line() content.Line { return p.line }

// HasModes reports whether the pair is one in modes. Upstream keeps the overlay of such a pair for a while only.
func (p *Pair) HasModes() bool { return p.line.Modes != "" }

// lacksInputs reports whether the pair has to be asked for again, fresh or not, as its inputs are not on this machine: those
// of a pair in modes come with it alone.
func (p *Pair) lacksInputs(state *PairState, c Content) bool {
	return p.HasModes() && state.Missing == "" && !c.HasInputs(&state.Inputs)
}

// cost returns the memory that the pair takes, the allocator's rounding of a long key included.
func (p *Pair) cost() uint32 {
	if !p.HasModes() {
		return pairCost
	}
	return pairCost + memcache.Allocated(len(p.line.Modes)+32)
}

// Requested notes a request for the pair.
func (p *Pair) Requested(now time.Time) {
	if second := now.Unix(); p.requestedAt.Load() != second {
		p.requestedAt.Store(second)
		p.requests.Add(1)
	}
}

// evicted has the Theme of a pair that is not held any more forget it: what is remembered stays within
// the budget.
func (p *Pair) evicted(s *Store) {
	s.holding.Lock()
	p.gone.Store(true)
	if in := p.State().inputs(); in != nil {
		s.Content.Forget(in)
	}
	s.holding.Unlock()
	if t := p.theme.Load(); t != nil {
		t.forget(p)
	}
	if topic := p.topic.Load(); topic != nil {
		topic.Close() // nothing would tell its streams of a change
	}
}

// hold makes a state that of the pair, and drops what it replaces.
func (p *Pair) hold(s *Store, state *PairState) {
	s.holding.Lock()
	old := p.state.Swap(state)
	if !p.gone.Load() {
		s.Content.Replace(old.inputs(), state.inputs())
	}
	s.holding.Unlock()
	if topic := p.topic.Load(); topic != nil {
		topic.Update(p.event)
	}
}

// PairState is one answer to a question for a pair. It is not changed.
type PairState struct {
	answer      // Missing: nothing of the below
	Inputs      content.Inputs
	persistedAt int64 // Unix nanoseconds: when it was last written to disk

	release func() // ends the holding of inputs that came with it; nil once the state is seen
}

func newPairState(f Freshness, fed feedproto.Pair) *PairState {
	return &PairState{answer: answer{Freshness: f}, Inputs: content.NewInputs(fed)}
}

// inputs returns what the files of the state are made from, or nil.
func (s *PairState) inputs() *content.Inputs {
	if s == nil || s.Missing != "" {
		return nil
	}
	return &s.Inputs
}

// onDisk returns what the disk holds of the state.
func (s *PairState) onDisk() diskcache.Record[feedproto.Pair] {
	return diskcache.Record[feedproto.Pair]{KnownAt: s.At, Value: s.Inputs.Pair()}
}

// same reports whether two states exist and say the same.
func (s *PairState) same(other *PairState) bool {
	return s.Missing == "" && other.Missing == "" && s.Inputs.Same(&other.Inputs)
}

// pairRecord is the kind of pairs.
type pairRecord struct {
	store      *Store
	theme      *Theme
	themeState *ThemeState
	pair       *Pair
	prepare    func(*PairState) // called before any request sees a new state; nil: nothing is
}

func (r pairRecord) endpoint() upstream.Endpoint { return upstream.PairEndpoint }
func (r pairRecord) flight() string              { return "pair/" + r.pair.Key }
func (r pairRecord) owner() *Theme               { return r.theme }
func (r pairRecord) onDisk() bool                { return r.store.Disk.HasPair(r.pair.Key) }
func (r pairRecord) load() *PairState            { return r.store.loadPair(r.pair.Key) }

func (r pairRecord) hold(state *PairState) {
	r.pair.hold(r.store, state)
	r.theme.remember(r.pair)
}

func (r pairRecord) fresh(state *PairState, l *Lookup) bool {
	return r.store.pairFresh(r.theme, r.themeState, r.pair, state, l)
}

func (r pairRecord) takeNegative(now time.Time) bool {
	if !r.theme.negativeLookups.Take(now) {
		return false
	}
	if !r.store.negativeLookups.Take(now) {
		r.theme.negativeLookups.Refund()
		return false
	}
	return true
}

func (r pairRecord) refundNegative() {
	r.store.negativeLookups.Refund()
	r.theme.negativeLookups.Refund()
}

// fetch asks for the pair and its inputs: upstream may be out of reach when they are needed. They come in one answer, but
// for a plan that others of the Theme are likely to have brought.
func (r pairRecord) fetch(ctx context.Context, change uint64, now time.Time) (*PairState, error) {
	inputs := feedproto.AllInputs
	if r.theme.hasPairs() || r.onDisk() {
		inputs = feedproto.OverlayInput
	}
	fed, missing, meta, err := r.store.Upstream.Pair(ctx, r.pair.Key, inputs)
	f := newFreshness(meta, change, now)
	switch {
	case err != nil:
		return nil, err
	case missing != "":
		return &PairState{answer: answer{f, missing}}, nil
	}
	release, err := r.store.Content.TakeInputs(fed.Pair, map[record.Hash][]byte{fed.Plan: fed.PlanBytes, fed.Overlay: fed.OverlayBytes})
	if err != nil {
		return nil, attempted(err)
	}
	state := newPairState(f, fed.Pair)
	state.release = release
	return state, nil
}

func (r pairRecord) put(state *PairState) {
	if state.Missing != "" {
		r.hold(state)
		r.store.LogDiskError(r.store.Disk.DropPair(r.pair.Key))
		return
	}
	if r.prepare != nil {
		r.prepare(state)
	}
	persist, release := r.store.needsPersist(r.pair, state), state.release
	state.release = nil
	r.hold(state)
	if persist {
		r.pair.persistSoon(r.store, state)
	}
	release()
}

// HoldPair holds what upstream said of a pair in memory, and returns the state.
func (s *Store) HoldPair(p *Pair, f Freshness, fed feedproto.Pair) *PairState {
	state := newPairState(f, fed)
	p.hold(s, state)
	return state
}

// needsPersist reports whether the new state of a pair is to be written to disk. It is not if it was written lately and says
// the same: with a lifetime of nothing every request asks. What never changes need not be written for longer while the
// disk has it, and a pair that was evicted from memory is compared with that, so that the log does not grow by it.
func (s *Store) needsPersist(p *Pair, state *PairState) bool {
	held, lately := p.State(), existenceLifetime
	if state.Inputs.Sealed && p.Pinned && s.Disk.HasPair(p.Key) {
		lately = sealedRewrite
		if held == nil {
			held = s.loadPair(p.Key)
		}
	}
	if held != nil && held.same(state) && state.At.UnixNano()-held.persistedAt < int64(lately) {
		state.persistedAt = held.persistedAt
		return false
	}
	state.persistedAt = state.At.UnixNano()
	return true
}

// loadPair returns the state of a pair that the disk holds, or nil.
func (s *Store) loadPair(key string) *PairState {
	onDisk, ok := s.Disk.Pair(key)
	if !ok {
		return nil
	}
	state := newPairState(Freshness{At: onDisk.KnownAt}, onDisk.Value)
	state.persistedAt = onDisk.KnownAt.UnixNano()
	return state
}

// Older returns the inputs of the versions of a line that the disk holds, the newest first.
func (s *Store) Older(line content.Line) (older []*content.Inputs) {
	for _, key := range s.Disk.PairsUnder(line.Files) {
		_, number, modes := feedproto.SplitPair(key)
		version, ok := address.ParseVersion([]byte(number))
		if !ok || version == 0 || modes != line.Modes {
			continue
		}
		if state := s.loadPair(key); state != nil {
			older = append(older, &state.Inputs)
		}
	}
	slices.SortFunc(older, func(a, b *content.Inputs) int { return cmp.Compare(b.Version, a.Version) })
	return older
}
