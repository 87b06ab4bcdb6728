package edge

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"example.com/livery/edge/diskcache"
	"example.com/livery/edge/records"
	"example.com/livery/edge/relay"
	"example.com/livery/edge/upstream"
	"example.com/livery/feedproto"
	"example.com/livery/httpd/guard"
)

// cursorEvery is how often the cursor is written to disk.
const cursorEvery = 5 * time.Second

// follower follows the feed of an upstream: what changes is invalidated in the records, what does not is confirmed, and the
// edges behind this one are told.
type follower struct {
	ctx          context.Context
	upstreams    *upstream.Pool
	disk         *diskcache.Cache
	records      *records.Store
	changes      *relay.Log
	metrics      *metrics
	spawn        func(func()) bool
	whole        func() // is spawned once, when the feed was heard to its end
	logDiskError func(error)
	now          func() time.Time
	log          *slog.Logger

	heard   atomic.Bool                 // the feed was heard to its end at least once; set by apply
	applied atomic.Uint64               // number of the newest change that is applied; set by apply
	logged  loggedReason                // run's alone, as advised
	advised map[*upstream.Client]string // what was last logged to do about TLS
}

// run polls the feed until the edge is stopped, from where the run before this one ended. While
// no feed can be read nothing is confirmed, so that what is held ages by its own rules. A poll is short, because its answer
// is what confirms: between two of them a connection that died in silence would go unnoticed.
func (f *follower) run() {
	cursor, saved, more := f.disk.Cursor(), time.Time{}, false
	pace := pace{changes: guard.NewBucket(changesEvery, changesBurst)}
	for f.ctx.Err() == nil {
		u, wait := f.upstreams.Next(f.ctx, f.now), upstream.PollSeconds
		f.probePreferred(u)
		if u != f.upstreams.Followed() {
			wait = 0 // what is held is not confirmed until it answers
		}
		polledAt := f.now()
		limit := feedproto.DefaultLimit
		if more {
			limit = feedproto.MaxLimit
		}
		fed, m, err := u.Changes(f.ctx, cursor, wait, limit)
		if f.polled(u, err, wait > 0 && !fed.Reset && !fed.More); err != nil {
			continue
		}
		f.apply(fed, m, polledAt, wait)
		more = fed.More
		upstream.Sleep(f.ctx, pace.pause(u, fed, polledAt.Add(time.Duration(wait)*time.Second), f.now()), nil)
		if fed.Cursor != cursor && time.Since(saved) >= cursorEvery {
			f.logDiskError(f.disk.PutCursor(fed.Cursor))
			saved = time.Now()
		}
		cursor = fed.Cursor
	}
	f.logDiskError(f.disk.PutCursor(cursor))
}

// probePreferred probes the upstreams preferred to u whose back-off has ended.
func (f *follower) probePreferred(u *upstream.Client) {
	for _, preferred := range f.upstreams.Probes(u, f.now()) {
		f.spawn(func() { preferred.Probe(f.ctx) })
	}
}

// pace holds polls back that are answered before their time.
type pace struct {
	changes guard.Bucket // polls that brought some
	rows    int          // answers in a row that began a log anew, or did not end
}

// The polls that are answered at once. A log that goes on and on, or begins anew each time, is read more and more
// rarely: one of 150,000 entries ends before.
const (
	changesEvery = 100 * time.Millisecond
	changesBurst = 10
	maxResets    = 1
	maxRows      = 16 // of feedproto.MaxLimit entries each
)

// pause returns how long to wait after an answer of u that came at now, to a poll that might have waited until end.
func (p *pace) pause(u *upstream.Client, fed feedproto.Changes, end, now time.Time) time.Duration {
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

// polled notes and logs how a poll went; progress says that it waited for changes, or brought the last of them.
func (f *follower) polled(u *upstream.Client, err error, progress bool) {
	before := f.upstreams.Followed()
	f.upstreams.Polled(u, err, progress, f.now())
	after := f.upstreams.Followed()
	f.metrics.following(after != nil)
	f.advise(u, err)
	switch {
	case f.ctx.Err() != nil:
	case after == nil:
		f.logReason(u, err)
	case before != after:
		f.logged = loggedReason{}
		f.log.Info("following the feed", "upstream", f.upstreams.Name(after))
	}
}

// loggedReason is what was logged last of why no feed is followed.
type loggedReason struct {
	reason string // empty: nothing since a feed was followed
	at     time.Time
}

// logReasonEvery bounds how often a change of the reason is logged.
const logReasonEvery = 10 * time.Second

// logReason logs why no feed can be followed, if that is another reason than the one logged last.
func (f *follower) logReason(u *upstream.Client, err error) {
	last, now := f.logged, f.now()
	if reason := f.upstreams.Name(u) + err.Error(); reason != last.reason && (last.reason == "" || now.Sub(last.at) >= logReasonEvery) {
		f.logged = loggedReason{reason, now}
		f.log.Warn("the feed cannot be followed; serving what is held", "upstream", f.upstreams.Name(u), "error", err)
	}
}

// apply takes an answer of the feed over to the records, and tells the edges behind this one. The feed was asked at polledAt
// to wait so many seconds for a change.
func (f *follower) apply(fed feedproto.Changes, m upstream.ResponseMeta, polledAt time.Time, wait int) {
	confirmed := polledAt
	if len(fed.Changes) == 0 && !fed.Reset {
		// The feed had nothing to say until it answered: at the end of the wait, at the earliest.
		confirmed = polledAt.Add(time.Duration(wait) * time.Second)
		if now := f.now(); now.Before(confirmed) {
			confirmed = now
		}
	}
	confirmed = confirmed.Add(-m.Age)
	if fed.More {
		confirmed = time.Time{} // there is more to hear before anything is confirmed
	}
	f.records.Heard(fed, confirmed)
	f.changes.Add(fed)
	f.applied.Store(upstream.Sequence(fed.Cursor))
	if !fed.More && !f.heard.Swap(true) {
		f.spawn(f.whole)
	}
}

// advise logs why an upstream could not be followed if TLS is the reason and the operator has to act, once until that changes.
func (f *follower) advise(u *upstream.Client, err error) {
	next := upstream.Advice(err)
	if next != "" && next != f.advised[u] && f.ctx.Err() == nil {
		f.log.Warn("an upstream and this edge do not trust each other", "upstream", f.upstreams.Name(u), "error", err, "next", next)
	}
	if err == nil || next != "" {
		f.advised[u] = next
	}
}
