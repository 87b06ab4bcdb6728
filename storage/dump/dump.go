// Package dump writes everything that a store holds as one stream that knows no engine, and loads it
// into another store: the way between engines, and a copy that any later version can read.
//
// A dump holds every record and every blob that a record names. It does not hold the change log: the
// store that is loaded begins a new one, and followers of the old one ask for everything again.
package dump

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"

	"github.com/klauspost/compress/zstd"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// A dump is this line and then, compressed with zstd, frames: a kind, the length of each part as an
// unsigned varint, and the parts.
//
//	'b' blob                blobs come first, in the order of their names
//	'k' key, value          then the records, in the order of their keys
//	'e' SHA-256 (32)        the end: of all frames before it
const (
	magic     = "livery dump 1\n"
	frameBlob = 'b'
	frameKey  = 'k'
	frameEnd  = 'e'
)

// maxPart bounds what a reader takes for one part.
const maxPart = 1 << 30

// Summary is what a dump holds. Two stores with the same Digest hold the same.
type Summary struct {
	Blobs, Keys int64
	Bytes       int64  // of blobs, keys and values
	Digest      string // SHA-256 of all frames, in hexadecimal
	Skipped     int64  // names of derived blobs that are not there; they are made again when asked for
}

// Write writes a dump of one snapshot of store to w. It may run beside everything else. A blob that
// is named and not there is storage.ErrNotFound, unless it is a derived one.
func Write(ctx context.Context, store storage.Store, w io.Writer, progress storage.Progress) (Summary, error) {
	buffered := bufio.NewWriterSize(w, 1<<20)
	if _, err := buffered.WriteString(magic); err != nil {
		return Summary{}, fmt.Errorf("dump: write: %w", err)
	}
	packed, err := zstd.NewWriter(buffered, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return Summary{}, fmt.Errorf("dump: write: %w", err)
	}
	out := &writer{to: packed, sum: sha256.New(), progress: progress}
	err = store.View(ctx, func(r storage.Reader) error { return out.snapshot(ctx, store, r) })
	if err := errors.Join(err, packed.Close(), buffered.Flush()); err != nil {
		return out.done, fmt.Errorf("dump: write: %w", err)
	}
	return out.done, nil
}

// writer writes frames.
type writer struct {
	to       io.Writer
	sum      hash.Hash
	head     []byte // of the frame under way
	progress storage.Progress
	done     Summary
	parts    map[byte]*part // by frame kind for blobs, and by table for records
}

func (w *writer) snapshot(ctx context.Context, store storage.Store, r storage.Reader) error {
	if err := w.blobs(ctx, store, r); err != nil {
		return err
	}
	if err := w.keys(ctx, r); err != nil {
		return err
	}
	digest := w.sum.Sum(nil)
	w.done.Digest = hex.EncodeToString(digest)
	return w.frame(frameEnd, digest)
}

func (w *writer) blobs(ctx context.Context, store storage.Store, r storage.Reader) error {
	needed := map[record.Hash]bool{} // whether it may be missing
	err := storage.References(r, func(ref storage.Reference) bool {
		optional, seen := needed[ref.Name]
		needed[ref.Name] = ref.Derived && (optional || !seen)
		return true
	})
	if err != nil {
		return err
	}
	names := make([]record.Hash, 0, len(needed))
	for name := range needed {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		if i%100 == 0 {
			w.progress.Tell("write blobs", i, len(names))
		}
		blob, err := store.Blob(ctx, name)
		if needed[name] && errors.Is(err, storage.ErrNotFound) {
			w.done.Skipped++
			continue
		}
		if err != nil {
			return err
		}
		w.done.Blobs++
		if err := w.frame(frameBlob, blob); err != nil {
			return err
		}
	}
	w.progress.Tell("write blobs", len(names), len(names))
	return nil
}

func (w *writer) keys(ctx context.Context, r storage.Reader) error {
	var failed error
	err := r.Scan(nil, storage.Ascending, func(key, value []byte) bool {
		if w.done.Keys++; w.done.Keys%10_000 == 0 {
			w.progress.Tell("write records", int(w.done.Keys), 0)
		}
		failed = errors.Join(w.frame(frameKey, key, value), ctx.Err())
		return failed == nil
	})
	return errors.Join(err, failed)
}

func (w *writer) frame(kind byte, parts ...[]byte) error {
	w.head = append(w.head[:0], kind)
	for _, p := range parts {
		w.head = binary.AppendUvarint(w.head, uint64(len(p)))
	}
	sum := w.count(kind, parts)
	for _, p := range append([][]byte{w.head}, parts...) {
		_, _ = w.sum.Write(p) // a hash returns no error
		_, _ = sum.Write(p)
		if _, err := w.to.Write(p); err != nil {
			return err
		}
	}
	if kind != frameEnd {
		for _, p := range parts {
			w.done.Bytes += int64(len(p))
		}
	}
	return nil
}

// count counts a frame in its part, and returns the part's hash.
func (w *writer) count(kind byte, parts [][]byte) io.Writer {
	if w.parts == nil || kind == frameEnd {
		return io.Discard
	}
	of := kind
	if kind == frameKey {
		of = parts[0][0]
	}
	p := w.parts[of]
	if p == nil {
		p = &part{sum: sha256.New()}
		w.parts[of] = p
	}
	p.count++
	return p.sum
}

