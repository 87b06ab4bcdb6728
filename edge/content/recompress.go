package content

import (
	"example.com/livery/edge/coding"
	"example.com/livery/wasm/abi"
)

// recompression is a body that can be made smaller, by its name: what waits keeps no body in memory.
type recompression struct {
	key    Key
	wanted coding.Encoding
}

// Recompress has a body of a file that never changes made smaller in the background, once. If too many wait for that it
// is left to a later request.
func (s *Store) Recompress(in *Inputs, f abi.File, b *Body) {
	if !b.FastEncoded || !in.Sealed || b.recompressing.Load() || len(b.Bytes) > coding.MaxBestBytes || !b.recompressing.CompareAndSwap(false, true) {
		return
	}
	select {
	case s.recompressions <- recompression{Key{in.ID, f}, b.wanted}:
	default:
		b.recompressing.Store(false)
	}
}

// RecompressAll makes bodies smaller, one at a time, until the context of New ends.
func (s *Store) RecompressAll() {
	for {
		select {
		case next := <-s.recompressions:
			s.recompress(next)
		case <-s.ctx.Done():
			return
		}
	}
}

func (s *Store) recompress(r recompression) {
	file, ok := s.files.Peek(r.key)
	if !ok {
		return
	}
	old := file.bodies[r.wanted]
	if old == nil || !old.FastEncoded || old.Plain == nil || old.Plain.length > coding.MaxBestBytes {
		return
	}
	plain := s.decode(r.key.File, file)
	if plain == nil {
		return
	}
	smaller, err := s.encoders.Encode(plain.Bytes, old.Encoding, coding.Best)
	if err != nil {
		return
	}
	if len(smaller) >= len(old.Bytes) { // it is as small as it gets
		s.replace(r.key, old, NewBody(r.key.File, old.Bytes, old.wanted, old.Encoding, false, old.Plain))
		return
	}
	b := NewBody(r.key.File, smaller, old.wanted, old.Encoding, false, old.Plain)
	b.fastTag = old.ETag
	s.replace(r.key, old, b)
	if s.config.Bodies != nil {
		s.config.Bodies.Drop(storedName(r.key, r.wanted)) // the smaller one is written in its place
	}
	s.config.Recompressed()
}
