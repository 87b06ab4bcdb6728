package edge

import (
	"bytes"
	"hash/maphash"
	"time"
	"weak"

	"example.com/livery/edge/address"
	"example.com/livery/edge/content"
	"example.com/livery/edge/records"
	"example.com/livery/edge/respond"
	"example.com/livery/httpd"
)

// hotResponses is the Source of one thread alone. It keeps the answers to what was asked for a moment ago, so
// that the next request for a hot file is compared with them and looks nothing up.
//
// What it keeps is what front would answer for as long as it is kept: what was read for it is read again
// and must be the same. The road is taken anew after hotResponseFor all the same, so that the cache goes on
// seeing what is hot.
type hotResponses struct {
	edge     *Edge
	exchange *exchange
	seed     maphash.Seed
	slots    [hotSlots]cachedResponse

	madeAfter time.Time // when the loop read the clock before it made a file
	made      int       // files since
}

// madeATurn bounds the files that a loop makes before it looks for further requests: hits wait for no more than these.
const madeATurn = 8

const (
	hotResponseFor = 50 * time.Millisecond
	hotSlots       = 256 // some 2 KiB each, once used
	hotWays        = 2   // places that one request may be kept in

	maxHotAccept = 128 // bytes
)

// cachedResponse is the answer to requests of one path, one query, if that has modes, and one Accept-Encoding, for a file
// that every client may have.
type cachedResponse struct {
	hash, candidate     uint64 // of what is kept, and of what was asked for last and is not
	path, query, accept []byte

	records.Held
	change    uint64
	confirmed int64
	from, to  int64 // Unix nanoseconds

	body      weak.Pointer[content.Body] // what the cache evicts is not kept here
	head      []byte                     // of 200; empty: not asked for yet
	unchanged []byte                     // of 304 to a client that names etag alone; likewise
	etag      []byte
}

// ForThread implements httpd.PerThread.
func (f front) ForThread() httpd.Source {
	if f.edge.config.NoReady {
		return f
	}
	return &hotResponses{edge: f.edge, seed: maphash.MakeSeed(), exchange: exchanges.New().(*exchange)}
}

// Ready returns what front would.
func (s *hotResponses) Ready(r *httpd.Request) (httpd.Answer, bool) {
	if r.AvailableDictionary != nil || r.Range != nil || len(r.AcceptEncoding) > maxHotAccept {
		return front{s.edge}.Ready(r)
	}
	query, ok := address.Relevant(r.Query)
	if !ok {
		return httpd.Answer{}, false
	}
	at := s.edge.clock(r.Now)
	now := at.UnixNano()
	hash := maphash.Bytes(s.seed, r.Path) ^ maphash.Bytes(s.seed, r.AcceptEncoding)*0x9e3779b97f4a7c15
	if len(query) > 0 {
		hash ^= maphash.Bytes(s.seed, query) * 0xc2b2ae3d27d4eb4f
	}
	f := s.find(hash, query, r)
	if f != nil && f.current(s.edge, now) {
		if a, ok := f.answer(s.edge, r); ok {
			return a, true
		}
	}
	confirmed := s.edge.records.ConfirmedAt()
	x := s.exchange
	x.begin(r, at)
	x.mayMake = s.mayMake(r.Now)
	a, ok := s.edge.ready(x)
	switch {
	case x.outcome != records.Hit:
		s.made++
	case ok && x.asked == address.File:
		s.keep(f, hash, r, a, x, confirmed)
	}
	x.end()
	return a, ok
}

// mayMake reports whether the loop may make a file, if it last read the clock at a time.
func (s *hotResponses) mayMake(read time.Time) bool {
	if !read.Equal(s.madeAfter) {
		s.madeAfter, s.made = read, 0
	}
	return s.made < madeATurn
}

