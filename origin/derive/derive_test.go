package derive_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"example.com/livery/origin/derive"
	"example.com/livery/renderer"
	"example.com/livery/renderer/plan"
	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
	"example.com/livery/storage/record"
	"example.com/livery/wasm"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	environment = "env_1"
	theme       = "thm_1"
	document    = `{"color":{"$type":"color","brand":{"$value":"#0055aa"},"line":{"$value":"{color.brand}"}},"gap":{"$type":"dimension","$value":"4px"}}`
	overrides   = `{"color.brand":"#aa0000","gap":"8px"}`
)

// bench is a Deriver over a store with one Theme at version 1.
type bench struct {
	t       testing.TB
	store   *forgetful
	derive  *derive.Deriver
	version record.ThemeVersion
}

// forgetful is a store that loses blobs on request, until they are put again.
type forgetful struct {
	storage.Store

	mu   sync.Mutex // guards lost and puts
	lost map[record.Hash]error
	puts []record.Hash
}

func (f *forgetful) Blob(ctx context.Context, name record.Hash) ([]byte, error) {
	f.mu.Lock()
	err := f.lost[name]
	f.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return f.Store.Blob(ctx, name)
}

func (f *forgetful) PutBlob(ctx context.Context, blob []byte) (record.Hash, error) {
	name, err := f.Store.PutBlob(ctx, blob)
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.lost, name)
	f.puts = append(f.puts, name)
	return name, err
}

func (f *forgetful) lose(err error, names ...record.Hash) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, name := range names {
		f.lost[name] = err
	}
}

// putsOf counts how often a blob was stored.
func (f *forgetful) putsOf(name record.Hash) (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, put := range f.puts {
		if put == name {
			n++
		}
	}
	return n
}

// newBench publishes document with the module, which is the Deriver's own unless change says so.
func newBench(t testing.TB, module record.Hash, change ...func(*derive.Config)) *bench {
	t.Helper()
	store, err := pebble.Open("", pebble.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	b := &bench{t: t, store: &forgetful{Store: store, lost: map[record.Hash]error{}}}
	c := derive.Config{Store: b.store, Native: module, CacheDir: cacheDir(t), Logger: slog.New(slog.DiscardHandler)}
	for _, f := range change {
		f(&c)
	}
	b.derive = derive.New(c)
	t.Cleanup(func() {
		if err := b.derive.Close(context.Background()); err != nil {
			t.Errorf("Close() = %v, want nil", err)
		}
	})
	b.version = b.publish(1, module)
	return b
}

// cacheDir is where compiled modules are kept between test runs and between packages.
func cacheDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", "..", ".cache", "wazero"))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func (b *bench) update(fn func(tx storage.Tx) error) {
	b.t.Helper()
	_, err := b.store.Update(context.Background(), environment, func(tx storage.Tx) (record.Change, error) {
		return record.Change{At: time.Now()}, fn(tx)
	})
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) put(text string) record.Hash {
	b.t.Helper()
	name, err := b.store.PutBlob(context.Background(), []byte(text))
	if err != nil {
		b.t.Fatal(err)
	}
	return name
}

// publish leaves in the store what a publish of document leaves, with the plan that this binary compiles.
func (b *bench) publish(number uint32, module record.Hash) record.ThemeVersion {
	b.t.Helper()
	v := record.ThemeVersion{Number: number, Document: b.put(document), Prefix: "lv", Module: module}
	var err error
	if v.Plan, err = b.derive.Plan(context.Background(), v, []byte(document)); err != nil {
		b.t.Fatal(err)
	}
	b.update(func(tx storage.Tx) error {
		return errors.Join(
			storage.Themes.Write(tx, record.Theme{ID: theme, EnvironmentID: environment, LatestVersion: number}, environment, theme),
			storage.ThemeVersions.Write(tx, v, environment, theme, storage.Number(number)))
	})
	return v
}

// variant leaves a Variant that serves overrides at version 1, with no overlay yet.
func (b *bench) variant(id, overrides string) derive.Pair {
	b.t.Helper()
	p := derive.Pair{EnvironmentID: environment, ThemeID: theme, VariantID: id, Version: b.version, Record: record.Pair{Overrides: b.put(overrides)}}
	b.update(func(tx storage.Tx) error {
		return errors.Join(
			storage.Variants.Write(tx, record.Variant{ID: id, EnvironmentID: environment, ThemeID: theme}, environment, theme, id),
			storage.Pairs.Write(tx, p.Record, environment, theme, id, storage.Number(b.version.Number)))
	})
	return p
}

