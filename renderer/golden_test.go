package renderer_test

import (
	"bytes"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/livery/renderer"
)

var update = flag.Bool("update", false, "write what is rendered to testdata/<case>/want")

// A case is a folder of testdata: theme.json, and if the rule needs them variant.json and
// prefix.txt. want holds the five files and diagnostics.txt.
func TestGoldenCases(t *testing.T) {
	t.Parallel()
	themes, err := filepath.Glob("testdata/*/theme.json")
	if err != nil || len(themes) == 0 {
		t.Fatal("no cases", err)
	}
	for _, theme := range themes {
		folder := filepath.Dir(theme)
		t.Run(filepath.Base(folder), func(t *testing.T) {
			s := load(t, readFile(t, theme), readFile(t, folder+"/variant.json"), strings.TrimSpace(readFile(t, folder+"/prefix.txt")))
			for f := range renderer.File(renderer.FileCount) {
				compare(t, filepath.Join(folder, "want", f.Name()), s.Append(nil, f))
			}
			compare(t, filepath.Join(folder, "want", "diagnostics.txt"), spellDiagnostics(s))
			checkFiles(t, func() *renderer.Set { return s })
		})
	}
}

func spellDiagnostics(s *renderer.Set) []byte {
	var b bytes.Buffer
	for _, x := range s.Diagnostics() {
		b.WriteString(x.Kind + " " + x.Path + ": " + x.Message + "\n")
	}
	return b.Bytes()
}

// readFile returns the text of a file, nothing if it is absent.
func readFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return string(data)
}

// compare holds got to a wanted file, or writes it with -update.
func compare(t *testing.T, name string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s =\n%s\nwant\n%s", name, got, want)
	}
}
