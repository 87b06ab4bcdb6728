package origin_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"example.com/livery/origin"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// pausedStore runs a function between the decision of a request and its transaction, or while it is decided.
type pausedStore struct {
	storage.Store
	mu           sync.Mutex // guards the functions; each runs once
	beforeUpdate func()     // before the next transaction of an Environment
	duringView   func()     // after a snapshot was read, before it is released
	blobReads    atomic.Int32
}

func newPaused(t *testing.T) (*testOrigin, *pausedStore) {
	t.Helper()
	s := &pausedStore{}
	h := newTestOrigin(t, func(c *origin.Config) {
		s.Store = c.Store
		c.Store = s
	})
	return h, s
}

// take returns the function that *f holds, and empties it.
func (s *pausedStore) take(f *func()) func() {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := *f
	*f = nil
	if taken == nil {
		return func() {}
	}
	return taken
}

func (s *pausedStore) set(f *func(), to func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*f = to
}

func (s *pausedStore) Update(ctx context.Context, scope string, fn func(storage.Tx) (record.Change, error)) (storage.Cursor, error) {
	if scope != storage.Global {
		s.take(&s.beforeUpdate)()
	}
	return s.Store.Update(ctx, scope, fn)
}

func (s *pausedStore) View(ctx context.Context, fn func(storage.Reader) error) error {
	return s.Store.View(ctx, func(r storage.Reader) error {
		err := fn(r)
		s.take(&s.duringView)()
		return err
	})
}

func (s *pausedStore) Blob(ctx context.Context, name record.Hash) ([]byte, error) {
	s.blobReads.Add(1)
	return s.Store.Blob(ctx, name)
}

// What is committed between the decision and the transaction of a request is neither lost nor undone (S165 S171 S182
// S185, decisions 1.4, 3.1, 5.4).
func TestOvertakenDecisionsAreMadeAgain(t *testing.T) {
	t.Parallel()
	type request struct{ method, path, body string }
	const blue, override = `[{"operation":"add","path":"/blue","value":{"$value":1}}]`, `[{"operation":"set","path":"red","value":"#000000"}]`
	publish := request{"POST", "/tokens/publish", ""}
	edit := func(operations string) request { return request{"PATCH", "/tokens", ops(operations)} }
	type scene struct {
		*testOrigin
		theme, variant string
	}
	draftOf := func(s scene, path string) string { return listedTokens(t, s.want(200, "GET", path+"/tokens", "")) }
	for name, c := range map[string]struct {
		request   request
		ofVariant bool
		between   func(s scene)
		want      int
		after     func(s scene) any
		state     any
	}{
		"a publish keeps a Variant's edit": {
			publish, false, func(s scene) { s.patch(s.variant, override) }, 200,
			func(s scene) any { return draftOf(s, s.variant) }, "red=#000000",
		},
		"a publish leaves a draft to a Variant made meanwhile": {
			publish, false, func(s scene) { s.variant = s.testOrigin.variant(s.theme, "new") }, 200,
			func(s scene) any { return s.countKeys('d') }, 2,
		},
		"a publish does not bring a Variant back": {
			publish, false, func(s scene) { s.want(200, "DELETE", s.variant, "") }, 200,
			func(s scene) any { return s.countKeys('V') + s.countKeys('d') }, 0,
		},
		"a publish takes an edit along": {
			publish, false, func(s scene) { s.patch(s.theme, blue) }, 200,
			func(s scene) any { return listedTokens(t, s.want(200, "GET", s.theme+"/tokens?version=1", "")) }, "red=#ff0000 blue=1",
		},
		"a publish finds the draft published": {
			publish, false, func(s scene) { s.testOrigin.publish(s.theme) }, 409,
			func(s scene) any { return s.countKeys('N') }, 1,
		},
		"a publish finds the Theme deleted": {
			publish, false, func(s scene) { s.want(200, "DELETE", s.theme, "") }, 404,
			func(s scene) any { return s.countKeys('H') + s.countKeys('N') }, 0,
		},
		"a publish of a Variant that had nothing to publish stays refused": {
			publish, true, func(s scene) { s.testOrigin.publish(s.theme) }, 409,
			func(s scene) any { return s.want(200, "GET", s.variant, "").object(t)["latestVersion"] }, nil,
		},
		"an edit of the Theme finds another": {
			edit(blue), false, func(s scene) { s.patch(s.theme, blue) }, 409,
			func(s scene) any { return draftOf(s, s.theme) }, "red=#ff0000 blue=1",
		},
		"an edit of the Theme finds the draft changed before its operation refused": {
			edit(`[{"operation":"remove","path":"/red"}]`), false,
			func(s scene) {
				s.patch(s.theme, `[{"operation":"remove","path":"/red"},{"operation":"add","path":"/blue","value":{"$value":1}}]`)
			}, 409,
			func(s scene) any { return draftOf(s, s.theme) }, "blue=1",
		},
		"an edit of the Theme keeps its new name": {
			edit(blue), false, func(s scene) { s.want(200, "PUT", s.theme, `{"slug":"brand","displayName":"New"}`) }, 200,
			func(s scene) any { return s.want(200, "GET", s.theme, "").object(t)["displayName"] }, "New",
		},
		"an edit of a Variant goes with one of its Theme": {
			edit(override), true, func(s scene) { s.patch(s.theme, blue) }, 200,
			func(s scene) any { return draftOf(s, s.variant) }, "red=#000000",
		},
		"an edit of a Variant finds the draft that a publish left": {
			edit(override), true, func(s scene) { s.testOrigin.publish(s.theme) }, 409,
			func(s scene) any { return draftOf(s, s.variant) }, "",
		},
		"an edit of a Variant finds it deleted": {
			edit(override), true, func(s scene) { s.want(200, "DELETE", s.variant, "") }, 404,
			func(s scene) any { return s.countKeys('V') + s.countKeys('d') }, 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, store := newPaused(t)
			s := scene{testOrigin: h}
			s.theme = h.theme("brand")
			s.variant = h.variant(s.theme, "dark")
			etag := h.patch(s.theme, red)
			path := s.theme + c.request.path
			switch {
			case c.ofVariant:
				path = s.variant + c.request.path
			case c.request.method == "PATCH":
				path += "?etag=" + etag
			}
			store.set(&store.beforeUpdate, func() { c.between(s) })
			if r := h.do(owner, c.request.method, path, c.request.body); r.status != c.want {
				t.Errorf("answer = %d %s, want %d", r.status, r.body, c.want)
			}
			if got := c.after(s); got != c.state {
				t.Errorf("afterwards there is %v, want %v", got, c.state)
			}
		})
	}
}

