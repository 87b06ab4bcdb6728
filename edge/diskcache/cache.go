// Package diskcache is what an edge has on disk: records of Themes and pairs, plans, overlays and modules, within a budget of
// bytes. What is requested rarely is evicted first. A WriteBehind writes what is not urgent a moment later.
package diskcache

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"example.com/livery/feedproto"
	"example.com/livery/storage/record"
	"github.com/go-json-experiment/json"
)

// Cache keeps records and blobs across restarts, so that an edge whose origin is out of reach serves
// on. Nothing on it is trusted: a file whose content does not have the hash it should have counts as
// absent. Files appear whole, by rename, and are not synced: losing one costs a question to upstream.
//
//	themes/{env}/{theme}                     Record[feedproto.Theme], without signing secrets
//	pairs/{env}/{theme}/{variant}/{version}  Record[feedproto.Pair]
//	blobs/{two digits}/{hash}                plans, overlays and modules
//	cursor                                   place in the change log
//	modules                                  what upstream listed
//	files/                                   not this type's, but the Bodies'
//
// All but blobs are the hash of the rest in 64 digits, a line feed, and the rest. It may be used
// concurrently.
type Cache struct {
	index *index
}

// Record is a record on disk and when it was last known to be current.
type Record[T any] struct {
	KnownAt time.Time `json:"knownAt"`
	Value   T         `json:"record"`
}

// Open opens the disk cache, which holds maxBytes at most. requested yields the keys of the pairs that
// were requested, and how often since that was set to 0. bodies may be nil.
func Open(dir string, maxBytes int64, requested func(yield func(key string, times *atomic.Uint32)), bodies *Bodies) (*Cache, error) {
	for _, sub := range []string{"themes", "pairs", "blobs"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return nil, fmt.Errorf("edge: disk cache: %w", err)
		}
	}
	index, err := openIndex(dir, maxBytes, requested, bodies)
	if err != nil {
		return nil, fmt.Errorf("edge: disk cache: %w", err)
	}
	return &Cache{index}, nil
}

// The names of files, by their place in the directory.
func themeName(key string) string      { return "themes/" + key }
func pairName(key string) string       { return "pairs/" + key }
func blobName(name record.Hash) string { return "blobs/" + string(name[:2]) + "/" + string(name) }

// HasTheme reports whether there is a Theme's record; it is not read.
func (c *Cache) HasTheme(key string) bool { return c.index.has(themeName(key)) }

// HasPair reports whether there is a pair; it is not read.
func (c *Cache) HasPair(key string) bool { return c.index.has(pairName(key)) }

// HasBlob reports whether there is a blob; it is not read.
func (c *Cache) HasBlob(name record.Hash) bool { return name.Valid() && c.index.has(blobName(name)) }

// HoldsThemes reports whether there is the record of any Theme.
func (c *Cache) HoldsThemes() bool { return c.index.holds("themes/") }

// Bytes returns what the cache takes on disk.
func (c *Cache) Bytes() int64 { return c.index.total() }

// MaxBytes returns the budget.
func (c *Cache) MaxBytes() int64 { return c.index.maxBytes }

// PairsUnder lists the keys of the pairs below a folder of keys.
func (c *Cache) PairsUnder(folder string) (keys []string) {
	for _, name := range c.index.under(pairName(folder) + "/") {
		keys = append(keys, strings.TrimPrefix(name, pairName("")))
	}
	return keys
}

// Touch raises the rank of a pair that was requested so many times until now.
func (c *Cache) Touch(key string, times int, now time.Time) { c.index.touch(pairName(key), times, now) }

// Blob returns a blob; ok is false if the disk has none of that content.
// name must be valid.
func (c *Cache) Blob(name record.Hash) (blob []byte, ok bool) {
	blob = c.index.read(blobName(name))
	if blob == nil {
		return nil, false
	}
	if record.HashOf(blob) != name {
		_ = c.index.remove(blobName(name)) // it comes again from upstream
		return nil, false
	}
	return blob, true
}

// PutBlob writes a blob.
func (c *Cache) PutBlob(name record.Hash, blob []byte) error {
	return c.index.write(blobName(name), blob)
}