// stored is the pair's record as it is now.
func (b *bench) stored(p derive.Pair) (now record.Pair) {
	b.t.Helper()
	err := b.store.View(context.Background(), func(r storage.Reader) (err error) {
		now, err = storage.Pairs.Read(r, p.EnvironmentID, p.ThemeID, p.VariantID, storage.Number(p.Version.Number))
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return now
}

func (b *bench) overlay(p derive.Pair) record.Hash {
	b.t.Helper()
	name, err := b.derive.Overlay(context.Background(), p)
	if err != nil {
		b.t.Fatal(err)
	}
	return name
}

func (b *bench) part(bundle record.Hash, f renderer.File) []byte {
	b.t.Helper()
	blob, err := b.derive.Blob(context.Background(), bundle)
	if err != nil {
		b.t.Fatal(err)
	}
	opened, err := plan.OpenBundle(blob)
	if err != nil {
		b.t.Fatal(err)
	}
	return opened.Part(uint8(f))
}

// check compares every file that plan and overlay make with what the renderer makes directly.
func (b *bench) check(v record.ThemeVersion, overlay record.Hash, overrides string) {
	b.t.Helper()
	set, err := renderer.Load(document, overrides, v.Prefix)
	if err != nil {
		b.t.Fatal(err)
	}
	for f := range renderer.File(renderer.FileCount) {
		opened, err := plan.Open(b.part(v.Plan, f))
		if err != nil {
			b.t.Fatal(err)
		}
		got := opened.File()
		if overlay != "" {
			laid, err := plan.OpenOverlay(opened, b.part(overlay, f))
			if err != nil {
				b.t.Fatal(err)
			}
			got = laid.Append(nil)
		}
		if want := set.Append(nil, f); string(got) != string(want) {
			b.t.Errorf("%s = %s, want %s", f.Name(), got, want)
		}
	}
}

func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s did not come", what)
		}
	}
}

func native() record.Hash { return record.HashOf([]byte("the module of this build")) }

func TestPlanAndOverlayMakeWhatTheRendererMakes(t *testing.T) {
	t.Parallel()
	b := newBench(t, native())
	p := b.variant("var_1", overrides)
	b.check(b.version, "", "")
	b.check(b.version, b.overlay(p), overrides)
}

// The first caller compiles, the record keeps the name, and callers meanwhile get the same.
func TestAnOverlayIsCompiledOnce(t *testing.T) {
	t.Parallel()
	turns := make(chan struct{}, 1)
	asked := 0
	b := newBench(t, native(), func(c *derive.Config) {
		c.Acquire = func(ctx context.Context, _ string) (func(), error) {
			asked++ // one flight at a time
			turns <- struct{}{}
			return func() { <-turns }, nil
		}
	})
	p := b.variant("var_1", overrides)
	turns <- struct{}{} // none is let in until all have come
	names := make([]record.Hash, 20)
	var all sync.WaitGroup
	for i := range names {
		all.Go(func() { names[i], _ = b.derive.Overlay(context.Background(), p) })
	}
	<-turns
	all.Wait()
	name := b.stored(p).Overlay
	if name == "" || slices.ContainsFunc(names, func(n record.Hash) bool { return n != name }) {
		t.Errorf("overlays = %q, want the one in the record: %q", names, name)
	}
	asks := asked
	p.Record = b.stored(p)
	if again := b.overlay(p); again != name || asked != asks {
		t.Errorf("an overlay that is there = %q after %d turns, want %q and no turn", again, asked-asks, name)
	}
}

func TestNothingIsCompiledWhereNothingIsOverridden(t *testing.T) {
	t.Parallel()
	b := newBench(t, native())
	for name, p := range map[string]derive.Pair{"no record": {Version: b.version}, "published without overrides": b.variant("var_1", "{}")} {
		if got := b.overlay(p); got != "" || derive.Lacks(p.Record) {
			t.Errorf("%s: overlay = %q, want none", name, got)
		}
	}
	if got, err := b.derive.PublishedOverlay(context.Background(), b.version, []byte("{}")); got != "" || err != nil {
		t.Errorf("PublishedOverlay({}) = %q, %v, want none", got, err)
	}
}

