package examples_test

import (
	"io"
	"io/fs"
	"net/http"
	"path/filepath"
	"testing"
)

// TestTheDocumentationIsThatOfTheProgram: the pages of an origin are the files that livery docs writes, but for the links of
// the reference to the console.
func TestTheDocumentationIsThatOfTheProgram(t *testing.T) {
	d := startDev(t, "--empty")
	dir := t.TempDir()
	if said, err := d.shell(dir, "livery docs --out ."); err != nil {
		t.Fatal(err, said)
	}
	count := 0
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		if err != nil || e.IsDir() || name == "reference.html" {
			return err
		}
		count++
		answer, err := http.Get(d.file.OriginURL + "/docs/" + filepath.ToSlash(name))
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			return err
		}
		if answer.StatusCode != http.StatusOK || string(body) != read(t, path) {
			t.Errorf("GET /docs/%s = %d, not what livery docs writes", name, answer.StatusCode)
		}
		return nil
	})
	if err != nil || count < 30 {
		t.Errorf("%d files: %v", count, err)
	}
}
