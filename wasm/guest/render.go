//go:build wasip1

package main

import (
	"unsafe"

	"example.com/livery/renderer/plan"
	"example.com/livery/wasm/abi"
)

// What render_iov answers with: the pieces as package plan gives them, and as the host reads them.
var (
	pieces [][]byte
	list   []piece
)

// piece is abi.Piece, whose layout it has: the module's own memory is little-endian.
type piece struct{ pointer, length uint32 }

//go:wasmexport render
func render(number, overlayLen uint32) uint32 {
	if alone(number, overlayLen) {
		return answerBytes(slots[number].plan.File())
	}
	overlay, status := open(number, overlayLen)
	if status != abi.StatusOK {
		return refuse(status, 0)
	}
	if cap(output) < overlay.Size() {
		output = nil
		spend(overlay.Size())
		output = make([]byte, 0, overlay.Size())
	}
	output = overlay.Append(output[:0])
	return answerBytes(output)
}

//go:wasmexport render_iov
func renderIOV(number, overlayLen uint32) uint32 {
	size := 0
	if alone(number, overlayLen) {
		file := slots[number].plan.File()
		pieces, size = append(pieces[:0], file), len(file)
	} else {
		overlay, status := open(number, overlayLen)
		if status != abi.StatusOK {
			return refuse(status, 0)
		}
		if n := overlay.MaxPieces(); cap(pieces) < n {
			pieces, list = nil, nil
			spend(n * int(unsafe.Sizeof(pieces[0])))
			pieces = make([][]byte, 0, n)
		}
		pieces, size = overlay.Pieces(pieces[:0]), overlay.Size()
	}
	if cap(list) < len(pieces) {
		list = make([]piece, cap(pieces))
	}
	list = list[:len(pieces)]
	for i, p := range pieces {
		list[i] = piece{address(unsafe.Pointer(unsafe.SliceData(p))), uint32(len(p))}
	}
	return answer(abi.StatusOK, unsafe.Pointer(unsafe.SliceData(list)), len(list), size)
}

// alone reports whether the Theme alone is asked for, from a plan that is open.
func alone(number, overlayLen uint32) bool {
	return overlayLen == 0 && number < abi.PlanSlots && slots[number].open
}

// open opens the overlay at the beginning of the input buffer for the plan in a slot. What rendering
// costs is known then: no more than its edits and the bytes of the file, at most abi.MaxFileBytes.
func open(number, overlayLen uint32) (plan.Overlay, abi.Status) {
	if number >= abi.PlanSlots || !slots[number].open {
		return plan.Overlay{}, abi.StatusBadSlot
	}
	if uint64(overlayLen) > uint64(len(inputBuffer)) {
		return plan.Overlay{}, abi.StatusBadInput
	}
	overlay, err := plan.OpenOverlay(slots[number].plan, inputBuffer[:overlayLen:overlayLen])
	switch {
	case err == plan.ErrOtherPlan: // package errors would bring reflection into the module
		return plan.Overlay{}, abi.StatusOtherPlan
	case err != nil:
		return plan.Overlay{}, abi.StatusBadOverlay
	}
	return overlay, abi.StatusOK
}
