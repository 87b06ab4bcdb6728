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
