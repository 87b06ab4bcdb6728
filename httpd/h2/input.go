package h2

// input splits what a client sends into the preface and frames.
type input struct {
	part  []byte // the beginning of a frame, or of the preface
	begun bool   // the preface has come
}

// next returns the frame that p begins or goes on with, and the rest of p. Of DATA, GOAWAY, frames that are not known and
// frames that are too long it is the beginning alone: nothing reads their payload. whole is nil if it has not come, and
// valid until the next call.
func (r *input) next(p []byte) (whole, rest []byte) {
	if len(r.part) == 0 {
		if n := r.needed(p); n <= len(p) {
			r.begun = true
			return p[:n], p[n:]
		}
	}
	for len(p) > 0 {
		need := r.needed(r.part)
		n := min(need-len(r.part), len(p))
		r.part, p = append(r.part, p[:n]...), p[n:]
		if len(r.part) == need && r.needed(r.part) == need {
			whole = r.part
			r.part, r.begun = r.part[:0], true
			return whole, p
		}
	}
	return nil, nil
}

// needed returns how many bytes what b begins takes, as far as b says so.
func (r *input) needed(b []byte) int {
	if !r.begun {
		return len(preface)
	}
	if len(b) < headerBytes {
		return headerBytes
	}
	h := headerOf(b)
	switch h.kind {
	case frameData:
		if h.flags&flagPadded != 0 && h.length > 0 {
			return headerBytes + 1
		}
		return headerBytes
	case frameHeaders, frameSettings, frameContinuation:
	case framePriority, frameReset, framePing, frameWindowUpdate:
		if h.length > longestFixed {
			return headerBytes
		}
	default:
		return headerBytes
	}
	if h.length > maxFrame {
		return headerBytes
	}
	return headerBytes + h.length
}
