// Package records is what an edge knows of Themes and pairs: for each an entry with the newest answer of upstream, and whether
// that may be served. An entry goes through these states:
//
//	        the first lookup            answer            a change is heard of, and it is hot
//	absent ──────────────────> asking ─────────> fresh ──────────────────────────────────────> stale while
//	                            ^ ^ │             │ ^               refreshed                  refreshing
//	                            │ │ │             │ └────────────────────────────────────────────┘  │
//	                            │ │ │             │ lifetime over and not confirmed by the feed,    │ after
//	                            │ │ │             │ or a change is heard of, and it is not hot      │ maxStale
//	                            │ │ │             v                                                 v
//	                            │ └─┼───────── expired <────────────────────────────────────────────┘
//	      after RetryAfter, or  │   │           the next lookup asks, one question for all lookups
//	      upstream is back      │   v no right answer
//	                           backing off: the last good answer is served, from memory or from disk
//
// That an address does not exist is fresh for NegativeLifetime, and questions for such addresses are rationed. What a poll of
// the feed confirms (Heard) is fresh anew, unless a change of its Theme was heard of. A lookup that finds nothing to serve
// waits for an upstream that is down (RetryWhileDown).
package records

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"example.com/livery/edge/address"
	"example.com/livery/edge/content"
	"example.com/livery/edge/diskcache"
	"example.com/livery/edge/memcache"
	"example.com/livery/edge/upstream"
	"example.com/livery/feedproto"
	"example.com/livery/httpd/guard"
	"example.com/livery/storage/record"
	"golang.org/x/sync/singleflight"
)

// ErrBusy means that the edge does as much at once as it may: the request should come again.
var ErrBusy = errors.New("too much is asked for at once")

// Upstream answers for records. upstream.Pool implements it.
type Upstream interface {
	Theme(ctx context.Context, key string) (fed feedproto.Theme, missing bool, meta upstream.ResponseMeta, err error)
	Manifest(ctx context.Context, key string) (fed feedproto.Manifest, missing string, meta upstream.ResponseMeta, err error)
	Pair(ctx context.Context, key, inputs string) (fed feedproto.PairInputs, missing string, meta upstream.ResponseMeta, err error)
	Refresh(ctx context.Context, key, uri string) (fed *feedproto.Refresh, meta upstream.ResponseMeta, err error)

	Following() bool
	Down() bool
	EndpointDown(at upstream.Endpoint) bool
	Backoff(at upstream.Endpoint, held bool) error
	Outage() (since, next time.Time, down bool)
	Recovered() <-chan struct{}
	RecoveredAt() int64
}

// Content has what pairs are rendered from, and the files that were rendered.
type Content interface {
	// HasInputs reports whether all that a pair is rendered from is on this machine.
	HasInputs(in *content.Inputs) bool
	// TakeInputs makes sure that all that a pair is rendered from is on this machine: what came with an answer, and the rest
	// from upstream. It stays until release is called, which must follow unless there is an error.
	TakeInputs(p feedproto.Pair, blobs map[record.Hash][]byte) (release func(), err error)
	// PersistInputs writes the inputs of a pair to disk; it reports false if not all of them are on this machine.
	PersistInputs(p feedproto.Pair) bool
	// Replace notes that an address that led to old leads to next from now on; nil: to nothing.
	Replace(old, next *content.Inputs)
	// Forget notes that an address that leads to in is not held any more.
	Forget(in *content.Inputs)
	// Persist writes the files of an address to disk that are not there yet, and returns how many.
	Persist(in *content.Inputs) (written int, err error)
	// MakeFiles makes the files of a state that is to be that of its pair, in the codings that were requested of the pair.
	MakeFiles(t *ThemeState, p *Pair, s *PairState)
}

// Observer counts what happens. Its methods are called concurrently.
type Observer interface {
	Asked(kind string, err error) // a question to upstream
	Shed()                        // a request was refused because too many were under way
	Refreshed()                   // a changed Theme is ready again
}

// Config configures a Store. All members must be set.
type Config struct {
	ThemeBytes, PairBytes uint64          // memory
	Context               context.Context // of everything in the background
	Go                    func(f func()) bool
	Draining              func() bool // no request waits for an upstream any more
	Now                   func() time.Time
	Logger                *slog.Logger
	LogDiskError          func(error) // is called with nil too
	Upstream              Upstream
	Disk                  *diskcache.Cache
	WriteBehind           *diskcache.WriteBehind
	Content               Content
	Observer              Observer
}

// Store has the records that an edge holds. It may be used concurrently.
type Store struct {
	Config
	themes  *memcache.Table[string, *Theme]
	pairs   *memcache.Table[string, *Pair]
	changes atomic.Uint64 // the newest number of Theme.change given out
	flights singleflight.Group
	holding sync.Mutex // while the state of a pair is replaced

	filesPersistedAt int64 // Unix seconds; PersistUsage's alone

	confirmedAt atomic.Int64 // Unix nanoseconds: what is held and not invalidated was current then

	refreshes       *refreshQueue          // Themes that changed
	heard           atomic.Pointer[string] // the newest place in the change log
	negativeLookups guard.Bucket           // questions for what was not there
	missSlots       chan struct{}          // one element for each request that does what takes long
	waiting         atomic.Int32           // requests that wait for an upstream to come back
}