// ErrNotEmpty is returned if a dump is to be loaded into a store that holds something.
var ErrNotEmpty = errors.New("the store is not empty")

// ErrBad is returned if a stream is not a whole dump.
var ErrBad = errors.New("this is not a whole dump")

// Load loads a dump into an empty store. The blobs go first, and then all records in one commit: a
// Load that fails leaves a store without records, and loading again goes on with the blobs it has.
// It holds all records in memory.
func Load(ctx context.Context, from io.Reader, store storage.Store, progress storage.Progress) (Summary, error) {
	if err := empty(ctx, store); err != nil {
		return Summary{}, fmt.Errorf("dump: load: %w", err)
	}
	head := make([]byte, len(magic))
	if _, err := io.ReadFull(from, head); err != nil || string(head) != magic {
		return Summary{}, fmt.Errorf("dump: load: %w: it does not begin with %q", ErrBad, magic)
	}
	packed, err := zstd.NewReader(bufio.NewReaderSize(from, 1<<20), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(1<<30))
	if err != nil {
		return Summary{}, fmt.Errorf("dump: load: %w", err)
	}
	defer packed.Close()
	in := &reader{from: bufio.NewReaderSize(packed, 1<<20), sum: sha256.New(), store: store, progress: progress}
	if err := in.all(ctx); err != nil {
		return in.done, fmt.Errorf("dump: load: %w", err)
	}
	return in.done, nil
}

// empty refuses a store that holds a record.
func empty(ctx context.Context, store storage.Store) error {
	return store.View(ctx, func(r storage.Reader) error {
		full := false
		err := r.Scan(nil, storage.Ascending, func([]byte, []byte) bool {
			full = true
			return false
		})
		if err == nil && full {
			return ErrNotEmpty
		}
		return err
	})
}

// reader reads frames.
type reader struct {
	from     *bufio.Reader
	sum      hash.Hash
	store    storage.Store
	progress storage.Progress
	records  [][2][]byte
	done     Summary
}

func (r *reader) all(ctx context.Context) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		kind, err := r.from.ReadByte()
		if err != nil {
			return fmt.Errorf("%w: it ends without its end: %w", ErrBad, err)
		}
		switch kind {
		case frameBlob:
			err = r.blob(ctx)
		case frameKey:
			err = r.record()
		case frameEnd:
			if err := r.end(); err != nil {
				return err
			}
			return r.commit(ctx)
		default:
			err = fmt.Errorf("%w: a frame of the unknown kind %q", ErrBad, kind)
		}
		if err != nil {
			return err
		}
	}
}

func (r *reader) blob(ctx context.Context) error {
	parts, err := r.parts(frameBlob, 1)
	if err != nil {
		return err
	}
	if _, err := r.store.PutBlob(ctx, parts[0]); err != nil {
		return err
	}
	if r.done.Blobs++; r.done.Blobs%100 == 0 {
		r.progress.Tell("load blobs", int(r.done.Blobs), 0)
	}
	return nil
}

func (r *reader) record() error {
	parts, err := r.parts(frameKey, 2)
	if err != nil {
		return err
	}
	r.done.Keys++
	r.records = append(r.records, [2][]byte{parts[0], parts[1]})
	return nil
}

// parts reads the rest of a frame.
func (r *reader) parts(kind byte, n int) ([][]byte, error) {
	head, sizes := []byte{kind}, make([]uint64, n)
	for i := range sizes {
		size, err := binary.ReadUvarint(r.from)
		if err != nil || size > maxPart {
			return nil, fmt.Errorf("%w: the length of a frame is missing or absurd", ErrBad)
		}
		sizes[i] = size
		head = binary.AppendUvarint(head, size)
	}
	_, _ = r.sum.Write(head)
	parts := make([][]byte, n)
	for i, size := range sizes {
		var part bytes.Buffer // grows with what is there, and not with what a length claims
		if _, err := io.CopyN(&part, r.from, int64(size)); err != nil {
			return nil, fmt.Errorf("%w: it ends within a frame: %w", ErrBad, err)
		}
		parts[i] = part.Bytes()
		_, _ = r.sum.Write(parts[i])
		r.done.Bytes += int64(size)
	}
	return parts, nil
}

// end compares the digest.
func (r *reader) end() error {
	want := r.sum.Sum(nil)
	size, err := binary.ReadUvarint(r.from)
	got := make([]byte, len(want))
	if err == nil && size == uint64(len(want)) {
		_, err = io.ReadFull(r.from, got)
	}
	if err != nil || !bytes.Equal(got, want) {
		return fmt.Errorf("%w: its content is not what was written", ErrBad)
	}
	r.done.Digest = hex.EncodeToString(want)
	return nil
}

// commit writes all records at once. It checks once more that nothing was written meanwhile.
func (r *reader) commit(ctx context.Context) error {
	r.progress.Tell("load records", 0, len(r.records))
	_, err := r.store.Update(ctx, storage.Global, func(tx storage.Tx) (record.Change, error) {
		full := false
		err := tx.Scan(nil, storage.Ascending, func([]byte, []byte) bool {
			full = true
			return false
		})
		if err == nil && full {
			err = ErrNotEmpty
		}
		for i := 0; i < len(r.records) && err == nil; i++ {
			err = tx.Set(r.records[i][0], r.records[i][1])
		}
		return record.Change{}, err
	})
	if err == nil {
		r.progress.Tell("load records", len(r.records), len(r.records))
	}
	return err
}
