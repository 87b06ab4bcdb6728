package edge

import (
	"sync"
	"time"

	"example.com/livery/feedproto"
	"example.com/livery/storage/record"
)

// The bounds of what is written to disk later.
const (
	postponeFor   = time.Second
	postponeBytes = 4 << 20 // of blobs
)

// postponed is what a refresh brought and the disk does not have yet. Writing it costs more than
// everything else that an edge does for a publish, so that it waits a moment until everybody has been
// served, and of publish after publish only the newest is written. A process that is killed meanwhile
// finds on disk what was there before, which is asked for anew in any case. It may be used concurrently.
type postponed struct {
	mu     sync.Mutex // guards all below
	themes map[string]*theme
	pairs  map[string]coming
	blobs  map[record.Hash]*comingBlob
	bytes  int
	added  chan struct{} // of one place
}

// coming is a pair that is written with what it is made from.
type coming struct {
	pair  *pair
	state *pairState
}

// comingBlob is a blob that no disk has yet.
type comingBlob struct {
	bytes []byte
	users int // that may yet add a pair that names it
}

func newPostponed() *postponed {
	return &postponed{themes: map[string]*theme{}, pairs: map[string]coming{}, blobs: map[record.Hash]*comingBlob{}, added: make(chan struct{}, 1)}
}

// blob returns a blob that is not on disk yet.
func (p *postponed) blob(name record.Hash) ([]byte, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if held := p.blobs[name]; held != nil {
		return held.bytes, true
	}
	return nil, false
}

// use holds a blob for a pair that will be added before release, or returns false if too many wait.
func (p *postponed) use(name record.Hash, blob []byte) (release func(), ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	held := p.blobs[name]
	if held == nil {
		if p.bytes+len(blob) > postponeBytes {
			return nil, false
		}
		held = &comingBlob{bytes: blob}
		p.blobs[name] = held
		p.bytes += len(blob)
	}
	held.users++
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		held.users--
	}, true
}

// addPair has a pair written, in the place of the state that waits.
func (p *postponed) addPair(one *pair, s *pairState) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pairs[one.key] = coming{one, s}
	p.wake()
}

// addTheme has a Theme written as it is then.
func (p *postponed) addTheme(t *theme) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.themes[t.key] = t
	p.wake()
}

func (p *postponed) wake() {
	select {
	case p.added <- struct{}{}:
	default:
	}
}

// take returns what waits. Its blobs are still held.
func (p *postponed) take() (themes map[string]*theme, pairs map[string]coming) {
	p.mu.Lock()
	defer p.mu.Unlock()
	themes, pairs = p.themes, p.pairs
	p.themes, p.pairs = map[string]*theme{}, map[string]coming{}
	return themes, pairs
}

// release drops the blobs that no pair names that still waits.
func (p *postponed) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	named := map[record.Hash]bool{}
	for _, c := range p.pairs {
		fed := c.state.fed.record()
		named[fed.Plan], named[fed.Overlay] = true, true
	}
	for name, held := range p.blobs {
		if held.users == 0 && !named[name] {
			delete(p.blobs, name)
			p.bytes -= len(held.bytes)
		}
	}
}

// keepPostponed writes what waits, now and then, until the edge is stopped. Shutdown writes the rest.
func (e *Edge) keepPostponed() {
	for {
		select {
		case <-e.postponed.added:
		case <-e.ctx.Done():
			return
		}
		select {
		case <-time.After(postponeFor):
		case <-e.ctx.Done():
			return
		}
		e.writePostponed()
	}
}

// writePostponed writes what waits, as it is now. What is held anew under the same name has been asked for
// since, and was written then.
func (e *Edge) writePostponed() {
	themes, pairs := e.postponed.take()
	for _, c := range pairs {
		if held, ok := e.cache.pairs.GetEntryQuietly(c.pair.key); !ok || held.Value == c.pair {
			e.writePair(c)
		}
	}
	for key, t := range themes {
		if held, ok := e.cache.themes.GetEntryQuietly(key); ok && held.Value != t {
			continue
		}
		if s := t.state.Load(); !s.missing {
			e.keep(e.disk.putTheme(key, kept[feedproto.Theme]{KnownAt: s.at, Record: s.fed}))
		}
	}
	e.postponed.release()
}

// writePair writes a pair after what it is made from, unless it became another, which was written at once,
// or is no more.
func (e *Edge) writePair(c coming) {
	now := c.pair.state.Load()
	if now.missing != "" || now.content != c.state.content || now.fed.Sealed != c.state.fed.Sealed {
		return
	}
	fed := now.fed.record()
	for _, name := range []record.Hash{fed.Plan, fed.Overlay} {
		if blob, ok := e.postponed.blob(name); ok && !e.disk.has(blobName(name)) {
			e.keep(e.disk.putBlob(name, blob))
		}
	}
	e.putPair(c.pair, now)
}
