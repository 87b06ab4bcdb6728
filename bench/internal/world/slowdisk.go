package world

import (
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// SlowDisk returns the disk of the system with every sync of a file longer by more, as networked disks have it; 0 returns
// the disk as it is.
func SlowDisk(more time.Duration) vfs.FS {
	if more == 0 {
		return vfs.Default
	}
	return slowDisk{vfs.Default, more}
}

// slowDisk is the disk with every sync of a file made longer, as networked disks have it.
type slowDisk struct {
	vfs.FS
	more time.Duration
}

// Unwrap returns the disk beneath.
func (d slowDisk) Unwrap() vfs.FS { return d.FS }

// Create returns a slow file.
func (d slowDisk) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := d.FS.Create(name, category)
	return d.slow(f), err
}

// ReuseForWrite returns a slow file: write-ahead logs are recycled.
func (d slowDisk) ReuseForWrite(old, name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := d.FS.ReuseForWrite(old, name, category)
	return d.slow(f), err
}

func (d slowDisk) slow(f vfs.File) vfs.File {
	if f == nil {
		return nil
	}
	return slowFile{f, d.more}
}

type slowFile struct {
	vfs.File
	more time.Duration
}

// Sync syncs slowly.
func (f slowFile) Sync() error {
	time.Sleep(f.more)
	return f.File.Sync()
}

// SyncData syncs slowly.
func (f slowFile) SyncData() error {
	time.Sleep(f.more)
	return f.File.SyncData()
}

// SyncTo syncs slowly.
func (f slowFile) SyncTo(length int64) (bool, error) {
	time.Sleep(f.more)
	return f.File.SyncTo(length)
}
