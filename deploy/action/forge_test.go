package action_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"example.com/livery/internal/test/program"
)

// comment is one comment at the forge.
type comment struct{ Author, Body string }

// botLogin is whose the forge's token is.
const botLogin = "github-actions[bot]"

// forge answers as GitHub and GitLab do if the script asks them: for comments, a page at a time, for whose its token
// is, and for the identity of a job. It is safe for concurrent use.
type forge struct {
	*httptest.Server

	mu       sync.Mutex // guards what follows
	identity string
	comments []comment
	calls    []string // the changes
	open     []int    // the pull requests that are
}

func newForge(t *testing.T, identity string) *forge {
	f := &forge{identity: identity}
	f.Server = httptest.NewServer(http.HandlerFunc(f.answer))
	t.Cleanup(f.Close)
	return f
}

func (f *forge) answer(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	secret := r.Header.Get("Authorization") + r.Header.Get("PRIVATE-TOKEN")
	switch {
	case r.URL.Path == "/identity" && secret == "Bearer job" && r.URL.Query().Get("audience") != "":
		_ = json.NewEncoder(w).Encode(map[string]string{"value": f.identity})
	case secret != "Bearer forge" && secret != "forge":
		w.WriteHeader(http.StatusUnauthorized)
	case r.URL.Path == "/graphql":
		_, _ = fmt.Fprintf(w, `{"data":{"viewer":{"login":%q}}}`, botLogin)
	case r.URL.Path == "/user" && secret == "Bearer forge":
		w.WriteHeader(http.StatusForbidden) // GitHub does not tell the token of a job
	case r.URL.Path == "/user":
		_, _ = fmt.Fprintf(w, `{"username":%q}`, botLogin)
	case strings.HasSuffix(r.URL.Path, "/pulls") && r.URL.Query().Get("state") == "open":
		pulls := []map[string]int{}
		for _, number := range f.open {
			if r.URL.Query().Get("page") == "1" {
				pulls = append(pulls, map[string]int{"number": number})
			}
		}
		_ = json.NewEncoder(w).Encode(pulls)
	case r.Method == http.MethodGet:
		f.list(w, r, secret == "forge")
	default:
		f.write(w, r)
	}
}

// list answers one page, oldest first.
func (f *forge) list(w http.ResponseWriter, r *http.Request, gitLab bool) {
	number := func(name string, otherwise int) int {
		if n, err := strconv.Atoi(r.URL.Query().Get(name)); err == nil {
			return n
		}
		return otherwise
	}
	each := min(number("per_page", 30), 100)
	from := min((number("page", 1)-1)*each, len(f.comments))
	list := []map[string]any{}
	for i, c := range f.comments[from:min(from+each, len(f.comments))] {
		author := map[string]any{"user": map[string]string{"login": c.Author}}
		if gitLab {
			author = map[string]any{"author": map[string]string{"username": c.Author}}
		}
		author["id"], author["body"] = from+i+1, c.Body
		list = append(list, author)
	}
	_ = json.NewEncoder(w).Encode(list)
}

func (f *forge) write(w http.ResponseWriter, r *http.Request) {
	f.calls = append(f.calls, r.Method+" "+r.URL.Path)
	text, _ := io.ReadAll(r.Body)
	sent := comment{Author: botLogin}
	if err := json.Unmarshal(text, &sent); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if r.Method == http.MethodPost {
		f.comments = append(f.comments, sent)
		return
	}
	id := 0
	_, _ = fmt.Sscan(filepath.Base(r.URL.Path), &id)
	f.comments[id-1].Body = sent.Body
}

// newGitHub returns the surroundings of a job of pull request 7 on GitHub.
func newGitHub(t *testing.T, d program.Dev, f *forge, more ...string) stand {
	s := newStand(t, d, append([]string{
		"GITHUB_ACTIONS=true", "GITHUB_TOKEN=forge", "GITHUB_API_URL=" + f.URL, "GITHUB_GRAPHQL_URL=" + f.URL + "/graphql", "GITHUB_REPOSITORY=acme/web",
		"GITHUB_EVENT_PATH=event.json", "ACTIONS_ID_TOKEN_REQUEST_URL=" + f.URL + "/identity?v=2", "ACTIONS_ID_TOKEN_REQUEST_TOKEN=job",
	}, more...)...)
	s.write("event.json", `{"pull_request":{"number":7}}`)
	return s
}

// mark ends the comment that the script writes for the place of newStand.
const mark = "<!-- livery production acme  -->"

// TestTheCommentIsOnesOwn: of many pages of comments the one that this token wrote for the same place is written anew,
// and none of another author or of another place, whatever mark it carries; there never are two.
func TestTheCommentIsOnesOwn(t *testing.T) {
	d := startDev(t)
	create(t, d)
	others := []comment{
		{"mallory", "forged " + mark},
		{botLogin, "another place <!-- livery staging acme  -->"},
		{botLogin, "quotes " + mark + " and goes on"},
	}
	for len(others) < 250 {
		others = append(others, comment{"octocat", "a comment"})
	}
	for _, forges := range []struct {
		name, call string
		stand      func(f *forge) stand
	}{
		{"GitHub", "PATCH /repos/acme/web/issues/comments/251", func(f *forge) stand { return newGitHub(t, d, f) }},
		{"GitLab", "PUT /projects/9/merge_requests/3/notes/251", func(f *forge) stand {
			return newStand(t, d, "LIVERY_TOKEN="+d.Token, "GITLAB_TOKEN=forge", "CI_MERGE_REQUEST_IID=3", "CI_PROJECT_ID=9", "CI_API_V4_URL="+f.URL)
		}},
	} {
		f := newForge(t, d.Token)
		f.comments = append(f.comments, others...)
		s := forges.stand(f)
		s.write("tokens.json", first)
		for range 2 {
			if said, code := s.run("review", "tokens.json"); code != 0 {
				t.Fatalf("%s: review = %d\n%s", forges.name, code, said)
			}
		}
		if len(f.calls) != 2 || f.calls[1] != forges.call || len(f.comments) != 251 {
			t.Errorf("%s: %d comments, changed by %q; want one more than before, made and then written anew", forges.name, len(f.comments), f.calls)
		}
		for i, c := range others {
			if f.comments[i] != c {
				t.Errorf("%s: the comment %d became %q", forges.name, i+1, f.comments[i].Body)
			}
		}
	}
}
