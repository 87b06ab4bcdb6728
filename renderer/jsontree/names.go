package jsontree

// Names finds the names of a list by a hash table with open addressing. It keeps positions and leaves the names where the
// list has them, so that it takes a third of the memory of a map; at, which every call is given, returns the name at a
// position. The zero value has no names. It is not changed by Find.
type Names struct {
	seed  Seed
	slots []uint64 // half of the hash of a name and, below it, its position counted from 1; 0: the slot is free
	count int
}

// fewestSlots is how many slots the smallest table has. A table is full when three in four are taken.
const fewestSlots = 32

// Grow makes room for n names.
func (x *Names) Grow(n int) {
	length := slotsFor(n)
	if length <= len(x.slots) {
		return
	}
	if x.slots == nil {
		x.seed = NewSeed()
	}
	before := x.slots
	x.slots = make([]uint64, length)
	for _, s := range before {
		if s != 0 {
			x.slots[x.free(uint32(s>>32))] = s
		}
	}
}

// slotsFor returns how many slots a table of n names has.
func slotsFor(n int) int {
	length := fewestSlots
	for 4*n > 3*length {
		length *= 2
	}
	return length
}

// Len returns the number of different names.
func (x *Names) Len() int { return x.count }

// Find returns the position of a name, or -1.
func (x *Names) Find(name string, at func(position int32) string) int32 {
	if x.count == 0 {
		return -1
	}
	slot := x.slot(uint32(Hash(x.seed, name)), name, at)
	return int32(uint32(x.slots[slot])) - 1
}

// Put gives a name a position. It returns the one that it had, which at still knows by that name, or -1.
func (x *Names) Put(name string, position int32, at func(position int32) string) (before int32) {
	if x.slots == nil || 4*(x.count+1) > 3*len(x.slots) {
		x.Grow(x.count + 1)
	}
	hash := uint32(Hash(x.seed, name))
	slot := x.slot(hash, name, at)
	if before = int32(uint32(x.slots[slot])) - 1; before < 0 {
		x.count++
	}
	x.slots[slot] = uint64(hash)<<32 | uint64(position+1)
	return before
}

// slot returns where a name is, or the free slot if it would be.
func (x *Names) slot(hash uint32, name string, at func(position int32) string) uint32 {
	slots := x.slots
	for i := hash; ; i++ {
		slot := i & uint32(len(slots)-1)
		s := slots[slot]
		if s == 0 || uint32(s>>32) == hash && at(int32(uint32(s))-1) == name {
			return slot
		}
	}
}

// free returns the first free slot for a hash.
func (x *Names) free(hash uint32) uint32 {
	for i := hash; ; i++ {
		if slot := i & uint32(len(x.slots)-1); x.slots[slot] == 0 {
			return slot
		}
	}
}
