package deploy_test

import (
	"bufio"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/livery/cli"
	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/term"
	"example.com/livery/renderer/css"
	"example.com/livery/wasm/abi"
)

var record = flag.String("record", "", "`VERSION` under which the surface is written to deploy/surface")

// surface returns what docs/compatibility.md promises, one promise a line, sorted.
func surface(t *testing.T) []string {
	t.Helper()
	lines := map[string]bool{}
	add := func(format string, args ...any) { lines[fmt.Sprintf(format, args...)] = true }
	commandLine(add)
	for name, code := range map[string]int{
		"done": term.ExitOK, "failed": term.ExitFailed, "usage": term.ExitUsage, "nothing to do": term.ExitNothing, "conflict": term.ExitConflict,
		"not allowed": term.ExitNotAllowed,
	} {
		add("exit code %d: %s", code, name)
	}
	metrics(t, add)
	module(add)
	for _, path := range []string{"color.brand.500", "font size.body", "Ärger.$root", "$root", "a_b.c-d", "spacing.1,5"} {
		segments := strings.Split(path, ".")
		add("css name of %q: %s, with the prefix acme %s", path, css.AppendName(nil, "", segments), css.AppendName(nil, "acme", segments))
	}
	openAPI(t, add)
	goClient(t, add)
	npmPackages(t, add)
	return slices.Sorted(maps.Keys(lines))
}

// commandLine adds every command with its flags, which are variables and members of --config too.
func commandLine(add func(string, ...any)) {
	var visit func(*cobra.Command)
	visit = func(cmd *cobra.Command) {
		add("command %s", cmd.CommandPath())
		for _, name := range cmd.Aliases {
			add("command %s is also %s", cmd.CommandPath(), name)
		}
		flags := func(f *pflag.Flag) {
			add("flag %s --%s %s", cmd.CommandPath(), f.Name, f.Value.Type())
			add("variable %s", cmdline.Variable(f.Name))
			if f.Shorthand != "" {
				add("flag %s -%s is --%s", cmd.CommandPath(), f.Shorthand, f.Name)
			}
		}
		cmd.NonInheritedFlags().VisitAll(flags)
		cmd.InheritedFlags().VisitAll(flags)
		for _, c := range cmd.Commands() {
			visit(c)
		}
	}
	visit(cli.Commands())
}

var (
	metricLiteral = regexp.MustCompile(`"(livery_[a-z0-9_]+)"`)
	metricRow     = regexp.MustCompile("(?m)^\\| ((?:`livery_[a-z0-9_]+`(?:, )?)+) \\| ([^|]*) \\|")
)

