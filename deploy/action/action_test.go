// Package action_test runs the jobs of the GitHub action and of the GitLab snippet against a real origin and edge, and servers
// that answer as GitHub and GitLab do.
package action_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"example.com/livery/internal/test/program"
)

func TestMain(m *testing.M) { program.Main(m.Run) }

// startDev runs livery dev until the test ends.
func startDev(t *testing.T) program.Dev {
	t.Helper()
	return program.StartDev(t, "--empty")
}

// stand is a folder with the surroundings of a job.
type stand struct {
	t   *testing.T
	dir string
	env []string
}

// run runs livery ci, or install.sh, and returns what it printed and its exit code. "close" is the review of a closed request.
func (s stand) run(args ...string) (said string, code int) {
	s.t.Helper()
	cmd := exec.Command("livery", append([]string{"ci"}, args...)...)
	cmd.Env = append(os.Environ(), s.env...)
	switch args[0] {
	case "install":
		script, err := filepath.Abs("install.sh")
		if err != nil {
			s.t.Fatal(err)
		}
		cmd = exec.Command(script)
		cmd.Env = append(os.Environ(), s.env...)
	case "close":
		cmd.Args[2] = "review"
		cmd.Env = append(cmd.Env, "CI_ENVIRONMENT_ACTION=stop")
	}
	cmd.Dir = s.dir
	out, err := cmd.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return string(out), exit.ExitCode()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return string(out), 0
}

// needs skips a test if a program is missing.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("SKIPPED: the installation needs " + program)
		}
	}
}

func (s stand) write(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func newStand(t *testing.T, d program.Dev, more ...string) stand {
	env := []string{
		"LIVERY_URL=" + d.OriginURL, "LIVERY_ENV=production", "LIVERY_THEME=acme", "LIVERY_REPLACE=true", "LIVERY_VARIANT=",
		"LIVERY_DATA=nowhere", "CI=true", "CI_ENVIRONMENT_ACTION=", "LIVERY_CREDENTIALS=nowhere", "GITHUB_ACTIONS=", "GITHUB_TOKEN=", "GITLAB_TOKEN=", "LIVERY_TOKEN=", "CI_MERGE_REQUEST_IID=", "LIVERY_FAIL_ON_BREAKING=", "LIVERY_CREATE=", "LIVERY_INTEGRATION=", "LIVERY_OUT=", "LIVERY_PREVIEW_ENV=", "LIVERY_WAIT=", "GITHUB_RUN_ID=", "GITHUB_EVENT_PATH=", "GITHUB_STEP_SUMMARY=", "GITHUB_OUTPUT=",
		"ACTIONS_ID_TOKEN_REQUEST_URL=", "CI_MERGE_REQUEST_PROJECT_ID=", "CI_MERGE_REQUEST_SOURCE_PROJECT_ID=",
	}
	return stand{t, t.TempDir(), append(env, more...)}
}

const (
	first = `{"color": {"$type": "color", "brand": {"$value": "#0055aa"}, "link": {"$value": "{color.brand}"}}}`
	next  = "{\n\"color\": {\"$type\": \"color\", \"brand\": {\"$value\": \"#00aa55\"},\n\"anchor\": {\"$value\": \"{color.brnd}\"}}}"
)

// TestWithoutFiles: without files a job takes those of livery.yaml, the Theme and each Variant.
func TestWithoutFiles(t *testing.T) {
	d := startDev(t)
	s := newStand(t, d, "LIVERY_TOKEN="+d.Token, "LIVERY_CREATE=true")
	s.write("tokens.json", first)
	s.write("dark.json", `{"color.brand": "#000000"}`)
	s.write("livery.yaml", "theme: acme\nenvironment: production\nintegrations: [react/plainCSS]\nfiles: tokens.json\nvariants: {dark: {files: dark.json, mode: scheme.dark}}\n")
	if said, code := s.run("release"); code != 0 || !strings.Contains(said, "Variant dark is version 1 now: 1 override.") {
		t.Fatalf("release = %d\n%s", code, said)
	}
	s.write("dark.json", `{"color.brand": "#111111"}`)
	if said, code := s.run("review"); code != 0 || !strings.Contains(said, "Variant dark") || !strings.Contains(said, "`#000000` | `#111111`") {
		t.Errorf("review = %d, want the change of the Variant\n%s", code, said)
	}
}

// TestTheActionOnGitHub: a pull request gets one comment, that each run writes anew, and a line for each
// fault; main is pushed and published; the token of the job is asked for and never shown.
func TestTheActionOnGitHub(t *testing.T) {
	d := startDev(t)
	f := newForge(t, d.Token)
	s := newGitHub(t, d, f)
	s.write("tokens.json", first)
	create(t, d)
	if said, code := s.run("release", "tokens.json"); code != 0 || !strings.Contains(said, "Theme acme is version 1 now: 2 tokens.") {
		t.Fatalf("release = %d\n%s", code, said)
	}
	s.write("tokens.json", next)
	said, code := s.run("review", "tokens.json")
	if code != 1 {
		t.Errorf("review of faulty files = %d, want 1\n%s", code, said)
	}
	for _, want := range []string{
		"::add-mask::", "::error file=tokens.json,line=3::color.anchor: {color.brnd} names no token Did you mean color.brand?",
		"`#0055aa` | `#00aa55`", "The served files would leave out:", "- `tokens.json:3` `color.anchor` `aliasMissing` `{color.brnd} names no token`",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("review does not say %q:\n%s", want, said)
		}
	}
	s.write("tokens.json", strings.Replace(next, "brnd", "brand", 1))
	if said, code = s.run("review", "tokens.json"); code != 0 {
		t.Errorf("review = %d\n%s", code, said)
	}
	if len(f.comments) != 1 || !strings.Contains(f.comments[0].Body, "🔴 renamed | `color.link` → `color.anchor`") || strings.Contains(f.comments[0].Body, "leave out") {
		t.Errorf("the comments are %q, want one that was written anew", f.comments)
	}
	if shown := strings.ReplaceAll(said, "::add-mask::"+d.Token, ""); strings.Contains(shown, d.Token) {
		t.Error("the token is shown")
	}
}

