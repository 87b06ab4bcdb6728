package ci

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"example.com/livery/cli/term"
)

// onGitHub reports whether the log of the job is one of GitHub, which obeys lines that begin with "::".
func onGitHub() bool { return os.Getenv("GITHUB_ACTIONS") != "" }

// event is what GitHub says of the event that began a job.
type event struct {
	Action      string `json:"action"`
	PullRequest *struct {
		Number int `json:"number"`
		Head   struct {
			Repo *repository `json:"repo"` // nil if it was deleted
		} `json:"head"`
		Base struct {
			Repo *repository `json:"repo"`
		} `json:"base"`
	} `json:"pull_request"`
}

type repository struct {
	ID int64 `json:"id"`
}

// readEvent returns the event of the job; its zero value outside of GitHub.
func readEvent() (e event, err error) {
	path := os.Getenv("GITHUB_EVENT_PATH")
	if path == "" {
		return e, nil
	}
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &e)
	}
	return e, err
}

// isFork reports whether the pull request is of another repository than the one that it is for, or of one that is gone.
func (e event) isFork() bool {
	if project := os.Getenv("CI_MERGE_REQUEST_PROJECT_ID"); project != "" {
		return project != os.Getenv("CI_MERGE_REQUEST_SOURCE_PROJECT_ID")
	}
	p := e.PullRequest
	return p != nil && p.Head.Repo != p.Base.Repo && (p.Head.Repo == nil || p.Base.Repo == nil || *p.Head.Repo != *p.Base.Repo)
}

// isClosed reports whether the pull request was closed or merged.
func (e event) isClosed() bool {
	return e.Action == "closed" || os.Getenv("CI_ENVIRONMENT_ACTION") == "stop"
}

// pullNumber returns the number of the pull request as text.
func (e event) pullNumber() (string, error) {
	if e.PullRequest != nil && e.PullRequest.Number > 0 {
		return strconv.Itoa(e.PullRequest.Number), nil
	}
	number := os.Getenv("CI_MERGE_REQUEST_IID")
	if n, err := strconv.Atoi(number); err != nil || n <= 0 {
		return "", term.UsageError("Run it in a job of a pull request.", "this job is not of a pull request")
	}
	return number, nil
}

// hasIdentity reports whether the job has a token for the origin, or can get one. The token of a job that runs in a fork on
// GitLab is the fork's.
func hasIdentity(token string) bool {
	if project := os.Getenv("CI_MERGE_REQUEST_PROJECT_ID"); project != "" && project != os.Getenv("CI_PROJECT_ID") {
		return false
	}
	return token != "" || os.Getenv("ACTIONS_ID_TOKEN_REQUEST_URL") != ""
}

// identityOfJob asks GitHub for the identity of the job, for the audience of an origin.
func identityOfJob(ctx context.Context, origin string) (string, error) {
	address := os.Getenv("ACTIONS_ID_TOKEN_REQUEST_URL")
	if address == "" {
		return "", term.UsageError("Give LIVERY_TOKEN, or the job the permission id-token: write.", "the token is missing")
	}
	f := forge{header: "Authorization", secret: "Bearer " + os.Getenv("ACTIONS_ID_TOKEN_REQUEST_TOKEN")}
	var identity struct{ Value string }
	audience := url.QueryEscape(strings.TrimSuffix(origin, "/") + "/public/v1")
	if err := f.call(ctx, http.MethodGet, address+"&audience="+audience, nil, &identity); err != nil {
		return "", err
	}
	if identity.Value == "" {
		return "", term.Fail("Give the job the permission id-token: write.", "the job got no identity")
	}
	return identity.Value, nil
}

// forge is GitHub or GitLab, as a token for comments reaches it.
type forge struct {
	header, secret string // of the token
	list           string // address of the comments of the pull request
	edit           string // address of the comments to edit
	method         string // that edits one
	gitLab         bool
}

// forgeOf returns the forge that the job has a token for; ok is false if it has none.
func forgeOf(e event) (f forge, ok bool) {
	if token := os.Getenv("GITHUB_TOKEN"); token != "" && e.PullRequest != nil {
		issues := gitHubRepository() + "/issues/"
		return forge{
			header: "Authorization", secret: "Bearer " + token,
			list: issues + strconv.Itoa(e.PullRequest.Number) + "/comments", edit: issues + "comments", method: http.MethodPatch,
		}, true
	}
	if token, number := os.Getenv("GITLAB_TOKEN"), os.Getenv("CI_MERGE_REQUEST_IID"); token != "" && number != "" {
		notes := os.Getenv("CI_API_V4_URL") + "/projects/" + os.Getenv("CI_PROJECT_ID") + "/merge_requests/" + number + "/notes"
		return forge{header: "PRIVATE-TOKEN", secret: token, list: notes, edit: notes, method: http.MethodPut, gitLab: true}, true
	}
	return f, false
}

