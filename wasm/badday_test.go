package wasm_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/livery/internal/test/race"
	"example.com/livery/wasm"
)

// longPlan is so long that short overlays are rendered in pieces.
var longPlan = five(strings.Repeat("a plan", 1000))

// command is a request that has the canary obey.
func command(text string) wasm.Request {
	return wasm.Request{Plan: longPlan, Overlay: five(text)}
}

// hear has the canary answer; wanted "" takes any answer.
func hear(t *testing.T, r *wasm.Runtime, digest, wanted string) {
	t.Helper()
	got, err := r.Render(t.Context(), digest, command("hello"))
	if err != nil || wanted != "" && string(got) != wanted {
		t.Fatalf("Render = %q, %v, want %q", got, err, wanted)
	}
}

// An instance that failed in any way is thrown away, the one that stands by takes over, and the
// next render is none the worse.
func TestFailedInstanceIsReplaced(t *testing.T) {
	t.Parallel()
	r := newRuntime(t, wasm.Config{Instances: 1})
	digest := load(t, r, canary(t))
	eventually(t, "an instance stands by", func() bool { return r.Stats().Instances == 2 })
	base := r.Stats().MemoryBytes
	for _, way := range []string{
		"trap", "panic", "exit", "exit well", "hoard", "recurse", "outside", "shout", "another status", "two statuses",
		"pieces outside", "pieces too long", "pieces too short", "pieces without end",
	} {
		t.Run(way, func(t *testing.T) {
			before := r.Stats()
			_, err := r.Render(t.Context(), digest, command(way))
			if !errors.Is(err, wasm.ErrFailed) {
				t.Fatalf("Render = %v, want ErrFailed", err)
			}
			if len(err.Error()) > 64<<10 {
				t.Errorf("the error has %d bytes: what the module wrote is not capped", len(err.Error()))
			}
			after := r.Stats()
			if failed := after.FailedTrap + after.FailedBroken - before.FailedTrap - before.FailedBroken; failed != 1 {
				t.Errorf("%d failures were counted, want 1", failed)
			}
			hear(t, r, digest, "alive1") // another instance
			eventually(t, "another instance stands by and the memory came back", func() bool {
				s := r.Stats()
				return s.Instances == 2 && s.MemoryBytes <= base+1<<20
			})
		})
	}
}

// What a module compiles can fail in the same ways.
func TestFailedCompilationsAreAsHarmless(t *testing.T) {
	t.Parallel()
	r := newRuntime(t, wasm.Config{Instances: 1})
	digest := load(t, r, canary(t))
	for _, way := range []string{"panic", "hoard", "recurse", "outside"} {
		if _, err := r.CompilePlan(t.Context(), digest, wasm.Source{Theme: []byte(way)}); !errors.Is(err, wasm.ErrFailed) {
			t.Errorf("CompilePlan of %q = %v, want ErrFailed", way, err)
		}
		hear(t, r, digest, "")
		if _, err := r.CompileOverlay(t.Context(), digest, wasm.Source{Theme: []byte("hello")}); err != nil {
			t.Errorf("CompileOverlay after %q = %v", way, err)
		}
	}
}

// A plan that a module refuses is not held, one that it traps on costs the instance, and one that it does
// not let go of too.
func TestPlansThatDoNotOpen(t *testing.T) {
	t.Parallel()
	r := newRuntime(t, wasm.Config{Instances: 1, PlanBytes: 7000})
	digest := load(t, r, canary(t))
	for _, tt := range []struct {
		plan   string
		failed bool
	}{{"refuse", false}, {"trap", true}} {
		req := command("hello")
		req.Plan = five(tt.plan)
		for range 3 {
			_, err := r.Render(t.Context(), digest, req)
			if refused := (*wasm.RefusedError)(nil); err == nil || errors.As(err, &refused) == tt.failed || errors.Is(err, wasm.ErrFailed) != tt.failed {
				t.Errorf("Render from the plan %q = %v, failed should be %t", tt.plan, err, tt.failed)
			}
		}
		if s := r.Stats(); s.Plans != 0 || s.PlanHits != 0 {
			t.Errorf("after the plan %q %d plans are held", tt.plan, s.Plans)
		}
	}
	eventually(t, "an instance stands by", func() bool { return r.Stats().Instances == 2 })
	for i, plan := range []string{"sticky", "another", "a third"} { // two instances: the third plan needs the room of the first
		req := command("hello")
		req.Plan = five(plan + strings.Repeat(" ", 5000+1000*i))
		if _, err := r.Render(t.Context(), digest, req); errors.Is(err, wasm.ErrFailed) != (i == 2) {
			t.Errorf("Render from the plan %q = %v, want ErrFailed only when the first one is to be dropped", plan, err)
		}
	}
}

