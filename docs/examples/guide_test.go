package examples_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// step is one command of a text, and the lines that follow it.
type step struct {
	line    int
	command string
	prints  []string
}

// transcript lists the commands of a Markdown text with a prompt, and what each prints.
func transcript(text string) []step {
	var list []step
	for i, line := range strings.Split(text, "\n") {
		code, indented := strings.CutPrefix(line, "    ")
		switch {
		case !indented:
			if line != "" && len(list) > 0 {
				list = append(list, step{}) // the end of a block ends what a command prints
			}
		case strings.HasPrefix(code, "$ "):
			list = append(list, step{line: i + 1, command: code[2:]})
		case len(list) > 0 && list[len(list)-1].command != "":
			list[len(list)-1].prints = append(list[len(list)-1].prints, code)
		}
	}
	return slices.DeleteFunc(list, func(s step) bool { return s.command == "" })
}

// matches reports whether a line is as written, if "…" stands for anything.
func matches(written, line string) bool {
	pattern := strings.ReplaceAll(regexp.QuoteMeta(written), "…", ".*")
	return regexp.MustCompile("^" + pattern + "$").MatchString(line)
}

// shell runs a line in a folder and returns what it printed.
func (d *dev) shell(dir, line string) (said string, err error) {
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LIVERY_DATA="+d.data, "LIVERY_CREDENTIALS="+filepath.Join(d.data, "none"), "CI=")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// copyTo copies files of this folder.
func copyTo(t *testing.T, dir string, names map[string]string) {
	t.Helper()
	for from, to := range names {
		if err := os.WriteFile(filepath.Join(dir, to), []byte(read(t, from)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTheGuide runs every command of the guide from its text, and wants it to print what stands there.
func TestTheGuide(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "docs", "examples")
	for to, from := range map[string]string{filepath.Join(dir, "theme"): "theme", filepath.Join(root, "client", "js"): "../../client/js"} {
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"acme.tokens.json", "midnight.json", "livery.yaml", "studio.json", "brands.mjs", "fetch.mjs"} {
		copyTo(t, dir, map[string]string{name: name})
	}
	follow(t, "README.md", dir, 15)
}

// TestTheTutorial does what the tutorial says: it saves the files that stand there, and runs its commands.
func TestTheTutorial(t *testing.T) {
	dir := t.TempDir()
	for _, file := range regexp.MustCompile("(?ms)^```[a-z]+ ([a-z.]+)\n(.*?)^```$").FindAllStringSubmatch(read(t, "../tutorial.md"), -1) {
		if err := os.WriteFile(filepath.Join(dir, file[1]), []byte(file[2]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	follow(t, "../tutorial.md", dir, 8)
}

// follow runs the commands of a text, at least so many, in a folder.
func follow(t *testing.T, name, dir string, least int) {
	t.Helper()
	steps := transcript(read(t, name))
	if len(steps) < least {
		t.Fatalf("%s has %d commands", name, len(steps))
	}
	d := startDev(t, "--empty")
	for _, s := range steps {
		program, _, _ := strings.Cut(s.command, " ")
		if _, err := exec.LookPath(program); err != nil {
			t.Logf("NOT PROVEN: %s is not on the path for %s:%d", program, name, s.line)
			continue
		}
		said, _ := d.shell(dir, s.command)
		got := strings.Split(strings.TrimRight(said, "\n"), "\n")
		if !slices.EqualFunc(s.prints, got, matches) {
			t.Errorf("%s:%d: %s prints\n%s\nwant\n%s", name, s.line, s.command, said, strings.Join(s.prints, "\n"))
		}
	}
}

// readmeCommands lists the commands of ours in the code of a Markdown text that has no prompts.
func readmeCommands(text string) []step {
	var list []step
	fenced := false
	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
			continue
		}
		code, indented := strings.CutPrefix(line, "    ")
		if !indented && !fenced {
			continue
		}
		code, _, _ = strings.Cut(strings.TrimPrefix(strings.TrimSpace(code), "$ "), " #")
		first, _, _ := strings.Cut(code, " ")
		if slices.Contains([]string{"livery", "./bin/livery", "make"}, first) {
			list = append(list, step{line: i + 1, command: strings.TrimSpace(code)})
		}
	}
	return list
}

// TestTheREADME runs every command of the README: what builds is looked up in the Makefile, what serves is
// started until it answers, and everything else must end well.
func TestTheREADME(t *testing.T) {
	steps := readmeCommands(read(t, "../../README.md"))
	if len(steps) < 5 {
		t.Fatalf("the README has %d commands", len(steps))
	}
	r := reading{t: t, d: startDev(t, "--empty"), dir: t.TempDir()}
	r.prepare()
	for _, s := range steps {
		r.run(s)
	}
}

// reading is somebody who types what stands in the README.
type reading struct {
	t   *testing.T
	d   *dev
	dir string
}

// prepare makes what a reader has: the program, files of tokens, and a file of Teams.
func (r *reading) prepare() {
	r.t.Helper()
	copyTo(r.t, r.dir, map[string]string{"acme.tokens.json": "my.tokens.json", "midnight.json": "dark.json"})
	program, err := exec.LookPath("livery")
	if err == nil {
		err = os.Mkdir(filepath.Join(r.dir, "bin"), 0o755)
	}
	if err == nil {
		err = os.Symlink(program, filepath.Join(r.dir, "bin", "livery"))
	}
	const teams = "teams:\n  - slug: acme\n    plan: pro\n    members: [ci]\n    environments:\n" +
		"      - {slug: sandbox, displayName: Sandbox, kind: sandbox, cacheLifetime: 0, grants: {ci: editor}}\n"
	if err == nil {
		err = os.WriteFile(filepath.Join(r.dir, "teams.yaml"), []byte(teams), 0o644)
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *reading) run(s step) {
	r.t.Helper()
	command := strings.Join(strings.Fields(s.command), " ")
	words := strings.Fields(command)
	switch {
	case words[0] == "make":
		r.make(s, words[1])
	case words[1] == "dev" || words[1] == "origin" || words[1] == "edge":
		r.serve(s, words[1], r.fill(words[1], command))
	default:
		if said, err := r.d.shell(r.dir, r.fill("origin", command)); err != nil {
			r.t.Errorf("README.md:%d: %s: %v\n%s", s.line, s.command, err, said)
		}
	}
}

// make wants a target to be one of the Makefile; what it does is not done here.
func (r *reading) make(s step, target string) {
	if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(target) + `:`).MatchString(read(r.t, "../../Makefile")) {
		r.t.Errorf("README.md:%d: the Makefile has no target %s", s.line, target)
	}
}

// fill puts what a reader would in the place of what the text leaves open.
func (r *reading) fill(server, command string) string {
	upstream := "http://127.0.0.1:1"
	var origin struct{ FeedURL string }
	if text, err := os.ReadFile(filepath.Join(r.dir, "origin", "origin.json")); err == nil && json.Unmarshal(text, &origin) == nil && origin.FeedURL != "" {
		upstream = origin.FeedURL
	}
	return strings.NewReplacer(
		"--data DIR", "--data "+server, "listen …", "listen 127.0.0.1:0", "--upstream URL", "--upstream "+upstream, "-url URL", "-url http://127.0.0.1:1",
		"--upstream-token-file FILE", "--upstream-token-file origin/feed-token",
	).Replace(command)
}

// serve starts a server and waits until it says that it answers.
func (r *reading) serve(s step, name, command string) {
	cmd := exec.Command("sh", "-c", "exec "+command)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "LIVERY_OPS_LISTEN=127.0.0.1:0", "LIVERY_ORIGIN=127.0.0.1:0", "LIVERY_EDGE=127.0.0.1:0", "LIVERY_LOG_LEVEL=error")
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	r.t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		<-ended
	})
	announced := filepath.Join(r.dir, name, name+".json")
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(announced); err == nil {
			return
		}
		select {
		case err := <-ended:
			ended <- err
			r.t.Errorf("README.md:%d: %s ended: %v\n%s", s.line, command, err, said.String())
			return
		default:
		}
	}
	r.t.Errorf("README.md:%d: %s does not answer", s.line, command)
}
