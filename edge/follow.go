package edge

import (
	"strings"
	"time"

	"example.com/livery/edge/ratelimit"
	"example.com/livery/edge/upstream"
	"example.com/livery/feedproto"
)

// How the feed is followed. A poll is short, because its answer is what confirms that everything
// held is current: between two of them nobody would notice a connection that died in silence.
const (
	cursorEvery = 5 * time.Second // how often the cursor is written to disk
)

// follow polls the feed until the edge is stopped, from where the run before this one ended. While
// no feed can be read nothing is confirmed, so that what is held ages by its own rules.
func (e *Edge) follow() {
	cursor, saved, more := e.disk.Cursor(), time.Time{}, false
	pace := pace{changes: ratelimit.New(changesEvery, changesBurst)}
	for e.ctx.Err() == nil {
		u, wait := e.sources.Next(e.ctx, e.now), upstream.PollSeconds
		e.lookAround(u)
		if u != e.sources.Followed() {
			wait = 0 // what is held is in doubt until it answers
		}
		polledAt := e.now()
		limit := feedproto.DefaultLimit
		if more {
			limit = feedproto.MaxLimit
		}
		fed, m, err := u.Changes(e.ctx, cursor, wait, limit)
		if e.settle(u, err, wait > 0 && !fed.Reset && !fed.More); err != nil {
			continue
		}
		e.apply(fed, m, polledAt, wait)
		more = fed.More
		upstream.Sleep(e.ctx, pace.rest(u, fed, polledAt.Add(time.Duration(wait)*time.Second), e.now()), nil)
		if fed.Cursor != cursor && time.Since(saved) >= cursorEvery {
			e.keep(e.disk.PutCursor(fed.Cursor))
			saved = time.Now()
		}
		cursor = fed.Cursor
	}
	e.keep(e.disk.PutCursor(cursor))
}

// lookAround has the upstreams preferred to u looked at, if one failed and has rested.
func (e *Edge) lookAround(u *upstream.Client) {
	for _, preferred := range e.sources.Probes(u, e.now()) {
		e.spawn(func() { preferred.Probe(e.ctx) })
	}
}

// pace holds polls back that are answered before their time.
type pace struct {
	changes ratelimit.Bucket // polls that brought some
	rows    int              // answers in a row that began a log anew, or did not end
}

// The polls that are answered at once. A log that goes on and on, or begins anew each time, is read more and more
// rarely: one of 150,000 entries ends before.
const (
	changesEvery = 100 * time.Millisecond
	changesBurst = 10
	maxResets    = 1
	maxRows      = 16 // of feedproto.MaxLimit entries each
)

// rest returns how long to wait after an answer of u that came at now, to a poll that might have waited until end.
func (p *pace) rest(u *upstream.Client, fed feedproto.Changes, end, now time.Time) time.Duration {
	most := maxRows
	if fed.Reset {
		most = maxResets
	}
	switch {
	case !fed.Reset && !fed.More:
		p.rows = 0
		if len(fed.Changes) == 0 {
			return end.Sub(now)
		}
	case p.rows >= most:
		return u.BackOff()
	default:
		p.rows++
		return 0
	}
	if p.changes.Take(now) {
		return 0
	}
	return changesEvery
}

// settle keeps and tells how a poll went, and whether it was answered as one by which what is held is confirmed.
func (e *Edge) settle(u *upstream.Client, err error, progress bool) {
	before := e.sources.Followed()
	e.sources.Polled(u, err, progress, e.now())
	after := e.sources.Followed()
	e.metrics.following(after != nil)
	e.tell(u, err)
	switch {
	case e.ctx.Err() != nil:
	case after == nil:
		e.complain(u, err)
	case before != after:
		e.complaint = complaint{}
		e.log.Info("following the feed", "upstream", e.sources.Name(after))
	}
}

// complaint is what was told last of why no feed is followed.
type complaint struct {
	reason string // empty: nothing since a feed was followed
	at     time.Time
}

// complainEvery bounds how often a change of the reason is told.
const complainEvery = 10 * time.Second

// complain tells why no feed can be followed, if that is another reason than the one told last.
func (e *Edge) complain(u *upstream.Client, err error) {
	told, now := e.complaint, e.now()
	if reason := e.sources.Name(u) + err.Error(); reason != told.reason && (told.reason == "" || now.Sub(told.at) >= complainEvery) {
		e.complaint = complaint{reason, now}
		e.log.Warn("the feed cannot be followed; serving what is held", "upstream", e.sources.Name(u), "error", err)
	}
}

// apply marks what changed, tells the edges behind this one, and then confirms the rest. The feed was asked
// at polledAt to wait so many seconds for a change.
func (e *Edge) apply(fed feedproto.Changes, m upstream.ResponseMeta, polledAt time.Time, wait int) {
	e.heardTo.Store(&fed.Cursor) // before anything is in doubt: askRefresh
	if fed.Reset {
		e.changed("", "")
	}
	for _, change := range fed.Changes {
		if change.EnvironmentID != "" {
			e.changed(change.EnvironmentID, change.ThemeID)
		}
	}
	e.relay.add(fed)
	e.applied.Store(upstream.Sequence(fed.Cursor))
	if fed.More {
		return // there is more to hear before anything is confirmed
	}
	confirmed := polledAt
	if len(fed.Changes) == 0 && !fed.Reset {
		// The feed had nothing to say until it answered: at the end of the wait, at the earliest.
		confirmed = polledAt.Add(time.Duration(wait) * time.Second)
		if now := e.now(); now.Before(confirmed) {
			confirmed = now
		}
	}
	e.confirmedAt.Store(confirmed.Add(-m.Age).UnixNano())
	if !e.heard.Swap(true) {
		e.spawn(e.preload)
	}
}

// changed puts a Theme in doubt, or every one of an Environment, or every one.
func (e *Edge) changed(environmentID, themeID string) {
	if themeID != "" {
		if t, ok := e.cache.themes.GetEntryQuietly(environmentID + "/" + themeID); ok {
			e.doubt(t.Value)
		}
		return
	}
	for key, t := range e.cache.themes.All() {
		if environmentID == "" || strings.HasPrefix(key, environmentID+"/") {
			e.doubt(t)
		}
	}
}

// tell logs why an upstream could not be followed if TLS is the reason and somebody has to act,
// once until it changes. It is follow's alone.
func (e *Edge) tell(u *upstream.Client, err error) {
	next := upstream.Advice(err)
	if next != "" && next != e.advised[u] && e.ctx.Err() == nil {
		e.log.Warn("an upstream and this edge do not trust each other", "upstream", e.sources.Name(u), "error", err, "next", next)
	}
	if err == nil || next != "" {
		e.advised[u] = next
	}
}
