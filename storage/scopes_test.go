package storage_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"example.com/livery/storage"
)

// A waiting writer whose context ends does not end the scope that another holds; the last one to leave does.
func TestAScopeIsUnusedWhenItsLastWriterHasGone(t *testing.T) {
	unused := 0
	s := storage.NewScopes(func(string) { unused++ })
	release, err := s.Acquire(context.Background(), "e")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if _, err := s.Acquire(ctx, "e"); err == nil || unused != 0 {
		t.Errorf("Acquire() of a scope that is held = %v, and the scope was unused %d times", err, unused)
	}
	release()
	if unused != 1 {
		t.Errorf("after the release the scope was unused %d times, want once", unused)
	}
}

// Writers that leave something for the next one, and writers that go away while they wait: unused always comes
// last, and beside no writer.
func TestWhatAWriterLeavesInAScopeIsAlwaysFound(t *testing.T) {
	const rounds, writers = 500, 8
	left := 0 // guarded by the scope, and by unused
	s := storage.NewScopes(func(string) { left = 0 })
	for n := range rounds {
		var wg sync.WaitGroup
		for i := range writers {
			wg.Go(func() {
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				if i%2 == 0 {
					time.AfterFunc(time.Duration(n%50)*time.Microsecond, cancel)
				}
				release, err := s.Acquire(ctx, "e")
				if err == nil {
					left++
					release()
				}
			})
		}
		wg.Wait()
		if left != 0 {
			t.Fatalf("round %d: %d writes were left in the scope", n, left)
		}
	}
}
