package wasm

import (
	"context"
	"fmt"
	"time"
)

// look gives away the places of calls that last too long, and closes an instance that compiled and
// has nothing to do, or all of a module that has nothing to do while there is too little memory. It is
// called now and then.
func (p *pool) look(now time.Time) {
	p.mu.Lock()
	for in := range p.busy {
		if now.After(in.due) && p.abandoned < cap(p.slots) {
			p.abandon(in)
		}
	}
	var unused []*instance
	if p.compiler != nil && now.Sub(p.used) > compilerIdle {
		unused, p.compiler = append(unused, p.compiler), nil
	}
	if p.users == 0 && now.Sub(p.used) > p.host.config.ModuleIdle/crowdedPart && p.host.crowded() {
		unused, p.idle = append(unused, p.idle...), nil
	}
	p.mu.Unlock()
	for _, in := range unused {
		p.close(in)
	}
}

// crowdedPart is how much sooner than its code an unused module loses its instances while there
// is too little memory: after 15 seconds of 15 minutes.
const crowdedPart = 60

// crowded reports whether all instances have more memory together than they should.
func (r *Runtime) crowded() bool {
	return r.config.MemoryBytes > 0 && r.counts.memory.Load() > r.config.MemoryBytes
}

// share returns the memory that an instance keeps while there is too little: the bound, over those of
// one module.
func (r *Runtime) share() int64 { return r.config.MemoryBytes / int64(r.config.Instances+1) }

// abandon gives the place of a call away, so that others are served while it lasts; its instance
// is closed when it ends, if it does. No more calls than there are places can be abandoned at a
// time: each takes a processor. p.mu is locked.
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

// shutUnused is shut for a module that is dropped; it reports false, and does nothing, if a call is
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

// free waits until no call is at work, after shut, and frees the instances and the code. If ctx is
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
	return p.engine.close(ctx)
}
