package term

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A file is replaced as a whole, keeps its mode and its links, and is not touched if it holds the content
// already.
func TestAFileIsReplacedAsAWhole(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "a b.json"), filepath.Join(dir, "link.json")
	var out bytes.Buffer
	a := &App{Out: &out}
	long := time.Now().Add(-time.Hour)
	for _, c := range []struct{ to, content, says string }{
		{file, "one", file + " is written.\n"},
		{file, "one", file + " is as it was.\n"},
		{file, "two", file + " is written.\n"},
		{link, "three", link + " is written.\n"},
	} {
		out.Reset()
		if err := a.WriteOut(c.to, []byte(c.content)); err != nil || out.String() != c.says {
			t.Errorf("writeOut(%s, %s) = %v and says %q, want %q", c.to, c.content, err, out.String(), c.says)
		}
		text, err := os.ReadFile(file)
		info, statErr := os.Stat(file)
		if err = errors.Join(err, statErr); err != nil || string(text) != c.content {
			t.Fatalf("the file holds %q, %v, want %q", text, err, c.content)
		}
		if touched := !info.ModTime().Equal(long); c.content == "one" && c.says == file+" is as it was.\n" && touched {
			t.Error("a file that holds the content was touched")
		}
		if c.content == "three" && info.Mode().Perm() != 0o640 {
			t.Errorf("the mode became %v", info.Mode())
		}
		err = errors.Join(os.Chmod(file, 0o640), os.Chtimes(file, long, long))
		if _, missing := os.Lstat(link); missing != nil {
			err = errors.Join(err, os.Symlink(file, link))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("the folder holds %v, %v, want the file and the link", entries, err)
	}
}

// What takes bytes and never ends giving them is written and not read.
func TestADeviceIsNotRead(t *testing.T) {
	const full = "/dev/full"
	if _, err := os.Stat(full); err != nil {
		t.Skip("there is no " + full)
	}
	err := (&App{Out: &bytes.Buffer{}}).WriteOut(full, []byte("x"))
	if f, ok := errors.AsType[*Failure](err); !ok || f.Sentence != full+" cannot be written: no space left on device" {
		t.Errorf("writeOut(%s) = %v", full, err)
	}
}
