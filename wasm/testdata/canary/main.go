// Command canary is a module that keeps the contract and misbehaves on demand: the Theme document it
// is given says how.
package main

import (
	"os"
	"unsafe"

	"example.com/livery/wasm/abi"
)

func main() {}

var (
	infoBlock   [abi.InfoSize]byte
	resultBlock [abi.ResultSize]byte
	buffer      [1 << 16]byte
	output      = []byte("alive")
	calls       byte
	hoard       [][]byte
	core        = "canary"
)

func address(p unsafe.Pointer) uint32 { return uint32(uintptr(p)) }

//go:wasmexport info
func info() uint32 {
	abi.Info{
		Version: abi.Version, Features: abi.FeatureRender, Result: address(unsafe.Pointer(&resultBlock)),
		Core: address(unsafe.Pointer(unsafe.StringData(core))), CoreLength: uint32(len(core)), MaxInput: uint32(len(buffer)), FilesServed: abi.FileCount,
	}.Put(&infoBlock)
	return address(unsafe.Pointer(&infoBlock))
}

//go:wasmexport input
func input(size uint32) uint32 {
	if int(size) > len(buffer) {
		return 0
	}
	return address(unsafe.Pointer(&buffer))
}

//go:wasmexport render
func render(_, themeLen, _, _ uint32) uint32 {
	calls++
	text := append(append([]byte(nil), output...), '0'+calls)
	switch string(buffer[:themeLen]) {
	case "trap":
		var none *[4]int
		none[themeLen] = 1
	case "panic":
		panic("the canary was told to")
	case "exit":
		os.Exit(3)
	case "hoard":
		for {
			hoard = append(hoard, make([]byte, 1<<20))
		}
	case "recurse":
		text = append(text, recurse(1)...)
	case "outside":
		abi.Result{Pointer: 0xfffffff0, Length: 64}.Put(&resultBlock)
		return 0
	case "shout":
		for range 1 << 16 {
			os.Stderr.WriteString("a long and tedious complaint ")
		}
		panic("at last")
	case "grow":
		hoard = append(hoard, make([]byte, 150<<20))
	}
	abi.Result{Pointer: address(unsafe.Pointer(unsafe.SliceData(text))), Length: uint32(len(text))}.Put(&resultBlock)
	return 0
}

func recurse(n int) []byte {
	var frame [1 << 10]byte
	frame[n%len(frame)] = byte(n)
	deeper := recurse(n + 1)
	return append(deeper, frame[:]...)
}
