package pebble_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	engine "github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"example.com/livery/internal/test/race"
	"example.com/livery/internal/test/storagetest"
	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
	"example.com/livery/storage/record"
)

// filled returns a closed store of some commits on fs, and the name of a blob in it.
func filled(t *testing.T, fs vfs.FS) record.Hash {
	t.Helper()
	s := open(t, "data", pebble.Options{FS: fs})
	for n := range 20 {
		if _, err := (storagetest.Step{Writer: 1, Number: n}).Do(context.Background(), s); err != nil {
			t.Fatal(err)
		}
	}
	name, err := s.PutBlob(context.Background(), bytes.Repeat([]byte("blob "), 1000))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatalf("Close() = %v", err)
	}
	return name
}

// check returns what Check reports.
func check(t *testing.T, s *pebble.Store) []string {
	t.Helper()
	var wrong []string
	if err := s.Check(context.Background(), func(f storage.Finding) { wrong = append(wrong, f.String()) }); err != nil {
		t.Errorf("Check() = %v", err)
	}
	return wrong
}

func TestACorruptBlobIsFoundOnReadAndHealedByPutting(t *testing.T) {
	t.Parallel()
	blob := bytes.Repeat([]byte("blob "), 1000)
	key, _ := hex.AppendDecode([]byte("\x00b"), []byte(record.HashOf(blob)))
	for name, value := range map[string]string{
		"another content": "\x00another", "not zstd": "\x01another", "unknown coding": "\x07another", "nothing": "",
	} {
		t.Run(name, func(t *testing.T) {
			fs := vfs.NewMem()
			hash := filled(t, fs)
			raw(t, fs, func(db *engine.DB) error { return db.Set(key, []byte(value), engine.Sync) })
			s := open(t, "data", pebble.Options{FS: fs})
			if got, err := s.Blob(context.Background(), hash); !errors.Is(err, storage.ErrCorrupt) {
				t.Errorf("Blob() = %d bytes, %v, want ErrCorrupt", len(got), err)
			}
			if wrong := check(t, s); len(wrong) != 1 || !strings.Contains(wrong[0], string(hash)) {
				t.Errorf("Check() reported %q, want the one blob", wrong)
			}
			if _, err := s.PutBlob(context.Background(), blob); err != nil {
				t.Errorf("PutBlob() = %v", err)
			}
			if got, err := s.Blob(context.Background(), hash); err != nil || !bytes.Equal(got, blob) {
				t.Errorf("Blob() after it was put again = %d bytes, %v", len(got), err)
			}
		})
	}
}

func TestAMissingLogEntryIsCorrupt(t *testing.T) {
	t.Parallel()
	fs := vfs.NewMem()
	filled(t, fs)
	raw(t, fs, func(db *engine.DB) error {
		return db.Delete([]byte("\x00c\x00\x00\x00\x00\x00\x00\x00\x05"), engine.Sync)
	})
	s := open(t, "data", pebble.Options{FS: fs})
	if got, err := s.Changes(context.Background(), storage.Cursor{}, 100); !errors.Is(err, storage.ErrCorrupt) {
		t.Errorf("Changes() over a gap = %d, %v, want ErrCorrupt", len(got), err)
	}
	if got, err := s.Changes(context.Background(), storage.Cursor{}, 5); !errors.Is(err, storage.ErrCorrupt) {
		t.Errorf("Changes() up to a gap = %d, %v, want ErrCorrupt", len(got), err)
	}
	if got, err := s.Changes(context.Background(), storage.Cursor{Seq: 5, Tag: "0123456789abcdef"}, 5); !errors.Is(err, storage.ErrCorrupt) {
		t.Errorf("Changes() from a gap = %d, %v, want ErrCorrupt", len(got), err)
	}
	if got, err := s.Changes(context.Background(), storage.Cursor{}, 4); err != nil || len(got) != 4 {
		t.Errorf("Changes() before a gap = %d, %v, want 4", len(got), err)
	}
	if wrong := check(t, s); len(wrong) != 1 || !strings.Contains(wrong[0], "entry 5 of the change log is missing") {
		t.Errorf("Check() reported %q, want the one gap", wrong)
	}
}

// flip inverts one byte of a file.
func flip(t *testing.T, fs vfs.FS, name string, at int64) {
	t.Helper()
	f, err := fs.OpenReadWrite(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 1)
	_, readErr := f.ReadAt(b, at)
	b[0] ^= 0xff
	_, writeErr := f.WriteAt(b, at)
	if err := errors.Join(readErr, writeErr, f.Close()); err != nil {
		t.Fatal(err)
	}
}