// A record that changed or went while its overlay was compiled keeps what it has.
func TestAnOverlayIsWrittenOnlyToThePairItWasCompiledFor(t *testing.T) {
	t.Parallel()
	b := newBench(t, native())
	p, gone := b.variant("var_1", overrides), b.variant("var_2", overrides)
	newer := record.Pair{Overrides: b.put(`{"gap":"1px"}`), Published: true}
	b.update(func(tx storage.Tx) error {
		return errors.Join(
			storage.Pairs.Delete(tx, environment, theme, "var_2", storage.Number(1)),
			storage.Pairs.Write(tx, newer, environment, theme, "var_1", storage.Number(1)))
	})
	b.check(b.version, b.overlay(p), overrides) // the snapshot it was asked from
	b.overlay(gone)
	if now := b.stored(p); now != newer {
		t.Errorf("pair = %+v, want %+v", now, newer)
	}
}

// After a publish the overlays of all Variants come by themselves, those of hot ones first by being asked for.
func TestFillCompilesWhatLacks(t *testing.T) {
	t.Parallel()
	b := newBench(t, native())
	var pairs []derive.Pair
	for i := range 40 {
		pairs = append(pairs, b.variant("var_"+string(rune('A'+i)), overrides))
	}
	whole := b.variant("var_z", "{}")
	b.derive.Backfill(environment, theme)
	b.derive.Backfill(environment, theme)
	b.derive.Backfill(environment, "thm_gone")
	for _, p := range pairs {
		eventually(t, "the overlay of "+p.VariantID, func() bool { return b.stored(p).Overlay != "" })
	}
	b.check(b.version, b.stored(pairs[39]).Overlay, overrides)
	if got := b.stored(whole); got.Overlay != "" {
		t.Errorf("pair without overrides = %+v, want no overlay", got)
	}
}

// One Variant whose overrides are lost leaves the others theirs, and is an error if it is asked for.
func TestFillGoesOnPastAFault(t *testing.T) {
	t.Parallel()
	b := newBench(t, native())
	bad, good := b.variant("var_1", `{"gap":"3px"}`), b.variant("var_2", overrides)
	b.store.lose(storage.ErrNotFound, bad.Record.Overrides)
	b.derive.Backfill(environment, theme)
	eventually(t, "the overlay of the other", func() bool { return b.stored(good).Overlay != "" })
	if _, err := b.derive.Overlay(context.Background(), bad); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("Overlay() of lost overrides = %v, want what is lost", err)
	}
	if got := b.stored(bad); got.Overlay != "" {
		t.Errorf("pair = %+v, want none", got)
	}
}

// Derived blobs can be lost: asked for, they are the same again, natively and after a restart.
func TestLostBlobsAreRebuilt(t *testing.T) {
	t.Parallel()
	b := newBench(t, native())
	p := b.variant("var_1", overrides)
	name := b.overlay(p)
	fresh := derive.New(derive.Config{Store: b.store, Native: native(), Logger: slog.New(slog.DiscardHandler)})
	defer func() { _ = fresh.Close(context.Background()) }()
	for _, why := range []error{storage.ErrNotFound, storage.ErrCorrupt} {
		for what, lost := range map[string]record.Hash{"plan": b.version.Plan, "overlay": name} {
			for who, d := range map[string]*derive.Deriver{"the same process": b.derive, "another": fresh} {
				b.store.lose(why, lost)
				blob, err := d.Blob(context.Background(), lost)
				if err != nil || record.HashOf(blob) != lost {
					t.Errorf("%s lost (%v), in %s = %s, %v, want %s", what, why, who, record.HashOf(blob), err, lost)
				}
				if again, err := b.store.Blob(context.Background(), lost); err != nil || record.HashOf(again) != lost {
					t.Errorf("%s is not in the store again: %v", what, err)
				}
			}
		}
	}
}

// What no record names as derived is what the store says of it, also if a record names it as an input.
func TestOtherBlobsAreNotRebuilt(t *testing.T) {
	t.Parallel()
	b := newBench(t, native())
	p := b.variant("var_1", overrides)
	unknown := record.HashOf([]byte("nobody's"))
	for name, want := range map[record.Hash]error{unknown: storage.ErrNotFound, b.version.Document: storage.ErrCorrupt, p.Record.Overrides: storage.ErrNotFound} {
		if name != unknown {
			b.store.lose(want, name)
		}
		for range 2 {
			if _, err := b.derive.Blob(context.Background(), name); !errors.Is(err, want) {
				t.Errorf("Blob(%s) = %v, want %v", name, err, want)
			}
		}
	}
	if _, err := b.derive.Blob(context.Background(), "no hash"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("Blob of no hash = %v, want storage.ErrNotFound", err)
	}
}

