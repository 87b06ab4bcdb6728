package main

import (
	"time"

	"example.com/livery/bench/figures"
)

// figuresOf are the figures of all documents, and the versions of the peers.
func (b *bench) figuresOf(documents []*document) (*figures.Set, error) {
	set := figures.New("peers")
	for _, p := range peers {
		version, err := p.version(b.folder)
		if err != nil {
			return nil, err
		}
		set.Note("%s %s", p.name, version)
	}
	for _, d := range documents {
		whole := "the whole document, " + d.what
		brand := "one more brand, " + d.what
		add := func(name, subject string, s samples) {
			set.AddRounds(figures.Figure{Name: name, Subject: subject, Unit: "ms"}, s.milliseconds())
		}
		add(whole, "livery", d.all)
		if d.tokens >= overridden {
			add(brand, "livery", d.brand)
			add(brand, "livery, compiled", d.held)
		}
		for i, p := range peers {
			b := d.peers[i]
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
	return set, nil
}

func (s samples) milliseconds() (list []float64) {
	for _, d := range s {
		list = append(list, float64(d)/float64(time.Millisecond))
	}
	return list
}
