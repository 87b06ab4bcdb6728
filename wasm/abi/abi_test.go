package abi_test

import (
	"testing"

	"example.com/livery/renderer"
	"example.com/livery/renderer/plan"
	"example.com/livery/wasm/abi"
)

func TestFilesAreTheRenderers(t *testing.T) {
	if abi.FileCount != renderer.FileCount {
		t.Fatalf("abi.FileCount = %d, the renderer's %d", abi.FileCount, renderer.FileCount)
	}
	for f := range abi.File(abi.FileCount) {
		if got, want := f.Name(), renderer.File(f).Name(); got != want {
			t.Errorf("abi.File(%d).Name() = %q, the renderer's %q", f, got, want)
		}
		if back, ok := abi.FileByName(f.Name()); !ok || back != f {
			t.Errorf("abi.FileByName(%q) = %d, %t, want %d, true", f.Name(), back, ok, f)
		}
	}
	if _, ok := abi.FileByName("tokens.scss"); ok {
		t.Error(`abi.FileByName("tokens.scss") found a file`)
	}
	if got := abi.File(abi.FileCount).Name(); got != "" {
		t.Errorf("the name of a file that does not exist = %q, want none", got)
	}
}

// Byte 4 of plans and overlays is the version of their format; the contract names the same.
func TestFormatsArePackagePlans(t *testing.T) {
	blob := plan.Append(nil, 0, []byte("file"))
	if got := blob[4]; got != abi.PlanFormat {
		t.Errorf("package plan writes plans of version %d, abi.PlanFormat is %d", got, abi.PlanFormat)
	}
	p, err := plan.Open(blob)
	if err != nil {
		t.Fatal(err)
	}
	var none plan.Changes
	if got := none.Append(nil, p)[4]; got != abi.OverlayFormat {
		t.Errorf("package plan writes overlays of version %d, abi.OverlayFormat is %d", got, abi.OverlayFormat)
	}
	if head := len(blob) - len("file"); abi.MaxFileBytes+head > abi.MaxPlanBytes {
		t.Errorf("a plan of the largest file has %d bytes, abi.MaxPlanBytes is %d", abi.MaxFileBytes+head, abi.MaxPlanBytes)
	}
	if abi.MaxFileBytes != plan.MaxFileBytes {
		t.Errorf("abi.MaxFileBytes = %d, package plan's %d", abi.MaxFileBytes, plan.MaxFileBytes)
	}
}

func TestBlocksAreReadAsWritten(t *testing.T) {
	info := abi.Info{
		Version: 1, Features: 2, Result: 0xdeadbeef, Core: 4, CoreLength: 5, MaxInput: 6, FilesServed: 7,
		PlanFormat: 8, OverlayFormat: 9, PlanSlots: 10, MaxPlan: 11, MaxFile: 12,
	}
	var infoBlock [abi.InfoSize]byte
	info.Put(&infoBlock)
	if got, ok := abi.ReadInfo(infoBlock[:]); !ok || got != info {
		t.Errorf("ReadInfo = %+v, %t, want %+v, true", got, ok, info)
	}
	if infoBlock[0] != 52 || infoBlock[12] != 0xef || infoBlock[15] != 0xde || infoBlock[48] != 12 {
		t.Errorf("the info block is % x, want its size at 0, the result pointer at 12, the largest file at 48, little-endian", infoBlock)
	}
	result := abi.Result{Status: abi.StatusBadTheme, Pointer: 1 << 31, Length: 3, Position: 17}
	var resultBlock [abi.ResultSize]byte
	result.Put(&resultBlock)
	if got, ok := abi.ReadResult(resultBlock[:]); !ok || got != result {
		t.Errorf("ReadResult = %+v, %t, want %+v, true", got, ok, result)
	}
	if got, want := abi.ReadPiece([]byte{1, 2, 3, 4, 5, 6, 7, 8}), (abi.Piece{Pointer: 0x04030201, Length: 0x08070605}); got != want {
		t.Errorf("ReadPiece = %+v, want %+v", got, want)
	}
}

func TestShortBlocksAreRefused(t *testing.T) {
	var infoBlock [abi.InfoSize]byte // says that it has 0 bytes
	if _, ok := abi.ReadInfo(infoBlock[:]); ok {
		t.Error("ReadInfo took a block that says it is shorter than the contract's")
	}
	if _, ok := abi.ReadInfo(infoBlock[:abi.InfoSize-1]); ok {
		t.Error("ReadInfo took a short block")
	}
	if _, ok := abi.ReadResult(make([]byte, abi.ResultSize-1)); ok {
		t.Error("ReadResult took a short block")
	}
}

// The numbers are part of the contract: a module of another release means the same by them.
func TestNumbersOfStatuses(t *testing.T) {
	for want, status := range []abi.Status{
		abi.StatusOK, abi.StatusBadTheme, abi.StatusBadOverrides, abi.StatusBadFile, abi.StatusBadInput, abi.StatusBadPlan,
		abi.StatusBadOverlay, abi.StatusOtherPlan, abi.StatusBadSlot, abi.StatusTooLarge, abi.StatusBadKind,
	} {
		if int(status) != want || status.String() == abi.Status(99).String() {
			t.Errorf("status %q has the number %d, want %d", status, status, want)
		}
	}
}
