package house

import (
	"go/ast"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What the tree is measured by.
const (
	mostMethods = 40 // of a type
	mostFiles   = 20 // of a package; renderer/css has a file for each type of value
	mostColumns = 120
)

// phrases are what comments say too often for readers whose first language is not English: how often in 1,000 lines at most.
var phrases = []struct {
	name    string
	pattern *regexp.Regexp
	most    int
}{
	{"is no X", regexp.MustCompile(`\b(is|are) no\b`), 1},
	{"a conditional where", regexp.MustCompile(` where `), 6},
	{"somebody", regexp.MustCompile(`(?i)\b(somebody|nobody|everybody|whoever)\b`), 0},
}

// TestHouseTypesHaveFewMethods counts the methods of every type.
func TestHouseTypesHaveFewMethods(t *testing.T) {
	methods := map[string]int{}
	for dir, files := range sources(t) {
		for _, f := range files {
			for _, d := range f.syntax.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && d.Recv != nil {
					methods[dir+"."+receiverName(d.Recv.List[0].Type)]++
				}
			}
		}
	}
	compare(t, "methods", mostMethods, methods)
}

// receiverName returns the name of a receiver's type, without pointer and type parameters.
func receiverName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiverName(e.X)
	case *ast.IndexExpr:
		return receiverName(e.X)
	case *ast.IndexListExpr:
		return receiverName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// TestHousePackagesHaveFewFiles counts the files of every package.
func TestHousePackagesHaveFewFiles(t *testing.T) {
	counts := map[string]int{}
	for dir, files := range sources(t) {
		if dir != "renderer/css" {
			counts[dir] = len(files)
		}
	}
	compare(t, "files", mostFiles, counts)
}

// TestHouseDocumentsFitTheScreen counts the long lines of every document. Tables, code, headings and lines that a link makes
// long do not count.
func TestHouseDocumentsFitTheScreen(t *testing.T) {
	long := map[string]int{}
	walk(t, func(name string) {
		if path.Ext(name) == ".md" && !strings.Contains(name, "testdata/") && !strings.HasPrefix(name, "bench/results/") && name != "bench/report/README.md" {
			long[name] = longLines(read(t, name))
		}
	})
	compare(t, "lines over 120 columns", 0, long)
}

// longLines counts the lines of prose in a document that are too long.
func longLines(text string) (long int) {
	code := false
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code = !code
		}
		if code || strings.HasPrefix(line, "    ") || strings.HasPrefix(strings.TrimSpace(line), "|") || strings.Contains(line, "](") || strings.Contains(line, "://") {
			continue
		}
		if len([]rune(line)) > mostColumns {
			long++
		}
	}
	return long
}

// compare fails for what is above its limit.
func compare(t *testing.T, what string, most int, counts map[string]int) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if counts[name] > most {
			t.Errorf("%s has %d %s, wanted %d at most", name, counts[name], what, most)
		}
	}
}

// TestHouseCommentsAreInPlainEnglish counts phrases in the comments of the program.
func TestHouseCommentsAreInPlainEnglish(t *testing.T) {
	lines, counts := 0, make([]int, len(phrases))
	for _, files := range sources(t) {
		for _, f := range files {
			for _, group := range f.syntax.Comments {
				for line := range strings.SplitSeq(strings.TrimSuffix(group.Text(), "\n"), "\n") {
					lines++
					for i, p := range phrases {
						counts[i] += len(p.pattern.FindAllString(line, -1))
					}
				}
			}
		}
	}
	for i, p := range phrases {
		rate := (counts[i]*1000 + lines - 1) / lines // rounded up
		if rate > p.most {
			t.Errorf("%s: %d in 1,000 lines of comments (%d in %d), wanted %d at most", p.name, rate, counts[i], lines, p.most)
		}
	}
}

// insideTests says of how many test files each package with several of them tests itself from the inside, and why. Each
// other package has at most two: of a parser, a table or an algorithm whose cases would be many requests from outside.
var insideTests = map[string]struct {
	files int
	why   string
}{
	"cli":                 {10, "they run commands in the process, as main does, with a terminal of their own"},
	"cli/term":            {4, "the width and the colours of a terminal that the test is not"},
	"edge":                {10, "what is counted as memory and which look-ups a hit makes show in no answer"},
	"edge/coding":         {4, "matches and literals of codings, before they are bytes"},
	"edge/content":        {5, "searches and evictions that change no answer"},
	"edge/diskcache":      {4, "segments and compactions at sizes that an edge has after weeks"},
	"edge/loop":           {13, "threads, buffers and the timing wheel, which a client sees as time alone"},
	"edge/records":        {4, "states of freshness at moments that upstream's answers cannot hit"},
	"cli/tokens/validate": {3, "the words of each refusal"},
}

// otherInsideTests is for how many test files a package that is not in the table may test itself from the inside.
const otherInsideTests = 2

// TestHouseTestsStandOutside keeps tests of behaviour outside the package that they test, so that its code can change under
// them. Commands have no outside, and measurements test themselves.
func TestHouseTestsStandOutside(t *testing.T) {
	inside := map[string]int{}
	all := sources(t)
	walk(t, func(name string) {
		files := all[path.Dir(name)]
		if !strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "bench/") || len(files) == 0 || files[0].syntax.Name.Name == "main" {
			return
		}
		if clause := "\npackage " + files[0].syntax.Name.Name + "\n"; strings.Contains("\n"+read(t, name), clause) {
			inside[path.Dir(name)]++
		}
	})
	for dir, n := range inside {
		most := otherInsideTests
		if row, listed := insideTests[dir]; listed {
			most = row.files
		}
		if n > most {
			t.Errorf("%s has %d test files in the package, wanted %d at most: test from outside, as package %s_test", dir, n, most, path.Base(dir))
		}
	}
	for dir, row := range insideTests {
		if inside[dir] < row.files {
			t.Errorf("%s has %d test files in the package: lower its row from %d", dir, inside[dir], row.files)
		}
	}
}
