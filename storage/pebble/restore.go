package pebble

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// VerifyBackup reads every file of a backup and compares it with its hash: storage.ErrCorrupt names
// the first that is not what it was.
func VerifyBackup(ctx context.Context, dir string, b Backup, progress storage.Progress) error {
	return eachFile(ctx, dir, b, progress, "verify files", func(BackupFile) (io.WriteCloser, error) { return discard{}, nil })
}

// discard is where a file goes that is only verified.
type discard struct{}

// Write drops p.
func (discard) Write(p []byte) (int, error) { return len(p), nil }

// Close does nothing.
func (discard) Close() error { return nil }

// eachFile copies every file of a backup to where place says, and compares what it read.
func eachFile(ctx context.Context, dir string, b Backup, progress storage.Progress, doing string, place func(BackupFile) (io.WriteCloser, error)) error {
	for i, f := range b.Files {
		progress.Tell(doing, i, len(b.Files))
		if err := ctx.Err(); err != nil {
			return err
		}
		if f.Name != filepath.Base(f.Name) || f.Name == ".." || !f.Hash.Valid() {
			return fmt.Errorf("pebble: backup %s: %w: file %q", b.Name, storage.ErrCorrupt, f.Name)
		}
		to, err := place(f)
		if err != nil {
			return fmt.Errorf("pebble: backup %s: %w", b.Name, err)
		}
		if err := copyVerified(to, filepath.Join(dir, filesName, string(f.Hash)), f); err != nil {
			return fmt.Errorf("pebble: backup %s: %w", b.Name, err)
		}
	}
	progress.Tell(doing, len(b.Files), len(b.Files))
	return nil
}

func copyVerified(to io.WriteCloser, path string, f BackupFile) error {
	in, err := os.Open(path)
	if err != nil {
		return errors.Join(fmt.Errorf("%w: file %s of %s is missing: %w", storage.ErrCorrupt, path, f.Name, err), to.Close())
	}
	defer func() { _ = in.Close() }()
	sum := sha256.New()
	if _, err := io.Copy(io.MultiWriter(to, sum), in); err != nil {
		return errors.Join(err, to.Close())
	}
	if err := to.Close(); err != nil {
		return err
	}
	if got := record.Hash(hex.EncodeToString(sum.Sum(nil))); got != f.Hash {
		return fmt.Errorf("%w: file %s of %s has other content: its hash is %s", storage.ErrCorrupt, path, f.Name, got)
	}
	return nil
}

// syncedFile is a file whose Close returns when it is on disk.
type syncedFile struct{ *os.File }

// Close syncs and closes.
func (f syncedFile) Close() error { return errors.Join(f.Sync(), f.File.Close()) }

// Restore makes the data directory dir from a backup; dir must not exist, or be empty. Every file is
// compared with its hash. The restored store has an ID of its own and ends where the backup ended:
// a follower that read more of the original gets ErrDiverged and asks for everything again. finish, if it
// is not nil, works on that store before it is at dir. If Restore or finish fails, dir has no store.
func Restore(ctx context.Context, from string, b Backup, dir string, opts Options, progress storage.Progress, finish func(storage.Store) error) error {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return fmt.Errorf("pebble: restore to %s: the directory is not empty: name a new one", dir)
	}
	work := strings.TrimRight(dir, string(filepath.Separator)) + ".restoring"
	if err := os.RemoveAll(work); err != nil { // of a process that ended
		return fmt.Errorf("pebble: restore to %s: %w", dir, err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	if err := os.MkdirAll(work, 0o700); err != nil {
		return fmt.Errorf("pebble: restore to %s: %w", dir, err)
	}
	err := eachFile(ctx, from, b, progress, "restore files", func(f BackupFile) (io.WriteCloser, error) {
		file, err := os.OpenFile(filepath.Join(work, f.Name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		return syncedFile{file}, err
	})
	if err != nil {
		return err
	}
	if err := renew(work, opts); err != nil {
		return fmt.Errorf("pebble: restore to %s: %w", dir, err)
	}
	if err := finishRestore(work, opts, finish); err != nil {
		return fmt.Errorf("pebble: restore to %s: %w", dir, err)
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("pebble: restore to %s: %w", dir, err)
	}
	if err := os.Rename(work, dir); err != nil {
		return fmt.Errorf("pebble: restore to %s: %w", dir, err)
	}
	return syncPath(filepath.Dir(filepath.Clean(dir)))
}

// finishRestore lets finish work on what was restored before it takes its place.
func finishRestore(dir string, opts Options, finish func(storage.Store) error) error {
	if finish == nil {
		return nil
	}
	s, err := Open(dir, opts)
	if err != nil {
		return err
	}
	return errors.Join(finish(s), s.Close(), syncPath(dir))
}

// renew opens what was restored and gives it an ID of its own. Its lineage stays.
func renew(dir string, opts Options) error {
	s, err := Open(dir, opts)
	if err != nil {
		return err
	}
	id := make([]byte, 16)
	if _, err := rand.Read(id); err != nil {
		return errors.Join(err, s.Close())
	}
	lineage, err := s.lineage()
	if err == nil {
		err = s.writeMarks(id, lineage)
	}
	return errors.Join(err, s.Close(), syncPath(dir))
}
