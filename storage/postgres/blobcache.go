package postgres

import (
	"bytes"

	"github.com/maypok86/otter/v2"

	"example.com/livery/storage/record"
)

// MemoryBytes is about what a Store takes beside its connections: the blobs that were read last.
const MemoryBytes = 32 << 20

// blobCost is what a cached blob takes beside its bytes.
const blobCost = 320

// blobCache is the blobs that were read last, unpacked: their content is what their names say for ever, so that a
// document which is edited again and again crosses the network once. It may be used concurrently.
type blobCache struct {
	blobs *otter.Cache[record.Hash, []byte]
}

func newBlobCache(maxBytes uint64) (blobCache, error) {
	blobs, err := otter.New(&otter.Options[record.Hash, []byte]{
		MaximumWeight: maxBytes,
		Weigher:       func(_ record.Hash, blob []byte) uint32 { return uint32(cap(blob)) + blobCost },
	})
	return blobCache{blobs}, err
}

// get returns a copy of a blob.
func (c blobCache) get(name record.Hash) (blob []byte, ok bool) {
	blob, ok = c.blobs.GetIfPresent(name)
	return bytes.Clone(blob), ok
}

// add caches a copy of a blob.
func (c blobCache) add(name record.Hash, blob []byte) { c.blobs.Set(name, bytes.Clone(blob)) }

// drop forgets blobs that are deleted.
func (c blobCache) drop(names []record.Hash) {
	for _, name := range names {
		c.blobs.Invalidate(name)
	}
}

func (c blobCache) close() { c.blobs.StopAllGoroutines() }
