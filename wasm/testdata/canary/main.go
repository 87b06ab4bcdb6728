// Command canary is a module that keeps the contract and misbehaves on demand: the overlay that it
// is to render with says how, or the Theme that it is to compile, or the plan that it is to open.
package main

import (
	"bytes"
	"os"
	"unsafe"

	"example.com/livery/wasm/abi"
)

func main() {}

// version is the version of the contract that the module claims; the linker can set another. With
// version "exit" the module exits when it is started.
var version = "1"

func init() {
	if version == "exit" {
		os.Exit(0)
	}
}

var (
	infoBlock   [abi.InfoSize]byte
	resultBlock [abi.ResultSize]byte
	buffer      [1 << 16]byte
	slots       [2][]byte
	list        [2]uint32
	calls       byte
	hoard       [][]byte
	sink        uint32
	core        = "canary"
)

func address(p unsafe.Pointer) uint32 { return uint32(uintptr(p)) }

//go:wasmexport info
func info() uint32 {
	abi.Info{
		Version: uint32(version[0] - '0'), Result: address(unsafe.Pointer(&resultBlock)),
		Core: address(unsafe.Pointer(unsafe.StringData(core))), CoreLength: uint32(len(core)), MaxInput: uint32(len(buffer)), FilesServed: abi.FileCount,
		PlanFormat: abi.PlanFormat, OverlayFormat: abi.OverlayFormat, PlanSlots: uint32(len(slots)), MaxPlan: 1 << 20, MaxFile: 1 << 20,
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

//go:wasmexport plan_alloc
func planAlloc(slot, size uint32) uint32 {
	slots[slot] = make([]byte, size)
	return address(unsafe.Pointer(unsafe.SliceData(slots[slot])))
}

//go:wasmexport plan_open
func planOpen(slot uint32) uint32 {
	switch string(slots[slot]) {
	case "refuse":
		return answer(abi.StatusBadPlan, nil)
	case "trap":
		panic("the canary was told to, by a plan")
	}
	return answer(abi.StatusOK, nil)
}

//go:wasmexport plan_drop
func planDrop(slot uint32) uint32 {
	if bytes.HasPrefix(slots[slot], []byte("sticky")) {
		return answer(abi.StatusBadSlot, nil)
	}
	slots[slot] = nil
	return answer(abi.StatusOK, nil)
}

//go:wasmexport render
func render(_, overlayLen uint32) uint32 { return obey(buffer[:overlayLen]) }

//go:wasmexport render_iov
func renderIOV(_, overlayLen uint32) uint32 {
	status := obey(buffer[:overlayLen])
	result, _ := abi.ReadResult(resultBlock[:])
	if status != 0 || result.Length > 1<<20 {
		return status
	}
	list = [2]uint32{result.Pointer, result.Length}
	switch string(buffer[:overlayLen]) {
	case "pieces outside":
		list[0] = 0xfffffff0
	case "pieces too long":
		result.Length--
	case "pieces too short":
		result.Length++
	case "pieces without end":
		abi.Result{Pointer: address(unsafe.Pointer(&list)), Length: 0xffffffff}.Put(&resultBlock)
		return 0
	}
	abi.Result{Pointer: address(unsafe.Pointer(&list)), Length: 1, Position: result.Length}.Put(&resultBlock)
	return 0
}

//go:wasmexport compile
func compile(_, _, themeLen, _, _ uint32) uint32 { return obey(buffer[:themeLen]) }

func answer(status abi.Status, text []byte) uint32 {
	abi.Result{Status: status, Pointer: address(unsafe.Pointer(unsafe.SliceData(text))), Length: uint32(len(text))}.Put(&resultBlock)
	return uint32(status)
}

// obey does what the command says, and else answers with the number of calls that this instance has
// served, or with what the command wants to hear.
func obey(command []byte) uint32 {
	calls++
	text := append([]byte("alive"), '0'+calls)
	if wanted, ok := bytes.CutPrefix(command, []byte("say ")); ok {
		text = bytes.Clone(wanted)
	}
	switch string(command) {
	case "trap":
		var none *[4]int
		none[len(command)%4] = 1
	case "panic":
		panic("the canary was told to")
	case "exit":
		os.Exit(3)
	case "exit well":
		os.Exit(0)
	case "hoard":
		for {
			hoard = append(hoard, make([]byte, 1<<20))
		}
	case "recurse":
		text = append(text, recurse(1)...)
	case "outside":
		abi.Result{Pointer: 0xfffffff0, Length: 64}.Put(&resultBlock)
		return 0
	case "another status":
		return answer(99, nil)
	case "two statuses":
		answer(abi.StatusOK, text)
		return uint32(abi.StatusBadFile)
	case "shout":
		for range 1 << 16 {
			os.Stderr.WriteString("a long and tedious complaint ")
		}
		panic("at last")
	case "grow":
		hoard = append(hoard, make([]byte, 150<<20))
	case "spin":
		spin(100_000_000)
	case "spin long":
		spin(400_000_000)
	}
	return answer(abi.StatusOK, text)
}

func spin(rounds uint32) {
	for range rounds {
		sink = sink*1664525 + 1013904223
	}
}

func recurse(n int) []byte {
	var frame [1 << 10]byte
	frame[n%len(frame)] = byte(n)
	deeper := recurse(n + 1)
	return append(deeper, frame[:]...)
}
