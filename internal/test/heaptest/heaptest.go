// Package heaptest compares, in tests, the memory that a cache counts with the memory that it takes.
package heaptest

import (
	"runtime"
	"testing"
)

// Taken returns the bytes of the heap that what fill makes takes. What it makes must stay in use until Taken returns.
func Taken(fill func()) int64 {
	before := live()
	fill()
	return live() - before
}

func live() int64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC() // what had a finalizer goes with the second
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// Agree fails t unless what is counted is at least and at most so many times what is taken. Something else may be
// given back meanwhile, so one of ten measurements is enough.
func Agree(t testing.TB, least, most float64, measure func() (counted, taken int64)) {
	t.Helper()
	var counted, taken int64
	for range 10 {
		counted, taken = measure()
		if ratio := float64(counted) / float64(max(1, taken)); ratio >= least && ratio <= most {
			return
		}
	}
	t.Errorf("%d bytes are counted and %d are taken: %.2f, want %.2f to %.2f", counted, taken, float64(counted)/float64(max(1, taken)), least, most)
}
