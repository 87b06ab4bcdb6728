package storagetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// OpenWithClock returns a new, empty Store that takes the time of its puts from clock.
type OpenWithClock func(t *testing.T, clock func() time.Time) storage.Store

// grace is that of every collection here; it is longer than storage.PutWindow, as it must be.
const grace = time.Hour

// clock is a time that stands still until it is moved.
type clock struct{ at atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.at.Store(time.Unix(1_800_000_000, 0).UnixMilli())
	return c
}

func (c *clock) now() time.Time { return time.UnixMilli(c.at.Load()).UTC() }

func (c *clock) move(d time.Duration) { c.at.Add(d.Milliseconds()) }

// RunCollect holds an engine, and storage.Collect with it, to what collection promises.
func RunCollect(t *testing.T, open OpenWithClock) {
	for says, hold := range map[string]func(*storeWithClock){
		"a blob that nothing names is dropped by the second run, a grace after the first": collectTwice,
		"a dry run tells what a run does, and does nothing":                               collectDry,
		"a blob that any kind of record names stays":                                      collectNamed,
		"a blob that was just put is not marked":                                          collectJustPut,
		"a blob that is put again begins a new grace":                                     collectPutAgain,
		"a blob that was named again begins a new grace":                                  collectNamedAgain,
		"a name without a blob is reported":                                               collectMissing,
		"a record that cannot be read stops collection before it drops anything":          collectUnreadable,
		"collection ends with its context":                                                collectCancelled,
	} {
		t.Run(says, func(t *testing.T) {
			c := &storeWithClock{collector: t, clock: newClock()}
			c.store = open(t, c.clock.now)
			t.Cleanup(func() { _ = c.store.Close() })
			hold(c)
		})
	}
	t.Run("what is held agrees with a model", func(t *testing.T) { collectModel(t, open) })
	t.Run("no reader and no publish is ever hurt", func(t *testing.T) { collectMelee(t, open) })
}

// collector is a tester whose test may go on after an error.
type collector interface {
	tester
	Errorf(format string, args ...any)
}

// storeWithClock is a store with its clock.
type storeWithClock struct {
	collector
	store storage.Store
	clock *clock
}

func (c *storeWithClock) put(text string) record.Hash {
	c.Helper()
	name, err := c.store.PutBlob(context.Background(), []byte(text))
	if err != nil {
		c.Fatalf("PutBlob(%q) = %v", text, err)
	}
	return name
}

// name makes a record name a blob.
func (c *storeWithClock) name(version uint32, name record.Hash) {
	c.Helper()
	update(c, c.store, "e", func(tx storage.Tx) (record.Change, error) {
		v := record.ThemeVersion{Number: version, Document: name}
		return record.Change{}, storage.ThemeVersions.Write(tx, v, "e", "t", storage.Number(version))
	})
}

func (c *storeWithClock) unname(version uint32) {
	c.Helper()
	update(c, c.store, "e", func(tx storage.Tx) (record.Change, error) {
		return record.Change{}, storage.ThemeVersions.Delete(tx, "e", "t", storage.Number(version))
	})
}

// collect runs once after some time.
func (c *storeWithClock) collect(after time.Duration) storage.CollectResult {
	c.Helper()
	c.clock.move(after)
	done, err := storage.Collect(context.Background(), c.store, storage.Collection{Now: c.clock.now(), Grace: grace})
	if err != nil {
		c.Fatalf("Collect() = %v", err)
	}
	return done
}

// holds checks which blobs are there, by reading them and by listing them.
func (c *storeWithClock) holds(texts ...string) {
	c.Helper()
	want := map[record.Hash]bool{}
	for _, text := range texts {
		name := record.HashOf([]byte(text))
		want[name] = true
		if got, err := c.store.Blob(context.Background(), name); err != nil || string(got) != text {
			c.Errorf("Blob(%q) = %q, %v", text, got, err)
		}
	}
	if got := slices.Sorted(maps.Keys(listed(c, c.store))); !slices.Equal(got, slices.Sorted(maps.Keys(want))) {
		c.Errorf("Blobs() lists %v, want %v", got, want)
	}
}

