package pebble_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/livery/internal/test/storagetest"
	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
)

var onDisk = pebble.Options{MinFreeBytes: -1, Logger: quiet}

// backUp backs up while writers go on, and returns what had been acknowledged before.
func backUp(t *testing.T, s *pebble.Store, to string, writer int) (pebble.BackupResult, *acknowledgements) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	acks := newAcknowledgements()
	wg := work(ctx, s, []int{writer, writer + 1}, acks)
	waitFor(t, acks, 30)
	before := acks.copy()
	done, err := s.Backup(context.Background(), to, nil)
	cancel()
	wg.Wait()
	if err != nil {
		t.Fatalf("Backup() = %v", err)
	}
	acks.set(before)
	return done, acks
}

// restore restores a backup into a new directory and opens it.
func restore(t *testing.T, from string, b pebble.Backup) *pebble.Store {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "restored")
	if err := pebble.Restore(context.Background(), from, b, dir, onDisk, nil, nil); err != nil {
		t.Fatalf("Restore() = %v", err)
	}
	return open(t, dir, onDisk)
}

func TestABackupHoldsAllThatWasAcknowledged(t *testing.T) {
	t.Parallel()
	s, to := open(t, t.TempDir(), onDisk), filepath.Join(t.TempDir(), "backups")
	first, acks := backUp(t, s, to, 1)
	second, more := backUp(t, s, to, 3)
	all, err := pebble.Backups(to)
	if err != nil || len(all) != 2 || all[0].Name != first.Backup.Name || all[1].Name != second.Backup.Name {
		t.Fatalf("Backups() = %+v, %v, want two", all, err)
	}
	for _, b := range all {
		if err := pebble.VerifyBackup(context.Background(), to, b, nil); err != nil {
			t.Errorf("VerifyBackup(%s) = %v", b.Name, err)
		}
	}
	storagetest.Verify(t, restore(t, to, all[0]), acks.copy())
	r := restore(t, to, all[1])
	storagetest.Verify(t, r, acks.copy())
	storagetest.Verify(t, r, more.copy())
	if wrong := check(t, r); len(wrong) != 0 {
		t.Errorf("Check() of what was restored = %q", wrong)
	}
	if r.ID() == s.ID() || len(r.ID()) != 32 {
		t.Errorf("ID() = %s after Restore of %s, want another", r.ID(), s.ID())
	}
}

