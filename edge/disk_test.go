package edge

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/livery/storage/record"
)

func diskOf(t *testing.T, maxBytes int64, hot ...string) *disk {
	return diskAt(t, t.TempDir(), maxBytes, hot...)
}

func diskAt(t *testing.T, dir string, maxBytes int64, hot ...string) *disk {
	d, err := openDisk(dir, maxBytes, func(yield func(string)) {
		for _, name := range hot {
			yield(name)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
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

// The disk keeps what was used last, records and blobs alike, within one budget.
func TestDiskStaysWithinItsBudget(t *testing.T) {
	const budget = 100 << 10
	d := diskOf(t, budget)
	used := someBlob(-1)
	if err := d.putBlob(record.HashOf(used), used); err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		blob := someBlob(i)
		key := fmt.Sprintf("%s/thm_%026d", testEnv, i)
		if err := d.putBlob(record.HashOf(blob), blob); err != nil {
			t.Fatal(err)
		}
		if err := d.putTheme(key, kept[record.ThemeFed]{}); err != nil {
			t.Fatal(err)
		}
		if err := d.putPair(key+"/-/latest", kept[record.PairFed]{}); err != nil {
			t.Fatal(err)
		}
		if _, ok := d.blob(record.HashOf(used)); !ok {
			t.Fatalf("after %d rounds the blob that is in use is gone", i)
		}
		if d.bytes() > budget || onDisk(t, d.index.dir) > budget {
			t.Fatalf("after %d rounds %d bytes are held (%d counted)", i, onDisk(t, d.index.dir), d.bytes())
		}
		if _, ok := d.blob(record.HashOf(blob)); !ok {
			t.Fatalf("what was written last, %d, is gone", i)
		}
	}
	if _, ok := d.blob(record.HashOf(someBlob(0))); ok {
		t.Error("what was not used for longest is still there")
	}
	if entries, err := os.ReadDir(filepath.Join(d.index.dir, "pairs", testEnv)); err != nil || len(entries) > 30 {
		t.Errorf("%d folders of pairs are left, most of them empty (%v)", len(entries), err)
	}
}

// What is hot never goes, whatever comes; where all there is room for is hot, what comes is not kept.
func TestDiskKeepsWhatIsHot(t *testing.T) {
	var hot []string
	for i := range 10 {
		hot = append(hot, blobName(record.HashOf(someBlob(i))))
	}
	d := diskOf(t, 10*8<<10, hot...)
	for i := range 200 {
		blob := someBlob(i)
		if err := d.putBlob(record.HashOf(blob), blob); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 10 {
		if _, ok := d.blob(record.HashOf(someBlob(i))); !ok {
			t.Errorf("hot blob %d is gone", i)
		}
	}
	if d.bytes() > 10*8<<10 {
		t.Errorf("%d bytes are held", d.bytes())
	}
	if err := d.putCursor("7.a"); err != nil || d.cursor() != "7.a" {
		t.Errorf("the cursor is not kept on a full disk: %q, %v", d.cursor(), err)
	}
}

// The order of use outlives a restart.
func TestDiskRemembersItsOrder(t *testing.T) {
	dir := t.TempDir()
	d := diskAt(t, dir, 1<<20)
	old, new := someBlob(1), someBlob(2)
	for _, blob := range [][]byte{old, new} {
		if err := d.putBlob(record.HashOf(blob), blob); err != nil {
			t.Fatal(err)
		}
	}
	past := time.Now().Add(-time.Hour)
	if err := os.Chtimes(d.path(blobName(record.HashOf(old))), past, past); err != nil {
		t.Fatal(err)
	}
	d = diskAt(t, dir, 12<<10) // room for one
	if d.has(blobName(record.HashOf(old))) || !d.has(blobName(record.HashOf(new))) {
		t.Error("a smaller budget takes what was used last")
	}
	d = diskAt(t, dir, 1<<20)
	if _, ok := d.blob(record.HashOf(new)); !ok || d.holdsThemes() {
		t.Error("what was kept is not found again")
	}
}

// Every read is checked: a file that was changed counts as absent and is taken away.
func TestDiskBelievesNothing(t *testing.T) {
	d := diskOf(t, 1<<20)
	blob := someBlob(1)
	name := record.HashOf(blob)
	key := testEnv + "/" + testTheme
	for range 2 {
		if err := d.putBlob(name, blob); err != nil {
			t.Fatal(err)
		}
		if err := d.putTheme(key, kept[record.ThemeFed]{Record: record.ThemeFed{CacheLifetime: 7}}); err != nil {
			t.Fatal(err)
		}
		if got, ok := d.blob(name); !ok || !bytes.Equal(got, blob) {
			t.Fatal("a blob is not read as it was written")
		}
		if got, ok := d.theme(key); !ok || got.Record.CacheLifetime != 7 {
			t.Fatal("a record is not read as it was written")
		}
		for _, file := range []string{blobName(name), themeName(key)} {
			content, err := os.ReadFile(d.path(file))
			if err != nil {
				t.Fatal(err)
			}
			content[len(content)-1] ^= 1
			if err := os.WriteFile(d.path(file), content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, ok := d.blob(name); ok || d.has(blobName(name)) {
			t.Error("a damaged blob is believed or kept")
		}
		if _, ok := d.theme(key); ok {
			t.Error("a damaged record is believed")
		}
	}
}

// A Theme that is no more takes its pairs along, and what was left half written goes at the start.
func TestDiskDropsWhatIsNoMore(t *testing.T) {
	dir := t.TempDir()
	d := diskAt(t, dir, 1<<20)
	key := testEnv + "/" + testTheme
	if err := d.putTheme(key, kept[record.ThemeFed]{}); err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"/-/1", "/-/latest", "/" + testVariant + "/1"} {
		if err := d.putPair(key+version, kept[record.PairFed]{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.dropTheme(key); err != nil {
		t.Fatal(err)
	}
	if d.bytes() != 0 || onDisk(t, dir) != 0 || d.holdsThemes() {
		t.Errorf("%d bytes of a deleted Theme are left", onDisk(t, dir))
	}
	half := filepath.Join(dir, "blobs", "x"+temporary)
	if err := os.WriteFile(half, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	diskAt(t, dir, 1<<20)
	if _, err := os.Stat(half); err == nil {
		t.Error("what was left half written is still there")
	}
}
