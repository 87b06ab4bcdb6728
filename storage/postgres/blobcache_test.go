package postgres

import (
	"testing"

	"example.com/livery/storage/record"
)

// What a caller gets of the cache is its own, what is deleted is forgotten, and all together stay within the bound.
func TestBlobsAreCachedWithinTheirBound(t *testing.T) {
	const blobs, each = 64, 1 << 10
	c, err := newBlobCache(8 * (each + blobCost))
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	name := func(i int) record.Hash { return record.HashOf([]byte{byte(i)}) }
	c.add(name(0), make([]byte, each))
	mine, ok := c.get(name(0))
	if !ok || len(mine) != each {
		t.Fatalf("get() = %d bytes, %t, want what was added", len(mine), ok)
	}
	mine[0] = 1
	if again, _ := c.get(name(0)); again[0] != 0 {
		t.Error("a caller changed what another one gets")
	}
	c.drop([]record.Hash{name(0)})
	if _, ok := c.get(name(0)); ok {
		t.Error("a blob that was dropped is cached")
	}
	for i := range blobs {
		c.add(name(i), make([]byte, each))
	}
	c.blobs.CleanUp()
	if most := c.blobs.GetMaximum(); c.blobs.WeightedSize() > most {
		t.Errorf("%d bytes are cached, the bound is %d", c.blobs.WeightedSize(), most)
	}
}
