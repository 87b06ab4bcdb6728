package coding

import (
	"math"

	"example.com/livery/wasm/abi"
	"github.com/andybalholm/brotli/matchfinder"
)

// splicer carries the matches of a text over to a content that shares spans with it. What a span copies from within
// itself stays as it is; what it copies from an earlier one is copied from there at another distance; what is copied
// from bytes that the content lacks becomes literals, as is what stands between the spans.
type splicer struct {
	matches  []matchfinder.Match // of the content
	literals int                 // since the last of these

	runs []run // of matches of the text that are those of the content too; nil: they are not looked for

	spans  []abi.Span
	shifts []int32 // for each chunk of the text: how much later it stands in the content; noShift: it does not as a whole
	near   []int32 // for each chunk of the text: the last span that begins at or before the chunk's first byte; -1: none
}

// run is the matches of a text from one to before another, with the literals before each.
type run struct{ from, to int }

const noShift = math.MinInt32

// chunk is the logarithm of how many bytes of the text an element of near stands for.
const chunk = 6

// splice sets s.matches to those of a content of that length. With runs a match at a negative distance stands for one of
// s.runs: -1 for the first.
func (s *splicer) splice(by Shared, length int, runs bool) {
	p := by.Parse
	s.matches, s.literals, s.spans = s.matches[:0], 0, by.Spans
	s.index(p.length)
	s.runs = s.runs[:0]
	at := 0             // in the content
	next, begin := 0, 0 // a match, and at which byte of the text its literals begin
	for i, span := range by.Spans {
		s.literals += span.At - at
		for pos, end := span.From, span.From+span.Length; pos < end; {
			if next == len(p.matches) {
				s.literals += end - pos
				break
			}
			if runs && pos == begin {
				if to, done := s.run(p, next, pos, end, int32(span.At-span.From)); to > next {
					s.runs = append(s.runs, run{next, to})
					s.emit(done-pos, -len(s.runs))
					pos, next, begin = done, to, done
					continue
				}
			}
			m := &p.matches[next]
			copied := begin + int(m.unmatched)
			done := copied + int(m.length)
			if pos < done {
				literal := min(max(pos, copied), end)
				s.literals += literal - pos
				pos = literal
				if to := min(end, done); pos < to {
					s.copy(i, pos, to, int(m.distance))
					pos = to
				}
			}
			if pos >= done {
				next, begin = next+1, done
			}
		}
		at = span.At + span.Length
	}
	s.literals += length - at
	if s.literals > 0 {
		s.emit(0, 0)
	}
	s.spans = nil
}

// run returns up to which match, and up to which byte, the matches of the text from one on are those of the content too: what
// they stand for lies before end, in one span, and what they copy is shifted as much.
func (s *splicer) run(p *Parse, from, begin, end int, shift int32) (to, done int) {
	for to = from; to < len(p.matches); to++ {
		m := &p.matches[to]
		copied := begin + int(m.unmatched)
		next := copied + int(m.length)
		if next > end || m.length == 0 {
			break
		}
		source := copied - int(m.distance)
		for at := source >> chunk; at <= (source+int(m.length)-1)>>chunk; at++ {
			if s.shifts[at] != shift {
				return to, begin
			}
		}
		begin = next
	}
	return to, begin
}

// index fills near and shifts.
func (s *splicer) index(length int) {
	s.near, s.shifts = s.near[:0], s.shifts[:0]
	span := -1
	for at := 0; at <= length; at += 1 << chunk {
		for span+1 < len(s.spans) && s.spans[span+1].From <= at {
			span++
		}
		s.near = append(s.near, int32(span))
		shift := int32(noShift)
		if span >= 0 && at+1<<chunk <= s.spans[span].From+s.spans[span].Length {
			shift = int32(s.spans[span].At - s.spans[span].From)
		}
		s.shifts = append(s.shifts, shift)
	}
}

// emit ends the literals with a match.
func (s *splicer) emit(length, distance int) {
	s.matches = append(s.matches, matchfinder.Match{Unmatched: s.literals, Length: length, Distance: distance})
	s.literals = 0
}

// copy carries over that the bytes [from, to) of the text, which lie in span number i, stand in it at a distance before.
func (s *splicer) copy(i, from, to, distance int) {
	span := &s.spans[i]
	if from-distance >= span.From {
		s.copyOr(to-from, distance)
		return
	}
	k := int(s.near[(from-distance)>>chunk])
	for from < to {
		source := from - distance
		for k < i && s.spans[k+1].From <= source {
			k++
		}
		switch {
		case k == i:
			s.copyOr(to-from, distance)
			return
		case k < 0 || source >= s.spans[k].From+s.spans[k].Length: // the content lacks it
			n := min(to-from, s.spans[k+1].From-source)
			s.literals += n
			from += n
		default:
			earlier := &s.spans[k]
			n := min(to-from, earlier.From+earlier.Length-source)
			s.copyOr(n, from+span.At-span.From-(source+earlier.At-earlier.From))
			from += n
		}
	}
}

// copyOr adds a match, or literals if it is too short or too far.
func (s *splicer) copyOr(length, distance int) {
	if length < minMatch || distance > maxDistance {
		s.literals += length
		return
	}
	s.emit(length, distance)
}
