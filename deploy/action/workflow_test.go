package action_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// workflow is what GitHub's runner reads of action.yml, and the inputs that workflow.example.yml gives.
type workflow struct {
	inputs map[string]string
	steps  []struct {
		If, Run string
		Env     map[string]string
	}
}

func newWorkflow(t *testing.T) (w workflow) {
	t.Helper()
	var action struct {
		Inputs map[string]struct{ Default string }
		Runs   struct {
			Steps []struct {
				If, Run string
				Env     map[string]string
			}
		}
	}
	var example struct {
		Jobs map[string]struct {
			Steps []struct {
				Uses string
				With map[string]string
			}
		}
	}
	for name, into := range map[string]any{"action.yml": &action, "workflow.example.yml": &example} {
		text, err := os.ReadFile(name)
		if err == nil {
			err = yaml.Unmarshal(text, into)
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	w.steps, w.inputs = action.Runs.Steps, map[string]string{}
	for name, input := range action.Inputs {
		w.inputs[name] = input.Default
	}
	for _, step := range example.Jobs["tokens"].Steps {
		if step.Uses == "./deploy/action" {
			for name, value := range step.With {
				w.inputs[name] = value
			}
		}
	}
	return w
}

var expression = regexp.MustCompile(`\$\{\{ (.*?) \}\}`)

// value is that of a name or a text in an expression.
func (w workflow) value(t *testing.T, github map[string]string, term string) string {
	if text, quoted := strings.CutPrefix(term, "'"); quoted {
		return strings.TrimSuffix(text, "'")
	}
	if name, ok := strings.CutPrefix(term, "inputs."); ok {
		return w.inputs[name]
	}
	value, known := github[term]
	if !known {
		t.Fatalf("the value of %q is not known here", term)
	}
	return value
}

// holds says whether comparisons with && between them are true.
func (w workflow) holds(t *testing.T, github map[string]string, condition string) bool {
	for _, part := range strings.Split(condition, " && ") {
		left, right, equal := strings.Cut(part, " == ")
		if !equal {
			var differs bool
			if left, right, differs = strings.Cut(part, " != "); !differs {
				t.Fatalf("the condition %q is not understood", part)
			}
		}
		if (w.value(t, github, left) == w.value(t, github, right)) != equal {
			return false
		}
	}
	return true
}

// run runs the steps of the action whose conditions hold and returns which did, and how the last ended.
func (w workflow) run(t *testing.T, s stand, github map[string]string) (ran string, code int) {
	t.Helper()
	path, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range w.steps {
		if step.If != "" && !w.holds(t, github, step.If) {
			continue
		}
		cmd := exec.Command("sh", "-e", "-c", step.Run)
		cmd.Dir = s.dir
		cmd.Env = append(os.Environ(), s.env...)
		cmd.Env = append(cmd.Env, "GITHUB_ACTION_PATH="+path, "RUNNER_TEMP="+s.dir, "GITHUB_PATH="+filepath.Join(s.dir, "path"))
		for name, text := range step.Env {
			value := expression.ReplaceAllStringFunc(text, func(found string) string {
				inner := expression.FindStringSubmatch(found)[1]
				if condition, otherwise, both := strings.Cut(inner, " || "); both { // A && B || C
					condition, then, _ := strings.Cut(condition, " && ")
					if inner = otherwise; w.holds(t, github, condition) {
						inner = then
					}
				}
				return w.value(t, github, inner)
			})
			cmd.Env = append(cmd.Env, name+"="+value)
		}
		out, err := cmd.CombinedOutput()
		for _, word := range []string{"install", "review", "release"} {
			if strings.Contains(step.Run, word) {
				ran += " " + word
			}
		}
		if code = cmd.ProcessState.ExitCode(); err != nil {
			t.Logf("%s", out)
			return ran, code
		}
	}
	return ran, code
}

// TestTheExampleWorkflow runs the steps of the action as GitHub's runner does, with the inputs of the example and its files:
// a pull request is opened, pushed to again and merged, main is released, and another branch does nothing.
func TestTheExampleWorkflow(t *testing.T) {
	g := newGuided(t, previews)
	f := newForge(t, "")
	f.open = []int{7}
	w := newWorkflow(t)
	w.inputs["url"], w.inputs["binary"], w.inputs["sha256"], w.inputs["github-token"] = g.OriginURL, "livery", "", "forge"
	file := w.inputs["files"]
	address := ""
	for _, c := range []struct {
		event, action, branch, colour string
		claims                        claims
		ran                           string
		then                          func()
	}{
		{"push", "", "main", "#000001", onGitHub(nil), " install release", func() {}},
		{"pull_request", "opened", "7/merge", "#000002", onGitHub(onPull), " install review", func() {
			address = f.address(t)
			served(t, address, "--color-brand: #000002")
		}},
		{"pull_request", "synchronize", "7/merge", "#000003", onGitHub(onPull), " install review", func() { served(t, address, "--color-brand: #000003") }},
		{"push", "", "feature", "#000003", onGitHub(claims{"ref": "refs/heads/feature"}), " install", func() {}},
		{"pull_request", "closed", "main", "#000003", onGitHub(onMerged), " install review", func() { gone(t, address) }},
		{"push", "", "main", "#000003", onGitHub(nil), " install release", func() {}},
	} {
		f.identity = g.identity(t, c.claims)
		s := newGitHub(t, g.devFile, f, "GITHUB_OUTPUT=output", "LIVERY_REPLACE=", "LIVERY_THEME=", "LIVERY_ENV=", "LIVERY_URL=", "GITHUB_SERVER_URL=https://github.com")
		s.write("event.json", `{"action":"`+c.action+`","pull_request":{"number":7,"head":{"repo":{"id":456789}},"base":{"repo":{"id":456789}}}}`)
		if err := os.MkdirAll(filepath.Join(s.dir, filepath.Dir(file)), 0o755); err != nil {
			t.Fatal(err)
		}
		s.write(file, strings.Replace(first, "#0055aa", c.colour, 1))
		ran, code := w.run(t, s, map[string]string{
			"github.event_name": c.event, "github.event.action": c.action, "github.ref_name": c.branch,
			"github.event.repository.default_branch": "main",
		})
		if code != 0 || ran != c.ran {
			t.Fatalf("%s %s: the steps%s ended with %d, want%s and 0", c.event, c.action, ran, code, c.ran)
		}
		if _, err := os.Stat(filepath.Join(s.dir, w.inputs["preview"])); (err == nil) != (strings.HasSuffix(ran, "review") && c.action != "closed") {
			t.Errorf("%s %s: the page: %v", c.event, c.action, err)
		}
		c.then()
	}
	production := strings.TrimSpace(g.livery(t, "open", "--env", "production", "--theme", "acme", "--print"))
	served(t, production, "--color-brand: #000003")
}

// gitLabJob is a job of gitlab.example.yml, with what it extends in it.
type gitLabJob struct {
	Variables   map[string]string
	IDTokens    map[string]struct{ Aud string } `yaml:"id_tokens"`
	Before      []string                        `yaml:"before_script"`
	Script      []string
	Environment struct {
		Name, Action string
		OnStop       string `yaml:"on_stop"`
	}
}

// TestTheExampleForGitLab runs the jobs of the example in a project of its own: a merge request is opened, pushed to again and
// merged, and main is released.
func TestTheExampleForGitLab(t *testing.T) {
	text, err := os.ReadFile("gitlab.example.yml")
	if err != nil {
		t.Fatal(err)
	}
	jobs := map[string]gitLabJob{}
	if err := yaml.Unmarshal(text, &jobs); err != nil {
		t.Fatal(err)
	}
	review, stops := jobs["tokens-review"].Environment, jobs["tokens-close"].Environment
	if review.OnStop != "tokens-close" || stops.Action != "stop" || review.Name != stops.Name || jobs[".livery"].IDTokens["LIVERY_TOKEN"].Aud == "" {
		t.Errorf("the environments are %+v and %+v, want the one stopped by the other, and a token", review, stops)
	}
	g := newGuided(t, previews)
	f := newForge(t, "")
	action, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	address := ""
	for _, c := range []struct {
		job, colour string
		claims      claims
		then        func()
	}{
		{"tokens-release", "#000001", onGitLab(nil), func() {}},
		{"tokens-review", "#000002", onGitLab(onMerge), func() {
			address = f.address(t)
			served(t, address, "--color-brand: #000002")
		}},
		{"tokens-review", "#000003", onGitLab(onMerge), func() { served(t, address, "--color-brand: #000003") }},
		{"tokens-close", "#000003", onGitLab(onMerge), func() { gone(t, address) }},
		{"tokens-release", "#000003", onGitLab(nil), func() {}},
	} {
		s := newStand(t, g.devFile, "CI_PROJECT_ID=22", "CI_API_V4_URL="+f.URL, "GITLAB_TOKEN=forge")
		for name, value := range jobs[".livery"].Variables {
			s.env = append(s.env, name+"="+value)
		}
		s.env = append(s.env, "LIVERY_URL="+g.OriginURL, "LIVERY_TOKEN="+g.identity(t, c.claims), "LIVERY_BINARY=livery", "CI_PROJECT_DIR="+s.dir)
		if c.job == "tokens-close" {
			s.env = append(s.env, "CI_ENVIRONMENT_ACTION=stop")
		}
		if c.job != "tokens-release" {
			s.env = append(s.env, "CI_MERGE_REQUEST_IID=7", "CI_MERGE_REQUEST_PROJECT_ID=22", "CI_MERGE_REQUEST_SOURCE_PROJECT_ID=22")
		}
		for _, folder := range []string{"deploy", "tokens"} {
			if err := os.Mkdir(filepath.Join(s.dir, folder), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Symlink(action, filepath.Join(s.dir, "deploy", "action")); err != nil {
			t.Fatal(err)
		}
		s.write("tokens/acme.tokens.json", strings.Replace(first, "#0055aa", c.colour, 1))
		apk := "apk() { :; }" // its image is not this machine
		cmd := exec.Command("sh", "-e", "-c", strings.Join(append(append([]string{apk}, jobs[".livery"].Before...), jobs[c.job].Script...), "\n"))
		cmd.Dir, cmd.Env = s.dir, append(os.Environ(), s.env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", c.job, err, out)
		}
		c.then()
	}
	production := strings.TrimSpace(g.livery(t, "open", "--env", "production", "--theme", "acme", "--print"))
	served(t, production, "--color-brand: #000003")
}
