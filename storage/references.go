package storage

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"example.com/livery/storage/record"
)

// Reference is a blob that a record names.
type Reference struct {
	Name    record.Hash
	Key     []byte // of the record; valid during the call
	Derived bool   // the blob can be made again from others: a plan or an overlay
}

// References calls each for every blob that a record names, as often as it is named, until each
// returns false. What it does not name may be dropped: a new kind of reference belongs here. It
// returns ErrCorrupt if a record cannot be read.
func References(r Reader, each func(Reference) (more bool)) error {
	return errors.Join(
		refer(r, ThemeVersions, themeVersionBlobs, each),
		refer(r, VariantVersions, variantVersionBlobs, each),
		refer(r, Pairs, pairBlobs, each),
		refer(r, Modules, moduleBlobs, each),
	)
}

func themeVersionBlobs(v record.ThemeVersion) []Reference {
	return []Reference{{Name: v.Document}, {Name: v.Module}, {Name: v.Plan, Derived: true}}
}

func variantVersionBlobs(v record.VariantVersion) []Reference {
	return []Reference{{Name: v.Overrides}}
}

func pairBlobs(p record.Pair) []Reference {
	return []Reference{{Name: p.Overrides}, {Name: p.Overlay, Derived: true}}
}

func moduleBlobs(m record.Module) []Reference { return []Reference{{Name: m.Digest}} }

// refer calls each for every blob that the records of a table name.
func refer[T any](r Reader, t Table[T], blobs func(T) []Reference, each func(Reference) bool) error {
	return t.Scan(r, Ascending, func(key []byte, v T) bool {
		for _, ref := range blobs(v) {
			ref.Key = key
			if ref.Name != "" && !each(ref) {
				return false
			}
		}
		return true
	})
}

// digest is a Hash as bytes, for holding many.
type digest [32]byte

// digests is a sorted set of names.
type digests []digest

func parseDigest(name record.Hash) (d digest, err error) {
	if !name.Valid() {
		return d, fmt.Errorf("storage: %w: %q is not the name of a blob", ErrCorrupt, name)
	}
	_, err = hex.Decode(d[:], []byte(name))
	return d, err
}

func (d digest) name() record.Hash { return record.Hash(hex.EncodeToString(d[:])) }

func compareDigests(a, b digest) int { return slices.Compare(a[:], b[:]) }

// named returns the names of all blobs that records name.
func named(r Reader) (digests, error) {
	var all digests
	var bad error
	err := References(r, func(ref Reference) bool {
		var d digest
		d, bad = parseDigest(ref.Name)
		all = append(all, d)
		return bad == nil
	})
	if err := errors.Join(err, bad); err != nil {
		return nil, err
	}
	slices.SortFunc(all, compareDigests)
	return slices.Compact(all), nil
}

func (s digests) has(d digest) bool {
	_, found := slices.BinarySearchFunc(s, d, compareDigests)
	return found
}
