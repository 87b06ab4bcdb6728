package edge

import (
	"context"
	"math/rand/v2"
	"strings"
	"time"

	"example.com/livery/storage/record"
)

// How the feed is followed. A poll is short, because its answer is what confirms that everything
// held is current: between two of them nobody would notice a connection that died in silence.
const (
	pollSeconds = 1
	pollLimit   = 1000
	minBackoff  = 100 * time.Millisecond
	maxBackoff  = 5 * time.Second
	cursorEvery = 5 * time.Second // how often the cursor is written to disk
)

// hotFor is how recently an address was asked for to be made ready after a change.
const hotFor = 5 * time.Minute

// follow polls the feed until the edge is stopped, from where the run before this one ended. While
// the feed cannot be read nothing is confirmed, so that what is held ages by its own rules.
func (e *Edge) follow() {
	cursor, saved := e.disk.cursor(), time.Time{}
	backoff := minBackoff
	for e.ctx.Err() == nil {
		polledAt := e.now()
		fed, err := e.upstream.changes(e.ctx, cursor, pollSeconds, pollLimit)
		if err != nil {
			e.unfollowed(err, backoff)
			pause(e.ctx, jitter(backoff))
			backoff = min(2*backoff, maxBackoff)
			continue
		}
		backoff = minBackoff
		e.apply(fed, polledAt)
		if fed.Cursor != cursor && time.Since(saved) >= cursorEvery {
			e.keep(e.disk.putCursor(fed.Cursor))
			saved = time.Now()
		}
		cursor = fed.Cursor
	}
	e.keep(e.disk.putCursor(cursor))
}

func (e *Edge) unfollowed(err error, backoff time.Duration) {
	e.metrics.following(false)
	if e.ctx.Err() == nil && backoff == minBackoff { // once for each time the feed is lost
		e.log.Warn("the feed cannot be followed; serving what is held", "error", err)
	}
}

// apply marks what changed, and then confirms the rest.
func (e *Edge) apply(fed record.ChangesFed, polledAt time.Time) {
	e.metrics.following(true)
	if fed.Reset {
		e.changed("", "")
	}
	for _, change := range fed.Changes {
		if change.EnvironmentID != "" {
			e.changed(change.EnvironmentID, change.ThemeID)
		}
	}
	if fed.More {
		return // there is more to hear before anything is confirmed
	}
	confirmed := polledAt
	if len(fed.Changes) == 0 && !fed.Reset {
		// The feed had nothing to say until it answered: at the end of the wait, at the earliest.
		confirmed = polledAt.Add(pollSeconds * time.Second)
		if now := e.now(); now.Before(confirmed) {
			confirmed = now
		}
	}
	e.confirmedAt.Store(confirmed.UnixNano())
	if !e.followed.Swap(true) {
		e.log.Info("following the feed")
		e.spawn(e.preload)
	}
}

// changed puts a Theme in doubt, or every one of an Environment, or every one.
func (e *Edge) changed(environmentID, themeID string) {
	if themeID != "" {
		if t := e.cache.theme([]byte(environmentID + "/" + themeID)); t != nil {
			e.doubt(t)
		}
		return
	}
	for key, t := range e.cache.themes.All() {
		if environmentID == "" || strings.HasPrefix(key, environmentID+"/") {
			e.doubt(t)
		}
	}
}

// doubt marks a Theme, and readies what was asked of it lately before somebody asks again.
func (e *Edge) doubt(t *theme) {
	e.cache.doubt(t)
	if t.refreshing.CompareAndSwap(false, true) {
		e.spawn(func() { e.refresh(t) })
	}
}

// refresh readies a changed Theme, and again where it changed meanwhile.
func (e *Edge) refresh(t *theme) {
	for {
		seen := t.change.Load()
		select {
		case e.refreshes <- struct{}{}:
			e.refreshOnce(t)
			<-e.refreshes
		case <-e.ctx.Done():
		}
		t.refreshing.Store(false)
		if e.ctx.Err() != nil || t.change.Load() == seen || !t.refreshing.CompareAndSwap(false, true) {
			return
		}
	}
}

// refreshOnce asks for the Theme and its hot pairs and makes their files anew.
func (e *Edge) refreshOnce(t *theme) {
	now := e.now()
	hot := t.hot(now.Add(-hotFor))
	if len(hot) == 0 {
		return
	}
	_, s, _, err := e.themeOf([]byte(t.key), now)
	if err != nil || s.missing {
		return
	}
	for _, p := range hot {
		if e.ctx.Err() != nil {
			return
		}
		e.refreshPair(t, s, p, now)
	}
	e.metrics.ahead.Inc()
}

func (e *Edge) refreshPair(t *theme, s *themeState, p *pair, now time.Time) {
	_, held, _, err := e.pairOf(t, s, []byte(p.key), now)
	if err != nil || held.missing != "" {
		return
	}
	for bit := range fileEncodings {
		file, enc := fileEncoding(bit)
		if p.bodies.Load()&(1<<bit) != 0 && s.files[file] {
			_, _, _ = e.bodyOf(held, file, enc, now) // a failure is logged and kept where it happens
		}
	}
}

// jitter spreads pauses, so that edges that lost one origin do not all come back at once.
func jitter(d time.Duration) time.Duration { return d/2 + rand.N(d) }

// pause waits, or less where ctx ends.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
