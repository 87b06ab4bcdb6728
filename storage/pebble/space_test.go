package pebble_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	engine "github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"example.com/livery/internal/test/race"
	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
)

// smallDisk is a file system that is full when its files, and others' that are not ours, take size
// bytes: its writes fail with ENOSPC as a real one's do.
type smallDisk struct {
	vfs.FS
	size   int64
	others atomic.Int64                // bytes of foreign files
	most   atomic.Int64                // that is free, whatever the engine removes; 0: no bound
	looks  atomic.Int64                // calls of GetDiskUsage
	before func(vfs.DiskWriteCategory) // called before a file is made; nil means nothing

	mu    sync.Mutex // guards below
	files map[string]int64
	least map[vfs.DiskWriteCategory]int64 // that was left after a write, by what the file was for
}

func newSmallDisk(size int64) *smallDisk {
	return &smallDisk{FS: vfs.NewMem(), size: size, files: map[string]int64{}, least: map[vfs.DiskWriteCategory]int64{}}
}

func (d *smallDisk) free() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	free := d.size - d.others.Load()
	for _, n := range d.files {
		free -= n
	}
	if most := d.most.Load(); most > 0 {
		free = min(free, most)
	}
	return max(0, free)
}

// leastAfter returns the least that was left after a write of a kind of file, and whether there was one.
func (d *smallDisk) leastAfter(c vfs.DiskWriteCategory) (int64, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n, ok := d.least[c]
	return n, ok
}

// fill lets others take all that is free but for left bytes.
func (d *smallDisk) fill(left int64) { d.others.Add(d.free() - left) }

// GetDiskUsage says how full the disk is.
func (d *smallDisk) GetDiskUsage(string) (vfs.DiskUsage, error) {
	d.looks.Add(1)
	return vfs.DiskUsage{AvailBytes: uint64(d.free()), TotalBytes: uint64(d.size)}, nil
}

func (d *smallDisk) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if d.before != nil {
		d.before(c)
	}
	f, err := d.FS.Create(name, c)
	d.forget(name)
	return d.file(name, c, f), err
}

func (d *smallDisk) OpenReadWrite(name string, c vfs.DiskWriteCategory, o ...vfs.OpenOption) (vfs.File, error) {
	f, err := d.FS.OpenReadWrite(name, c, o...)
	return d.file(name, c, f), err
}

func (d *smallDisk) ReuseForWrite(old, name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := d.FS.ReuseForWrite(old, name, c)
	d.rename(old, name)
	return d.file(name, c, f), err
}

func (d *smallDisk) Rename(old, name string) error {
	d.rename(old, name)
	return d.FS.Rename(old, name)
}

func (d *smallDisk) Remove(name string) error {
	d.forget(name)
	return d.FS.Remove(name)
}

func (d *smallDisk) rename(old, name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.files[name] = d.files[old]
	delete(d.files, old)
}

func (d *smallDisk) forget(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.files, name)
}

func (d *smallDisk) file(name string, c vfs.DiskWriteCategory, f vfs.File) vfs.File {
	if f == nil {
		return nil
	}
	return &smallFile{File: f, disk: d, name: name, category: c}
}

// smallFile is a file on a smallDisk. at is where Write goes on.
type smallFile struct {
	vfs.File
	disk     *smallDisk
	name     string
	category vfs.DiskWriteCategory
	at       int64
}

func (f *smallFile) Write(p []byte) (int, error) {
	if err := f.grow(f.at + int64(len(p))); err != nil {
		return 0, err
	}
	n, err := f.File.Write(p)
	f.at += int64(n)
	return n, err
}

func (f *smallFile) WriteAt(p []byte, at int64) (int, error) {
	if err := f.grow(at + int64(len(p))); err != nil {
		return 0, err
	}
	return f.File.WriteAt(p, at)
}

// grow takes the bytes up to end from the disk.
func (f *smallFile) grow(end int64) error {
	more := end - f.taken()
	if more <= 0 {
		return nil
	}
	if more > f.disk.free() {
		return &os.PathError{Op: "write", Path: f.name, Err: syscall.ENOSPC}
	}
	left := f.disk.free() - more
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	f.disk.files[f.name] = end
	if was, ok := f.disk.least[f.category]; !ok || left < was {
		f.disk.least[f.category] = left
	}
	return nil
}

func (f *smallFile) taken() int64 {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	return f.disk.files[f.name]
}

const (
	mega    = 1 << 20
	floor   = 8 * mega
	ballast = 4 * mega
)

// openSmall opens a store that writes and merges tables often.
func openSmall(t *testing.T, disk *smallDisk) *pebble.Store {
	t.Helper()
	return open(t, "data", pebble.Options{FS: disk, MinFreeBytes: floor, BallastBytes: ballast}.Tuned(func(o *engine.Options) {
		o.MemTableSize = mega
	}))
}

// noise is a blob that does not compress.
func noise(n int, seed uint64) []byte {
	blob := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)}).Read(blob)
	return blob
}

// fillUp puts blobs until the store refuses, and returns how many it took.
func fillUp(t *testing.T, s *pebble.Store, from uint64) uint64 {
	t.Helper()
	for i := from; i < from+10_000; i++ {
		if _, err := s.PutBlob(context.Background(), noise(mega/8, i)); err != nil {
			if !errors.Is(err, storage.ErrNoSpace) {
				t.Fatalf("PutBlob() on a full disk = %v, want ErrNoSpace", err)
			}
			return i
		}
	}
	t.Fatal("the disk is never full")
	return 0
}

