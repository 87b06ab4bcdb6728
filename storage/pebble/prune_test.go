package pebble_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"example.com/livery/internal/test/race"
	"example.com/livery/internal/test/storagetest"
	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
)

// filesOf returns the names in the files folder of a backup directory.
func filesOf(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, "files"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// several backs up n times, with writes and moved tables between, and returns the acknowledgements
// that are in each.
func several(t *testing.T, s *pebble.Store, to string, n int) (acks []*acknowledgements) {
	t.Helper()
	for i := range n {
		if _, err := s.PutBlob(context.Background(), noise(mega, uint64(i))); err != nil {
			t.Fatal(err)
		}
		_, a := backUp(t, s, to, 1+2*i)
		if err := errors.Join(s.Flush(), s.Compact()); err != nil {
			t.Fatal(err)
		}
		acks = append(acks, a)
	}
	return acks
}

func TestPruningKeepsTheNewestBackupsWhole(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	ctx, s, to := context.Background(), open(t, t.TempDir(), onDisk), t.TempDir()
	acks := several(t, s, to, 5)
	for _, left := range []string{filepath.Join(to, "files", "new"), filepath.Join(to, "files", string(make64('a')))} {
		if err := os.WriteFile(left, []byte("of a process that ended"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	foreign := filepath.Join(to, "files", "README")
	if err := os.WriteFile(foreign, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	before, _ := pebble.Backups(to)
	p, err := pebble.Prune(ctx, to, s.ID(), 2, nil)
	if err != nil || !slices.Equal(p.Backups, []string{before[0].Name, before[1].Name, before[2].Name}) || p.Files < 3 || p.Bytes == 0 {
		t.Fatalf("Prune(2) = %+v, %v, want the oldest three gone", p, err)
	}
	kept, err := pebble.Backups(to)
	if err != nil || len(kept) != 2 || kept[0].Name != before[3].Name || kept[1].Name != before[4].Name {
		t.Fatalf("Backups() = %d, %v, want the newest two", len(kept), err)
	}
	named := []string{"README"}
	for i, b := range kept {
		if err := pebble.VerifyBackup(ctx, to, b, nil); err != nil {
			t.Errorf("VerifyBackup(%s) after pruning = %v", b.Name, err)
		}
		storagetest.Verify(t, restore(t, to, b), acks[3+i].copy())
		for _, f := range b.Files {
			named = append(named, string(f.Hash))
		}
	}
	slices.Sort(named)
	if got := filesOf(t, to); !slices.Equal(got, slices.Compact(named)) {
		t.Errorf("the files after pruning are %d, want the %d that the backups are made of", len(got), len(named))
	}
	if again, err := pebble.Prune(ctx, to, s.ID(), 2, nil); err != nil || len(again.Backups) != 0 || again.Files != 0 {
		t.Errorf("Prune(2) again = %+v, %v, want nothing", again, err)
	}
	backUp(t, s, to, 21) // the next one copies what went with the old ones, if it needs it
	all, _ := pebble.Backups(to)
	if err := pebble.VerifyBackup(ctx, to, all[len(all)-1], nil); err != nil {
		t.Errorf("VerifyBackup() of the next backup = %v", err)
	}
}

func make64(c byte) []byte { return slices.Repeat([]byte{c}, 64) }

// What Prune does not understand it leaves, and it never takes the last backup.
func TestPruningRefusesRatherThanGuesses(t *testing.T) {
	t.Parallel()
	ctx, to := context.Background(), t.TempDir()
	s := open(t, t.TempDir(), onDisk)
	several(t, s, to, 2)
	before := filesOf(t, to)
	for _, keep := range []int{0, -1} {
		if _, err := pebble.Prune(ctx, to, s.ID(), keep, nil); err == nil {
			t.Errorf("Prune(%d) succeeded", keep)
		}
	}
	if p, err := pebble.Prune(ctx, to, s.ID(), 9, nil); err != nil || len(p.Backups) != 0 {
		t.Errorf("Prune(9) of two = %+v, %v, want nothing", p, err)
	}
	odd := filepath.Join(to, "backups", "20200101T000000.000Z.json")
	if err := os.WriteFile(odd, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := pebble.Prune(ctx, to, s.ID(), 1, nil); !errors.Is(err, storage.ErrCorrupt) {
		t.Errorf("Prune() beside a description that cannot be read = %v, want ErrCorrupt", err)
	}
	if err := os.Remove(odd); err != nil {
		t.Fatal(err)
	}
	if got := filesOf(t, to); !slices.Equal(got, before) {
		t.Errorf("refusals took files: %d are left of %d", len(got), len(before))
	}
	if _, err := pebble.Prune(ctx, filepath.Join(to, "nothing"), s.ID(), 1, nil); err == nil {
		t.Error("Prune() of no directory succeeded")
	}
}

// A Backup and a Prune of one directory at the same time would take each other's files.
func TestABackupDirectoryTakesOneAtATime(t *testing.T) {
	t.Parallel()
	ctx, to := context.Background(), t.TempDir()
	s := open(t, t.TempDir(), onDisk)
	several(t, s, to, 1)
	var during error
	_, err := s.Backup(ctx, to, func(doing string, done, _ int64) {
		if doing == "copy files" && done == 1 {
			_, during = pebble.Prune(ctx, to, s.ID(), 1, nil)
		}
	})
	if err != nil || !errors.Is(during, storage.ErrLocked) {
		t.Errorf("Prune() within Backup() = %v, want ErrLocked; Backup() = %v", during, err)
	}
	if _, err := pebble.Prune(ctx, to, s.ID(), 1, nil); err != nil {
		t.Errorf("Prune() afterwards = %v", err)
	}
}
