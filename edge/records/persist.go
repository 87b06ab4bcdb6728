package records

import (
	"sync/atomic"
	"time"

	"example.com/livery/edge/diskcache"
	"example.com/livery/feedproto"
)

// How the disk hears of what memory answers.
const (
	persistUsageEvery = time.Minute
	maxFileWrites     = 8192
	maxRewrites       = 256 // pairs that are written again at one time, because the disk evicted them and they are requested
)

// Requests yields the keys of the pairs that were requested, and in how many seconds since that was set to 0.
func (s *Store) Requests(yield func(key string, times *atomic.Uint32)) {
	for key, p := range s.pairs.All() {
		if p.requests.Load() > 0 {
			yield(key, &p.requests)
		}
	}
}

// PersistUsage tells the disk what was requested, and writes pairs again that it evicted, if what they are made from is
// here. Requested once they are not worth that.
func (s *Store) PersistUsage() {
	missing := map[string]int{}
	now := time.Now() // the file system's clock
	s.Requests(func(key string, times *atomic.Uint32) {
		switch requests := int(times.Swap(0)); {
		case s.Disk.HasAddress(key):
			s.Disk.Touch(key, requests, now)
		case requests > 1 && len(missing) < maxRewrites:
			missing[key] = requests
		}
	})
	for key, requests := range missing {
		s.persistAgain(key)
		s.Disk.Touch(key, requests, now)
	}
	s.persistFiles()
}

// persistFiles writes the files of what was requested since it did so last, with the records that lead to them.
func (s *Store) persistFiles() {
	began, written := s.Now().Unix(), 0
	for _, p := range s.pairs.All() {
		in := p.State().inputs()
		if in == nil || p.requestedAt.Load() < s.filesPersistedAt {
			continue
		}
		n, err := s.Content.Persist(in)
		if !s.Disk.HasAddress(p.Key) {
			p.persist(s)
			n++
		}
		if written += n; err != nil || written >= maxFileWrites {
			s.LogDiskError(err)
			return // the rest the next time
		}
	}
	s.filesPersistedAt = began
}

// persistAgain writes a pair with what it needs, as far as memory and disk have all of it.
func (s *Store) persistAgain(key string) {
	p, ok := s.pairs.Peek(key)
	if !ok {
		return
	}
	if in := p.State().inputs(); in != nil && s.Content.PersistInputs(in.Pair()) {
		p.persist(s)
	}
}

// persist writes the records of the pair and of its Theme, if they exist.
func (p *Pair) persist(s *Store) {
	t, state := p.theme.Load(), p.State()
	if t == nil || state.inputs() == nil {
		return
	}
	if ts := t.State(); ts != nil && ts.Missing == "" {
		s.LogDiskError(s.Disk.PutAddress(t.Key, ts.onDisk(), p.Key, state.onDisk()))
	}
}

// persistSoon has the pair written to disk, unless it becomes another until then, which is written by itself, or ceases to
// exist.
func (p *Pair) persistSoon(s *Store, state *PairState) {
	s.WriteBehind.AddPair(p.Key, state.Inputs.Pair(), func() (diskcache.Record[feedproto.Pair], bool) {
		held, ok := s.pairs.Peek(p.Key)
		newest := p.State()
		if !newest.same(state) || ok && held != p {
			return diskcache.Record[feedproto.Pair]{}, false
		}
		return newest.onDisk(), true
	})
}
