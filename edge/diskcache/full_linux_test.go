package diskcache

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"example.com/livery/feedproto"
	"example.com/livery/storage/record"
)

// smallDisk mounts a file system of so many bytes.
func smallDisk(t *testing.T, bytes int) string {
	dir := t.TempDir()
	if err := syscall.Mount("livery", dir, "tmpfs", 0, fmt.Sprintf("size=%d", bytes)); err != nil {
		t.Skipf("a file system cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// If the file system is full before the budget is, what is requested least is evicted all the same, and only
// so much as is needed.
func TestFullFileSystemKeepsWhatIsAskedFor(t *testing.T) {
	d := diskAt(t, smallDisk(t, 2<<20), 1<<30)
	const hot = 20
	for i := range hot {
		d.Touch(d.put(t, i), 5, time.Now())
	}
	for i := hot; i < 400; i++ {
		plan := someBlob(i)
		theme := fmt.Sprintf("%s/thm_%026d", testEnv, i)
		// What finds no place is an error at most, and never a loss.
		_ = d.PutTheme(theme, Record[feedproto.Theme]{})
		_ = d.PutBlob(record.HashOf(plan), plan)
		_ = d.PutPair(theme+"/-/latest", Record[feedproto.Pair]{Value: feedproto.Pair{Version: 1, Plan: record.HashOf(plan)}}, nil)
	}
	for i := range hot {
		if !d.whole(i) {
			t.Errorf("%d, which is asked for, is gone", i)
		}
	}
	if !d.whole(399) {
		t.Error("what was written last found no place")
	}
	held := 0
	for i := range 400 {
		if d.whole(i) {
			held++
		}
	}
	if held < 60 {
		t.Errorf("%d pairs are held, of some 100 that there is room for", held)
	}
}
