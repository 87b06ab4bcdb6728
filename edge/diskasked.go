package edge

import (
	"sync/atomic"
	"time"

	"example.com/livery/edge/diskcache"

	"example.com/livery/feedproto"
	"example.com/livery/storage/record"
)

// How the disk hears of what memory answers.
const (
	tellDiskEvery = time.Minute
	keptAgainMost = 256 // pairs that are written again at one time, because the disk gave them up and they are asked for
)

// askedPairs yields the keys of the pairs that were asked for, and in how many seconds since that was set to 0.
func (e *Edge) askedPairs(yield func(key string, times *atomic.Uint32)) {
	for key, p := range e.cache.pairs.All() {
		if p.asks.Load() > 0 {
			yield(key, &p.asks)
		}
	}
}

// keepAsked has the disk keep what is asked for most, until the edge is stopped. Shutdown tells it the rest.
func (e *Edge) keepAsked() {
	for {
		select {
		case <-time.After(tellDiskEvery):
			e.tellDisk()
		case <-e.ctx.Done():
			return
		}
	}
}

// tellDisk tells the disk what was asked for, and writes pairs again that it gave up, if what they are made from is
// here. Asked for once they are not worth that.
func (e *Edge) tellDisk() {
	missing := map[string]int{}
	now := time.Now() // the file system's clock
	e.askedPairs(func(key string, times *atomic.Uint32) {
		switch asked := int(times.Swap(0)); {
		case e.disk.HasPair(key):
			e.disk.Touch(key, asked, now)
		case asked > 1 && len(missing) < keptAgainMost:
			missing[key] = asked
		}
	})
	for key, asked := range missing {
		e.keepAgain(key)
		e.disk.Touch(key, asked, now)
	}
}

// keepAgain writes a pair with what it needs, as far as memory and disk have all of it.
func (e *Edge) keepAgain(key string) {
	entry, ok := e.cache.pairs.GetEntryQuietly(key)
	if !ok {
		return
	}
	p, t := entry.Value, entry.Value.theme.Load()
	s := p.state.Load()
	if t == nil || s == nil || s.missing != "" || !e.content.HasInputs(&s.inputs) {
		return
	}
	fed := s.inputs.Pair()
	for _, name := range []record.Hash{fed.Plan, fed.Overlay} {
		if held, ok := e.content.HeldInput(name); ok && !e.disk.HasBlob(name) {
			e.keep(e.disk.PutBlob(name, held))
		}
	}
	if ts := t.state.Load(); ts != nil && !ts.missing && !e.disk.HasTheme(t.key) {
		e.keep(e.disk.PutTheme(t.key, diskcache.Record[feedproto.Theme]{KnownAt: ts.at, Value: ts.fed}))
	}
	e.putPair(p, s)
}
