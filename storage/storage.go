// Package storage is the interface to what Livery stores: ordered keys read from consistent
// snapshots, changed by atomic commits that each append one entry to an ordered change log, and
// immutable blobs named by their SHA-256. It knows keys and commits, and no rules.
//
// A scope is the unit of serial writing: an Environment's id, or Global for what stands above
// Environments. Commits of different scopes proceed side by side; commits of one scope, and a
// Global one beside any other, are serial.
package storage

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"example.com/livery/storage/record"
)

// The errors that callers branch on; engines wrap them.
var (
	ErrNotFound    = errors.New("not found")
	ErrTrimmed     = errors.New("the change log was trimmed past the cursor")
	ErrDiverged    = errors.New("the cursor is of another history")
	ErrUnavailable = errors.New("the store is unavailable; nothing was written")
	ErrUncertain   = errors.New("the store went away in the midst of a commit; it may or may not have been written")
	ErrNoSpace     = errors.New("the disk is full; nothing was written")
	ErrCorrupt     = errors.New("the store is corrupt")
	ErrLocked      = errors.New("the data directory is in use by another process")
)

// Global is the scope of Teams, token keys and renderer modules.
const Global = ""

// Cursor is a place in the change log: the number of the last entry seen and that entry's random
// tag, which tells one history from another. The zero Cursor is before the first entry.
type Cursor struct {
	Seq uint64
	Tag string // 16 hexadecimal digits
}

// String spells the cursor as "seq.tag", and the zero Cursor as "0".
func (c Cursor) String() string {
	if c.Seq == 0 {
		return "0"
	}
	return strconv.FormatUint(c.Seq, 10) + "." + c.Tag
}

// ParseCursor reads what String wrote; the empty string is the zero Cursor.
func ParseCursor(s string) (Cursor, error) {
	if s == "" || s == "0" {
		return Cursor{}, nil
	}
	seq, tag, ok := strings.Cut(s, ".")
	n, err := strconv.ParseUint(seq, 10, 64)
	if !ok || err != nil || n == 0 || tag == "" {
		return Cursor{}, fmt.Errorf("storage: %q is not a cursor", s)
	}
	return Cursor{n, tag}, nil
}

// LoggedChange is an entry of the change log with its place.
type LoggedChange struct {
	Cursor Cursor
	Change record.Change
}

// Order is the direction of a scan.
type Order bool

// The directions.
const (
	Ascending  Order = false
	Descending Order = true
)

// Reader reads one consistent snapshot.
type Reader interface {
	// Get returns a copy of the value at key, or ErrNotFound.
	Get(key []byte) ([]byte, error)
	// Scan calls each for every key that begins with prefix, bytewise, until each returns false.
	// Key and value are valid during the call.
	Scan(prefix []byte, order Order, each func(key, value []byte) (more bool)) error
	// ScanRange is Scan for the keys from start on that come before end.
	ScanRange(start, end []byte, order Order, each func(key, value []byte) (more bool)) error
	// Cursor returns the place in the change log that this snapshot shows.
	Cursor() Cursor
}

// Prefetch reads the values at keys together if r is of an engine that answers over a network, so that Get of
// each costs nothing more. It changes nothing else.
func Prefetch(r Reader, keys ...[]byte) error {
	if p, ok := r.(prefetcher); ok {
		return p.Prefetch(keys)
	}
	return nil
}

// Reads are what will be read.
type Reads struct {
	Keys, Prefixes [][]byte
	All            bool // hardly anything else will be
}

// Append adds the keys and prefixes of more.
func (r *Reads) Append(more Reads) {
	r.Keys, r.Prefixes = append(r.Keys, more.Keys...), append(r.Prefixes, more.Prefixes...)
}

// WithReads returns a context that tells View and Update what will be read: an engine that answers over a network
// reads it together. With All, View runs its function again if it reads more. It changes nothing else.
func WithReads(ctx context.Context, reads Reads) context.Context {
	return context.WithValue(ctx, expectedReads{}, reads)
}

// ExpectedReads returns those of WithReads, or none.
func ExpectedReads(ctx context.Context) Reads {
	reads, _ := ctx.Value(expectedReads{}).(Reads)
	return reads
}

type expectedReads struct{}

// prefetcher is a Reader that can read keys together.
type prefetcher interface{ Prefetch(keys [][]byte) error }

// Tx reads the snapshot with its own writes laid over it, and collects writes for one commit.
type Tx interface {
	Reader
	Set(key, value []byte) error
	Delete(key []byte) error
	// DeletePrefix deletes every key that begins with prefix.
	DeletePrefix(prefix []byte) error
	// DeleteRange deletes every key from start on that comes before end. An empty range is nothing to delete, and a write.
	DeleteRange(start, end []byte) error
}

// BlobInfo is what a Store knows of a blob without reading it.
type BlobInfo struct {
	Name        record.Hash
	StoredBytes int64     // as the engine holds it, compressed
	Unnamed     time.Time // since when MarkBlobs says that nothing names it; zero means it does not
}

// PutWindow bounds the time between PutBlob and the commit that names the blob. A commit that comes
// later may name a blob that Collect is about to drop.
const PutWindow = 10 * time.Minute

// Store is an engine. All methods may be called concurrently.
type Store interface {
	// View runs fn on one snapshot and returns fn's error.
	View(ctx context.Context, fn func(Reader) error) error
	// Update runs fn, and if fn returns nil and wrote something commits its writes and the change
	// it returned as one durable step; the Cursor is the change's. Any Set or deletion is
	// a write; if there was none the Cursor is that of the snapshot fn read. fn may run again and
	// must not have effects outside tx. If fn returns an error nothing is written and that error is
	// returned. A ctx that ends stops what has not begun to commit, and nothing later.
	Update(ctx context.Context, scope string, fn func(tx Tx) (record.Change, error)) (Cursor, error)
	// PutBlob stores a blob and returns its name. The blob is durable with the next commit of this
	// process: put it before the commit that names it, and not longer than PutWindow before. A mark of
	// MarkBlobs is taken off.
	PutBlob(ctx context.Context, blob []byte) (record.Hash, error)
	// Blob returns the blob, checked against its name: ErrNotFound, or ErrCorrupt.
	Blob(ctx context.Context, name record.Hash) ([]byte, error)
	// Blobs calls each for every blob in the order of names, until each returns false. It reads none.
	Blobs(ctx context.Context, each func(BlobInfo) (more bool)) error
	// MarkBlobs notes of each blob that nothing names it since at, and takes the note back if at is
	// zero. It leaves those as they are that were put within PutWindow, and ignores unknown names.
	MarkBlobs(ctx context.Context, names []record.Hash, at time.Time) error
	// DropBlobs deletes those of the blobs that are marked since before or earlier, and returns how
	// many they were. No PutBlob happens between its look at a mark and the deletion.
	DropBlobs(ctx context.Context, names []record.Hash, before time.Time) (int, error)
	// Changes returns up to limit entries after the cursor, in order: ErrTrimmed or ErrDiverged if
	// the cursor cannot be continued.
	Changes(ctx context.Context, after Cursor, limit int) ([]LoggedChange, error)
	// Wait returns nil as soon as an entry after the cursor exists, or ctx's error. It may return
	// ErrDiverged at once if the cursor is of another history.
	Wait(ctx context.Context, after Cursor) error
	// Trim drops entries of the change log up to and including seq.
	Trim(ctx context.Context, seq uint64) error
	// Check reads every blob and every entry of the change log, and calls report for each that is
	// missing or is not what it should be. It returns the error that stopped it, or ctx's.
	Check(ctx context.Context, report func(Finding)) error
	Close() error
}
