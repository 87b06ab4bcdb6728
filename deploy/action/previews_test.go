package action_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/livery/internal/test/program"
)

// livery runs the program as the owner of the Team and returns what it printed.
func (g guided) livery(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("livery", args...)
	cmd.Env = append(os.Environ(), "LIVERY_URL="+g.OriginURL, "LIVERY_TOKEN="+g.Token, "LIVERY_DATA="+g.Data)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("livery %q: %v: %s", args, err, out)
	}
	return string(out)
}

// themeID returns the id of the Theme in production.
func (g guided) themeID(t *testing.T) string {
	t.Helper()
	var theme struct{ ID string }
	if err := json.Unmarshal([]byte(g.livery(t, "theme", "show", "acme", "--env", "production", "--json")), &theme); err != nil {
		t.Fatal(err)
	}
	return theme.ID
}

// slugs lists the Themes of an Environment.
func (g guided) slugs(t *testing.T, environment string) (slugs []string) {
	t.Helper()
	var themes []struct{ Slug string }
	if err := json.Unmarshal([]byte(g.livery(t, "theme", "list", "--env", environment, "--json")), &themes); err != nil {
		t.Fatal(err)
	}
	for _, theme := range themes {
		slugs = append(slugs, theme.Slug)
	}
	return slugs
}

// get reads a file of the edge as a page of an origin does.
func get(t *testing.T, address, origin string) (status int, body string) {
	t.Helper()
	request, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Origin", origin)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// served waits until the edge has a file with the text at the address, and returns it.
func served(t *testing.T, address, text string) (body string) {
	t.Helper()
	status := 0
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if status, body = get(t, address, page); status == 200 && strings.Contains(body, text) {
			return body
		}
	}
	t.Errorf("%s = %d %q, want %q in it", address, status, body, text)
	return body
}

// gone waits until the edge has nothing at the address.
func gone(t *testing.T, address string) {
	t.Helper()
	status := 0
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if status, _ = get(t, address, page); status == 404 {
			return
		}
	}
	t.Errorf("%s still answers %d", address, status)
}

// page is the origin whose pages may load the files of the Theme.
const page = "https://app.example.com"

var cssAddress = regexp.MustCompile("`tokens.css`\\]\\((\\S+)\\)")

// address returns the address of the stylesheet in the last comment, "" if it has none.
func (f *forge) address(t *testing.T) string {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.comments) != 1 {
		t.Fatalf("the comments are %q, want one", f.comments)
	}
	found := cssAddress.FindStringSubmatch(f.comments[0].Body)
	if found == nil {
		return ""
	}
	return found[1]
}

// pullRequest is the road of a pull request at one forge.
type pullRequest struct {
	name                  string
	push, review, closing claims
	job                   func(t *testing.T, g guided, f *forge, c claims) stand // a job with these claims
}

// onBoth are the same pull request on both forges.
var onBoth = []pullRequest{
	{"GitHub", onGitHub(nil), onGitHub(onPull), onGitHub(onMerged), func(t *testing.T, g guided, f *forge, c claims) stand {
		f.identity = g.identity(t, c)
		s := newGitHub(t, g.Dev, f, "LIVERY_PREVIEW_ENV=preview", "GITHUB_OUTPUT=output")
		s.write("event.json", `{"pull_request":{"number":7,"head":{"repo":{"id":456789}},"base":{"repo":{"id":456789}}}}`)
		return s
	}},
	{"GitLab", onGitLab(nil), onGitLab(onMerge), onGitLab(onMerge), func(t *testing.T, g guided, f *forge, c claims) stand {
		return newStand(t, g.Dev, "LIVERY_TOKEN="+g.identity(t, c), "LIVERY_PREVIEW_ENV=preview", "GITLAB_TOKEN=forge", "CI_API_V4_URL="+f.URL,
			"CI_PROJECT_ID=22", "CI_MERGE_REQUEST_IID=7", "CI_MERGE_REQUEST_PROJECT_ID=22", "CI_MERGE_REQUEST_SOURCE_PROJECT_ID=22")
	}},
}

