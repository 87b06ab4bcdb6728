// Package diskcache is what an edge has on disk: records of Themes and pairs, plans, overlays and modules, within a budget of
// bytes. What is requested rarely is evicted first. A WriteBehind writes what is not urgent a moment later.
package diskcache

import (
	"fmt"
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
// on. Nothing on it is trusted: a record that is not as it was written counts as absent. Records are appended to the
// segments of a log and not synced: losing one costs a question to upstream.
//
//	themes/{env}/{theme}                     Record[feedproto.Theme], without signing secrets
//	manifests/{env}/{theme}                  Record[feedproto.Manifest]
//	pairs/{env}/{theme}/{variant}/{version}  Record[feedproto.Pair]
//	blobs/{hash}                             plans, overlays and modules
//	cursor                                   place in the change log
//	modules                                  what upstream listed
//
// It may be used concurrently.
type Cache struct {
	index    *index
	maxBytes int64
}

// Budget bounds a Cache, or Bodies.
type Budget struct {
	Bytes      int64 // on disk
	IndexBytes int64 // of memory, for knowing what is there
}

// Record is a record on disk and when it was last known to be current.
type Record[T any] struct {
	KnownAt time.Time `json:"knownAt"`
	Value   T         `json:"record"`
}

// Where the segments are in the directory of a cache.
const (
	recordsFolder = "records"
	bodiesFolder  = "bodies"
)

// Open opens the disk cache. requested yields the keys of the pairs that were requested, and how often since that was
// set to 0. bodies may be nil.
func Open(dir string, b Budget, requested func(yield func(key string, times *atomic.Uint32)), bodies *Bodies) (*Cache, error) {
	index, err := openIndex(filepath.Join(dir, recordsFolder), b, requested, bodies)
	if err != nil {
		return nil, fmt.Errorf("edge: disk cache: %w", err)
	}
	return &Cache{index, b.Bytes}, nil
}

// Close closes the files. What is there is not found any more, and nothing is written.
func (c *Cache) Close() { c.index.log.close() }

// The names of records.
func themeName(key string) string      { return "themes/" + key }
func manifestName(key string) string   { return "manifests/" + key }
func pairName(key string) string       { return "pairs/" + key }
func blobName(name record.Hash) string { return "blobs/" + string(name) }

// HasTheme reports whether there is a Theme's record; it is not read.
func (c *Cache) HasTheme(key string) bool { return c.index.has(themeName(key)) }

// HasManifest reports whether there is the manifest of a Theme; it is not read.
func (c *Cache) HasManifest(key string) bool { return c.index.has(manifestName(key)) }

// HasPair reports whether there is a pair; it is not read.
func (c *Cache) HasPair(key string) bool { return c.index.has(pairName(key)) }

// HasAddress reports whether there is a pair and the record of its Theme; they are not read.
func (c *Cache) HasAddress(key string) bool {
	name := pairName(key)
	return c.index.has(name) && c.index.has(themeNameOfPair(name))
}

// HasBlob reports whether there is a blob; it is not read.
func (c *Cache) HasBlob(name record.Hash) bool { return name.Valid() && c.index.has(blobName(name)) }

// HoldsThemes reports whether there is the record of any Theme.
func (c *Cache) HoldsThemes() bool { return c.index.holds("themes/") }

// Bytes returns what the cache takes on disk.
func (c *Cache) Bytes() int64 { return c.index.log.size.Load() }

// MaxBytes returns the budget.
func (c *Cache) MaxBytes() int64 { return c.maxBytes }

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
	return blob, blob != nil
}

// PutBlob writes a blob, whose name the caller vouches for.
func (c *Cache) PutBlob(name record.Hash, blob []byte) error {
	return c.index.write(logRecord{kind: recordPut, name: blobName(name), content: blob})
}

// Theme returns the record of a Theme; its signing keys have no secrets.
func (c *Cache) Theme(key string) (k Record[feedproto.Theme], ok bool) {
	ok = c.readRecord(themeName(key), &k)
	return k, ok
}

