package site_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/net/html"

	"example.com/livery/docs/site"
	"example.com/livery/origin/api"
)

// ofTheTree is the documentation of this tree.
func ofTheTree(t *testing.T) map[string]site.File {
	t.Helper()
	document, err := api.OpenAPI()
	if err != nil {
		t.Fatal(err)
	}
	files, err := site.Build(site.Source{Files: os.DirFS("../.."), Commands: "# Every command\n\n## livery dev\n\nRuns it.\n", OpenAPI: document, Version: "1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

var (
	links = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	ids   = regexp.MustCompile(` id="([^"]*)"`)
)

// Every page of the navigation is there, and every link of the tree's documents leads to a page, a heading on it, a file of
// the site, or another site.
func TestEveryLinkLeadsSomewhere(t *testing.T) {
	t.Parallel()
	files := ofTheTree(t)
	anchors := map[string][]string{}
	for name, f := range files {
		for _, id := range ids.FindAllStringSubmatch(string(f.Body), -1) {
			anchors[name] = append(anchors[name], id[1])
		}
	}
	for name, f := range files {
		if !strings.HasSuffix(name, ".html") {
			continue
		}
		for _, link := range links.FindAllStringSubmatch(string(f.Body), -1) {
			path, anchor, _ := strings.Cut(link[1], "#")
			switch {
			case strings.HasPrefix(path, "https://"), strings.HasPrefix(path, "http://"), strings.HasPrefix(path, "data:"):
				continue
			case path == "" && anchor == "":
				t.Errorf("%s has a link to nothing", name)
				continue
			case path == "":
				path = name
			}
			if _, ok := files[path]; !ok {
				t.Errorf("%s leads to %s, which is not there", name, link[1])
			} else if anchor != "" && !slices.Contains(anchors[path], anchor) {
				t.Errorf("%s leads to %s, and %s has no such heading", name, link[1], path)
			}
		}
	}
}

// What a document of the tree leads to beside pages of the site is in the tree too.
func TestEveryFileOfALinkExists(t *testing.T) {
	t.Parallel()
	toFile, found := regexp.MustCompile(`\]\(([^)#:\s]+)[)#]`), 0
	err := filepath.WalkDir("../..", func(document string, e fs.DirEntry, err error) error {
		if e.IsDir() && (e.Name() == "node_modules" || e.Name() == "testdata" || e.Name() == "bin" || len(e.Name()) > 2 && e.Name()[0] == '.') {
			return filepath.SkipDir
		}
		if filepath.Ext(document) != ".md" || err != nil {
			return err
		}
		text, err := os.ReadFile(document)
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "    ") { // code
				continue
			}
			for _, link := range toFile.FindAllStringSubmatch(line, -1) {
				found++
				if _, err := os.Stat(filepath.Join(filepath.Dir(document), link[1])); err != nil {
					t.Errorf("%s leads to %s: %v", document, link[1], err)
				}
			}
		}
		return err
	})
	if err != nil || found < 100 {
		t.Errorf("%d links were read: %v", found, err)
	}
}

// The pages load nothing but files of the site, run nothing but its script, have no style of their own, and name each column.
func TestPagesNeedNoOtherServer(t *testing.T) {
	t.Parallel()
	for name, f := range ofTheTree(t) {
		if !strings.HasSuffix(name, ".html") {
			continue
		}
		tree, err := html.Parse(bytes.NewReader(f.Body))
		if err != nil {
			t.Fatal(err)
		}
		for n := range tree.Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			if slices.Contains([]string{"style", "iframe", "object", "embed", "form", "base"}, n.Data) {
				t.Errorf("%s has an element %s", name, n.Data)
			}
			for _, a := range n.Attr {
				loads := a.Key == "src" || a.Key == "href" && n.Data == "link"
				if a.Key == "style" || strings.HasPrefix(a.Key, "on") || loads && !regexp.MustCompile(`^(data:,|[a-z0-9/-]+\.[a-z]+)$`).MatchString(a.Val) {
					t.Errorf("%s has <%s %s=%q>", name, n.Data, a.Key, a.Val)
				}
			}
			if n.Data == "th" && n.FirstChild == nil {
				t.Errorf("%s has a column without a name", name)
			}
			if n.Data == "script" && n.FirstChild != nil {
				t.Errorf("%s has a script in the page", name)
			}
		}
	}
}

// What the search finds are sections, each with its page, heading, address and text.
func TestSearchHasEachSection(t *testing.T) {
	t.Parallel()
	files, err := site.Build(site.Source{Version: "1.2.3", Files: fstest.MapFS{
		"docs/api.md":    {Data: []byte("# The API\n\nFirst *words*.\n\n## A `publish`\n\n- one\n- two\n\n    code\n\n| a | b |\n|-|-|\n| c | d |\n")},
		"docs/tokens.md": {Data: []byte("# Files\n\n[there](api.md#a-publish), [a file](../Makefile), <script>alert(1)</script>\n")},
	}})
	if err != nil {
		t.Fatal(err)
	}
	var entries []map[string]string
	if err := json.Unmarshal(files["search.json"].Body, &entries); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"p": "The API", "h": "A publish", "u": "api.html#a-publish", "t": "one two code a b c d"}
	if len(entries) != 3 || entries[2]["h"] != want["h"] || entries[2]["u"] != want["u"] || entries[2]["p"] != want["p"] || entries[2]["t"] != want["t"] {
		t.Errorf("the search finds %v, want %v last", entries, want)
	}
	page := string(files["tokens.html"].Body)
	if !strings.Contains(page, `<a href="api.html#a-publish">there</a>, a file, `) || strings.Contains(page, "alert(1)</script>") {
		t.Errorf("the page is %s", page)
	}
	if !strings.Contains(page, "1.2.3") {
		t.Error("the page does not name the version")
	}
}

// A source without any of the pages, or with a picture that is missing, is an error.
func TestWhatIsMissingIsSaid(t *testing.T) {
	t.Parallel()
	if _, err := site.Build(site.Source{Files: fstest.MapFS{}}); err == nil {
		t.Error("a site of nothing is made")
	}
	_, err := site.Build(site.Source{Files: fstest.MapFS{"docs/api.md": {Data: []byte("![x](missing.png)")}}})
	if err == nil || !strings.Contains(err.Error(), "docs/missing.png") {
		t.Errorf("a missing picture is %v", err)
	}
}