// Memory never shrinks: an instance that grew large answers, and is not kept.
func TestGrownInstanceIsNotKept(t *testing.T) {
	t.Parallel()
	r := newRuntime(t, wasm.Config{Instances: 1})
	digest := load(t, r, canary(t))
	if got, err := r.Render(t.Context(), digest, command("grow")); err != nil || string(got) != "alive1" {
		t.Fatalf("Render = %q, %v, want an answer", got, err)
	}
	eventually(t, "instances work and stand by", func() bool { return r.Stats().Instances == 2 }) // more are surplus, and recycled too
	hear(t, r, digest, "alive1")
	if s := r.Stats(); s.Recycled != 1 || s.MemoryBytes > 100<<20 {
		t.Errorf("%d instances were recycled and %d bytes are in use, want 1 and what a fresh instance needs", s.Recycled, s.MemoryBytes)
	}
}

// A call that lasts too long loses its place: other calls are served by another instance meanwhile, and
// the one that was late is not used again, although its answer is.
func TestOverdueCallLosesItsPlace(t *testing.T) {
	for range 20 { // on a busy machine a short call may be overdue, too
		if onlyTheLongCallWasOverdue(t) {
			return
		}
	}
	t.Error("each time a short call was overdue, too, or lost its instance")
}

// onlyTheLongCallWasOverdue has a call lose its place and looks at the others; it stops and reports false if one of these
// was overdue, or more than one instance was made in the place of the late one.
func onlyTheLongCallWasOverdue(t *testing.T) bool {
	t.Helper()
	r := newRuntime(t, wasm.Config{Instances: 1, Overdue: 20 * time.Millisecond})
	digest := load(t, r, canary(t))
	late := overdue(t, r, digest)
	first, err := r.Render(t.Context(), digest, command("hello"))
	if err := errors.Join(err, <-late); err != nil {
		t.Errorf("the late call and the one beside it = %v, want their answers", err)
	}
	eventually(t, "the late instance is closed", func() bool { return r.Stats().Recycled > 0 })
	second, err := r.Render(t.Context(), digest, command("hello"))
	if now := r.Stats(); now.Overdue != 1 || now.Recycled != 1 { // or two instances stood by at one time, of which one is surplus
		return false
	}
	if err != nil || string(first) != "alive1" || string(second) != "alive2" {
		t.Errorf("the calls after it = %q and %q, %v, want alive1 and alive2 of one instance", first, second, err)
	}
	return true
}

