//go:build released

package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The release that is built for the tests.
const testVersion = "0.9.9-check"

var built release // by TestMain, of these sources

// TestMain builds a release of these sources with the changelog's section 0.1.0 as its notes.
func TestMain(m *testing.M) {
	epoch, err := strconv.ParseInt(os.Getenv("LIVERY_EPOCH"), 10, 64)
	dir, err2 := os.MkdirTemp("", "livery-released-")
	built = release{
		version: testVersion, commit: os.Getenv("LIVERY_COMMIT"), at: time.Unix(epoch, 0).UTC(), notes: "0.1.0", root: "../..",
		out: filepath.Join(dir, "first"),
	}
	if err := errors.Join(err, err2, built.run(context.Background())); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// tool returns the path of a program, or skips the test and says what is not proven.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("NOT PROVEN: %s is not on this machine", name)
	}
	return path
}

// run runs a command in dir and returns its output.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// copySources copies what git has of the sources, and what is not committed yet, to another folder.
func copySources(t *testing.T) string {
	t.Helper()
	list, folder := filepath.Join(t.TempDir(), "list"), filepath.Join(t.TempDir(), "another place")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	names := run(t, built.root, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
	if err := os.WriteFile(list, []byte(names), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, built.root, "sh", "-c", `tar --null --ignore-failed-read -cf - -T "$1" | tar -xf - -C "$2"`, "sh", list, folder)
	return folder
}

// TestASecondBuildGivesTheSameBytes: of a copy of the sources in another folder, with a renderer module of its own.
func TestASecondBuildGivesTheSameBytes(t *testing.T) {
	second := built
	second.root, second.out = copySources(t), filepath.Join(t.TempDir(), "second")
	run(t, second.root, "make", "wasm")
	if err := second.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	first, err1 := built.digests()
	again, err2 := second.digests()
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	if len(first) < 25 || len(first) != len(again) {
		t.Fatalf("%d files, then %d", len(first), len(again))
	}
	for i, f := range first {
		if f.Name != again[i].Name || f.Digest["sha256"] != again[i].Digest["sha256"] {
			t.Errorf("%s has other bytes, or is missing", f.Name)
		}
	}
}

// TestEveryFileIsNamedOnce: SHA256SUMS and the provenance name every file with its digest, and nothing else.
func TestEveryFileIsNamedOnce(t *testing.T) {
	run(t, built.out, tool(t, "sha256sum"), "--check", "--strict", "--quiet", sumsName)
	var s statement
	text, err := os.ReadFile(filepath.Join(built.out, provenanceName))
	if err := errors.Join(err, json.Unmarshal(text, &s)); err != nil {
		t.Fatal(err)
	}
	files, err := built.digests()
	if err != nil {
		t.Fatal(err)
	}
	sums, _ := os.ReadFile(filepath.Join(built.out, sumsName))
	for _, f := range files {
		named := slices.ContainsFunc(s.Subject, func(r resource) bool { return r.Name == f.Name && r.Digest["sha256"] == f.Digest["sha256"] })
		if named != (f.Name != sumsName && f.Name != provenanceName) {
			t.Errorf("the provenance names %s: %t", f.Name, named)
		}
		if f.Name != sumsName && !strings.Contains(string(sums), "  "+f.Name+"\n") {
			t.Errorf("%s does not name %s", sumsName, f.Name)
		}
	}
	build := s.Predicate.BuildDefinition
	if len(s.Subject) != len(files)-2 || len(build.ResolvedDependencies) < 20 || build.ResolvedDependencies[0].Digest["gitCommit"] != built.commit {
		t.Errorf("the provenance has %d subjects and is of %+v", len(s.Subject), build.ResolvedDependencies)
	}
}

// contents returns the files of an archive.
func contents(t *testing.T, path string) map[string][]byte {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	if strings.HasSuffix(path, ".zip") {
		archive, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.File {
			all[f.Name] = must(io.ReadAll(must(f.Open())))
		}
		return all
	}
	archive := tar.NewReader(must(gzip.NewReader(bytes.NewReader(raw))))
	for {
		head, err := archive.Next()
		if err == io.EOF {
			return all
		}
		all[must(head, err).Name] = must(io.ReadAll(archive))
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestArchivesHoldTheProgramOfTheirSystem opens every archive and reads the header of the program in it; that of this
// machine is run.
func TestArchivesHoldTheProgramOfTheirSystem(t *testing.T) {
	for _, target := range targets {
		name, end := "livery", ".tar.gz"
		if target.os == "windows" {
			name, end = "livery.exe", ".zip"
		}
		files := contents(t, filepath.Join(built.out, built.stem(target)+end))
		for _, want := range []string{name, "LICENSE", "LICENSES.txt", "CHANGES.md", "man/livery-push.1", "completions/livery.bash"} {
			if len(files[want]) == 0 {
				t.Errorf("%v: the archive has no %s", target, want)
			}
		}
		wantMachine(t, target, files[name])
		if target.os == runtime.GOOS && target.arch == runtime.GOARCH {
			program := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(program, files[name], 0o755); err != nil {
				t.Fatal(err)
			}
			wantVersion(t, run(t, "", program, "version", "--json"))
		}
	}
}

// wantMachine fails if a program is not for the target.
func wantMachine(t *testing.T, target target, program []byte) {
	t.Helper()
	var got, want any
	r := bytes.NewReader(program)
	switch target.os {
	case "linux":
		got, want = must(elf.NewFile(r)).Machine, map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}[target.arch]
	case "darwin":
		got, want = must(macho.NewFile(r)).Cpu, map[string]macho.Cpu{"amd64": macho.CpuAmd64, "arm64": macho.CpuArm64}[target.arch]
	case "windows":
		got, want = must(pe.NewFile(r)).Machine, map[string]uint16{"amd64": pe.IMAGE_FILE_MACHINE_AMD64, "arm64": pe.IMAGE_FILE_MACHINE_ARM64}[target.arch]
	}
	if got != want {
		t.Errorf("the program for %v is for the machine %v, want %v", target, got, want)
	}
}

// wantVersion fails if what livery version --json printed is not of this release.
func wantVersion(t *testing.T, said string) {
	t.Helper()
	var v struct{ Version, Commit, Go, Module string }
	if err := json.Unmarshal([]byte(said), &v); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	module, err := digestOf(filepath.Join(built.root, "wasm", "module", "renderer.wasm"))
	if err != nil || v.Version != testVersion || v.Commit != built.commit || v.Go != runtime.Version() || !strings.Contains(v.Module, module) {
		t.Errorf("livery version --json = %s, want %s of %s with the renderer %s (%v)", said, testVersion, built.commit, module, err)
	}
}

// TestBillsNameThePrograms: each is of the program in the archive, with the modules in it.
func TestBillsNameThePrograms(t *testing.T) {
	for _, target := range targets {
		var bill struct {
			Format   string `json:"bomFormat"`
			Metadata struct {
				Component struct{ Version string }
			}
			Components []struct{ Name string }
		}
		text, err := os.ReadFile(filepath.Join(built.out, built.stem(target)+".cdx.json"))
		if err := errors.Join(err, json.Unmarshal(text, &bill)); err != nil {
			t.Fatal(err)
		}
		if bill.Format != "CycloneDX" || bill.Metadata.Component.Version != testVersion || len(bill.Components) < 20 {
			t.Errorf("the bill of %v is %+v", target, bill)
		}
	}
}

// TestTheFormulaNamesTheArchives: by their addresses and digests.
func TestTheFormulaNamesTheArchives(t *testing.T) {
	formula := string(must(os.ReadFile(filepath.Join(built.out, "livery.rb"))))
	sums := string(must(os.ReadFile(filepath.Join(built.out, sumsName))))
	lines, found := strings.Split(formula, "\n"), 0
	for i, line := range lines {
		url, ok := strings.CutPrefix(strings.TrimSpace(line), `url "https://example.com/livery/releases/`+testVersion+"/")
		if !ok {
			continue
		}
		found++
		digest := strings.Trim(strings.TrimPrefix(strings.TrimSpace(lines[i+1]), "sha256 "), `"`)
		if !strings.Contains(sums, digest+"  "+strings.Trim(url, `"`)+"\n") {
			t.Errorf("the formula says %s of %s, which is not so", digest, url)
		}
	}
	if found != 4 {
		t.Errorf("the formula names %d archives, want 4", found)
	}
}

// TestPagesAndCompletionsAreRead by the programs that they are for.
func TestPagesAndCompletionsAreRead(t *testing.T) {
	files := contents(t, filepath.Join(built.out, built.stem(target{"linux", "amd64"})+".tar.gz"))
	dir, pages := t.TempDir(), 0
	for name, content := range files {
		if strings.HasPrefix(name, "man/") || strings.HasPrefix(name, "completions/") {
			if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if strings.HasPrefix(name, "man/") {
			pages++
		}
	}
	if pages < 60 {
		t.Errorf("there are %d manual pages", pages)
	}
	run(t, dir, tool(t, "bash"), "-n", "livery.bash")
	if said := run(t, dir, tool(t, "groff"), "-man", "-Tutf8", "-w", "w", "livery-push.1"); !strings.Contains(said, "livery-push") {
		t.Errorf("groff makes of livery-push.1: %s", said)
	}
}
