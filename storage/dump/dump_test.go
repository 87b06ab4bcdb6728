package dump_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"go.uber.org/goleak"

	"example.com/livery/storage"
	"example.com/livery/storage/dump"
	"example.com/livery/storage/pebble"
	"example.com/livery/storage/record"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T) *pebble.Store {
	t.Helper()
	s, err := pebble.Open("", pebble.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatalf("Open() = %v", err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// filled returns a store of some records, blobs and changes, and one blob that nothing names.
func filled(t *testing.T) *pebble.Store {
	t.Helper()
	s, ctx := open(t), context.Background()
	put := func(blob string) record.Hash {
		name, err := s.PutBlob(ctx, []byte(blob))
		if err != nil {
			t.Fatalf("PutBlob() = %v", err)
		}
		return name
	}
	put("a lost publish")
	for n := range uint32(20) {
		v := record.ThemeVersion{Number: n, Document: put(strings.Repeat("document ", int(n)*100)), Plan: put(strings.Repeat("plan ", int(n))), Modes: listOfModes}
		_, err := s.Update(ctx, "e", func(tx storage.Tx) (record.Change, error) {
			return record.Change{ThemeID: "t"}, storage.ThemeVersions.Write(tx, v, "e", "t", storage.Number(n))
		})
		if err != nil {
			t.Fatalf("Update() = %v", err)
		}
	}
	return s
}

// listOfModes has every member that an entry can have.
var listOfModes = []record.Mode{
	{Dimension: "scheme", Mode: "light"},
	{Dimension: "scheme", Mode: "dark", Variant: "v", When: "(prefers-color-scheme: dark)"},
	{Dimension: "scheme", Mode: "dark", Variant: "w", When: "(prefers-color-scheme: dark)", For: "b"},
}

// Modes of a Theme and of its versions are loaded as they were.
func TestADumpKeepsModes(t *testing.T) {
	t.Parallel()
	s, to := filled(t), open(t)
	_, err := s.Update(context.Background(), "e", func(tx storage.Tx) (record.Change, error) {
		return record.Change{ThemeID: "t"}, storage.Themes.Write(tx, record.Theme{ID: "t", Modes: listOfModes}, "e", "t")
	})
	if err != nil {
		t.Fatalf("Update() = %v", err)
	}
	_, data := written(t, s)
	if _, err := dump.Load(context.Background(), bytes.NewReader(data), to, nil); err != nil {
		t.Fatalf("Load() = %v", err)
	}
	if _, again := written(t, to); !bytes.Equal(again, data) {
		t.Error("the dump of the copy has other bytes")
	}
	err = to.View(context.Background(), func(r storage.Reader) error {
		theme, err := storage.Themes.Read(r, "e", "t")
		if err != nil {
			return err
		}
		v, err := storage.ThemeVersions.Read(r, "e", "t", storage.Number(19))
		if !slices.Equal(theme.Modes, listOfModes) || !slices.Equal(v.Modes, listOfModes) {
			t.Errorf("the Theme has the modes %+v, its version %+v", theme.Modes, v.Modes)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func written(t *testing.T, s storage.Store) (dump.Summary, []byte) {
	t.Helper()
	var out bytes.Buffer
	done, err := dump.Write(context.Background(), s, &out, nil)
	if err != nil {
		t.Fatalf("Write() = %v", err)
	}
	return done, out.Bytes()
}

func TestADumpIsLoadedAsItWasWritten(t *testing.T) {
	t.Parallel()
	s, to := filled(t), open(t)
	wrote, data := written(t, s)
	if wrote.Keys != 20 || wrote.Blobs != 39 { // the empty document is the empty plan
		t.Errorf("Write() = %+v, want 20 keys and 39 blobs", wrote)
	}
	loaded, err := dump.Load(context.Background(), bytes.NewReader(data), to, nil)
	if err != nil || loaded != wrote {
		t.Errorf("Load() = %+v, %v, want %+v", loaded, err, wrote)
	}
	again, copied := written(t, to)
	if again != wrote || !bytes.Equal(copied, data) {
		t.Errorf("Write() of the copy = %+v, want %+v and the same bytes", again, wrote)
	}
	if got, err := dump.Digest(context.Background(), to, nil); err != nil || got.Summary != wrote {
		t.Errorf("Digest() = %+v, %v, want %+v", got, err, wrote)
	}
	if _, err := to.Blob(context.Background(), record.HashOf([]byte("a lost publish"))); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("Blob() that nothing named = %v, want ErrNotFound", err)
	}
}

func TestALoadedStoreIsANewHistory(t *testing.T) {
	t.Parallel()
	s, to := filled(t), open(t)
	was, is, err := dump.Migrate(context.Background(), s, to, nil)
	if err != nil {
		t.Fatalf("Migrate() = %v", err)
	}
	if was.Cursor.Seq != 20 || is.Cursor.Seq != 1 || len(is.Parts) != 2 || is.Parts[0].Name != "theme version" || is.Parts[0].Count != 20 || is.Parts[1].Count != 39 {
		t.Errorf("Migrate() = %+v, %+v", was, is)
	}
	log, err := s.Changes(context.Background(), storage.Cursor{}, 1)
	if err != nil || len(log) != 1 {
		t.Fatal(log, err)
	}
	if _, err := to.Changes(context.Background(), log[0].Cursor, 1); !errors.Is(err, storage.ErrDiverged) {
		t.Errorf("Changes() after a cursor of the original = %v, want ErrDiverged", err)
	}
}

// A write to the original while it is copied would be lost.
func TestACopyOfAStoreThatMovesOnIsRefused(t *testing.T) {
	t.Parallel()
	s, to := filled(t), open(t)
	wrote := false
	_, _, err := dump.Migrate(context.Background(), s, to, func(doing string, _, _ int64) {
		if wrote || !strings.HasPrefix(doing, "read back") {
			return
		}
		wrote = true
		_, err := s.Update(context.Background(), "e", func(tx storage.Tx) (record.Change, error) {
			return record.Change{}, tx.Set(storage.Key('T', "t"), []byte("x"))
		})
		if err != nil {
			t.Error(err)
		}
	})
	if !errors.Is(err, dump.ErrMoved) {
		t.Errorf("Migrate() = %v, want ErrMoved", err)
	}
}

// A copy that ended in the middle is begun again over what it left.
func TestACopyThatEndedInTheMiddleGoesOn(t *testing.T) {
	t.Parallel()
	s, to := filled(t), open(t)
	ctx, cancel := context.WithCancel(context.Background())
	_, _, err := dump.Migrate(ctx, s, to, func(doing string, done, _ int64) {
		if doing == "load records" {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("Migrate() = %v, want %v", err, context.Canceled)
	}
	if _, _, err := dump.Migrate(context.Background(), s, to, nil); err != nil {
		t.Errorf("Migrate() again = %v", err)
	}
}

func TestADumpThatIsNotWholeLoadsNoRecord(t *testing.T) {
	t.Parallel()
	_, data := written(t, filled(t))
	for name, bad := range map[string][]byte{
		"nothing":            nil,
		"another file":       []byte("PK\x03\x04 and so on and on"),
		"a head alone":       data[:14],
		"cut in the middle":  data[:len(data)/2],
		"cut before the end": data[:len(data)-1],
		"a byte is another":  flipped(data, len(data)/2),
		"a later format":     append([]byte("livery dump 2\n"), data[14:]...),
	} {
		t.Run(name, func(t *testing.T) {
			to := open(t)
			if got, err := dump.Load(context.Background(), bytes.NewReader(bad), to, nil); err == nil {
				t.Errorf("Load() = %+v, want an error", got)
			}
			if log, err := to.Changes(context.Background(), storage.Cursor{}, 1); err != nil || len(log) != 0 {
				t.Errorf("Changes() = %v, %v, want none", log, err)
			}
		})
	}
}

// A change within the frames is found though the stream around them is whole.
func TestADumpWithOtherContentLoadsNoRecord(t *testing.T) {
	t.Parallel()
	_, data := written(t, filled(t))
	in, inErr := zstd.NewReader(nil)
	out, outErr := zstd.NewWriter(nil)
	if err := errors.Join(inErr, outErr); err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer func() { _ = out.Close() }()
	frames, err := in.DecodeAll(data[14:], nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []int{len(frames) - 1, len(frames) - 40, len(frames) / 2} {
		bad := out.EncodeAll(flipped(frames, at), []byte("livery dump 1\n"))
		to := open(t)
		if got, err := dump.Load(context.Background(), bytes.NewReader(bad), to, nil); !errors.Is(err, dump.ErrBad) {
			t.Errorf("Load() with byte %d of %d changed = %+v, %v, want ErrBad", at, len(frames), got, err)
		}
	}
}

func flipped(data []byte, at int) []byte {
	data = bytes.Clone(data)
	data[at] ^= 1
	return data
}

func TestAStoreInUseIsNotLoaded(t *testing.T) {
	t.Parallel()
	_, data := written(t, filled(t))
	to := filled(t)
	before, _ := written(t, to)
	if _, err := dump.Load(context.Background(), bytes.NewReader(data), to, nil); !errors.Is(err, dump.ErrNotEmpty) {
		t.Errorf("Load() = %v, want ErrNotEmpty", err)
	}
	if after, _ := written(t, to); after != before {
		t.Errorf("Load() changed the store from %+v to %+v", before, after)
	}
}

func TestAMissingBlobFailsADumpUnlessItIsDerived(t *testing.T) {
	t.Parallel()
	for name, v := range map[string]record.ThemeVersion{
		"a document": {Number: 1, Document: record.HashOf([]byte("gone"))},
		"a plan":     {Number: 1, Plan: record.HashOf([]byte("gone"))},
	} {
		s := open(t)
		_, err := s.Update(context.Background(), "e", func(tx storage.Tx) (record.Change, error) {
			return record.Change{}, storage.ThemeVersions.Write(tx, v, "e", "t", storage.Number(1))
		})
		if err != nil {
			t.Fatal(err)
		}
		done, err := dump.Write(context.Background(), s, &bytes.Buffer{}, nil)
		if derived := v.Plan != ""; derived && (err != nil || done.Skipped != 1) || !derived && !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("%s: Write() = %+v, %v", name, done, err)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte("livery dump 1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = dump.Load(context.Background(), bytes.NewReader(data), open(t), nil)
	})
}
