//go:build !noconsole

package console_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/livery/console"
)

// The built page is that of the sources: who changes one builds the other.
func TestBundleIsThatOfTheSources(t *testing.T) {
	t.Parallel()
	names := []string{"build.mjs", "order.mjs", "order.txt", "package-lock.json", "unused.mjs"}
	err := filepath.WalkDir("src", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && entry.Name() != "schema.d.ts" {
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	all := sha256.New()
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		one := sha256.Sum256(text)
		fmt.Fprintf(all, "%s\n%s", name, hex.EncodeToString(one[:]))
	}
	said, err := os.ReadFile("dist/sources.sha256")
	if err != nil {
		t.Fatal(err)
	}
	if got := hex.EncodeToString(all.Sum(nil)); got != strings.TrimSpace(string(said)) {
		t.Error("console/dist was not built from these sources: run make console-bundle, and commit both")
	}
}

// The page loads nothing but its own files, and runs nothing that stands in its markup.
func TestPageLoadsItsOwnFilesAlone(t *testing.T) {
	t.Parallel()
	files := console.Files()
	page, err := fs.ReadFile(files, "index.html")
	if err != nil {
		t.Fatal(err)
	}
	links := regexp.MustCompile(`(?:src|href)="/console/([^"]+)"`).FindAllSubmatch(page, -1)
	if len(links) != 2 {
		t.Fatalf("the page has %d links to its own files, want a sheet and a script", len(links))
	}
	for _, link := range links {
		if _, err := fs.Stat(files, string(link[1])+".gz"); err != nil {
			t.Error(err)
		}
	}
	if found := regexp.MustCompile(`(?i)<style|\sstyle=|\son[a-z]+=|<script>|(?:src|href)="https?:`).Find(page); found != nil {
		t.Errorf("the page has %q, which its policy forbids", found)
	}
}

// maxBytes is how large all script and style is at most, in gzip, as it is served, and maxContent how large the files are
// that one view loads as its content.
const (
	maxBytes   = 60 << 10
	maxContent = 8 << 10
)

// Whatever the page can load counts as script and style, but for data and markup that have neither.
func TestPageIsSmall(t *testing.T) {
	t.Parallel()
	files, err := fs.Glob(console.Files(), "assets/*")
	if err != nil || len(files) < 3 {
		t.Fatal(files, err)
	}
	var total, content int
	for _, name := range files {
		packed, err := fs.ReadFile(console.Files(), name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, ".json.gz") || strings.HasSuffix(name, ".html.gz") && !hasScriptOrStyle(t, packed) {
			content += len(packed)
		} else {
			total += len(packed)
		}
		if !strings.HasSuffix(name, ".gz") {
			t.Errorf("%s is not in gzip", name)
		}
	}
	if total > maxBytes {
		t.Errorf("script and style have %d bytes in gzip, want at most %d", total, maxBytes)
	}
	if content > maxContent {
		t.Errorf("the content of views has %d bytes in gzip, want at most %d", content, maxContent)
	}
}

func hasScriptOrStyle(t *testing.T, packed []byte) bool {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	markup, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`(?i)<script|<style|\sstyle=|\son[a-z]+=`).Match(markup)
}

// The document that a preview shows runs nothing and loads nothing, whatever values the tokens have.
func TestSamplesRunNothing(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("src/views/look/samples.html")
	if err != nil {
		t.Fatal(err)
	}
	if found := regexp.MustCompile(`(?i)<script|<link|<object|<embed|<iframe|\son[a-z]+=|(?:src|href)="[^#]`).Find(text); found != nil {
		t.Errorf("it has %q", found)
	}
	if !regexp.MustCompile(`http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data: blob:; font-src data:"`).Match(text) {
		t.Error("it has no policy that refuses everything but what a value has in itself")
	}
}
