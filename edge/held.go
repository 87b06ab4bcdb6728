package edge

import (
	"crypto/sha256"
	"sync"
	"sync/atomic"
	"time"

	"example.com/livery/edge/policy"
	"example.com/livery/storage/record"
	"example.com/livery/wasm/abi"
)

// theme is what the edge holds of one Theme. It outlives its states, so that a change heard of while
// a question is under way is not missed.
type theme struct {
	key string // "{env}/{theme}"
	// change is the number of the newest change heard of. Numbers are never used twice in a process:
	// a state that was asked for under another number is in doubt.
	change     atomic.Uint64
	state      atomic.Pointer[themeState] // nil until first answered
	asking     asking
	refreshing atomic.Bool // a refresh is under way

	mu    sync.Mutex // guards pairs
	pairs map[string]*pair
}

// maxPairs bounds the pairs of a Theme that are refreshed ahead after a change.
const maxPairs = 128

// remember makes p one of the pairs that are refreshed ahead; the one not asked for for longest
// makes place.
func (t *theme) remember(p *pair) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.pairs == nil {
		t.pairs = map[string]*pair{}
	}
	if _, held := t.pairs[p.key]; !held && len(t.pairs) >= maxPairs {
		coldest := p
		for _, other := range t.pairs {
			if coldest == p || other.askedAt.Load() < coldest.askedAt.Load() {
				coldest = other
			}
		}
		delete(t.pairs, coldest.key)
	}
	t.pairs[p.key] = p
}

// hot returns the remembered pairs that were asked for since then, and those whose first request is
// still under way.
func (t *theme) hot(since time.Time) []*pair {
	t.mu.Lock()
	defer t.mu.Unlock()
	var hot []*pair
	for key, p := range t.pairs {
		if asked := p.askedAt.Load(); asked == 0 || asked >= since.Unix() {
			hot = append(hot, p)
		} else {
			delete(t.pairs, key)
		}
	}
	return hot
}

// asking is how asking upstream for one record went.
type asking struct {
	lostAt     atomic.Int64 // Unix nanoseconds of the newest failure; 0: the newest question was answered
	background atomic.Bool  // a question that nobody waits for is under way
}

// settle keeps how the newest question went.
func (a *asking) settle(err error, now time.Time) {
	if err == nil {
		a.lostAt.Store(0)
		return
	}
	a.lostAt.Store(now.UnixNano())
}

// rests reports whether the newest question failed a moment ago.
func (a *asking) rests(now time.Time) bool {
	lostAt := a.lostAt.Load()
	return lostAt != 0 && now.UnixNano()-lostAt < int64(retryAfter)
}

// themeState is one answer to a question for a Theme. It is not changed.
type themeState struct {
	change  uint64    // of the theme when it was asked for; 0: read from disk
	askedAt time.Time // it was current then
	missing bool      // there is no such Theme, and nothing of the below

	lifetime      time.Duration // of latest and unsealed answers
	lifetimeText  []byte        // in seconds
	files         [abi.FileCount]bool
	rules         *policy.Rules
	secretsAbsent bool // signed, and read from disk, which keeps no secrets
}

func newThemeState(change uint64, askedAt time.Time, fed record.ThemeFed) *themeState {
	s := &themeState{
		change:   change,
		askedAt:  askedAt,
		lifetime: time.Duration(fed.CacheLifetime) * time.Second,
		rules:    policy.Compile(fed.Serving),
	}
	s.lifetimeText = appendSeconds(nil, s.lifetime)
	s.secretsAbsent = change == 0 && s.rules.Signed() && !s.rules.HasKeys()
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
	asking  asking
	askedAt atomic.Int64  // Unix seconds of the newest request
	bodies  atomic.Uint32 // a bit for each (file, encoding) that was asked for
}

// touch keeps what was asked for, so that it can be made ahead after a change.
func (p *pair) touch(now time.Time, file abi.File, enc encoding) {
	if second := now.Unix(); p.askedAt.Load() != second {
		p.askedAt.Store(second)
	}
	if bit := uint32(1) << bitOf(file, enc); p.bodies.Load()&bit == 0 {
		p.bodies.Or(bit)
	}
}

// fileEncodings is the number of bits in pair.bodies; bitOf and fileEncoding translate.
const fileEncodings = abi.FileCount * encodingCount

func bitOf(file abi.File, enc encoding) int { return int(file)*encodingCount + int(enc) }

func fileEncoding(bit int) (abi.File, encoding) {
	return abi.File(bit / encodingCount), encoding(bit % encodingCount)
}

// pairState is one answer to a question for a pair. It is not changed.
type pairState struct {
	change  uint64    // of the Theme when it was asked for; 0: read from disk
	askedAt time.Time // it was current then
	missing string    // "theme", "variant" or "version", and nothing of the below; empty: there is one
	fed     record.PairFed
	content contentID
	keptAt  time.Time // when it was last written to disk
}

// contentID names the inputs of a pair: what is made of equal inputs is kept once.
type contentID [sha256.Size]byte

func newPairState(change uint64, askedAt time.Time, fed record.PairFed) *pairState {
	inputs := string(fed.Document) + "\n" + string(fed.Overrides) + "\n" + string(fed.Module) + "\n" + fed.Prefix
	return &pairState{change: change, askedAt: askedAt, fed: fed, content: contentID(sha256.Sum256([]byte(inputs)))}
}

// body is one served file in one encoding, with its validator. It is not changed.
type body struct {
	bytes    []byte
	etag     []byte // quoted
	encoding encoding
	failed   error     // the file could not be made, at failedAt, and nothing of the above
	failedAt time.Time // when that was
}

// bodyKey names a body.
type bodyKey struct {
	content contentID
	file    abi.File
	enc     encoding
}