// colour is a Theme's file with one colour.
func colour(value string) string {
	return fmt.Sprintf(`{"color": {"$type": "color", "brand": {"$value": %q}, "new": {"$value": "{color.brand}"}}}`, value)
}

// TestAPullRequestHasAPreview: with what the guide shows, the comment of a pull request has an address under which an edge
// serves its tokens, as a release of them would, by the rules of the Theme as they are; a later push has the same address,
// and closing the request ends it. Production stays as it is.
func TestAPullRequestHasAPreview(t *testing.T) {
	for _, pull := range onBoth {
		t.Run(pull.name, func(t *testing.T) {
			g := newGuided(t, true)
			f := newForge(t, "")
			f.open = []int{7}
			run := func(c claims, text, command string, want int) {
				t.Helper()
				s := pull.job(t, g, f, c)
				s.write("tokens.json", text)
				args := []string{command, "tokens.json"}
				if command == "close" {
					args = args[:1]
				}
				if said, code := s.run(args...); code != want {
					t.Fatalf("%s = %d, want %d\n%s", command, code, want, said)
				}
				if output, err := os.ReadFile(filepath.Join(s.dir, "output")); command == "review" && pull.name == "GitHub" && want == may &&
					string(output) != "preview-url="+f.address(t)+"\n" {
					t.Errorf("the outputs are %q, %v", output, err)
				}
			}
			run(pull.push, first, "release", may)
			production := strings.TrimSpace(g.livery(t, "open", "--env", "production", "--theme", "acme", "--print"))
			_, released := get(t, production, page)
			theme := g.themeID(t)
			g.livery(t, "serving", "set", theme, "--allowed-origin", page)

			run(pull.review, colour("#00aa55"), "review", may)
			address := f.address(t)
			if body := served(t, address, "--color-brand: #00aa55"); !strings.Contains(body, "--color-new: ") {
				t.Errorf("%s = %q, want the tokens of the pull request", address, body)
			}
			if status, _ := get(t, address, "https://evil.example"); status != 403 {
				t.Errorf("%s for another origin = %d, want 403, as of the Theme", address, status)
			}
			g.livery(t, "serving", "set", theme, "--allowed-origin", "https://other.example", "--allowed-origin", page)
			for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
				if status, _ := get(t, address, "https://other.example"); status == 200 {
					break
				} else if time.Now().After(deadline) {
					t.Fatalf("%s = %d after the rules of the Theme changed, want 200", address, status)
				}
			}

			run(pull.review, colour("#aa0055"), "review", may)
			again := f.address(t)
			preview := served(t, again, "--color-brand: #aa0055")
			if again != address {
				t.Errorf("after a second push the address is %s, want %s", again, address)
			}
			run(pull.review, colour("#aa0055"), "review", may) // nothing changed
			if got := f.address(t); got != address {
				t.Errorf("the same files have the address %s, want %s", got, address)
			}
			run(pull.review, colour("#aa0055"), "release", mayNot)
			if _, now := get(t, production, page); now != released {
				t.Errorf("production serves %q now, want %q", now, released)
			}

			run(pull.closing, colour("#aa0055"), "close", may)
			gone(t, address)
			if slugs := g.slugs(t, "preview"); len(slugs) != 0 {
				t.Errorf("the previews are %q, want none", slugs)
			}
			run(pull.closing, colour("#aa0055"), "close", may) // once more
			if _, now := get(t, production, page); now != released {
				t.Errorf("production serves %q now, want %q", now, released)
			}
			run(pull.push, colour("#aa0055"), "release", may)
			if _, now := get(t, production, page); now != preview {
				t.Errorf("a release serves %q, but the preview was %q", now, preview)
			}
		})
	}
}

