package storage

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"example.com/livery/storage/record"
)

// Table reads and writes the records of one letter of the key table.
type Table[T any] struct {
	letter byte
	name   string // for error texts
}

// The tables. The parts that Read, Write and the rest take are those of the key table, in order.
var (
	Teams           = Table[record.Team]{'T', "team"}
	Environments    = Table[record.Environment]{'E', "environment"}
	Themes          = ThemeTable{Table[record.Theme]{'H', "theme"}}
	ThemeDrafts     = Table[record.ThemeDraft]{'D', "theme draft"}
	ThemeVersions   = Table[record.ThemeVersion]{'N', "theme version"}
	Variants        = Table[record.Variant]{'V', "variant"}
	VariantDrafts   = Table[record.VariantDraft]{'d', "variant draft"}
	VariantVersions = Table[record.VariantVersion]{'n', "variant version"}
	Pairs           = Table[record.Pair]{'P', "pair"}
	Modules         = Table[record.Module]{'M', "module"}
	TokenKeys       = Table[record.TokenKey]{'K', "token key"}
	LoginCodes      = Table[record.LoginCode]{'O', "login code"}
	Replays         = Table[record.Replay]{'I', "replay"}
)

// ListedVariants is what lists look at of Variants.
var ListedVariants = Table[record.Listed]{'V', "variant"}

// Key returns the key of the record at parts.
func (t Table[T]) Key(parts ...string) []byte { return Key(t.letter, parts...) }

// Read returns the record at parts: ErrNotFound, or ErrCorrupt if it cannot be decoded.
func (t Table[T]) Read(r Reader, parts ...string) (T, error) {
	v, _, err := t.ReadStored(r, parts...)
	return v, err
}

// ReadStored is Read with the bytes that are stored, which are equal if nothing in the record has changed.
func (t Table[T]) ReadStored(r Reader, parts ...string) (v T, stored []byte, err error) {
	if stored, err = r.Get(Key(t.letter, parts...)); err != nil {
		return v, nil, fmt.Errorf("storage: read %s %q: %w", t.name, parts, err)
	}
	if err := record.Decode(stored, &v); err != nil {
		return v, nil, fmt.Errorf("storage: read %s %q: %w: %w", t.name, parts, ErrCorrupt, err)
	}
	return v, stored, nil
}

// Write stores the record at parts.
func (t Table[T]) Write(tx Tx, v T, parts ...string) error {
	data, err := record.Encode(v)
	if err != nil {
		return err
	}
	return tx.Set(Key(t.letter, parts...), data)
}

// Delete removes the record at parts.
func (t Table[T]) Delete(tx Tx, parts ...string) error {
	return tx.Delete(Key(t.letter, parts...))
}

// DeleteAll removes every record whose key begins with parts.
func (t Table[T]) DeleteAll(tx Tx, parts ...string) error {
	return tx.DeletePrefix(Key(t.letter, parts...))
}

// Scan calls each for every record whose key begins with parts, until each returns false. key is
// valid during the call.
func (t Table[T]) Scan(r Reader, order Order, each func(key []byte, v T) (more bool), parts ...string) error {
	return t.decoding(each, func(each func(key, value []byte) bool) error { return r.Scan(Key(t.letter, parts...), order, each) })
}

// ScanBetween is Scan for the records whose part behind parts comes after one text and before another; an empty text bounds
// nothing.
func (t Table[T]) ScanBetween(r Reader, order Order, after, before string, each func(key []byte, v T) (more bool), parts ...string) error {
	start, end := Span(Key(t.letter, parts...))
	if after != "" {
		start = append(append(start, after...), 0, 0)
	}
	if before != "" {
		end = append(append(Key(t.letter, parts...), before...), 0)
	}
	return t.decoding(each, func(each func(key, value []byte) bool) error { return r.ScanRange(start, end, order, each) })
}

