// Package program gives tests the program that make built, so that no test builds it again.
package program

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/livery/internal/test/race"
)

// Main runs the tests of a package that runs the program, and ends the process. Under the name livery they find what make
// build built or, with the race detector, what the race suite built. If it is missing or older than its sources, no test runs.
func Main(run func() int) {
	if err := onPath(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(run())
}

// Root returns the root of the repository: the folder of go.mod above the working directory.
func Root() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			err = errors.New("no go.mod above the working directory")
		}
		dir = filepath.Dir(dir)
	}
	return "", err
}

// Path returns the path of a file of the repository.
func Path(t testing.TB, name ...string) string {
	t.Helper()
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(root, filepath.Join(name...))
}

// onPath puts the folder of the program first on the PATH.
func onPath() error {
	root, err := Root()
	if err != nil {
		return err
	}
	dir, target := filepath.Join(root, "bin"), "build"
	if race.Enabled {
		dir, target = filepath.Join(dir, "race"), "bin/race/livery"
	}
	if err := upToDate(root, filepath.Join(dir, "livery"), target); err != nil {
		return err
	}
	return os.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// upToDate fails if the program is missing or older than one of its sources.
func upToDate(root, path, target string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is missing: run make %s", path, target)
	}
	if err != nil {
		return err
	}
	newest, changed, err := newestSource(root)
	if err == nil && changed.After(info.ModTime()) {
		err = fmt.Errorf("%s is older than %s: run make %s", path, newest, target)
	}
	return err
}

// notSources are the folders without sources of the program.
var notSources = []string{".git", ".ci", ".cache", ".livery", "bin", "bench", "deploy", "docs", "node_modules", "test", "testdata", "tests"}

// newestSource returns the file of the program's sources that changed last.
func newestSource(root string) (newest string, changed time.Time, err error) {
	err = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains(notSources, entry.Name()):
			return fs.SkipDir
		case entry.IsDir() || strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, ".md") || filepath.Base(name) == "Makefile":
			return nil
		}
		info, err := os.Stat(name)
		if err == nil && info.ModTime().After(changed) {
			newest, changed = name, info.ModTime()
		}
		return err
	})
	return newest, changed, err
}
