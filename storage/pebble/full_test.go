package pebble_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	engine "github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"example.com/livery/internal/test/race"
	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
	"example.com/livery/storage/record"
)

// diskSeedsVariable sets how often a disk is filled.
const diskSeedsVariable = "LIVERY_DISK_SEEDS"

func diskSeeds(few int) int {
	if n, err := strconv.Atoi(os.Getenv(diskSeedsVariable)); err == nil {
		return n
	}
	if testing.Short() || race.Enabled {
		return 1
	}
	return few
}

// smallVolume is a disk that foreign files fill and leave.
type smallVolume struct {
	fill    func(left int64) // others take all but left bytes
	release func(more int64) // they take less than ever before, by more bytes
	open    func(t *testing.T) *pebble.Store
}

func tightOptions() pebble.Options {
	return pebble.Options{MinFreeBytes: floor, BallastBytes: ballast}.Tuned(func(o *engine.Options) { o.MemTableSize = mega })
}

// fillTest is a store on a smallVolume and what its writers know.
type fillTest struct {
	smallVolume
	store          *pebble.Store
	acked, refused atomic.Int64

	mu     sync.Mutex // guards below
	blobs  map[string]record.Hash
	broken error
}

// write puts a blob and commits its name, again and again, until ctx ends.
func (f *fillTest) write(ctx context.Context, writer, seed int) {
	random := rand.New(rand.NewPCG(uint64(seed), uint64(writer)))
	for n := 0; ctx.Err() == nil; n++ {
		key := fmt.Sprintf("K%d/%d", writer, n)
		hash, err := f.store.PutBlob(ctx, noiseOf(1+random.IntN(mega/4), uint64(seed), uint64(writer), uint64(n)))
		if err == nil {
			_, err = f.store.Update(ctx, fmt.Sprint("e", writer), set(key, string(hash)))
		}
		switch {
		case err == nil:
			f.acknowledge(key, hash)
		case errors.Is(err, storage.ErrNoSpace):
			f.refused.Add(1)
			time.Sleep(time.Millisecond)
		case ctx.Err() == nil:
			f.fail(fmt.Errorf("a writer was told %w", err))
			return
		}
	}
}

func noiseOf(size int, parts ...uint64) []byte {
	var seed [32]byte
	for i, p := range parts {
		seed[8*i], seed[8*i+1] = byte(p), byte(p>>8)
	}
	blob := make([]byte, size)
	_, _ = rand.NewChaCha8(seed).Read(blob)
	return blob
}

func (f *fillTest) acknowledge(key string, hash record.Hash) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.blobs[key] = hash
	f.acked.Add(1)
}

func (f *fillTest) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.broken = errors.Join(f.broken, err)
}

// awaits waits until a counter has gone on by n: nothing may hang, whatever the disk does.
func (f *fillTest) awaits(t *testing.T, what string, counter *atomic.Int64, n int64) {
	t.Helper()
	from := counter.Load()
	for end := time.Now().Add(patience); counter.Load() < from+n; time.Sleep(time.Millisecond) {
		f.mu.Lock()
		broken := f.broken
		f.mu.Unlock()
		if broken != nil {
			t.Fatal(broken)
		}
		if time.Now().After(end) {
			t.Fatalf("%s: %d of %d within %s; %d acknowledged, %d refused", what, counter.Load()-from, n, patience, f.acked.Load(), f.refused.Load())
		}
	}
}

