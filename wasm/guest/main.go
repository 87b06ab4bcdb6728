//go:build wasip1

// Command guest is the renderer module: package renderer behind the contract of package abi. It is
// built for GOOS=wasip1 GOARCH=wasm with -buildmode=c-shared and driven by package wasm.
package main

import (
	"unsafe"

	"example.com/livery/renderer"
	"example.com/livery/wasm/abi"
)

func main() {}

// The blocks and buffers that the host reads. Go's collector does not move them, and the module
// keeps them for its whole life.
var (
	infoBlock   [abi.InfoSize]byte
	resultBlock [abi.ResultSize]byte
	inputBuffer []byte
	output      []byte
	held        holder
)

//go:wasmexport info
func info() uint32 {
	abi.Info{
		Version:     abi.Version,
		Features:    abi.FeatureRender,
		Result:      address(unsafe.Pointer(&resultBlock)),
		Core:        address(unsafe.Pointer(unsafe.StringData(renderer.Version))),
		CoreLength:  uint32(len(renderer.Version)),
		MaxInput:    abi.MaxInputBytes,
		FilesServed: renderer.FileCount,
	}.Put(&infoBlock)
	return address(unsafe.Pointer(&infoBlock))
}

//go:wasmexport input
func input(size uint32) uint32 {
	if size > abi.MaxInputBytes {
		return 0
	}
	if int(size) > cap(inputBuffer) {
		inputBuffer, output, held = nil, nil, holder{} // a larger Theme is another Theme
		spend(int(size))
		inputBuffer = make([]byte, size)
	}
	inputBuffer = inputBuffer[:cap(inputBuffer)]
	if len(inputBuffer) == 0 {
		inputBuffer = make([]byte, 64)
	}
	return address(unsafe.Pointer(unsafe.SliceData(inputBuffer)))
}

//go:wasmexport render
func render(file, themeLen, overridesLen, prefixLen uint32) uint32 {
	if uint64(themeLen)+uint64(overridesLen)+uint64(prefixLen) > uint64(len(inputBuffer)) {
		return refuse(abi.StatusBadInput, 0)
	}
	if file >= renderer.FileCount {
		return refuse(abi.StatusBadFile, 0)
	}
	theme, rest := inputBuffer[:themeLen], inputBuffer[themeLen:]
	status, position := held.hold(theme, rest[:overridesLen], rest[overridesLen:][:prefixLen])
	if status != abi.StatusOK {
		return refuse(status, position)
	}
	output = held.set.Append(output[:0], renderer.File(file))
	spent += len(output)
	return answer(abi.StatusOK, output, 0)
}

// refuse leaves a message and the position of the fault, which an earlier answer may not outlive.
func refuse(status abi.Status, position int) uint32 {
	output = append(output[:0], status.String()...)
	return answer(status, output, uint32(position))
}

func answer(status abi.Status, text []byte, position uint32) uint32 {
	pointer := address(unsafe.Pointer(unsafe.SliceData(text)))
	abi.Result{Status: status, Pointer: pointer, Length: uint32(len(text)), Position: position}.Put(&resultBlock)
	return uint32(status)
}

func address(p unsafe.Pointer) uint32 { return uint32(uintptr(p)) }
