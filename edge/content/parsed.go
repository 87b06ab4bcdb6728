package content

import (
	"crypto/sha256"

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

// parseCost is what a Parse takes besides its matches, roughly.
const parseCost = 256

// parses encodes files by the matches in their plans. It may be used concurrently.
type parses struct {
	*memcache.Table[parseKey, *coding.Parse]
	store *Store
}

func newParses(s *Store, budget uint64) parses {
	return parses{store: s, Table: memcache.New(budget, func(_ parseKey, p *coding.Parse) uint32 {
		if p == nil {
			return parseCost
		}
		return memcache.Allocated(p.Bytes()) + parseCost
	}, nil)}
}

// finalPart is the part of a content, in its spans, from which on gzip by a Parse is as small as gzip gets.
const finalPart = 15.0 / 16

// encode renders a file that is not held and encodes it by what it shares with its plan. It returns nil if that
// does not do: the plan is encoded for the first time, or the coding does not pay.
func (p parses) encode(in *Inputs, key Key, enc coding.Encoding) (*Body, error) {
	s := p.store
	if _, held := s.files.Peek(key); held || !coding.Parsed(enc) {
		return nil, nil
	}
	by := coding.Shared{Parse: p.of(in, key.File)}
	if by.Parse == nil {
		return nil, nil
	}
	content, err := s.render(in, key.File, &by)
	if err != nil || len(content) < coding.MinBytes {
		return nil, err
	}
	encoded := s.encoders.EncodeParsed(content, enc, by)
	if encoded == nil || len(encoded) >= len(content) {
		return nil, nil
	}
	shared := 0
	for _, span := range by.Spans {
		shared += span.Length
	}
	fast := enc != coding.Gzip || float64(shared) < finalPart*float64(len(content))
	return NewBody(key.File, encoded, enc, enc, fast, newPlainInfo(content)), nil
}

// of returns the Parse of what a file is without an overlay, from the second time on that it is asked for: what is
// encoded once is quicker without. nil: there is none.
func (p parses) of(in *Inputs, f abi.File) *coding.Parse {
	key := parseKey{in.plan, f}
	held, asked := p.Get(key)
	if held != nil {
		return held
	}
	if !asked {
		p.Set(key, nil)
		return nil
	}
	made, _, _ := p.store.flights.Do("parse"+string(key.plan[:])+f.Name(), func() (any, error) {
		if held, _ := p.Get(key); held != nil {
			return held, nil
		}
		plan, err := p.store.Input(inDigits(in.plan))
		if err != nil {
			return nil, err
		}
		text := wasm.Request{Plan: wasm.Blob{Bytes: plan}, File: f}.Text()
		if len(text) < coding.MinBytes || len(text) > coding.MaxParseBytes {
			return nil, nil
		}
		parse := coding.NewParse(text)
		p.Set(key, parse)
		return parse, nil
	})
	parse, _ := made.(*coding.Parse)
	return parse
}
