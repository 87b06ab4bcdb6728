package diskcache

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/livery/feedproto"
	"example.com/livery/storage/record"
)

// states are the contents that a name had, one after the other; nil: it was dropped.
type states map[string][][]byte

// holds reports whether a content is one of those from the newest that is certain on; none may always be.
func (s states) holds(name string, content []byte, from int) bool {
	for _, state := range s[name][from:] {
		if bytes.Equal(state, content) {
			return true
		}
	}
	return content == nil
}

// churn puts and drops records of a few names, some of them larger than a segment, and returns what they were.
func churn(t testing.TB, d *Cache, random *rand.Rand, rounds int, known states) {
	t.Helper()
	for range rounds {
		name := themeName(fmt.Sprintf("%s/thm_%026d", testEnv, random.IntN(40)))
		var content []byte
		var err error
		if random.IntN(4) == 0 {
			err = d.index.remove(name)
		} else {
			content = bytes.Repeat([]byte{byte(random.Uint32())}, 1+random.IntN(3000)*(1+random.IntN(2)*random.IntN(3)))
			err = d.index.write(logRecord{kind: recordPut, name: name, content: content})
		}
		if err != nil {
			t.Fatal(err)
		}
		known[name] = append(known[name], content)
	}
}

// However often records are replaced, dropped, moved and opened again, each is what it was last, or is not there because
// the budget has no room; and the budget holds.
func TestLogHasTheNewestOrNothing(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		const budget = 100 << 10
		random, dir, known := rand.New(rand.NewPCG(seed, 7)), t.TempDir(), states{}
		found := 0
		for range 8 {
			d := diskAt(t, dir, budget)
			for range 8 {
				churn(t, d, random, 20, known)
				if n := onDisk(t, dir); n > budget {
					t.Fatalf("seed %d: %d bytes are on disk, the budget is %d", seed, n, budget)
				}
				for name, list := range known {
					content := d.index.read(name)
					if !known.holds(name, content, len(list)-1) {
						t.Fatalf("seed %d: %s has %d bytes that it does not have now", seed, name, len(content))
					}
					if content != nil {
						found++
					}
				}
			}
			d.Close()
		}
		if found < 8*8*8 {
			t.Errorf("seed %d: %d records were found, hardly any", seed, found)
		}
	}
}

// segmentsIn lists the segments of a cache.
func segmentsIn(t testing.TB, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, recordsFolder, "*"+logSuffix))
	if err != nil || len(names) == 0 {
		t.Fatalf("the log has no segments: %v", err)
	}
	return names
}

// copyOf copies a cache, of which one segment has another text.
func copyOf(t testing.TB, dir, segment string, text []byte) string {
	t.Helper()
	copied := t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(copied, strings.TrimPrefix(segment, dir)), text, 0o600); err != nil {
		t.Fatal(err)
	}
	return copied
}

// A process may be killed at any moment: whatever part of the newest segment is on disk, what is read is what was written
// up to there, and writing goes on behind it.
func TestLogThatIsCutOff(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := diskAt(t, dir, 1<<20)
	key := testEnv + "/" + testTheme
	for lifetime := range uint32(3) {
		if err := d.PutTheme(key, Record[feedproto.Theme]{Value: feedproto.Theme{CacheLifetime: lifetime + 1}}); err != nil {
			t.Fatal(err)
		}
	}
	segment := segmentsIn(t, dir)[0]
	text, err := os.ReadFile(segment)
	if err != nil {
		t.Fatal(err)
	}
	before := uint32(0)
	for n := 0; n <= len(text); n += 3 {
		d := diskAt(t, copyOf(t, dir, segment, text[:n]), 1<<20)
		got, ok := d.Theme(key)
		if lifetime := got.Value.CacheLifetime; lifetime < before || ok != (lifetime > 0) || lifetime > 3 {
			t.Fatalf("of %d bytes the record says %d after %d", n, lifetime, before)
		}
		before = got.Value.CacheLifetime
		for range 2 {
			if err := d.PutCursor("after"); err != nil || d.Cursor() != "after" {
				t.Fatalf("after %d bytes the cursor is %q, %v", n, d.Cursor(), err)
			}
			d.Close()
			d = diskAt(t, filepath.Dir(d.index.log.dir), 1<<20)
			if d.Cursor() != "after" {
				t.Fatalf("after %d bytes nothing is found that was written later", n)
			}
		}
	}
	if before < 2 {
		t.Errorf("of nearly all bytes the record says %d", before)
	}
}

// Any byte of any segment may be damaged: what is read is right or absent, and no older state of what may have been replaced
// comes back, now or at the next start.
func TestDamagedLogNeverLies(t *testing.T) {
	t.Parallel()
	dir, known := t.TempDir(), states{}
	d := diskAt(t, dir, 300<<10)
	random := rand.New(rand.NewPCG(1, 2))
	churn(t, d, random, 60, known)
	blob := someBlob(1)
	if err := d.PutBlob(record.HashOf(blob), blob); err != nil {
		t.Fatal(err)
	}
	d.Close()
	for _, segment := range segmentsIn(t, dir) {
		text, err := os.ReadFile(segment)
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			spoiled := bytes.Clone(text)
			at := random.IntN(len(text))
			if random.IntN(2) == 0 {
				at %= headBytes + 80 // a head
			}
			spoiled[min(at, len(text)-1)] ^= 1 << random.IntN(8)
			copied := copyOf(t, dir, segment, spoiled)
			for range 2 {
				d := diskAt(t, copied, 300<<10)
				for name, list := range known {
					if content := d.index.read(name); !known.holds(name, content, len(list)-1) {
						t.Fatalf("%s has a state of before with byte %d of %s damaged", name, at, filepath.Base(segment))
					}
				}
				if got, ok := d.Blob(record.HashOf(blob)); ok && !bytes.Equal(got, blob) {
					t.Fatal("a blob is not what was written")
				}
				d.Close()
			}
		}
	}
}

// FuzzSegment opens any text as a segment: nothing but what is whole is read, and writing goes on.
func FuzzSegment(f *testing.F) {
	whole := []byte(segmentMagic)
	for _, r := range []logRecord{{kind: recordPut, name: "cursor", content: []byte(`"7.a"`)}, {kind: recordDrop, name: "themes/a/b"}, {kind: recordPut, name: "themes/a/b", content: []byte("{}")}} {
		whole = r.append(whole)
	}
	f.Add(whole)
	f.Add(whole[:len(whole)-1])
	f.Add([]byte(segmentMagic))
	f.Fuzz(func(t *testing.T, text []byte) {
		dir := t.TempDir()
		file := filepath.Join(dir, recordsFolder, fmt.Sprintf("%016x%s", 1, logSuffix))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		d := diskAt(t, dir, 1<<20)
		for name := range d.index.entries {
			content := d.index.read(name)
			if content != nil && !bytes.Contains(text, append([]byte(name), content...)) {
				t.Errorf("%q has %q", name, content)
			}
		}
		if err := d.PutCursor("after"); err != nil || d.Cursor() != "after" {
			t.Errorf("the cursor is %q, %v", d.Cursor(), err)
		}
	})
}
