package httpserver_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/livery/origin/httpserver"
)

// A26 A31: texts that become large when they are parsed are parsed one after the other.
func TestDenseTextsAreParsedInTurn(t *testing.T) {
	dense := strings.Repeat("0,", 500_000)
	synctest.Test(t, func(t *testing.T) {
		b := httpserver.NewBodyBudget(4<<20, 1<<20, func() {})
		first, second, small := b.Of("a"), b.Of("b"), b.Of("c")
		if err := first.Parse(t.Context(), dense); err != nil {
			t.Fatal(err)
		}
		var order []string
		go func() {
			if err := second.Parse(t.Context(), dense); err != nil {
				t.Error(err)
				return
			}
			order = append(order, "second")
			second.Release()
		}()
		if err := small.Parse(t.Context(), `{"slug":"a"}`); err != nil { // waits for no other
			t.Fatal(err)
		}
		small.Release()
		synctest.Wait() // the second waits for memory
		order = append(order, "first ends")
		first.Release()
		synctest.Wait()
		if fmt.Sprint(order) != "[first ends second]" {
			t.Errorf("order = %v, want the second after the first", order)
		}
	})
}

// Memory goes back to the system some time after large bodies came, once for all of them, and small ones cost nothing.
func TestMemoryIsGivenBackAfterLargeBodies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var freed atomic.Int32
		b := httpserver.NewBodyBudget(64<<20, 8<<20, func() { freed.Add(1) })
		send := func(size int64) {
			r := b.Of("a")
			if err := r.Grow(size); err != nil {
				t.Fatal(err)
			}
			r.Release()
		}
		send(1000)
		time.Sleep(time.Hour)
		if freed.Load() != 0 {
			t.Errorf("memory was given back %d times after a small body, want never", freed.Load())
		}
		for range 10 {
			send(8 << 20)
		}
		time.Sleep(time.Minute)
		if freed.Load() != 1 {
			t.Errorf("memory was given back %d times within a minute of large bodies, want once", freed.Load())
		}
		send(8 << 20)
		time.Sleep(time.Minute)
		if freed.Load() != 2 {
			t.Errorf("memory was given back %d times, want once more after another body", freed.Load())
		}
	})
}