// New returns a Store that holds nothing in memory yet. Start begins its work in the background.
func New(c Config) *Store {
	s := &Store{
		Config: c, missSlots: make(chan struct{}, maxMisses), refreshes: newRefreshQueue(),
		negativeLookups: guard.NewBucket(negativeEvery, negativeBurst),
	}
	s.themes = memcache.New(c.ThemeBytes, func(_ string, t *Theme) uint32 { return t.cost() }, nil)
	s.pairs = memcache.New(c.PairBytes, func(_ string, p *Pair) uint32 { return p.cost() }, func(_ string, p *Pair) { p.evicted(s) })
	return s
}

// Start begins to refresh what changes and to tell the disk what is requested, until Config.Context ends.
func (s *Store) Start() {
	s.Go(func() {
		for upstream.Sleep(s.Context, persistUsageEvery, nil); s.Context.Err() == nil; upstream.Sleep(s.Context, persistUsageEvery, nil) {
			s.PersistUsage()
		}
	})
	for range refreshThemes {
		s.Go(s.refreshChanged)
	}
}

// Bytes returns the memory that the records take, roughly.
func (s *Store) Bytes() uint64 { return s.themes.Bytes() + s.pairs.Bytes() }

// Evicted returns what counts how many entries were evicted, by their kind.
func (s *Store) Evicted() map[string]func() uint64 {
	return map[string]func() uint64{"theme": s.themes.Evicted, "pair": s.pairs.Evicted}
}

// theme returns the entry under key, or nil. key is only read.
func (s *Store) theme(key []byte) *Theme {
	t, _ := s.themes.Get(memcache.LookupKey(key))
	return t
}

// pair returns the entry under key, or nil. key is only read.
func (s *Store) pair(key []byte) *Pair {
	p, _ := s.pairs.Get(memcache.LookupKey(key))
	return p
}

// ThemeEntry returns the entry under key, which it may have to make: with a new number of change, so that pairs
// held since an earlier one are invalid.
func (s *Store) ThemeEntry(key string) *Theme {
	return s.themes.GetOrMake(key, func() *Theme {
		t := &Theme{entry: entry[ThemeState]{Key: key}}
		t.change.Store(s.changes.Add(1))
		return t
	})
}

// PairEntry returns the entry under key, which it may have to make.
func (s *Store) PairEntry(key string) *Pair {
	return s.pairs.GetOrMake(key, func() *Pair { return newPair(key) })
}

// Theme returns the Theme under key as l wants it, or its last good answer if upstream cannot be reached. The errors are
// upstream.ErrUnreachable, if nothing is known of it, and ErrBusy.
func (s *Store) Theme(key []byte, l *Lookup) (*Theme, *ThemeState, Outcome, error) {
	t := s.theme(key)
	var held *ThemeState
	if t != nil {
		held = t.State()
	}
	if held != nil && s.themeFresh(t, held, l) {
		return t, held, Hit, nil
	}
	if !s.Acquire(l) {
		return nil, nil, Miss, ErrBusy
	}
	if t == nil {
		if s.negativeLookups.Full(l.Now) && !s.Disk.HasTheme(string(key)) {
			return nil, nil, Miss, ErrBusy
		}
		t = s.ThemeEntry(string(key))
	}
	held, outcome, err := lookUp(s, &t.entry, themeRecord{s, t}, held, l)
	return t, held, outcome, err
}

// maxUnheard is how many versions may be published before an edge hears of one: an address that was
// returned by a publish is asked for at once, and upstream knows it.
const maxUnheard = 64

// Unpublished answers for the Theme's own files at versions that it cannot have yet.
var Unpublished = &PairState{answer: answer{Missing: feedproto.MissingVersion}}

// Pair returns the pair of that address as l wants it, like Theme. A version of the Theme itself that is far above
// the newest one in its record does not exist, and upstream is not asked.
func (s *Store) Pair(t *Theme, ts *ThemeState, a address.Pair, l *Lookup) (*Pair, *PairState, Outcome, error) {
	p := s.pair(a.Key)
	var held *PairState
	if p != nil {
		held = p.State()
	}
	if held != nil && s.pairFresh(t, ts, p, held, l) && !(l.Inputs && p.lacksInputs(held, s.Content)) {
		return p, held, Hit, nil
	}
	if held == nil && a.Own && uint64(a.Version) > uint64(ts.Record.LatestVersion)+maxUnheard && s.themeFresh(t, ts, l) {
		return nil, Unpublished, Hit, nil
	}
	if !s.Acquire(l) {
		return nil, nil, Miss, ErrBusy
	}
	if p == nil {
		if (s.negativeLookups.Full(l.Now) || t.negativeLookups.Full(l.Now)) && !s.Disk.HasPair(string(a.Key)) {
			return nil, nil, Miss, ErrBusy
		}
		p = s.PairEntry(string(a.Key))
	}
	held, outcome, err := lookUp(s, &p.entry, pairRecord{store: s, theme: t, themeState: ts, pair: p}, held, l)
	return p, held, outcome, err
}

// Held is a pair and its Theme as they are in memory.
type Held struct {
	Theme      *Theme
	ThemeState *ThemeState
	Pair       *Pair
	PairState  *PairState
}

// FreshFor returns for how long h stays fresh, if nothing else happens, and when its pair was known to be current; 0 if it is
// not fresh now.
func (s *Store) FreshFor(h *Held, l *Lookup) (left time.Duration, known time.Time) {
	theme, themeCurrent := s.Known(h.Theme, h.ThemeState.Freshness, l)
	pair, pairCurrent := s.Known(h.Theme, h.PairState.Freshness, l)
	if !themeCurrent || !pairCurrent {
		return 0, pair
	}
	return min(theme.Add(existenceLifetime).Sub(l.Now), pair.Add(pairLifetime(h.ThemeState, h.Pair, h.PairState)).Sub(l.Now)), pair
}
