package abi_test

import (
	"testing"

	"example.com/livery/renderer"
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

func TestBlocksAreReadAsWritten(t *testing.T) {
	info := abi.Info{Version: 1, Features: 2, Result: 0xdeadbeef, Core: 4, CoreLength: 5, MaxInput: 6, FilesServed: 7}
	var infoBlock [abi.InfoSize]byte
	info.Put(&infoBlock)
	if got, ok := abi.ReadInfo(infoBlock[:]); !ok || got != info {
		t.Errorf("ReadInfo = %+v, %t, want %+v, true", got, ok, info)
	}
	if infoBlock[12] != 0xef || infoBlock[15] != 0xde {
		t.Errorf("the result pointer is written as % x, want little-endian", infoBlock[12:16])
	}
	result := abi.Result{Status: abi.StatusBadTheme, Pointer: 1 << 31, Length: 3, Position: 17}
	var resultBlock [abi.ResultSize]byte
	result.Put(&resultBlock)
	if got, ok := abi.ReadResult(resultBlock[:]); !ok || got != result {
		t.Errorf("ReadResult = %+v, %t, want %+v, true", got, ok, result)
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
