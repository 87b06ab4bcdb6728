package examples_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// maxLines is how long an application may be: its sources and its settings, without lock files.
const maxLines = 300

// TestEachApplicationIsShort: an application can be read as a whole, and the guide names it.
func TestEachApplicationIsShort(t *testing.T) {
	guide := read(t, "README.md")
	count := 0
	for _, folder := range append(foldersIn(t, "."), foldersIn(t, "apps")...) {
		count++
		if lines := linesOf(t, folder); lines < 4 || lines > maxLines {
			t.Errorf("%s has %d lines, at most %d", folder, lines, maxLines)
		}
		if !strings.Contains(guide, "]("+folder+"/") {
			t.Errorf("the guide does not name %s", folder)
		}
	}
	if count < 18 {
		t.Errorf("%d applications were counted", count)
	}
}

// foldersIn lists the applications of a folder. Those of clients use the API, and have no page.
func foldersIn(t *testing.T, folder string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && !slices.Contains([]string{"apps", "clients", "node_modules", ".cache"}, e.Name()) {
			list = append(list, path.Join(folder, e.Name()))
		}
	}
	return list
}

// linesOf counts the lines of all files in a folder.
func linesOf(t *testing.T, folder string) (lines int) {
	t.Helper()
	err := filepath.WalkDir(folder, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name() == "package-lock.json" {
			if e != nil && e.Name() == "node_modules" {
				return fs.SkipDir
			}
			return err
		}
		text, err := os.ReadFile(name)
		lines += strings.Count(string(text), "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}
