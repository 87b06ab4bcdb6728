package storage

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strconv"

	"example.com/livery/storage/record"
)

// Entries are what lists filter and order the records of a table by. They are read whole and kept in memory, so each stands in
// one of the Buckets of its list, by its id, and a bucket gets another revision with every change: a reader that holds a bucket
// of the same revision holds what is stored. A write reads nothing.
type Entries struct{ letter byte } // of the table

// The entries. Their parts are those of the key table before the id.
var (
	ThemeEntries   = Entries{'H'}
	VariantEntries = Entries{'V'}
)

// Buckets is how many buckets a list has.
const Buckets = 256

// Revisions are those of the buckets of a list. A bucket that was never written has 0.
type Revisions [Buckets]uint64

// The letters of the tables.
const (
	entryLetter    = 'u'
	revisionLetter = 'r'
)

// bucketBytes is the length of a bucket's number as a key part.
const bucketBytes = 2

func bucketPart(n int) string { return fmt.Sprintf("%0*x", bucketBytes, n) }

// bucketOf returns the bucket of an id, as a key part.
func bucketOf(id string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id))
	return bucketPart(int(h.Sum32() % Buckets))
}

// prefix begins the keys of a list.
func (x Entries) prefix(letter byte, parts []string) []byte {
	return Key(letter, append([]string{string(x.letter)}, parts...)...)
}

// Key returns the key of the entry of id.
func (x Entries) Key(id string, parts ...string) []byte {
	return append(append(x.prefix(entryLetter, append(parts[:len(parts):len(parts)], bucketOf(id))), id...), 0)
}

// revisionKey returns the key of the revision of the bucket of id.
func (x Entries) revisionKey(id string, parts []string) []byte {
	return x.prefix(revisionLetter, append(parts[:len(parts):len(parts)], bucketOf(id)))
}

// write puts the entry of id in place of the one that it has.
func (x Entries) write(tx Tx, e record.Entry, id string, parts []string) error {
	return errors.Join(tx.Set(x.Key(id, parts...), e.Append(nil)), x.revise(tx, id, parts))
}

// delete removes the entry of id.
func (x Entries) delete(tx Tx, id string, parts []string) error {
	return errors.Join(tx.Delete(x.Key(id, parts...)), x.revise(tx, id, parts))
}

// deleteAll removes the lists whose parts begin with parts.
func (x Entries) deleteAll(tx Tx, parts []string) error {
	return errors.Join(tx.DeletePrefix(x.prefix(entryLetter, parts)), tx.DeletePrefix(x.prefix(revisionLetter, parts)))
}

// revise gives the bucket of id a revision that no other state of it has, in this history of the store or another.
func (x Entries) revise(tx Tx, id string, parts []string) error {
	return tx.Set(x.revisionKey(id, parts), binary.BigEndian.AppendUint64(nil, rand.Uint64()|1))
}

// Revisions reads those of a list.
func (x Entries) Revisions(r Reader, parts ...string) (v Revisions, err error) {
	prefix := x.prefix(revisionLetter, parts)
	var corrupt error
	err = r.Scan(prefix, Ascending, func(key, value []byte) bool {
		n, err := strconv.ParseUint(LastPart(key), 16, 8)
		if err != nil || len(value) != 8 || len(key) != len(prefix)+bucketBytes+1 {
			corrupt = fmt.Errorf("storage: %s: %w", SpellKey(key), ErrCorrupt)
			return false
		}
		v[n] = binary.BigEndian.Uint64(value)
		return true
	})
	return v, errors.Join(err, corrupt)
}

// Scan calls each for every entry of the buckets from first up to last, in the order of buckets and of ids, until each returns
// false. id and entry are valid during the call.
func (x Entries) Scan(r Reader, first, last int, each func(bucket int, id []byte, e record.Entry) (more bool), parts ...string) error {
	prefix := x.prefix(entryLetter, parts)
	start, _ := Span(append(prefix[:len(prefix):len(prefix)], bucketPart(first)...))
	_, end := Span(append(prefix[:len(prefix):len(prefix)], bucketPart(last)...))
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

// ThemeTable is the table of Themes, which writes the entries of their list and the index of signed Themes.
type ThemeTable struct{ Table[record.Theme] }

// Write stores the record at parts with its slug and its entries. The slug that it had is deleted apart.
func (t ThemeTable) Write(tx Tx, v record.Theme, parts ...string) error {
	old, stored, err := t.ReadStored(tx, parts...)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	if changed, err := t.writeOver(tx, stored, v, parts); err != nil || !changed {
		return err
	}
	if old.Slug != v.Slug {
		if err := ThemeSlugs.Write(tx, parts[1], v.Slug, parts[:1]...); err != nil {
			return err
		}
	}
	return errors.Join(
		indexSigned(tx, old, v, parts[0], parts[1]),
		ThemeEntries.write(tx, record.NewEntry(v.Listed()), parts[1], parts[:1]))
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

// VariantTable is the table of Variants, which writes the entries of their lists.
type VariantTable struct{ Table[record.Variant] }

// Write stores the record at parts with its entry. The slug is written apart.
func (t VariantTable) Write(tx Tx, v record.Variant, parts ...string) error {
	stored, err := tx.Get(t.Key(parts...))
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	if changed, err := t.writeOver(tx, stored, v, parts); err != nil || !changed {
		return err
	}
	return VariantEntries.write(tx, record.NewEntry(v.Listed()), parts[2], parts[:2])
}

// Delete removes the record at parts and its entry.
func (t VariantTable) Delete(tx Tx, parts ...string) error {
	return errors.Join(t.Table.Delete(tx, parts...), VariantEntries.delete(tx, parts[2], parts[:2]))
}

// DeleteAll removes the records whose keys begin with parts, and their lists.
func (t VariantTable) DeleteAll(tx Tx, parts ...string) error {
	return errors.Join(t.Table.DeleteAll(tx, parts...), VariantEntries.deleteAll(tx, parts))
}