// decoding runs a scan whose values are decoded for each.
func (t Table[T]) decoding(each func(key []byte, v T) (more bool), scan func(each func(key, value []byte) bool) error) error {
	var failed error
	err := scan(func(key, value []byte) bool {
		var v T
		if err := record.Decode(value, &v); err != nil {
			failed = fmt.Errorf("storage: scan %s: %w: %w", t.name, ErrCorrupt, err)
			return false
		}
		return each(key, v)
	})
	if err != nil {
		return fmt.Errorf("storage: scan %s: %w", t.name, err)
	}
	return failed
}

// Index maps a slug to an id, ordered bytewise by slug.
type Index struct {
	letter byte
	long   bool // its lists have a sparse index
	byTime byte // letter of the same entries ordered by time, whose values are then record.Entry; 0: the values are ids
}

// The indexes. Their parts are those of the key table before the slug.
var (
	TeamSlugs        = Index{letter: 't'}
	EnvironmentSlugs = Index{letter: 'e'}
	ThemeSlugs       = Index{letter: 'h', long: true, byTime: 'u'}
	VariantSlugs     = Index{letter: 'v'}
	Memberships      = Index{letter: 'm'} // parts: subject; the "slug" is the team id
)

// Key returns the key of a slug.
func (x Index) Key(slug string, parts ...string) []byte { return x.key(slug, parts) }

// Read returns the id under slug, or ErrNotFound.
func (x Index) Read(r Reader, slug string, parts ...string) (string, error) {
	value, err := r.Get(x.key(slug, parts))
	if err != nil {
		return "", err
	}
	return x.idOf(value), nil
}

// idOf returns the id in a value, empty if it is corrupt.
func (x Index) idOf(value []byte) string {
	if x.byTime == 0 {
		return string(value)
	}
	e, _ := record.ParseEntry(value)
	return string(e.ID)
}

// Write puts id under slug. Themes.Write writes the slugs of Themes, with the rest of their entries.
func (x Index) Write(tx Tx, id, slug string, parts ...string) error {
	if x.byTime == 0 {
		return tx.Set(x.key(slug, parts), []byte(id))
	}
	if has, err := x.Read(tx, slug, parts...); err == nil && has == id {
		return nil
	}
	return x.writeEntry(tx, record.Entry{ID: []byte(id)}, slug, parts)
}

// writeEntry puts an entry under slug and under its time.
func (x Index) writeEntry(tx Tx, e record.Entry, slug string, parts []string) error {
	key, value := x.key(slug, parts), e.Append(nil)
	old, err := tx.Get(key)
	isNew := errors.Is(err, ErrNotFound)
	switch {
	case err == nil && bytes.Equal(old, value):
		return nil
	case err == nil:
		err = x.deleteTime(tx, old, parts)
	case isNew:
		err = nil
	}
	if err == nil {
		err = tx.Set(key, value)
	}
	if err == nil && e.UpdatedAt != 0 {
		err = tx.Set(x.timeKey(e, parts), value)
	}
	if err != nil || !isNew {
		return err
	}
	return x.recount(tx, slug, 1, parts)
}

// Delete frees slug.
func (x Index) Delete(tx Tx, slug string, parts ...string) error {
	key := x.key(slug, parts)
	if x.byTime == 0 {
		return tx.Delete(key)
	}
	old, err := tx.Get(key)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err == nil {
		err = x.deleteTime(tx, old, parts)
	}
	if err == nil {
		err = tx.Delete(key)
	}
	if err != nil {
		return err
	}
	return x.recount(tx, slug, -1, parts)
}

// deleteTime deletes the entry with this value from the order by time.
func (x Index) deleteTime(tx Tx, value []byte, parts []string) error {
	e, err := record.ParseEntry(value)
	if err != nil || e.UpdatedAt == 0 {
		return nil // it has none
	}
	return tx.Delete(x.timeKey(e, parts))
}

