//go:build wasip1

package main

import (
	"unsafe"

	"example.com/livery/renderer/plan"
	"example.com/livery/wasm/abi"
)

// maxHeldBytes bounds what all slots hold together: a refusal is better than a module that ran out
// of memory.
const maxHeldBytes = 2 * abi.MaxPlanBytes

// slot holds one plan. The zero value is empty.
type slot struct {
	blob []byte // as the host writes it; nil: empty
	plan plan.Plan
	open bool
}

var (
	slots [abi.PlanSlots]slot
	held  int // bytes in all slots
)

//go:wasmexport plan_alloc
func planAlloc(number, size uint32) uint32 {
	if number >= abi.PlanSlots || size == 0 || size > abi.MaxPlanBytes {
		return 0
	}
	drop(number)
	if held+int(size) > maxHeldBytes {
		return 0
	}
	spend(int(size))
	slots[number].blob = make([]byte, size)
	held += int(size)
	return address(unsafe.Pointer(unsafe.SliceData(slots[number].blob)))
}

//go:wasmexport plan_open
func planOpen(number uint32) uint32 {
	if number >= abi.PlanSlots || slots[number].blob == nil {
		return refuse(abi.StatusBadSlot, 0)
	}
	s := &slots[number]
	opened, err := plan.Open(s.blob)
	s.plan, s.open = opened, err == nil
	if err != nil {
		return refuse(abi.StatusBadPlan, 0)
	}
	return answerBytes(nil)
}

//go:wasmexport plan_drop
func planDrop(number uint32) uint32 {
	if number >= abi.PlanSlots || slots[number].blob == nil {
		return refuse(abi.StatusBadSlot, 0)
	}
	drop(number)
	return answerBytes(nil)
}

func drop(number uint32) {
	held -= len(slots[number].blob)
	slots[number] = slot{}
}
