package edge

import (
	"slices"
	"sync"
	"time"
)

// hotFor is how recently an address was asked for to be made ready after a change.
const hotFor = 5 * time.Minute

// The bounds of what is made ready at one time.
const (
	refreshThemes = 4 // Themes
	refreshPairs  = 8 // pairs of one of them
)

// doubt puts a Theme in doubt, and has what was asked of it lately made ready before somebody asks
// again.
func (e *Edge) doubt(t *theme) {
	if t.doubt(e.cache.changes.Add(1), e.confirmedAt.Load(), e.now()) {
		e.refreshes.add(t)
	}
}

// waiting is a queue of Themes; each is in it once at most. It may be used concurrently.
type waiting struct {
	mu     sync.Mutex // guards themes
	themes []*theme
	added  chan struct{} // of one place
}

func newWaiting() *waiting { return &waiting{added: make(chan struct{}, 1)} }

func (w *waiting) add(t *theme) {
	w.mu.Lock()
	w.themes = append(w.themes, t)
	w.mu.Unlock()
	w.wake()
}

func (w *waiting) wake() {
	select {
	case w.added <- struct{}{}:
	default:
	}
}

// take returns the Theme that waits for longest, or nil, and wakes another taker if there are more.
func (w *waiting) take() *theme {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.themes) == 0 {
		return nil
	}
	t := w.themes[0]
	w.themes[0], w.themes = nil, w.themes[1:]
	if len(w.themes) > 0 {
		w.wake()
	}
	return t
}

// refreshAll makes changed Themes ready until the edge is stopped. Several run at once.
func (e *Edge) refreshAll() {
	for {
		select {
		case <-e.refreshes.added:
		case <-e.ctx.Done():
			return
		}
		for t := e.refreshes.take(); t != nil && e.ctx.Err() == nil; t = e.refreshes.take() {
			e.refresh(t)
		}
	}
}

// refresh readies a changed Theme; if it changed meanwhile it waits for its turn once more.
func (e *Edge) refresh(t *theme) {
	covered := t.beginRefresh()
	e.refreshOnce(t)
	if t.endRefresh(covered) {
		e.refreshes.add(t)
	}
}

// refreshOnce asks for the Theme and its hot pairs and makes their files anew.
func (e *Edge) refreshOnce(t *theme) {
	// A refresh is let in always: there are few at a time.
	q := question{now: e.now(), exact: true, admitted: true}
	all := t.hot(q.now.Add(-hotFor))
	first, s := e.refreshTheme(t, all, &q)
	if s == nil || s.missing {
		return
	}
	for hot := range slices.Chunk(all, refreshAsked) {
		got := first
		if got == nil || hot[0] != all[0] {
			got = e.askRefresh(e.ctx, t, hot)
		}
		e.refreshPairs(t, s, hot, got, q)
	}
	e.metrics.ahead.Inc()
}

// refreshTheme returns what the Theme is now, and what was told with it of its first hot pairs; nil if
// upstream does not say.
func (e *Edge) refreshTheme(t *theme, hot []*pair, q *question) (got *refreshed, s *themeState) {
	s = t.state.Load()
	if s != nil && e.themeFresh(t, s, q) {
		return nil, s
	}
	told, err := e.shared(q, "theme/"+t.key, func() (any, error) {
		if got = e.askRefresh(e.ctx, t, hot[:min(len(hot), refreshAsked)]); got != nil {
			return e.takeTheme(t, got), nil
		}
		return e.fetchTheme(e.ctx, t)
	})
	if err == nil {
		if s = told.(*themeState); e.themeFresh(t, s, q) {
			return got, s
		}
	}
	if _, s, _, err = e.askTheme(t, s, q); err != nil {
		return nil, nil
	}
	return nil, s
}

// refreshPairs readies pairs of a Theme, several at once.
func (e *Edge) refreshPairs(t *theme, s *themeState, pairs []*pair, got *refreshed, q question) {
	var working sync.WaitGroup
	places := make(chan struct{}, refreshPairs)
	for _, p := range pairs {
		places <- struct{}{}
		working.Go(func() {
			defer func() { <-places }()
			e.refreshPair(t, s, p, got, q)
		})
	}
	working.Wait()
}

// refreshPair fetches what a pair is made from, makes the files that are asked for, and only then
// lets the pair be seen. Of a pair that is made from the same as before nothing is made: what is held
// of its files stays, and what had to make place would only push other files out.
func (e *Edge) refreshPair(t *theme, s *themeState, p *pair, got *refreshed, q question) {
	held := p.state.Load()
	if e.ctx.Err() != nil || held != nil && e.pairFresh(t, s, p, held, &q) {
		return
	}
	var prepared *pairState
	prepare := func(state *pairState) {
		prepared = state
		if held == nil || held.inputs.ID != state.inputs.ID {
			e.makeWanted(s, p, state)
		}
	}
	made, err := e.shared(&q, "pair/"+p.key, func() (any, error) {
		if fed, ok := got.pair(t, p); ok {
			return e.takePair(t, p, got, fed, prepare)
		}
		return e.fetchPair(e.ctx, t, p, prepare)
	})
	if err == nil && made != prepared { // the flight was a request's, which makes one file only
		prepare(made.(*pairState))
	}
}

// makeWanted makes the files of a pair in the codings that were asked for, if they are not held. A
// failure is logged and kept where it happens.
func (e *Edge) makeWanted(s *themeState, p *pair, state *pairState) {
	q := question{now: e.now(), admitted: true}
	for bit := range fileEncodings {
		f, enc := fileEncoding(bit)
		if p.wanted.Load()&(1<<bit) != 0 && state.missing == "" && s.files[f] && e.ctx.Err() == nil {
			_, _, _ = e.bodyOf(state, f, enc, &q)
		}
	}
}
