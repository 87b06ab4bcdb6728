package diskcache

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"sync"

	"example.com/livery/edge/memcache"
	"example.com/livery/feedproto"
)

// BodyName names a file as it is served, in one coding: by what it is made from, the file and the coding.
type BodyName = [sha256.Size + 2]byte

// Bodies keeps files as they are served across restarts, in a log and within a budget of their own. Nothing there is
// trusted: a record that is not as it was written counts as absent. It may be used concurrently.
type Bodies struct {
	log   *recordLog
	inUse uint64 // bytes that bodies have at most
	id    func(feedproto.Pair) [sha256.Size]byte
	names *memcache.Table[BodyName, place] // of no segment: it is being written

	mu  sync.Mutex     // guards ids
	ids map[uint64]int // how many there are of each ID, by its beginning
}

// BodyCost is the memory that each body takes here, in bytes. A test weighs it.
const BodyCost = 208

// OpenBodies opens the bodies of the disk cache in dir. id returns the ID that names the bodies of a pair.
func OpenBodies(dir string, budget Budget, id func(feedproto.Pair) [sha256.Size]byte) (*Bodies, error) {
	inUse := uint64(budget.Bytes / budgetParts * prunedParts)
	b := &Bodies{id: id, ids: map[uint64]int{}, inUse: inUse}
	least := uint32(inUse / uint64(max(budget.IndexBytes/BodyCost, 1))) // what each counts for, so that there are not too many
	b.names = memcache.New(inUse, func(_ BodyName, p place) uint32 { return max(p.size, least) }, func(name BodyName, p place) {
		if p.segment != nil {
			b.count(name, -1)
			p.release()
		}
	})
	var err error
	if b.log, err = openLog(filepath.Join(dir, bodiesFolder), budget.Bytes, b); err != nil {
		return nil, fmt.Errorf("edge: disk cache: %w", err)
	}
	return b, nil
}

// Close closes the files. What is there is not found any more, and nothing is written.
func (b *Bodies) Close() {
	if b != nil {
		b.log.close()
	}
}

// bodyNameOf returns the name in a log; ok is false for what is not a body.
func bodyNameOf(name string) (n BodyName, ok bool) {
	return n, copy(n[:], name) == len(n) && len(name) == len(n)
}

func (b *Bodies) at(name string) (p place, rank int64, ok bool) {
	if n, isBody := bodyNameOf(name); isBody {
		p, ok = b.names.Peek(n)
	}
	return p, 0, ok && p.segment != nil
}

func (b *Bodies) put(name string, p place, _ int64) {
	n, ok := bodyNameOf(name)
	if !ok {
		p.release()
		return
	}
	b.count(n, 1)
	b.names.Update(n, func(held place, ok bool) (place, bool) {
		if ok && held.segment != nil {
			b.count(n, -1)
			held.release()
		}
		return p, true
	})
}

func (b *Bodies) move(name string, from, to place) {
	n, _ := bodyNameOf(name)
	moved := false
	b.names.Update(n, func(held place, ok bool) (place, bool) {
		moved = ok && held == from
		return to, moved
	})
	if moved {
		to = from
	}
	to.release()
}

func (b *Bodies) drop(name string) {
	if n, ok := bodyNameOf(name); ok {
		b.Drop(n)
	}
}

// distrust does nothing: a name stands for one content.
func (b *Bodies) distrust() {}

// count adds so many to the bodies of an ID.
func (b *Bodies) count(name BodyName, n int) {
	key := binary.BigEndian.Uint64(name[:])
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ids[key] += n; b.ids[key] <= 0 {
		delete(b.ids, key)
	}
}

// partOf returns the number that stands for the bodies of a pair; 0 if none are kept.
func (b *Bodies) partOf(fed feedproto.Pair) uint64 {
	if b == nil {
		return 0
	}
	id := b.id(fed)
	return binary.BigEndian.Uint64(id[:])
}

// holds reports whether there is any body of that number.
func (b *Bodies) holds(part uint64) bool {
	if b == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ids[part] > 0
}

// Load returns what was stored under a name, or nil.
func (b *Bodies) Load(name BodyName) []byte {
	if !b.Has(name) {
		return nil
	}
	content, damaged := b.log.read(string(name[:]))
	if damaged {
		b.Drop(name)
	}
	return content
}

// Has reports whether there is a body of that name, which is not read, and counts a request for it.
func (b *Bodies) Has(name BodyName) bool {
	_, ok := b.names.Get(name)
	return ok
}

// Store writes a body. What makes place for it is removed before.
func (b *Bodies) Store(name BodyName, body []byte) error {
	r := logRecord{kind: recordPut, name: string(name[:]), content: body}
	if int64(r.size()) > int64(b.inUse) {
		return nil
	}
	b.names.Update(name, func(_ place, ok bool) (place, bool) { return place{size: uint32(r.size())}, !ok })
	err := b.log.write(r)
	if err != nil {
		b.names.Delete(name)
	}
	return err
}

// Drop removes a body, which need not be there. A restart may find it again, for a while.
func (b *Bodies) Drop(name BodyName) { b.names.Delete(name) }

// Bytes returns what the bodies take on disk; 0 if there are none.
func (b *Bodies) Bytes() int64 {
	if b == nil {
		return 0
	}
	return b.log.size.Load()
}
