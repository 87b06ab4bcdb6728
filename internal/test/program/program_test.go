package program

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestProgramMustBeNewerThanItsSources(t *testing.T) {
	root := t.TempDir()
	built := filepath.Join(root, "bin", "livery")
	wantMessage := func(want string) {
		t.Helper()
		err := upToDate(root, built, "build")
		if want == "" && err == nil {
			return
		}
		if want == "" || err == nil || !strings.Contains(err.Error(), want) || !strings.HasSuffix(err.Error(), "run make build") {
			t.Errorf("upToDate = %v, want %q in it", err, want)
		}
	}
	write := func(name string, age time.Duration) {
		t.Helper()
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Time{}, time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	write("cli/cli.go", 2*time.Hour)
	wantMessage("is missing")
	write("bin/livery", time.Hour)
	wantMessage("")
	write("cli/cli_test.go", 0)
	write("tests/stories/testdata/script/new.txtar", 0)
	wantMessage("")
	write("cli/page/page.css", time.Minute)
	wantMessage("is older than " + filepath.Join(root, "cli/page/page.css"))
}
