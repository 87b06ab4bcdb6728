package diskcache

import (
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
	for i, number := range numbers {
		file, err := os.OpenFile(l.path(number), os.O_RDWR, 0)
		if err != nil {
			return err
		}
		s := &segment{log: l, number: number, file: file}
		l.segments, l.number = append(l.segments, s), number
		damaged, err := s.scan()
		if err != nil {
			return err
		}
		info, err := file.Stat()
		if err == nil && info.Size() != s.size {
			err = file.Truncate(s.size)
		}
		if s.size == 0 && err == nil {
			_, err = file.WriteAt([]byte(segmentMagic), 0)
			s.size = int64(len(segmentMagic))
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

// scan tells the owner of the records of a segment, up to the first that is not whole, and sets the size to what lies
// before it. damaged reports whether that one was not merely cut off.
func (s *segment) scan() (damaged bool, err error) {
	w := window{file: s.file}
	if magic, err := w.bytes(0, len(segmentMagic)); err != nil || string(magic) != segmentMagic {
		return len(magic) == len(segmentMagic), err // nothing of it is appended to
	}
	end, err := s.file.Seek(0, io.SeekEnd)
	if err != nil {
		return false, err
	}
	for s.size = int64(len(segmentMagic)); ; {
		text, err := w.bytes(s.size, headBytes)
		if err != nil || len(text) < headBytes {
			return false, err
		}
		h, ok := readHead(text)
		if !ok {
			return true, nil
		}
		text, err = w.bytes(s.size, headBytes+h.nameLength)
		if err != nil || len(text) < headBytes+h.nameLength {
			return false, err
		}
		if !checkHead(text, h) {
			return true, nil
		}
		if s.size+int64(h.size()) > end {
			return false, nil
		}
		s.apply(h, string(text[headBytes:]))
		s.size += int64(h.size())
	}
}

func (s *segment) apply(h recordHead, name string) {
	if h.kind == recordDrop {
		s.addDrop(int64(h.size()))
		s.log.owner.drop(name)
		return
	}
	p := place{s, uint32(s.size), uint32(h.size())}
	p.take()
	s.log.owner.put(name, p, h.rank)
}

// window reads a file from its beginning to its end, in parts.
type window struct {
	file *os.File
	at   int64
	text []byte
	room []byte
}

// bytes returns so many bytes from a place on, which is not before the one of the call before; less at the end of the
// file.
func (w *window) bytes(at int64, n int) ([]byte, error) {
	if at < w.at || at+int64(n) > w.at+int64(len(w.text)) {
		if w.room == nil {
			w.room = make([]byte, scanBytes)
		}
		read, err := w.file.ReadAt(w.room, at)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		w.at, w.text = at, w.room[:read]
	}
	text := w.text[at-w.at:]
	return text[:min(n, len(text))], nil
}
