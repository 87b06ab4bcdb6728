//go:build wasip1

// Command guest is the renderer module: packages renderer and renderer/plan behind the contract of
// package abi. It is built for GOOS=wasip1 GOARCH=wasm with -buildmode=c-shared and driven by package
// wasm, or by any other host that keeps the contract.
package main

import (
	"unsafe"

	"example.com/livery/renderer"
	"example.com/livery/wasm/abi"
)

func main() {}

// The blocks and buffers that the host reads. Go's collector does not move them. Words are aligned,
// which the contract promises of the blocks.
var (
	infoWords   [abi.InfoSize / 4]uint32
	resultWords [abi.ResultSize / 4]uint32
	infoBlock   = (*[abi.InfoSize]byte)(unsafe.Pointer(&infoWords))
	resultBlock = (*[abi.ResultSize]byte)(unsafe.Pointer(&resultWords))
	inputBuffer = make([]byte, 4<<10)
	output      []byte // what render answered, kept for the next file
)

//go:wasmexport info
func info() uint32 {
	abi.Info{
		Version:       abi.Version,
		Result:        address(unsafe.Pointer(resultBlock)),
		Core:          address(unsafe.Pointer(unsafe.StringData(renderer.Version))),
		CoreLength:    uint32(len(renderer.Version)),
		MaxInput:      abi.MaxInputBytes,
		FilesServed:   renderer.FileCount,
		PlanFormat:    abi.PlanFormat,
		OverlayFormat: abi.OverlayFormat,
		PlanSlots:     abi.PlanSlots,
		MaxPlan:       abi.MaxPlanBytes,
		MaxFile:       abi.MaxFileBytes,
	}.Put(infoBlock)
	return address(unsafe.Pointer(infoBlock))
}

//go:wasmexport input
func input(size uint32) uint32 {
	if size > abi.MaxInputBytes {
		return 0
	}
	if int(size) > len(inputBuffer) {
		inputBuffer = nil
		spend(int(size))
		inputBuffer = make([]byte, size)
	}
	return address(unsafe.Pointer(unsafe.SliceData(inputBuffer)))
}

// refuse leaves a message and the position of the fault, which an earlier answer may not outlive.
func refuse(status abi.Status, position int) uint32 {
	text := status.String()
	return answer(status, unsafe.Pointer(unsafe.StringData(text)), len(text), position)
}

func answer(status abi.Status, pointer unsafe.Pointer, length, position int) uint32 {
	abi.Result{Status: status, Pointer: address(pointer), Length: uint32(length), Position: uint32(position)}.Put(resultBlock)
	return uint32(status)
}

func answerBytes(text []byte) uint32 {
	return answer(abi.StatusOK, unsafe.Pointer(unsafe.SliceData(text)), len(text), 0)
}

func address(p unsafe.Pointer) uint32 { return uint32(uintptr(p)) }
