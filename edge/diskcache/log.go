package diskcache

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
)

// recordLog keeps records in files that are only appended to: a record costs one short write, or a part of one. What is
// replaced or dropped is dead, and its room comes back if the rest of its segment is moved. Nothing is synced. It may
// be used concurrently.
type recordLog struct {
	dir          string
	owner        logOwner
	maxBytes     int64
	segmentBytes int64 // of one segment, roughly
	live         atomic.Int64
	size         atomic.Int64 // bytes of all segments

	mu       sync.Mutex // guards all below; the owner's own lock is taken while it is held, never the other way round
	segments []*segment // the oldest first; the last one is appended to
	number   uint64     // of the newest segment
	drops    int64      // bytes of records that say what was dropped
	buffer   []byte
	closed   bool
}

// logOwner knows the places of a log's records. Its methods are called with the log's lock held, in the order of the
// records.
type logOwner interface {
	// at returns the place of what was put under a name last.
	at(name string) (p place, rank int64, ok bool)

	// put notes the place of what is new under a name, and releases the place before.
	put(name string, p place, rank int64)

	// move notes the new place of a record, or releases that if the old one is not the record's any more.
	move(name string, from, to place)

	// drop notes that what was put under a name is not there any more: it was dropped before the log was opened, or
	// there was no room for moving it.
	drop(name string)

	// distrust is called while the log is opened, after damage: a newer state of what was put may be lost, and what is
	// told of is not to be used if it can have one.
	distrust()
}

// segment is one file of a log.
type segment struct {
	log    *recordLog
	number uint64
	file   *os.File
	size   int64        // bytes; guarded by recordLog.mu, as drops is
	drops  int64        // of these: records that say what was dropped
	live   atomic.Int64 // bytes of records that are of use
}

// place is the place of a record.
type place struct {
	segment  *segment
	at, size uint32
}

// take and release count the bytes of a record among those that are of use, or not any more.
func (p place) take()    { p.count(int64(p.size)) }
func (p place) release() { p.count(-int64(p.size)) }

func (p place) count(n int64) {
	p.segment.live.Add(n)
	p.segment.log.live.Add(n)
}

func (s *segment) addDrop(size int64) {
	s.drops += size
	s.log.drops += size
}

// The bounds of segments.
const (
	segmentParts    = 64 // of the budget, a segment is one part in so many
	minSegmentBytes = 4 << 10
	maxSegmentBytes = 16 << 20
	keptBuffer      = 1 << 20
)

// openLog opens the log in a directory, and tells its owner of what lies there.
func openLog(dir string, maxBytes int64, owner logOwner) (*recordLog, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	l := &recordLog{dir: dir, owner: owner, maxBytes: maxBytes}
	if err := l.scan(); err != nil {
		l.close()
		return nil, err
	}
	room := min(maxBytes, l.size.Load()+freeBytes(dir))
	l.segmentBytes = min(max(room/segmentParts, minSegmentBytes), maxSegmentBytes)
	return l, nil
}

// usable returns how many bytes segments may have: there is room for moving what is of use in one.
func (l *recordLog) usable() int64 { return max(l.maxBytes-2*l.segmentBytes, l.maxBytes/2) }

// large reports whether a record has a segment of its own, so that nothing is moved to get its room back.
func (l *recordLog) large(size int) bool { return int64(size) > l.segmentBytes/2 }

// close closes the files. Records can neither be read nor written afterwards.
func (l *recordLog) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for _, s := range l.segments {
		_ = s.file.Close()
	}
}

// read returns what lies at the place of a name, or nil. gone reports whether the place is none any more: the
// record may have been moved.
func (l *recordLog) read(name string, p place) (content []byte, gone bool) {
	text := make([]byte, p.size)
	if _, err := p.segment.file.ReadAt(text, int64(p.at)); err != nil {
		return nil, errors.Is(err, os.ErrClosed)
	}
	return contentOf(text, name), false
}

// write appends records, and tells the owner of their places. Those before a failure are written.
func (l *recordLog) write(records ...logRecord) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.writeLocked(records)
}

// drop notes that what was put under names is not there any more, unless it was put again since.
func (l *recordLog) drop(names ...string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var records []logRecord
	for _, name := range names {
		if _, _, ok := l.owner.at(name); !ok {
			records = append(records, logRecord{kind: recordDrop, name: name})
		}
	}
	return l.writeLocked(records)
}

func (l *recordLog) writeLocked(records []logRecord) error {
	for len(records) > 0 {
		n, size := 1, records[0].size()
		for !l.large(size) && n < len(records) && !l.large(records[n].size()) && size+records[n].size() < int(l.segmentBytes) {
			size += records[n].size()
			n++
		}
		if err := l.makeRoom(int64(size)); err != nil {
			return err
		}
		if err := l.append(records[:n], size); err != nil {
			return err
		}
		records = records[n:]
	}
	return nil
}

// append appends records of so many bytes together to one segment. l.mu is held.
func (l *recordLog) append(records []logRecord, size int) error {
	text := l.buffer[:0]
	for i := range records {
		text = records[i].append(text)
	}
	s, at, err := l.appendText(text, l.large(size))
	if l.buffer = text[:0]; cap(text) > keptBuffer {
		l.buffer = nil
	}
	if err != nil {
		return err
	}
	for i := range records {
		r := &records[i]
		switch p := (place{s, uint32(at), uint32(r.size())}); r.kind {
		case recordPut:
			p.take()
			l.owner.put(r.name, p, r.rank)
		case recordDrop:
			s.addDrop(int64(r.size()))
		}
		at += int64(r.size())
	}
	return nil
}

// appendText appends records as they are written to the newest segment, or to one of their own, and returns where they
// begin. What is written in part is cut off again. l.mu is held.
func (l *recordLog) appendText(text []byte, alone bool) (s *segment, at int64, err error) {
	if l.closed {
		return nil, 0, os.ErrClosed
	}
	if len(l.segments) > 0 {
		s = l.segments[len(l.segments)-1]
	}
	if s == nil || s.size >= l.segmentBytes || alone && s.size > int64(len(segmentMagic)) {
		if s, err = l.newSegment(); err != nil {
			return nil, 0, err
		}
	}
	at = s.size
	if _, err = s.file.WriteAt(text, at); err != nil {
		_ = s.file.Truncate(at) // left: what is written next lies over it
		return nil, 0, fmt.Errorf("edge: disk cache: %w", err)
	}
	s.size += int64(len(text))
	l.size.Add(int64(len(text)))
	return s, at, nil
}

// newSegment begins a segment. l.mu is held.
func (l *recordLog) newSegment() (*segment, error) {
	file, err := os.OpenFile(l.path(l.number+1), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err == nil {
		_, err = file.WriteAt([]byte(segmentMagic), 0)
	}
	if err != nil {
		if file != nil {
			err = errors.Join(err, file.Close(), os.Remove(file.Name()))
		}
		return nil, fmt.Errorf("edge: disk cache: %w", err)
	}
	l.number++
	s := &segment{log: l, number: l.number, file: file, size: int64(len(segmentMagic))}
	l.segments = append(l.segments, s)
	l.size.Add(s.size)
	return s, nil
}

// logSuffix ends the names of segments, which begin with their numbers.
const logSuffix = ".log"

func (l *recordLog) path(number uint64) string {
	return filepath.Join(l.dir, fmt.Sprintf("%016x%s", number, logSuffix))
}