// timeKey returns the key of an entry in the order by time.
func (x Index) timeKey(e record.Entry, parts []string) []byte {
	return append(append(Key(x.byTime, append(slices.Clip(parts), Nanoseconds(e.UpdatedAt))...), e.ID...), 0)
}

// ScanEntries calls each for every entry under parts, in the order of slugs or of times, until each returns false. after begins
// behind the entry of these last parts of its key: a slug, or a time and an id; none: at the first. The entry is valid during
// the call.
func (x Index) ScanEntries(r Reader, byTime bool, order Order, after []string, each func(slug string, e record.Entry) (more bool), parts ...string) error {
	letter := x.letter
	if byTime {
		letter = x.byTime
	}
	start, end := Span(Key(letter, parts...))
	if len(after) > 0 {
		if place := Key(letter, append(slices.Clip(parts), after...)...); order == Ascending {
			start = append(place, 0) // the key after this one
		} else {
			end = place
		}
	}
	var corrupt error
	err := r.ScanRange(start, end, order, func(key, value []byte) bool {
		var e record.Entry
		if e, corrupt = record.ParseEntry(value); corrupt != nil {
			corrupt = fmt.Errorf("storage: list entry %q: %w: %w", key, ErrCorrupt, corrupt)
			return false
		}
		return each(LastPart(key), e)
	})
	return errors.Join(err, corrupt)
}

// ThemeTable is the table of Themes, which keeps the entries of their list.
type ThemeTable struct{ Table[record.Theme] }

// Write stores the record at parts, its entry in the list and those in the index of signed Themes.
func (t ThemeTable) Write(tx Tx, v record.Theme, parts ...string) error {
	old, err := t.Read(tx, parts...)
	if err == nil || errors.Is(err, ErrNotFound) {
		err = indexSigned(tx, old, v, parts[0], parts[1])
	}
	if err == nil {
		err = t.Table.Write(tx, v, parts...)
	}
	if err != nil {
		return err
	}
	return ThemeSlugs.writeEntry(tx, record.NewEntry(v), v.Slug, parts[:1])
}

// Delete removes the record at parts and its entries in the index of signed Themes. The slug is deleted apart.
func (t ThemeTable) Delete(tx Tx, parts ...string) error {
	old, err := t.Read(tx, parts...)
	if err == nil || errors.Is(err, ErrNotFound) {
		err = indexSigned(tx, old, record.Theme{}, parts[0], parts[1])
	}
	if err != nil {
		return err
	}
	return t.Table.Delete(tx, parts...)
}

// DeleteAll frees every slug under parts.
func (x Index) DeleteAll(tx Tx, parts ...string) error {
	if x.long {
		if err := blocks.DeleteAll(tx, x.blockParts(parts)...); err != nil {
			return err
		}
	}
	if x.byTime != 0 {
		if err := tx.DeletePrefix(Key(x.byTime, parts...)); err != nil {
			return err
		}
	}
	return tx.DeletePrefix(Key(x.letter, parts...))
}

// Scan calls each for every entry under parts in the order of slugs, until each returns false.
func (x Index) Scan(r Reader, order Order, each func(slug, id string) (more bool), parts ...string) error {
	return r.Scan(Key(x.letter, parts...), order, func(key, value []byte) bool {
		return each(LastPart(key), x.idOf(value))
	})
}

// ScanAfter is Scan for the entries that come after slug in the order.
func (x Index) ScanAfter(r Reader, order Order, slug string, each func(slug, id string) (more bool), parts ...string) error {
	start, end := Span(Key(x.letter, parts...))
	if order == Ascending {
		start = append(x.key(slug, parts), 0) // the key after this one
	} else {
		end = x.key(slug, parts)
	}
	return r.ScanRange(start, end, order, func(key, value []byte) bool { return each(LastPart(key), x.idOf(value)) })
}

func (x Index) key(slug string, parts []string) []byte {
	return append(append(Key(x.letter, parts...), slug...), 0)
}
