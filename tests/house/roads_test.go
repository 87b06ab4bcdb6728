package house

import (
	"go/ast"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// roadHeadings are the parts of DESIGN.md that list, in tables of packages, the functions that a request passes.
var roadHeadings = []string{
	"### Which way does a PATCH of tokens go?",
	"### The road of a request for a file",
	"### Which way does a publish go, until it is served?",
}

var (
	roadRow   = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (.+) \\|$")
	roadName  = regexp.MustCompile("`([^`]+)`")
	roadCount = regexp.MustCompile(`(\d+)\s+functions\s+in\s+(\d+)\s+files`)
)

// TestHouseRoadsAreTrue finds each function that a road names in the package of its row, and counts the functions and
// their files: the text says how many there are.
func TestHouseRoadsAreTrue(t *testing.T) {
	files := functionFiles(t)
	design := read(t, "DESIGN.md")
	for _, heading := range roadHeadings {
		_, text, found := strings.Cut(design, "\n"+heading+"\n")
		text, _, _ = strings.Cut(text, "\n### ")
		if !found {
			t.Errorf("DESIGN.md has no part %q", heading)
			continue
		}
		functions, passed := 0, map[string]bool{}
		for _, row := range roadRow.FindAllStringSubmatch(text, -1) {
			for _, name := range roadName.FindAllStringSubmatch(row[2], -1) {
				functions++
				file := files[row[1]+" "+name[1]]
				if file == "" {
					t.Errorf("%s: package %s has no function or method %s", heading, row[1], name[1])
				}
				passed[file] = true
			}
		}
		want := [2]string{strconv.Itoa(functions), strconv.Itoa(len(passed))}
		if said := roadCount.FindStringSubmatch(text); said == nil || [2]string(said[1:]) != want {
			t.Errorf("%s: says %q, and its tables name %s functions in %s files", heading, said, want[0], want[1])
		}
	}
}

// functionFiles returns the file of each function and method, by its package and its name with that of its type.
func functionFiles(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	for dir, all := range sources(t) {
		for _, f := range all {
			for _, d := range f.syntax.Decls {
				d, ok := d.(*ast.FuncDecl)
				if !ok {
					continue
				}
				name := d.Name.Name
				if d.Recv != nil {
					name = receiverName(d.Recv.List[0].Type) + "." + name
				}
				files[dir+" "+name] = f.name
			}
		}
	}
	return files
}
