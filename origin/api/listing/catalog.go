package listing

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
	"slices"
	"sort"
	"strings"
	"sync"

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

// ErrStale says that the catalog of a list has to be brought up to date.
var ErrStale = errors.New("what the list is searched by is not in memory")

// read returns the catalog of a list. It reads the revision of the list, and the buckets that changed since it was searched
// last: without refresh, ErrStale if there are any.
func (c *Cache) read(r storage.Reader, entries storage.Entries, parts []string, refresh bool) (*catalog, error) {
	revision, err := entries.Revision(r, parts...)
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
	if l.catalog.revision == revision {
		return l.catalog, nil
	}
	if !refresh {
		return nil, ErrStale
	}
	next, err := l.catalog.refresh(r, entries, parts)
	if err == nil {
		next.revision = revision
		l.catalog = next
		c.lists.Add(name, l, next.bytes())
	}
	return next, err
}

// catalog is what a list filters and orders its items by, at one state of the list. It does not change.
type catalog struct {
	revision       storage.Revision
	revisions      [storage.Buckets]storage.Revision
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
func (c *catalog) refresh(r storage.Reader, entries storage.Entries, parts []string) (*catalog, error) {
	revisions, err := entries.BucketRevisions(r, parts...)
	if err != nil {
		return nil, err
	}
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
	order, f := c.bySlug, c.newSieve(q)
	if q.ByTime {
		order = c.byTime
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
	case q.Filter.isEmpty():
		i, skip = min(skip, len(order)), 0
	}
	found := collector{query: q}
	for ; i < len(order) && f.total > 0; i++ {
		if s := at(i); f.passes(s) {
			if skip--; skip < 0 && !found.addAt(c.place(q, s)) {
				break
			}
		}
	}
	found.w.Total = f.total
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

// sieve says which items of a catalog pass a filter, which names no slug.
type sieve struct {
	catalog     *catalog
	unpublished *bool
	searches    []search
	single      int                     // how many items it still looks at one by one, in case that enough of them pass
	passing     *[storage.Buckets]marks // those of all items, when it has looked at them together
	total       int                     // of those that pass, or may
}

// singly is how many items a sieve looks at one by one. That is little beside a look at a long list.
const singly = 1000

func (c *catalog) newSieve(q Query) *sieve {
	s := &sieve{catalog: c, unpublished: q.Filter.Unpublished, single: singly, total: len(c.bySlug)}
	if q.Filter.Text != "" {
		s.searches = append(s.searches, c.newSearch(texts, []byte(strings.ToLower(q.Filter.Text))))
	}
	for i, l := range q.Filter.Labels {
		if !slices.Contains(q.Filter.Labels[:i], l) {
			s.searches = append(s.searches, c.newSearch(labels, record.AppendLabel(nil, l.Key, l.Value)))
		}
	}
	if q.Totals && !s.passesAll() {
		s.sift()
	}
	return s
}

func (s *sieve) passesAll() bool { return s.unpublished == nil && len(s.searches) == 0 }

// passes reports whether an item passes.
func (s *sieve) passes(item slot) bool {
	if s.passesAll() {
		return true
	}
	if s.passing == nil && s.single > 0 {
		s.single--
		b, n := s.catalog.at(item)
		return (s.unpublished == nil || *s.unpublished == b.drafts.has(n)) &&
			!slices.ContainsFunc(s.searches, func(o search) bool { return !bytes.Contains(o.column(b).at(n), o.part) })
	}
	if s.passing == nil {
		s.sift()
	}
	return s.passing[item>>slotBits].has(int(item & slotMask))
}

// sift looks at all items.
func (s *sieve) sift() {
	s.passing, s.total = &[storage.Buckets]marks{}, 0
	for n, b := range s.catalog.buckets {
		if b == nil {
			continue
		}
		m := b.all()
		switch {
		case s.unpublished == nil:
		case *s.unpublished:
			m.keep(b.drafts)
		default:
			m.drop(b.drafts)
		}
		for _, o := range s.searches {
			if m.count() == 0 {
				break
			}
			m.keep(o.in(b))
		}
		s.total += m.count()
		s.passing[n] = m
	}
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
