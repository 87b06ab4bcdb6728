package postgres

import "sync"

// mostTogether bounds a batch.
const mostTogether = 128

// batcher runs what is added while something runs together as the next batch: one batch at a time for each key. The
// zero batcher is ready.
type batcher[T any] struct {
	mu      sync.Mutex     // guards waiting
	waiting map[string][]T // by key; an entry exists while a goroutine works for the key
}

// add lets run have x soon, with what else waits for the key. calls counts the goroutine that runs; the caller must be
// counted too.
func (b *batcher[T]) add(calls *sync.WaitGroup, key string, x T, run func(batch []T)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	waiting, works := b.waiting[key]
	if b.waiting == nil {
		b.waiting = map[string][]T{}
	}
	b.waiting[key] = append(waiting, x)
	if works {
		return
	}
	calls.Go(func() {
		for batch := b.next(key); len(batch) > 0; batch = b.next(key) {
			run(batch)
		}
	})
}

// next returns what waits for the key, mostTogether at most; none ends the goroutine.
func (b *batcher[T]) next(key string) []T {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := min(len(b.waiting[key]), mostTogether)
	batch := b.waiting[key][:n:n]
	b.waiting[key] = b.waiting[key][n:]
	if n == 0 {
		delete(b.waiting, key)
	}
	return batch
}
