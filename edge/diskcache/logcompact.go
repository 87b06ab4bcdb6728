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
	moved, err := l.worth(s)
	if err != nil {
		return err
	}
	i := slices.Index(l.segments, s)
	l.segments = slices.Delete(l.segments, i, i+1)
	if deleteFirst {
		l.delete(s)
	}
	for len(moved) > 0 && err == nil {
		n, size := l.group(moved)
		if err = l.append(moved[:n], size); err == nil {
			moved = moved[n:]
		}
	}
	switch {
	case err == nil && !deleteFirst:
		l.delete(s)
	case err != nil && !deleteFirst:
		l.segments = slices.Insert(l.segments, i, s)
	}
	for _, r := range moved { // the disk had no room for it
		if deleteFirst && r.kind == recordPut {
			l.owner.drop(r.name)
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

// worth returns the records of a segment that are of use. That something was dropped is of use as long as an older segment
// may have it. l.mu is held.
func (l *recordLog) worth(s *segment) (records []logRecord, err error) {
	if s.live.Load() == 0 && s == l.segments[0] {
		return nil, nil
	}
	text := make([]byte, s.size)
	if _, err := s.file.ReadAt(text, 0); err != nil {
		return nil, err
	}
	for at := len(segmentMagic); at < len(text); {
		r, size, err := parseRecord(text[at:])
		if err != nil {
			break // it was damaged since it was opened
		}
		own := place{s, uint32(at), uint32(size)}
		switch p, rank, live := l.owner.at(r.name); {
		case live && r.kind == recordPut && p == own:
			r.rank, r.from = rank, own
			records = append(records, r)
		case !live && r.kind == recordDrop && s != l.segments[0]:
			records = append(records, r)
		}
		at += size
	}
	return records, nil
}
