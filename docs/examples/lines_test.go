package examples_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// maxLines is how long an application may be: its sources and its settings, without lock files.
const maxLines = 300

// TestEachApplicationIsShort: each application that the guide lists can be read as a whole, and it lists all of apps/.
func TestEachApplicationIsShort(t *testing.T) {
	var listed []string
	for _, row := range regexp.MustCompile(`(?m)^\| \[([a-z/-]+)/\]\(`).FindAllStringSubmatch(read(t, "README.md"), -1) {
		if row[1] != "clients" { // which use the API, and have no page
			listed = append(listed, row[1])
		}
	}
	if len(listed) < 20 {
		t.Fatalf("the guide lists %q", listed)
	}
	for _, folder := range listed {
		if lines := linesOf(t, folder); lines == 0 || lines > maxLines {
			t.Errorf("%s has %d lines, at most %d", folder, lines, maxLines)
		}
	}
	var apps struct{ Workspaces []string }
	if err := json.Unmarshal([]byte(read(t, "apps/package.json")), &apps); err != nil || len(apps.Workspaces) == 0 {
		t.Fatalf("apps/package.json has no workspaces: %v", err)
	}
	for _, name := range apps.Workspaces {
		if !slices.Contains(listed, "apps/"+name) {
			t.Errorf("the guide does not list apps/%s", name)
		}
	}
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
