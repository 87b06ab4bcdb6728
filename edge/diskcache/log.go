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
	segmentBytes int64 // that a segment has at most, roughly
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
	segmentParts    = 64 // of the budget, a segment is at most one part in so many
	minSegmentBytes = 4 << 10
	maxSegmentBytes = 16 << 20
	grownParts      = 16 // of what a log has, a segment is at most one part in so many: the file system may be smaller than the budget
	grownBytes      = 64 << 10
	keptBuffer      = 1 << 20
)

// maxMoves bounds how often a record is looked for that is being moved.
const maxMoves = 4

// openLog opens the log in a directory, and tells its owner of what lies there.
func openLog(dir string, maxBytes int64, owner logOwner) (*recordLog, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	l := &recordLog{
		dir: dir, owner: owner, maxBytes: maxBytes,
		segmentBytes: min(max(maxBytes/segmentParts, minSegmentBytes), maxSegmentBytes),
	}
	if err := l.scan(); err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

// usable returns how many bytes segments may have: there is room for moving what is of use in one.
func (l *recordLog) usable() int64 { return max(l.maxBytes-2*l.segmentBytes, l.maxBytes/2) }

// full returns how many bytes the newest segment has when another one is begun.
func (l *recordLog) full() int64 {
	return min(l.segmentBytes, max(l.size.Load()/grownParts, grownBytes))
}

// large reports whether a record has a segment of its own, so that nothing is moved to get its room back.
func (l *recordLog) large(size int) bool { return int64(size) > l.full()/2 }

// close closes the files. Records can neither be read nor written afterwards.
func (l *recordLog) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for _, s := range l.segments {
		_ = s.file.Close()
	}
}

// read returns what was put under a name last, or nil. damaged reports whether it is there and not as it was written.
func (l *recordLog) read(name string) (content []byte, damaged bool) {
	for range maxMoves {
		p, _, ok := l.owner.at(name)
		if !ok {
			return nil, false
		}
		text := make([]byte, p.size)
		if _, err := p.segment.file.ReadAt(text, int64(p.at)); errors.Is(err, os.ErrClosed) {
			continue // it was moved meanwhile
		}
		r, ok := wholeRecord(text, name)
		if !ok {
			return nil, true
		}
		return r.content, false
	}
	return nil, false
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

// writeAgain appends a record with the rank that it has now.
func (l *recordLog) writeAgain(name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	p, rank, ok := l.owner.at(name)
	if !ok {
		return nil
	}
	text := make([]byte, p.size)
	if _, err := p.segment.file.ReadAt(text, int64(p.at)); err != nil {
		return err
	}
	r, ok := wholeRecord(text, name)
	if !ok {
		return nil
	}
	r.rank, r.from = rank, p
	return l.writeLocked([]logRecord{r})
}

func (l *recordLog) writeLocked(records []logRecord) error {
	for len(records) > 0 {
		n, size := l.group(records)
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

// group returns how many of the first records are written at once, and their size.
func (l *recordLog) group(records []logRecord) (n, size int) {
	n, size = 1, records[0].size()
	for !l.large(size) && n < len(records) && !l.large(records[n].size()) && int64(size+records[n].size()) < l.full() {
		size += records[n].size()
		n++
	}
	return n, size
}

// append appends records of so many bytes together to the newest segment, or to one of their own. What is written in part
// is cut off again. l.mu is held.
func (l *recordLog) append(records []logRecord, size int) error {
	s, err := l.segmentFor(size)
	if err != nil {
		return err
	}
	text := l.buffer[:0]
	for i := range records {
		text = records[i].append(text)
	}
	if l.buffer = text[:0]; cap(text) > keptBuffer {
		l.buffer = nil
	}
	if _, err := s.file.WriteAt(text, s.size); err != nil {
		_ = s.file.Truncate(s.size) // left: what is written next lies over it
		return fmt.Errorf("edge: disk cache: %w", err)
	}
	for _, r := range records {
		switch p := (place{s, uint32(s.size), uint32(r.size())}); {
		case r.kind == recordDrop:
			s.addDrop(int64(r.size()))
		case r.from.segment != nil:
			p.take()
			l.owner.move(r.name, r.from, p)
		default:
			p.take()
			l.owner.put(r.name, p, r.rank)
		}
		s.grow(r.size())
	}
	return nil
}

// segmentFor returns the segment to which so many bytes are appended. l.mu is held.
func (l *recordLog) segmentFor(size int) (s *segment, err error) {
	if l.closed {
		return nil, os.ErrClosed
	}
	if len(l.segments) > 0 {
		s = l.segments[len(l.segments)-1]
	}
	if s == nil || s.size >= l.full() || l.large(size) && s.size > int64(len(segmentMagic)) {
		file, err := os.OpenFile(l.path(l.number+1), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return nil, fmt.Errorf("edge: disk cache: %w", err)
		}
		l.number++
		s = &segment{log: l, number: l.number, file: file}
		l.segments = append(l.segments, s)
	}
	if s.size == 0 {
		if _, err := s.file.WriteAt([]byte(segmentMagic), 0); err != nil {
			return nil, fmt.Errorf("edge: disk cache: %w", err)
		}
		s.grow(len(segmentMagic))
	}
	return s, nil
}

// grow counts bytes that were appended.
func (s *segment) grow(n int) {
	s.size += int64(n)
	s.log.size.Add(int64(n))
}

// logSuffix ends the names of segments, which begin with their numbers.
const logSuffix = ".log"

func (l *recordLog) path(number uint64) string {
	return filepath.Join(l.dir, fmt.Sprintf("%016x%s", number, logSuffix))
}
