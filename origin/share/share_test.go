package share_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/livery/origin/share"
)

var (
	a1, a2 = share.Caller{Team: "a", Subject: "1"}, share.Caller{Team: "a", Subject: "2"}
	b1     = share.Caller{Team: "b", Subject: "1"}
)

// fill makes reservations of one unit until the caller's share is used up, and returns how many there are.
func fill(b *share.Budget, c share.Caller) (n int) {
	for b.For(c).Resize(1) == nil {
		n++
	}
	return n
}

func TestBudget_Shares(t *testing.T) {
	b := share.NewBudget(1000, 0)
	if n := fill(b, a1); n != 250 {
		t.Errorf("the first caller has %d units of 1000, want a quarter", n)
	}
	for n := range 100 {
		fill(b, share.Caller{Team: "a", Subject: string(rune('A' + n))})
	}
	if n := b.Used(); n > 500 {
		t.Errorf("all callers of one Team have %d units of 1000, want half at most", n)
	}
	if n := fill(b, b1); n < 125 {
		t.Errorf("a caller of another Team has %d units beside them, want a quarter of what is left", n)
	}
}

func TestBudget_ReservationsThatNeverFit(t *testing.T) {
	b := share.NewBudget(1000, 10)
	large := b.For(a1)
	if err := large.Resize(5000); err != nil || b.Used() != 250 {
		t.Errorf("a reservation larger than all = %v with %d units, want all that one caller may use", err, b.Used())
	}
	if err := b.For(a1).Resize(11); !errors.Is(err, share.ErrFull) {
		t.Errorf("another beside it = %v, want ErrFull", err)
	}
	if err := b.For(a1).Resize(10); err != nil {
		t.Errorf("one within the free units = %v, want none", err)
	}
	large.Release()
	large.Release()
	if n := b.Used(); n != 0 {
		t.Errorf("%d units are in use after all were released", n)
	}
}

// Memory goes back to the system some time after much was reserved, once for all of it, and never for little.
func TestBudget_Drain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var freed atomic.Int32
		b := share.NewBudget(64<<20, 0)
		b.Drain(func() { freed.Add(1) })
		reserve := func(bytes int64) {
			r := b.For(a1)
			if err := r.Resize(bytes); err != nil {
				t.Fatal(err)
			}
			r.Release()
		}
		reserve(1000)
		time.Sleep(time.Hour)
		if freed.Load() != 0 {
			t.Errorf("memory was given back %d times after a small body, want never", freed.Load())
		}
		for want := range int32(2) {
			for range 10 {
				reserve(8 << 20)
			}
			time.Sleep(time.Minute)
			if freed.Load() != want+1 {
				t.Errorf("memory was given back %d times, want %d", freed.Load(), want+1)
			}
		}
	})
}

// work takes turns and notes in which order it has them.
type work struct {
	turns *share.Turns
	order []string // guarded by the one place
}

// begin starts work of a second that waits for a turn.
func (w *work) begin(t *testing.T, name string, take func(context.Context) (*share.Turn, error)) {
	go func() {
		turn, err := take(t.Context())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		w.order = append(w.order, name)
		time.Sleep(time.Second)
		turn.End()
	}()
	synctest.Wait()
}

func (w *work) by(c share.Caller, bytes int64) func(context.Context) (*share.Turn, error) {
	return func(ctx context.Context) (*share.Turn, error) { return w.turns.Take(ctx, c, bytes) }
}

func TestTurns_Order(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := work{turns: share.NewTurns(1, 100)}
		w.begin(t, "first", w.by(a1, 0))
		w.begin(t, "background", w.turns.TakeBackground)
		for range 3 {
			w.begin(t, "a1", w.by(a1, 0))
		}
		w.begin(t, "a2", w.by(a2, 0))
		w.begin(t, "b1", w.by(b1, 0))
		w.begin(t, "b1", w.by(b1, 0))
		if n := w.turns.Waiting(); n != 6 {
			t.Errorf("%d wait, want 6", n)
		}
		time.Sleep(time.Minute)
		synctest.Wait() // all have left, and what they wrote is seen here
		if want := []string{"first", "b1", "a2", "b1", "a1", "a1", "a1", "background"}; !slices.Equal(w.order, want) {
			t.Errorf("order = %q, want %q", w.order, want)
		}
	})
}

func TestTurns_Memory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := share.NewTurns(8, 100)
		w := work{turns: turns}
		large, err := turns.Take(t.Context(), a1, 1000)
		if err != nil {
			t.Fatal(err)
		}
		w.begin(t, "second", w.by(a1, 1))
		large.Idle()
		synctest.Wait()
		if n := turns.Running(); n != 0 || turns.Waiting() != 1 {
			t.Errorf("%d run beside work that keeps all memory, want none", n)
		}
		large.End()
		large.End()
		time.Sleep(time.Minute)
		synctest.Wait()
		if !slices.Equal(w.order, []string{"second"}) || turns.Running() != 0 {
			t.Errorf("order = %q, %d run, want the second alone to have run", w.order, turns.Running())
		}
	})
}

func TestTurns_EndOfContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := share.NewTurns(2, 100)
		first, err := turns.Take(t.Context(), a1, 1)
		if err != nil {
			t.Fatal(err)
		}
		w := work{turns: turns}
		ended, cancel := context.WithCancel(t.Context())
		gone := make(chan error, 1)
		go func() {
			_, err := turns.Take(ended, b1, 100) // waits for all memory
			gone <- err
		}()
		synctest.Wait()
		w.begin(t, "behind", w.by(a1, 1))
		if len(w.order) > 0 {
			t.Error("work overtook other work that waits for memory")
		}
		cancel()
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Errorf("Take() = %v, want context.Canceled", err)
		}
		synctest.Wait()
		if !slices.Equal(w.order, []string{"behind"}) {
			t.Error("work does not go on once what it waited behind is gone")
		}
		time.Sleep(time.Minute)
		first.End()
	})
}
