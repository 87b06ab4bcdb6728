package pebble

import (
	"fmt"
	"testing"
	"time"

	"example.com/livery/internal/test/heaptest"
	"example.com/livery/internal/test/race"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// What is remembered of a blob that was put is forgotten after one window or two, and takes no more than a few dozen
// bytes until then: a busy origin puts a million in that time.
func TestRecentBlobsTakeLittle(t *testing.T) {
	race.Skip(t)
	const blobs, most = 100_000, 40
	begin := time.Now()
	heaptest.Agree(t, 1, 100, func() (counted, taken int64) {
		var r recentBlobs
		taken = heaptest.Taken(func() {
			for i := range blobs {
				r.add(record.HashOf(fmt.Append(nil, i)), begin)
			}
		})
		if name := record.HashOf([]byte("7")); !r.has(name, begin.Add(storage.PutWindow)) || r.has(name, begin.Add(3*storage.PutWindow)) {
			t.Error("a blob is not remembered for a window, or for more than two")
		}
		return blobs * most, taken
	})
}
