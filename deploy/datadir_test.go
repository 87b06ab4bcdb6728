package deploy_test

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/livery/wasm/abi"
)

// installation is a data directory of an origin, and a program that runs on it: this one, or that of another release.
type installation struct {
	t            *testing.T
	program, dir string
	running      []*exec.Cmd
	api, token   string
	edge         string
}

// start starts an origin on the data directory, and an edge that holds nothing yet.
func (i *installation) start() {
	i.t.Helper()
	var origin struct{ OriginURL, FeedURL string }
	i.serve(&origin, "origin", i.dir, "--feed-listen", "127.0.0.1:0")
	i.api = origin.OriginURL
	i.token = i.run("token", "--data", i.dir, "--subject", "owner")
	var edge struct{ EdgeURL string }
	i.serve(&edge, "edge", i.t.TempDir(), "--upstream", origin.FeedURL, "--upstream-token-file", filepath.Join(i.dir, "feed-token"), "--compiled", compiledDir())
	i.edge = edge.EdgeURL
}

// serve starts a server and reads where it answers.
func (i *installation) serve(into any, kind, data string, args ...string) {
	i.t.Helper()
	announcement := filepath.Join(data, kind+".json")
	_ = os.Remove(announcement)
	cmd := exec.Command(i.program, append([]string{kind, "--data", data, "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0"}, args...)...)
	if err := cmd.Start(); err != nil {
		i.t.Fatal(err)
	}
	i.running = append(i.running, cmd)
	if err := announced(announcement, into); err != nil {
		i.t.Fatal(err)
	}
}

// stop ends both servers.
func (i *installation) stop() {
	i.t.Helper()
	for _, cmd := range slices.Backward(i.running) {
		if err := errors.Join(cmd.Process.Signal(os.Interrupt), cmd.Wait()); err != nil {
			i.t.Error(err)
		}
	}
	i.running = nil
}

// run runs one command and returns what it prints.
func (i *installation) run(args ...string) string {
	i.t.Helper()
	cmd := exec.Command(i.program, args...)
	cmd.Env = append(os.Environ(), "LIVERY_URL="+i.api, "LIVERY_TOKEN="+i.token)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		i.t.Fatalf("livery %s: %v: %s", strings.Join(args, " "), err, said.String())
	}
	return strings.TrimSpace(string(out))
}

