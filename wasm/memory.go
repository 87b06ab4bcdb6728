package wasm

import (
	"context"
	"sync/atomic"

	"github.com/tetratelabs/wazero/experimental"
)

// withMemory makes instances that are made with the context returned take their linear memory from
// the system: address space is reserved once, at most limit bytes are used as the memory grows, and
// all of it goes back when the instance is closed. On Go's heap every growth would copy the memory
// and leave the old one to the collector. used counts the bytes that are in use.
func withMemory(ctx context.Context, limit uint64, used *atomic.Int64) context.Context {
	return experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(func(_, most uint64) experimental.LinearMemory {
		most = min(most, limit)
		if space := reserve(most); space != nil {
			return &mappedMemory{space: space, used: used}
		}
		return &heapMemory{limit: most, used: used}
	}))
}

// mappedMemory is linear memory at the beginning of reserved address space; it never moves.
type mappedMemory struct {
	space []byte // reserved
	size  uint64 // of it in use
	used  *atomic.Int64
}

// Reallocate returns the first size bytes, or nil if there are not so many.
func (m *mappedMemory) Reallocate(size uint64) []byte {
	if size > uint64(len(m.space)) || size > m.size && !allow(m.space[m.size:size]) {
		return nil
	}
	if size > m.size {
		m.used.Add(int64(size - m.size))
		m.size = size
	}
	return m.space[:size:size]
}

// Free gives the address space back.
func (m *mappedMemory) Free() {
	m.used.Add(-int64(m.size))
	release(m.space)
	m.space, m.size = nil, 0
}

// heapMemory is linear memory on Go's heap, for systems that have no reserved address space or no more of it.
type heapMemory struct {
	buffer []byte
	limit  uint64
	used   *atomic.Int64
}

// Reallocate returns the memory with size bytes, or nil if that is past the limit.
func (m *heapMemory) Reallocate(size uint64) []byte {
	if size > m.limit {
		return nil
	}
	if grown := int64(size) - int64(len(m.buffer)); grown > 0 {
		m.used.Add(grown)
		m.buffer = append(m.buffer, make([]byte, grown)...)
	}
	return m.buffer[:size:size]
}

// Free lets the collector have the memory.
func (m *heapMemory) Free() {
	m.used.Add(-int64(len(m.buffer)))
	m.buffer = nil
}
