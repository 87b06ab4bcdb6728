package derive

import (
	"slices"
	"sync"
)

// maxWaiting is the number of Themes that wait at most. The overlays of others are compiled when edges request them.
const maxWaiting = 10_000

// queue is the Themes that wait for their overlays, each once. It may be used concurrently.
type queue struct {
	mu      sync.Mutex // guards all below
	waiting []themeID
	working bool // a goroutine takes from waiting
}

type themeID struct{ environment, theme string }

// add puts a Theme at the end. begins is true if the caller must begin to take from the queue.
func (q *queue) add(t themeID) (begins bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) >= maxWaiting || slices.Contains(q.waiting, t) {
		return false
	}
	q.waiting = append(q.waiting, t)
	begins = !q.working
	q.working = true
	return begins
}

// next takes the first Theme; if there is none the caller no longer works.
func (q *queue) next() (t themeID, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		q.working = false
		return t, false
	}
	t = q.waiting[0]
	q.waiting = q.waiting[1:]
	return t, true
}

func (q *queue) contains(t themeID) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Contains(q.waiting, t)
}

// Waiting returns how many Themes wait for overlays that are compiled ahead.
func (d *Deriver) Waiting() int {
	d.queue.mu.Lock()
	defer d.queue.mu.Unlock()
	return len(d.queue.waiting)
}
