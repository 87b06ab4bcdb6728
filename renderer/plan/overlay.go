package plan

import (
	"errors"
	"slices"
)

// ErrOverlay says that bytes are not overlay of this version, or a damaged one.
var ErrOverlay = errors.New("plan: not an overlay of version 1, or not a whole one")

// ErrOtherPlan says that an overlay was compiled for another plan.
var ErrOtherPlan = errors.New("plan: the overlay was compiled for another plan")

// Overlay is a Variant's overlay, opened for the plan that it was compiled for. It refers to the
// bytes of both and may be read concurrently while these do not change. The zero value renders an
// empty file.
type Overlay struct {
	file  []byte // of the plan
	edits []byte // editBytes each, checked
	text  []byte
	size  int
}

// edit is one change as it lies in an overlay: text[from:from+length] in the place of
// file[at:at+cut].
type edit [editBytes]byte

func (e *edit) at() uint64     { return uint64(load32(e[0:])) }
func (e *edit) cut() uint64    { return uint64(load32(e[4:])) }
func (e *edit) from() uint64   { return uint64(load32(e[8:])) }
func (e *edit) length() uint64 { return uint64(load32(e[12:])) }

// OpenOverlay opens an overlay for the plan that it was compiled for. It returns ErrOtherPlan if
// p is another one, and ErrOverlay if blob is not an overlay. It checks every number once, so that
// rendering checks none, and keeps blob, which must not change as long as the overlay is used.
func OpenOverlay(p Plan, blob []byte) (Overlay, error) {
	h, ok := openHead(blob, overlayMagic)
	if !ok || uint64(h.a)*editBytes+uint64(h.b) != uint64(len(blob)-headBytes) {
		return Overlay{}, ErrOverlay
	}
	if h.sum != p.sum || h.file != p.file {
		return Overlay{}, ErrOtherPlan
	}
	split := headBytes + int(h.a)*editBytes
	o := Overlay{file: p.text, edits: blob[headBytes:split:split], text: blob[split:len(blob):len(blob)]}
	if !o.check() {
		return Overlay{}, ErrOverlay
	}
	return o, nil
}

// check holds every edit to the file and the text, and adds up the size.
func (o *Overlay) check() bool {
	size, next := uint64(len(o.file)), uint64(0)
	for edits := o.edits; len(edits) > 0; edits = edits[editBytes:] {
		e := (*edit)(edits)
		at, cut, from, length := e.at(), e.cut(), e.from(), e.length()
		if at < next || at+cut > uint64(len(o.file)) || from+length > uint64(len(o.text)) {
			return false
		}
		size += length - cut // the sum cannot overflow: fewer than 2^28 edits of less than 2^32 bytes each
		next = at + cut
	}
	o.size = int(size)
	return size <= MaxFileBytes
}

// Size returns the length of the rendered file in bytes.
func (o Overlay) Size() int { return o.size }

// Append appends the rendered file. It allocates nothing if dst has room for Size bytes.
func (o Overlay) Append(dst []byte) []byte {
	start := len(dst)
	dst = slices.Grow(dst, o.size)[:start+o.size]
	out, next := dst[start:], uint64(0)
	for edits := o.edits; len(edits) > 0; edits = edits[editBytes:] {
		e := (*edit)(edits)
		at, cut, from, length := e.at(), e.cut(), e.from(), e.length()
		out = out[copy(out, o.file[next:at]):]
		out = out[copy(out, o.text[from:from+length]):]
		next = at + cut
	}
	copy(out, o.file[next:])
	return dst
}

// Pieces appends the pieces that the rendered file is made of, none of them empty: parts of the
// plan and of the overlay, which must not be changed. It allocates nothing if pieces has room
// for MaxPieces more.
func (o Overlay) Pieces(pieces [][]byte) [][]byte {
	next := uint64(0)
	for edits := o.edits; len(edits) > 0; edits = edits[editBytes:] {
		e := (*edit)(edits)
		at, cut, from, length := e.at(), e.cut(), e.from(), e.length()
		pieces = appendPiece(pieces, o.file[next:at])
		pieces = appendPiece(pieces, o.text[from:from+length])
		next = at + cut
	}
	return appendPiece(pieces, o.file[next:])
}

// MaxPieces returns how many pieces Pieces appends at most.
func (o Overlay) MaxPieces() int { return 2*(len(o.edits)/editBytes) + 1 }

func appendPiece(pieces [][]byte, piece []byte) [][]byte {
	if len(piece) == 0 {
		return pieces
	}
	return append(pieces, piece[:len(piece):len(piece)])
}
