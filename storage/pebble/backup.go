package pebble

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// A backup directory holds any number of backups of one store and of stores restored from them, and each file once:
//
//	backups/TIME.json    a Backup: which files it is made of
//	files/SHA256         a file of the engine by the hash of its content
//
//	files/new            a file under way
//	lock                 held by the process that changes the directory
//
// Backups of one store into one directory share the files that did not change between them. A file
// gets its name when it is whole and synced, and a backup when all its files are.
const (
	backupsName    = "backups"
	filesName      = "files"
	unfinishedName = "new"
	workName       = "livery-checkpoint" // in the data directory, so that files can be linked
)

// Backup describes one backup.
type Backup struct {
	Name    string       `json:"name"`    // when it began, in UTC; names sort by time
	Store   string       `json:"storeID"` // of the original
	Lineage string       `json:"lineage"` // ID of the first store that the original goes back to by restores
	Cursor  string       `json:"cursor"`  // of the newest change in it
	Files   []BackupFile `json:"files"`
}

// BackupFile is one file of a backup.
type BackupFile struct {
	Name     string      `json:"name"` // within the data directory
	Hash     record.Hash `json:"hash"`
	Size     int64       `json:"size"`
	Modified time.Time   `json:"modified"` // in the data directory; a file that is the same by name, size and this is not read again
}

// BackupResult is what a Backup took.
type BackupResult struct {
	Backup       Backup
	Files, Bytes int64 // of the whole
	New, NewSize int64 // of the files that the directory did not have
}

// Backup adds a backup of the store as it is now to the directory to, which it makes if there is
// none. Every commit acknowledged before the call is in it, and commits go on meanwhile. What the
// directory has already is not copied again. The backup holds secrets as the store does; its
// directories are readable by the owner only. Only a store on a real disk can be backed up.
//
// Older backups stay as they are; Prune removes them. The directory may hold backups of stores that this one goes back to by
// restores, or that were restored from its backups, and of no other. A directory takes one Backup or Prune at a
// time: storage.ErrLocked.
func (s *Store) Backup(ctx context.Context, to string, progress storage.Progress) (done BackupResult, err error) {
	if s.opts.FS != nil {
		return BackupResult{}, errors.New("pebble: back up: the store is not on a disk")
	}
	if err := s.history.enter(); err != nil {
		return BackupResult{}, err
	}
	defer s.history.leave()
	s.backupMu.Lock()
	defer s.backupMu.Unlock()
	b := &backupRun{ctx: ctx, to: to, progress: progress}
	if err := b.makeDirs(); err != nil {
		return BackupResult{}, fmt.Errorf("pebble: back up to %s: %w", to, err)
	}
	unlock, err := lockBackups(to)
	if err != nil {
		return BackupResult{}, fmt.Errorf("pebble: back up to %s: %w", to, err)
	}
	defer unlock(&err)
	b.done.Backup.Store = s.id
	if b.done.Backup.Lineage, err = s.lineage(); err != nil {
		return BackupResult{}, failure("back up to "+to, err)
	}
	if err := b.prepare(); err != nil {
		return BackupResult{}, fmt.Errorf("pebble: back up to %s: %w", to, err)
	}
	from := filepath.Join(s.dir, workName)
	if err := s.checkpoint(from, &b.done.Backup); err != nil {
		return BackupResult{}, failure("back up to "+to, err)
	}
	defer func() { _ = os.RemoveAll(from) }()
	if err := b.copyAll(from); err != nil {
		return BackupResult{}, fmt.Errorf("pebble: back up to %s: %w", to, err)
	}
	return b.done, nil
}

// checkpoint links the files of the store as it is now into a new directory.
func (s *Store) checkpoint(dir string, b *Backup) error {
	if err := os.RemoveAll(dir); err != nil { // of a process that ended
		return err
	}
	b.Cursor = s.history.last().String() // at least
	b.Name = time.Now().UTC().Format("20060102T150405.000Z")
	return s.db.Checkpoint(dir, pebble.WithFlushedWAL())
}

// backupRun is one Backup under way.
type backupRun struct {
	ctx      context.Context
	to       string
	progress storage.Progress
	known    map[BackupFile]record.Hash // files of earlier backups, by all but their hash
	done     BackupResult
}