// TestThePreviewOfAVariant is of its Theme as it is and of the Variant with the files, which are laid over what there is if
// that is what a release does.
func TestThePreviewOfAVariant(t *testing.T) {
	g := newGuided(t, true)
	f := newForge(t, "")
	job := func(c claims, text string, more ...string) stand {
		s := onBoth[0].job(t, g, f, c)
		s.env = append(s.env, more...)
		s.write("tokens.json", text)
		return s
	}
	night := []string{"LIVERY_VARIANT=night", "LIVERY_CREATE=true", "LIVERY_REPLACE=false"}
	if said, code := job(onGitHub(nil), first).run("release", "tokens.json"); code != 0 {
		t.Fatalf("release = %d\n%s", code, said)
	}
	for _, c := range []struct{ text, want string }{
		{`{"color.brand": "#111111"}`, "--color-brand: #111111"}, // the Variant is new
		{`{"color.link": "#222222"}`, "--color-link: #222222"},
	} {
		f.comments = nil
		if said, code := job(onGitHub(onPull), c.text, night...).run("review", "tokens.json"); code != 0 {
			t.Fatalf("review = %d\n%s", code, said)
		}
		if body := served(t, f.address(t), c.want); !strings.Contains(body, "--color-brand: #111111") {
			t.Errorf("the preview of %s = %q", c.text, body)
		}
		if said, code := job(onGitHub(nil), c.text, night...).run("release", "tokens.json"); code != 0 {
			t.Fatalf("release = %d\n%s", code, said)
		}
	}
	if slugs := fmt.Sprint(g.slugs(t, "preview")); slugs != "[acme-night-pr-7]" {
		t.Errorf("the previews are %s", slugs)
	}
	f.comments = nil
	if said, code := job(onGitHub(onPull), `{"color": {"$type": "color", "spare": {"$value": "#333333"}}}`, "LIVERY_REPLACE=false").run("review", "tokens.json"); code != 0 {
		t.Fatalf("review = %d\n%s", code, said)
	}
	if body := served(t, f.address(t), "--color-spare: #333333"); !strings.Contains(body, "--color-brand: #0055aa") {
		t.Errorf("the preview of what is laid over the Theme is %q", body)
	}
}

// TestAThemeThatTheJobMayNotRead: the rules of a Theme may keep the machine of the job out. Its preview has an address all the
// same, and a release need not wait for what it cannot see.
func TestAThemeThatTheJobMayNotRead(t *testing.T) {
	g := newGuided(t, true)
	f := newForge(t, "")
	g.livery(t, "serving", "set", g.themeID(t), "--allowed-ip", "192.0.2.0/24")
	s := onBoth[0].job(t, g, f, onGitHub(onPull))
	s.write("tokens.json", first)
	if said, code := s.run("review", "tokens.json"); code != 0 {
		t.Fatalf("review = %d\n%s", code, said)
	}
	if status, _ := get(t, f.address(t), page); status != 403 {
		t.Errorf("the preview = %d for a machine that the Theme keeps out, want 403", status)
	}
	for wait, want := range map[string]int{"true": 1, "false": 0} {
		s := onBoth[0].job(t, g, f, onGitHub(nil))
		s.env = append(s.env, "LIVERY_WAIT="+wait)
		s.write("tokens.json", strings.Replace(first, "#0055aa", map[string]string{"true": "#000000", "false": "#ffffff"}[wait], 1))
		if said, code := s.run("release", "tokens.json"); code != want {
			t.Errorf("release with wait %s = %d, want %d\n%s", wait, code, want, said)
		}
	}
}