func listed(t tester, store storage.Store) map[record.Hash]storage.BlobInfo {
	t.Helper()
	all, last := map[record.Hash]storage.BlobInfo{}, record.Hash("")
	err := store.Blobs(context.Background(), func(b storage.BlobInfo) bool {
		if b.Name <= last || b.StoredBytes <= 0 {
			t.Fatalf("Blobs() lists %+v after %s", b, last)
		}
		last = b.Name
		all[b.Name] = b
		return true
	})
	if err != nil {
		t.Fatalf("Blobs() = %v", err)
	}
	return all
}

func collectTwice(c *storeWithClock) {
	c.put("lost publish")
	c.name(1, c.put("named"))
	if got := c.collect(storage.PutWindow * 2); got.FoundUnnamed != 1 || got.Dropped != 0 || got.Named != 1 || got.Blobs != 2 {
		c.Errorf("the first run: %+v", got)
	}
	if got := c.collect(grace - time.Second); got.Waiting != 1 || got.Dropped != 0 {
		c.Errorf("a run within the grace: %+v", got)
	}
	c.holds("lost publish", "named")
	if got := c.collect(time.Second); got.Dropped != 1 || got.DroppedBytes == 0 {
		c.Errorf("a run after the grace: %+v", got)
	}
	c.holds("named")
	if _, err := c.store.Blob(context.Background(), record.HashOf([]byte("lost publish"))); !errors.Is(err, storage.ErrNotFound) {
		c.Errorf("Blob() of a dropped one = %v, want ErrNotFound", err)
	}
	c.put("lost publish")
	c.holds("lost publish", "named")
}

func collectDry(c *storeWithClock) {
	c.put("a")
	c.collect(storage.PutWindow * 2)
	c.put("b")
	c.clock.move(2 * grace)
	before := listed(c, c.store)
	options := storage.Collection{Now: c.clock.now(), Grace: grace, DryRun: true}
	dry, err := storage.Collect(context.Background(), c.store, options)
	if err != nil || !maps.Equal(before, listed(c, c.store)) {
		c.Errorf("a dry run changed something, or %v", err)
	}
	wet := c.collect(0)
	if fmt.Sprint(dry) != fmt.Sprint(wet) || wet.Dropped != 1 || wet.FoundUnnamed != 1 {
		c.Errorf("a dry run said %+v, and a run did %+v", dry, wet)
	}
}

func collectNamed(c *storeWithClock) {
	names := map[string]record.Hash{}
	for _, kind := range []string{"document", "plan", "module", "overrides", "pair", "overlay", "registered"} {
		names[kind] = c.put(kind)
	}
	update(c, c.store, "e", func(tx storage.Tx) (record.Change, error) {
		return record.Change{}, errors.Join(
			storage.ThemeVersions.Write(tx, record.ThemeVersion{Number: 1, Document: names["document"], Plan: names["plan"], Module: names["module"]}, "e", "t", storage.Number(1)),
			storage.VariantVersions.Write(tx, record.VariantVersion{Number: 1, Overrides: names["overrides"]}, "e", "t", "v", storage.Number(1)),
			storage.Pairs.Write(tx, record.Pair{Overrides: names["pair"], Overlay: names["overlay"]}, "e", "t", "v", storage.Number(1)),
			storage.Modules.Write(tx, record.Module{Digest: names["registered"]}, string(names["registered"])))
	})
	for range 3 {
		if got := c.collect(2 * grace); got.Named != 7 || got.Dropped+got.Waiting != 0 {
			c.Errorf("Collect() = %+v", got)
		}
	}
	c.holds(slices.Collect(maps.Keys(names))...)
}

func collectJustPut(c *storeWithClock) {
	c.put("a publish under way")
	c.collect(storage.PutWindow / 2)
	if got := listed(c, c.store)[record.HashOf([]byte("a publish under way"))]; !got.Unnamed.IsZero() {
		c.Errorf("Blobs() = %+v, want no mark", got)
	}
	c.collect(storage.PutWindow * 2)
	if got := listed(c, c.store)[record.HashOf([]byte("a publish under way"))]; !got.Unnamed.Equal(c.clock.now()) {
		c.Errorf("Blobs() = %+v, want a mark at %s", got, c.clock.now())
	}
}

