package memcache

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
)

// sized is a table of values that weigh what they say.
func sized(budget uint64, removed func(string, int)) *Table[string, int] {
	return New(budget, func(_ string, bytes int) uint32 { return uint32(bytes) }, removed)
}

func key(kind string, i int) string { return fmt.Sprintf("%s %d", kind, i) }

// flood puts values under keys that are requested once.
func flood(t *Table[string, int], kind string, count, bytes int) {
	for i := range count {
		if _, ok := t.Get(key(kind, i)); !ok {
			t.Set(key(kind, i), bytes)
		}
	}
}

// missing counts the keys of a kind that the table does not have.
func missing(t *Table[string, int], kind string, count int) (missing int) {
	for i := range count {
		if _, ok := t.Peek(key(kind, i)); !ok {
			missing++
		}
	}
	return missing
}

// What was requested twice is kept, however many are requested once after it, one by one or in a scan that comes again.
func TestFloodEvictsNothingThatIsRequestedAgain(t *testing.T) {
	table := sized(100_000, nil)
	flood(table, "hot", 500, 100)
	flood(table, "hot", 500, 100)
	flood(table, "once", 100_000, 100)
	for range 3 {
		flood(table, "scan", 5000, 100)
	}
	if gone := missing(table, "hot", 500); gone > 0 {
		t.Errorf("%d of 500 values that were requested twice are gone", gone)
	}
	if held := table.Bytes(); held > 100_000 || held < 99_000 {
		t.Errorf("%d bytes are held, the budget is 100000", held)
	}
}

// A value that is requested again soon after it was evicted is kept from then on.
func TestEvictedValueThatComesBackIsKept(t *testing.T) {
	table := sized(100_000, nil)
	flood(table, "hot", 950, 100)
	flood(table, "hot", 950, 100)
	flood(table, "late", 100, 100)
	flood(table, "between", 300, 100)
	if gone := missing(table, "late", 100); gone != 100 {
		t.Fatalf("%d of 100 values are gone, want all: nothing comes back", gone)
	}
	flood(table, "late", 100, 100)
	flood(table, "after", 5000, 100)
	if gone := missing(table, "late", 100); gone > 3 { // two fingerprints may share a slot
		t.Errorf("%d of 100 values that came back are gone", gone)
	}
}

// What was not requested for long makes place for what is requested now.
func TestCacheFollowsWhatIsRequested(t *testing.T) {
	table := sized(100_000, nil)
	for range 9 {
		flood(table, "old", 900, 100)
	}
	for range 40 {
		flood(table, "new", 900, 100)
	}
	if gone := missing(table, "new", 900); gone > 9 {
		t.Errorf("%d of 900 values that are requested are gone", gone)
	}
}

// A value larger than the budget is not kept, and pushes nothing out.
func TestTooLargeAValueIsNotKept(t *testing.T) {
	table := sized(100_000, nil)
	flood(table, "hot", 900, 100)
	table.Set("large", 100_001)
	table.Set("hot 1", 100_001)
	if _, ok := table.Peek("large"); ok || missing(table, "hot", 900) != 1 {
		t.Errorf("large is held = %t, %d others are gone, want the replaced one", ok, missing(table, "hot", 900))
	}
}

// The heir of a value has its standing, whether it comes before the value is superseded or after it.
func TestHeirHasTheStanding(t *testing.T) {
	for _, early := range []bool{true, false} {
		table := sized(100_000, nil)
		flood(table, "hot", 100, 100)
		flood(table, "hot", 100, 100)
		flood(table, "once", 2000, 100)
		for i := range 100 {
			old, heir := key("hot", i), key("heir", i)
			put := func(int, bool) (int, bool) { return 100, true }
			if early {
				table.UpdateHeir(heir, old, put)
			}
			table.Supersede(old, heir)
			table.UpdateHeir(heir, old, put)
		}
		flood(table, "more", 2000, 100)
		if gone := missing(table, "heir", 100); gone > 3 {
			t.Errorf("early = %t: %d of 100 heirs are gone", early, gone)
		}
		if gone := missing(table, "hot", 100); gone != 100 {
			t.Errorf("early = %t: %d of 100 superseded values are gone, want all", early, gone)
		}
	}
}

// Every value that is gone is told of once, and one that is replaced is not.
func TestWhatIsGoneIsTold(t *testing.T) {
	told := map[int]int{}
	table := sized(10_000, func(_ string, v int) { told[v]++ })
	for i := range 300 {
		table.Set(key("v", i), 100+i)
	}
	table.Set("v 299", 1)
	table.Delete("v 299")
	table.Delete("v 299")
	for i := range 299 {
		_, held := table.Peek(key("v", i))
		if n := told[100+i]; n > 1 || (n == 1) == held {
			t.Errorf("value %d: told %d times, held = %t", i, n, held)
		}
	}
	if told[399] != 0 || told[1] != 1 {
		t.Errorf("replaced: told %d times, deleted: %d", told[399], told[1])
	}
	count, bytes := 0, 0
	for k, v := range table.All() {
		if held, ok := table.Peek(k); !ok || held != v {
			t.Errorf("%s is listed with %d and held with %d", k, v, held)
		}
		count, bytes = count+1, bytes+v
	}
	if bytes != int(table.Bytes()) || count == 0 {
		t.Errorf("%d values of %d bytes are listed, %d bytes are held", count, bytes, table.Bytes())
	}
}

// Readers find what is there while the table grows, is written and evicts.
func TestReadersFindWhatIsThere(t *testing.T) {
	table := sized(1<<40, nil)
	small := sized(1000, nil)
	var put atomic.Int64
	var working sync.WaitGroup
	for w := range 4 {
		working.Go(func() {
			random := rand.New(rand.NewPCG(uint64(w), 1))
			for put.Load() < 20_000 {
				last := put.Load()
				if last == 0 {
					continue
				}
				i := int(random.Int64N(last))
				if got, ok := table.Get(key("v", i)); !ok || got != i {
					t.Errorf("value %d of %d is read as %d, %t", i, last, got, ok)
					return
				}
				if v, ok := small.Get(key("v", i)); ok && v != 10 {
					t.Errorf("value %d of the small table is %d", i, v)
				}
				small.Update(key("v", i%7), func(int, bool) (int, bool) { return 10, true })
			}
		})
	}
	for i := range 20_000 {
		table.Set(key("v", i), i)
		small.Set(key("v", i), 10)
		if i%3 == 0 {
			small.Delete(key("v", i))
		}
		put.Store(int64(i + 1))
	}
	working.Wait()
	if held := small.Bytes(); held > 1000 {
		t.Errorf("%d bytes are held, the budget is 1000", held)
	}
}

// A request that is answered from the table allocates nothing.
func TestGetAllocatesNothing(t *testing.T) {
	table := sized(1000, nil)
	path := []byte("some address that is held")
	table.Set(string(path), 10)
	if n := testing.AllocsPerRun(1000, func() { table.Get(LookupKey(path)) }); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}