// holds compares what was acknowledged with what is stored, so many of it at most.
func (f *fillTest) holds(t *testing.T, most int) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.store.View(context.Background(), func(r storage.Reader) error {
		for key, hash := range f.blobs {
			if most--; most < 0 {
				return nil
			}
			if got, err := r.Get([]byte(key)); err != nil || string(got) != string(hash) {
				t.Fatalf("Get(%s) = %q, %v, want %s", key, got, err, hash)
			}
			if _, err := f.store.Blob(context.Background(), hash); err != nil {
				t.Fatalf("Blob(%s) = %v", hash, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatalf("View() = %v", err)
	}
}

// fillAndFree drives four writers through a disk that the store itself fills, that others fill to the
// last byte in the midst of the work, and that gets free again.
func fillAndFree(t *testing.T, disk smallVolume, seed int) {
	f := &fillTest{smallVolume: disk, blobs: map[string]record.Hash{}}
	f.store = disk.open(t)
	random := rand.New(rand.NewPCG(uint64(seed), 99))
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for writer := range 4 {
		wg.Go(func() { f.write(ctx, writer, seed) })
	}
	f.awaits(t, "writing", &f.acked, 20)
	rounds := 2
	if race.Enabled {
		rounds = 1
	}
	for range rounds {
		f.fill(random.Int64N(floor))
		f.awaits(t, "refusals while others fill the disk", &f.refused, 40)
		f.holds(t, 20)
		f.release(6 * mega)
		f.awaits(t, "writing after others left", &f.acked, 3)
		f.awaits(t, "refusals on a disk that the store has filled", &f.refused, 40)
		f.holds(t, 20)
		f.release(8 * mega)
		f.awaits(t, "writing after others left more", &f.acked, 10)
	}
	cancel()
	wg.Wait()
	if err := f.store.Close(); err != nil {
		t.Fatalf("Close() = %v", err)
	}
	f.store = disk.open(t)
	f.holds(t, len(f.blobs))
	if wrong := check(t, f.store); len(wrong) != 0 {
		t.Errorf("Check() = %q", wrong)
	}
	t.Logf("%d acknowledged, %d refused", f.acked.Load(), f.refused.Load())
}

// With compactions under way, which take as much as they rewrite: nothing acknowledged is lost,
// nothing hangs, writers are refused by name, reading goes on, and freed space is enough.
func TestAFullDiskHangsNobodyAndLosesNothing(t *testing.T) {
	for seed := range diskSeeds(2) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			disk := newSmallDisk(40 * mega)
			least := int64(0)
			fillAndFree(t, smallVolume{
				fill:    disk.fill,
				release: func(more int64) { least -= more; disk.others.Store(least) },
				open: func(t *testing.T) *pebble.Store {
					opts := tightOptions()
					opts.FS = disk
					return open(t, "data", opts)
				},
			}, seed)
		})
	}
}