// A byte that rotted in a table is noticed if it is read, or it does not matter: no call returns
// something else than what was written.
func TestRottenTablesAreCorrupt(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	random, noticed := rand.New(rand.NewPCG(1, 1)), 0
	for range 60 {
		fs := vfs.NewMem()
		filled(t, fs)
		raw(t, fs, func(*engine.DB) error { return nil })
		want := readAll(t, open(t, "data", pebble.Options{FS: fs}))
		names, _ := fs.List("data")
		names = slices.DeleteFunc(names, func(n string) bool { return !strings.HasSuffix(n, ".sst") })
		fs = copyOf(t, fs)
		name := fs.PathJoin("data", names[random.IntN(len(names))])
		info, err := fs.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		flip(t, fs, name, random.Int64N(info.Size()))
		s, err := pebble.Open("data", pebble.Options{FS: fs, Logger: quiet})
		if err == nil {
			var got []string
			got, err = tryReadAll(s)
			if err == nil && !slices.Equal(got, want) {
				t.Errorf("a rotten table was read as if it were sound")
			}
			_ = s.Close()
		}
		if err != nil {
			noticed++
			if !errors.Is(err, storage.ErrCorrupt) || !strings.Contains(err.Error(), name) {
				t.Errorf("reading a rotten table: %v, want ErrCorrupt and the file %s", err, name)
			}
		}
	}
	if noticed < 20 {
		t.Errorf("%d of 60 rotten bytes were noticed", noticed)
	}
}

func copyOf(t *testing.T, fs vfs.FS) *vfs.MemFS {
	t.Helper()
	mem := vfs.NewMem()
	if _, err := vfs.Clone(fs, mem, "data", "data", vfs.CloneSync); err != nil {
		t.Fatal(err)
	}
	return mem
}

func readAll(t *testing.T, s *pebble.Store) []string {
	t.Helper()
	all, err := tryReadAll(s)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// tryReadAll reads all keys, all blobs they name, and the log.
func tryReadAll(s *pebble.Store) (all []string, err error) {
	ctx := context.Background()
	err = s.View(ctx, func(r storage.Reader) error {
		return r.Scan(nil, storage.Ascending, func(key, value []byte) bool {
			all = append(all, string(key), string(value))
			return true
		})
	})
	for i := 0; err == nil && i < len(all); i += 2 {
		if storage.LastPart([]byte(all[i])) == "blob" {
			_, err = s.Blob(ctx, record.Hash(all[i+1]))
		}
	}
	if err != nil {
		return nil, err
	}
	log, err := s.Changes(ctx, storage.Cursor{}, 1000)
	for _, e := range log {
		all = append(all, e.Cursor.String(), e.Change.ThemeID)
	}
	return all, err
}

// What the engine says of a rotten table is one line for the operator: the file, what it holds, and
// what to do; no trace of the engine's calls, in text and in JSON.
func TestARottenTableIsToldInOneLine(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]func(io.Writer) slog.Handler{
		"text": func(w io.Writer) slog.Handler { return slog.NewTextHandler(w, nil) },
		"json": func(w io.Writer) slog.Handler { return slog.NewJSONHandler(w, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			fs := vfs.NewMem()
			filled(t, fs)
			raw(t, fs, func(*engine.DB) error { return nil })
			names, _ := fs.List("data")
			for _, n := range names {
				if strings.HasSuffix(n, ".sst") {
					flip(t, fs, fs.PathJoin("data", n), 30)
				}
			}
			var said lockedBuffer
			s := open(t, "data", pebble.Options{FS: fs, Logger: slog.New(handler(&said))})
			_, err := tryReadAll(s)
			found := check(t, s)
			_ = s.Close()
			if !errors.Is(err, storage.ErrCorrupt) || len(found) == 0 {
				t.Fatalf("reading = %v, Check() = %q, want the rot", err, found)
			}
			text := said.String()
			for _, part := range []string{".sst", "run livery store check", "blob "} {
				if !strings.Contains(text, part) {
					t.Errorf("the log does not say %q:\n%s", part, text)
				}
			}
			if n := strings.Count(text, "run livery"); n != 1 {
				t.Errorf("the one file is named %d times in the log", n)
			}
			if !strings.HasPrefix(found[0], "file data/") || !strings.Contains(found[0], ", from blob ") || !strings.HasSuffix(found[0], storage.RepairRestore) {
				t.Errorf("Check() reported %q, want the file, what it holds and the repair", found[0])
			}
			for _, said := range append(found, strings.Split(text, "\n")...) {
				if strings.ContainsAny(said, "\n\t") || strings.Contains(said, "runtime.") || strings.Contains(said, ".go:") || strings.Contains(said, `\n`) || len(said) > 600 {
					t.Errorf("a trace in %q", said)
				}
			}
		})
	}
}

// lockedBuffer is a buffer for several writers.
type lockedBuffer struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
