package systems

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/livery/bench/internal/world"
)

var (
	results  = flag.String("results", "", "the file that the table is written to")
	livery   = flag.String("livery", "../../bin/livery", "the program")
	only     = flag.String("only", "", "the systems whose name matches; the other tools are not run then")
	recordTo = flag.String("record", "", "the folder that the records are written to")
	update   = flag.Bool("update", false, "write what is served now into testdata/expected.json")
)

// row is what became of a system.
type row struct {
	system
	*record
	sheet            string // its tokens.css
	leaves           []leaf
	compared, differ int
	noted            []string // custom properties that a note explains
	took             time.Duration
	peers            [2]peer
}

// noCSS is why a tool that reads JSON was not started.
const noCSS = "it does not read CSS"

// patience is how long a tool may take for one system.
const patience = 3 * time.Minute

// peer is what another tool made of the same files.
type peer struct {
	Properties int    // custom properties with a value
	Unusable   int    // custom properties without one, such as undefined, [object Object] and {an.alias}
	Refused    string // the first line of its message
}

func (p peer) String() string {
	switch p.Refused {
	case "":
		return fmt.Sprint(p.Properties)
	case noCSS:
		return "no CSS"
	}
	return "refused"
}

// TestSystems pushes every installed system and every document of the corpus, and compares what is served with testdata/expected.json. No
// token is lost without a word.
func TestSystems(t *testing.T) {
	list := append(installedSystems(t), documents(t)...)
	if _, err := os.Stat(*livery); err != nil || len(list) == 0 {
		t.Skipf("NOT PROVEN: published design systems: make suite NAME=systems installs them (%s, %d systems)", *livery, len(list))
	}
	dev, err := world.StartDev(t.Context(), *livery, t.TempDir(), world.AnyCore, "--empty")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Stop()
	known, now := readExpected(t), map[string]expected{}
	var rows []*row
	for i, s := range list {
		if !regexp.MustCompile(*only).MatchString(s.name) {
			continue
		}
		r := &row{system: s, record: &record{Name: s.name, Files: s.files}}
		r.run(t, dev, fmt.Sprintf("s%d", i))
		if *recordTo != "" {
			writeRecord(t, *recordTo, r.record)
		}
		now[s.name] = r.expected()
		if len(r.Silent) > 0 {
			t.Errorf("%s: %d tokens are lost in silence: %q", s.name, len(r.Silent), r.Silent[:min(5, len(r.Silent))])
		}
		if !*update {
			r.compareExpected(t, known[s.name])
		}
		rows = append(rows, r)
		fmt.Fprintf(os.Stderr, "%-36s exit %d %6d in %6d served %5d named %4d silent %3d contexts\n", s.name, r.Exit, r.In, r.Served, r.Named, len(r.Silent), len(r.Contexts))
	}
	if *update {
		maps.Copy(known, now)
		writeExpected(t, known)
	}
	if *results != "" {
		writePage(t, rows)
	}
}

// writePage compares the systems with their own stylesheets and with what other tools make of them.
func writePage(t *testing.T, rows []*row) {
	t.Helper()
	rows = slices.DeleteFunc(rows, func(r *row) bool { return strings.HasPrefix(r.name, "corpus ") })
	for _, r := range rows {
		r.compare(t)
		for k, tool := range []string{"style-dictionary", "terrazzo"} {
			if *only == "" {
				r.peers[k] = peerOf(t, tool, r.files)
			}
		}
	}
	if err := os.WriteFile(*results, page(t, rows), 0o644); err != nil {
		t.Fatal(err)
	}
}

// installedSystems lists the systems with the paths of their files; none if they are not installed.
func installedSystems(t *testing.T) (list []system) {
	t.Helper()
	if _, err := os.Stat("node_modules"); err != nil {
		return nil
	}
	for _, s := range all {
		s.files, s.css = installed(t, s.files), installed(t, s.css)
		list = append(list, s)
	}
	return list
}

// installed returns where the files of packages lie. An export of a module is written to a file first.
func installed(t *testing.T, names []string) (paths []string) {
	t.Helper()
	for _, name := range names {
		module, member, is := strings.Cut(name, "#")
		if !is {
			paths = append(paths, filepath.Join("node_modules", name))
			continue
		}
		text, err := exec.Command("node", "exports.mjs", module, member).Output()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		path := filepath.Join(t.TempDir(), "tokens.json")
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

// count counts the tokens of the files by what became of them.
func (r *row) count(t *testing.T, dev *world.Dev, theme string) {
	t.Helper()
	flat, _, _ := r.cli(t, dev, ".", "preview", "--env", "sandbox", "--theme", theme, "tokens.flat.json")
	sheet, _, _ := r.cli(t, dev, ".", "preview", "--env", "sandbox", "--theme", theme, "tokens.css")
	var served map[string]json.RawMessage
	if err := json.Unmarshal(flat, &served); err != nil {
		t.Fatalf("%s: tokens.flat.json: %v", r.name, err)
	}
	r.sheet, r.Served = string(sheet), len(served)
	named := map[string]bool{}
	ofTheme, _, _ := r.cli(t, dev, ".", "check", "--env", "sandbox", "--theme", theme, "--json")
	files := r.files
	if r.mapped {
		files = nil
	}
	ofFiles, _, _ := r.cli(t, dev, r.folder(t, r.mapped), append([]string{"check", "--json"}, files...)...)
	for _, answer := range append(r.Answers, ofTheme, ofFiles) {
		collect(answer, named)
	}
	known := map[string]bool{}
	for path := range served {
		known[key(path)] = true
	}
	r.leaves = leaves(t, r.files)
	for _, leaf := range slices.CompactFunc(slices.Clone(r.leaves), func(a, b leaf) bool { return a.path == b.path }) {
		path := leaf.path
		r.In++
		switch k := key(path); {
		case known[k]:
		case named[k] || named[key(leaf.file)]:
			r.Named++
		default:
			r.Silent = append(r.Silent, path)
		}
	}
}

// collect notes every path that an answer of the program names.
func collect(text []byte, into map[string]bool) {
	var v any
	if json.Unmarshal(text, &v) == nil {
		walk(v, func(member string, value any) {
			if s, ok := value.(string); ok && (member == "path" || member == "pointer") {
				into[key(s)] = true
			}
		})
	}
}

func walk(v any, visit func(member string, value any)) {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			visit(name, value)
			walk(value, visit)
		}
	case []any:
		for _, value := range v {
			walk(value, visit)
		}
	}
}

// key spells a path so that the ways to join names are one.
func key(path string) string {
	return strings.NewReplacer("-", "", "_", "", ".", "", "/", "", " ", "", "$root", "", "{", "", "}", "").Replace(strings.ToLower(path))
}

func peerOf(t *testing.T, tool string, files []string) (p peer) {
	t.Helper()
	if slices.ContainsFunc(files, func(f string) bool { return strings.HasSuffix(f, ".css") }) {
		return peer{Refused: noCSS}
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	out, err := exec.CommandContext(ctx, "node", append([]string{"peers.mjs", tool}, files...)...).Output()
	if ctx.Err() != nil {
		return peer{Refused: fmt.Sprintf("it needs more than %v", patience)}
	}
	if err != nil || json.Unmarshal(out, &p) != nil {
		return peer{Refused: "it ends without an answer"}
	}
	return p
}