// TestWhyThereIsNoPreview: files with faults, and a Theme that does not exist, have none, and the comment says why; so it does
// if the identity may not write previews, which ends the job.
func TestWhyThereIsNoPreview(t *testing.T) {
	g := newGuided(t, true)
	f := newForge(t, "")
	g.livery(t, "theme", "create", "bare", "--env", "production")
	for _, c := range []struct {
		name, text string
		claims     claims
		more       []string
		code       int
		want       string
	}{
		{"faults", next, onGitHub(onPull), nil, 1, "No preview: the files have faults."},
		{"a new Theme", first, onGitHub(onPull), []string{"LIVERY_THEME=other", "LIVERY_CREATE=true"}, 0, "No preview: it is served by the rules of the Theme, which does not exist yet."},
		{"no such Environment", first, onGitHub(onPull), []string{"LIVERY_PREVIEW_ENV=nowhere"}, 1, "No preview: it could not be published; the log of the job says why."},
		{"no files", first, onGitHub(onPull), []string{"LIVERY_THEME=bare"}, 0, "No preview: the Theme serves no file until it has an integration."},
		{"not an Environment of previews", first, onGitHub(onPull), []string{"LIVERY_PREVIEW_ENV=production"}, 1, "No preview: it could not be published; the log of the job says why."},
	} {
		f.comments = nil
		s := onBoth[0].job(t, g, f, c.claims)
		s.env = append(s.env, c.more...)
		s.write("tokens.json", c.text)
		if said, code := s.run("review", "tokens.json"); code != c.code || len(f.comments) != 1 || !strings.Contains(f.comments[0].Body, c.want) {
			t.Errorf("%s: review = %d, %q, want %d and %q\n%s", c.name, code, f.comments, c.code, c.want, said)
		}
	}
	for _, environment := range []string{"preview", "production"} {
		if slugs := fmt.Sprint(g.slugs(t, environment)); slugs != map[string]string{"preview": "[bare-pr-7]", "production": "[acme bare]"}[environment] {
			t.Errorf("%s has %s", environment, slugs)
		}
	}
}

// TestTheIdentityOfAPullRequestWritesPreviewsAlone: it can neither change production nor make anything but a preview.
func TestTheIdentityOfAPullRequestWritesPreviewsAlone(t *testing.T) {
	g, dir := newGuided(t, true), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "tokens.json"), []byte(first), 0o600); err != nil {
		t.Fatal(err)
	}
	for forge, c := range map[string]claims{"GitHub": onGitHub(onPull), "GitLab": onGitLab(onMerge)} {
		token := g.identity(t, c)
		for _, args := range []struct {
			line string
			code int
		}{
			{"theme create mine --env production", 5},
			{"theme delete acme --env production --yes", 5},
			{"theme update acme --env production --name X", 5},
			{"theme create mine --env preview", 2},
			{"push tokens.json --env preview --theme mine --create", 1},
			{"theme create mine --env preview --preview-of nothing", 1},
			{"theme create " + forge + " --env preview --preview-of acme", 0},
			{"theme update " + forge + " --env preview --integration react/mui", 5},
			{"webhook add https://evil.example --env preview", 5},
			{"theme delete " + forge + " --env preview --yes", 0},
		} {
			cmd := exec.Command("livery", strings.Fields(args.line)...)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "LIVERY_URL="+g.OriginURL, "LIVERY_TOKEN="+token, "LIVERY_DATA=nowhere")
			out, _ := cmd.CombinedOutput()
			if code := cmd.ProcessState.ExitCode(); code != args.code {
				t.Errorf("%s: livery %s = %d, want %d\n%s", forge, args.line, code, args.code, out)
			}
		}
	}
}

