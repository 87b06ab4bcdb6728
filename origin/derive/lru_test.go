package derive

import (
	"fmt"
	"testing"

	"example.com/livery/renderer"
	"example.com/livery/renderer/jsontree"
)

// What was used longest ago goes first, and what is larger than the cache is not cached at all.
func TestCompiledThemesStayWithinTheBound(t *testing.T) {
	c := renderer.Compile(jsontree.NewObject(), "")
	const bytes = 1000
	themes := newLRU[themeKey, *renderer.CompiledTheme](3 * (bytes + cachedBytes))
	key := func(i int) themeKey { return themeKey{prefix: fmt.Sprint(i)} }
	for i := range 3 {
		themes.add(key(i), c, bytes)
	}
	themes.get(key(0))
	themes.add(key(3), c, bytes)
	themes.add(key(3), c, bytes)
	themes.add(key(4), c, 10*bytes)
	for i, want := range []bool{true, false, true, true, false} {
		if got := themes.get(key(i)) != nil; got != want {
			t.Errorf("Theme %d is cached: %v, want %v", i, got, want)
		}
	}
	if themes.weight() != themes.maxBytes || themes.order.Len() != 3 || len(themes.byKey) != 3 {
		t.Errorf("%d Themes of %d bytes are cached, want 3 of %d", themes.order.Len(), themes.weight(), themes.maxBytes)
	}
}

// A Theme waits once, and who adds the first one works.
func TestQueueHoldsEachThemeOnce(t *testing.T) {
	var q queue
	a, b := themeID{"e", "a"}, themeID{"e", "b"}
	if !q.add(a) || q.add(a) || q.add(b) {
		t.Error("add() says that another one begins to work, or none does")
	}
	for _, want := range []themeID{a, b} {
		if got, ok := q.next(); got != want || !ok {
			t.Errorf("next() = %v, %v, want %v", got, ok, want)
		}
	}
	if q.add(a) || !q.contains(a) || q.contains(b) {
		t.Error("a Theme that is added while another is worked on does not wait")
	}
	q.next()
	if _, ok := q.next(); ok || !q.add(b) {
		t.Error("an empty queue does not ask the next who adds to work")
	}
}

// The queue is bounded: what is beyond is compiled when it is asked for.
func TestQueueIsBounded(t *testing.T) {
	var q queue
	for i := range maxWaiting + 10 {
		q.add(themeID{"e", fmt.Sprint(i)})
	}
	if len(q.waiting) != maxWaiting {
		t.Errorf("%d Themes wait, want %d", len(q.waiting), maxWaiting)
	}
}