// PutTheme writes a Theme's record without its secrets: those stay in memory.
func (c *Cache) PutTheme(key string, k Record[feedproto.Theme]) error {
	return c.writeRecord(themeName(key), withoutSecrets(k))
}

// Manifest returns the manifest of a Theme.
func (c *Cache) Manifest(key string) (k Record[feedproto.Manifest], ok bool) {
	ok = c.readRecord(manifestName(key), &k)
	return k, ok
}

// PutManifest writes the manifest of a Theme.
func (c *Cache) PutManifest(key string, k Record[feedproto.Manifest]) error {
	return c.writeRecord(manifestName(key), k)
}

// DropManifest removes a manifest that does not exist any more.
func (c *Cache) DropManifest(key string) error { return c.index.remove(manifestName(key)) }

func withoutSecrets(k Record[feedproto.Theme]) Record[feedproto.Theme] {
	k.Value.Serving.SigningKeys = slices.Clone(k.Value.Serving.SigningKeys)
	for i := range k.Value.Serving.SigningKeys {
		k.Value.Serving.SigningKeys[i].Secret = nil
	}
	return k
}

// Pair returns the record of a pair.
func (c *Cache) Pair(key string) (k Record[feedproto.Pair], ok bool) {
	ok = c.readRecord(pairName(key), &k)
	return k, ok
}

// PutPair writes a pair with blobs that it names.
func (c *Cache) PutPair(key string, k Record[feedproto.Pair], blobs map[record.Hash][]byte) error {
	return c.writePair(nil, key, k, blobs)
}

// PutAddress writes a pair and the record of its Theme, unless the disk has both, in one: a full disk would give up the first
// of them for the second.
func (c *Cache) PutAddress(themeKey string, theme Record[feedproto.Theme], key string, k Record[feedproto.Pair]) error {
	if c.HasAddress(key) {
		return nil
	}
	r, err := recordOf(themeName(themeKey), withoutSecrets(theme))
	if err != nil {
		return err
	}
	return c.writePair([]logRecord{r}, key, k, nil)
}

// writePair writes records, the blobs that a pair names, and the pair, unless an input of it is not on disk then, and no file
// that was made of it: the pair before, if there is one, is of more use then.
func (c *Cache) writePair(records []logRecord, key string, k Record[feedproto.Pair], blobs map[record.Hash][]byte) error {
	for _, name := range inputsOf(k.Value) {
		switch blob, given := blobs[name]; {
		case name == "" || c.HasBlob(name):
		case given:
			records = append(records, logRecord{kind: recordPut, name: blobName(name), content: blob})
		case !c.index.bodies.holds(c.index.bodies.partOf(k.Value)):
			return nil
		}
	}
	r, err := recordOf(pairName(key), k)
	if err == nil {
		err = c.index.write(append(records, r)...)
	}
	c.index.setNeeds(pairName(key), k.Value)
	return err
}

// inputsOf returns the blobs that a pair is made from; "": none.
func inputsOf(p feedproto.Pair) [3]record.Hash { return [...]record.Hash{p.Plan, p.Overlay, p.Module} }

// DropTheme removes a Theme that was deleted, with its pairs.
func (c *Cache) DropTheme(key string) error {
	if !c.HasTheme(key) {
		return nil // never held, so that no pair is either, or one that leads to nothing
	}
	return c.index.remove(append(c.index.under(pairName(key)+"/"), manifestName(key), themeName(key))...)
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
	return json.Unmarshal(c.index.read(name), v) == nil
}

func (c *Cache) writeRecord(name string, v any) error {
	r, err := recordOf(name, v)
	if err != nil {
		return err
	}
	return c.index.write(r)
}

// recordOf returns what is written of a value under a name.
func recordOf(name string, v any) (logRecord, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return logRecord{}, fmt.Errorf("edge: disk cache: %w", err)
	}
	return logRecord{kind: recordPut, name: name, content: text}, nil
}
