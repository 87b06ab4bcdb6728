package storage

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"example.com/livery/storage/record"
)

// Entries are what lists filter and order the records of a table by. Readers keep them in memory: a list and each of its buckets,
// which part the entries by their ids, have a revision, another one after every change, so that who holds what was stored at a
// revision holds what is stored as long as it is the same. A write reads nothing.
type Entries struct {
	letter byte // of the table
	stored bool // beside the records; else the records are read, of all of which a list is one bucket
}

// The entries. Their parts are those of the key table before the id. Those of Variants are not stored: a publish of their Theme
// changes all of them, and would write as many entries.
var (
	ThemeEntries   = Entries{'H', true}
	VariantEntries = Entries{'V', false}
)

// Buckets is how many buckets a list has at most.
const Buckets = 256

// Revision tells one state of a list or a bucket from all others. That of what was never written is 0.
type Revision uint64

// The letters of the tables.
const (
	entryLetter    = 'u'
	revisionLetter = 'r'
)

// usualBytes is what most keys and entries have room in.
const usualBytes = 192

// appendBucket appends a bucket's number as a key part.
func appendBucket(dst []byte, n uint32) []byte {
	const digits = "0123456789abcdef"
	return append(dst, digits[n>>4], digits[n&0xf], 0)
}

// prefix begins the keys of a list.
func (x Entries) prefix(letter byte, parts []string) []byte {
	key := append(make([]byte, 0, usualBytes), letter, x.letter, 0)
	for _, p := range parts {
		key = append(append(key, p...), 0)
	}
	return key
}

// bucketKey begins the keys of the bucket of id, which goes by its FNV-1a hash.
func (x Entries) bucketKey(letter byte, id string, parts []string) []byte {
	hash := uint32(2166136261)
	for i := range len(id) {
		hash = (hash ^ uint32(id[i])) * 16777619
	}
	return appendBucket(x.prefix(letter, parts), hash%Buckets)
}

// Key returns the key of the entry of id.
func (x Entries) Key(id string, parts ...string) []byte {
	return append(append(x.bucketKey(entryLetter, id, parts), id...), 0)
}

// write puts the entry of an item in place of the one that it has.
func (x Entries) write(tx Tx, i record.Listed, id string, parts []string) error {
	return errors.Join(tx.Set(x.Key(id, parts...), record.AppendEntry(make([]byte, 0, usualBytes), i)), x.revise(tx, id, parts))
}

// delete removes the entry of id.
func (x Entries) delete(tx Tx, id string, parts []string) error {
	return errors.Join(tx.Delete(x.Key(id, parts...)), x.revise(tx, id, parts))
}

// revise gives a list and the bucket of id revisions that no other state of them has, in this history of the store or another.
func (x Entries) revise(tx Tx, id string, parts []string) error {
	revision := binary.BigEndian.AppendUint64(nil, rand.Uint64()|1)
	err := tx.Set(x.prefix(revisionLetter, parts), revision)
	if x.stored {
		err = errors.Join(err, tx.Set(x.bucketKey(revisionLetter, id, parts), revision))
	}
	return err
}

// Revision returns that of a list.
func (x Entries) Revision(r Reader, parts ...string) (Revision, error) {
	return readRevision(r, x.prefix(revisionLetter, parts))
}

// BucketRevisions returns those of the buckets of a list.
func (x Entries) BucketRevisions(r Reader, parts ...string) (all [Buckets]Revision, err error) {
	prefix := x.prefix(revisionLetter, parts)
	if !x.stored {
		all[0], err = readRevision(r, prefix)
		return all, err
	}
	// A scan would walk over the revisions before, which engines keep for a while.
	var keys [Buckets][]byte
	for n := range keys {
		keys[n] = appendBucket(slices.Clone(prefix), uint32(n))
	}
	err = Prefetch(r, keys[:]...)
	for n := 0; n < Buckets && err == nil; n++ {
		all[n], err = readRevision(r, keys[n])
	}
	return all, err
}

func readRevision(r Reader, key []byte) (Revision, error) {
	value, err := r.Get(key)
	switch {
	case errors.Is(err, ErrNotFound):
		return 0, nil
	case err != nil:
		return 0, err
	case len(value) != 8:
		return 0, fmt.Errorf("storage: %s: %w", SpellKey(key), ErrCorrupt)
	}
	return Revision(binary.BigEndian.Uint64(value)), nil
}