// push pushes a document with a colour to a Theme or one of its Variants, and publishes it if told so.
func (i *installation) push(name, color string, more ...string) {
	i.t.Helper()
	file := filepath.Join(i.t.TempDir(), name+".json")
	text := `{"color": {"$type": "color", "brand": {"$value": "` + color + `"}, "link": {"$value": "{color.brand}"}}, "space": {"$type": "dimension", "$value": {"value": 4, "unit": "px"}}}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		i.t.Fatal(err)
	}
	i.run(append([]string{"push", file, "--env", "production", "--theme", "brand"}, more...)...)
}

// fill makes a Theme with a Variant, two versions of both, and a draft that is not published.
func (i *installation) fill() {
	i.t.Helper()
	file := filepath.Join(i.t.TempDir(), "teams.yaml")
	if err := os.WriteFile(file, []byte(teams), 0o600); err != nil {
		i.t.Fatal(err)
	}
	i.run("teams", "apply", file, "--data", i.dir)
	i.push("theme", "#0055ff", "--create", "--integration", "react/plainCSS", "--integration", "react/mui",
		"--integration", "react/buildTimeTokens", "--publish")
	i.push("dark", "#88aaff", "--variant", "dark", "--create", "--publish")
	i.push("theme", "#0066ff", "--publish")
	i.push("theme", "#123456")
}

// pinned returns the paths of the pinned files of the newest version.
func (i *installation) pinned() (paths []string) {
	i.t.Helper()
	for _, variant := range [][]string{nil, {"--variant", "dark"}} {
		address := i.run(append([]string{"open", "tokens.css", "--env", "production", "--theme", "brand", "--pinned", "--print"}, variant...)...)
		for file := range abi.File(abi.FileCount) {
			paths = append(paths, strings.Replace(address[strings.Index(address, "/env_"):], "tokens.css", file.Name(), 1))
		}
	}
	return paths
}

// files returns what the edge answers for paths.
func (i *installation) files(paths []string) map[string]string {
	i.t.Helper()
	all := map[string]string{}
	for _, path := range paths {
		all[path] = body(i.t, i.edge+path)
	}
	return all
}

// want fails if the published files differ from those of before, or the draft is not as it was left.
func (i *installation) want(before map[string]string, draft string) {
	i.t.Helper()
	for path, text := range i.files(slices.Sorted(maps.Keys(before))) {
		if text != before[path] {
			i.t.Errorf("%s = %q, want what was published: %q", path, text, before[path])
		}
	}
	if text := i.run("pull", "--env", "production", "--theme", "brand"); !strings.Contains(text, draft) {
		i.t.Errorf("the draft is %s, want one with %s", text, draft)
	}
}

// next publishes the draft and leaves another, and adds what is published to the files of before.
func (i *installation) next(before map[string]string, draft string) {
	i.t.Helper()
	i.run("publish", "--env", "production", "--theme", "brand")
	maps.Copy(before, i.files(i.pinned()))
	i.push("theme", draft)
}

// TestADirectoryOfTheLastReleaseIsUpgraded: the directory that the last release left opens, every published file has its
// bytes, the draft is there and is published, and the store is whole.
func TestADirectoryOfTheLastReleaseIsUpgraded(t *testing.T) {
	t.Parallel()
	version, _ := recorded(t)
	dir := t.TempDir()
	unpack(t, "surface/"+version+".data.tar.gz", dir)
	before := map[string]string{}
	for path := range strings.FieldsSeq(read(t, filepath.Join(dir, "paths"))) {
		before[path] = read(t, filepath.Join(dir, "files", strings.ReplaceAll(path, "/", "_")))
	}
	if len(before) != 20 {
		t.Fatalf("%d files were published", len(before))
	}
	i := &installation{t: t, program: "livery", dir: filepath.Join(dir, "data")}
	i.start()
	i.want(before, "#123456")
	i.next(before, "#abcdef")
	i.want(before, "#abcdef")
	i.stop()
	i.run("check-store", i.dir)
}

// TestADirectoryGoesToThisReleaseAndBack: the program that LIVERY_LAST_RELEASE names, which make release-check builds,
// writes a directory, this one goes on with it, that one again, and this one again. Nothing that was published changes.
func TestADirectoryGoesToThisReleaseAndBack(t *testing.T) {
	last := os.Getenv("LIVERY_LAST_RELEASE")
	if last == "" {
		t.Skip("SKIPPED: LIVERY_LAST_RELEASE names no program of the last release; make release-check builds one")
	}
	i := &installation{t: t, program: last, dir: filepath.Join(t.TempDir(), "data")}
	i.start()
	i.fill()
	before := i.files(i.pinned())
	draft := "#123456"
	for _, step := range []struct{ program, draft string }{{"livery", "#111111"}, {last, "#222222"}, {"livery", "#333333"}} {
		i.stop()
		i.program = step.program
		i.start()
		i.want(before, draft)
		i.next(before, step.draft)
		draft = step.draft
	}
	i.want(before, draft)
	i.stop()
	i.run("check-store", i.dir)
}

// TestRecordADirectory writes a data directory of this release with its published files, if it is asked to (make cut).
func TestRecordADirectory(t *testing.T) {
	if *record == "" {
		return
	}
	dir := t.TempDir()
	i := &installation{t: t, program: "livery", dir: filepath.Join(dir, "data")}
	i.start()
	i.fill()
	published := i.files(i.pinned())
	first := map[string]string{}
	for path := range published {
		first[strings.Replace(path, "/2/", "/1/", 1)] = ""
	}
	maps.Copy(published, i.files(slices.Collect(maps.Keys(first))))
	i.stop()
	if err := os.Mkdir(filepath.Join(dir, "files"), 0o755); err != nil {
		t.Fatal(err)
	}
	paths := slices.Sorted(maps.Keys(published))
	for _, path := range paths {
		if err := os.WriteFile(filepath.Join(dir, "files", strings.ReplaceAll(path, "/", "_")), []byte(published[path]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "paths"), []byte(strings.Join(paths, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	pack(t, "surface/"+*record+".data.tar.gz", dir)
}

// pack writes the files below dir into an archive, without sockets and without the ballast, which an origin makes anew.
func pack(t *testing.T, to, dir string) {
	t.Helper()
	f, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	compressed, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	archive := tar.NewWriter(compressed)
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || d.Name() == "livery-ballast" {
			return err
		}
		text := []byte(read(t, path))
		name, _ := filepath.Rel(dir, path)
		err = archive.WriteHeader(&tar.Header{Name: filepath.ToSlash(name), Mode: 0o600, Size: int64(len(text))})
		if err == nil {
			_, err = archive.Write(text)
		}
		return err
	})
	if err := errors.Join(err, archive.Close(), compressed.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
}

// unpack writes the files of an archive of ours below dir.
func unpack(t *testing.T, from, dir string) {
	t.Helper()
	f, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	compressed, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for archive := tar.NewReader(compressed); ; {
		head, err := archive.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(archive)
		to := filepath.Join(dir, filepath.FromSlash(head.Name))
		if err := errors.Join(err, os.MkdirAll(filepath.Dir(to), 0o700), os.WriteFile(to, text, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}
