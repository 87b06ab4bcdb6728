package guard

import (
	"net/netip"
	"sync/atomic"
)

// Memory bounds what connections keep while they wait for their clients: heads and bodies that have come in part, answers
// that were not taken, what crypto/tls and the server have for them meanwhile. It may be used concurrently; nil has no
// bound.
type Memory struct {
	most    int64
	used    atomic.Int64
	clients *Limiter
}

// clientPart is the part of a Memory that one client may have.
const clientPart = 2

// NewMemory returns a Memory of so many bytes, half of which one client may have. Clients within exempt, proxies that many
// come through, may have all of it.
func NewMemory(bytes int64, exempt []netip.Prefix) *Memory {
	return &Memory{most: bytes, clients: NewLimiter(int(bytes/clientPart), exempt)}
}

// Bytes returns how much is in use.
func (m *Memory) Bytes() int64 { return m.used.Load() }

// memoryUnit is what is counted at once, so that small changes count for nothing.
const memoryUnit = 1 << 10

// Usage is what one connection has of a Memory. One goroutine at a time changes it.
type Usage int

// Set counts what a connection of a client keeps from now on, and reports whether it may. Less is always allowed.
func (u *Usage) Set(m *Memory, client netip.Addr, bytes int) bool {
	bytes = (bytes + memoryUnit - 1) &^ (memoryUnit - 1)
	more := bytes - int(*u)
	if m == nil || more == 0 {
		return true
	}
	if !m.clients.Add(client, more) {
		return false
	}
	if !m.add(int64(more)) {
		m.clients.Add(client, -more)
		return false
	}
	*u = Usage(bytes)
	return true
}

// add counts so many bytes more, or less, and reports whether it does. What is refused is never counted, not for a moment.
func (m *Memory) add(more int64) bool {
	for {
		used := m.used.Load()
		if more > 0 && used+more > m.most {
			return false
		}
		if m.used.CompareAndSwap(used, used+more) {
			return true
		}
	}
}
