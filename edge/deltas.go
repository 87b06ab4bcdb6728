package edge

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"example.com/livery/edge/address"

	"example.com/livery/edge/ratelimit"

	"example.com/livery/edge/coding"

	"example.com/livery/storage/record"
	"example.com/livery/wasm/abi"
)

// The bounds of what deltas cost.
const (
	deltaAtOnceBytes = 256 << 10             // of dictionary and file together, to make a delta while somebody waits: some milliseconds
	maxDeltaTasks    = 64                    // that wait for being done behind the answers
	maxSearched      = 8                     // versions of a line, the newest ones, that a search looks through
	deltaEvery       = 50 * time.Millisecond // one delta is made in this time, on the average: who has many versions can ask for any two
	deltaBurst       = 500                   // and so many at once, after a publish
	searchEvery      = 250 * time.Millisecond
	searchBurst      = 20
)

// deltas makes deltas: one at a time, as that takes megabytes. It may be used concurrently.
type deltas struct {
	place    chan struct{} // of one place: who holds it may encode
	tasks    chan deltaTask
	making   ratelimit.Bucket
	searches ratelimit.Bucket
}

func newDeltas() *deltas {
	return &deltas{
		place:    make(chan struct{}, 1),
		tasks:    make(chan deltaTask, maxDeltaTasks),
		making:   ratelimit.New(deltaEvery, deltaBurst),
		searches: ratelimit.New(searchEvery, searchBurst),
	}
}

// deltaTask is a delta to make.
type deltaTask struct {
	from  offerKey   // the dictionary
	old   *pairState // that the dictionary is made from; nil: it has to be found first
	state *pairState // that the file is made from
}

func (t *deltaTask) target() fileKey { return fileKey{t.state.content, t.from.file} }

// mayOffer reports whether an answer with that body may serve as a dictionary, and be a delta: every
// origin may read it, whoever asks.
func (e *Edge) mayOffer(t *themeState, b *body) bool {
	return !e.config.NoDeltas && !t.rules.Private() && b.says.dictionary()
}

// noteOffer keeps that clients may have a file of the pair as a dictionary from now on. Once that is
// known it allocates nothing.
func (e *Edge) noteOffer(p *pair, s *pairState, f abi.File, says *plain) {
	if bit := uint32(1) << f; s.offered.Load()&bit == 0 {
		s.offered.Or(bit)
		e.cache.offers.Set(offerKey{p.line(), f, says.sum}, s)
	}
}

// heldDelta returns the delta from a dictionary to a file that is held, or nil. more reports whether
// there may be one after some work. What nobody was offered is no work, so that invented digests cost
// a look-up. It allocates nothing.
func (e *Edge) heldDelta(from offerKey, s *pairState, held *file, now time.Time) (b *body, more bool) {
	if d, known := held.delta(&from); known {
		return d.body, false
	}
	if _, offered := e.cache.offers.GetIfPresent(from); offered {
		return nil, !e.deltas.making.Full(now)
	}
	return nil, s.searched.Load()&(1<<from.file) == 0 && !e.deltas.searches.Full(now)
}

// deltaFor returns the delta to the file of x, whose ordinary body is b, that its client may have
// instead, or nil. What takes long is done behind the answer: the next one has it.
func (e *Edge) deltaFor(x *exchange, b *body) *body {
	h := &x.ctx.Request.Header
	available := h.PeekAll("Available-Dictionary")
	if len(available) != 1 || !e.mayOffer(x.themeHeld, b) {
		return nil
	}
	hint := coding.DictionaryHint{Available: available[0], Site: h.Peek("Sec-Fetch-Site"), Mode: h.Peek("Sec-Fetch-Mode"), Origin: h.Peek("Origin")}
	sum, ok := hint.Dictionary()
	if !ok {
		return nil
	}
	t := deltaTask{from: offerKey{x.pair.line(), x.address.File, sum}, state: x.pairHeld}
	held, ok := e.cache.files.GetIfPresent(t.target())
	if !ok {
		return nil
	}
	d, more := e.heldDelta(t.from, t.state, held, x.now)
	if !more {
		return d
	}
	if t.old, ok = e.cache.offers.GetIfPresent(t.from); !ok {
		e.beginSearch(t, x.now)
		return nil
	}
	return e.deltaAtOnce(x, t)
}

// beginSearch has the older versions of a line searched for a dictionary, once for each state of its
// pair.
func (e *Edge) beginSearch(t deltaTask, now time.Time) {
	bit := uint32(1) << t.from.file
	if !e.deltas.searches.Take(now) {
		return
	}
	if t.state.searched.Or(bit)&bit == 0 && !e.deltas.add(t) {
		t.state.searched.And(^bit)
	}
}

// add has a task done behind the answers, unless too many wait for that.
func (d *deltas) add(t deltaTask) bool {
	select {
	case d.tasks <- t:
		return true
	default:
		return false
	}
}

