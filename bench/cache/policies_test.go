package cache

import (
	"container/heap"
	"container/list"
	"math"

	"example.com/livery/edge/memcache"
	"github.com/maypok86/otter/v2"
)

// policy is a cache of addresses.
type policy interface {
	request(address, size int) (hit bool)
	publish(address, size int) // what is held of the address is replaced
}

// s3fifo is the table that the edge uses.
type s3fifo struct {
	table *memcache.Table[int, int]
	next  map[int]int // how often each address was published
}

func newS3FIFO(budget int) policy {
	return &s3fifo{memcache.New(uint64(budget), func(_, size int) uint32 { return uint32(size) }, nil), map[int]int{}}
}

// key names the content of an address: its key in the edge.
func (p *s3fifo) key(address int) int { return p.next[address]<<32 | address }

func (p *s3fifo) request(address, size int) bool {
	if _, ok := p.table.Get(p.key(address)); ok {
		return true
	}
	p.table.Set(p.key(address), size)
	return false
}

func (p *s3fifo) publish(address, size int) {
	old := p.key(address)
	_, held := p.table.Peek(old)
	p.next[address]++
	if held {
		p.table.UpdateHeir(p.key(address), old, func(int, bool) (int, bool) { return size, true })
	}
	p.table.Delete(old)
}

// otterByContent is how the edge used otter: a publish puts content under a new key, and what is held under the old
// one stays.
type otterByContent struct {
	cache *otter.Cache[int, int]
	next  map[int]int
	mend  bool // the key is the address
}

func newOtter(mend bool) func(int) policy {
	return func(budget int) policy {
		cache := otter.Must(&otter.Options[int, int]{
			MaximumWeight: uint64(budget), Weigher: func(_, size int) uint32 { return uint32(size) }, Executor: func(f func()) { f() },
		})
		return &otterByContent{cache, map[int]int{}, mend}
	}
}

func (p *otterByContent) key(address int) int { return p.next[address]<<32 | address }

func (p *otterByContent) request(address, size int) bool {
	if _, ok := p.cache.GetIfPresent(p.key(address)); ok {
		return true
	}
	p.cache.Set(p.key(address), size)
	return false
}

func (p *otterByContent) publish(address, size int) {
	if _, held := p.cache.GetEntryQuietly(p.key(address)); !held {
		return
	}
	if !p.mend {
		p.next[address]++
	}
	p.cache.Set(p.key(address), size)
}

// sieve is SIEVE: a queue, and a hand that evicts what was not requested since it passed.
type sieve struct {
	budget, bytes int
	queue         list.List
	held          map[int]*list.Element
	hand          *list.Element
}

type sieved struct {
	address, size int
	requested     bool
}

func newSieve(budget int) policy { return &sieve{budget: budget, held: map[int]*list.Element{}} }

func (p *sieve) request(address, size int) bool {
	if e := p.held[address]; e != nil {
		e.Value.(*sieved).requested = true
		return true
	}
	p.held[address] = p.queue.PushFront(&sieved{address, size, false})
	p.bytes += size
	for p.bytes > p.budget {
		p.step()
	}
	return false
}

// step moves the hand by one.
func (p *sieve) step() {
	e := p.hand
	if e == nil {
		e = p.queue.Back()
	}
	p.hand = e.Prev()
	v := e.Value.(*sieved)
	if v.requested {
		v.requested = false
		return
	}
	p.queue.Remove(e)
	delete(p.held, v.address)
	p.bytes -= v.size
}

func (p *sieve) publish(int, int) {}

// slru is segmented LRU: what is requested again goes to a list that has four fifths of the budget. With one
// segment it is LRU.
type slru struct {
	budget   [2]int
	bytes    [2]int
	segments [2]list.List
	held     map[int]*list.Element
}

type ranked struct{ address, size, segment int }

func newSLRU(budget int) policy {
	return &slru{budget: [2]int{budget - budget*4/5, budget * 4 / 5}, held: map[int]*list.Element{}}
}

func newLRU(budget int) policy {
	return &slru{budget: [2]int{budget, 0}, held: map[int]*list.Element{}}
}

func (p *slru) request(address, size int) bool {
	e := p.held[address]
	if e == nil {
		p.put(&ranked{address, size, 0})
		return false
	}
	v := e.Value.(*ranked)
	p.segments[v.segment].Remove(e)
	p.bytes[v.segment] -= v.size
	if v.segment = 1; p.budget[1] == 0 {
		v.segment = 0
	}
	p.put(v)
	return true
}

func (p *slru) put(v *ranked) {
	s := v.segment
	p.held[v.address] = p.segments[s].PushFront(v)
	p.bytes[s] += v.size
	for p.bytes[s] > p.budget[s] {
		last := p.segments[s].Remove(p.segments[s].Back()).(*ranked)
		p.bytes[s] -= last.size
		delete(p.held, last.address)
		if s == 1 {
			last.segment = 0
			p.put(last)
		}
	}
}

func (p *slru) publish(int, int) {}

// optimum knows what comes, and evicts what is requested last of all.
type optimum struct {
	budget, bytes int
	after         []int // by the number of the request: that of the next one for the same address
	now           int
	held          map[int]*future
	last          futures
}

type future struct{ address, size, next, place int }

func newOptimum(trace []event) func(int) policy {
	after, seen := make([]int, 0, len(trace)), map[int]int{}
	for _, e := range trace {
		if e.publish {
			continue
		}
		if before, ok := seen[e.address]; ok {
			after[before] = len(after)
		}
		seen[e.address] = len(after)
		after = append(after, math.MaxInt)
	}
	return func(budget int) policy { return &optimum{budget: budget, after: after, held: map[int]*future{}} }
}

func (p *optimum) request(address, size int) bool {
	next := p.after[p.now]
	p.now++
	f, hit := p.held[address]
	if hit {
		f.next = next
		heap.Fix(&p.last, f.place)
	} else {
		f = &future{address: address, size: size, next: next}
		p.held[address] = f
		p.bytes += size
		heap.Push(&p.last, f)
	}
	for p.bytes > p.budget {
		gone := heap.Pop(&p.last).(*future)
		p.bytes -= gone.size
		delete(p.held, gone.address)
	}
	return hit
}

func (p *optimum) publish(int, int) {}

// futures is a heap, of which the first is requested last.
type futures []*future

func (h futures) Len() int           { return len(h) }
func (h futures) Less(i, j int) bool { return h[i].next > h[j].next }
func (h futures) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i, j
}

func (h *futures) Push(f any) {
	f.(*future).place = len(*h)
	*h = append(*h, f.(*future))
}

func (h *futures) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