// overdue returns when a call is counted as overdue, and what its end sends. A call during which the world stood still is
// not seen by the watcher: another follows it, as in spinning.
func overdue(t *testing.T, r *wasm.Runtime, digest string) <-chan error {
	t.Helper()
	for range 50 {
		ended := make(chan error, 1)
		go func() {
			_, err := r.Render(t.Context(), digest, command("spin long"))
			ended <- err
		}()
		for len(ended) == 0 {
			if r.Stats().Overdue == 1 {
				return ended
			}
			time.Sleep(time.Millisecond)
		}
		if r.Stats().Overdue == 1 { // the watcher was first
			return ended
		}
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("no call was ever counted as overdue")
	return nil
}

func TestCallerWaitsNoLongerThanItsContext(t *testing.T) {
	r := newRuntime(t, wasm.Config{Instances: 1})
	digest := load(t, r, canary(t))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, call := range []func() error{
		func() error { _, err := r.Render(ctx, digest, command("hello")); return err },
		func() error { _, err := r.CompilePlan(ctx, digest, wasm.Source{Theme: []byte("hello")}); return err },
	} {
		err := errors.New("no try was made")
		for range 20 { // the call at work may end before the other one begins, which is answered then
			ended := spinning(t, r, digest)
			err = call()
			if late := <-ended; late != nil {
				t.Errorf("the call at work = %v, want its answer", late)
			}
			if errors.Is(err, context.Canceled) {
				break
			}
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("a call whose context is done = %v, want context.Canceled", err)
		}
	}
	if got, err := r.Render(t.Context(), digest, command("hello")); err != nil || !strings.HasPrefix(string(got), "alive") {
		t.Errorf("Render afterwards = %q, %v", got, err)
	}
}

// spinning returns when a call is at work, and what its end sends. Tests of long calls
// do not run beside others: the code of a module cannot be interrupted, so that all of the program may have to wait for
// it. A call that was not seen at work, because the world stood still for as long as it lasted, is followed by another.
func spinning(t *testing.T, r *wasm.Runtime, digest string) <-chan error {
	t.Helper()
	for range 50 {
		ended := make(chan error, 1)
		go func() {
			_, err := r.Render(t.Context(), digest, command("spin"))
			ended <- err
		}()
		for len(ended) == 0 {
			if r.Working(digest) == 1 {
				return ended
			}
			time.Sleep(time.Millisecond)
		}
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("no call was ever seen at work")
	return nil
}

// Close waits for calls at work, but no longer than its context, and then leaves them what they need.
func TestCloseWaitsForCalls(t *testing.T) {
	done, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		name string
		ctx  context.Context
		want error
	}{{"to their end", t.Context(), nil}, {"until its context is done", done, context.Canceled}} {
		t.Run(tt.name, func(t *testing.T) {
			err := errors.New("no try was made")
			for range 20 { // a call may end before Close begins, which returns nil then
				if err = closedAtWork(t, tt.ctx); errors.Is(err, tt.want) {
					break
				}
			}
			if !errors.Is(err, tt.want) {
				t.Errorf("Close = %v, want %v", err, tt.want)
			}
		})
	}
}

// closedAtWork closes a Runtime while a call is at work, which must get its answer, and returns Close's error.
func closedAtWork(t *testing.T, ctx context.Context) error {
	t.Helper()
	r, err := wasm.NewRuntime(t.Context(), wasm.Config{CacheDir: cacheDir(t), Instances: 1})
	if err != nil {
		t.Fatal(err)
	}
	late := spinning(t, r, load(t, r, canary(t)))
	err = r.Close(ctx)
	if lost := <-late; lost != nil {
		t.Errorf("the call that was at work = %v, want its answer", lost)
	}
	return err
}

// 1,000 misses at once while instances fail under them and are replaced: every answer is the asked
// one, every failure is a failure, nothing hangs, and memory comes back.
func TestMissesWhileInstancesAreReplaced(t *testing.T) {
	t.Parallel()
	r := newRuntime(t, wasm.Config{Instances: 2})
	digest := load(t, r, canary(t))
	eventually(t, "an instance stands by", func() bool { return r.Stats().Instances >= 2 })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var wg sync.WaitGroup
	for i := range 1000 {
		wg.Go(func() {
			req, wanted, fails := command(fmt.Sprint("say ", i)), fmt.Sprint(i), i%25 == 0
			if fails {
				req = command([]string{"panic", "outside", "exit", "trap"}[i/25%4])
			}
			got, err := r.Render(ctx, digest, req)
			if fails && !errors.Is(err, wasm.ErrFailed) || !fails && (err != nil || string(got) != wanted) {
				t.Errorf("render %d = %q, %v", i, got, err)
			}
		})
	}
	wg.Wait()
	eventually(t, "two instances and one that stands by are left, and no memory of others", func() bool {
		s := r.Stats()
		return s.Instances <= 3 && s.MemoryBytes <= 3*16<<20
	})
}

// The same with the renderer, whose instances are recycled after every call.
func TestRendersWhileInstancesAreRecycled(t *testing.T) {
	t.Parallel()
	r := newRuntime(t, wasm.Config{})
	digest := load(t, r, guest(t))
	r.RecycleFrom(digest, 1)
	in := synthetic(200, 10)
	c := compileNatively(t, in)
	renders := 200
	if race.Enabled {
		renders = 50
	}
	var wg sync.WaitGroup
	for i := range renders {
		wg.Go(func() {
			req := wasm.Request{Plan: c.plan, Overlay: c.overlay}
			got, err := r.Render(t.Context(), digest, req)
			if want := c.set.Append(nil, 0); err != nil || string(got) != string(want) {
				t.Errorf("render %d = %d bytes, %v, want %d", i, len(got), err, len(want))
			}
		})
	}
	wg.Wait()
	if s := r.Stats(); int(s.Recycled) < renders || s.PlanHits != 0 {
		t.Errorf("%d instances were recycled and %d renders found a plan, want at least %d and 0", s.Recycled, s.PlanHits, renders)
	}
}

func TestClosedRuntimeRefuses(t *testing.T) {
	t.Parallel()
	r, err := wasm.NewRuntime(t.Context(), wasm.Config{CacheDir: cacheDir(t)})
	if err != nil {
		t.Fatal(err)
	}
	digest := load(t, r, canary(t))
	for range 2 {
		if err := r.Close(t.Context()); err != nil {
			t.Fatalf("Close = %v", err)
		}
	}
	if _, err := r.Render(t.Context(), digest, command("hello")); !errors.Is(err, wasm.ErrClosed) {
		t.Errorf("Render = %v, want ErrClosed", err)
	}
	if _, err := r.CompilePlan(t.Context(), digest, wasm.Source{}); !errors.Is(err, wasm.ErrClosed) {
		t.Errorf("CompilePlan = %v, want ErrClosed", err)
	}
	if err := r.Load(t.Context(), digest, canary(t)); !errors.Is(err, wasm.ErrClosed) {
		t.Errorf("Load = %v, want ErrClosed", err)
	}
}
