package diskcache

import (
	"cmp"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"example.com/livery/feedproto"
	"example.com/livery/storage/record"
)

// isPair and isBlob tell files apart by their place.
func isPair(name string) bool { return strings.HasPrefix(name, "pairs/") }
func isBlob(name string) bool { return strings.HasPrefix(name, "blobs/") }

// themeNameOfPair returns the name of the Theme's file that a pair is of no use without.
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

func (x *index) needsOf(fed feedproto.Pair) needs {
	return needs{true, [3]uint64{blobPart(fed.Plan), blobPart(fed.Overlay), blobPart(fed.Module)}, x.bodies.partOf(fed)}
}

// setNeeds notes what a pair is made from.
func (x *index) setNeeds(name string, fed feedproto.Pair) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if held := x.entries[name]; held != nil {
		held.needs = x.needsOf(fed)
	}
	for _, blob := range []record.Hash{fed.Plan, fed.Overlay, fed.Module} {
		if !blob.Valid() {
			continue
		}
		if held := x.entries[blobName(blob)]; held != nil {
			held.needed = true
		}
	}
}

// touch raises the rank of a pair that was requested so many times, and has its file carry it now and then.
func (x *index) touch(name string, times int, now time.Time) {
	x.mu.Lock()
	held := x.entries[name]
	var mark time.Time
	if held != nil {
		credit := max(0, held.rank.Sub(now))
		for range min(times, 8*creditShare) { // nothing is missing after these
			credit += (maxCredit - credit) / creditShare
		}
		held.rank = now.Add(credit)
		if held.rank.Sub(held.marked) >= markEvery {
			held.marked, mark = held.rank, held.rank
		}
	}
	x.mu.Unlock()
	if !mark.IsZero() {
		_ = os.Chtimes(x.path(name), mark, mark) // lost: a restart takes it for less asked for
	}
}

// touchAll raises what was requested lately.
func (x *index) touchAll(now time.Time) {
	x.requested(func(key string, times *atomic.Uint32) {
		if name := pairName(key); x.has(name) {
			x.touch(name, int(times.Swap(0)), now)
		}
	})
}

// readNeeds reads the pairs of which it is not known what they are made from: those of an earlier run.
func (x *index) readNeeds() {
	var unknown []string
	x.mu.Lock()
	for name, held := range x.entries {
		if isPair(name) && !held.needs.known {
			unknown = append(unknown, name)
		}
	}
	x.mu.Unlock()
	for _, name := range unknown {
		var k Record[feedproto.Pair]
		if decodeRecord(x.read(name), &k) {
			x.setNeeds(name, k.Value)
			continue
		}
		x.mu.Lock()
		if held := x.entries[name]; held != nil && !held.needs.known {
			held.needs, held.rank = needs{known: true}, time.Time{} // of no use
		}
		x.mu.Unlock()
	}
}

// victim is a file that may be evicted.
type victim struct {
	name  string
	rank  time.Time
	order int // of equals: a pair before what it needs
}

// prune deletes files until so many bytes are left, if there are more. What no pair needs any more goes first, and
// pairs that miss something.
func (x *index) prune(now time.Time, room int64) error {
	x.pruning.Lock()
	defer x.pruning.Unlock()
	if x.total() <= room {
		return nil
	}
	x.touchAll(now)
	x.readNeeds()
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, c := range x.victims(now) {
		if x.used <= room {
			break
		}
		if err := x.delete(c.name); err != nil {
			return err
		}
	}
	return nil
}

// victims lists the files in the order of eviction. x.mu is held.
func (x *index) victims(now time.Time) []victim {
	blobs, themes := map[uint64]time.Time{}, map[string]time.Time{} // the highest rank that needs each
	for name := range x.entries {
		if isBlob(name) {
			blobs[blobPart(hashIn(name))] = time.Time{}
		}
	}
	list := make([]victim, 0, len(x.entries))
	for name, held := range x.entries {
		if !isPair(name) {
			continue
		}
		theme, needs := themeNameOfPair(name), held.needs.blobs[:]
		rank, own := held.rank, held.rank
		if slices.ContainsFunc(needs, func(b uint64) bool { return lacks(blobs, b) }) {
			needs, own = needs[module:], time.Time{} // of no use without the others
		}
		if x.bodies.holds(held.needs.bodies) {
			own = held.rank.Add(bodyCredit)
		}
		if x.entries[theme] == nil || own.IsZero() {
			rank, own = time.Time{}, time.Time{}
		}
		list = append(list, victim{name, own, 0})
		if own.After(themes[theme]) {
			themes[theme] = own
		}
		for _, b := range needs {
			if b != 0 && rank.After(blobs[b]) {
				blobs[b] = rank
			}
		}
	}
	for name, held := range x.entries {
		switch {
		case isPair(name), fixed(name):
		case isBlob(name):
			rank := blobs[blobPart(hashIn(name))]
			if rank.IsZero() && !held.needed && now.Sub(held.rank) < graceForBlobs {
				continue
			}
			list = append(list, victim{name, rank, 1})
		default:
			rank := themes[name]
			if rank.IsZero() {
				rank = held.rank.Add(maxCredit / creditShare) // its pair is about to be written, or was there once
			}
			list = append(list, victim{name, rank, 1})
		}
	}
	slices.SortFunc(list, func(a, b victim) int {
		return cmp.Or(a.rank.Compare(b.rank), cmp.Compare(a.order, b.order), cmp.Compare(a.name, b.name))
	})
	return list
}

// module is the place of the module among the blobs that a pair needs.
const module = 2

func lacks(blobs map[uint64]time.Time, part uint64) bool {
	_, ok := blobs[part]
	return part != 0 && !ok
}

// hashIn returns the hash that a blob's file is named by.
func hashIn(name string) record.Hash { return record.Hash(name[strings.LastIndexByte(name, '/')+1:]) }
