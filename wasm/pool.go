package wasm

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"example.com/livery/wasm/abi"
)

const (
	// compilerIdle is how long an instance that compiled waits for the next document: it holds the
	// last one, which is much.
	compilerIdle = 30 * time.Second

	// compileOverdue is how long a compilation may take before it loses its place.
	compileOverdue = time.Minute
)

// pool holds the instances of one module: as many as work at one time, and one more that stands by.
// They are made as they are needed, the one that stands by in the background. It may be used
// concurrently.
type pool struct {
	host    *Runtime
	engine  *engine
	slots   chan struct{} // one element for each instance at work
	closing chan struct{} // closed when no call may begin any more
	empty   chan struct{} // closed when closing, and no call or start is at work
	recycle int           // an instance with so many bytes of linear memory is not kept

	mu        sync.Mutex // guards what follows
	idle      []*instance
	busy      map[*instance]struct{}
	compiler  *instance // idle, and apart from the others; nil: none
	starting  bool      // an instance is being made in the background
	users     int       // calls and starts at work
	abandoned int       // instances whose place was given away while their call lasts
	used      time.Time // when the last call began
	shutBy    error     // why no call may begin any more; nil: it may
}

// newPool compiles nothing; it starts the first instance, so that a module that breaks the contract
// is refused here, and a second one in the background.
func newPool(ctx context.Context, host *Runtime, e *engine) (*pool, error) {
	p := &pool{
		host:    host,
		engine:  e,
		slots:   make(chan struct{}, host.config.Instances),
		closing: make(chan struct{}),
		empty:   make(chan struct{}),
		recycle: 2*host.config.PlanBytes + 32<<20,
		busy:    map[*instance]struct{}{},
		used:    time.Now(),
	}
	first, err := p.start(ctx, renderMemory)
	if err != nil {
		return nil, err
	}
	p.idle = []*instance{first}
	p.standBy()
	return p, nil
}

// start makes an instance whose linear memory is at most limit bytes.
func (p *pool) start(ctx context.Context, limit uint64) (*instance, error) {
	began := time.Now()
	in, err := newInstance(withMemory(ctx, limit, &p.host.counts.memory), p.engine.runtime, p.engine.compiled)
	if err != nil {
		p.host.counts.failedStart.Add(1)
		return nil, err
	}
	p.host.counts.instances.Add(1)
	p.host.counts.started.Add(1)
	p.host.counts.startTime.Add(int64(time.Since(began)))
	return in, nil
}

func (p *pool) close(in *instance) {
	in.plans.forget(&p.host.counts)
	p.host.counts.instances.Add(-1)
	_ = in.module.Close(context.Background()) // frees memory, and cannot fail for a module without files
}

// standBy makes an instance in the background if too few are idle: one has to stand by beside the calls
// at work, and beside the next call if none is. p.mu is locked, or p not shared yet.
func (p *pool) standBy() {
	wanted := 1
	if len(p.busy) == 0 {
		wanted = 2
	}
	if p.starting || p.shutBy != nil || len(p.idle) >= wanted || len(p.idle)+len(p.busy) > cap(p.slots) {
		return
	}
	p.starting = true
	p.users++
	go func() {
		in, err := p.start(context.Background(), renderMemory)
		p.mu.Lock()
		p.starting = false
		if err == nil {
			in = p.keep(in)
			p.standBy()
		}
		p.mu.Unlock()
		if in != nil {
			p.close(in)
		}
		p.leave()
	}()
}

// keep puts an instance among the idle ones and returns nil, or returns it if there are enough.
// p.mu is locked.
func (p *pool) keep(in *instance) *instance {
	if len(p.idle)+len(p.busy) > cap(p.slots) {
		return in
	}
	p.idle = append(p.idle, in)
	return nil
}

// enter counts a call; leave must follow if the error is nil.
func (p *pool) enter() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shutBy != nil {
		return p.shutBy
	}
	p.users++
	p.used = time.Now()
	return nil
}

func (p *pool) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.users--
	if p.users == 0 && p.shutBy != nil {
		close(p.empty)
	}
}

// admit waits for a place among the calls at work until ctx is done.
func (p *pool) admit(ctx context.Context) error {
	select {
	case p.slots <- struct{}{}:
		return nil
	default:
	}
	select {
	case p.slots <- struct{}{}:
		return nil
	case <-p.closing:
		return p.shutBy
	case <-ctx.Done():
		return fmt.Errorf("wasm: wait for an instance: %w", context.Cause(ctx))
	}
}

// render runs one request on an instance of its own.
func (p *pool) render(ctx context.Context, j job) ([]byte, error) {
	take := func(ctx context.Context) (*instance, error) { return p.take(ctx, j.key) }
	return p.work(ctx, take, p.give, func(ctx context.Context, in *instance) ([]byte, error) {
		return in.renderFile(ctx, j, p.host.config.PlanBytes, &p.host.counts)
	})
}

