package record

import (
	"encoding/binary"
	"errors"
	"maps"
	"slices"
	"strings"
)

// Entry is what a list filters and orders a Theme or a Variant by. It is stored beside the record in a form that is searched
// without being decoded. The slices of an Entry that ParseEntry returns are parts of what it parsed.
type Entry struct {
	UpdatedAt   int64 // nanoseconds since 1970
	Unpublished bool  // there is a draft
	Slug        []byte
	Text        []byte // slug and display name in lower case, each ended by a separator
	Labels      []byte // of AppendLabel
}

// The separators are bytes that no text in UTF-8 holds.
const (
	separator      = 0xff
	labelSeparator = 0xfe
)

// AppendEntry appends the stored form of an item's entry.
func AppendEntry(dst []byte, i Listed) []byte {
	dst = binary.BigEndian.AppendUint64(dst, uint64(i.UpdatedAt.UnixNano()))
	if i.DraftETag != "" {
		dst = append(dst, 1)
	} else {
		dst = append(dst, 0)
	}
	dst = append(binary.AppendUvarint(dst, uint64(len(i.Slug))), i.Slug...)
	slug, name := strings.ToLower(i.Slug), strings.ToLower(i.DisplayName)
	dst = append(binary.AppendUvarint(dst, uint64(len(slug)+len(name)+2)), slug...)
	dst = append(append(append(dst, separator), name...), separator)
	for _, key := range slices.Sorted(maps.Keys(i.Metadata)) {
		dst = AppendLabel(dst, key, i.Metadata[key])
	}
	return dst
}

// AppendLabel appends the form in which the Labels of an Entry hold a label.
func AppendLabel(dst []byte, key, value string) []byte {
	dst = append(append(append(dst, separator), key...), labelSeparator)
	return append(append(dst, value...), separator)
}

var errEntry = errors.New("the entry of a list ends too early")

// ParseEntry reads what AppendEntry wrote.
func ParseEntry(b []byte) (e Entry, err error) {
	if len(b) < 9 {
		return e, errEntry
	}
	e.UpdatedAt, e.Unpublished = int64(binary.BigEndian.Uint64(b)), b[8] == 1
	if e.Slug, b, err = cutSized(b[9:]); err != nil {
		return e, err
	}
	e.Text, e.Labels, err = cutSized(b)
	return e, err
}

func cutSized(b []byte) (part, rest []byte, err error) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return nil, nil, errEntry
	}
	return b[size : size+int(n)], b[size+int(n):], nil
}
