package listing

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"

	"example.com/livery/origin/lru"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// CacheBytes is what the catalogs in a Cache take at most: some 150 bytes an item.
const CacheBytes = 64 << 20

// Cache has the catalogs of the lists that were searched last. It may be used concurrently.
type Cache struct{ lists *lru.Cache[string, *cached] }

// cached is the catalog of one list. Who brings it up to date holds mu, so that requests at once read a change once.
type cached struct {
	mu      sync.Mutex
	catalog *catalog
}

// NewCache returns an empty Cache.
func NewCache() *Cache { return &Cache{lru.New[string, *cached](CacheBytes)} }

// read returns the catalog of a list. It reads the revisions of the buckets, and the buckets that changed since the list was
// searched last.
func (c *Cache) read(r storage.Reader, entries storage.Entries, parts []string) (*catalog, error) {
	revisions, err := entries.Revisions(r, parts...)
	if err != nil {
		return nil, err
	}
	name := string(entries.Key("", parts...))
	l := c.lists.Get(name)
	if l == nil {
		l = &cached{catalog: &catalog{}}
		c.lists.Add(name, l, 0)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.catalog.revisions == revisions {
		return l.catalog, nil
	}
	next, err := l.catalog.refresh(r, entries, parts, revisions)
	if err == nil {
		l.catalog = next
		c.lists.Add(name, l, next.bytes())
	}
	return next, err
}

// catalog is what a list filters and orders its items by, at one state of the list. It does not change.
type catalog struct {
	revisions      storage.Revisions
	buckets        [storage.Buckets]*bucket // nil for an empty one
	bySlug, byTime []slot
}

// slot names an item of a catalog: its bucket in the upper bits, and its number in the bucket.
type slot uint32

const (
	slotBits = 24 // for the number in the bucket
	slotMask = 1<<slotBits - 1
)

// bucket is the entries of one bucket of a list in the order of ids, one column for each member.
type bucket struct {
	ids, slugs, texts, labels column
	times                     []int64
	drafts                    marks // of entries that are unpublished
}

// column is one member of all entries of a bucket, one behind the other.
type column struct {
	data []byte
	ends []uint32
}

// marks has a bit for each entry of a bucket.
type marks []uint64

// refresh returns the catalog of another state of the list.
func (c *catalog) refresh(r storage.Reader, entries storage.Entries, parts []string, revisions storage.Revisions) (*catalog, error) {
	next := &catalog{revisions: revisions, buckets: c.buckets}
	for first := 0; first < storage.Buckets; first++ {
		end := first
		for end < storage.Buckets && revisions[end] != c.revisions[end] {
			next.buckets[end] = nil
			end++
		}
		if end == first {
			continue
		}
		if err := next.load(r, entries, first, end-1, parts); err != nil {
			return nil, err
		}
		first = end
	}
	var slugs, times moves
	for n, b := range next.buckets {
		if revisions[n] == c.revisions[n] {
			continue
		}
		old := c.buckets[n]
		same := old.len() == b.len() && (b == nil || bytes.Equal(old.ids.data, b.ids.data) && slices.Equal(old.ids.ends, b.ids.ends))
		slugs.replace(n, old.len(), b.len(), func(i int) bool { return same && bytes.Equal(old.slugs.at(i), b.slugs.at(i)) })
		times.replace(n, old.len(), b.len(), func(i int) bool { return same && old.times[i] == b.times[i] })
	}
	next.bySlug = slugs.apply(c.bySlug, next.slugKey(slugs.come), next.compareSlugs)
	next.byTime = times.apply(c.byTime, next.timeKey, next.compareTimes)
	return next, nil
}

// load reads the buckets from first up to last.
func (c *catalog) load(r storage.Reader, entries storage.Entries, first, last int, parts []string) error {
	err := entries.Scan(r, first, last, func(n int, id []byte, e record.Entry) bool {
		if c.buckets[n] == nil {
			c.buckets[n] = &bucket{}
		}
		c.buckets[n].add(id, e)
		return true
	}, parts...)
	for _, b := range c.buckets[first : last+1] {
		if b != nil {
			b.clip()
		}
	}
	return err
}

// moves are what changes in an order: the items that leave their places, and those that come to one.
type moves struct {
	any   bool
	leave [storage.Buckets]marks // nil where none leaves
	come  []slot
}

// replace moves the items of a bucket of old items, which has n now, but for those that stay.
func (m *moves) replace(bucket, old, n int, stays func(i int) bool) {
	m.leave[bucket] = newMarks(old)
	for i := range old {
		if !stays(i) {
			m.leave[bucket].set(i)
			m.any = true
		}
	}
	for i := range n {
		if !stays(i) {
			m.come = append(m.come, slot(bucket<<slotBits|i))
			m.any = true
		}
	}
}

// apply returns an order after the moves. Items of different keys are in the order of these.
func (m *moves) apply(order []slot, key func(slot) uint64, compare func(a, b slot) int) []slot {
	if !m.any {
		return order
	}
	m.sort(key, compare)
	after := make([]slot, 0, len(order)+len(m.come))
	for _, s := range order {
		if leave := m.leave[s>>slotBits]; leave == nil || !leave.has(int(s&slotMask)) {
			after = append(after, s)
		}
	}
	// From the end, so that what stays moves within the slice.
	from, to := len(after), len(after)+len(m.come)
	after = after[:to]
	for _, s := range slices.Backward(m.come) {
		at, _ := slices.BinarySearchFunc(after[:from], s, compare)
		to -= copy(after[to-(from-at):to], after[at:from])
		to--
		after[to], from = s, at
	}
	return after
}

// sort sorts what comes. Keys at hand spare it most looks at the items.
func (m *moves) sort(key func(slot) uint64, compare func(a, b slot) int) {
	type keyed struct {
		key uint64
		slot
	}
	all := make([]keyed, len(m.come))
	for i, s := range m.come {
		all[i] = keyed{key(s), s}
	}
	slices.SortFunc(all, func(a, b keyed) int {
		if a.key != b.key {
			return cmp.Compare(a.key, b.key)
		}
		return compare(a.slot, b.slot)
	})
	for i, k := range all {
		m.come[i] = k.slot
	}
}

// slugKey returns the key of a slot in the order of slugs: what follows the beginning that all slugs of some slots share.
func (c *catalog) slugKey(slots []slot) func(slot) uint64 {
	var shared []byte
	for i, s := range slots {
		b, n := c.at(s)
		slug := b.slugs.at(n)
		if i == 0 {
			shared = slug
		}
		for !bytes.HasPrefix(slug, shared) {
			shared = shared[:len(shared)-1]
		}
	}
	return func(s slot) uint64 {
		b, n := c.at(s)
		var key [8]byte
		copy(key[:], b.slugs.at(n)[len(shared):])
		return binary.BigEndian.Uint64(key[:])
	}
}

func (c *catalog) timeKey(s slot) uint64 {
	b, n := c.at(s)
	return uint64(b.times[n]) ^ 1<<63
}

func (c *catalog) compareSlugs(a, b slot) int {
	x, i := c.at(a)
	y, j := c.at(b)
	return cmp.Or(bytes.Compare(x.slugs.at(i), y.slugs.at(j)), bytes.Compare(x.ids.at(i), y.ids.at(j)))
}

func (c *catalog) compareTimes(a, b slot) int {
	x, i := c.at(a)
	y, j := c.at(b)
	return cmp.Or(cmp.Compare(x.times[i], y.times[j]), bytes.Compare(x.ids.at(i), y.ids.at(j)))
}

func (c *catalog) at(s slot) (b *bucket, n int) { return c.buckets[s>>slotBits], int(s & slotMask) }

// bytes is the memory that the catalog takes.
func (c *catalog) bytes() int64 {
	n := 16*storage.Buckets + 4*(cap(c.bySlug)+cap(c.byTime))
	for _, b := range c.buckets {
		if b == nil {
			continue
		}
		n += 256 + 8*(len(b.times)+len(b.drafts))
		for _, c := range []column{b.ids, b.slugs, b.texts, b.labels} {
			n += len(c.data) + 4*len(c.ends)
		}
	}
	return int64(n)
}

// page finds a page of the list.
func (c *catalog) page(q Query) Window {
	order, passing, total := c.bySlug, [storage.Buckets]marks{}, len(c.bySlug)
	if q.ByTime {
		order = c.byTime
	}
	filtered := !q.Filter.isEmpty()
	if filtered {
		passing, total = c.passing(q.Filter)
	}
	at := func(i int) slot {
		if q.Descending {
			i = len(order) - 1 - i
		}
		return order[i]
	}
	i, skip := 0, (q.Number-1)*q.Size
	switch {
	case q.After != nil:
		i, skip = sort.Search(len(order), func(i int) bool { return q.compare(c.place(q, at(i)), *q.After) > 0 }), 0
	case !filtered:
		i, skip = min(skip, len(order)), 0
	}
	found := collector{query: q, w: Window{Total: total}}
	for ; i < len(order) && total > 0; i++ {
		s := at(i)
		if filtered && !passing[s>>slotBits].has(int(s&slotMask)) {
			continue
		}
		if skip--; skip < 0 && !found.addAt(c.place(q, s)) {
			break
		}
	}
	return found.w
}

// place returns where an item stands.
func (c *catalog) place(q Query, s slot) Place {
	b, n := c.at(s)
	if q.ByTime {
		return Place{true, storage.Nanoseconds(b.times[n]), string(b.ids.at(n))}
	}
	return Place{false, string(b.slugs.at(n)), string(b.ids.at(n))}
}

// passing marks the items that pass a filter, which names no slug, and counts them.
func (c *catalog) passing(f Filter) (passing [storage.Buckets]marks, total int) {
	var searches []search
	if f.Text != "" {
		searches = append(searches, c.newSearch(texts, []byte(strings.ToLower(f.Text))))
	}
	for i, l := range f.Labels {
		if !utf8.ValidString(l.Key) || !utf8.ValidString(l.Value) {
			return passing, 0 // no item has it, but its form may be that of others
		}
		if !slices.Contains(f.Labels[:i], l) {
			searches = append(searches, c.newSearch(labels, record.AppendLabel(nil, l.Key, l.Value)))
		}
	}
	for n, b := range c.buckets {
		if b == nil {
			continue
		}
		m := b.all()
		switch {
		case f.Unpublished == nil:
		case *f.Unpublished:
			m.keep(b.drafts)
		default:
			m.drop(b.drafts)
		}
		for _, s := range searches {
			if m.count() == 0 {
				break
			}
			m.keep(s.in(b))
		}
		total += m.count()
		passing[n] = m
	}
	return passing, total
}

// search looks for a part in one column of all entries.
type search struct {
	column func(*bucket) *column
	part   []byte
	rarest int // index of the byte of part that is met least
}

func texts(b *bucket) *column  { return &b.texts }
func labels(b *bucket) *column { return &b.labels }

// newSearch returns a search for part. A sample of the entries says which byte of part is rare.
func (c *catalog) newSearch(column func(*bucket) *column, part []byte) search {
	const most = 16 << 10
	s := search{column: column, part: part}
	first := slices.IndexFunc(c.buckets[:], func(b *bucket) bool { return b != nil })
	if first < 0 {
		return s
	}
	sample := column(c.buckets[first]).data
	sample = sample[:min(most, len(sample))]
	fewest := math.MaxInt
	for i := range min(len(part), wordBits) {
		if n := bytes.Count(sample, part[i:i+1]); n < fewest {
			s.rarest, fewest = i, n
		}
	}
	return s
}

// in marks the entries of a bucket that hold the part, which is never found in two entries together: separators part them.
func (s search) in(b *bucket) marks {
	c := s.column(b)
	m := newMarks(len(c.ends))
	for n, from := 0, 0; from+s.rarest < len(c.data); {
		found := bytes.IndexByte(c.data[from+s.rarest:], s.part[s.rarest])
		if found < 0 {
			break
		}
		from += found
		if !bytes.HasPrefix(c.data[from:], s.part) {
			from++
			continue
		}
		for int(c.ends[n]) <= from {
			n++
		}
		m.set(n)
		from = int(c.ends[n])
	}
	return m
}

// all marks every entry.
func (b *bucket) all() marks {
	m := newMarks(len(b.times))
	for i := range m {
		m[i] = math.MaxUint64
	}
	if rest := len(b.times) % wordBits; rest > 0 {
		m[len(m)-1] = 1<<rest - 1
	}
	return m
}

// len is the number of entries.
func (b *bucket) len() int {
	if b == nil {
		return 0
	}
	return len(b.times)
}

func (b *bucket) add(id []byte, e record.Entry) {
	n := len(b.times)
	b.ids.add(id)
	b.slugs.add(e.Slug)
	b.texts.add(e.Text)
	b.labels.add(e.Labels)
	b.times = append(b.times, e.UpdatedAt)
	if n%wordBits == 0 {
		b.drafts = append(b.drafts, 0)
	}
	if e.Unpublished {
		b.drafts.set(n)
	}
}

// clip gives back the memory that was kept for further entries.
func (b *bucket) clip() {
	for _, c := range []*column{&b.ids, &b.slugs, &b.texts, &b.labels} {
		c.data, c.ends = bytes.Clone(c.data), slices.Clone(c.ends)
	}
	b.times, b.drafts = slices.Clone(b.times), slices.Clone(b.drafts)
}

func (c *column) add(b []byte) {
	c.data = append(c.data, b...)
	c.ends = append(c.ends, uint32(len(c.data)))
}

func (c *column) at(n int) []byte {
	if n == 0 {
		return c.data[:c.ends[0]]
	}
	return c.data[c.ends[n-1]:c.ends[n]]
}

const wordBits = 64

func newMarks(n int) marks { return make(marks, (n+wordBits-1)/wordBits) }
func (m marks) set(n int)  { m[n/wordBits] |= 1 << (n % wordBits) }
func (m marks) keep(o marks) {
	for i := range m {
		m[i] &= o[i]
	}
}

func (m marks) drop(o marks) {
	for i := range m {
		m[i] &^= o[i]
	}
}

func (m marks) count() (n int) {
	for _, word := range m {
		n += bits.OnesCount64(word)
	}
	return n
}

func (m marks) has(n int) bool { return m[n/wordBits]&(1<<(n%wordBits)) != 0 }
