package lru_test

import (
	"testing"

	"example.com/livery/origin/lru"
)

// What was used longest ago goes first, and what is larger than the cache is not cached at all.
func TestACacheStaysWithinItsBound(t *testing.T) {
	const bytes = 1000
	c := lru.New[int, string](3 * (bytes + lru.EntryBytes))
	for key, value := range []string{"0", "1", "2"} {
		c.Add(key, value, bytes)
	}
	c.Get(0)
	c.Add(3, "3", bytes)
	c.Add(3, "3 again", bytes)
	c.Add(4, "4", 10*bytes)
	for key, want := range []string{"0", "", "2", "3 again", ""} {
		if got := c.Get(key); got != want {
			t.Errorf("Get(%d) = %q, want %q", key, got, want)
		}
	}
	if got := c.Weight(); got != 3*(bytes+lru.EntryBytes) {
		t.Errorf("Weight() = %d with three values, want %d", got, 3*(bytes+lru.EntryBytes))
	}
}
