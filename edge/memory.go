package edge

import "math"

// Memory is what an edge takes at most, by its parts, in bytes.
type Memory struct {
	Cache   int64 // Config.CacheBytes: files, records and what files are made from
	Heap    int64 // of Go, Cache included, as debug.SetMemoryLimit takes it
	Index   int64 // of Heap: what is known of the records and files on disk
	Streams int64 // of Heap: requests of HTTP/2 whose clients take their answers slowly
	Waiting int64 // of Heap: connections that wait for their clients, with half a request or an answer that is not taken
	Guests  int64 // linear memory of renderer instances, which is outside of Go's heap: wasm.Config.MemoryBytes
	Plans   int   // of these that one instance holds: wasm.Config.PlanBytes
	Code    int64 // of one renderer module, compiled; each further one that was used in the last 15 minutes takes as much again
	Binary  int64 // pages of the program itself, which the system takes back if it needs them
}

// Total returns the sum: what the system counts as the memory of the process.
func (m Memory) Total() int64 { return m.Heap + m.Guests + m.Code + m.Binary }

// What the parts are made of.
const (
	heapBase      = 40 << 20 // encoders in the background, modules as they were decoded, buffers, garbage between two collections
	heapEach      = 8 << 20  // for each processor: encoders that requests wait for, and what they work on
	heapSlack     = 16       // of what is cached, one part in so many more is garbage: without it a large cache would be gone through all the time
	heapStreams   = 32 << 20 // twice what one client has of requests in HTTP/2
	heapWaiting   = 32 << 20 // half of it for one client
	guestEach     = 12 << 20 // of an instance with its plans; one for each processor and one stands by
	indexPart     = 8        // of the cache, one part in so many more is for knowing what is on disk
	leastIndex    = 4 << 20
	plansPart     = 16 // one part of the cache in so many is what an instance holds of plans
	leastPlans    = 2 << 20
	mostPlans     = 32 << 20
	standardCache = 256 << 20
	codeBytes     = 10 << 20
	binaryBytes   = 40 << 20
)

// MemoryFor returns what an edge with a cache of so many bytes takes on that many processors; 0 bytes
// are the standard 256 MiB. An idle connection costs memory besides: some 300 bytes; some 6 KiB under TLS; some 60 KiB
// if no event loop serves it (behind the PROXY protocol).
func MemoryFor(cacheBytes int64, processors int) Memory {
	cacheBytes = min(orDefault(cacheBytes, standardCache), math.MaxInt64/4)
	each := int64(processors)
	index := max(cacheBytes/indexPart, leastIndex)
	return Memory{
		Cache:   cacheBytes,
		Heap:    cacheBytes + cacheBytes/heapSlack + index + heapBase + each*heapEach + heapStreams + heapWaiting,
		Index:   index,
		Streams: heapStreams,
		Waiting: heapWaiting,
		Guests:  (each + 1) * guestEach,
		Plans:   int(min(max(cacheBytes/plansPart, leastPlans), mostPlans)),
		Code:    codeBytes,
		Binary:  binaryBytes,
	}
}
