package action_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/livery/internal/test/program"
)

// claims are those of a token.
type claims map[string]any

// signer signs tokens as the issuer of a forge does, and knows the file of its key set.
type signer struct {
	key  *rsa.PrivateKey
	file string
}

func newSigner(t *testing.T) signer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "jwks.json")
	set := fmt.Sprintf(`{"keys":[{"kty":"RSA","alg":"RS256","use":"sig","kid":"k","n":%q,"e":"AQAB"}]}`, base64.RawURLEncoding.EncodeToString(key.N.Bytes()))
	if err := os.WriteFile(file, []byte(set), 0o600); err != nil {
		t.Fatal(err)
	}
	return signer{key, file}
}

func (s signer) token(t *testing.T, all claims) string {
	t.Helper()
	part := func(v any) string {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return base64.RawURLEncoding.EncodeToString(text)
	}
	text := part(map[string]string{"alg": "RS256", "typ": "JWT", "kid": "k"}) + "." + part(all)
	sum := sha256.Sum256([]byte(text))
	sig, err := rsa.SignPKCS1v15(rand.Reader, s.key, crypto.SHA256, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(sig)
}

// onGitHub are the claims of a job that a push to main began, with others in the place of some; those of a pull request,
// of another event or of a job with an environment of GitHub's differ as here.
func onGitHub(others claims) claims {
	all := claims{
		"iss": "https://token.actions.githubusercontent.com", "sub": "repo:acme/tokens:ref:refs/heads/main", "event_name": "push",
		"ref": "refs/heads/main", "ref_type": "branch", "ref_protected": "true", "head_ref": "", "base_ref": "", "sha": "0f6a1d",
		"repository": "acme/tokens", "repository_id": "456789", "repository_owner": "acme", "repository_owner_id": "123456",
		"repository_visibility": "private",
		"actor":                 "octocat", "actor_id": "1", "workflow": "tokens", "workflow_ref": "acme/tokens/.github/workflows/tokens.yml@refs/heads/main",
		"job_workflow_ref": "acme/tokens/.github/workflows/tokens.yml@refs/heads/main", "runner_environment": "github-hosted",
		"run_id": "1", "run_number": "1", "run_attempt": "1",
	}
	maps.Copy(all, others)
	return all
}

// onGitLab are the claims of a job of a push to the protected branch main, with others in the place of some.
func onGitLab(others claims) claims {
	all := claims{
		"iss": "https://gitlab.com", "sub": "project_path:acme/tokens:ref_type:branch:ref:main", "pipeline_source": "push",
		"project_id": "22", "project_path": "acme/tokens", "namespace_id": "72", "namespace_path": "acme",
		"user_login": "octocat", "user_access_level": "developer",
		"pipeline_id": "574", "job_id": "302", "ref": "main", "ref_type": "branch", "ref_path": "refs/heads/main", "ref_protected": "true", "sha": "0f6a1d",
		"runner_id": 1, "runner_environment": "gitlab-hosted", "project_visibility": "private",
	}
	maps.Copy(all, others)
	return all
}

// teamsOfTheGuide returns the Team and the issuers that docs/operating.md shows, with key sets read from a file. With
// previews it has the Environment of previews, and the issuers for pull requests with previews.
func teamsOfTheGuide(t *testing.T, keySet string, previews bool) string {
	t.Helper()
	guide, err := os.ReadFile(filepath.Join("..", "..", "docs", "operating.md"))
	if err != nil {
		t.Fatal(err)
	}
	var text string
	for _, begin := range []string{"teams:", "issuers:"} {
		found := regexp.MustCompile(`(?m)^    ` + begin + `\n((?:     .*\n)+)`).FindString(string(guide))
		if found == "" {
			t.Fatalf("the guide shows no %s", begin)
		}
		text += strings.TrimPrefix(strings.ReplaceAll(found, "\n    ", "\n"), "    ")
	}
	if previews {
		environment := regexp.MustCompile(`(?m)^    cat >> teams.yaml <<'END'\n((?:     .*\n)+)`).FindSubmatch(guide)
		entries := regexp.MustCompile(`(?m)^      - name: (\S+)\n(?:        .*\n)*        environments: .*\n`).FindAllSubmatch(guide, -1)
		if len(environment) == 0 || len(entries) != 2 {
			t.Fatalf("the guide shows %d Environments and %d issuers for previews", len(environment), len(entries))
		}
		unindented := func(text []byte) string { return strings.ReplaceAll("\n"+string(text), "\n    ", "\n")[1:] }
		text = strings.Replace(text, "issuers:\n", unindented(environment[1])+"issuers:\n", 1)
		for _, entry := range entries {
			text = regexp.MustCompile(`(?m)^  - name: `+string(entry[1])+`\n(?:    .*\n)+`).ReplaceAllLiteralString(text, unindented(entry[0]))
		}
	}
	for _, address := range []string{"https://token.actions.githubusercontent.com/.well-known/jwks", "https://gitlab.com/oauth/discovery/keys"} {
		if strings.Count(text, "jwks: "+address+"\n") != 2 {
			t.Fatalf("the guide does not name the key set %s for both jobs", address)
		}
		text = strings.ReplaceAll(text, address, keySet)
	}
	return text
}

// guided is a server with the Team and the issuers that the guide shows.
type guided struct {
	program.Dev
	signer signer
}

func newGuided(t *testing.T, previews bool) guided {
	t.Helper()
	g := guided{startDev(t), newSigner(t)}
	teams := filepath.Join(t.TempDir(), "teams.yaml")
	if err := os.WriteFile(teams, []byte(teamsOfTheGuide(t, g.signer.file, previews)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"teams", "apply", teams, "--data", g.Data}, {"token", "--subject", "owner", "--data", g.Data}} {
		out, err := exec.Command("livery", args...).CombinedOutput()
		if err != nil {
			t.Fatalf("livery %q: %v: %s", args, err, out)
		}
		g.Token = strings.TrimSpace(string(out))
	}
	create(t, g.Dev)
	return g
}

// job is one job of a forge, and how its review and its release end.
type job struct {
	name            string
	claims          claims
	review, release int
}

// The exit codes of the jobs.
const may, mayNot = 0, 5

// identity is the token with the claims that a forge would sign for a job.
func (g guided) identity(t *testing.T, c claims) string {
	t.Helper()
	now := time.Now()
	c["aud"], c["jti"] = g.OriginURL+"/public/v1", rand.Text()
	c["iat"], c["nbf"], c["exp"] = now.Unix(), now.Add(-time.Minute).Unix(), now.Add(10*time.Minute).Unix()
	return g.signer.token(t, c)
}

// run runs the review and the release of each job with the token that its forge would sign.
func (g guided) run(t *testing.T, jobs []job) {
	t.Helper()
	for i, c := range jobs {
		s := newGitHub(t, g.Dev, newForge(t, g.identity(t, c.claims)))
		s.write("tokens.json", strings.Replace(first, "#0055aa", fmt.Sprintf("#0055%02d", i), 1)) // there is something to push
		if said, code := s.run("review", "tokens.json"); code != c.review {
			t.Errorf("%s: review = %d, want %d\n%s", c.name, code, c.review, said)
		}
		if said, code := s.run("release", "tokens.json"); code != c.release {
			t.Errorf("%s: release = %d, want %d\n%s", c.name, code, c.release, said)
		}
	}
}

// The claims by which the jobs of pull requests differ from those of main: of one that is open, of one that is closed because
// it is merged, and of a merge request on GitLab.
var (
	onPull = claims{
		"sub": "repo:acme/tokens:pull_request", "event_name": "pull_request",
		"ref": "refs/pull/7/merge", "head_ref": "feature", "base_ref": "main", "ref_protected": "false",
	}
	onMerged = claims{"sub": "repo:acme/tokens:pull_request", "event_name": "pull_request", "head_ref": "feature", "base_ref": "main"}
	onMerge  = claims{"pipeline_source": "merge_request_event", "ref": "feature", "ref_protected": "false", "ref_path": "refs/merge-requests/7/head"}
)

// onTag are the claims by which the job of a tag differs from one of main.
func onTag(name string, others claims) claims {
	all := claims{"ref": name, "ref_type": "tag", "ref_protected": "true", "ref_path": "refs/tags/" + strings.TrimPrefix(name, "refs/tags/")}
	maps.Copy(all, others)
	return all
}

// TestGuideIssuers_Jobs: with the issuers that the guide shows, a push to main may publish and
// a pull request may only read; a job of a tag, of another branch, event or repository may neither.
func TestGuideIssuers_Jobs(t *testing.T) {
	newGuided(t, false).run(t, []job{
		{"GitHub: a push to main", onGitHub(nil), may, may},
		{"GitHub: the same with ids in its subject", onGitHub(claims{"sub": "repo:acme@123456/tokens@456789:ref:refs/heads/main"}), may, may},
		{"GitHub: the same in an environment", onGitHub(claims{"sub": "repo:acme/tokens:environment:production", "environment": "production"}), may, may},
		{"GitHub: a pull request", onGitHub(onPull), may, mayNot},
		{"GitHub: a merged pull request is closed", onGitHub(onMerged), may, mayNot},
		{"GitHub: a push to another branch", onGitHub(claims{"sub": "repo:acme/tokens:ref:refs/heads/x", "ref": "refs/heads/x"}), mayNot, mayNot},
		{"GitHub: pull_request_target", onGitHub(claims{"event_name": "pull_request_target"}), mayNot, mayNot},
		{"GitHub: another repository", onGitHub(claims{"sub": "repo:evil/tokens:ref:refs/heads/main", "repository": "evil/tokens"}), mayNot, mayNot},
		{"GitLab: a push to main", onGitLab(nil), may, may},
		{"GitLab: a merge request", onGitLab(onMerge), may, mayNot},
		{"GitLab: a push to another branch", onGitLab(claims{"ref": "x", "ref_protected": "false"}), mayNot, mayNot},
		{"GitLab: another project", onGitLab(claims{"project_path": "evil/tokens"}), mayNot, mayNot},
		{"GitHub: a tag", onGitHub(onTag("refs/tags/v1", nil)), mayNot, mayNot},
		{"GitLab: a tag", onGitLab(onTag("v1", nil)), mayNot, mayNot},
	})
}
