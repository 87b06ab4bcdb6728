package house

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// statementCount is the number of statements in docs/statements.md.
const statementCount = 256

// statementRef is a statement's number as documents and tests name it: S171, or a run S104-S109.
var statementRef = regexp.MustCompile(`\bS(\d{1,3})(?:[-–]S(\d{1,3}))?\b`)

// TestEveryStatementIsNumberedAndTested holds docs/statements.md and the tests to each other: every
// number stands in the document, a test names each, and no test names another.
func TestEveryStatementIsNumberedAndTested(t *testing.T) {
	text, err := os.ReadFile("docs/statements.md")
	if err != nil {
		t.Fatal(err)
	}
	written, tested := statementsIn(string(text)), map[int]bool{}
	for _, source := range testSources(t) {
		for n := range statementsIn(source) {
			tested[n] = true
		}
	}
	var missing []string
	for n := 1; n <= statementCount; n++ {
		if !written[n] {
			t.Errorf("docs/statements.md has no S%d", n)
		}
		if !tested[n] {
			missing = append(missing, "S"+strconv.Itoa(n))
		}
	}
	if len(missing) > 0 {
		t.Errorf("no test names %s", strings.Join(missing, " "))
	}
	for n := range tested {
		if n < 1 || n > statementCount {
			t.Errorf("a test names S%d, which is no statement", n)
		}
	}
}

// statementsIn returns the numbers that a text names.
func statementsIn(text string) map[int]bool {
	named := map[int]bool{}
	for _, m := range statementRef.FindAllStringSubmatch(text, -1) {
		first, _ := strconv.Atoi(m[1])
		last := first
		if m[2] != "" {
			last, _ = strconv.Atoi(m[2])
		}
		for n := first; n <= last; n++ {
			named[n] = true
		}
	}
	return named
}

// testSources returns the tests and stories of the project, but for this file.
func testSources(t *testing.T) []string {
	var texts []string
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains([]string{".git", ".cache", "node_modules"}, entry.Name()):
			return fs.SkipDir
		case name == "tests/house/statements_test.go" || !strings.HasSuffix(name, "_test.go") && !strings.HasSuffix(name, ".txtar"):
			return nil
		}
		text, err := os.ReadFile(name)
		texts = append(texts, string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}