// Scan calls each for every entry of the buckets from first up to last, in the order of buckets and of ids, until each returns
// false. id and entry are valid during the call.
func (x Entries) Scan(r Reader, first, last int, each func(bucket int, id []byte, e record.Entry) (more bool), parts ...string) error {
	if !x.stored {
		return x.scanRecords(r, each, parts)
	}
	prefix := x.prefix(entryLetter, parts)
	start := appendBucket(slices.Clip(prefix), uint32(first))
	_, end := Span(appendBucket(slices.Clip(prefix), uint32(last)))
	var corrupt error
	err := r.ScanRange(start, end, Ascending, func(key, value []byte) bool {
		part, id, _ := bytes.Cut(key[len(prefix):], []byte{0})
		bucket, err := strconv.ParseUint(string(part), 16, 8)
		var e record.Entry
		if err == nil {
			e, err = record.ParseEntry(value)
		}
		if err != nil {
			corrupt = fmt.Errorf("storage: %s: %w: %w", SpellKey(key), ErrCorrupt, err)
			return false
		}
		return each(int(bucket), bytes.TrimSuffix(id, []byte{0}), e)
	})
	return errors.Join(err, corrupt)
}

// scanRecords is Scan for entries that are not stored.
func (x Entries) scanRecords(r Reader, each func(bucket int, id []byte, e record.Entry) (more bool), parts []string) error {
	var form []byte
	var corrupt error
	err := Table[record.Listed]{x.letter, "list item"}.Scan(r, Ascending, func(_ []byte, i record.Listed) bool {
		form = record.AppendEntry(form[:0], i)
		var e record.Entry
		e, corrupt = record.ParseEntry(form)
		return corrupt == nil && each(0, []byte(i.ID), e)
	}, parts...)
	return errors.Join(err, corrupt)
}

// ThemeTable is the table of Themes, which writes the entries of their list and the index of signed Themes.
type ThemeTable struct{ Table[record.Theme] }

// Write stores the record at parts with its slug and its entries, unless it is stored so already. The slug that it had is deleted
// apart.
func (t ThemeTable) Write(tx Tx, v record.Theme, parts ...string) error {
	old, stored, err := t.ReadStored(tx, parts...)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	data, err := record.Encode(v)
	if err != nil || bytes.Equal(stored, data) {
		return err
	}
	if err := tx.Set(t.Key(parts...), data); err != nil {
		return err
	}
	if old.Slug != v.Slug {
		if err := ThemeSlugs.Write(tx, parts[1], v.Slug, parts[:1]...); err != nil {
			return err
		}
	}
	return errors.Join(
		indexSigned(tx, old, v, parts[0], parts[1]),
		ThemeEntries.write(tx, v.Listed(), parts[1], parts[:1]))
}

// Delete removes the record at parts and its entries. The slug is deleted apart.
func (t ThemeTable) Delete(tx Tx, parts ...string) error {
	old, err := t.Read(tx, parts...)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	return errors.Join(
		indexSigned(tx, old, record.Theme{}, parts[0], parts[1]),
		t.Table.Delete(tx, parts...),
		ThemeEntries.delete(tx, parts[1], parts[:1]))
}

// VariantTable is the table of Variants, which keeps the revisions of their lists.
type VariantTable struct{ Table[record.Variant] }

// Write stores the record at parts. The slug is written apart.
func (t VariantTable) Write(tx Tx, v record.Variant, parts ...string) error {
	return errors.Join(t.Table.Write(tx, v, parts...), VariantEntries.revise(tx, parts[2], parts[:2]))
}

// Delete removes the record at parts.
func (t VariantTable) Delete(tx Tx, parts ...string) error {
	return errors.Join(t.Table.Delete(tx, parts...), VariantEntries.revise(tx, parts[2], parts[:2]))
}

// DeleteAll removes the records whose keys begin with parts, and the revisions of their lists.
func (t VariantTable) DeleteAll(tx Tx, parts ...string) error {
	return errors.Join(t.Table.DeleteAll(tx, parts...), tx.DeletePrefix(VariantEntries.prefix(revisionLetter, parts)))
}
