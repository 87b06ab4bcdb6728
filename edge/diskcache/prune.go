package diskcache

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"example.com/livery/feedproto"
	"example.com/livery/storage/record"
	"github.com/go-json-experiment/json"
)

// isPair and isBlob tell records apart by their names.
func isPair(name string) bool { return strings.HasPrefix(name, "pairs/") }
func isBlob(name string) bool { return strings.HasPrefix(name, "blobs/") }

// themeNameOfPair returns the name of the Theme's record that a pair is of no use without.
func themeNameOfPair(name string) string {
	key := strings.TrimPrefix(name, "pairs/")
	environment := strings.IndexByte(key, '/')
	if theme := strings.IndexByte(key[environment+1:], '/'); theme >= 0 {
		key = key[:environment+1+theme]
	}
	return themeName(key)
}

// blobPart returns the number that stands for a blob: the beginning of its name. Two with the same number would only
// be evicted together.
func blobPart(name record.Hash) uint64 {
	if !name.Valid() {
		return 0
	}
	part, _ := strconv.ParseUint(string(name[:16]), 16, 64) // a valid one has digits
	return part
}

// setNeeds notes what a pair is made from.
func (x *index) setNeeds(name string, fed feedproto.Pair) {
	own := &needs{bodies: x.bodies.partOf(fed)}
	x.mu.Lock()
	defer x.mu.Unlock()
	for i, blob := range inputsOf(fed) {
		own.blobs[i] = blobPart(blob)
		if held := x.entries[blobName(blob)]; held != nil {
			held.needed = true
		}
	}
	if held := x.entries[name]; held != nil {
		held.needs = own
	}
}

// touch raises the rank of a pair that was requested so many times, and appends it again now and then, so that the disk
// has its rank. What fails is lost: a restart takes the pair for less requested.
func (x *index) touch(name string, times int, now time.Time) {
	if x.raise(name, times, now) {
		_ = x.log.writeAgain(name)
	}
}

// raise raises a rank, and reports whether the one on disk is so old that it is worth a write.
func (x *index) raise(name string, times int, now time.Time) (old bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	held := x.entries[name]
	if held == nil {
		return false
	}
	credit := max(0, time.Duration(held.rank-now.UnixNano()))
	for range min(times, 8*creditShare) { // nothing is missing after these
		credit += (maxCredit - credit) / creditShare
	}
	held.rank = now.Add(credit).UnixNano()
	return held.rank-held.marked >= int64(markEvery)
}

// touchAll raises what was requested lately. It writes nothing.
func (x *index) touchAll(now time.Time) {
	x.requested(func(key string, times *atomic.Uint32) {
		if name := pairName(key); x.has(name) {
			x.raise(name, int(times.Swap(0)), now)
		}
	})
}

// readNeeds reads the pairs of which it is not known what they are made from: those of an earlier run.
func (x *index) readNeeds() {
	var unknown []string
	x.mu.Lock()
	for name, held := range x.entries {
		if isPair(name) && held.needs == nil {
			unknown = append(unknown, name)
		}
	}
	x.mu.Unlock()
	for _, name := range unknown {
		var k Record[feedproto.Pair]
		if json.Unmarshal(x.read(name), &k) == nil {
			x.setNeeds(name, k.Value)
			continue
		}
		x.mu.Lock()
		if held := x.entries[name]; held != nil && held.needs == nil {
			held.needs, held.rank = &needs{}, 0 // of no use
		}
		x.mu.Unlock()
	}
}

// victim is a record that may be evicted.
type victim struct {
	name  string
	rank  int64
	order int // of equals: a pair before what it needs
}

// prune evicts records until so many bytes, and so many records, are left, if there are more. What no pair needs any more
// goes first, and pairs that miss something.
func (x *index) prune(now time.Time, room int64, count int) error {
	x.pruning.Lock()
	defer x.pruning.Unlock()
	x.touchAll(now)
	x.readNeeds()
	var gone []string
	x.mu.Lock()
	for _, c := range x.victims(now) {
		if x.log.live.Load() <= room && len(x.entries) <= count {
			break
		}
		x.forget(c.name)
		gone = append(gone, c.name)
	}
	x.mu.Unlock()
	return x.log.drop(gone...)
}

// victims lists the records in the order of eviction. x.mu is held.
func (x *index) victims(now time.Time) []victim {
	blobs, themes := map[uint64]int64{}, map[string]int64{} // the highest rank that needs each
	for name := range x.entries {
		if isBlob(name) {
			blobs[blobPart(hashIn(name))] = 0
		}
	}
	list := make([]victim, 0, len(x.entries))
	for name, held := range x.entries {
		if !isPair(name) {
			continue
		}
		theme, needs := themeNameOfPair(name), held.needs
		rank, own := held.rank, held.rank
		if needs == nil { // it was written while the others were read
			continue
		}
		parts := needs.blobs[:]
		if slices.ContainsFunc(parts, func(b uint64) bool { return lacks(blobs, b) }) {
			parts, own = parts[module:], 0 // of no use without the others
		}
		if x.bodies.holds(needs.bodies) {
			own = held.rank + int64(bodyCredit)
		}
		if x.entries[theme] == nil || own == 0 {
			rank, own = 0, 0
		}
		list = append(list, victim{name, own, 0})
		themes[theme] = max(themes[theme], own)
		for _, b := range parts {
			if b != 0 && rank > blobs[b] {
				blobs[b] = rank
			}
		}
	}
	for name, held := range x.entries {
		switch {
		case isPair(name), fixed(name):
		case isBlob(name):
			rank := blobs[blobPart(hashIn(name))]
			if rank == 0 && !held.needed && now.Sub(time.Unix(0, held.rank)) < graceForBlobs {
				continue
			}
			list = append(list, victim{name, rank, 1})
		default:
			rank := themes[name]
			if rank == 0 {
				rank = held.rank + int64(maxCredit/creditShare) // its pair is about to be written, or was there once
			}
			list = append(list, victim{name, rank, 1})
		}
	}
	slices.SortFunc(list, func(a, b victim) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.order, b.order), cmp.Compare(a.name, b.name))
	})
	return list
}

// module is the place of the module among the blobs that a pair needs.
const module = 2

func lacks(blobs map[uint64]int64, part uint64) bool {
	_, ok := blobs[part]
	return part != 0 && !ok
}

// hashIn returns the hash that a blob is named by.
func hashIn(name string) record.Hash { return record.Hash(name[strings.LastIndexByte(name, '/')+1:]) }
