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
	"sync"
	"time"

	"example.com/livery/storage/record"
	"github.com/go-json-experiment/json"
)

// disk keeps records and blobs across restarts, so that an edge whose origin is out of reach serves
// on. Nothing on it is trusted: a file whose content does not have the hash it should have counts as
// absent. Files appear whole, by rename, and are not synced: losing one costs a question to upstream.
//
//	themes/{env}/{theme}                     kept[record.ThemeFed], without signing secrets
//	pairs/{env}/{theme}/{variant}/{version}  kept[record.PairFed]
//	blobs/{two digits}/{hash}                documents, overrides and modules
//	cursor                                   place in the change log
//
// All but blobs are the hash of the rest in 64 digits, a line feed, and the rest.
type disk struct {
	dir      string
	maxBytes int64 // of all blobs

	mu        sync.Mutex // guards blobBytes
	blobBytes int64
}

// kept is a record on disk and when it was last known to be current.
type kept[T any] struct {
	KnownAt time.Time `json:"knownAt"`
	Record  T         `json:"record"`
}

func openDisk(dir string, maxBytes int64) (*disk, error) {
	d := &disk{dir: dir, maxBytes: maxBytes}
	for _, sub := range []string{"themes", "pairs", "blobs"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return nil, fmt.Errorf("edge: disk cache: %w", err)
		}
	}
	if err := d.prune(); err != nil {
		return nil, fmt.Errorf("edge: disk cache: %w", err)
	}
	return d, nil
}

// holdsThemes reports whether there is anything to serve from.
func (d *disk) holdsThemes() bool {
	entries, err := os.ReadDir(filepath.Join(d.dir, "themes"))
	return err == nil && len(entries) > 0
}

func (d *disk) blobPath(name record.Hash) string {
	return filepath.Join(d.dir, "blobs", string(name[:2]), string(name))
}

// blob returns a blob and marks it as used; ok is false where the disk has none of that content.
// name must be valid.
func (d *disk) blob(name record.Hash) (blob []byte, ok bool) {
	path := d.blobPath(name)
	blob, err := os.ReadFile(path)
	if err != nil || record.HashOf(blob) != name {
		return nil, false
	}
	now := time.Now() // the file system's clock, not the edge's: it only orders files
	_ = os.Chtimes(path, now, now)
	return blob, true
}

// hasBlob reports whether there is a file of that name, whatever its content.
func (d *disk) hasBlob(name record.Hash) bool {
	_, err := os.Stat(d.blobPath(name))
	return err == nil
}

// putBlob keeps a blob, and drops those not used for longest where there are too many.
func (d *disk) putBlob(name record.Hash, blob []byte) error {
	if err := writeWhole(d.blobPath(name), blob); err != nil {
		return err
	}
	d.mu.Lock()
	d.blobBytes += int64(len(blob))
	full := d.blobBytes > d.maxBytes
	d.mu.Unlock()
	if full {
		return d.prune()
	}
	return nil
}

// prune counts the blobs, removes what was left half written and, where there is too much, the
// blobs not used for longest, down to nine tenths of the limit.
func (d *disk) prune() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	files, err := d.scan()
	if err != nil || d.blobBytes <= d.maxBytes {
		return err
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, file := range files {
		if d.blobBytes <= d.maxBytes/10*9 {
			break
		}
		if err := os.Remove(d.blobPath(record.Hash(file.Name()))); err != nil {
			return err
		}
		d.blobBytes -= file.Size()
	}
	return nil
}

// scan lists the blobs and sums their sizes up. d.mu is held.
func (d *disk) scan() (files []fs.FileInfo, err error) {
	d.blobBytes = 0
	err = filepath.WalkDir(filepath.Join(d.dir, "blobs"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // renamed since
		case err != nil:
			return err
		case record.Hash(entry.Name()).Valid():
			d.blobBytes += info.Size()
			files = append(files, info)
		case strings.HasSuffix(path, temporary) && time.Since(info.ModTime()) > time.Hour:
			return os.Remove(path)
		}
		return nil
	})
	return files, err
}

// theme returns the record of a Theme; its signing keys have no secrets.
func (d *disk) theme(key string) (k kept[record.ThemeFed], ok bool) {
	ok = d.read(filepath.Join("themes", key), &k)
	return k, ok
}

// putTheme keeps a Theme's record without its secrets: those stay in memory.
func (d *disk) putTheme(key string, k kept[record.ThemeFed]) error {
	k.Record.Serving.SigningKeys = slices.Clone(k.Record.Serving.SigningKeys)
	for i := range k.Record.Serving.SigningKeys {
		k.Record.Serving.SigningKeys[i].Secret = nil
	}
	return d.write(filepath.Join("themes", key), k)
}

func (d *disk) pair(key string) (k kept[record.PairFed], ok bool) {
	ok = d.read(filepath.Join("pairs", key), &k)
	return k, ok
}

func (d *disk) putPair(key string, k kept[record.PairFed]) error {
	return d.write(filepath.Join("pairs", key), k)
}

// dropTheme removes a Theme that is no more, with its pairs.
func (d *disk) dropTheme(key string) error {
	err := os.Remove(filepath.Join(d.dir, "themes", key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // never held, so that no pair is either
	}
	return errors.Join(err, os.RemoveAll(filepath.Join(d.dir, "pairs", key)))
}

// dropPair removes a pair that is no more.
func (d *disk) dropPair(key string) error {
	err := os.Remove(filepath.Join(d.dir, "pairs", key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (d *disk) cursor() string {
	var cursor string
	d.read("cursor", &cursor)
	return cursor
}

func (d *disk) putCursor(cursor string) error { return d.write("cursor", cursor) }

// read reads a record into v, a pointer, and reports whether there is a sound one.
func (d *disk) read(name string, v any) bool {
	data, err := os.ReadFile(filepath.Join(d.dir, name))
	if err != nil {
		return false
	}
	sum, body, ok := bytes.Cut(data, []byte{'\n'})
	return ok && string(sum) == string(record.HashOf(body)) && json.Unmarshal(body, v) == nil
}

func (d *disk) write(name string, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("edge: disk cache: %w", err)
	}
	return writeWhole(filepath.Join(d.dir, name), append([]byte(record.HashOf(body)+"\n"), body...))
}

// temporary ends the names of files that are being written.
const temporary = ".tmp"

// writeWhole makes a file appear with all of its content or not at all.
func writeWhole(path string, content []byte) error {
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
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("edge: disk cache: %w", err), os.Remove(file.Name()))
	}
	return nil
}
