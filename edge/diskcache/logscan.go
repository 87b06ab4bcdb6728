package diskcache

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// scanBytes is how much of a segment is read at a time.
const scanBytes = 64 << 10

// scan tells the owner of what lies in the directory. The newest segment is cut off behind its last whole record, and
// appended to.
func (l *recordLog) scan() error {
	numbers, err := l.list()
	if err != nil {
		return err
	}
	r := bufio.NewReaderSize(nil, scanBytes)
	for i, number := range numbers {
		file, err := os.OpenFile(l.path(number), os.O_RDWR, 0)
		if err != nil {
			return err
		}
		s := &segment{log: l, number: number, file: file}
		l.segments, l.number = append(l.segments, s), number
		r.Reset(file)
		damaged, err := s.scan(r)
		if err != nil {
			return err
		}
		info, err := file.Stat()
		if err == nil && info.Size() > s.size {
			err = file.Truncate(s.size)
		}
		if err != nil {
			return err
		}
		l.size.Add(s.size)
		if damaged || info.Size() > s.size && i < len(numbers)-1 { // only the newest may end within a record
			l.owner.distrust()
		}
	}
	return nil
}

// list lists the numbers of the segments, the oldest first.
func (l *recordLog) list() (numbers []uint64, err error) {
	files, err := os.ReadDir(l.dir)
	for _, f := range files {
		digits, ok := strings.CutSuffix(f.Name(), logSuffix)
		number, parseErr := strconv.ParseUint(digits, 16, 64)
		if ok && parseErr == nil && filepath.Base(l.path(number)) == f.Name() {
			numbers = append(numbers, number)
		}
	}
	slices.Sort(numbers)
	return numbers, err
}

// scan tells the owner of the records of a segment that r reads, up to the first that is not whole, and sets the size to what lies
// before it. damaged reports whether that one was not merely cut off.
func (s *segment) scan(r *bufio.Reader) (damaged bool, err error) {
	info, err := s.file.Stat()
	if err != nil {
		return false, err
	}
	if magic, err := r.Peek(len(segmentMagic)); string(magic) != segmentMagic {
		return len(magic) == len(segmentMagic), unlessEOF(err)
	}
	for next := len(segmentMagic); ; {
		if err := s.skip(r, next); err != nil {
			return false, err
		}
		text, err := r.Peek(headBytes + maxNameBytes)
		if err := unlessEOF(err); err != nil {
			return false, err
		}
		h, err := readHead(text)
		if err != nil || s.size+int64(h.size) > info.Size() {
			return errors.Is(err, errDamaged), nil
		}
		s.apply(h)
		next = h.size
	}
}

func unlessEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// skip has r go on so many bytes later, and counts them. What is not in memory is not read.
func (s *segment) skip(r *bufio.Reader, n int) error {
	s.size += int64(n)
	if n <= r.Buffered() {
		_, err := r.Discard(n)
		return err
	}
	_, err := s.file.Seek(s.size, io.SeekStart)
	r.Reset(s.file)
	return err
}

func (s *segment) apply(h recordHead) {
	if h.kind == recordDrop {
		s.addDrop(int64(h.size))
		s.log.owner.drop(h.name)
		return
	}
	p := place{s, uint32(s.size), uint32(h.size)}
	p.take()
	s.log.owner.put(h.name, p, h.rank)
}
