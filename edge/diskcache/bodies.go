package diskcache

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"example.com/livery/edge/memcache"
	"example.com/livery/feedproto"
)

// BodyName names a file as it is served, in one coding: by what it is made from, the file and the coding.
type BodyName = [sha256.Size + 2]byte

// Bodies keeps files as they are served across restarts, in a folder and within a budget of their own. Nothing there is
// trusted: a file that does not begin with the hash of its name and the rest counts as absent. It may be used
// concurrently.
type Bodies struct {
	dir   string
	id    func(feedproto.Pair) [sha256.Size]byte
	names *memcache.Table[BodyName, uint32] // with the bytes on disk

	mu  sync.Mutex     // guards ids
	ids map[uint64]int // how many there are of each ID, by its beginning
}

// bodiesFolder is where they are in the directory of the disk cache.
const bodiesFolder = "files"

// OpenBodies opens the bodies of the disk cache in dir, which are to take maxBytes at most. id returns the ID that names the
// bodies of a pair.
func OpenBodies(dir string, maxBytes int64, id func(feedproto.Pair) [sha256.Size]byte) (*Bodies, error) {
	dir = filepath.Join(dir, bodiesFolder)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("edge: disk cache: %w", err)
	}
	b := &Bodies{dir: dir, id: id, ids: map[uint64]int{}}
	b.names = memcache.New(uint64(maxBytes), func(_ BodyName, size uint32) uint32 { return size }, func(name BodyName, _ uint32) {
		b.count(name, -1)
		_ = os.Remove(b.path(name)) // left: the next start finds it
	})
	found, err := b.list()
	if err != nil {
		return nil, fmt.Errorf("edge: disk cache: %w", err)
	}
	for _, f := range found { // the oldest goes first, if they are too many
		b.note(f.name, f.size)
	}
	return b, nil
}

// foundBody is a file of an earlier run.
type foundBody struct {
	name    BodyName
	size    int64
	written time.Time
}

// list lists the files of earlier runs, the oldest first, and removes those that were left half written.
func (b *Bodies) list() (found []foundBody, err error) {
	err = filepath.WalkDir(b.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if isTemporary(path) {
			return os.Remove(path)
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		f := foundBody{size: info.Size(), written: info.ModTime()}
		if n, err := hex.Decode(f.name[:], []byte(d.Name())); err == nil && n == len(f.name) && b.path(f.name) == path {
			found = append(found, f)
		}
		return nil
	})
	slices.SortFunc(found, func(a, b foundBody) int {
		return cmp.Or(a.written.Compare(b.written), bytes.Compare(a.name[:], b.name[:]))
	})
	return found, err
}

// note notes a file, and removes those that make place for it.
func (b *Bodies) note(name BodyName, size int64) {
	if _, known := b.names.Peek(name); !known {
		b.count(name, 1)
	}
	b.names.Set(name, uint32((size+blockBytes-1)/blockBytes*blockBytes))
}

// count adds so many to the bodies of an ID.
func (b *Bodies) count(name BodyName, n int) {
	key := binary.BigEndian.Uint64(name[:])
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ids[key] += n; b.ids[key] <= 0 {
		delete(b.ids, key)
	}
}

// partOf returns the number that stands for the bodies of a pair; 0 if none are kept.
func (b *Bodies) partOf(fed feedproto.Pair) uint64 {
	if b == nil {
		return 0
	}
	id := b.id(fed)
	return binary.BigEndian.Uint64(id[:])
}

// holds reports whether there is any body of that number.
func (b *Bodies) holds(part uint64) bool {
	if b == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ids[part] > 0
}

func (b *Bodies) path(name BodyName) string {
	text := hex.EncodeToString(name[:])
	return filepath.Join(b.dir, text[:2], text)
}

// bodySum returns the hash that the file of a body begins with.
func bodySum(name BodyName, body []byte) []byte {
	h := sha256.New()
	h.Write(name[:])
	h.Write(body)
	return h.Sum(nil)
}

// Load returns what was stored under a name, or nil.
func (b *Bodies) Load(name BodyName) []byte {
	if _, ok := b.names.Get(name); !ok {
		return nil
	}
	content, err := os.ReadFile(b.path(name))
	if err != nil || len(content) < sha256.Size || !bytes.Equal(content[:sha256.Size], bodySum(name, content[sha256.Size:])) {
		b.Drop(name)
		return nil
	}
	return content[sha256.Size:]
}

// Has reports whether there is a body of that name, which is not read, and counts a request for it.
func (b *Bodies) Has(name BodyName) bool {
	_, ok := b.names.Get(name)
	return ok
}

// Store writes a body. What makes place for it is removed.
func (b *Bodies) Store(name BodyName, body []byte) error {
	content := append(bodySum(name, body), body...)
	if err := writeAtomically(b.path(name), content, time.Now()); err != nil {
		return err
	}
	b.note(name, int64(len(content)))
	return nil
}

// Drop removes a body, which need not be there.
func (b *Bodies) Drop(name BodyName) { b.names.Delete(name) }

// Bytes returns what the bodies take on disk; 0 if there are none.
func (b *Bodies) Bytes() int64 {
	if b == nil {
		return 0
	}
	return int64(b.names.Bytes())
}
