//go:build wasip1

// Command canary is a module that keeps the renderer's contract as far as a host can see, until its
// Theme is a word that makes it fail.
package main

import (
	"unsafe"

	"example.com/livery/wasm/abi"
)

func main() {}

// version is the contract's version; the linker may set another one.
var version = "1"

var (
	infoBlock   [abi.InfoSize]byte
	resultBlock [abi.ResultSize]byte
	buffer      [64]byte
)

//go:wasmexport info
func info() uint32 {
	abi.Info{
		Version:    uint32(version[0] - '0'),
		Result:     uint32(uintptr(unsafe.Pointer(&resultBlock))),
		Core:       uint32(uintptr(unsafe.Pointer(unsafe.StringData(version)))),
		CoreLength: uint32(len(version)),
	}.Put(&infoBlock)
	return uint32(uintptr(unsafe.Pointer(&infoBlock)))
}

//go:wasmexport input
func input(size uint32) uint32 {
	if size > uint32(len(buffer)) {
		return 0
	}
	return uint32(uintptr(unsafe.Pointer(&buffer)))
}

//go:wasmexport compile
func compile(_, _, themeLen, _, _ uint32) uint32 {
	switch word := string(buffer[:themeLen]); word {
	case "panic":
		panic("the canary is dead")
	case "recurse":
		abi.Result{Length: recurse(1)}.Put(&resultBlock)
	case "grow": // the answer lies in memory that was not there before
		grown := make([]byte, 32<<20)
		n := copy(grown[len(grown)-8:], "grown")
		answer(grown[len(grown)-8:][:n])
	default:
		answer(buffer[:themeLen])
	}
	return 0
}

func answer(text []byte) {
	abi.Result{Pointer: uint32(uintptr(unsafe.Pointer(unsafe.SliceData(text)))), Length: uint32(len(text))}.Put(&resultBlock)
}

func recurse(n uint32) uint32 {
	if n == 0 {
		return 0
	}
	return recurse(n+1) + 1
}