// metrics adds every metric of the sources, and the labels that the operating guide gives it.
func metrics(t *testing.T, add func(string, ...any)) {
	t.Helper()
	for _, folder := range []string{"../origin", "../edge", "../cli"} {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			for _, found := range metricLiteral.FindAllStringSubmatch(read(t, path), -1) {
				add("metric %s", found[1])
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range metricRow.FindAllStringSubmatch(read(t, "../docs/operating.md"), -1) {
		for name := range strings.SplitSeq(row[1], ", ") {
			for label := range strings.FieldsFuncSeq(row[2], func(r rune) bool { return strings.ContainsRune(" ,`", r) }) {
				add("metric %s label %s", strings.Trim(name, "`"), label)
			}
		}
	}
}

// module adds the contract of renderer modules and the names of the files they make.
func module(add func(string, ...any)) {
	add("module ABI %d, plans %d, overlays %d", abi.Version, abi.PlanFormat, abi.OverlayFormat)
	for _, name := range []string{
		abi.ExportInitialize, abi.ExportInfo, abi.ExportInput, abi.ExportPlanAlloc, abi.ExportPlanOpen, abi.ExportPlanDrop, abi.ExportRender,
		abi.ExportRenderIOV, abi.ExportCompile,
	} {
		add("module export %s", name)
	}
	for status := abi.StatusOK; status <= abi.StatusBadKind; status++ {
		add("module status %d: %s", status, status)
	}
	for f := range abi.File(abi.FileCount) {
		add("file %d: %s", f, f.Name())
	}
}

// recorded returns the surface of the newest release that recorded one, and its version.
func recorded(t *testing.T) (version string, lines []string) {
	t.Helper()
	files, err := filepath.Glob("surface/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("deploy/surface holds no record: %v", err)
	}
	newest := slices.MaxFunc(files, func(a, b string) int { return slices.Compare(numbers(a), numbers(b)) })
	return strings.TrimSuffix(filepath.Base(newest), ".txt"), linesOf(read(t, newest))
}

// numbers returns the numbers of the version in a file's name.
func numbers(file string) (list []int) {
	for part := range strings.FieldsFuncSeq(filepath.Base(file), func(r rune) bool { return r < '0' || r > '9' }) {
		n, _ := strconv.Atoi(part)
		list = append(list, n)
	}
	return list
}

func linesOf(text string) (lines []string) {
	for scanner := bufio.NewScanner(strings.NewReader(text)); scanner.Scan(); {
		if line := scanner.Text(); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return lines
}

// announcement is a row of the table of docs/compatibility.md: a promise that ends, and the release that said so.
var announcement = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (\\d+\\.\\d+\\.\\d+) \\|")

// breaks returns what clients of the release before cannot rely on any more, and is not announced by a release of before.
// What a request must have now, and needed not, breaks too.
func breaks(before, now []string, compatibility string, released func(version string) bool) (list []string) {
	announced := map[string]bool{}
	for _, row := range announcement.FindAllStringSubmatch(compatibility, -1) {
		announced[row[1]] = released(row[2])
	}
	for _, line := range before {
		if !slices.Contains(now, line) && !slices.Contains(now, eased(line)) && !announced[line] {
			list = append(list, "gone: "+line)
		}
	}
	for _, line := range now {
		if strings.HasSuffix(line, " required") && !strings.HasPrefix(line, "answer ") && !slices.Contains(before, line) && !announced[line] && belongs(before, line) {
			list = append(list, "new, and required: "+line)
		}
	}
	return list
}

// eased returns what may stand in a line's place without breaking a client: a request needs less, an answer has more.
func eased(line string) string {
	if most, optional := strings.CutSuffix(line, " optional"); optional && strings.HasPrefix(line, "answer ") {
		return most + " required"
	}
	if most, required := strings.CutSuffix(line, " required"); required && !strings.HasPrefix(line, "answer ") {
		return most + " optional"
	}
	return line
}

// belongs reports whether the owner of a required parameter or member is recorded: what is new may need what it likes.
func belongs(before []string, line string) bool {
	words := strings.Fields(line)
	if words[0] == "parameter" {
		return slices.Contains(before, "operation "+words[1]+" "+words[2])
	}
	owner := strings.Join(words[:len(words)-2], " ")
	owner = owner[:strings.LastIndexByte(owner, '.')+1]
	return slices.ContainsFunc(before, func(l string) bool { return strings.HasPrefix(l, owner) })
}

// TestWhatTheLastReleasePromisedStays compares the surface with the one that the last release recorded.
func TestWhatTheLastReleasePromisedStays(t *testing.T) {
	version, before := recorded(t)
	now := surface(t)
	if len(before) < 1500 || len(now) < 1500 {
		t.Fatalf("%d lines are recorded, %d are there", len(before), len(now))
	}
	for _, line := range breaks(before, now, read(t, "../docs/compatibility.md"), func(v string) bool {
		_, err := os.Stat("surface/" + v + ".txt")
		return err == nil
	}) {
		t.Errorf("%s promised otherwise, and no row of docs/compatibility.md announces it: %s", version, line)
	}
}

// TestUnannouncedBreaksAreFound: each kind of a break is one, unless a release announced it; an addition is none.
func TestUnannouncedBreaksAreFound(t *testing.T) {
	before := []string{
		"command livery push", "flag livery push --env string", "metric livery_a", "metric livery_a label result", "exit code 4: conflict",
		"operation GET /x", "answer GET /x 200 application/json: Thing", "parameter GET /x query limit optional", "request Thing.name string optional",
		"request value Thing.kind: a", "module ABI 1, plans 1, overlays 1",
	}
	none := func(string) bool { return false }
	more := append(slices.Clone(before), "flag livery push --new string", "request Other.name string required", "operation GET /y",
		"parameter GET /y query q required", "answer Thing.more string required")
	if found := breaks(before, more, "", none); len(found) > 0 {
		t.Errorf("additions are breaks: %q", found)
	}
	for i, line := range before {
		now := slices.Delete(slices.Clone(before), i, i+1)
		if found := breaks(before, now, "", none); len(found) != 1 || found[0] != "gone: "+line {
			t.Errorf("without %q: %q", line, found)
		}
		row := "| `" + line + "` | 1.0.0 | 2.0.0 |\n"
		if found := breaks(before, now, row, none); len(found) != 1 {
			t.Errorf("%q is announced by a release that does not exist: %q", line, found)
		}
		if found := breaks(before, now, row, func(v string) bool { return v == "1.0.0" }); len(found) > 0 {
			t.Errorf("%q is announced: %q", line, found)
		}
	}
	for old, eased := range map[string]string{
		"request Thing.a string required": "request Thing.a string optional", "answer Thing.a string optional": "answer Thing.a string required",
	} {
		if found := breaks([]string{old}, []string{eased}, "", none); len(found) > 0 {
			t.Errorf("%q instead of %q: %q", eased, old, found)
		}
		if found := breaks([]string{eased}, []string{old}, "", none); len(found) == 0 {
			t.Errorf("%q instead of %q is not found", old, eased)
		}
	}
	for _, line := range []string{"request Thing.new string required", "parameter GET /x query new required"} {
		if found := breaks(before, append(slices.Clone(before), line), "", none); len(found) != 1 {
			t.Errorf("with %q: %q", line, found)
		}
	}
}

// TestRecordTheSurface writes what this release promises, if it is asked to (make cut).
func TestRecordTheSurface(t *testing.T) {
	if *record == "" {
		return
	}
	commit, err := exec.Command("git", "rev-parse", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	text := "# What Livery " + *record + " promises (docs/compatibility.md), one promise a line. Written by make cut; do not edit.\n" +
		"# commit: " + string(commit) + "\n" + strings.Join(surface(t), "\n") + "\n"
	if err := os.WriteFile("surface/"+*record+".txt", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
