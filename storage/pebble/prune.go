package pebble

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// backupLockName is the file by which one process at a time changes a backup directory.
const backupLockName = "lock"

// PruneResult is what Prune removed.
type PruneResult struct {
	Backups []string `json:"backups"` // their names, oldest first
	Files   int64    `json:"files"`   // that no backup needs any more
	Bytes   int64    `json:"bytes"`   // of those files
}

// Prune removes all but the newest keep backups of the store with this ID, and then each file that none of the
// remaining backups is made of, those that an interrupted Backup left included. What it keeps is whole at every
// moment: a process that ends in the midst leaves files too many, which the next Prune removes. It
// refuses if a description cannot be read, because the files that one needs are not known, and
// if a Backup into the directory is under way.
func Prune(ctx context.Context, dir, store string, keep int, progress storage.Progress) (PruneResult, error) {
	p, err := prune(ctx, dir, store, keep, progress)
	if err != nil {
		return p, fmt.Errorf("pebble: prune the backups in %s: %w", dir, err)
	}
	return p, nil
}

func prune(ctx context.Context, dir, store string, keep int, progress storage.Progress) (p PruneResult, err error) {
	if keep < 1 {
		return p, fmt.Errorf("%d backups cannot be kept: keep one at least", keep)
	}
	unlock, err := lockBackups(dir)
	if err != nil {
		return p, err
	}
	defer unlock(&err)
	all, err := Backups(dir)
	if err != nil {
		return p, err
	}
	var own, kept []Backup
	for _, b := range all {
		if b.Store == store {
			own = append(own, b)
		} else {
			kept = append(kept, b)
		}
	}
	old, rest := own[:max(0, len(own)-keep)], own[max(0, len(own)-keep):]
	kept = append(kept, rest...)
	for i, b := range old {
		progress.Tell("remove backups", i, len(old))
		if err := errors.Join(ctx.Err(), os.Remove(filepath.Join(dir, backupsName, b.Name+".json"))); err != nil {
			return p, err
		}
		p.Backups = append(p.Backups, b.Name)
	}
	// On disk before a file goes: no description may name a file that is not there.
	if err := syncPath(filepath.Join(dir, backupsName)); err != nil {
		return p, err
	}
	return p, p.sweep(ctx, dir, kept, progress)
}

// sweep removes the files that none of the remaining backups is made of.
func (p *PruneResult) sweep(ctx context.Context, dir string, kept []Backup, progress storage.Progress) error {
	needed := map[string]bool{}
	for _, b := range kept {
		for _, f := range b.Files {
			needed[string(f.Hash)] = true
		}
	}
	entries, err := os.ReadDir(filepath.Join(dir, filesName))
	if err != nil {
		return err
	}
	for i, e := range entries {
		progress.Tell("remove files", i, len(entries))
		if err := ctx.Err(); err != nil {
			return err
		}
		if needed[e.Name()] || !ours(e.Name()) {
			continue
		}
		info, err := e.Info()
		if err == nil {
			err = os.Remove(filepath.Join(dir, filesName, e.Name()))
		}
		if err != nil {
			return err
		}
		p.Files++
		p.Bytes += info.Size()
	}
	return syncPath(filepath.Join(dir, filesName))
}

// ours reports whether a file of a backup directory has a name that Backup gives.
func ours(name string) bool { return name == unfinishedName || record.Hash(name).Valid() }

// lockBackups takes a backup directory for this process; unlock gives it back and adds its error.
func lockBackups(dir string) (unlock func(*error), err error) {
	path, err := filepath.Abs(filepath.Join(dir, backupLockName))
	if err != nil {
		return nil, err
	}
	made, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600) // the lock would make it readable by others
	if err != nil {
		return nil, err
	}
	if err := made.Close(); err != nil {
		return nil, err
	}
	lock, err := vfs.Default.Lock(path)
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES) || err != nil && strings.Contains(err.Error(), "lock held by current process") {
		return nil, fmt.Errorf("%w: another backup or pruning is under way: try again when it has ended", storage.ErrLocked)
	}
	if err != nil {
		return nil, err
	}
	return func(err *error) { *err = errors.Join(*err, lock.Close()) }, nil
}
