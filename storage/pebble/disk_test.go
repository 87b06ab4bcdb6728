package pebble_test

import (
	"strings"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// disk is a file system that counts the syncs of write-ahead logs and calls before ahead of each.
type disk struct {
	vfs.FS
	before func() // nil means nothing; may be called concurrently
	below  string // only of logs in this directory; empty means all
	syncs  atomic.Int64
}

func (d *disk) Unwrap() vfs.FS { return d.FS }

func (d *disk) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := d.FS.Create(name, category)
	return d.wrap(name, f), err
}

func (d *disk) ReuseForWrite(old, name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := d.FS.ReuseForWrite(old, name, category)
	return d.wrap(name, f), err
}

func (d *disk) wrap(name string, f vfs.File) vfs.File {
	if f == nil || !strings.HasSuffix(name, ".log") || !strings.HasPrefix(name, d.below) {
		return f
	}
	return &walFile{f, d}
}

// walFile is a write-ahead log on a disk.
type walFile struct {
	vfs.File
	disk *disk
}

func (f *walFile) Sync() error {
	f.disk.sync()
	return f.File.Sync()
}

func (f *walFile) SyncData() error {
	f.disk.sync()
	return f.File.SyncData()
}

func (f *walFile) SyncTo(length int64) (bool, error) {
	f.disk.sync()
	return f.File.SyncTo(length)
}

func (d *disk) sync() {
	d.syncs.Add(1)
	if d.before != nil {
		d.before()
	}
}

// faulty is errorfs made whole: errorfs hands out a recycled file bare, and would inject nothing
// from the first recycled write-ahead log on.
type faulty struct {
	*errorfs.FS
	inject errorfs.Injector
}

func newFaulty(fs vfs.FS, inject errorfs.Injector) *faulty {
	return &faulty{errorfs.Wrap(fs, inject), inject}
}

func (f *faulty) ReuseForWrite(old, name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	file, err := f.FS.ReuseForWrite(old, name, category)
	if err != nil {
		return nil, err
	}
	return errorfs.WrapFile(file, errorfs.InjectorFunc(func(op errorfs.Op) error {
		op.Path = name // WrapFile does not know it
		return f.inject.MaybeError(op)
	})), nil
}
