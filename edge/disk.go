package edge

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

// disk keeps records and blobs across restarts, so that an edge whose origin is out of reach serves
// on. Nothing on it is trusted: a file whose content does not have the hash it should have counts as
// absent. Files appear whole, by rename, and are not synced: losing one costs a question to upstream.
//
//	themes/{env}/{theme}                     kept[feedproto.Theme], without signing secrets
//	pairs/{env}/{theme}/{variant}/{version}  kept[feedproto.Pair]
//	blobs/{two digits}/{hash}                plans, overlays and modules
//	cursor                                   place in the change log
//	modules                                  what upstream listed
//
// All but blobs are the hash of the rest in 64 digits, a line feed, and the rest. It may be used
// concurrently.
type disk struct {
	dir   string
	index *index
}

// kept is a record on disk and when it was last known to be current.
type kept[T any] struct {
	KnownAt time.Time `json:"knownAt"`
	Record  T         `json:"record"`
}

// openDisk opens the disk cache, which holds maxBytes at most. asked yields the names of the files of pairs that were
// asked for, and how often since that was set to 0.
func openDisk(dir string, maxBytes int64, asked func(yield func(pair string, times *atomic.Uint32))) (*disk, error) {
	for _, sub := range []string{"themes", "pairs", "blobs"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return nil, fmt.Errorf("edge: disk cache: %w", err)
		}
	}
	index, err := openIndex(dir, maxBytes, asked)
	if err != nil {
		return nil, fmt.Errorf("edge: disk cache: %w", err)
	}
	return &disk{dir, index}, nil
}

// The names of files, by their place in the directory.
func themeName(key string) string        { return "themes/" + key }
func pairName(key string) string         { return "pairs/" + key }
func blobName(name record.Hash) string   { return "blobs/" + string(name[:2]) + "/" + string(name) }
func (d *disk) path(name string) string  { return filepath.Join(d.dir, filepath.FromSlash(name)) }
func (d *disk) has(name string) bool     { return d.index.has(name) }
func (d *disk) holdsThemes() bool        { return d.index.holds("themes/") }
func (d *disk) bytes() int64             { return d.index.total() }
func (d *disk) read(name string) []byte  { return d.index.read(name) }
func (d *disk) remove(name string) error { return d.index.remove(name) }

// blob returns a blob; ok is false if the disk has none of that content.
// name must be valid.
func (d *disk) blob(name record.Hash) (blob []byte, ok bool) {
	blob = d.read(blobName(name))
	if blob == nil {
		return nil, false
	}
	if record.HashOf(blob) != name {
		_ = d.remove(blobName(name)) // it comes again from upstream
		return nil, false
	}
	return blob, true
}

// putBlob keeps a blob.
func (d *disk) putBlob(name record.Hash, blob []byte) error {
	return d.index.write(blobName(name), blob)
}

// theme returns the record of a Theme; its signing keys have no secrets.
func (d *disk) theme(key string) (k kept[feedproto.Theme], ok bool) {
	ok = d.readRecord(themeName(key), &k)
	return k, ok
}

// putTheme keeps a Theme's record without its secrets: those stay in memory.
func (d *disk) putTheme(key string, k kept[feedproto.Theme]) error {
	k.Record.Serving.SigningKeys = slices.Clone(k.Record.Serving.SigningKeys)
	for i := range k.Record.Serving.SigningKeys {
		k.Record.Serving.SigningKeys[i].Secret = nil
	}
	return d.writeRecord(themeName(key), k)
}

func (d *disk) pair(key string) (k kept[feedproto.Pair], ok bool) {
	ok = d.readRecord(pairName(key), &k)
	return k, ok
}

// putPair keeps a pair, unless what it is made from is not kept: the pair before, if there is one, is of more use then.
func (d *disk) putPair(key string, k kept[feedproto.Pair]) error {
	for _, name := range []record.Hash{k.Record.Plan, k.Record.Overlay, k.Record.Module} {
		if name != "" && !d.has(blobName(name)) {
			return nil
		}
	}
	err := d.writeRecord(pairName(key), k)
	d.index.need(pairName(key), k.Record)
	return err
}

// dropTheme removes a Theme that is no more, with its pairs.
func (d *disk) dropTheme(key string) error {
	if !d.has(themeName(key)) {
		return nil // never held, so that no pair is either, or one that leads to nothing
	}
	err := d.remove(themeName(key))
	for _, name := range d.index.under(pairName(key) + "/") {
		err = errors.Join(err, d.remove(name))
	}
	return err
}

// dropPair removes a pair that is no more.
func (d *disk) dropPair(key string) error { return d.remove(pairName(key)) }

func (d *disk) cursor() string {
	var cursor string
	d.readRecord("cursor", &cursor)
	return cursor
}

func (d *disk) putCursor(cursor string) error { return d.writeRecord("cursor", cursor) }

func (d *disk) modules() (list []record.Module, ok bool) {
	ok = d.readRecord("modules", &list)
	return list, ok
}

func (d *disk) putModules(list []record.Module) error { return d.writeRecord("modules", list) }

// readRecord reads a record into v, a pointer, and reports whether there is a sound one.
func (d *disk) readRecord(name string, v any) bool {
	return decodeRecord(d.read(name), v)
}

// decodeRecord reads the content of a record's file into v.
func decodeRecord(content []byte, v any) bool {
	sum, body, ok := bytes.Cut(content, []byte{'\n'})
	return ok && string(sum) == string(record.HashOf(body)) && json.Unmarshal(body, v) == nil
}

func (d *disk) writeRecord(name string, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("edge: disk cache: %w", err)
	}
	return d.index.write(name, append([]byte(record.HashOf(body)+"\n"), body...))
}

// temporary ends the names of files that are being written.
const temporary = ".tmp"

// writeWhole makes a file appear with all of its content or not at all. It carries a time.
func writeWhole(path string, content []byte, carried time.Time) error {
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
		_ = os.Chtimes(file.Name(), carried, carried) // lost: a restart takes it for less asked for
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("edge: disk cache: %w", err), os.Remove(file.Name()))
	}
	return nil
}

// isTemporary reports whether a file was left half written by a run before this one.
func isTemporary(name string) bool { return strings.HasSuffix(name, temporary) }