// TestAThemeIsMadeIfAsked: without create a Theme that does not exist is an error in a review and a release; with it the
// review says that it is new, and the release makes it, so that its files are served. A Variant likewise.
func TestAThemeIsMadeIfAsked(t *testing.T) {
	d := startDev(t)
	f := newForge(t, d.Token)
	s := newGitHub(t, d, f)
	s.write("tokens.json", first)
	s.write("night.json", `{"color.brand": "#88bbff"}`)
	for _, command := range []string{"review", "release"} {
		if said, code := s.run(command, "tokens.json"); code != 1 || !strings.Contains(said, "no Theme") {
			t.Errorf("%s = %d\n%s", command, code, said)
		}
	}
	s.env = append(s.env, "LIVERY_CREATE=true", "LIVERY_INTEGRATION=react/plainCSS")
	if said, code := s.run("review", "tokens.json"); code != 0 || len(f.comments) != 1 || !strings.Contains(f.comments[0].Body, "`acme` is new") {
		t.Errorf("review of a new Theme = %d, %q\n%s", code, f.comments, said)
	}
	if said, code := s.run("release", "tokens.json"); code != 0 || !strings.Contains(said, "Theme acme is version 1 now: 2 tokens.") {
		t.Errorf("release of a new Theme = %d\n%s", code, said)
	}
	if said, code := s.run("review", "tokens.json"); code != 0 || strings.Contains(f.comments[0].Body, "is new") {
		t.Errorf("review of a Theme that was made = %d, %q\n%s", code, f.comments, said)
	}
	s.env = append(s.env, "LIVERY_VARIANT=night")
	if said, code := s.run("review", "night.json"); code != 0 || !strings.Contains(f.comments[len(f.comments)-1].Body, "`night` is new") {
		t.Errorf("review of a new Variant = %d, %q\n%s", code, f.comments, said)
	}
	if said, code := s.run("release", "night.json"); code != 0 || !strings.Contains(said, "Variant night is version 1 now: 1 override.") {
		t.Errorf("release of a new Variant = %d\n%s", code, said)
	}
	s.env = append(s.env, "LIVERY_TOKEN=nonsense")
	if said, code := s.run("review", "night.json"); code != 5 {
		t.Errorf("review with a wrong token = %d, want 5\n%s", code, said)
	}
}