func (b *backupRun) makeDirs() error {
	for _, sub := range []string{backupsName, filesName} {
		if err := os.MkdirAll(filepath.Join(b.to, sub), 0o700); err != nil {
			return err
		}
	}
	return nil
}

// prepare reads what the directory holds. It refuses a directory with backups of an unrelated store.
func (b *backupRun) prepare() error {
	earlier, err := Backups(b.to)
	if err != nil {
		return err
	}
	b.known = map[BackupFile]record.Hash{}
	for _, old := range earlier {
		if old.Lineage != b.done.Backup.Lineage {
			return fmt.Errorf("the directory holds backups of another store (%s, this one is %s): name another directory", old.Store, b.done.Backup.Store)
		}
		if old.Store != b.done.Backup.Store {
			continue // a file of the same name, size and time may be another
		}
		for _, f := range old.Files {
			b.known[BackupFile{Name: f.Name, Size: f.Size, Modified: f.Modified}] = f.Hash
		}
	}
	return nil
}

func (b *backupRun) copyAll(from string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for i, e := range entries {
		b.progress.Tell("copy files", i, len(entries))
		if err := b.ctx.Err(); err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		if err := b.take(filepath.Join(from, e.Name()), BackupFile{Name: e.Name(), Size: info.Size(), Modified: info.ModTime().UTC()}); err != nil {
			return err
		}
	}
	b.progress.Tell("copy files", len(entries), len(entries))
	return b.seal()
}

// take adds one file, by reading it only if no earlier backup had it.
func (b *backupRun) take(path string, f BackupFile) (err error) {
	hash, known := b.known[f]
	if known {
		info, err := os.Stat(b.file(hash))
		known = err == nil && info.Size() == f.Size
	}
	if !known {
		if hash, err = b.copyFile(path); err != nil {
			return err
		}
	}
	f.Hash = hash
	b.done.Backup.Files = append(b.done.Backup.Files, f)
	b.done.Files++
	b.done.Bytes += f.Size
	return nil
}

func (b *backupRun) file(hash record.Hash) string {
	return filepath.Join(b.to, filesName, string(hash))
}

// copyFile copies a file under its hash and returns the hash.
func (b *backupRun) copyFile(path string) (record.Hash, error) {
	in, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = in.Close() }()
	sum := sha256.New()
	size, err := writeSynced(b.file(unfinishedName), io.TeeReader(in, sum))
	if err != nil {
		return "", err
	}
	hash := record.Hash(hex.EncodeToString(sum.Sum(nil)))
	if info, err := os.Stat(b.file(hash)); err != nil || info.Size() != size {
		b.done.New++
		b.done.NewSize += size
	}
	return hash, os.Rename(b.file(unfinishedName), b.file(hash))
}

// seal writes the description last: without it the backup does not count.
func (b *backupRun) seal() error {
	text, err := json.MarshalIndent(b.done.Backup, "", "\t")
	if err != nil {
		return err
	}
	path := filepath.Join(b.to, backupsName, b.done.Backup.Name+".json")
	if _, err := writeSynced(path+".new", strings.NewReader(string(text)+"\n")); err != nil {
		return err
	}
	if err := syncPath(filepath.Join(b.to, filesName)); err != nil {
		return err
	}
	if err := os.Rename(path+".new", path); err != nil {
		return err
	}
	return errors.Join(syncPath(filepath.Join(b.to, backupsName)), syncPath(b.to))
}

func writeSynced(path string, from io.Reader) (int64, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(f, from)
	return n, errors.Join(err, f.Sync(), f.Close())
}

func syncPath(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Backups returns the backups in a directory, oldest first.
func Backups(dir string) ([]Backup, error) {
	entries, err := os.ReadDir(filepath.Join(dir, backupsName))
	if err != nil {
		return nil, fmt.Errorf("pebble: list backups: %w", err)
	}
	var all []Backup
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".json") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, backupsName, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("pebble: list backups: %w", err)
		}
		var b Backup
		if err := json.Unmarshal(text, &b); err != nil {
			return nil, fmt.Errorf("pebble: backup %s: %w: %w", e.Name(), storage.ErrCorrupt, err)
		}
		all = append(all, b)
	}
	slices.SortFunc(all, func(a, b Backup) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}
