package storage

import (
	"errors"
	"fmt"

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
	Variants        = VariantTable{Table[record.Variant]{'V', "variant"}}
	VariantDrafts   = Table[record.VariantDraft]{'d', "variant draft"}
	VariantVersions = Table[record.VariantVersion]{'n', "variant version"}
	Pairs           = Table[record.Pair]{'P', "pair"}
	Modules         = Table[record.Module]{'M', "module"}
	TokenKeys       = Table[record.TokenKey]{'K', "token key"}
	Issuers         = Table[record.Issuer]{'J', "issuer"} // by name
	LoginCodes      = Table[record.LoginCode]{'O', "login code"}
	Replays         = Table[record.Replay]{'I', "replay"}
)

// What a list looks at of Themes and of Variants.
var (
	ListedThemes   = Table[record.Listed]{'H', "theme"}
	ListedVariants = Table[record.Listed]{'V', "variant"}
)

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
}

// The indexes. Their parts are those of the key table before the slug.
var (
	TeamSlugs        = Index{letter: 't'}
	EnvironmentSlugs = Index{letter: 'e'}
	ThemeSlugs       = Index{letter: 'h', long: true}
	VariantSlugs     = Index{letter: 'v'}
	Memberships      = Index{letter: 'm'} // parts: subject; the "slug" is the team id
)

// Key returns the key of a slug.
func (x Index) Key(slug string, parts ...string) []byte { return x.key(slug, parts) }

// Read returns the id under slug, or ErrNotFound.
func (x Index) Read(r Reader, slug string, parts ...string) (string, error) {
	id, err := r.Get(x.key(slug, parts))
	return string(id), err
}

// Write puts id under slug.
func (x Index) Write(tx Tx, id, slug string, parts ...string) error {
	key := x.key(slug, parts)
	if !x.long {
		return tx.Set(key, []byte(id))
	}
	old, err := tx.Get(key)
	isNew := errors.Is(err, ErrNotFound)
	switch {
	case err != nil && !isNew:
		return err
	case !isNew && string(old) == id:
		return nil
	}
	if err := tx.Set(key, []byte(id)); err != nil || !isNew {
		return err
	}
	return x.recount(tx, slug, 1, parts)
}

// Delete frees slug.
func (x Index) Delete(tx Tx, slug string, parts ...string) error {
	key := x.key(slug, parts)
	if x.long {
		if _, err := tx.Get(key); errors.Is(err, ErrNotFound) {
			return nil
		} else if err != nil {
			return err
		}
	}
	if err := tx.Delete(key); err != nil || !x.long {
		return err
	}
	return x.recount(tx, slug, -1, parts)
}

// DeleteAll frees every slug under parts.
func (x Index) DeleteAll(tx Tx, parts ...string) error {
	if x.long {
		if err := blocks.DeleteAll(tx, x.blockParts(parts)...); err != nil {
			return err
		}
	}
	return tx.DeletePrefix(Key(x.letter, parts...))
}

// Scan calls each for every entry under parts in the order of slugs, until each returns false.
func (x Index) Scan(r Reader, order Order, each func(slug, id string) (more bool), parts ...string) error {
	return r.Scan(Key(x.letter, parts...), order, func(key, value []byte) bool {
		return each(LastPart(key), string(value))
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
	return r.ScanRange(start, end, order, func(key, value []byte) bool { return each(LastPart(key), string(value)) })
}

func (x Index) key(slug string, parts []string) []byte {
	return append(append(Key(x.letter, parts...), slug...), 0)
}