// compile compiles one bundle on an instance that does nothing else.
func (p *pool) compile(ctx context.Context, kind abi.Kind, s Source) ([]byte, error) {
	return p.work(ctx, p.takeCompiler, p.giveCompiler, func(ctx context.Context, in *instance) ([]byte, error) {
		return in.compileBundle(ctx, kind, s)
	})
}

// work takes an instance, has it do what is asked, and gives it back. It waits for a place
// until ctx is done; a call that has begun is not interrupted.
func (p *pool) work(ctx context.Context, take func(context.Context) (*instance, error), give func(*instance, error), do func(context.Context, *instance) ([]byte, error)) ([]byte, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	if err := p.admit(ctx); err != nil {
		return nil, err
	}
	in, err := take(ctx)
	if err != nil {
		<-p.slots
		return nil, fmt.Errorf("wasm: %w: %w", ErrFailed, err)
	}
	answer, err := do(context.WithoutCancel(ctx), in)
	if refused := (*RefusedError)(nil); err != nil && !errors.As(err, &refused) {
		p.host.counts.fail(err)
		give(in, err)
		return nil, fmt.Errorf("wasm: %w: %w", ErrFailed, err)
	}
	give(in, nil)
	return answer, err
}

// take returns an idle instance that holds the plan, or the one that holds least, or a new one. If ctx is done only the
// first will do.
func (p *pool) take(ctx context.Context, key planKey) (*instance, error) {
	p.mu.Lock()
	best := -1
	for i, in := range p.idle {
		if in.plans.has(key) {
			best = i
			break
		}
		if best < 0 || in.plans.bytes < p.idle[best].plans.bytes {
			best = i
		}
	}
	if ctx.Err() != nil && (best < 0 || !p.idle[best].plans.has(key)) {
		p.mu.Unlock()
		return nil, fmt.Errorf("find an instance that holds the plan: %w", context.Cause(ctx))
	}
	if best >= 0 {
		in := p.idle[best]
		p.idle = append(p.idle[:best], p.idle[best+1:]...)
		p.begin(in, p.host.config.Overdue)
		p.standBy()
		p.mu.Unlock()
		return in, nil
	}
	p.mu.Unlock()
	in, err := p.start(context.WithoutCancel(ctx), renderMemory)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	p.begin(in, p.host.config.Overdue)
	p.mu.Unlock()
	return in, nil
}

// begin notes that an instance works, and how long it may. p.mu is locked.
func (p *pool) begin(in *instance, longest time.Duration) {
	in.due = time.Now().Add(longest)
	p.busy[in] = struct{}{}
}

// give takes an instance back after its call. Nothing that failed, grew too large or lost its place is
// used again; the one that stands by is in its place at once.
func (p *pool) give(in *instance, failed error) {
	grown := p.outgrown(in)
	p.mu.Lock()
	surplus := in
	p.end(in)
	if failed == nil && !grown && !in.abandoned {
		surplus = p.keep(in)
	}
	p.standBy()
	p.mu.Unlock()
	if surplus != nil {
		if failed == nil {
			p.host.counts.recycled.Add(1)
		}
		p.close(surplus)
	}
}

// outgrown reports whether an instance has more memory than one should keep.
func (p *pool) outgrown(in *instance) bool {
	size := in.memoryBytes()
	return size >= p.recycle || p.host.crowded() && int64(size) > p.host.share()
}

// end takes an instance out of the busy ones and frees its place, unless that was given away. p.mu
// is locked.
func (p *pool) end(in *instance) {
	if in.abandoned {
		p.abandoned--
		return
	}
	delete(p.busy, in)
	<-p.slots
}

// takeCompiler returns the instance that compiled last, which holds that document, or a new one.
func (p *pool) takeCompiler(ctx context.Context) (*instance, error) {
	p.mu.Lock()
	in := p.compiler
	p.compiler = nil
	p.mu.Unlock()
	if in == nil {
		started, err := p.start(context.WithoutCancel(ctx), compileMemory)
		if err != nil {
			return nil, err
		}
		in = started
	}
	p.mu.Lock()
	p.begin(in, max(compileOverdue, p.host.config.Overdue))
	p.mu.Unlock()
	return in, nil
}

func (p *pool) giveCompiler(in *instance, failed error) {
	grown := p.outgrown(in)
	p.mu.Lock()
	p.end(in)
	isReusable := failed == nil && !grown && !in.abandoned && p.compiler == nil && p.shutBy == nil
	if isReusable {
		p.compiler = in
	}
	p.mu.Unlock()
	if !isReusable {
		if failed == nil {
			p.host.counts.recycled.Add(1)
		}
		p.close(in)
	}
}
