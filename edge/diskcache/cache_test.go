package diskcache

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/livery/feedproto"
	"example.com/livery/internal/test/heaptest"
	"example.com/livery/storage/record"
)

const (
	testEnv     = "env_00000000000000000000000000"
	testTheme   = "thm_00000000000000000000000000"
	testVariant = "var_00000000000000000000000000"
)

func diskOf(t *testing.T, maxBytes int64) *Cache { return diskAt(t, t.TempDir(), maxBytes) }

func diskAt(t *testing.T, dir string, maxBytes int64) *Cache {
	d, err := Open(dir, Budget{maxBytes, 1 << 30}, func(func(string, *atomic.Uint32)) {}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

// put writes a pair with a Theme and a plan of its own, and returns its key.
func (d *Cache) put(t *testing.T, i int) string {
	t.Helper()
	theme := fmt.Sprintf("%s/thm_%026d", testEnv, i)
	plan := someBlob(i)
	err := errors.Join(
		d.PutTheme(theme, Record[feedproto.Theme]{}),
		d.PutBlob(record.HashOf(plan), plan),
		d.PutPair(theme+"/-/latest", Record[feedproto.Pair]{Value: feedproto.Pair{Version: 1, Plan: record.HashOf(plan)}}, nil),
	)
	if err != nil {
		t.Fatal(err)
	}
	return theme + "/-/latest"
}

// whole reports whether the disk has a pair that put wrote, with all that it needs.
func (d *Cache) whole(i int) bool {
	key := fmt.Sprintf("%s/thm_%026d", testEnv, i)
	_, theme := d.Theme(key)
	_, pair := d.Pair(key + "/-/latest")
	_, plan := d.Blob(record.HashOf(someBlob(i)))
	return theme && pair && plan
}

func someBlob(i int) []byte { return fmt.Appendf(nil, "%d%s", i, strings.Repeat("x", 5000)) }

// onDisk sums up what the directory really holds.
func onDisk(t *testing.T, dir string) (sum int64) {
	err := filepath.WalkDir(dir, func(_ string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		sum += info.Size()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// The disk keeps what is requested most, within one budget, and what that is made from.
func TestDiskStaysWithinItsBudget(t *testing.T) {
	const budget = 200 << 10
	d := diskOf(t, budget)
	used := d.put(t, 1000)
	for i := range 100 {
		d.put(t, i)
		d.Touch(used, 1, time.Now())
		if !d.whole(1000) {
			t.Fatalf("after %d rounds the pair that is asked for is gone", i)
		}
		if d.Bytes() > budget || onDisk(t, d.index.log.dir) > budget {
			t.Fatalf("after %d rounds %d bytes are held (%d counted)", i, onDisk(t, d.index.log.dir), d.Bytes())
		}
		if !d.whole(i) {
			t.Fatalf("what was written last, %d, is gone", i)
		}
	}
	if d.whole(0) {
		t.Error("what was not asked for for longest is still there")
	}
	for name := range d.index.entries {
		if isPair(name) && !d.whole(numberIn(t, name)) {
			t.Errorf("%s is held without what it is made from", name)
		}
	}
	if err := d.PutCursor("7.a"); err != nil || d.Cursor() != "7.a" {
		t.Errorf("the cursor is not kept on a full disk: %q, %v", d.Cursor(), err)
	}
}

// numberIn returns the number of a pair that put wrote.
func numberIn(t *testing.T, name string) (i int) {
	t.Helper()
	if _, err := fmt.Sscanf(name, "pairs/"+testEnv+"/thm_%026d", &i); err != nil {
		t.Fatal(err)
	}
	return i
}

// What latest was made from before a publish goes first; what another version is made from, too, does not.
func TestDiskGivesUpWhatIsSuperseded(t *testing.T) {
	for _, shared := range []bool{false, true} {
		d := diskOf(t, 300<<10)
		key := d.put(t, 1)
		old := record.HashOf(someBlob(1))
		if shared {
			pinned := strings.Replace(key, "latest", "1", 1)
			if err := d.PutPair(pinned, Record[feedproto.Pair]{Value: feedproto.Pair{Version: 1, Plan: old}}, nil); err != nil {
				t.Fatal(err)
			}
			d.Touch(pinned, 5, time.Now())
		}
		d.Touch(key, 5, time.Now())
		next := someBlob(2000)
		blobs := map[record.Hash][]byte{record.HashOf(next): next}
		if err := d.PutPair(key, Record[feedproto.Pair]{Value: feedproto.Pair{Version: 2, Plan: record.HashOf(next)}}, blobs); err != nil {
			t.Fatal(err)
		}
		first := 100
		for d.put(t, first); d.whole(100); first++ { // until something had to be evicted
			d.put(t, first+1)
		}
		if d.HasBlob(old) != shared || !d.HasBlob(record.HashOf(next)) || !d.HasPair(key) {
			t.Errorf("shared %t: the plan of before is held: %t, that of now: %t", shared, d.HasBlob(old), d.HasBlob(record.HashOf(next)))
		}
	}
}

// How often addresses were asked for outlives a restart, and what earlier runs left is known by what it is made from.
func TestDiskRemembersItsOrder(t *testing.T) {
	dir := t.TempDir()
	d := diskAt(t, dir, 1<<20)
	for i := range 10 {
		d.put(t, i)
	}
	for i := range 3 {
		d.Touch(fmt.Sprintf("%s/thm_%026d/-/latest", testEnv, 2*i), 20, time.Now())
	}
	d = diskAt(t, dir, 33<<10) // room for three, and something
	for i := range 10 {
		if often := i < 6 && i%2 == 0; d.whole(i) != often {
			t.Errorf("pair %d is held: %t, want %t", i, d.whole(i), often)
		}
	}
	d = diskAt(t, dir, 1<<20)
	if !d.whole(0) || !d.HoldsThemes() {
		t.Error("what was written is not found again")
	}
}

// Every read is checked: a file that was changed counts as absent and is taken away.
func TestDiskBelievesNothing(t *testing.T) {
	d := diskOf(t, 1<<20)
	blob := someBlob(1)
	name := record.HashOf(blob)
	key := testEnv + "/" + testTheme
	for range 2 {
		if err := d.PutBlob(name, blob); err != nil {
			t.Fatal(err)
		}
		if err := d.PutTheme(key, Record[feedproto.Theme]{Value: feedproto.Theme{CacheLifetime: 7}}); err != nil {
			t.Fatal(err)
		}
		if got, ok := d.Blob(name); !ok || !bytes.Equal(got, blob) {
			t.Fatal("a blob is not read as it was written")
		}
		if got, ok := d.Theme(key); !ok || got.Value.CacheLifetime != 7 {
			t.Fatal("a record is not read as it was written")
		}
		for _, name := range []string{blobName(name), themeName(key)} {
			d.spoil(t, name)
		}
		if _, ok := d.Blob(name); ok || d.HasBlob(name) {
			t.Error("a damaged blob is believed or kept")
		}
		if _, ok := d.Theme(key); ok {
			t.Error("a damaged record is believed")
		}
	}
}

// spoil changes the last byte of a record.
func (d *Cache) spoil(t *testing.T, name string) {
	t.Helper()
	p, _, ok := d.index.at(name)
	if !ok {
		t.Fatalf("%s is not there", name)
	}
	last := make([]byte, 1)
	at := int64(p.at) + int64(p.size) - 1
	_, err := p.segment.file.ReadAt(last, at)
	last[0] ^= 1
	_, err2 := p.segment.file.WriteAt(last, at)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
}

// A Theme that was deleted takes its pairs along, also after a restart.
func TestDiskDropsWhatIsNoMore(t *testing.T) {
	dir := t.TempDir()
	d := diskAt(t, dir, 1<<20)
	key := testEnv + "/" + testTheme
	if err := d.PutTheme(key, Record[feedproto.Theme]{}); err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"/-/1", "/-/latest", "/" + testVariant + "/1"} {
		if err := d.PutPair(key+version, Record[feedproto.Pair]{}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.DropTheme(key); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if len(d.index.entries) > 0 || d.index.log.live.Load() != 0 || d.HoldsThemes() {
			t.Errorf("%d records of a deleted Theme are left", len(d.index.entries))
		}
		d = diskAt(t, dir, 1<<20)
	}
}

// The memory for knowing what is on disk is bounded: with more records than that has room for, the ones that are asked for
// least are evicted.
func TestIndexHasABudget(t *testing.T) {
	const most = 60
	d, err := Open(t.TempDir(), Budget{1 << 30, most * EntryCost}, func(func(string, *atomic.Uint32)) {}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	used := d.put(t, 1000)
	for i := range 100 {
		d.put(t, i)
		d.Touch(used, 1, time.Now())
		if n := len(d.index.entries); n > most {
			t.Fatalf("%d records are known, want %d at most", n, most)
		}
	}
	if !d.whole(1000) || !d.whole(99) || d.whole(0) {
		t.Error("what is asked for is gone, or what is not is there")
	}
}

// What is known of a record takes no more memory than it is counted for.
func TestIndexIsWeighed(t *testing.T) {
	const count = 20_000
	d := diskOf(t, 1<<30)
	taken := heaptest.Taken(func() {
		for i := range count {
			key := fmt.Sprintf("%s/thm_%026d/var_%026d/latest", testEnv, i/100, i)
			d.index.put(pairName(key), place{&segment{log: d.index.log}, 0, 1}, 1)
			d.index.setNeeds(pairName(key), feedproto.Pair{Plan: record.HashOf(nil)})
		}
	})
	if own := int64(taken/count) - 48; own > EntryCost || own < EntryCost/2 { // without a segment of its own
		t.Errorf("a record takes %d bytes of memory and is counted as %d", own, EntryCost)
	}
	t.Logf("a record takes %d bytes of memory", taken/count-48)
}
