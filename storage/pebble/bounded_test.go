package pebble_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	engine "github.com/cockroachdb/pebble/v2"

	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
	"example.com/livery/storage/record"
)

// editsVariable sets how many edits a store lives through.
const editsVariable = "LIVERY_EDITS"

// edit replaces a draft of some kilobytes; each tenth edit is published, and the newest ten versions
// stay named.
func edit(t *testing.T, s *pebble.Store, n int) storage.Cursor {
	t.Helper()
	ctx, draft := context.Background(), noiseOf(4<<10, uint64(n), uint64(n>>16))
	key, value := storage.Key('D', "env", "thm"), draft
	if n%10 == 9 {
		name, err := s.PutBlob(ctx, draft)
		if err != nil {
			t.Fatal(err)
		}
		v, err := record.Encode(record.ThemeVersion{Document: name})
		if err != nil {
			t.Fatal(err)
		}
		key, value = storage.Key('N', "env", "thm", storage.Number(uint32(n/10%10))), v
	}
	at, err := s.Update(ctx, "env", func(tx storage.Tx) (record.Change, error) {
		return record.Change{EnvironmentID: "env", ThemeID: "thm"}, tx.Set(key, value)
	})
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func sizeOf(t *testing.T, dir string) (bytes int64) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil { // a file may go meanwhile
			bytes += info.Size()
		}
	}
	return bytes
}

// A store that is edited and published for ever, trimmed and collected daily, takes as much as it holds
// and no more: the second half of its life adds nothing.
func TestTendedStoreDoesNotGrow_Long(t *testing.T) {
	t.Parallel()
	edits := 5_000
	if n, err := strconv.Atoi(os.Getenv(editsVariable)); err == nil {
		edits = n
	} else if testing.Short() {
		t.Skip("it takes some seconds: make check runs it")
	}
	var now atomic.Int64
	dir := filepath.Join(t.TempDir(), "data")
	opts := pebble.Options{MinFreeBytes: -1}.Timed(func() time.Time { return time.Unix(now.Load(), 0) })
	s := open(t, dir, opts.Tuned(func(o *engine.Options) { o.MemTableSize = mega }))
	const days = 40
	var most [2]int64 // on disk, in each half
	var written int64
	curve := ""
	for n := range edits {
		at := edit(t, s, n)
		written += 4 << 10
		if n%(edits/days) != edits/days-1 {
			continue
		}
		tend(t, s, at, &now)
		bytes := sizeOf(t, dir)
		half := min(1, n*2/edits)
		most[half] = max(most[half], bytes)
		curve += fmt.Sprintf(" %d", bytes>>10)
	}
	t.Logf("%d edits wrote %d kB; kB on disk day by day:%s", edits, written>>10, curve)
	if most[1] > most[0]+most[0]/4 {
		t.Errorf("the store took %d bytes at most in the first half of its life and %d in the second", most[0], most[1])
	}
	if log, err := s.Changes(context.Background(), storage.Cursor{}, 1); !isTrimmed(err) {
		t.Errorf("Changes() from the beginning = %d, %v, want ErrTrimmed", len(log), err)
	}
	left := 0
	if err := s.Blobs(context.Background(), func(storage.BlobInfo) bool { left++; return true }); err != nil || left > 10+3*edits/days/10 {
		t.Errorf("%d blobs are left, %v, and ten are named", left, err)
	}
}

// tend does what an origin does daily, a day after the last time.
func tend(t *testing.T, s *pebble.Store, at storage.Cursor, now *atomic.Int64) {
	t.Helper()
	const day = 24 * time.Hour
	today := time.Unix(now.Add(int64(day/time.Second)), 0)
	if _, err := storage.Collect(context.Background(), s, storage.Collection{Now: today, Grace: day}); err != nil {
		t.Fatal(err)
	}
	if at.Seq > 100 {
		if err := s.Trim(context.Background(), at.Seq-100); err != nil {
			t.Fatal(err)
		}
	}
}
