package derive

import (
	"fmt"
	"testing"
)

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