// create makes the Theme that the jobs push to.
func create(t *testing.T, d program.Dev) {
	t.Helper()
	cmd := exec.Command("livery", "theme", "create", "acme", "--env", "production", "--integration", "react/plainCSS", "--url", d.OriginURL, "--token", d.Token)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// TestTheSnippetOnGitLab: a merge request gets one note; a token that is not allowed ends with 5.
func TestTheSnippetOnGitLab(t *testing.T) {
	d := startDev(t)
	f := newForge(t, "")
	create(t, d)
	s := newStand(t, d, "LIVERY_TOKEN="+d.Token, "GITLAB_TOKEN=forge", "CI_MERGE_REQUEST_IID=3", "CI_PROJECT_ID=9", "CI_API_V4_URL="+f.URL)
	s.write("tokens.json", first)
	for range 2 {
		if said, code := s.run("review", "tokens.json"); code != 0 {
			t.Fatalf("review = %d\n%s", code, said)
		}
	}
	if len(f.comments) != 1 || f.calls[len(f.calls)-1] != "PUT /projects/9/merge_requests/3/notes/1" {
		t.Errorf("calls = %q, comments = %q", f.calls, f.comments)
	}
	s.env = append(s.env, "LIVERY_TOKEN=nonsense")
	if said, code := s.run("release", "tokens.json"); code != 5 {
		t.Errorf("release with a wrong token = %d, want 5\n%s", code, said)
	}
	s.env = append(s.env, "LIVERY_TOKEN=", "ACTIONS_ID_TOKEN_REQUEST_URL=")
	if said, code := s.run("release", "tokens.json"); code != 2 || !strings.Contains(said, "the token is missing") {
		t.Errorf("release without a token = %d\n%s", code, said)
	}
}

// TestInstall takes a program of this machine, and none from an address without its checksum.
func TestInstall(t *testing.T) {
	needs(t, "sh")
	s := newStand(t, program.Dev{})
	s.env = append(s.env, "RUNNER_TEMP="+s.dir, "GITHUB_PATH="+filepath.Join(s.dir, "path"))
	if said, code := s.run("install"); code != 0 {
		t.Fatalf("install = %d\n%s", code, said)
	}
	path, err := os.ReadFile(filepath.Join(s.dir, "path"))
	if err != nil || strings.TrimSpace(string(path)) != filepath.Join(s.dir, "bin") {
		t.Errorf("GITHUB_PATH is %q, %v", path, err)
	}
	s.env = append(s.env, "LIVERY_BINARY=https://127.0.0.1:1/livery")
	if said, code := s.run("install"); code != 2 || !strings.Contains(said, "needs its checksum") {
		t.Errorf("install from an address = %d\n%s", code, said)
	}
}

// TestInstallFromARelease takes the program and the archive of a release from an https address, if their checksum is right.
func TestInstallFromARelease(t *testing.T) {
	needs(t, "sh", "curl")
	s := newStand(t, program.Dev{})
	path, err := exec.LookPath("livery")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(s.dir, "livery_1.0.0_linux_amd64.tar.gz")
	s.write("README.md", "notes")
	for _, args := range [][]string{{"cp", path, filepath.Join(s.dir, "livery")}, {"tar", "--use-compress-program=gzip -1", "-cf", archive, "-C", s.dir, "README.md", "livery"}} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v: %s", args, err, out)
		}
	}
	packed, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"/livery_linux_amd64": program, "/livery_1.0.0_linux_amd64.tar.gz": packed}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write(files[r.URL.Path]) }))
	t.Cleanup(server.Close)
	s.write("ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})))
	for name, content := range files {
		to := t.TempDir()
		s.env = append(s.env, "CURL_CA_BUNDLE=ca.pem", "RUNNER_TEMP="+to, "GITHUB_PATH=", "LIVERY_BINARY="+server.URL+name)
		for sum, want := range map[string]int{strings.Repeat("0", 64): 2, fmt.Sprintf("%x", sha256.Sum256(content)): 0} {
			s.env = append(s.env, "LIVERY_SHA256="+sum)
			said, code := s.run("install")
			got, err := os.ReadFile(filepath.Join(to, "bin", "livery"))
			if code != want || (want == 0) != (err == nil) || want == 0 && !bytes.Equal(got, program) {
				t.Errorf("%s: install = %d, %d bytes, %v, want %d\n%s", name, code, len(got), err, want, said)
			}
			_ = os.RemoveAll(filepath.Join(to, "bin"))
		}
	}
}

