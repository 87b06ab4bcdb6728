package content

import (
	"crypto/sha256"
	"errors"
	"slices"
	"time"

	"example.com/livery/edge/coding"
	"example.com/livery/edge/memcache"
	"example.com/livery/httpd/guard"
	"example.com/livery/wasm/abi"
)

// The bounds of what deltas cost.
const (
	deltaAtOnceBytes = 256 << 10             // of dictionary and file together, to make a delta while a request waits: some milliseconds
	maxDeltaTasks    = 64                    // that wait for being done behind the answers
	maxSearched      = 8                     // versions of a line, the newest ones, that a search looks through
	deltaEvery       = 50 * time.Millisecond // one delta is made in this time, on the average: a client with many versions can ask for any two
	deltaBurst       = 500                   // and so many at once, after a publish
	searchEvery      = 250 * time.Millisecond
	searchBurst      = 20
)

// deltas is what making deltas is bounded by: one at a time, as that takes megabytes.
type deltas struct {
	slot     chan struct{} // of one place: its holder may encode
	tasks    chan deltaTask
	making   guard.Bucket
	searches guard.Bucket
}

func newDeltas() *deltas {
	return &deltas{
		slot:     make(chan struct{}, 1),
		tasks:    make(chan deltaTask, maxDeltaTasks),
		making:   guard.NewBucket(deltaEvery, deltaBurst),
		searches: guard.NewBucket(searchEvery, searchBurst),
	}
}

// deltaTask is a delta to make.
type deltaTask struct {
	from DictionaryKey
	old  *Inputs // of the dictionary; nil: it has to be found first
	in   *Inputs // of the file
}

func (t *deltaTask) target() Key { return Key{t.in.ID, t.from.File} }

// Offer notes that clients may have a file of a line as a dictionary from now on. Its digest is computed when a client
// names one that is not known. Once that is known it allocates nothing.
func (s *Store) Offer(line Line, in *Inputs, f abi.File) {
	bit := uint32(1) << f
	if in.offered.Load()&bit != 0 || in.offered.Or(bit)&bit != 0 {
		return
	}
	s.offers.table.Update(DictionaryKey{Line: line, File: f}, func(others []*Inputs, _ bool) ([]*Inputs, bool) {
		return append(slices.Clone(others[max(0, len(others)+1-maxSearched):]), in), true
	})
}

// offers are the files that clients may have, by their digests; without a digest those whose digest is not known.
type offers struct {
	table *memcache.Table[DictionaryKey, []*Inputs]
}

// made returns what a dictionary is made from, if clients may have it.
func (o offers) made(from DictionaryKey) *Inputs {
	if of, ok := o.table.Get(from); ok && from.Digest != (coding.Digest{}) {
		return of[0]
	}
	return nil
}

// digest computes the digests of the files of a line that were offered, as far as file returns them.
func (o offers) digest(line Line, f abi.File, file func(*Inputs) *Body) {
	key, rest := DictionaryKey{Line: line, File: f}, []*Inputs(nil)
	unknown, _ := o.table.Peek(key)
	for _, in := range unknown {
		if b := file(in); b != nil {
			o.table.Set(DictionaryKey{line, f, sha256.Sum256(b.Bytes)}, []*Inputs{in})
		} else {
			rest = append(rest, in)
		}
	}
	o.table.Update(key, func(held []*Inputs, ok bool) ([]*Inputs, bool) {
		for _, in := range held {
			if !slices.Contains(unknown, in) { // it was offered meanwhile
				rest = append(rest, in)
			}
		}
		return rest, ok
	})
}

// Delta returns the delta from a dictionary to a file that is held, or nil. more reports whether
// there may be one after some work. What no client was offered costs no work, so that invented digests cost
// a look-up. It allocates nothing.
func (s *Store) Delta(from DictionaryKey, in *Inputs, f *File, now time.Time) (b *Body, more bool) {
	if d, known := f.delta(&from); known {
		return d.body, false
	}
	unknown, _ := s.offers.table.Peek(DictionaryKey{Line: from.Line, File: from.File}) // by their digests
	if len(unknown) > 0 || s.offers.made(from) != nil {
		return nil, !s.deltas.making.Full(now)
	}
	return nil, in.searched.Load()&(1<<from.File) == 0 && !s.deltas.searches.Full(now)
}

// MakeDelta makes the delta that Delta says there may be while its request waits, if that is quick and no other is being
// made. What takes long is done behind the answer: the next request has it.
func (s *Store) MakeDelta(from DictionaryKey, in *Inputs, now time.Time) *Body {
	t := deltaTask{from: from, in: in, old: s.offers.made(from)}
	if t.old == nil {
		s.offers.digest(from.Line, from.File, func(in *Inputs) *Body { return s.heldForDelta(Key{in.ID, from.File}) })
		t.old = s.offers.made(from)
	}
	if t.old == nil {
		s.beginSearch(t, now)
		return nil
	}
	select {
	case s.deltas.slot <- struct{}{}:
		defer func() { <-s.deltas.slot }()
	default:
		s.deltas.add(t)
		return nil
	}
	old, file := s.heldForDelta(Key{t.old.ID, from.File}), s.heldForDelta(t.target())
	if old == nil || file == nil || len(old.Bytes)+len(file.Bytes) > deltaAtOnceBytes {
		s.deltas.add(t)
		return nil
	}
	return s.makeDelta(t, old, file)
}