// A decision holds up no other writer: while one is made, the same Environment and the same Theme are written to. As the
// Theme is another then, the decision is made once more.
func TestDecisionsHoldUpNoWriter(t *testing.T) {
	t.Parallel()
	h, store := newPaused(t)
	theme, other := h.theme("brand"), h.theme("other")
	etag := h.patch(theme, red)
	store.set(&store.duringView, func() { // the request is authorised
		store.set(&store.duringView, func() { // it is decided
			h.patch(other, red)
			h.want(200, "PUT", theme, `{"slug":"brand","displayName":"Meanwhile"}`)
		})
	})
	h.want(200, "PATCH", theme+"/tokens?etag="+etag, ops(`[{"operation":"add","path":"/blue","value":{"$value":1}}]`))
	if got := listedTokens(t, h.want(200, "GET", theme+"/tokens", "")); got != "red=#ff0000 blue=1" {
		t.Errorf("the Theme holds %s, want both edits", got)
	}
	if got := h.want(200, "GET", theme, "").object(t)["displayName"]; got != "Meanwhile" {
		t.Errorf("displayName = %v, want what was written meanwhile", got)
	}
}

// A decision that was not overtaken is made once, and one that refuses never begins a transaction.
func TestDecisionsAreMadeOnce(t *testing.T) {
	t.Parallel()
	h, store := newPaused(t)
	theme := h.theme("brand")
	h.patch(theme, red)
	h.publish(theme)
	reads := func(method, path, body string, status int) int32 {
		before := store.blobReads.Load()
		h.want(status, method, path, body)
		return store.blobReads.Load() - before
	}
	add := func(name string) string {
		return ops(`[{"operation":"add","path":"/` + name + `","value":{"$value":1}}]`)
	}
	once := reads("PATCH", theme+"/tokens", add("a"), 200)
	etag, _ := h.want(200, "GET", theme+"/tokens", "").object(t)["etag"].(string)
	store.set(&store.beforeUpdate, func() { h.want(200, "PUT", theme, `{"slug":"brand","displayName":"Meanwhile"}`) })
	if twice := reads("PATCH", theme+"/tokens?etag="+etag, add("b"), 200); once < 1 || twice != 2*once {
		t.Errorf("the document was read %d times for an edit and %d times for one that was overtaken, want twice as often", once, twice)
	}
	store.set(&store.beforeUpdate, func() { t.Error("a refusal began a transaction") })
	h.want(409, "PATCH", theme+"/tokens?etag=stale", add("c"))
}

// Decision 1.8: if the key is known the first answer comes back, though the state would refuse the request by now.
func TestKnownKeysAreNotDecidedBySnapshots(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	h.patch(theme, red)
	first := h.want(200, "POST", theme+"/tokens/publish", "", "Idempotency-Key", "k")
	if again := h.want(200, "POST", theme+"/tokens/publish", "", "Idempotency-Key", "k"); again.body != first.body || again.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("the second answer = %v %s, want the first", again.header, again.body)
	}
	h.do(owner, "POST", theme+"/tokens/publish", "", "Idempotency-Key", "").refuses(t, 400, "validation") // before the state (decision 1.4)
	h.do(owner, "POST", theme+"/tokens/publish", "").refuses(t, 409, "conflict")
}
