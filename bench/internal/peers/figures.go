package peers

import (
	"time"

	"example.com/livery/bench/internal/figures"
)

// addFigures adds the figures of all documents, and the versions of the peers.
func (b *bench) addFigures(set *figures.Set, documents []*document) error {
	for _, p := range peers {
		version, err := p.version(b.folder)
		if err != nil {
			return err
		}
		set.Note("%s %s", p.name, version)
	}
	for _, d := range documents {
		whole := "the whole document, " + d.what
		brand := "one more brand, " + d.what
		add := func(name, subject string, s samples) {
			set.AddRounds(figures.Figure{Name: name, Subject: subject, Unit: "ms"}, figures.Times(s).Milliseconds())
		}
		add(whole, "livery", d.all)
		if d.tokens >= overridden {
			add(brand, "livery", d.brand)
			add(brand, "livery, to tokens.css", d.compile)
			add(brand, "livery, compiled", d.compiledOverlay)
		}
		for i, p := range peers {
			b := &d.peers[i]
			if b.refused != "" {
				set.Note("%s does not build %s: %s", p.name, d.what, b.refused)
				continue
			}
			add(whole, p.name, b.work)
			add(whole+", with the start of the process", p.name, b.whole)
			if d.tokens >= overridden {
				add(brand, p.name, b.work)
			}
		}
	}
	return nil
}

// samples are the times of one thing.
type samples figures.Times

// add takes one sample of f, the mean of as many calls as last long enough for a clock. A first call is not counted: it
// warms the caches that a peer's process before it has emptied.
func (s *samples) add(f func()) {
	f()
	began, calls := time.Now(), 0
	for ; calls == 0 || time.Since(began) < shortest; calls++ {
		f()
	}
	*s = append(*s, time.Since(began)/time.Duration(calls))
}
