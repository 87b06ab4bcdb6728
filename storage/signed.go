package storage

import (
	"encoding/hex"
	"errors"
	"slices"

	"example.com/livery/storage/record"
)

// signedLetter is the letter of the index of Themes that are signed or have signing keys, ordered by the master key that sealed
// these. With it a start reads only the Themes that another master key sealed, not every Theme.
const signedLetter = 's'

// unsealed stands in the index for a key that is not sealed, and for a signed Theme without keys.
const unsealed = "none"

// sealsOf returns the index parts of a Theme: the ids of the master keys that sealed its signing keys.
func sealsOf(t record.Theme) (seals []string) {
	for _, key := range t.Serving.SigningKeys {
		if key.Sealed {
			seals = append(seals, hex.EncodeToString(key.Secret[:min(record.SealIDBytes, len(key.Secret))]))
		} else {
			seals = append(seals, unsealed)
		}
	}
	if len(seals) == 0 && t.Serving.Mode == "signed" {
		seals = []string{unsealed}
	}
	slices.Sort(seals)
	return slices.Compact(seals)
}

// ScanSigned calls each for every Theme that is signed or has signing keys, until each returns false. It leaves out the Themes
// whose keys were all sealed by the master key with the id newest, without reading their part of the index. A Theme whose keys
// several other master keys sealed comes once for each.
func ScanSigned(r Reader, newest []byte, each func(record.Theme) (more bool)) error {
	start, end := Span(Key(signedLetter))
	skipStart, skipEnd := Span(Key(signedLetter, hex.EncodeToString(newest)))
	var failed error
	visit := func(key, _ []byte) bool {
		p := parts(key)
		if len(p) != 3 {
			return true // CheckStore reports it
		}
		t, err := Themes.Read(r, p[1], p[2])
		if errors.Is(err, ErrNotFound) {
			return true
		}
		failed = err
		return err == nil && each(t)
	}
	err := r.ScanRange(start, skipStart, Ascending, visit)
	if err == nil && failed == nil {
		err = r.ScanRange(skipEnd, end, Ascending, visit)
	}
	return errors.Join(err, failed)
}

// indexSigned replaces the entries of a Theme in the index.
func indexSigned(tx Tx, old, t record.Theme, environment, theme string) error {
	var err error
	seals := sealsOf(t)
	for _, seal := range sealsOf(old) {
		if !slices.Contains(seals, seal) {
			err = errors.Join(err, tx.Delete(Key(signedLetter, seal, environment, theme)))
		}
	}
	for _, seal := range seals {
		err = errors.Join(err, tx.Set(Key(signedLetter, seal, environment, theme), nil))
	}
	return err
}

// signed reports a Theme that the index lacks: a start with another master key would not seal its keys.
func (c *checker) signed(at string, t record.Theme) {
	for _, seal := range sealsOf(t) {
		if _, err := c.r.Get(Key(signedLetter, seal, t.EnvironmentID, t.ID)); err != nil {
			c.report(Finding{at, "the index of signed Themes lacks it", "add or remove a signing key, which writes the index again"})
		}
	}
}

// signedEntries reports index entries that lead to no Theme with such a key.
func (c *checker) signedEntries() error {
	err := c.r.Scan(Key(signedLetter), Ascending, func(key, _ []byte) bool {
		p := parts(key)
		var t record.Theme
		if len(p) == 3 {
			t, _ = Themes.Read(c.r, p[1], p[2])
		}
		if len(p) != 3 || !slices.Contains(sealsOf(t), p[0]) {
			c.report(Finding{where("signed theme", key), "it leads to no Theme with such a signing key", RepairDelete})
		}
		return c.ctx.Err() == nil
	})
	return errors.Join(err, c.ctx.Err())
}