func collectPutAgain(c *storeWithClock) {
	c.put("x")
	c.collect(storage.PutWindow * 2)
	c.clock.move(grace - time.Second)
	c.put("x")
	c.collect(time.Second)
	c.holds("x")
	c.name(1, record.HashOf([]byte("x")))
	c.collect(2 * grace)
	c.holds("x")
}

func collectNamedAgain(c *storeWithClock) {
	c.name(1, c.put("x"))
	c.clock.move(storage.PutWindow * 2)
	c.unname(1)
	if got := c.collect(0); got.FoundUnnamed != 1 {
		c.Errorf("Collect() = %+v", got)
	}
	c.name(2, record.HashOf([]byte("x"))) // as a rename of a record does, with no new put
	if got := c.collect(grace / 2); got.FoundNamed != 1 {
		c.Errorf("Collect() = %+v", got)
	}
	c.unname(2)
	c.collect(grace)
	c.holds("x")
	c.collect(grace)
	c.holds()
}

func collectMissing(c *storeWithClock) {
	lost := record.HashOf([]byte("never put"))
	c.name(1, lost)
	c.put("x")
	if got := c.collect(2 * grace); !slices.Equal(got.Missing, []record.Hash{lost}) {
		c.Errorf("Collect() = %+v, want %s missing", got, lost)
	}
}

func collectUnreadable(c *storeWithClock) {
	c.put("x")
	c.collect(2 * grace)
	update(c, c.store, "e", func(tx storage.Tx) (record.Change, error) {
		return record.Change{}, tx.Set(storage.Key('P', "e", "t", "v", storage.Number(1)), []byte("garbage"))
	})
	c.clock.move(2 * grace)
	_, err := storage.Collect(context.Background(), c.store, storage.Collection{Now: c.clock.now(), Grace: grace})
	if !errors.Is(err, storage.ErrCorrupt) {
		c.Errorf("Collect() = %v, want ErrCorrupt", err)
	}
	c.holds("x")
}

func collectCancelled(c *storeWithClock) {
	c.put("x")
	c.collect(2 * grace)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := c.store.MarkBlobs(ctx, []record.Hash{record.HashOf([]byte("x"))}, c.clock.now()); !errors.Is(err, context.Canceled) {
		c.Errorf("MarkBlobs() = %v, want %v", err, context.Canceled)
	}
	if n, err := c.store.DropBlobs(ctx, []record.Hash{record.HashOf([]byte("x"))}, c.clock.now()); !errors.Is(err, context.Canceled) || n != 0 {
		c.Errorf("DropBlobs() = %d, %v, want %v", n, err, context.Canceled)
	}
	if err := c.store.Blobs(ctx, func(storage.BlobInfo) bool { return true }); !errors.Is(err, context.Canceled) {
		c.Errorf("Blobs() = %v, want %v", err, context.Canceled)
	}
	c.holds("x")
}

// modelBlob is what the model knows of a blob.
type modelBlob struct{ put, marked time.Time }

// collectModel compares which blobs are held with a model, over random puts, names and runs.
func collectModel(t *testing.T, open OpenWithClock) {
	rapid.Check(t, func(rt *rapid.T) {
		c := &storeWithClock{collector: rt, clock: newClock()}
		c.store = open(t, c.clock.now)
		rt.Cleanup(func() { _ = c.store.Close() })
		blobs, names := map[string]modelBlob{}, map[uint32]string{}
		text := rapid.SampledFrom([]string{"a", "b", "c"})
		version := rapid.Uint32Range(1, 3)
		rt.Repeat(map[string]func(*rapid.T){
			"put": func(rt *rapid.T) {
				x := text.Draw(rt, "blob")
				c.put(x)
				blobs[x] = modelBlob{put: c.clock.now()}
			},
			"name": func(rt *rapid.T) {
				x, n := text.Draw(rt, "blob"), version.Draw(rt, "version")
				if _, ok := blobs[x]; ok {
					c.name(n, record.HashOf([]byte(x)))
					names[n] = x
				}
			},
			"unname": func(rt *rapid.T) {
				n := version.Draw(rt, "version")
				c.unname(n)
				delete(names, n)
			},
			"move": func(rt *rapid.T) {
				// A generation of recent puts lasts up to two windows; no step lands within that doubt.
				c.clock.move(rapid.SampledFrom([]time.Duration{time.Second, 2 * storage.PutWindow, grace}).Draw(rt, "time"))
			},
			"collect": func(rt *rapid.T) {
				c.collect(0)
				collectInModel(blobs, names, listed(rt, c.store), c.clock.now())
			},
			"": func(rt *rapid.T) { c.holds(slices.Sorted(maps.Keys(blobs))...) },
		})
	})
}

