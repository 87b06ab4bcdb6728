package systems

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
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
	results = flag.String("results", "", "the file that the table is written to")
	livery  = flag.String("livery", "../../bin/livery", "the program")
	only    = flag.String("only", "", "the systems whose name matches; the other tools are not run then")
)

// row is what became of a system.
type row struct {
	system
	in, served, named int
	sheet             string   // its tokens.css
	silent            []string // paths of what is lost without a word
	leaves            []leaf
	compared, differ  int
	unexplained       int
	noted             []string            // custom properties that a note explains
	why               map[string][]string // of what differs, by class
	took              time.Duration
	peers             [2]peer
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

// No token of a published package is lost without a word.
func TestSystems(t *testing.T) {
	if *results == "" {
		t.Skip("it pushes the packages that make systems installs")
	}
	dev, err := world.StartDev(t.Context(), *livery, t.TempDir(), world.AnyCore, "--empty")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Stop()
	var rows []*row
	for i, s := range all {
		if !regexp.MustCompile(*only).MatchString(s.name) {
			continue
		}
		r := &row{system: s}
		r.files, r.css = installed(t, s.files), installed(t, s.css)
		r.push(t, dev, fmt.Sprintf("s%d", i))
		r.compare(t)
		for k, tool := range []string{"style-dictionary", "terrazzo"} {
			if *only != "" {
				break
			}
			r.peers[k] = peerOf(t, tool, r.files)
		}
		if len(r.silent) > 0 {
			t.Errorf("%s: %d tokens are lost in silence: %q", s.name, len(r.silent), r.silent[:min(5, len(r.silent))])
		}
		rows = append(rows, r)
		fmt.Fprintf(os.Stderr, "%-20s %6d in %6d served %5d named %4d silent %5d differ of %d\n", s.name, r.in, r.served, r.named, len(r.silent), r.differ, r.compared)
	}
	if err := os.WriteFile(*results, page(t, rows), 0o644); err != nil {
		t.Fatal(err)
	}
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

// push pushes the files, and counts by path.
func (r *row) push(t *testing.T, dev *world.Dev, theme string) {
	t.Helper()
	defer os.Remove("livery.yaml") // which --variants auto writes
	began := time.Now()
	said := r.cli(t, dev, slices.Concat([]string{
		"push", "--env", "sandbox", "--theme", theme, "--create", "--integration", "react/plainCSS",
		"--publish", "--accept-loss", "--json",
	}, r.args, r.files)...)
	r.took = time.Since(began)
	r.sheet = string(r.cli(t, dev, "preview", "--env", "sandbox", "--theme", theme, "tokens.css"))
	r.count(t, dev, theme, said)
}

// count counts the tokens of the files by what became of them in a Theme and in the answers of its pushes.
func (r *row) count(t *testing.T, dev *world.Dev, theme string, answers ...json.RawMessage) {
	t.Helper()
	var served map[string]json.RawMessage
	if err := json.Unmarshal(r.cli(t, dev, "preview", "--env", "sandbox", "--theme", theme, "tokens.flat.json"), &served); err != nil {
		t.Fatalf("%s: tokens.flat.json: %v", r.name, err)
	}
	r.served = len(served)
	named := map[string]bool{}
	answers = append(answers, r.cli(t, dev, "check", "--env", "sandbox", "--theme", theme, "--json"), r.cli(t, dev, append([]string{"check", "--json"}, r.files...)...))
	for _, answer := range answers {
		collect(answer, named)
	}
	known := map[string]bool{}
	for path := range served {
		known[key(path)] = true
	}
	r.leaves = leaves(t, r.files)
	for _, leaf := range slices.CompactFunc(slices.Clone(r.leaves), func(a, b leaf) bool { return a.path == b.path }) {
		path := leaf.path
		r.in++
		switch k := key(path); {
		case known[k]:
		case named[k] || named[key(leaf.file)]:
			r.named++
		default:
			r.silent = append(r.silent, path)
		}
	}
}

// cli runs the program; push and check may end with 1 if they say why.
func (r *row) cli(t *testing.T, dev *world.Dev, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(*livery, args...)
	cmd.Env = append(os.Environ(), "LIVERY_URL="+dev.APIURL(), "LIVERY_TOKEN="+dev.Token())
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil && (args[0] != "check" || cmd.ProcessState.ExitCode() != 1) {
		t.Fatalf("%s: livery %s: %v\n%s", r.name, args[0], err, stderr.String())
	}
	return stdout.Bytes()
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