// TestAForkWritesNothing: a pull request of a fork has no identity on GitHub, and that of the fork on GitLab. Its files are
// judged without a request to the origin, and the summary of the job says why it has not got a preview. If it has one all the
// same, because the repository gives it one, the comment says that.
func TestAForkWritesNothing(t *testing.T) {
	g := newGuided(t, true)
	f := newForge(t, "")
	fork := `{"pull_request":{"number":7,"head":{"repo":%s},"base":{"repo":{"id":456789}}}}`
	away := program.Dev{OriginURL: "http://127.0.0.1:1"}
	gitLab := []string{"LIVERY_PREVIEW_ENV=preview", "CI_API_V4_URL=" + f.URL, "CI_MERGE_REQUEST_IID=7", "CI_MERGE_REQUEST_PROJECT_ID=22", "CI_MERGE_REQUEST_SOURCE_PROJECT_ID=66"}
	const why = "This pull request is of a fork"
	for name, c := range map[string]struct {
		event string
		env   []string
	}{
		"GitHub":                      {fmt.Sprintf(fork, `{"id":666}`), []string{"ACTIONS_ID_TOKEN_REQUEST_URL=", "LIVERY_PREVIEW_ENV=preview"}},
		"GitHub, a fork that is gone": {fmt.Sprintf(fork, `null`), []string{"ACTIONS_ID_TOKEN_REQUEST_URL=", "LIVERY_PREVIEW_ENV=preview"}},
		"GitLab, in the fork": {"{}", append([]string{
			"GITHUB_EVENT_PATH=", "CI_PROJECT_ID=66", "LIVERY_TOKEN=" + g.identity(t, onGitLab(claims{"project_path": "evil/tokens", "pipeline_source": "merge_request_event"})),
		}, gitLab...)},
	} {
		s := newGitHub(t, away, f, append(c.env, "GITHUB_STEP_SUMMARY=summary")...)
		s.write("event.json", c.event)
		for text, want := range map[string]int{first: 0, next: 1} {
			s.write("tokens.json", text)
			if said, code := s.run("review", "tokens.json"); code != want || !strings.Contains(said, why) || strings.Contains(said, "leave out") != (want == 1) {
				t.Errorf("%s: review = %d, want %d\n%s", name, code, want, said)
			}
		}
		if summary, err := os.ReadFile(filepath.Join(s.dir, "summary")); err != nil || !strings.Contains(string(summary), why) {
			t.Errorf("%s: the summary is %q, %v", name, summary, err)
		}
		if said, code := s.run("close"); code != 0 {
			t.Errorf("%s: close = %d\n%s", name, code, said)
		}
	}
	if len(f.calls) != 0 {
		t.Errorf("forks changed %q", f.calls)
	}
	// What GitLab signs for the fork is a stranger, and a job that has an identity all the same is told why.
	token := g.identity(t, onGitLab(claims{"project_path": "evil/tokens", "pipeline_source": "merge_request_event"}))
	cmd := exec.Command("livery", "theme", "create", "x", "--env", "preview", "--preview-of", "acme", "--url", g.OriginURL, "--token", token)
	if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != mayNot {
		t.Errorf("the identity of a fork = %d\n%s", cmd.ProcessState.ExitCode(), out)
	}
	s := onBoth[0].job(t, g, f, onGitHub(onPull))
	s.write("event.json", fmt.Sprintf(fork, `{"id":666}`))
	s.write("tokens.json", first)
	if said, code := s.run("review", "tokens.json"); code != 0 || len(f.comments) != 1 || !strings.Contains(f.comments[0].Body, "No preview: this pull request is of a fork.") {
		t.Errorf("review = %d, %q\n%s", code, f.comments, said)
	}
	if slugs := g.slugs(t, "preview"); len(slugs) != 0 {
		t.Errorf("the previews are %q, want none", slugs)
	}
}

// TestClosingDropsWhatIsNotOpen: GitHub begins no job for each request that is closed, so the next one drops those previews
// of the same place whose requests are not open, and no others.
func TestClosingDropsWhatIsNotOpen(t *testing.T) {
	g := newGuided(t, true)
	f := newForge(t, "")
	f.open = []int{7, 8} // 7 is just closed, and GitHub does not say so yet
	for _, name := range []string{"acme-pr-7", "acme-pr-8", "acme-pr-9", "acme-pr-77", "acme-pr-x", "acme-night-pr-9", "other-pr-9"} {
		g.livery(t, "theme", "create", name, "--env", "preview", "--preview-of", "acme")
	}
	if said, code := onBoth[0].job(t, g, f, onGitHub(onMerged)).run("close"); code != 0 {
		t.Fatalf("close = %d\n%s", code, said)
	}
	if got, want := fmt.Sprint(g.slugs(t, "preview")), "[acme-night-pr-9 acme-pr-8 acme-pr-x other-pr-9]"; got != want {
		t.Errorf("the previews are %s, want %s", got, want)
	}
}