// beginSearch has the older versions of a line searched for a dictionary, once for each state of its
// pair.
func (s *Store) beginSearch(t deltaTask, now time.Time) {
	bit := uint32(1) << t.from.File
	if !s.deltas.searches.Take(now) {
		return
	}
	if t.in.searched.Or(bit)&bit == 0 && !s.deltas.add(t) {
		t.in.searched.And(^bit)
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

// heldForDelta returns a file as it is from memory, or nil: it is not held, or too large to be waited for.
func (s *Store) heldForDelta(key Key) *Body {
	held, ok := s.files.Peek(key)
	if !ok {
		return nil
	}
	if plain := held.plain(); plain == nil || plain.length > deltaAtOnceBytes {
		return nil
	}
	return s.decode(key.File, held)
}

// makeDelta makes a delta from old to file and holds it, or that it does not pay: it must be shorter by
// a quarter than the shortest body that is held. It returns nil if it does not, or if too many
// were made lately. The caller holds the slot.
func (s *Store) makeDelta(t deltaTask, old, file *Body) *Body {
	held, ok := s.files.Peek(t.target())
	if !ok {
		return nil
	}
	if d, known := held.delta(&t.from); known {
		return d.body
	}
	if !s.deltas.making.Take(s.config.Now()) {
		return nil
	}
	d := delta{from: t.from}
	if sha256.Sum256(old.Bytes) == t.from.Digest && old.Plain.Dictionary() && file.Plain.Dictionary() {
		content, err := coding.EncodeDelta(old.Bytes, t.from.Digest, file.Bytes)
		if err == nil && len(content) <= held.smallest()/4*3 {
			d.body = newDelta(t.from.File, content, file.Plain)
		}
	}
	s.putDelta(t.target(), d)
	return d.body
}

// MakeDeltas makes what was left to the background, until the context of New ends.
func (s *Store) MakeDeltas() {
	for {
		select {
		case t := <-s.deltas.tasks:
			s.makeLater(t)
		case <-s.ctx.Done():
			return
		}
	}
}

// makeLater finds the dictionary of a task and makes the delta. What cannot be made is not tried again
// while the file is held.
func (s *Store) makeLater(t deltaTask) {
	if t.old == nil {
		s.search(t.from.Line, t.from.File)
		if t.old = s.offers.made(t.from); t.old == nil {
			return
		}
	}
	if t.from.Line.Modes != "" && s.heldPlain(Key{t.old.ID, t.from.File}) == nil && !s.HasInputs(t.old) {
		s.putDelta(t.target(), delta{from: t.from}) // upstream does not keep the overlays of modes
		return
	}
	old, err := s.dictionary(t.old, t.from.File)
	file, err2 := s.plainBody(t.in, t.target())
	if errors.Join(err, err2) != nil {
		s.putDelta(t.target(), delta{from: t.from})
		return
	}
	s.deltas.slot <- struct{}{}
	defer func() { <-s.deltas.slot }()
	s.makeDelta(t, old, file)
}

// dictionary returns a file as it is, from memory or made. It is not kept: no address may lead to it any more.
func (s *Store) dictionary(in *Inputs, f abi.File) (*Body, error) {
	if b := s.heldPlain(Key{in.ID, f}); b != nil {
		return b, nil
	}
	return s.renders.plain(in, f)
}

// search finds out what clients may have of a line from before this edge was started: the versions on
// disk that can be made without a question to upstream.
func (s *Store) search(line Line, f abi.File) {
	s.offers.digest(line, f, func(in *Inputs) *Body { return s.dictionaryHere(in, f) })
	s.offers.table.Delete(DictionaryKey{Line: line, File: f}) // what is left is not here any more
	older := s.config.Older(line)
	for _, in := range older[:min(len(older), maxSearched)] {
		if b := s.dictionaryHere(in, f); b != nil && s.ctx.Err() == nil {
			s.offers.table.Set(DictionaryKey{line, f, sha256.Sum256(b.Bytes)}, []*Inputs{in})
		}
	}
}

// dictionaryHere returns a file as it is, from memory or made from what is in memory and on disk; nil if that does not do.
func (s *Store) dictionaryHere(in *Inputs, f abi.File) *Body {
	if _, held := s.files.Peek(Key{in.ID, f}); !held && (!s.config.Runtime.Loaded(string(in.module.Value())) || !s.HasInputs(in)) {
		return nil
	}
	b, err := s.dictionary(in, f)
	if err != nil {
		return nil // it is logged if a request fails for it
	}
	return b
}