// deltaAtOnce makes a delta while its client waits, if that is quick and nobody else makes one, and
// leaves it to the background otherwise.
func (e *Edge) deltaAtOnce(x *exchange, t deltaTask) *body {
	select {
	case e.deltas.place <- struct{}{}:
		defer func() { <-e.deltas.place }()
	default:
		e.deltas.add(t)
		return nil
	}
	old, file := e.heldForDelta(fileKey{t.old.content, t.from.file}), e.heldForDelta(t.target())
	if old == nil || file == nil || len(old.bytes)+len(file.bytes) > deltaAtOnceBytes {
		e.deltas.add(t)
		return nil
	}
	made := e.makeDelta(t, old, file)
	if made != nil {
		x.outcome = max(x.outcome, recoded)
		e.timed(x, &x.made)
	}
	return made
}

// heldForDelta returns a file as it is from memory, or nil: it is not held, or too large to be waited for.
func (e *Edge) heldForDelta(key fileKey) *body {
	held, ok := e.cache.files.GetIfPresent(key)
	if !ok {
		return nil
	}
	if says := held.says(); says == nil || says.length > deltaAtOnceBytes {
		return nil
	}
	return e.plainOf(held)
}

// makeDelta makes a delta from old to file and keeps it, or that it does not pay: it must be shorter by
// a quarter than the shortest body that is held. It returns nil if it does not, and where too many
// were made lately. The caller holds the place.
func (e *Edge) makeDelta(t deltaTask, old, file *body) *body {
	held, ok := e.cache.files.GetIfPresent(t.target())
	if !ok {
		return nil
	}
	if d, known := held.delta(&t.from); known {
		return d.body
	}
	if !e.deltas.making.Take(e.now()) {
		return nil
	}
	d := delta{from: t.from}
	if old.says.sum == t.from.sum && old.says.dictionary() && file.says.dictionary() {
		content, err := coding.EncodeDelta(old.bytes, t.from.sum, file.bytes)
		if err == nil && len(content) <= held.smallest()/4*3 {
			d.body = newDelta(content, file.says).withHead(t.from.file)
		}
	}
	e.cache.putDelta(t.target(), d)
	return d.body
}

// newDelta returns a delta to p as it is sent.
func newDelta(content []byte, p *plain) *body {
	return &body{says: p, wanted: coding.Delta, encoding: coding.Delta, bytes: content, etag: p.deltaTag(content)}
}

// makeDeltas makes what was left to the background, until the edge is stopped.
func (e *Edge) makeDeltas() {
	for {
		select {
		case t := <-e.deltas.tasks:
			e.makeLater(t)
		case <-e.ctx.Done():
			return
		}
	}
}

// makeLater finds the dictionary of a task and makes the delta. What cannot be made is not tried again
// while the file is held.
func (e *Edge) makeLater(t deltaTask) {
	if t.old == nil {
		e.search(t.from.line, t.from.file)
		var found bool
		if t.old, found = e.cache.offers.GetIfPresent(t.from); !found {
			return
		}
	}
	old, err := e.plainBody(t.old, fileKey{t.old.content, t.from.file})
	file, err2 := e.plainBody(t.state, t.target())
	if errors.Join(err, err2) != nil {
		e.cache.putDelta(t.target(), delta{from: t.from})
		return
	}
	e.deltas.place <- struct{}{}
	defer func() { <-e.deltas.place }()
	e.makeDelta(t, old, file)
}

// search finds out what clients may have of a line from before this edge was started: the versions on
// disk that can be made without asking anybody.
func (e *Edge) search(line string, f abi.File) {
	for _, s := range e.keptStates(line) {
		says := e.saidHere(s, f)
		if says != nil && e.ctx.Err() == nil {
			e.cache.offers.Set(offerKey{line, f, says.sum}, s)
		}
	}
}

// keptStates returns the newest states of a line that the disk holds.
func (e *Edge) keptStates(line string) (states []*pairState) {
	for _, key := range e.disk.PairsUnder(line) {
		version, ok := address.ParseVersion([]byte(key[len(line)+1:]))
		if !ok || version == 0 {
			continue
		}
		if kept := e.keptPair(key); kept != nil {
			states = append(states, kept)
		}
	}
	slices.SortFunc(states, func(a, b *pairState) int { return cmp.Compare(b.fed.version, a.fed.version) })
	return states[:min(len(states), maxSearched)]
}

// saidHere returns what a file of a state is, as it is held in memory or made from what is in memory and on disk; nil
// if that does not do.
func (e *Edge) saidHere(s *pairState, f abi.File) *plain {
	if held, ok := e.cache.files.GetIfPresent(fileKey{s.content, f}); ok {
		if says := held.says(); says != nil {
			return says
		}
	}
	fed := s.fed.record()
	if !e.config.Runtime.Loaded(string(fed.Module)) || !e.here(fed.Plan) || fed.Overlay != "" && !e.here(fed.Overlay) {
		return nil
	}
	content, err := e.render(fed, f)
	if err != nil {
		return nil // it is logged if somebody asks for it
	}
	return newPlain(content)
}

// here reports whether an input is in memory or on disk.
func (e *Edge) here(name record.Hash) bool {
	_, held := e.cache.inputs.GetIfPresent(name)
	return held || name.Valid() && e.disk.HasBlob(name)
}