// A compaction that finds no room gives back what it took and leaves the floor alone; with space it
// comes to its end.
func TestACompactionLeavesTheFloor(t *testing.T) {
	t.Parallel()
	disk := newSmallDisk(64 * mega)
	opts := tightOptions()
	opts.FS = disk
	s := open(t, "data", opts.Tuned(func(o *engine.Options) { o.MemTableSize, o.DisableAutomaticCompactions = mega, true }))
	for i := range uint64(96) { // 12 MiB
		if _, err := s.PutBlob(context.Background(), noise(mega/8, i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(s.Flush(), s.Close()); err != nil {
		t.Fatal(err)
	}
	const left = floor/2 + 4*mega
	disk.fill(left)
	s = open(t, "data", opts)
	merged := func() bool { _, ok := disk.leastAfter("pebble-compaction"); return ok }
	await(t, "a compaction that begins", merged)
	await(t, "what it took to be free again", func() bool { return disk.free() > left-mega })
	if least, _ := disk.leastAfter("pebble-compaction"); least < floor/2 {
		t.Errorf("a compaction left %d bytes, and %d are for what was accepted", least, floor/2)
	}
	want := noise(mega/8, 7)
	if got, err := s.Blob(context.Background(), record.HashOf(want)); err != nil || !bytes.Equal(got, want) {
		t.Errorf("Blob() = %d bytes, %v", len(got), err)
	}
	disk.others.Store(0)
	await(t, "tables to be merged", func() bool { return s.Sublevels() <= 4 })
	if _, err := s.Update(context.Background(), "e", set("K", "1")); err != nil {
		t.Errorf("Update() with space again = %v", err)
	}
}

// await polls until something is so.
func await(t *testing.T, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !so(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited for %s for %s", what, patience)
		}
	}
}

// On a full disk dropping blobs and trimming go on, which is how space comes back.
func TestAFullDiskTakesWhatFreesIt(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	disk := newSmallDisk(64 * mega)
	var now atomic.Int64
	opts := tightOptions().Timed(func() time.Time { return time.Unix(now.Load(), 0) })
	opts.FS = disk
	s := open(t, "data", opts)
	if _, err := s.Update(context.Background(), "e", set("K", "1")); err != nil {
		t.Fatal(err)
	}
	n := fillUp(t, s, 0)
	var names []record.Hash
	for i := range n {
		names = append(names, record.HashOf(noise(mega/8, i)))
	}
	now.Add(int64(4 * storage.PutWindow / time.Second))
	at := time.Unix(now.Load(), 0)
	disk.fill(min(disk.free(), floor-1)) // what was refused last was larger than what comes now
	if err := s.MarkBlobs(context.Background(), names, at); err != nil {
		t.Fatalf("MarkBlobs() on a full disk = %v", err)
	}
	if dropped, err := s.DropBlobs(context.Background(), names, at); err != nil || dropped != len(names) {
		t.Fatalf("DropBlobs() on a full disk = %d, %v, want %d", dropped, err, len(names))
	}
	if err := s.Trim(context.Background(), 1); err != nil {
		t.Fatalf("Trim() on a full disk = %v", err)
	}
	if err := errors.Join(s.Flush(), s.Compact()); err != nil && !strings.Contains(err.Error(), "reserved") {
		t.Fatal(err)
	}
	await(t, "room for another blob", func() bool {
		_, err := s.PutBlob(context.Background(), noise(4*mega, 99))
		return err == nil
	})
}

// A writer that waits for a flush is refused when the flush finds the disk full, and what was accepted before is
// written when there is space. The flush leaves the last bytes to the log.
func TestWhoWaitsForAFlushIsRefusedWhenItFindsNoRoom(t *testing.T) {
	t.Parallel()
	disk, gate := newSmallDisk(64*mega), make(chan struct{})
	var flushing atomic.Bool
	disk.before = func(c vfs.DiskWriteCategory) {
		if c == "pebble-memtable-flush" {
			flushing.Store(true)
			<-gate
		}
	}
	s := openSmall(t, disk)
	var put atomic.Int64
	refused := make(chan error, 1)
	go func() {
		for i := uint64(0); ; i++ {
			if _, err := s.PutBlob(context.Background(), noise(mega/8, i)); err != nil {
				refused <- err
				return
			}
			put.Add(1)
		}
	}()
	await(t, "a flush that stands still", flushing.Load)
	for seen := int64(-1); seen != put.Load(); time.Sleep(100 * time.Millisecond) { // until the writer waits, which nothing tells
		seen = put.Load()
	}
	if disk.free() < floor+8*mega || put.Load() > 64 {
		t.Errorf("the writer did not wait: %d bytes are free after %d blobs", disk.free(), put.Load())
	}
	disk.fill(0)
	close(gate)
	if err := result(t, refused); !errors.Is(err, storage.ErrNoSpace) || !strings.Contains(err.Error(), "free some space") {
		t.Errorf("PutBlob() = %v, want ErrNoSpace and what to do", err)
	}
	if err := s.Writable(); !errors.Is(err, storage.ErrNoSpace) {
		t.Errorf("Writable() = %v, want ErrNoSpace", err)
	}
	if least, _ := disk.leastAfter("pebble-memtable-flush"); least < floor/8 {
		t.Errorf("a flush left %d bytes, and the log needs %d", least, floor/8)
	}
	disk.others.Store(0)
	await(t, "writing to go on", func() bool {
		_, err := s.Update(context.Background(), "e", set("K", "1"))
		return err == nil
	})
	for i := range uint64(put.Load()) {
		if _, err := s.Blob(context.Background(), record.HashOf(noise(mega/8, i))); err != nil {
			t.Errorf("Blob(%d) = %v", i, err)
		}
	}
}

// A full disk hides no hang: a commit that was let in before and does not come out ends the process.
func TestAHangOnAFullDiskIsNoticed(t *testing.T) {
	t.Parallel()
	small, gate := newSmallDisk(64*mega), make(chan struct{})
	var shut atomic.Bool
	d := &disk{FS: small, before: func() {
		if shut.Load() {
			<-gate
		}
	}}
	opts := tightOptions().Watched(300 * time.Millisecond) // so that the disk is full before the first canary
	fatal := make(chan error, 1)
	opts.FS, opts.HangAfter, opts.Fatal = d, 500*time.Millisecond, func(err error) { fatal <- err }
	s := open(t, "data", opts)
	shut.Store(true)
	before := d.syncs.Load()
	done := make(chan error, 1)
	go func() {
		_, err := s.Update(context.Background(), "e", set("K", "1"))
		done <- err
	}()
	await(t, "the commit to hang", func() bool { return d.syncs.Load() > before })
	small.fill(0)
	if err := result(t, fatal); !errors.Is(err, storage.ErrUnavailable) || !strings.Contains(err.Error(), "hangs") {
		t.Errorf("Fatal(%v), want ErrUnavailable and the hang", err)
	}
	close(gate)
	_ = result(t, done)
}
