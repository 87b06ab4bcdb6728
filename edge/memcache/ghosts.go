package memcache

// ghosts remembers what was evicted from probation, roughly: a value that comes back before as many bytes as the budget has
// were evicted after it is one that is requested again. A slot holds 16 bits of a hash and the moment.
type ghosts struct {
	slots   []uint32 // a power of two
	evicted uint64   // bytes from probation, so far
}

const (
	ghostMoments = 1 << 14 // the budget is divided into so many
	ghostSlots   = 2       // for each bucket of the index
	ghostWays    = 4       // slots that one hash may have
)

// room makes the slots as many as so many buckets need. What was remembered is forgotten then: the table was not full.
func (g *ghosts) room(buckets int) {
	if len(g.slots) < ghostSlots*buckets {
		g.slots = make([]uint32, ghostSlots*buckets)
	}
}

// age returns how many moments ago a slot was written.
func (g *ghosts) age(slot uint32, budget uint64) uint16 { return g.moment(budget) - uint16(slot) }

func (g *ghosts) moment(budget uint64) uint16 { return uint16(g.evicted / (budget/ghostMoments + 1)) }

// ways returns the slots that a hash may have.
func (g *ghosts) ways(hash uint64) []uint32 {
	first := hash >> 16 & uint64(len(g.slots)-1) &^ (ghostWays - 1)
	return g.slots[first : first+ghostWays]
}

func fingerprint(hash uint64) uint32 { return uint32(hash>>48) | 1 }

// add remembers a hash of a value of so many bytes, and forgets the oldest of those that share its slots.
func (g *ghosts) add(hash uint64, weight uint32, budget uint64) {
	g.evicted += uint64(weight)
	ways := g.ways(hash)
	oldest := &ways[0]
	for i := range ways {
		if ways[i] == 0 {
			oldest = &ways[i]
			break
		}
		if g.age(ways[i], budget) > g.age(*oldest, budget) {
			oldest = &ways[i]
		}
	}
	*oldest = fingerprint(hash)<<16 | uint32(g.moment(budget))
}

// take forgets a hash, and reports whether it was remembered.
func (g *ghosts) take(hash, budget uint64) bool {
	if len(g.slots) == 0 {
		return false
	}
	ways := g.ways(hash)
	for i := range ways {
		if ways[i]>>16 == fingerprint(hash) && g.age(ways[i], budget) <= ghostMoments {
			ways[i] = 0
			return true
		}
	}
	return false
}