// A disk that fills up is noticed before anything blocks or fails: writes are refused by name,
// reads go on, and freed space is enough for writing to resume.
func TestADiskThatFillsUpRefusesWritesAndNothingElse(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	disk := newSmallDisk(64 * mega)
	s := openSmall(t, disk)
	if _, err := s.Update(context.Background(), "e", set("K", "1")); err != nil {
		t.Fatalf("Update() = %v", err)
	}
	n := fillUp(t, s, 0)
	disk.most.Store(floor - 1) // what was refused last was larger than what comes now, and the engine removes files meanwhile
	if _, err := s.Update(context.Background(), "e", set("K", "2")); !errors.Is(err, storage.ErrNoSpace) || !strings.Contains(err.Error(), "free some space") {
		t.Errorf("Update() on a full disk = %v, want ErrNoSpace and what to do", err)
	}
	reads(t, s, "1")
	disk.most.Store(0)
	disk.others.Store(-32 * mega) // more than there ever was
	if at, err := s.Update(context.Background(), "e", set("K", "2")); err != nil || at.Seq != 2 {
		t.Errorf("Update() with space again = %s, %v", at, err)
	}
	if more := fillUp(t, s, n); more < n+20 {
		t.Errorf("only %d blobs fit into the freed space", more-n)
	}
}

func reads(t *testing.T, s *pebble.Store, want string) {
	t.Helper()
	err := s.View(context.Background(), func(r storage.Reader) error {
		got, err := r.Get([]byte("K"))
		if string(got) != want {
			t.Errorf("Get() = %q, want %q", got, want)
		}
		return err
	})
	if err != nil {
		t.Errorf("View() = %v", err)
	}
	if got, err := s.Changes(context.Background(), storage.Cursor{}, 1); err != nil || len(got) != 1 {
		t.Errorf("Changes() = %v, %v", got, err)
	}
}

// Another program may fill the disk after a write was accepted. The ballast is given up for what the
// engine still has to write; it is made again before writing resumes.
func TestTheBallastSavesWhatWasAccepted(t *testing.T) {
	t.Parallel()
	disk := newSmallDisk(64 * mega)
	s := openSmall(t, disk)
	file := disk.PathJoin("data", "livery-ballast")
	if info, err := disk.Stat(file); err != nil || info.Size() != ballast {
		t.Fatalf("the ballast: %v, %v", info, err)
	}
	blob := noise(mega/2, 1)
	name, err := s.PutBlob(context.Background(), blob)
	if err != nil {
		t.Fatalf("PutBlob() = %v", err)
	}
	if _, err := s.Update(context.Background(), "e", set("K", "1")); err != nil {
		t.Fatalf("Update() = %v", err)
	}
	disk.fill(0)
	flushed := make(chan error, 1)
	go func() { flushed <- s.Flush() }()
	if err := result(t, flushed); err != nil {
		t.Errorf("Flush() on a full disk = %v", err)
	}
	if _, err := disk.Stat(file); err == nil {
		t.Error("the ballast is there after a flush on a full disk")
	}
	for _, left := range []int64{0, floor, floor + ballast - mega} {
		disk.fill(left)
		if _, err := s.Update(context.Background(), "e", set("K", "2")); !errors.Is(err, storage.ErrNoSpace) {
			t.Errorf("Update() with %d bytes free and no ballast = %v, want ErrNoSpace", left, err)
		}
	}
	reads(t, s, "1")
	if got, err := s.Blob(context.Background(), name); err != nil || !bytes.Equal(got, blob) {
		t.Errorf("Blob() = %d bytes, %v", len(got), err)
	}
	disk.others.Store(0)
	if _, err := s.Update(context.Background(), "e", set("K", "2")); err != nil {
		t.Errorf("Update() with space again = %v", err)
	}
	if info, err := disk.Stat(file); err != nil || info.Size() != ballast {
		t.Errorf("the ballast after space was freed: %v, %v", info, err)
	}
}

// A store opens on a full disk, to be read.
func TestAStoreOpensOnAFullDisk(t *testing.T) {
	t.Parallel()
	disk := newSmallDisk(64 * mega)
	s := openSmall(t, disk)
	if _, err := s.Update(context.Background(), "e", set("K", "1")); err != nil {
		t.Fatalf("Update() = %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatalf("Close() = %v", err)
	}
	disk.fill(0)
	s = openSmall(t, disk)
	reads(t, s, "1")
	if _, err := s.Update(context.Background(), "e", set("K", "2")); !errors.Is(err, storage.ErrNoSpace) {
		t.Errorf("Update() = %v, want ErrNoSpace", err)
	}
	disk.others.Store(0)
	if _, err := s.Update(context.Background(), "e", set("K", "2")); err != nil {
		t.Errorf("Update() with space again = %v", err)
	}
}

// The watch leaves a full disk alone: nothing hangs, and reading must go on.
func TestAFullDiskIsNoHang(t *testing.T) {
	t.Parallel()
	disk := newSmallDisk(64 * mega)
	s := open(t, "data", pebble.Options{FS: disk, MinFreeBytes: floor, BallastBytes: ballast, HangAfter: patience}.Watched(time.Millisecond))
	if _, err := s.Update(context.Background(), "e", set("K", "1")); err != nil {
		t.Fatalf("Update() = %v", err)
	}
	disk.fill(floor / 2)
	before := disk.looks.Load()
	await(t, "the watchdog to look at the disk", func() bool {
		reads(t, s, "1")
		return disk.looks.Load() >= before+20
	})
}
