package pebble_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	engine "github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"example.com/livery/internal/test/storagetest"
	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
)

var quiet = slog.New(slog.DiscardHandler)

func TestAStoreOutlivesClose(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "data")
	s := open(t, dir, pebble.Options{MinFreeBytes: -1})
	acks := newAcknowledgements()
	for n := range 10 {
		step := storagetest.Step{Writer: 1, Number: n}
		at, err := step.Do(context.Background(), s)
		if err != nil {
			t.Fatalf("step %s: %v", step, err)
		}
		acks.add(step, at)
	}
	id := s.ID()
	if err := s.Close(); err != nil {
		t.Fatalf("Close() = %v", err)
	}
	again := open(t, dir, pebble.Options{MinFreeBytes: -1})
	storagetest.Verify(t, again, acks.copy())
	if len(id) != 32 || again.ID() != id {
		t.Errorf("ID() = %q, then %q", id, again.ID())
	}
	if other := open(t, "", pebble.Options{}); other.ID() == id {
		t.Errorf("two stores have the ID %q", id)
	}
}

func TestTheDirectoryIsItsOwnersAlone(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	open(t, dir, pebble.Options{MinFreeBytes: -1})
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode of the directory = %v, %v, want 0700", info.Mode().Perm(), err)
	}
}

func TestADirectoryInUseIsLocked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	s := open(t, dir, pebble.Options{MinFreeBytes: -1})
	for name, spelled := range map[string]string{"same": dir, "slash": dir + "/", "link": link, "dots": dir + "/../" + filepath.Base(dir)} {
		other, err := pebble.Open(spelled, pebble.Options{Logger: quiet})
		if !errors.Is(err, storage.ErrLocked) {
			t.Errorf("%s: Open(%q) = %v, %v, want ErrLocked", name, spelled, other, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatalf("Close() = %v", err)
	}
	open(t, link, pebble.Options{MinFreeBytes: -1})
}

func TestAMemoryDirectoryInUseIsLocked(t *testing.T) {
	t.Parallel()
	fs := vfs.NewMem()
	open(t, "data", pebble.Options{FS: fs})
	if _, err := pebble.Open("data", pebble.Options{FS: fs, Logger: quiet}); !errors.Is(err, storage.ErrLocked) {
		t.Errorf("Open() = %v, want ErrLocked", err)
	}
	open(t, "data2", pebble.Options{FS: fs})
}

// holdVariable makes the test binary a child process that holds the directory it names.
const holdVariable = "LIVERY_TEST_HOLD"

func runHolder(dir string) int {
	_, err := pebble.Open(dir, pebble.Options{Logger: quiet, MinFreeBytes: -1})
	fmt.Println("open", err)
	_, _ = io.Copy(io.Discard, os.Stdin) // until the parent lets go
	return 0
}

func TestADirectoryOfAnotherProcessIsLocked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), holdVariable+"="+dir)
	in, inErr := cmd.StdinPipe()
	out, outErr := cmd.StdoutPipe()
	if err := errors.Join(inErr, outErr, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "open <nil>\n" {
		t.Errorf("the child said %q, %v", line, err)
	}
	_, err := pebble.Open(dir, pebble.Options{Logger: quiet})
	if !errors.Is(err, storage.ErrLocked) || !strings.Contains(err.Error(), dir) {
		t.Errorf("Open(%q) = %v, want ErrLocked and the directory's name", dir, err)
	}
	if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
		t.Errorf("the child: %v", err)
	}
	open(t, dir, pebble.Options{MinFreeBytes: -1}) // a process that ended holds nothing
}

func TestADirectoryThatCannotBeMadeIsNotLocked(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "below")} {
		s, err := pebble.Open(dir, pebble.Options{Logger: quiet})
		if err == nil || errors.Is(err, storage.ErrLocked) || !strings.Contains(err.Error(), file) {
			t.Errorf("Open(%q) = %v, %v, want an error that names it", dir, s, err)
		}
	}
}

// raw opens the engine below a store that is closed, as a foreign hand would.
func raw(t *testing.T, fs vfs.FS, change func(*engine.DB) error) {
	t.Helper()
	db, err := engine.Open("data", &engine.Options{FS: fs, FormatMajorVersion: engine.FormatTableFormatV6, Logger: silentLogger{}})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(change(db), db.Flush(), db.Close()); err != nil {
		t.Fatal(err)
	}
}

// silentLogger is an engine's logger.
type silentLogger struct{}

func (silentLogger) Infof(string, ...any)              {}
func (silentLogger) Errorf(string, ...any)             {}
func (silentLogger) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

func TestDataThatIsNotOursIsRefused(t *testing.T) {
	t.Parallel()
	put := func(key, value string) func(*engine.DB) error {
		return func(db *engine.DB) error { return db.Set([]byte(key), []byte(value), engine.Sync) }
	}
	for name, c := range map[string]struct {
		marked bool // the store was opened once before
		change func(*engine.DB) error
		want   error
		says   string
	}{
		"a newer format":          {true, put("\x00f", "\x00\x00\x00\x02"), nil, "is of format 2 and this build reads formats up to 1"},
		"a format of 3 bytes":     {true, put("\x00f", "\x00\x00\x01"), storage.ErrCorrupt, "its format is not a number"},
		"no ID":                   {true, func(db *engine.DB) error { return db.Delete([]byte("\x00i"), engine.Sync) }, storage.ErrCorrupt, "it has no ID"},
		"data and no format":      {false, put("K", "1"), storage.ErrCorrupt, "it holds data and no format"},
		"a log entry cut short":   {true, put("\x00c\x00\x00\x00\x00\x00\x00\x00\x01", "123"), storage.ErrCorrupt, "entry"},
		"a log beginning garbled": {true, put("\x00t", "123"), storage.ErrCorrupt, "a place in the change log of 3 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			fs := vfs.NewMem()
			if c.marked {
				if err := open(t, "data", pebble.Options{FS: fs}).Close(); err != nil {
					t.Fatalf("Close() = %v", err)
				}
			} else if err := fs.MkdirAll("data", 0o700); err != nil {
				t.Fatal(err)
			}
			raw(t, fs, c.change)
			for range 2 { // the first refusal must give the directory back
				_, err := pebble.Open("data", pebble.Options{FS: fs, Logger: quiet})
				if err == nil || !errors.Is(err, c.want) && c.want != nil || !strings.Contains(err.Error(), c.says) {
					t.Errorf("Open() = %v, want %v and %q", err, c.want, c.says)
				}
			}
		})
	}
}