// collectInModel does what a run does. Whether a blob that was put up to two windows ago is marked is
// the engine's choice; the model follows what it finds.
func collectInModel(blobs map[string]modelBlob, names map[uint32]string, found map[record.Hash]storage.BlobInfo, now time.Time) {
	for text, b := range blobs {
		named := slices.Contains(slices.Collect(maps.Values(names)), text)
		age := now.Sub(b.put)
		switch {
		case named:
			b.marked = time.Time{}
		case !b.marked.IsZero() && now.Sub(b.marked) >= grace:
			delete(blobs, text)
			continue
		case b.marked.IsZero() && age >= 2*storage.PutWindow:
			b.marked = now
		case b.marked.IsZero() && age >= storage.PutWindow:
			b.marked = found[record.HashOf([]byte(text))].Unnamed
		}
		blobs[text] = b
	}
}

// collectMelee runs publishes, deletions, readers and collections at once. Time moves on between
// them only: a grace is longer than any of them lasts.
func collectMelee(t *testing.T, open OpenWithClock) {
	c := &storeWithClock{collector: t, clock: newClock()}
	c.store = open(t, c.clock.now)
	defer func() { _ = c.store.Close() }()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var epoch sync.RWMutex // locked for reading by each worker, and to move the clock
	var wg sync.WaitGroup
	var steps atomic.Int64
	for w := range 4 {
		random := rand.New(rand.NewPCG(uint64(w), 3))
		wg.Go(func() {
			for ctx.Err() == nil {
				epoch.RLock()
				c.meleeStep(random)
				epoch.RUnlock()
				steps.Add(1)
			}
		})
	}
	var dropped, named int64
	for range 60 {
		for enough := steps.Load() + 20; steps.Load() < enough && !t.Failed(); {
			done, err := storage.Collect(ctx, c.store, storage.Collection{Now: c.clock.now(), Grace: grace})
			if err != nil || len(done.Missing) > 0 {
				t.Fatalf("Collect() = %+v, %v", done, err)
			}
			dropped, named = dropped+done.Dropped, named+done.FoundNamed
		}
		epoch.Lock()
		c.clock.move(grace)
		epoch.Unlock()
	}
	cancel()
	wg.Wait()
	if dropped == 0 {
		t.Error("nothing was ever dropped")
	}
	if done := c.collect(0); len(done.Missing) > 0 {
		t.Errorf("names without a blob: %v", done.Missing)
	}
}

// meleeStep publishes, deletes or reads one of few versions of one of few blobs.
func (c *storeWithClock) meleeStep(random *rand.Rand) {
	version := uint32(1 + random.IntN(8))
	switch text := "blob " + strconv.Itoa(random.IntN(40)); random.IntN(4) {
	case 0:
		c.name(version, c.put(text))
	case 1:
		c.put(text) // a lost publish
	case 2:
		c.unname(version)
	default:
		var v record.ThemeVersion
		err := c.store.View(context.Background(), func(r storage.Reader) (err error) {
			v, err = storage.ThemeVersions.Read(r, "e", "t", storage.Number(version))
			return err
		})
		if err == nil {
			_, err = c.store.Blob(context.Background(), v.Document)
		} else if errors.Is(err, storage.ErrNotFound) {
			err = nil
		}
		if err != nil {
			c.Errorf("a reader is hurt: %v", err)
		}
	}
}