// A renderer that does not give the bytes that were published is a failure, never other bytes under the name.
func TestOtherBytesAreRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t, native())
	wrong := b.version
	wrong.Plan = record.HashOf([]byte("what another renderer made"))
	b.update(func(tx storage.Tx) error {
		return storage.ThemeVersions.Write(tx, wrong, environment, theme, storage.Number(1))
	})
	if _, err := b.derive.Blob(context.Background(), wrong.Plan); err == nil || errors.Is(err, storage.ErrNotFound) {
		t.Errorf("Blob() = %v, want a failure that names the module", err)
	}
}

// S171, decisions 6.5: the module that a version names makes the very bytes that were compiled natively.
func TestTheModuleMakesTheSameBlobs(t *testing.T) {
	t.Parallel()
	guest, err := wasm.Guest()
	if err != nil {
		t.Fatal(err)
	}
	module := record.HashOf(guest)
	b := newBench(t, module)
	p := b.variant("var_1", overrides)
	name := b.overlay(p)
	if _, err := derive.Register(context.Background(), b.store, guest, time.Now()); err != nil {
		t.Fatal(err)
	}
	later := derive.New(derive.Config{Store: b.store, Native: native(), CacheDir: cacheDir(t), Logger: slog.New(slog.DiscardHandler)})
	defer func() {
		if err := later.Close(context.Background()); err != nil {
			t.Errorf("Close() = %v", err)
		}
	}()
	for what, lost := range map[string]record.Hash{"plan": b.version.Plan, "overlay": name} {
		b.store.lose(storage.ErrNotFound, lost)
		before := b.store.putsOf(lost)
		blob, err := later.Blob(context.Background(), lost)
		if err != nil || record.HashOf(blob) != lost || b.store.putsOf(lost) != before+1 {
			t.Errorf("%s by the module = %s, %v, want %s", what, record.HashOf(blob), err, lost)
		}
	}
	if got, err := later.PublishedOverlay(context.Background(), b.version, []byte(overrides)); got != "" || err != nil {
		t.Errorf("PublishedOverlay() through another module = %q, %v, want none yet", got, err)
	}
	other := b.variant("var_2", `{"gap":"2px"}`)
	later.Backfill(environment, theme)
	eventually(t, "the overlay by the module", func() bool { return b.stored(other).Overlay != "" })
	b.check(b.version, b.stored(other).Overlay, `{"gap":"2px"}`)
}

// A version whose module is lost is a failure that says so; everything else goes on.
func TestALostModuleIsNamed(t *testing.T) {
	t.Parallel()
	b := newBench(t, native())
	p := b.variant("var_1", overrides)
	p.Version.Module = record.HashOf([]byte("a module that is gone"))
	if _, err := b.derive.Overlay(context.Background(), p); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("Overlay() = %v, want that the module is not there", err)
	}
	b.check(b.version, b.overlay(b.variant("var_2", overrides)), overrides)
}

// Close ends what goes on, waits for it, and what comes later is refused.
func TestCloseEndsTheBackground(t *testing.T) {
	t.Parallel()
	entered := make(chan struct{}, 1)
	b := newBench(t, native(), func(c *derive.Config) {
		c.AcquireBackground = func(ctx context.Context, _ string) (func(), error) {
			entered <- struct{}{}
			<-ctx.Done()
			return nil, ctx.Err()
		}
	})
	p := b.variant("var_1", overrides)
	b.derive.Backfill(environment, theme)
	<-entered
	if err := b.derive.Close(context.Background()); err != nil {
		t.Errorf("Close() = %v, want nil", err)
	}
	if _, err := b.derive.Overlay(context.Background(), p); !errors.Is(err, context.Canceled) {
		t.Errorf("Overlay() after Close = %v, want context.Canceled", err)
	}
	b.derive.Backfill(environment, theme)
}

// A caller that does not wait leaves, and the others get their result.
func TestImpatientCallersLeave(t *testing.T) {
	t.Parallel()
	let := make(chan struct{})
	b := newBench(t, native(), func(c *derive.Config) {
		c.Acquire = func(context.Context, string) (func(), error) { <-let; return func() {}, nil }
	})
	p := b.variant("var_1", overrides)
	ctx, cancel := context.WithCancel(context.Background())
	left := make(chan error)
	go func() {
		_, err := b.derive.Overlay(ctx, p)
		left <- err
	}()
	cancel()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("Overlay() = %v, want context.Canceled", err)
	}
	close(let)
	b.check(b.version, b.overlay(p), overrides)
}
