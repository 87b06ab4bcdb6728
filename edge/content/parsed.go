package content

import (
	"crypto/sha256"
	"sync"

	"example.com/livery/edge/coding"
	"example.com/livery/edge/memcache"
	"example.com/livery/wasm"
	"example.com/livery/wasm/abi"
)

// parseKey names the text that a plan has for a file.
type parseKey struct {
	plan [sha256.Size]byte
	file abi.File
}

// parseCost is what a planText takes besides its Parse, roughly.
const parseCost = 320

// planText is what is known of the text of a plan. It is not changed.
type planText struct {
	sum     [sha256.Size]byte
	encoded bool          // a file was encoded by it
	parse   *coding.Parse // nil: not made
}

// parses knows plans, and encodes files by the matches in them. It may be used concurrently.
type parses struct {
	*memcache.Table[parseKey, *planText]
	store *Store
}

func newParses(s *Store, budget uint64) parses {
	return parses{store: s, Table: memcache.New(budget, func(_ parseKey, p *planText) uint32 {
		if p.parse == nil {
			return parseCost
		}
		return memcache.Allocated(p.parse.Bytes()) + parseCost
	}, nil)}
}

// text returns what is known of a text, which belongs to key.
func (p parses) text(key parseKey, text []byte) *planText {
	return p.GetOrMake(key, func() *planText { return &planText{sum: sha256.Sum256(text)} })
}

// inherit has the texts of a plan known by what is known of those of the plan that it replaces: most of their bytes are the same.
func (p parses) inherit(old, next [sha256.Size]byte) {
	for f := range abi.File(abi.FileCount) {
		was, ok := p.Peek(parseKey{old, f})
		if _, known := p.Peek(parseKey{next, f}); !ok || was.parse == nil || known {
			continue
		}
		_, _, _ = p.store.flights.Do(p.flight(parseKey{next, f}), func() (any, error) {
			return p.reparse(was, parseKey{old, f}, parseKey{next, f}), nil
		})
	}
}

// reparse has the text of a plan known by that of another, and returns its Parse; nil: they are not in memory, or not alike.
func (p parses) reparse(was *planText, old, next parseKey) *coding.Parse {
	before, held := p.store.HeldInput(inDigits(old.plan))
	plan, held2 := p.store.HeldInput(inDigits(next.plan))
	if _, known := p.Peek(next); known || !held || !held2 {
		return nil
	}
	text := wasm.Request{Plan: wasm.Blob{Bytes: plan}, File: next.file}.Text()
	if len(text) < coding.MinBytes || len(text) > coding.MaxParseBytes {
		return nil
	}
	parse := coding.Reparse(text, coding.Shared{Text: wasm.Request{Plan: wasm.Blob{Bytes: before}, File: old.file}.Text(), Parse: was.parse})
	p.Set(next, &planText{sum: sha256.Sum256(text), encoded: true, parse: parse})
	return parse
}

// flight names what makes the Parse of a text.
func (p parses) flight(key parseKey) string { return "parse" + string(key.plan[:]) + key.file.Name() }

// rooms are what contents are rendered in that are not kept as they are. One takes as much as the longest content that was
// rendered in it, maxRoom at most.
var rooms = sync.Pool{New: func() any { return new([]byte) }}

const maxRoom = 2 * coding.MaxParseBytes

// finalPart is the part of a content, in its spans, from which on gzip by a Parse is as small as gzip gets.
const finalPart = 15.0 / 16

// encode renders a file that is not held and encodes it by what it shares with its plan. It returns nil if that
// does not do: the plan is encoded for the first time, or the coding does not pay.
func (p parses) encode(in *Inputs, key Key, enc coding.Encoding) (*Body, error) {
	s := p.store
	if _, held := s.files.Peek(key); held || !coding.Parsed(enc) {
		return nil, nil
	}
	parse := p.of(in, key.File)
	if parse == nil {
		return nil, nil
	}
	return s.renders.parsed(in, key.File, enc, parse)
}

// parsed returns a file that is encoded by the Parse of its plan, or nil if that does not do.
func (r renders) parsed(in *Inputs, f abi.File, enc coding.Encoding, parse *coding.Parse) (*Body, error) {
	request, err := r.request(in, f)
	if err != nil {
		return nil, err
	}
	by := coding.Shared{Parse: parse}
	room := rooms.Get().(*[]byte)
	defer rooms.Put(room)
	if length := len(request.Text()); cap(*room) < length+length/16 {
		*room = make([]byte, 0, length+length/8) // the files of other Variants fit too
	}
	by.Room = *room
	content, plain, err := r.render(in, request, &by)
	if cap(content) <= maxRoom {
		*room = content
	}
	if err != nil || len(content) < coding.MinBytes {
		return nil, err
	}
	encoded := r.store.encoders.EncodeParsed(r.ctx, content, enc, by)
	if encoded == nil || len(encoded) >= len(content) {
		return nil, nil
	}
	shared := 0
	for _, span := range by.Spans {
		shared += span.Length
	}
	fast := enc != coding.Gzip || float64(shared) < finalPart*float64(len(content))
	return NewBody(f, encoded, enc, enc, fast, plain), nil
}

// of returns the Parse of what a file is without an overlay, from the second time on that it is asked for: what is
// encoded once is quicker without. nil: there is none.
func (p parses) of(in *Inputs, f abi.File) *coding.Parse {
	key := parseKey{in.plan, f}
	held, _ := p.Get(key)
	if held != nil && held.parse != nil {
		return held.parse
	}
	made, _, _ := p.store.flights.Do(p.flight(key), func() (any, error) {
		plan, err := p.store.Input(inDigits(in.plan))
		if err != nil {
			return nil, err
		}
		text := wasm.Request{Plan: wasm.Blob{Bytes: plan}, File: f}.Text()
		known := *p.text(key, text)
		switch {
		case known.parse != nil, len(text) < coding.MinBytes || len(text) > coding.MaxParseBytes:
			return known.parse, nil
		case known.encoded:
			known.parse = coding.NewParse(text)
		}
		known.encoded = true
		p.Set(key, &known)
		return known.parse, nil
	})
	parse, _ := made.(*coding.Parse)
	return parse
}