// gitHubRepository returns the address of the repository at GitHub's API.
func gitHubRepository() string {
	return os.Getenv("GITHUB_API_URL") + "/repos/" + os.Getenv("GITHUB_REPOSITORY")
}

var forgeClient = &http.Client{Timeout: 30 * time.Second}

// call sends body as JSON, unless it is nil, and decodes the answer into out, unless that is nil.
func (f forge) call(ctx context.Context, method, address string, body, out any) error {
	var sent io.Reader = http.NoBody
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, address, sent)
	if err != nil {
		return err
	}
	request.Header.Set(f.header, f.secret)
	request.Header.Set("Content-Type", "application/json")
	response, err := forgeClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	at := request.URL.Host + request.URL.Path
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return term.Fail("Check the permissions of the job's token.", "%s %s answers %d", method, at, response.StatusCode)
	}
	if out == nil {
		return nil
	}
	if err := json.NewDecoder(response.Body).Decode(out); err != nil {
		return fmt.Errorf("read the answer of %s: %w", at, err)
	}
	return nil
}

// comment is a comment on a pull request, of GitHub or GitLab.
type comment struct {
	ID     int64
	Body   string
	User   struct{ Login string }
	Author struct{ Username string }
}

// login returns who the token for comments is. The token of a job on GitHub may not ask GET /user; GraphQL answers it.
func (f forge) login(ctx context.Context) (string, error) {
	if f.gitLab {
		var user struct{ Username string }
		err := f.call(ctx, http.MethodGet, os.Getenv("CI_API_V4_URL")+"/user", nil, &user)
		return user.Username, err
	}
	var answer struct {
		Data struct{ Viewer struct{ Login string } }
	}
	query := map[string]string{"query": "query{viewer{login}}"}
	err := f.call(ctx, http.MethodPost, os.Getenv("GITHUB_GRAPHQL_URL"), query, &answer)
	return answer.Data.Viewer.Login, err
}

// write writes a comment that ends with mark over the one that this token wrote with the same mark, or makes one.
func (f forge) write(ctx context.Context, text, mark string) error {
	me, err := f.login(ctx)
	if err == nil && me == "" {
		err = term.Fail("Check the permissions of the job's token.", "the forge does not say whose the token for comments is")
	}
	if err != nil {
		return err
	}
	method, address := http.MethodPost, f.list
	err = eachPage(ctx, f, f.list+"?", func(c comment) bool {
		if cmp.Or(c.User.Login, c.Author.Username) == me && strings.HasSuffix(strings.TrimSpace(c.Body), mark) {
			method, address = f.method, f.edit+"/"+strconv.FormatInt(c.ID, 10)
			return false
		}
		return true
	})
	if err != nil {
		return err
	}
	return f.call(ctx, method, address, map[string]string{"body": text + "\n" + mark + "\n"}, nil)
}

// eachPage calls each with the items of every page of a list, until it returns false.
func eachPage[T any](ctx context.Context, f forge, list string, each func(T) bool) error {
	for page := 1; ; page++ {
		var items []T
		if err := f.call(ctx, http.MethodGet, fmt.Sprintf("%sper_page=100&page=%d", list, page), nil, &items); err != nil {
			return err
		}
		for _, item := range items {
			if !each(item) {
				return nil
			}
		}
		if len(items) == 0 {
			return nil
		}
	}
}

// openPulls returns the numbers of the open pull requests on GitHub; ok is false if the job has no token to ask.
func openPulls(ctx context.Context) (open map[string]bool, ok bool, err error) {
	token := os.Getenv("GITHUB_TOKEN")
	if token == "" {
		return nil, false, nil
	}
	open = map[string]bool{}
	f := forge{header: "Authorization", secret: "Bearer " + token}
	err = eachPage(ctx, f, gitHubRepository()+"/pulls?state=open&", func(pull struct{ Number int }) bool {
		open[strconv.Itoa(pull.Number)] = true
		return true
	})
	return open, true, err
}
