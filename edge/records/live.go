package records

import (
	"slices"
	"time"

	"example.com/livery/edge/live"
	"example.com/livery/edge/upstream"
)

// Topic returns what the event streams of the pair are told.
func (p *Pair) Topic() *live.Topic {
	t := p.topic.Load()
	if t == nil {
		p.topic.CompareAndSwap(nil, new(live.Topic))
		t = p.topic.Load()
		t.Update(p.event)
	}
	if p.gone.Load() {
		t.Close()
	}
	return t
}

// event returns what the files of the pair are made from now; nil: it does not exist.
func (p *Pair) event() *live.Event {
	in := p.State().inputs()
	if in == nil {
		return nil
	}
	return live.NewEvent(in.ID[:], in.Version)
}

// followed reports whether an event stream waits for changes of the pair.
func (p *Pair) followed() bool {
	t := p.topic.Load()
	return t != nil && t.Waits()
}

// endStreams ends the event streams of the Theme's pairs: who may have one was decided by other rules.
func (t *Theme) endStreams() {
	for _, p := range t.all() {
		if topic := p.topic.Load(); topic != nil {
			topic.End()
		}
	}
}

// announceLater has a changed Theme refreshed once more if pairs of it that event streams wait for are not: upstream did
// not answer, and perhaps no request will ask for them.
func (s *Store) announceLater(t *Theme) {
	change := t.change.Load()
	if !slices.ContainsFunc(t.all(), func(p *Pair) bool {
		return p.followed() && (p.State() == nil || p.State().Change != change)
	}) {
		return
	}
	time.AfterFunc(upstream.RetryAfter, func() {
		if s.Context.Err() == nil && t.change.Load() == change {
			s.invalidate(t, s.Now())
		}
	})
}
