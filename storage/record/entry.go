package record

import (
	"bytes"
	"encoding/binary"
	"errors"
	"maps"
	"slices"
	"strings"
)

// Entry is what the list of Themes filters and orders by. It is stored beside each slug, so that a search reads a tenth of what
// the records hold and decodes nothing. The slices of an Entry that ParseEntry returns are parts of what it parsed.
type Entry struct {
	ID          []byte
	UpdatedAt   int64  // nanoseconds since 1970
	Unpublished bool   // there is a draft
	Text        []byte // slug and display name in lower case, with a zero byte between
	labels      []byte // each key and value after its length
}

// NewEntry returns the entry of a Theme.
func NewEntry(t Theme) Entry {
	e := Entry{
		ID: []byte(t.ID), UpdatedAt: t.UpdatedAt.UnixNano(), Unpublished: t.DraftETag != "",
		Text: []byte(strings.ToLower(t.Slug) + "\x00" + strings.ToLower(t.DisplayName)),
	}
	for _, key := range slices.Sorted(maps.Keys(t.Metadata)) {
		e.labels = appendSized(appendSized(e.labels, []byte(key)), []byte(t.Metadata[key]))
	}
	return e
}

// Append appends the stored form of e.
func (e Entry) Append(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint64(appendSized(dst, e.ID), uint64(e.UpdatedAt))
	if e.Unpublished {
		dst = append(dst, 1)
	} else {
		dst = append(dst, 0)
	}
	return append(appendSized(dst, e.Text), e.labels...)
}

var errEntry = errors.New("the entry of a list ends too early")

// ParseEntry reads what Append wrote.
func ParseEntry(b []byte) (e Entry, err error) {
	if e.ID, b, err = cutSized(b); err != nil {
		return e, err
	}
	if len(b) < 9 {
		return e, errEntry
	}
	e.UpdatedAt, e.Unpublished = int64(binary.BigEndian.Uint64(b)), b[8] == 1
	e.Text, e.labels, err = cutSized(b[9:])
	return e, err
}

// HasLabel reports whether the Theme has a label of this key with exactly this value.
func (e Entry) HasLabel(key, value string) bool {
	for rest := e.labels; len(rest) > 0; {
		var k, v []byte
		var err error
		if k, rest, err = cutSized(rest); err == nil {
			v, rest, err = cutSized(rest)
		}
		if err != nil {
			return false
		}
		if string(k) == key {
			return string(v) == value
		}
	}
	return false
}

// Contains reports whether slug or display name holds text, which is in lower case.
func (e Entry) Contains(text []byte) bool { return bytes.Contains(e.Text, text) }

func appendSized(dst, part []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(part))), part...)
}

func cutSized(b []byte) (part, rest []byte, err error) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return nil, nil, errEntry
	}
	return b[size : size+int(n)], b[size+int(n):], nil
}
