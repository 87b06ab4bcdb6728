package pebble_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"example.com/livery/internal/test/race"
	"example.com/livery/storage/pebble"
)

// mounted returns the directory of a file system of so many bytes, and skips if none may be mounted.
func mounted(t *testing.T, bytes int64) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("livery", dir, "tmpfs", 0, fmt.Sprint("size=", bytes)); err != nil {
		t.Skipf("SKIPPED: no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	return dir
}

// foreignFiles are files in a directory.
type foreignFiles struct {
	dir  string
	left int64 // bytes of the file base, which only gets smaller
	n    int   // further files
}

func (o *foreignFiles) take(name string, bytes int64) error {
	f, err := os.Create(filepath.Join(o.dir, name))
	if err != nil {
		return err
	}
	return errors.Join(syscall.Fallocate(int(f.Fd()), 0, 0, max(1, bytes)), f.Close())
}

// fill takes all that is free but for left bytes, as near as a file system that is being written allows.
func (o *foreignFiles) fill(left int64) error {
	var usage syscall.Statfs_t
	if err := syscall.Statfs(o.dir, &usage); err != nil {
		return err
	}
	more := int64(usage.Bavail)*usage.Bsize - left
	if more <= 0 {
		return nil
	}
	o.n++
	return o.take(fmt.Sprint("others", o.n), more)
}

// release removes the files, and takes more bytes off the base.
func (o *foreignFiles) release(more int64) error {
	files, err := filepath.Glob(filepath.Join(o.dir, "others*"))
	for _, f := range files {
		err = errors.Join(err, os.Remove(f))
	}
	o.left -= more
	return errors.Join(err, os.Truncate(filepath.Join(o.dir, "base"), max(0, o.left)))
}

// The same on a file system of the kernel's.
func TestAFullFileSystemHangsNobodyAndLosesNothing(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	for seed := range diskSeeds(1) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			dir := mounted(t, 96*mega)
			o := &foreignFiles{dir: dir, left: 56 * mega}
			if err := o.take("base", o.left); err != nil {
				t.Fatal(err)
			}
			fillAndFree(t, smallVolume{
				fill: func(left int64) {
					for o.fill(left) != nil { // the store took some meanwhile
					}
				},
				release: func(more int64) {
					if err := o.release(more); err != nil {
						t.Error(err)
					}
				},
				open: func(t *testing.T) *pebble.Store { return open(t, filepath.Join(dir, "data"), tightOptions()) },
			}, seed)
		})
	}
}
