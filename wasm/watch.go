package wasm

import (
	"context"
	"fmt"
	"time"
)

// look gives away the places of calls that last too long, and closes an instance that compiled and
// has nothing to do. It is called now and then.
func (p *pool) look(now time.Time) {
	p.mu.Lock()
	for in := range p.busy {
		if now.After(in.due) && p.abandoned < cap(p.slots) {
			p.abandon(in)
		}
	}
	var unused *instance
	if p.compiler != nil && now.Sub(p.used) > compilerIdle {
		unused, p.compiler = p.compiler, nil
	}
	p.mu.Unlock()
	if unused != nil {
		p.close(unused)
	}
}

// abandon gives the place of a call away, so that others are served while it lasts; its instance
// is closed when it ends, if it does. No more calls than there are places can be abandoned at a
// time: each takes a processor. p.mu is held.
func (p *pool) abandon(in *instance) {
	in.abandoned = true
	p.abandoned++
	p.host.counts.overdue.Add(1)
	delete(p.busy, in)
	<-p.slots
	p.standBy()
}

// unused returns when the last call began; ok is false while one is at work.
func (p *pool) unused() (since time.Time, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.used, p.users == 0
}

// shut lets no call begin any more; those that come get reason.
func (p *pool) shut(reason error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shutBy != nil {
		return
	}
	p.shutBy = reason
	close(p.closing)
	if p.users == 0 {
		close(p.empty)
	}
}

// shutUnused is shut for a module that is dropped; it reports false, and does nothing, where a call is
// at work.
func (p *pool) shutUnused() bool {
	p.mu.Lock()
	unused := p.users == 0
	if unused && p.shutBy == nil {
		p.shutBy = fmt.Errorf("wasm: the module was dropped: %w", ErrNotLoaded)
		close(p.closing)
		close(p.empty)
	}
	p.mu.Unlock()
	return unused
}

// free waits until no call is at work, after shut, and frees the instances and the code. Where ctx is
// done before, it returns its error and frees nothing.
func (p *pool) free(ctx context.Context) error {
	select {
	case <-p.empty:
	default:
		select {
		case <-p.empty:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	for _, in := range p.idle {
		p.close(in)
	}
	if p.compiler != nil {
		p.close(p.compiler)
	}
	p.idle, p.compiler = nil, nil
	return p.compiled.Close(ctx)
}
