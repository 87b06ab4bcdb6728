package content

import (
	"context"
	"errors"

	"example.com/livery/edge/coding"
	"example.com/livery/storage/record"
	"example.com/livery/wasm/abi"
)

// The longest text of a plan, and the longest edits, of a file that MakeAtOnce makes: some 50 µs.
const (
	maxTextAtOnce  = 128 << 10
	maxEditsAtOnce = maxTextAtOnce / 16
)

var errNotAtOnce = errors.New("it cannot be made at once")

func newAtOnce(s *Store) renders {
	ctx, cancel := context.WithCancelCause(s.ctx)
	cancel(errNotAtOnce)
	return renders{s, ctx, func(name record.Hash) ([]byte, error) {
		if held, ok := s.inputs.Get(name); ok {
			return held, nil
		}
		return nil, errNotAtOnce
	}}
}

// MakeAtOnce makes the file of a Variant that is not held in any coding, as Make does. It returns nil if that may take long:
// if the file is not small, or something has to be waited for or fetched. Callers at the same time may each make it.
func (s *Store) MakeAtOnce(in *Inputs, f abi.File, enc coding.Encoding) *Body {
	key := Key{in.ID, f}
	if s.config.Bodies != nil && s.config.Bodies.Has(storedName(key, enc)) {
		return nil
	}
	q, err := s.atOnce.request(in, f)
	if err != nil || len(q.Text()) > maxTextAtOnce || len(q.Edits()) > maxEditsAtOnce || len(q.Edits()) == 0 {
		return nil
	}
	var b *Body
	switch enc {
	case coding.Identity:
		b, err = s.atOnce.plain(in, f)
	case coding.Gzip:
		if known, ok := s.parses.Get(parseKey{in.plan, f}); ok && known.parse != nil {
			b, err = s.atOnce.parsed(in, f, enc, known.parse)
		}
	}
	if b == nil || err != nil {
		return nil
	}
	b.requested = true
	s.putOf(in, key, b)
	return b
}
