package wasm

import (
	"context"
	"errors"

	"example.com/livery/wasm/abi"
)

// renderFile renders one file and returns a copy of it. A *RefusedError leaves the instance sound;
// after any other error it must not be used again.
func (in *instance) renderFile(ctx context.Context, j job, budget int, c *counts) ([]byte, error) {
	plan, err := in.hold(ctx, j, budget, c)
	if err != nil {
		return nil, err
	}
	if len(j.overlay) > int(in.info.MaxInput) {
		return nil, &RefusedError{Status: abi.StatusTooLarge}
	}
	if len(j.overlay) > 0 {
		if err := in.write(ctx, j.overlay); err != nil {
			return nil, err
		}
	}
	if j.spans == nil && (len(j.overlay) == 0 || len(j.overlay) > len(j.plan)/sparse) {
		return in.renderWhole(ctx, plan.slot, len(j.overlay))
	}
	return in.renderPieces(ctx, plan, j)
}

// sparse is how many times longer than its overlay a plan has to be for pieces to pay. Pieces are
// copied once, at the host, a whole file in the module and again at the host; but many small pieces
// cost more at the host than in the module (BenchmarkWays).
const sparse = 16

// renderPieces has the module name the pieces and copies them once, at the host.
func (in *instance) renderPieces(ctx context.Context, plan *openPlan, j job) ([]byte, error) {
	status, err := in.call(ctx, in.renderIOV, plan.slot, uint32(len(j.overlay)))
	if err != nil {
		return nil, err
	}
	result, err := in.result(status)
	if err != nil {
		return nil, err
	}
	return in.gather(result, plan, j.spans, j.room[:0])
}

var errPieces = errors.New("the module's pieces are not the file that it announces")

// gather copies the pieces of a file together, into room if they fit there, and appends those that lie in the plan to
// spans, if they are asked for.
func (in *instance) gather(result abi.Result, plan *openPlan, spans *[]abi.Span, room []byte) ([]byte, error) {
	if result.Position > in.info.MaxFile || result.Length > 1<<32/abi.PieceSize-1 {
		return nil, errPieces
	}
	memory, _ := in.module.Memory().Read(0, in.module.Memory().Size())
	end := uint64(result.Pointer) + abi.PieceSize*uint64(result.Length)
	if end > uint64(len(memory)) {
		return nil, errPieces
	}
	file := room
	if cap(file) < int(result.Position) {
		file = make([]byte, 0, result.Position)
	}
	file = file[:0:result.Position]
	for list := memory[result.Pointer:end]; len(list) > 0; list = list[abi.PieceSize:] {
		piece := abi.ReadPiece(list)
		from, to := uint64(piece.Pointer), uint64(piece.Pointer)+uint64(piece.Length)
		if to > uint64(len(memory)) || uint64(len(file))+to-from > uint64(cap(file)) {
			return nil, errPieces
		}
		if spans != nil && piece.Pointer >= plan.at && to <= uint64(plan.at)+uint64(plan.size) {
			*spans = append(*spans, abi.Span{At: len(file), From: int(piece.Pointer - plan.at), Length: int(piece.Length)})
		}
		file = append(file, memory[from:to]...)
	}
	if len(file) != int(result.Position) {
		return nil, errPieces
	}
	return file, nil
}

// renderWhole has the module put the file together and copies it as a whole.
func (in *instance) renderWhole(ctx context.Context, slot uint32, overlayLen int) ([]byte, error) {
	status, err := in.call(ctx, in.render, slot, uint32(overlayLen))
	if err != nil {
		return nil, err
	}
	return in.answer(status)
}