// TestActionFile: the action passes its inputs as variables that livery reads, and the
// steps call the commands.
func TestActionFile(t *testing.T) {
	var action struct {
		Inputs map[string]struct {
			Description string
		}
		Runs struct {
			Steps []struct {
				Run string
				Env map[string]string
			}
		}
	}
	text, err := os.ReadFile("action.yml")
	if err == nil {
		err = yaml.Unmarshal(text, &action)
	}
	if err != nil || len(action.Runs.Steps) != 3 {
		t.Fatalf("action.yml = %+v, %v", action, err)
	}
	for name, input := range action.Inputs {
		if input.Description == "" || !strings.Contains(string(text), "inputs."+name) {
			t.Errorf("the input %s is not described or not used", name)
		}
	}
	for i, command := range []string{`"$GITHUB_ACTION_PATH/install.sh"`, `livery ci review "$FILES"`, `livery ci release "$FILES"`} {
		if action.Runs.Steps[i].Run != command {
			t.Errorf("step %d runs %s, want %s", i, action.Runs.Steps[i].Run, command)
		}
	}
	for _, step := range action.Runs.Steps[1:] {
		wantKnownVariables(t, strings.Fields(step.Run)[2], slices.Collect(maps.Keys(step.Env)))
	}
	workflow, err := os.ReadFile("workflow.example.yml")
	if err != nil {
		t.Fatal(err)
	}
	_, with, _ := strings.Cut(string(workflow), "- uses: ./deploy/action\n        with:\n")
	with, _, _ = strings.Cut(with, "\n      - ")
	for line := range strings.Lines(with) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), ":")
		if _, there := action.Inputs[name]; !there {
			t.Errorf("workflow.example.yml gives the action %q, which is not an input", name)
		}
	}
	var any map[string]any
	if err := yaml.Unmarshal(workflow, &any); err != nil {
		t.Errorf("workflow.example.yml: %v", err)
	}
}

// TestGitLabSnippet: its variables are those that livery ci and install.sh read, and one job stops the environment of another.
func TestGitLabSnippet(t *testing.T) {
	text, err := os.ReadFile("gitlab.example.yml")
	if err != nil {
		t.Fatal(err)
	}
	var jobs map[string]struct {
		Variables   map[string]string
		IDTokens    map[string]struct{ Aud string } `yaml:"id_tokens"`
		Script      []string
		Environment struct {
			Name, Action string
			OnStop       string `yaml:"on_stop"`
		}
	}
	if err := yaml.Unmarshal(text, &jobs); err != nil {
		t.Fatal(err)
	}
	review, stops, shared := jobs["tokens-review"].Environment, jobs["tokens-close"].Environment, jobs[".livery"]
	if review.OnStop != "tokens-close" || stops.Action != "stop" || review.Name != stops.Name || shared.IDTokens["LIVERY_TOKEN"].Aud == "" {
		t.Errorf("the environments are %+v and %+v, want the one stopped by the other, and a token", review, stops)
	}
	install, err := os.ReadFile("install.sh")
	if err != nil {
		t.Fatal(err)
	}
	var variables []string
	for name := range shared.Variables {
		if !strings.Contains(string(install), "${"+name) && name != "LIVERY_INTEGRATION" && name != "LIVERY_OUT" && name != "LIVERY_PREVIEW_ENV" && name != "LIVERY_FAIL_ON_BREAKING" {
			variables = append(variables, name)
		}
	}
	wantKnownVariables(t, "review", append(variables, "LIVERY_OUT", "LIVERY_PREVIEW_ENV", "LIVERY_FAIL_ON_BREAKING"))
	wantKnownVariables(t, "release", append(variables, "LIVERY_INTEGRATION"))
}

// wantKnownVariables wants each variable LIVERY_X to be the flag --x of a command of livery ci.
func wantKnownVariables(t *testing.T, command string, names []string) {
	t.Helper()
	help, err := exec.Command("livery", "ci", command, "--help").CombinedOutput()
	if err != nil {
		t.Fatalf("livery ci %s --help: %v: %s", command, err, help)
	}
	for _, name := range names {
		rest, ours := strings.CutPrefix(name, "LIVERY_")
		if flag := "--" + strings.ToLower(strings.ReplaceAll(rest, "_", "-")); ours && !strings.Contains(string(help), flag+" ") {
			t.Errorf("livery ci %s has no flag %s for %s", command, flag, name)
		}
	}
}
