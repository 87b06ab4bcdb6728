package cli

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/livery/cli/account"
	"example.com/livery/cli/term"
	"example.com/livery/client"
)

// liveDev is a livery dev of a test, in this process.
type liveDev struct {
	file   account.DevFile
	client *client.Client
	dir    string
}

// startDev runs livery dev without a sample until the test ends.
func startDev(t *testing.T) liveDev {
	t.Helper()
	dir, err := os.MkdirTemp("", "livery-") // the path of its socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	compiled, err := filepath.Abs(filepath.Join("..", ".cache", "compiled")) // shared by all tests of the tree
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var said bytes.Buffer
	a := testApp(strings.NewReader(""), &said, &said)
	ended := make(chan error, 1)
	go func() {
		ended <- a.runLine(ctx, "dev", "--data", dir, "--origin", "127.0.0.1:0", "--edge", "127.0.0.1:0", "--compiled", compiled, "--empty")
	}()
	t.Cleanup(func() {
		stop()
		// a machine under load may not be done in the time that a person waits
		if err := <-ended; err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("livery dev ended with %v", err)
		}
	})
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		select {
		case err := <-ended:
			ended <- nil
			t.Fatalf("livery dev ended: %v", err)
		default:
		}
		if file, err := account.ReadDev(dir); err == nil {
			return liveDev{file, account.NewClient(file.OriginURL, file.Token), dir}
		}
	}
	t.Fatal("livery dev does not answer")
	return liveDev{}
}

// runLine runs one command line.
func (a *app) runLine(ctx context.Context, args ...string) error {
	root := a.root()
	root.SetArgs(args)
	return root.ExecuteContext(ctx)
}

// livery runs a command line against an origin, and returns what it printed and its exit code.
func (r liveDev) livery(t *testing.T, url string, args ...string) (said string, code int) {
	t.Helper()
	var out bytes.Buffer
	a := testApp(strings.NewReader(""), &out, &out)
	code = a.Report(a.runLine(t.Context(), append(args, "--url", url, "--token", r.file.Token)...))
	return out.String(), code
}

// interferingProxy stands before an origin and edits a Theme right before the first write of tokens comes through.
func (r liveDev) interferingProxy(t *testing.T, interfere func()) string {
	t.Helper()
	target, err := url.Parse(r.file.OriginURL)
	if err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	through := httputil.NewSingleHostReverseProxy(target)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Method == http.MethodPatch {
			once.Do(interfere)
		}
		through.ServeHTTP(w, req)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestPush_ChangeOfAnother: on a stale etag a push changes nothing and ends with 4; pushed again, it keeps what it does not name (S171, S172).
func TestPush_ChangeOfAnother(t *testing.T) {
	r := startDev(t)
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	base := write("base.json", `{"a":{"$type":"color","$value":"#000001"},"b":{"$type":"color","$value":"#000002"}}`)
	part := write("part.json", `{"a":{"$type":"color","$value":"#00000a"}}`)
	place := []string{"--env", "sandbox", "--theme", "acme"}
	if said, code := r.livery(t, r.file.OriginURL, append([]string{"push", base, "--create", "--publish"}, place...)...); code != term.ExitOK {
		t.Fatal(said)
	}
	between := r.interferingProxy(t, func() {
		if said, code := r.livery(t, r.file.OriginURL, append([]string{"edit", "b", "#0000ff"}, place...)...); code != term.ExitOK {
			t.Error(said)
		}
	})
	line := append([]string{"push", part}, place...)
	if said, code := r.livery(t, between, line...); code != term.ExitConflict || !strings.Contains(said, "another client changed it meanwhile") {
		t.Errorf("push ends with %d and says\n%swant %d", code, said, term.ExitConflict)
	}
	r.wantValues(t, "acme", `"#000001"`, `"#0000ff"`)
	if said, code := r.livery(t, r.file.OriginURL, line...); code != term.ExitOK {
		t.Error(said)
	}
	r.wantValues(t, "acme", `"#00000a"`, `"#0000ff"`)
}

// wantValues looks at the values of the two tokens of a Theme.
func (r liveDev) wantValues(t *testing.T, slug, a, b string) {
	t.Helper()
	page, err := r.client.Themes(t.Context(), r.file.Environments["sandbox"], client.ListOptions{Slug: slug})
	if err != nil || len(page.Items) != 1 {
		t.Fatal(page, err)
	}
	set, err := r.client.Scope(page.Items[0].EnvironmentID, page.Items[0].ID).Tokens(t.Context(), "", client.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(set.Tokens) != 2 || string(set.Tokens[0].Value) != a || string(set.Tokens[1].Value) != b {
		t.Errorf("tokens of %s = %+v, want %s and %s", slug, set.Tokens, a, b)
	}
}
