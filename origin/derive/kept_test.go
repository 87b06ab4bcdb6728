package derive

import (
	"fmt"
	"testing"

	"example.com/livery/renderer"
	"example.com/livery/renderer/jsontree"
)

// What was used longest ago goes first, and what is larger than the bound is not kept at all.
func TestKeptThemesStayWithinTheBound(t *testing.T) {
	c := renderer.Compile(jsontree.NewObject(), "")
	plans := 0
	for f := range renderer.File(renderer.FileCount) {
		plans += len(c.Plan(f))
	}
	const document = 1000
	k := newKept(int64(3 * (bytesPerByte*document + plans)))
	key := func(i int) themeKey { return themeKey{prefix: fmt.Sprint(i)} }
	for i := range 3 {
		k.keep(key(i), c, document)
	}
	k.find(key(0))
	k.keep(key(3), c, document)
	k.keep(key(3), c, document)
	k.keep(key(4), c, 10*document)
	for i, want := range []bool{true, false, true, true, false} {
		if got := k.find(key(i)) != nil; got != want {
			t.Errorf("Theme %d is kept: %v, want %v", i, got, want)
		}
	}
	if k.bytes != k.maxBytes || k.order.Len() != 3 || len(k.byKey) != 3 {
		t.Errorf("%d Themes of %d bytes are kept, want 3 of %d", k.order.Len(), k.bytes, k.maxBytes)
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
	if q.add(a) || !q.holds(a) || q.holds(b) {
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
