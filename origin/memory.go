package origin

import (
	"example.com/livery/origin/derive"
	"example.com/livery/origin/feed"
)

// Memory is what an origin takes at most, by its parts, in bytes. Requests that are being answered take memory
// besides: each its body, and what is made of it. So does garbage between two collections.
type Memory struct {
	Themes  int64 // compiled Themes, and overlays of combinations of modes
	Answers int64 // what the feed answers to many edges at one time
	Store   int64 // caches of the store
	Base    int64 // the program itself, encoders and decoders, tables of callers and edges, buffers
}

// Total returns the sum.
func (m Memory) Total() int64 { return m.Themes + m.Answers + m.Store + m.Base }

// baseBytes is what an origin takes whatever it does: 50 to 90 MiB were measured.
const baseBytes = 96 << 20

// MemoryFor returns what an origin takes whose store has caches of so many bytes: pebble.MemoryBytes, or 0 if the
// store is PostgreSQL.
func MemoryFor(storeBytes int64) Memory {
	return Memory{Themes: derive.DefaultCacheBytes + derive.CombinationBytes, Answers: feed.CacheBytes, Store: storeBytes, Base: baseBytes}
}