// find returns where a request's answer is kept, or nil.
func (s *hotResponses) find(hash uint64, query []byte, r *httpd.Request) *cachedResponse {
	first := hash % hotSlots
	for way := range uint64(hotWays) {
		f := &s.slots[first^way]
		if f.hash == hash && bytes.Equal(f.path, r.Path) && bytes.Equal(f.query, query) && bytes.Equal(f.accept, r.AcceptEncoding) {
			return f
		}
	}
	return nil
}

// current reports whether everything is as it was when f was worked out.
func (f *cachedResponse) current(e *Edge, now int64) bool {
	return now >= f.from && now < f.to && e.records.ConfirmedAt() == f.confirmed && f.Theme.Change() == f.change &&
		f.Theme.State() == f.ThemeState && f.Pair.State() == f.PairState
}

// answer returns the answer to r, if it is kept.
func (f *cachedResponse) answer(e *Edge, r *httpd.Request) (httpd.Answer, bool) {
	switch {
	case r.IfNoneMatch != nil:
		if len(f.unchanged) == 0 || !bytes.Equal(r.IfNoneMatch, f.etag) {
			return httpd.Answer{}, false
		}
		e.metrics.answered(304, records.Hit, 0)
		return httpd.Answer{Head: f.unchanged}, true
	case len(f.head) == 0:
		return httpd.Answer{}, false
	}
	b := f.body.Value()
	if b == nil {
		return httpd.Answer{}, false
	}
	e.metrics.answered(200, records.Hit, len(b.Bytes))
	return httpd.Answer{Head: f.head, Body: b.Bytes}, true
}

// keep keeps the answer a to r, which x has found. f is the cachedResponse of the same request line; nil: there is none,
// and one is kept when it is asked for twice in a row.
func (s *hotResponses) keep(f *cachedResponse, hash uint64, r *httpd.Request, a httpd.Answer, x *exchange, confirmed int64) {
	e, now, b := s.edge, x.Now.UnixNano(), x.view.Body
	if x.ThemeState.Rules.Private() || x.ThemeState.Change != x.PairState.Change || b.FastEncoded && x.PairState.Inputs.Sealed {
		return // it is checked anew, in doubt, or being made smaller
	}
	left := e.lasts(x)
	if left <= 0 {
		return
	}
	if f == nil {
		if f = s.place(hash, now); f.candidate != hash {
			f.candidate = hash
			return
		}
		f.hash, f.path, f.accept = hash, append(f.path[:0], r.Path...), append(f.accept[:0], r.AcceptEncoding...)
		query, _ := address.Relevant(r.Query)
		f.query = append(f.query[:0], query...)
		f.to = 0
	}
	if !f.current(e, now) || f.body.Value() != b {
		f.Held = x.Held
		f.change, f.confirmed = x.ThemeState.Change, confirmed
		f.from, f.to = now, now+int64(left)
		f.body = weak.Make(b)
		f.head, f.unchanged, f.etag = f.head[:0], f.unchanged[:0], append(f.etag[:0], b.ETag...)
	}
	switch {
	case r.IfNoneMatch == nil:
		f.head = append(f.head[:0], a.Head...)
	case a.Body == nil && bytes.Equal(r.IfNoneMatch, f.etag):
		f.unchanged = append(f.unchanged[:0], a.Head...)
	}
}

// place returns where a new answer may be kept: in the place of one that holds no more, or of another.
func (s *hotResponses) place(hash uint64, now int64) *cachedResponse {
	first := hash % hotSlots
	for way := range uint64(hotWays) {
		if f := &s.slots[first^way]; now >= f.to || f.candidate == hash {
			return f
		}
	}
	return &s.slots[first]
}

// lasts returns for how long the same is answered to the same request, if nothing else happens.
func (e *Edge) lasts(x *exchange) time.Duration {
	left, known := e.records.FreshFor(&x.Held, &x.Lookup)
	left = min(left, hotResponseFor)
	if shown := respond.ShownAge(x.Now.Sub(known)); shown > 0 {
		left = min(left, time.Second-shown%time.Second)
	}
	return left
}
