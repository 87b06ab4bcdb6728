// Package plan is what a served file is made from when speed counts: the plan, which is the file of a
// Theme version without a Variant, finished, and the overlay, which says what a Variant changes in
// it. Rendering copies the file and what is changed, and reads nothing of either: no JSON, no
// alias, no type. Every question that a document raises is settled when plan and overlay are
// compiled, which package renderer does; what a change reaches is in the overlay, so that
// templates and dependencies are not needed here. It never looks at the bytes it serves.
//
// There is one plan for each of the five files, and they share nothing, so that a server of one
// file holds no other. All numbers are little-endian and unsigned. A plan:
//
//	byte 0         4         6      7      8               16        20        24
//	     +---------+---------+------+------+---------------+---------+---------+----------+
//	     | "LVYP"  | version | file | zero | sum           | length  | zero    | the file |
//	     |         |       1 |      |      | of the file   | of file |         |          |
//	     +---------+---------+------+------+---------------+---------+---------+----------+
//
// An overlay, which has the sum of the only plan that it fits to:
//
//	byte 0         4         6      7      8               16        20        24
//	     +---------+---------+------+------+---------------+---------+---------+----------+------+
//	     | "LVYO"  | version | file | zero | sum           | edits n | length  | n edits, | text |
//	     |         |       1 |      |      | of the plan   |         | of text | 16 each  |      |
//	     +---------+---------+------+------+---------------+---------+---------+----------+------+
//
//	edit 0         4         8         12        16
//	     +---------+---------+---------+---------+     The bytes [at, at+cut) of the file are left out, and
//	     | at      | cut     | from    | length  |     text[from : from+length] stands there. Edits are in
//	     +---------+---------+---------+---------+     the file's order and never overlap; equal text is shared.
package plan

import (
	"errors"
	"slices"
)

// MaxFileBytes is the length of the longest file: package renderer makes none that is longer, and the
// bound keeps a hostile overlay, whose edits may all name one large text, from asking for more.
const MaxFileBytes = 1 << 26

const (
	planMagic    = "LVYP"
	overlayMagic = "LVYO"
	version      = 1
	headBytes    = 24
	editBytes    = 16
)

// ErrPlan says that bytes are not plan of this version, or a damaged one.
var ErrPlan = errors.New("plan: not a plan of version 1, or not a whole one")

// Plan is an opened plan. It refers to the bytes it was opened from and may be read concurrently
// while these do not change. The zero value is a plan of an empty file.
type Plan struct {
	file uint8
	sum  uint64
	text []byte
}

// Open opens a plan and returns ErrPlan if blob is none. It checks the lengths, and keeps blob,
// which must not change as long as the plan is used. It takes constant time: it does not hash the
// file, which the store that names blobs by their hash has done.
func Open(blob []byte) (Plan, error) {
	h, ok := openHead(blob, planMagic)
	if !ok || h.b != 0 || uint64(h.a) != uint64(len(blob)-headBytes) || h.a > MaxFileBytes {
		return Plan{}, ErrPlan
	}
	return Plan{file: h.file, sum: h.sum, text: blob[headBytes:len(blob):len(blob)]}, nil
}

// Number returns the number of the file that p is a plan of, as package renderer counts them.
func (p Plan) Number() uint8 { return p.file }

// File returns the file of the Theme alone. It is part of the bytes that p was opened from and must
// not be changed.
func (p Plan) File() []byte { return p.text }

// Append appends a plan of the finished file text, whose number is file. It returns dst as it was
// if text is longer than MaxFileBytes.
func Append(dst []byte, file uint8, text []byte) []byte {
	if len(text) > MaxFileBytes {
		return dst
	}
	dst = slices.Grow(dst, headBytes+len(text))
	dst = head{file: file, sum: sumOf(file, text), a: uint32(len(text))}.append(dst, planMagic)
	return append(dst, text...)
}