func TestASecondBackupCopiesOnlyWhatIsNew(t *testing.T) {
	t.Parallel()
	s, to := open(t, t.TempDir(), onDisk), t.TempDir()
	for i := range uint64(40) {
		if _, err := s.PutBlob(context.Background(), noise(mega/2, i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(s.Flush(), s.Compact()); err != nil {
		t.Fatal(err)
	}
	first, _ := backUp(t, s, to, 1)
	second, _ := backUp(t, s, to, 3)
	if first.NewSize < 20*mega || second.Bytes < 20*mega || second.NewSize > first.NewSize/4 {
		t.Errorf("the first backup copied %d bytes, and the second %d of %d", first.NewSize, second.NewSize, second.Bytes)
	}
}

// A follower that had gone further than the backup gets ErrDiverged; one that had not goes on.
func TestARestoredStoreIsANewHistory(t *testing.T) {
	t.Parallel()
	s, to := open(t, t.TempDir(), onDisk), t.TempDir()
	kept, err := s.Update(context.Background(), "e", set("K", "1"))
	if err != nil {
		t.Fatal(err)
	}
	done, err := s.Backup(context.Background(), to, nil)
	if err != nil {
		t.Fatalf("Backup() = %v", err)
	}
	lost, err := s.Update(context.Background(), "e", set("K", "2"))
	if err != nil {
		t.Fatal(err)
	}
	r := restore(t, to, done.Backup)
	if _, err := r.Changes(context.Background(), lost, 1); !isDiverged(err) {
		t.Errorf("Changes(%s) = %v, want ErrDiverged", lost, err)
	}
	next, err := r.Update(context.Background(), "e", set("K", "3"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Changes(context.Background(), lost, 1); !isDiverged(err) {
		t.Errorf("Changes(%s) = %v, want ErrDiverged", lost, err)
	}
	if got, err := r.Changes(context.Background(), kept, 9); err != nil || len(got) != 1 || got[0].Cursor != next {
		t.Errorf("Changes(%s) = %v, %v, want %s", kept, got, err, next)
	}
}

func TestABackupThatRottedIsNotRestored(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]func(file string) error{
		"one byte is another": func(file string) error {
			data, err := os.ReadFile(file)
			data[len(data)/2] ^= 1
			return errors.Join(err, os.WriteFile(file, data, 0o600))
		},
		"a file is short":   func(file string) error { return os.Truncate(file, 5) },
		"a file is missing": os.Remove,
	} {
		t.Run(name, func(t *testing.T) {
			s, to := open(t, t.TempDir(), onDisk), t.TempDir()
			done, _ := backUp(t, s, to, 1)
			largest := slices.MaxFunc(done.Backup.Files, func(a, b pebble.BackupFile) int { return int(a.Size - b.Size) })
			file := filepath.Join(to, "files", string(largest.Hash))
			if err := harm(file); err != nil {
				t.Fatal(err)
			}
			if err := pebble.VerifyBackup(context.Background(), to, done.Backup, nil); !errors.Is(err, storage.ErrCorrupt) || !strings.Contains(err.Error(), file) {
				t.Errorf("VerifyBackup() = %v, want ErrCorrupt and the file", err)
			}
			dir := filepath.Join(t.TempDir(), "restored")
			if err := pebble.Restore(context.Background(), to, done.Backup, dir, onDisk, nil, nil); !errors.Is(err, storage.ErrCorrupt) {
				t.Errorf("Restore() = %v, want ErrCorrupt", err)
			}
			if left, _ := filepath.Glob(dir + "*"); len(left) != 0 {
				t.Errorf("Restore() left %v", left)
			}
		})
	}
}

func TestABackupRefusesWhatIsNotItsOwn(t *testing.T) {
	t.Parallel()
	to, ctx := t.TempDir(), context.Background()
	done, _ := backUp(t, open(t, t.TempDir(), onDisk), to, 1)
	if _, err := open(t, t.TempDir(), onDisk).Backup(ctx, to, nil); err == nil || !strings.Contains(err.Error(), "another store") {
		t.Errorf("Backup() of another store into the same directory = %v, want a refusal", err)
	}
	if _, err := open(t, "", pebble.Options{}).Backup(ctx, to, nil); err == nil {
		t.Error("Backup() of a store in memory succeeded")
	}
	used := t.TempDir()
	if err := os.WriteFile(filepath.Join(used, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := pebble.Restore(ctx, to, done.Backup, used, onDisk, nil, nil); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("Restore() into a directory in use = %v, want a refusal", err)
	}
	if _, err := os.Stat(filepath.Join(used, "file")); err != nil {
		t.Errorf("Restore() touched a directory in use: %v", err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if err := pebble.Restore(cancelled, to, done.Backup, filepath.Join(t.TempDir(), "new"), onDisk, nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Restore() = %v, want %v", err, context.Canceled)
	}
}

// What works on a restored store before it takes its place is in it, and there is no store if that fails.
func TestARestoreIsFinishedBeforeItIsThere(t *testing.T) {
	t.Parallel()
	to, ctx := t.TempDir(), context.Background()
	done, _ := backUp(t, open(t, t.TempDir(), onDisk), to, 1)
	dir, refused := filepath.Join(t.TempDir(), "new"), errors.New("not finished")
	finish := func(s storage.Store) error {
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the store is in its place already: %v", err)
		}
		return refused
	}
	if err := pebble.Restore(ctx, to, done.Backup, dir, onDisk, nil, finish); !errors.Is(err, refused) {
		t.Errorf("Restore() = %v, want %v", err, refused)
	}
	if entries, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(entries) > 0 {
		t.Errorf("a restore that was not finished leaves %v, %v", entries, err)
	}
	refused = nil
	if err := pebble.Restore(ctx, to, done.Backup, dir, onDisk, nil, finish); err != nil {
		t.Errorf("Restore() = %v", err)
	}
	open(t, dir, onDisk)
}

func TestABackupIsItsOwnersAlone(t *testing.T) {
	t.Parallel()
	to := filepath.Join(t.TempDir(), "backups")
	backUp(t, open(t, t.TempDir(), onDisk), to, 1)
	err := filepath.Walk(to, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("mode of %s = %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestBackup_AfterRestore: a restored store, and one restored from its backups, goes on in the directory that it came from. Pruning
// leaves the backups of the others.
func TestBackup_AfterRestore(t *testing.T) {
	t.Parallel()
	ctx, s, to := context.Background(), open(t, t.TempDir(), onDisk), t.TempDir()
	first, acks := backUp(t, s, to, 1)
	backUp(t, s, to, 3)
	last, names := first, []string{}
	for range 2 {
		r := restore(t, to, last.Backup)
		for range 3 {
			var err error
			if last, err = r.Backup(ctx, to, nil); err != nil {
				t.Fatalf("Backup() of a restored store = %v", err)
			}
		}
		if p, err := pebble.Prune(ctx, to, r.ID(), 1, nil); err != nil || len(p.Backups) != 2 {
			t.Errorf("Prune(1) of three = %+v, %v, want the two of this store gone", p, err)
		}
		names = append(names, last.Backup.Name)
	}
	if _, err := s.Backup(ctx, to, nil); err != nil {
		t.Errorf("Backup() of the original, which runs still = %v", err)
	}
	all, err := pebble.Backups(to)
	if err != nil || len(all) != 5 || all[2].Name != names[0] || all[3].Name != names[1] {
		t.Fatalf("Backups() = %+v, %v, want three of the original and one of each other", all, err)
	}
	for _, b := range all {
		if err := pebble.VerifyBackup(ctx, to, b, nil); err != nil {
			t.Errorf("VerifyBackup(%s) = %v", b.Name, err)
		}
		storagetest.Verify(t, restore(t, to, b), acks.copy())
	}
	if _, err := open(t, t.TempDir(), onDisk).Backup(ctx, to, nil); err == nil || !strings.Contains(err.Error(), "another store") {
		t.Errorf("Backup() of an unrelated store = %v, want a refusal", err)
	}
}
