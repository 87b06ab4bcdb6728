package diskcache

import (
	"errors"
	"os"
	"slices"
)

// makeRoom gives dead bytes back until so many more are within the budget, as far as there are any. l.mu is held.
func (l *recordLog) makeRoom(size int64) error {
	for l.size.Load()+size > l.usable() {
		s := l.mostDead()
		if s == nil && l.drops == 0 {
			return nil
		}
		if s == nil { // what was dropped need not be said any more once nothing older is left
			s = l.segments[0]
		}
		if err := l.compact(s, false); err != nil {
			return err
		}
	}
	return nil
}

// giveBack gives the dead bytes of the oldest segments back, so many at least as far as there are, on a file system that
// has no room for what is of use beside them: that is in memory meanwhile, and lost if the process ends. Of the oldest
// segment nothing older can come back for it.
func (l *recordLog) giveBack(size int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	newest := l.number
	for wanted := l.size.Load() - size; l.size.Load() > wanted && len(l.segments) > 0 && l.segments[0].number <= newest; {
		if err := l.compact(l.segments[0], true); err != nil {
			return err
		}
	}
	return nil
}

// mostDead returns the segment with the most dead bytes, or nil. l.mu is held.
func (l *recordLog) mostDead() (most *segment) {
	var dead int64
	for i, s := range l.segments {
		n := s.size - s.live.Load() - int64(len(segmentMagic))
		if i > 0 {
			n -= s.drops
		}
		if n > dead {
			most, dead = s, n
		}
	}
	return most
}

// compact moves what is of use in a segment to the newest one, and deletes it: before, if the disk has no room for both.
// l.mu is held.
func (l *recordLog) compact(s *segment, deleteFirst bool) error {
	kept, moved, err := l.worth(s)
	if err != nil {
		return err
	}
	i := slices.Index(l.segments, s)
	l.segments = slices.Delete(l.segments, i, i+1)
	if deleteFirst {
		l.delete(s)
	}
	for len(moved) > 0 && err == nil { // in one write, unless a record is large
		moved, err = l.moveSome(kept, moved)
	}
	switch {
	case err == nil && !deleteFirst:
		l.delete(s)
	case err != nil && !deleteFirst:
		l.segments = slices.Insert(l.segments, i, s)
	}
	for _, m := range moved { // the disk had no room for it
		if deleteFirst && m.from.segment != nil {
			l.owner.drop(m.name)
		}
	}
	return err
}

// delete deletes the file of a segment that is not listed any more. l.mu is held.
func (l *recordLog) delete(s *segment) {
	_ = errors.Join(s.file.Close(), os.Remove(l.path(s.number))) // left: the next start finds it
	l.size.Add(-s.size)
	l.drops -= s.drops
}

// movedRecord is a record that goes to another segment.
type movedRecord struct {
	name     string
	from     place // of no segment: it says that something was dropped
	at, size int   // in the text
}

// worth returns the records of a segment that are of use, as they are written. That something was dropped is of use as long
// as an older segment may have it. l.mu is held.
func (l *recordLog) worth(s *segment) (kept []byte, moved []movedRecord, err error) {
	if s.live.Load() == 0 && s == l.segments[0] {
		return nil, nil, nil
	}
	text := make([]byte, s.size)
	if _, err := s.file.ReadAt(text, 0); err != nil {
		return nil, nil, err
	}
	for at := len(segmentMagic); at < len(text); {
		h, ok := readHead(text[at:])
		if !ok || !checkHead(text[at:], h) || h.size() > len(text)-at {
			break // it was damaged since it was opened
		}
		record, name := text[at:at+h.size()], string(text[at+headBytes:at+headBytes+h.nameLength])
		p, rank, live := l.owner.at(name)
		switch own := (place{s, uint32(at), uint32(h.size())}); {
		case live && h.kind == recordPut && p == own:
			h.rank = rank
			setRank(record, h)
			moved = append(moved, movedRecord{name, own, len(kept), len(record)})
			kept = append(kept, record...)
		case !live && h.kind == recordDrop && s != l.segments[0]:
			moved = append(moved, movedRecord{name, place{}, len(kept), len(record)})
			kept = append(kept, record...)
		}
		at += h.size()
	}
	return kept, moved, nil
}

// moveSome appends the first of these records, and returns the others. l.mu is held.
func (l *recordLog) moveSome(kept []byte, moved []movedRecord) (rest []movedRecord, err error) {
	n := 1
	for n < len(moved) && !l.large(moved[0].size) && !l.large(moved[n].size) {
		n++
	}
	last := moved[n-1]
	s, at, err := l.appendText(kept[moved[0].at:last.at+last.size], l.large(moved[0].size))
	if err != nil {
		return moved, err
	}
	for _, m := range moved[:n] {
		switch m.from.segment {
		case nil:
			s.addDrop(int64(m.size))
		default:
			to := place{s, uint32(at) + uint32(m.at-moved[0].at), uint32(m.size)}
			to.take()
			l.owner.move(m.name, m.from, to)
		}
	}
	return moved[n:], nil
}

// writeAgain appends a record with the rank that it has now.
func (l *recordLog) writeAgain(name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p, _, ok := l.owner.at(name); !ok || l.makeRoom(int64(p.size)) != nil {
		return nil
	}
	from, rank, _ := l.owner.at(name) // it may have been moved to make room
	text := make([]byte, from.size)
	if _, err := from.segment.file.ReadAt(text, int64(from.at)); err != nil {
		return err
	}
	h, ok := readHead(text)
	if !ok || !checkHead(text, h) {
		return nil
	}
	h.rank = rank
	setRank(text, h)
	s, at, err := l.appendText(text, l.large(len(text)))
	if err != nil {
		return err
	}
	to := place{s, uint32(at), from.size}
	to.take()
	l.owner.move(name, from, to)
	return nil
}
