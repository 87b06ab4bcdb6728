package derive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// Blob returns the blob of that name, which may be an overlay that Combined compiled. A derived blob that is lost or damaged is compiled again,
// stored, and returned as if nothing had been; any other is storage.ErrNotFound or ErrCorrupt.
func (d *Deriver) Blob(ctx context.Context, name record.Hash) ([]byte, error) {
	if overlay := d.combined.Get(string(name)); overlay != nil {
		return overlay, nil
	}
	blob, err := d.store.Blob(ctx, name)
	if err == nil || !errors.Is(err, storage.ErrNotFound) && !errors.Is(err, storage.ErrCorrupt) || !name.Valid() {
		return blob, err
	}
	rebuilt, failed := shared(ctx, d, "blob "+string(name), func(ctx context.Context) ([]byte, error) { return d.rebuild(ctx, name) })
	if errors.Is(failed, errNotDerived) {
		return nil, err
	}
	return rebuilt, failed
}

// errNotDerived says that no record names a blob as a plan or an overlay.
var errNotDerived = errors.New("derive: no plan and no overlay of any record")

func (d *Deriver) rebuild(ctx context.Context, name record.Hash) (blob []byte, err error) {
	from, err := d.sources.find(ctx, d, name)
	if err != nil {
		return nil, err
	}
	err = d.compile(ctx, d.foreground, "", from.version, func(c compiler) error {
		blob, err = from.compile(ctx, d, c)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("derive: rebuild %s: %w", name, err)
	}
	if got := record.HashOf(blob); got != name {
		return nil, fmt.Errorf("derive: rebuild %s: module %s makes %s of the same input", name, from.version.Module, got)
	}
	d.log.Warn("derive: a derived blob was lost and is compiled again", "blob", name)
	_, err = d.store.PutBlob(ctx, blob)
	return blob, err
}

// source is what a derived blob is compiled from: the plans of a version if overrides is empty,
// else overlays.
type source struct {
	version   record.ThemeVersion
	overrides record.Hash
}

func (s source) compile(ctx context.Context, d *Deriver, c compiler) ([]byte, error) {
	if s.overrides == "" {
		return c.plans(ctx)
	}
	overrides, err := d.store.Blob(ctx, s.overrides)
	if err != nil {
		return nil, fmt.Errorf("overrides %s: %w", s.overrides, err)
	}
	return c.overlays(ctx, overrides)
}

// sources finds what names a blob that is not there, by reading every version and every pair: it should
// not happen, so no index is written for it. Unknown names are remembered for a while, so that further requests for
// them cost nothing. The zero value is ready, and may be used concurrently.
type sources struct {
	mu      sync.Mutex // guards unknown, and lets one search at a time
	unknown map[record.Hash]time.Time
}

// What is remembered of unknown names.
const (
	unknownFor = time.Minute
	maxUnknown = 4096
)

// find returns what the blob is compiled from, or errNotDerived.
func (s *sources) find(ctx context.Context, d *Deriver, name record.Hash) (from source, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at, known := s.unknown[name]; known && d.now().Sub(at) < unknownFor {
		return from, errNotDerived
	}
	found := false
	err = d.store.View(ctx, func(r storage.Reader) error {
		from, found, err = search(r, name)
		return err
	})
	if err != nil || found {
		return from, err
	}
	if s.unknown == nil || len(s.unknown) >= maxUnknown {
		s.unknown = map[record.Hash]time.Time{}
	}
	s.unknown[name] = d.now()
	return from, errNotDerived
}

func search(r storage.Reader, name record.Hash) (from source, found bool, err error) {
	_, version, found, err := naming(r, 'N', name, func(v record.ThemeVersion) bool { return v.Plan == name })
	if err != nil || found {
		return source{version: version}, found, err
	}
	parts, pair, found, err := naming(r, 'P', name, func(p record.Pair) bool { return p.Overlay == name })
	if err != nil || !found || len(parts) != 4 {
		return source{}, false, err
	}
	version, err = storage.ThemeVersions.Read(r, parts[0], parts[1], parts[3])
	return source{version, pair.Overrides}, err == nil, err
}

// naming returns the first record of a table that names a blob, with the parts of its key. It
// decodes only records that contain the name at all.
func naming[T any](r storage.Reader, table byte, name record.Hash, names func(T) bool) (parts []string, v T, found bool, err error) {
	err = r.Scan(storage.Key(table), storage.Ascending, func(key, value []byte) bool {
		var one T
		if !bytes.Contains(value, []byte(name)) || record.Decode(value, &one) != nil || !names(one) {
			return true
		}
		parts, v, found = strings.Split(strings.TrimSuffix(string(key[1:]), "\x00"), "\x00"), one, true
		return false
	})
	return parts, v, found, err
}
