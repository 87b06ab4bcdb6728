package edge

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"example.com/livery/edge/coding"
	"example.com/livery/edge/content"
	"example.com/livery/edge/memcache"
	"example.com/livery/edge/policy"
	"example.com/livery/edge/ratelimit"
	"example.com/livery/edge/upstream"
	"example.com/livery/feedproto"
	"example.com/livery/wasm/abi"
)

// theme is what the edge holds of one Theme. It outlives its states, so that a change heard of while
// a question is under way is not missed.
type theme struct {
	key string // "{env}/{theme}"
	// change is the number of the newest change heard of. Numbers are never used twice in a process:
	// a state that was asked for under another number is in doubt.
	change   atomic.Uint64
	grace    atomic.Pointer[grace]      // nil unless what is hot is being made ready after a change
	state    atomic.Pointer[themeState] // nil until first answered
	asking   asking
	unknowns ratelimit.Bucket // questions for pairs that were not there

	mu        sync.Mutex // guards all below
	pairs     map[*pair]struct{}
	ready     chan struct{} // closed when the refresh is done that waits or is under way; nil: there is none
	doubtedAt time.Time     // of the first change since the newest refresh began
}

// cost returns the memory that the Theme takes; rules take about as much as what they are made of.
func (t *theme) cost() uint32 {
	s := t.state.Load()
	if s == nil {
		return themeCost
	}
	listed := 0
	for _, list := range [][]string{s.fed.Serving.AllowedOrigins, s.fed.Serving.AllowedIPRanges} {
		for _, text := range list {
			listed += 2 * (len(text) + 32)
		}
	}
	return themeCost + memcache.Allocated(listed) + uint32(len(s.fed.Serving.SigningKeys))*signingKeyCost
}

// maxPairs bounds the pairs of a Theme that are made ready after a change.
const maxPairs = 512

// remember makes p one of the pairs that are made ready after a change; the one not asked for for
// longest makes place.
func (t *theme) remember(p *pair) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p.theme.Store(t)
	if p.gone.Load() { // it made place already, and nobody would have it forgotten later
		return
	}
	if t.pairs == nil {
		t.pairs = map[*pair]struct{}{}
	}
	if _, held := t.pairs[p]; !held && len(t.pairs) >= maxPairs {
		coldest := p
		for other := range t.pairs {
			if coldest == p || other.askedAt.Load() < coldest.askedAt.Load() {
				coldest = other
			}
		}
		delete(t.pairs, coldest)
	}
	t.pairs[p] = struct{}{}
}

// forget makes p, which is not held any more, none of the pairs that are made ready.
func (t *theme) forget(p *pair) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.pairs, p)
}

// hot returns the remembered pairs that were asked for since then, and those whose first request is
// still under way. Those that follow latest come first: they are what a change concerns most.
func (t *theme) hot(since time.Time) []*pair {
	t.mu.Lock()
	defer t.mu.Unlock()
	var latest, pinned []*pair
	for p := range t.pairs {
		asked := p.askedAt.Load()
		switch {
		case asked != 0 && asked < since.Unix():
			delete(t.pairs, p)
		case p.pinned:
			pinned = append(pinned, p)
		default:
			latest = append(latest, p)
		}
	}
	return append(latest, pinned...)
}

// asking is how asking upstream for one record went.
type asking struct {
	lostAt     atomic.Int64 // Unix nanoseconds of the newest failure; 0: the newest question was answered
	background atomic.Bool  // a question that nobody waits for is under way
}

// settle keeps how the newest question went, if it was asked at all.
func (a *asking) settle(err error, now time.Time) {
	switch {
	case err == nil:
		a.lostAt.Store(0)
	case !errors.Is(err, upstream.ErrBackoff):
		a.lostAt.Store(now.UnixNano())
	}
}

// rests reports whether the newest question failed a moment ago, and since then upstream did not come back.
func (a *asking) rests(now time.Time, back int64) bool {
	lostAt := a.lostAt.Load()
	return lostAt > back && now.UnixNano()-lostAt < int64(upstream.RetryAfter)
}

// learned is when and how an answer of upstream was learned.
type learned struct {
	change  uint64        // of the Theme when it was asked for; 0: read from disk
	at      time.Time     // it was current then
	age     time.Duration // how long before the question that was
	covered bool          // changes of it are heard on the feed that is followed, so that its heartbeat confirms it
}

// themeState is one answer to a question for a Theme. It is not changed.
type themeState struct {
	learned
	missing bool // there is no such Theme, and nothing of the below

	fed           feedproto.Theme
	lifetime      time.Duration // of latest and unsealed answers
	files         [abi.FileCount]bool
	rules         *policy.Rules
	secretsAbsent bool // signed, and read from disk, which keeps no secrets
}

func newThemeState(l learned, fed feedproto.Theme) *themeState {
	s := &themeState{
		learned:  l,
		fed:      fed,
		lifetime: time.Duration(fed.CacheLifetime) * time.Second,
		rules:    policy.Compile(fed.Serving),
	}
	s.secretsAbsent = l.change == 0 && s.rules.Signed() && !s.rules.HasKeys()
	for _, name := range fed.Files {
		if file, ok := abi.FileByName(name); ok {
			s.files[file] = true
		}
	}
	return s
}

// pair is what the edge holds of one (Theme version, Variant), or of a Variant's latest.
type pair struct {
	key     string // "{env}/{theme}/{-|variant}/{latest|number}"
	pinned  bool   // the key ends in a number
	state   atomic.Pointer[pairState]
	theme   atomic.Pointer[theme] // that remembers it; nil: none
	gone    atomic.Bool           // it is not held any more
	asking  asking
	askedAt atomic.Int64  // Unix seconds of the newest request
	asks    atomic.Uint32 // seconds with a request that the disk was not told of
	wanted  atomic.Uint32 // a bit for each (file, encoding) that was asked for
}

// line names the files of the Theme or Variant under all versions: "{env}/{theme}/{-|variant}".
func (p *pair) line() string { return p.key[:strings.LastIndexByte(p.key, '/')] }

// asked keeps when, and how often, the pair was asked for.
func (p *pair) asked(now time.Time) {
	if second := now.Unix(); p.askedAt.Load() != second {
		p.askedAt.Store(second)
		p.asks.Add(1)
	}
}

// touch keeps what was asked for, so that it can be made ready after a change.
func (p *pair) touch(now time.Time, file abi.File, enc coding.Encoding) {
	p.asked(now)
	if bit := uint32(1) << bitOf(file, enc); p.wanted.Load()&bit == 0 {
		p.wanted.Or(bit)
	}
}

// has reports whether a file was asked for in a coding.
func (p *pair) has(file abi.File, enc coding.Encoding) bool {
	return p.wanted.Load()&(1<<bitOf(file, enc)) != 0
}

// fileEncodings is the number of bits in pair.wanted; bitOf and fileEncoding translate.
const fileEncodings = abi.FileCount * coding.Count

func bitOf(file abi.File, enc coding.Encoding) int { return int(file)*coding.Count + int(enc) }

func fileEncoding(bit int) (abi.File, coding.Encoding) {
	return abi.File(bit / coding.Count), coding.Encoding(bit % coding.Count)
}

// pairState is one answer to a question for a pair. It is not changed.
type pairState struct {
	learned
	missing string // "theme", "variant" or "version", and nothing of the below; empty: there is one
	inputs  content.Inputs
	keptAt  int64 // Unix nanoseconds: when it was last written to disk
}

func newPairState(l learned, fed feedproto.Pair) *pairState {
	return &pairState{learned: l, inputs: content.NewInputs(fed)}
}
