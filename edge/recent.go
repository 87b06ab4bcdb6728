package edge

import (
	"bytes"
	"hash/maphash"
	"time"
	"weak"

	"example.com/livery/edge/content"
	"example.com/livery/edge/loop"
	"example.com/livery/edge/records"
)

// recent is ready for one loop alone. It keeps the finished heads of what was asked for a moment ago, so
// that the next request for a hot file is compared with them and looks nothing up.
//
// What it keeps is what ready would answer for as long as it is kept: what was read for it is read again
// and must be the same. Ready is asked anew after recentFor all the same, so that the cache goes on
// seeing what is hot.
type recent struct {
	ready
	seed  maphash.Seed
	slots [recentSlots]finished
}

const (
	recentFor   = 50 * time.Millisecond
	recentSlots = 256 // some 2 KiB each, once used
	recentWays  = 2   // places that one request may be kept in

	maxRecentAccept = 128 // bytes
)

// finished is what requests of one path and one Accept-Encoding are answered, for a file that everybody may have.
type finished struct {
	sum, candidate uint64 // of what is kept, and of what was asked for last and is not
	path, accept   []byte

	records.Held
	change    uint64
	confirmed int64
	from, to  int64 // Unix nanoseconds

	body      weak.Pointer[content.Body] // what makes place in the cache is not kept here
	head      []byte                     // of 200; empty: not asked for yet
	unchanged []byte                     // of 304 to a client that names etag alone; likewise
	etag      []byte
}

// ForLoop implements loop.PerThread.
func (s ready) ForLoop() loop.Source { return &recent{ready: s, seed: maphash.MakeSeed()} }

// Ready returns what ready would.
func (s *recent) Ready(r *loop.Request) (loop.Answer, bool) {
	q := s.edge.questionOf(r)
	if r.AvailableDictionary != nil || len(r.AcceptEncoding) > maxRecentAccept {
		a, _, ok := s.edge.workOut(r, &q)
		return a, ok
	}
	now := q.Now.UnixNano()
	sum := maphash.Bytes(s.seed, r.Path) ^ maphash.Bytes(s.seed, r.AcceptEncoding)*0x9e3779b97f4a7c15
	f := s.find(sum, r)
	if f != nil && f.current(s.edge, now) {
		if a, ok := f.answer(s.edge, r); ok {
			return a, true
		}
	}
	confirmed := s.edge.records.ConfirmedAt()
	a, h, ok := s.edge.workOut(r, &q)
	if ok {
		s.keep(f, sum, r, a, &h, &q, confirmed)
	}
	return a, ok
}

// find returns where a request's answer is kept, or nil.
func (s *recent) find(sum uint64, r *loop.Request) *finished {
	first := sum % recentSlots
	for way := range uint64(recentWays) {
		f := &s.slots[first^way]
		if f.sum == sum && bytes.Equal(f.path, r.Path) && bytes.Equal(f.accept, r.AcceptEncoding) {
			return f
		}
	}
	return nil
}

// current reports whether everything is as it was when f was worked out.
func (f *finished) current(e *Edge, now int64) bool {
	return now >= f.from && now < f.to && e.records.ConfirmedAt() == f.confirmed && f.Theme.Change() == f.change &&
		f.Theme.State() == f.ThemeState && f.Pair.State() == f.PairState
}

// answer returns the answer to r, if it is kept.
func (f *finished) answer(e *Edge, r *loop.Request) (loop.Answer, bool) {
	switch {
	case r.IfNoneMatch != nil:
		if len(f.unchanged) == 0 || !bytes.Equal(r.IfNoneMatch, f.etag) {
			return loop.Answer{}, false
		}
		e.metrics.answered(304, records.Hit)
		return loop.Answer{Head: f.unchanged}, true
	case len(f.head) == 0:
		return loop.Answer{}, false
	}
	b := f.body.Value()
	if b == nil {
		return loop.Answer{}, false
	}
	e.metrics.answered(200, records.Hit)
	e.metrics.sent.Add(float64(len(b.Bytes)))
	return loop.Answer{Head: f.head, Body: b.Bytes}, true
}

// keep keeps the answer a to r, which was found in h. f is where another answer to the same request line is kept; nil: nowhere,
// and it is kept when it is asked for twice in a row.
func (s *recent) keep(f *finished, sum uint64, r *loop.Request, a loop.Answer, h *holding, q *records.Lookup, confirmed int64) {
	e, now := s.edge, q.Now.UnixNano()
	if h.ThemeState.Rules.Private() || h.ThemeState.Change != h.PairState.Change || h.body.FastEncoded && h.PairState.Inputs.Sealed {
		return // it is checked anew, in doubt, or being made smaller
	}
	left := e.lasts(h, q)
	if left <= 0 {
		return
	}
	if f == nil {
		if f = s.place(sum, now); f.candidate != sum {
			f.candidate = sum
			return
		}
		f.sum, f.path, f.accept = sum, append(f.path[:0], r.Path...), append(f.accept[:0], r.AcceptEncoding...)
		f.to = 0
	}
	if !f.current(e, now) || f.body.Value() != h.body {
		f.Held = h.Held
		f.change, f.confirmed = h.ThemeState.Change, confirmed
		f.from, f.to = now, now+int64(left)
		f.body = weak.Make(h.body)
		f.head, f.unchanged, f.etag = f.head[:0], f.unchanged[:0], append(f.etag[:0], h.body.ETag...)
	}
	switch {
	case r.IfNoneMatch == nil:
		f.head = append(f.head[:0], a.Head...)
	case a.Body == nil && bytes.Equal(r.IfNoneMatch, f.etag):
		f.unchanged = append(f.unchanged[:0], a.Head...)
	}
}

// place returns where a new answer may be kept: in the place of one that holds no more, or of another.
func (s *recent) place(sum uint64, now int64) *finished {
	first := sum % recentSlots
	for way := range uint64(recentWays) {
		if f := &s.slots[first^way]; now >= f.to || f.candidate == sum {
			return f
		}
	}
	return &s.slots[first]
}

// lasts returns for how long the same is answered to the same question, if nothing else happens.
func (e *Edge) lasts(h *holding, q *records.Lookup) time.Duration {
	left, known := e.records.FreshFor(&h.Held, q)
	left = min(left, recentFor)
	if shown := age(q.Now.Sub(known)); shown > 0 {
		left = min(left, time.Second-shown%time.Second)
	}
	return left
}