// Theme returns the record of a Theme; its signing keys have no secrets.
func (c *Cache) Theme(key string) (k Record[feedproto.Theme], ok bool) {
	ok = c.readRecord(themeName(key), &k)
	return k, ok
}

// PutTheme writes a Theme's record without its secrets: those stay in memory.
func (c *Cache) PutTheme(key string, k Record[feedproto.Theme]) error {
	k.Value.Serving.SigningKeys = slices.Clone(k.Value.Serving.SigningKeys)
	for i := range k.Value.Serving.SigningKeys {
		k.Value.Serving.SigningKeys[i].Secret = nil
	}
	return c.writeRecord(themeName(key), k)
}

// Pair returns the record of a pair.
func (c *Cache) Pair(key string) (k Record[feedproto.Pair], ok bool) {
	ok = c.readRecord(pairName(key), &k)
	return k, ok
}

// PutPair writes a pair, unless an input of it is not on disk, and no file that was made of it: the pair before, if there is
// one, is of more use then.
func (c *Cache) PutPair(key string, k Record[feedproto.Pair]) error {
	for _, name := range []record.Hash{k.Value.Plan, k.Value.Overlay, k.Value.Module} {
		if name != "" && !c.HasBlob(name) && !c.index.bodies.holds(c.index.bodies.partOf(k.Value)) {
			return nil
		}
	}
	err := c.writeRecord(pairName(key), k)
	c.index.setNeeds(pairName(key), k.Value)
	return err
}

// DropTheme removes a Theme that was deleted, with its pairs.
func (c *Cache) DropTheme(key string) error {
	if !c.HasTheme(key) {
		return nil // never held, so that no pair is either, or one that leads to nothing
	}
	err := c.index.remove(themeName(key))
	for _, name := range c.index.under(pairName(key) + "/") {
		err = errors.Join(err, c.index.remove(name))
	}
	return err
}

// DropPair removes a pair that was deleted.
func (c *Cache) DropPair(key string) error { return c.index.remove(pairName(key)) }

// Cursor returns the place in the change log that was written last, or "".
func (c *Cache) Cursor() string {
	var cursor string
	c.readRecord("cursor", &cursor)
	return cursor
}

// PutCursor writes a place in the change log.
func (c *Cache) PutCursor(cursor string) error { return c.writeRecord("cursor", cursor) }

// Modules returns what upstream listed last.
func (c *Cache) Modules() (list []record.Module, ok bool) {
	ok = c.readRecord("modules", &list)
	return list, ok
}

// PutModules writes what upstream listed.
func (c *Cache) PutModules(list []record.Module) error { return c.writeRecord("modules", list) }

// readRecord reads a record into v, a pointer, and reports whether there is a sound one.
func (c *Cache) readRecord(name string, v any) bool {
	return decodeRecord(c.index.read(name), v)
}

// decodeRecord reads the content of a record's file into v.
func decodeRecord(content []byte, v any) bool {
	sum, body, ok := bytes.Cut(content, []byte{'\n'})
	return ok && string(sum) == string(record.HashOf(body)) && json.Unmarshal(body, v) == nil
}

func (c *Cache) writeRecord(name string, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("edge: disk cache: %w", err)
	}
	return c.index.write(name, append([]byte(record.HashOf(body)+"\n"), body...))
}

// temporary ends the names of files that are being written.
const temporary = ".tmp"

// writeAtomically makes a file appear with all of its content or not at all. It carries a time.
func writeAtomically(path string, content []byte, carried time.Time) error {
	err := writeOnce(path, content, carried)
	if errors.Is(err, fs.ErrNotExist) { // its folder was empty, and removed meanwhile
		err = writeOnce(path, content, carried)
	}
	return err
}

func writeOnce(path string, content []byte, carried time.Time) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("edge: disk cache: %w", err)
	}
	file, err := os.CreateTemp(dir, "*"+temporary)
	if err != nil {
		return fmt.Errorf("edge: disk cache: %w", err)
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Close()); err == nil {
		_ = os.Chtimes(file.Name(), carried, carried) // lost: a restart takes it for less requested
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("edge: disk cache: %w", err), os.Remove(file.Name()))
	}
	return nil
}

// isTemporary reports whether a file was left half written by a run before this one.
func isTemporary(name string) bool { return strings.HasSuffix(name, temporary) }
