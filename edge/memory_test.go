package edge

import "testing"

// What an edge says that it takes is the cache, three sixteenths more, and what does not depend on it; on two
// processors that is some 206 MiB.
func TestMemoryIsTheCacheAndAConstant(t *testing.T) {
	const mib = 1 << 20
	two := MemoryFor(64*mib, 2)
	for _, tt := range []struct {
		cache      int64
		processors int
		most       int64
	}{
		{1, 2, 4 + 206}, {64 * mib, 2, 64 + 4 + 8 + 206}, {0, 2, 256 + 16 + 32 + 206}, {4 << 30, 2, 4096 + 256 + 512 + 206}, {64 * mib, 8, 64 + 4 + 8 + 206 + 6*20},
	} {
		if got := MemoryFor(tt.cache, tt.processors).Total() / mib; got != tt.most {
			t.Errorf("MemoryFor(%d, %d) takes %d MiB, want %d", tt.cache, tt.processors, got, tt.most)
		}
	}
	if two.Plans > int(two.Guests)/3/2 {
		t.Errorf("an instance may hold %d bytes of plans, and all three %d of memory", two.Plans, two.Guests)
	}
}
